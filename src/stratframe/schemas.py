"""pandera schemas: what a call asks of its columns, and what it promises of its result."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import frames
from .checks import check_int
from .core.types import Values
from .errors import StratError, plural, preview

LARGEST = 1.7976931348623157e308


class Rule(NamedTuple):
    """What a call asks of the values of one column."""

    name: Hashable
    """The column, as the rows at fault name it."""
    text: str
    """The column, as the message shows it."""
    series: Any
    """The column, shape (n_rows,)."""
    numbers: Any = None
    """Its values as float64, NaN where missing, for checks on numbers."""
    present: bool = True
    """No null or NaN."""
    finite: bool = False
    """No infinity."""
    within: tuple[float, float] | None = None
    """Lowest and highest value."""
    unique: bool = False
    """No value twice."""
    hint: str = ""
    """What to do about missing values."""


def check_rows(kind: str, rules: Sequence[Rule]) -> None:
    """Validate the columns of a call, and name all rows at fault at once."""
    pandera = frames.pandera_module(kind)
    columns: dict[Hashable, Any] = {
        str(place): rule.series if rule.numbers is None else frames.float_column(kind, rule.numbers)
        for place, rule in enumerate(rules)
    }
    schema = pandera.DataFrameSchema(
        {str(place): column_schema(pandera, rule) for place, rule in enumerate(rules)}
    )
    try:
        with warnings.catch_warnings():
            # pandera 0.26 concatenates its findings in a way that pandas 2.2 warns of.
            warnings.simplefilter("ignore", FutureWarning)
            schema.validate(frames.make_frame(kind, columns), lazy=True)
    except pandera.errors.SchemaErrors as error:
        raise failure(kind, rules, *frames.failure_cases(error.failure_cases)) from error


def column_schema(pandera: Any, rule: Rule) -> Any:
    """Make the pandera schema of one column."""
    checks = []
    if rule.finite:
        checks.append(pandera.Check.in_range(-LARGEST, LARGEST))
    if rule.within is not None:
        checks.append(pandera.Check.in_range(*rule.within))
    return pandera.Column(checks=checks, nullable=not rule.present, unique=rule.unique)


def folded(k: int = 5, name: str = "fold", library: str = "pandas", *, nulls: bool = False) -> Any:
    """Make the schema of a frame that has a fold column.

    Parameters
    ----------
    k : int
    name : str
    library : {"pandas", "polars"}
        On a lazy frame pandera checks names and types only.
    nulls : bool
        Whether rows may have no fold, as `missing="null"` and `rare="null"` allow.

    Returns
    -------
    pandera.DataFrameSchema

    Examples
    --------
    >>> import pandas as pd
    >>> folded(k=3).validate(pd.DataFrame({"fold": [0, 2, 1]})).shape
    (3, 1)
    """
    check_int("k", k, 1)
    pandera = module_for(library)
    dtype: Any = "Int64" if nulls else "int64"
    if library == "polars":
        dtype = frames.polars_dtype(None)
    column = pandera.Column(dtype, pandera.Check.in_range(0, k - 1), nullable=nulls)
    return pandera.DataFrameSchema({name: column})


def parted(
    parts: Mapping[str, float | None],
    name: str = "split",
    library: str = "pandas",
    *,
    nulls: bool = False,
) -> Any:
    """Make the schema of a frame that has a column of part names.

    Parameters
    ----------
    parts : mapping of part name to share
        As for `split`; only the names count.
    name, library, nulls
        As for `folded`.

    Returns
    -------
    pandera.DataFrameSchema

    Examples
    --------
    >>> import polars as pl
    >>> split = pl.Series("split", ["test"], dtype=pl.Enum(["train", "test"]))
    >>> parted({"train": 0.8, "test": 0.2}, library="polars").validate(split.to_frame()).shape
    (1, 1)
    """
    pandera = module_for(library)
    names = list(parts)
    if library == "polars":
        dtype: Any = frames.polars_dtype(tuple(names))
        return pandera.DataFrameSchema({name: pandera.Column(dtype, nullable=nulls)})
    dtype = pandera.Category(names, ordered=False)
    in_order = pandera.Check(lambda parts: frames.category_list(parts) == names, name="order")
    return pandera.DataFrameSchema({name: pandera.Column(dtype, in_order, nullable=nulls)})


def module_for(library: str) -> Any:
    """Import pandera for a library named by the user."""
    if library not in ("pandas", "polars"):
        msg = f"`library` must be 'pandas' or 'polars', got {library!r}."
        raise StratError(msg)
    return frames.pandera_module(library)


def failure(
    kind: str, rules: Sequence[Rule], columns: Values, checks: Values, rows: Values
) -> StratError:
    """Put pandera's failure cases into words, and gather the rows.

    Parameters
    ----------
    columns, checks : ndarray of str, shape (n_faults,)
        The place of the rule, and what pandera calls its check.
    rows : ndarray of int64, shape (n_faults,)
    """
    lines, hints = [], []
    for place, rule in enumerate(rules):
        bounds = "finite" if rule.within is None else "within"
        for check, sentence in SENTENCES.items():
            own = checks == check if check != bounds else ~np.isin(checks, list(SENTENCES))
            found = np.unique(rows[own & (columns == str(place))])
            if len(found):
                where = f"{plural(len(found), 'row')} ({preview(found[:6].tolist(), len(found))})"
                low, high = rule.within or (0, 0)
                text = rule.text[:1].upper() + rule.text[1:]
                lines.append(sentence.format(text, where, low, high))
                hints += [f"Hint: {rule.hint}"] if check == "not_nullable" and rule.hint else []
    shown = {rule.name: rule.series for rule in rules if not rule.unique}
    failures = frames.failing_rows(kind, shown, np.unique(rows))
    return StratError("\n".join(dict.fromkeys(lines + hints)), failures)


SENTENCES = {
    "not_nullable": "{} must not be missing, but is in {}.",
    "finite": "{} must be finite, but is infinite in {}.",
    "within": "{0} must lie within {2:.15g} and {3:.15g}, but does not in {1}.",
    "field_uniqueness": "{} must name each row once, but repeats in {}.",
}
