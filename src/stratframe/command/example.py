"""Add folds and parts to scikit-learn's wine data in both libraries, and show the results."""

from contextlib import suppress
from typing import Any

import stratframe as sf

from .. import frames
from ..checks import load_extra
from ..errors import StratError
from .layout import balance_lines, column_list
from .streams import Output, program

SHARES = {"train": 0.8, "valid": 0.1, "test": 0.1}

CALLS = (
    ("fold", 'df = df.strat.kfold("class", k=5)', 'df.strat.check("class")'),
    (
        "split",
        'df = df.strat.split("class", {"train": 0.8, "valid": 0.1, "test": 0.1})',
        'df.strat.check("class", "split")',
    ),
)
"""The columns of the example, the calls that add them, and the calls that check them."""

PICTURE = "stratframe-example.png"

NEXT = """
Next, with data of your own:

  {program} kfold rows.csv --by label --out folded.csv
  {program} check folded.csv --by label

or in Python:

  import pandas as pd
  import stratframe as sf  # registers .strat
  df = pd.read_csv("rows.csv").strat.kfold("label", k=5)
  df.strat.check("label")
"""


def show_example() -> Output:
    columns = load_wine()
    pandas = add_folds_and_parts(frames.make_frame("pandas", columns))
    polars = add_folds_and_parts(frames.make_frame("polars", columns))
    lines = [f"The wine data of scikit-learn: {len(columns['class'])} rows, 3 classes."]
    for name, call, check in CALLS:
        if column_list(pandas, name) != column_list(polars, name):
            msg = f"pandas and Polars must get the same column {name!r}, but did not."
            raise StratError(msg)
        lines += ["", f">>> {call}", *balance_lines(sf.balance(pandas, "class", name))]
        lines += [f">>> {check}", str(sf.check(pandas, "class", name))]
    lines += ["", "pandas and Polars got the same columns."]
    with suppress(ImportError, OSError):  # matplotlib is missing, or the folder is read-only
        sf.plot(pandas, "class").figure.savefig(PICTURE, dpi=150)
        lines.append(f"A picture of the folds: {PICTURE}")
    lines.append(NEXT.format(program=program()))
    return Output("\n".join(lines))


def load_wine() -> dict[Any, Any]:
    """Load the classes and features of the wine data as columns."""
    wine = load_extra("sklearn.datasets", "sklearn").load_wine()
    classes = {"class": wine.target_names[wine.target].tolist()}
    return classes | dict(zip(wine.feature_names, wine.data.T, strict=True))


def add_folds_and_parts(frame: Any) -> Any:
    return sf.split(sf.kfold(frame, "class"), "class", SHARES)
