"""What is no entry of `by`: the message of each, on rows in which nothing is wrong."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.errors
import polars as pl
import pytest
from sklearn.cluster import HDBSCAN, KMeans

import stratframe as sf
from tests.helpers import Make, at_fault, refuse, refuse_now
from tests.terms.clouds import FEATURE_ROWS

BY = "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got "
ONCE = "`by` must hold each entry once, got "
NO_COLUMN = "which the frame does not have.\nHint: "
LAST = "must come last in `by`, and must occur only once, got "
NAN = float("nan")
BINS = "`n` of `sf.quantiles` must be a whole number of at least 2, got "
EDGES = "`edges` of `sf.bins` must be "
INCREASING = f"{EDGES}at least 2 increasing numbers, got "
TWELVE = ".\nHint: `sf.quantiles('x', 12)` makes 12 bins."
NAME = "`name` of `sf.classes` must be"
FEATURES = "`features` of `sf.chain` must be a column or a list of columns, got "
LIST = "\nHint: several columns go in a list, as in `list(df.columns)`."
SCALE = "must be 'standard', 'minmax' or None, got "
ALGORITHM = "`algorithm` must have a `fit_predict` method, got "
AUTO = "`n` must be 'auto' for "
EPS = "`eps` of `sf.clusters` must be a finite number above 0, got "
MARGINS = "`sf.margins` must hold entries that define strata, got "
CUT = "\nHint: `sf.quantiles` cuts a continuous column into bins."
REFUSED: list[Any] = [
    # Entries and their order.
    (list, "`by` must hold at least one entry, got []."),
    (lambda: [["label"]], f"{BY}['label']."),
    (lambda: True, f"{BY}True."),
    (lambda: sf.chain(5), f"{BY}5.\nHint: `by` comes first; pass the number of folds as `k=5`."),
    (lambda: ["label", "y", "label"], f"{ONCE}'label' twice."),
    (lambda: [sf.clusters("x", 2), sf.clusters("x", 2)], f"{ONCE}sf.clusters(['x']) twice."),
    (lambda: [sf.continuous("x"), "y"], f"`sf.continuous` {LAST}[sf.continuous('x'), 'y']."),
    (
        lambda: [sf.continuous("x"), sf.nearest("y")],
        f"`sf.continuous` or `sf.nearest` {LAST}[sf.continuous('x'), sf.nearest(['y'])].",
    ),
    (
        lambda: ["label", sf.classes("zzz")],
        f"`by` names the column 'zzz', {NO_COLUMN}the columns are 'label', 'x', 'y', 1.",
    ),
    (
        lambda: sf.chain(("x", "y")),
        f"`by` names the column ('x', 'y'), {NO_COLUMN}several columns go in a"
        ' list: `["x", "y"]`.',
    ),
    (lambda: sf.classes("x", name=[]), f"{NAME} a valid column name, got []."),
    (lambda: sf.classes("x", name="\ud800"), rf"{NAME} text that UTF-8 can encode, got '\ud800'."),
    # Quantiles and bins.
    (lambda: sf.quantiles("x", 1), f"{BINS}1."),
    (lambda: sf.quantiles("x", True), f"{BINS}True."),
    (lambda: sf.quantiles("x", 2.5), f"{BINS}2.5."),
    (
        lambda: sf.quantiles("x", 10**7),
        "`n` of `sf.quantiles` must not exceed 1,000,000 bins, got 10,000,000.",
    ),
    (lambda: sf.bins("x", [1]), f"{INCREASING}[1]."),
    (lambda: sf.bins("x", [1, 1]), f"{INCREASING}[1, 1]."),
    (lambda: sf.bins("x", [0, NAN, 2]), f"{INCREASING}[0, nan, 2]."),
    (lambda: sf.bins("x", [0, None]), f"{INCREASING}[0, None]."),
    (lambda: sf.bins("x", 1), f"{INCREASING}1."),
    (lambda: sf.bins("x", 12), f"{INCREASING}12{TWELVE}"),
    (
        lambda: sf.bins("x", [0, 10**400]),
        f"{EDGES}numbers that floats can hold, got [0, about 10**400].",
    ),
    (
        lambda: sf.bins("x", [0], closed="no"),
        "`closed` of `sf.bins` must be 'right' or 'left', got 'no'.",
    ),
    # Features.
    (lambda: sf.chain([]), "`features` of `sf.chain` must hold at least one column, got []."),
    (
        lambda: sf.chain(["x", "x"]),
        "`features` of `sf.chain` must hold each column once, got 'x' twice.",
    ),
    (lambda: sf.chain({"x"}), f"{FEATURES}{{'x'}}.{LIST}"),
    (lambda: sf.chain(None), f"{FEATURES}None.{LIST}"),
    (lambda: sf.chain([sf.classes("x")]), f"{FEATURES}sf.classes('x').{LIST}"),
    (lambda: sf.clusters("x", scale="robust"), f"`scale` of `sf.clusters` {SCALE}'robust'."),
    (lambda: sf.chain("x", scale=1), f"`scale` of `sf.chain` {SCALE}1."),
    (lambda: sf.nearest("x", 1), "`block` must be at least 2, got 1."),
    (
        lambda: sf.nearest("x", 3),
        "`block` of `sf.nearest` must equal `k`, got 3 for 2 folds.\nHint: leave"
        " out `block`, which is meant for `split` and `sample`.",
    ),
    # Clusters.
    (lambda: sf.clusters("x", 0), "`n` must be at least 1, got 0."),
    (
        lambda: sf.clusters("x", "no"),
        "`n` of `sf.clusters` must be a whole number or 'auto', got 'no'.",
    ),
    (
        lambda: sf.clusters("x", algorithm="no"),
        "`algorithm` must be 'kmeans', 'minibatch', 'agglomerative' or 'dbscan', got 'no'.",
    ),
    (lambda: sf.clusters("x", algorithm=3), f"{ALGORITHM}3."),
    (
        lambda: sf.clusters("x", algorithm=KMeans),
        f"{ALGORITHM}<class 'sklearn.cluster._kmeans.KMeans'>.\nHint: pass `KMeans()`.",
    ),
    (
        lambda: sf.clusters("x", 3, algorithm=HDBSCAN()),
        f"{AUTO}an object without `n_clusters`, got 3.",
    ),
    (
        lambda: sf.clusters("x", min_samples=5, algorithm=HDBSCAN()),
        "`eps` and `min_samples` require algorithm='dbscan', got HDBSCAN().",
    ),
    (
        lambda: sf.clusters("x", algorithm="dbscan", n=3),
        f"{AUTO}'dbscan', which finds the number itself, got 3.",
    ),
    (lambda: sf.clusters("x", algorithm="dbscan", eps=0), f"{EPS}0."),
    (lambda: sf.clusters("x", algorithm="dbscan", eps=NAN), f"{EPS}nan."),
    (
        lambda: sf.clusters("x", algorithm="dbscan", min_samples=0),
        "`min_samples` must be at least 1, got 0.",
    ),
    (lambda: sf.clusters("x", seed=-1), "`seed` must be at least 0, got -1."),
    # Margins.
    (lambda: sf.margins([]), "`sf.margins` must hold a list of entries, got []."),
    (lambda: sf.margins([sf.chain("x")]), f"{MARGINS}`sf.chain`.{CUT}"),
    (lambda: sf.margins([sf.margins(["x"])]), f"{MARGINS}`sf.margins`.{CUT}"),
    (lambda: sf.margins(["y", "y"]), "`sf.margins` must hold each entry once, got 'y' twice."),
    (
        lambda: ["x", sf.margins(["y"])],
        "`sf.margins` must be the only entry of `by`, got ['x', sf.margins(['y'])].",
    ),
]
"""What is no `by`; the frame has a column 1, which True is not."""
FILL = "Hint: drop these rows, or fill the missing values first;"
FILL += ' in `kfold`, `missing="null"` leaves the fold of these rows null.'
TEXT = ["p", "q"] * 5
DAYS = [dt.date(2020, 1, day) for day in range(1, 11)]
ENCODE = "\nHint: encode it as numeric columns, as `pd.get_dummies` and `DataFrame.to_dummies` do."
AS_FEATURES = "numbers, booleans or vectors as features"
BINNED = sf.bins("z", [0, 1])
CHAIN = sf.chain(["x", "z"])
TYPES: list[tuple[Any, Any, str, str]] = [
    (pd.Series(TEXT, dtype=object), sf.continuous("z"), "numbers or dates", ""),
    (pl.Series(TEXT), sf.quantiles("z", 5), "numbers or dates", ""),
    (pl.Series(TEXT, dtype=pl.Categorical), BINNED, "numbers or dates", ""),
    (pd.Series(DAYS), BINNED, "numbers", "\nHint: `sf.quantiles` takes dates."),
    (pl.Series(DAYS), CHAIN, AS_FEATURES, ENCODE),
    (pd.Series([1] * 10, dtype="category"), CHAIN, AS_FEATURES, ENCODE),
]
"""Columns, terms that do not take their type, what these need, and a way out."""


@pytest.mark.parametrize(("make_by", "message"), REFUSED)
def test_by(make_by: Callable[[], Any], message: str) -> None:
    """What is no entry of `by`, or cannot be with others, is refused at the call."""
    df = pd.DataFrame({**FEATURE_ROWS, 1: 0})
    refuse_now(message, lambda: sf.kfold(df, make_by(), 2))


@pytest.mark.parametrize(
    ("column", "term", "needed", "hint"),
    TYPES,
    ids=[f"{term.function}_of_{column.dtype}" for column, term, *_ in TYPES],
)
def test_types_of_columns(column: Any, term: Any, needed: str, hint: str) -> None:
    """A column of a type that a term cannot take is refused at the call."""
    frame = (pd if isinstance(column, pd.Series) else pl).DataFrame({**FEATURE_ROWS, "z": column})
    message = f"`{term}` needs {needed}, but column 'z' is {column.dtype}.{hint}"
    refuse_now(message, lambda: sf.kfold(frame, term, 2))


@pytest.mark.parametrize(
    ("term", "missing"), [(sf.clusters, "error"), (sf.chain, "stratum"), (sf.nearest, "null")]
)
def test_values_of_features(frame: Make, kind: str, term: Any, missing: str) -> None:
    """Null, NaN and infinity in features are refused at once; rows of nulls may have no fold."""
    data: dict[str, list[Any]] = {"label": [*"ababa"], "y": [1, 2, 3, None, 5]}
    data |= {"x": [1.5, None, np.inf, 4, -np.inf], "z": [True, False, True, False, True]}
    infinite = "Column 'x' has infinite values in 2 rows (2, 4)."
    both = f"Column 'x' has missing values in 1 row (1).\n{infinite}\n"
    both += f"Column 'y' has missing values in 1 row (3).\n{FILL}"
    message, rows = (infinite, [2, 4]) if missing == "null" else (both, [1, 2, 3, 4])
    by = ["label", term(["z", "x", "y"])]
    error = refuse(message, lambda: sf.kfold(frame(data), by, 2, missing=missing))
    found = at_fault(error, kind)
    assert found["row"] == rows
    for name in ("x", "y"):
        assert found[name] == [data[name][row] for row in rows]
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)
    message = f"Column 'x' has missing values in 1 row (1).\n{FILL}"
    refuse(message, lambda: sf.report(frame({"x": [1.5, None], "fold": [0, 1]}), term("x")))


def test_unscaled_numbers_whose_squares_overflow(frame: Make, kind: str) -> None:
    """Without a scale, numbers that cannot be squared are refused; with one they are fine."""
    df = frame({"x": [1e300, 1.0, 2.0, -1e300], "y": [1.0, 2.0, 4.0, 3.0]})
    message = "Column 'x' has values outside -1e+145 to 1e+145 in 2 rows (0, 3)."
    error = refuse(message, lambda: sf.kfold(df, sf.chain(["x", "y"], scale=None), 2))
    assert at_fault(error, kind)["row"] == [0, 3]
    assert sf.kfold(df, sf.chain(["x", "y"]), 2) is not None


def test_objects_as_features() -> None:
    """Python objects that are numbers are features; NA is missing, and a huge one is an error."""
    message = "`sf.chain(['x'])` cannot read the numbers in column 'x' as floats: int too large to"
    rules: dict[str, list[Any]] = {f"{message} convert to float.": [10**400, 1, 2]}
    rules[f"Column 'x' has missing values in 2 rows (1, 4).\n{FILL}"] = [1.5, pd.NA, 2, 3, None]
    for rule, objects in rules.items():
        df = pd.DataFrame({"x": pd.Series(objects, dtype=object)})
        refuse(rule, lambda df=df: sf.kfold(df, sf.chain("x"), 2))


def test_computed_features_without_a_name() -> None:
    """A computed feature without a name is called by its place."""
    term = sf.chain(["y", lambda df: [1.0, float("nan")] * 5])
    rule = f"Feature 2 of entry 1 of `by` has missing values in 5 rows (1, 3, 5, 7, 9).\n{FILL}"
    refuse(rule, lambda: sf.kfold(pd.DataFrame(FEATURE_ROWS), term, 2))


def test_margins(frame: Make, kind: str) -> None:
    """Margins with missing values are refused, and so are all margins where rows have an order."""
    df = frame({"a": [1, None, 0, 1], "b": ["x", "y", "x", None]})
    by = sf.margins(["a", "b"])
    rule = "Column 'a' has missing values in 1 row (1).\nColumn 'b' has missing values in 1 row"
    rule += ' (3).\nHint: `missing="stratum"` makes missing values a stratum of their own; in'
    rule += ' `kfold`, `missing="null"` leaves the fold of these rows null.'
    assert at_fault(refuse(rule, lambda: sf.kfold(df, by, 2)), kind)["row"] == [1, 3]
    for deal in ("circular", "contiguous"):
        clash = f'`sf.margins` cannot be combined with `deal="{deal}"`: margins have no row order.'
        refuse(clash, lambda deal=deal: sf.kfold(df, by, 2, deal=deal))
    message = "`sample` does not support `sf.margins` in `by`."
    refuse(message, lambda: sf.sample(df, by, n=2))
