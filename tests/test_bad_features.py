"""Bad input to terms of features: every message word for word, over all kinds of frame."""

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

from .conftest import make
from .test_bad_input import HALVES, Make, at_fault, refuse, refuse_now

DATA = {
    "label": ["a", "b"] * 5,
    "x": [number + 0.5 for number in range(10)],
    "y": [number * number for number in range(10)],
}
TERMS = [sf.clusters, sf.chain, sf.nearest]


def name_of(term: Callable[..., Any]) -> str:
    """The term as messages show it."""
    return f"sf.{term.__name__}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "`n` must be at least 1, got 0."),
        ({"n": -2}, "`n` must be at least 1, got -2."),
        ({"n": 2.0}, "`n` must be a whole number, got 2.0."),
        ({"n": True}, "`n` must be a whole number, got True."),
        ({"n": None}, "`n` must be a whole number, got None."),
        ({"n": "many"}, "`n` of `sf.clusters` must be a whole number or 'auto', got 'many'."),
        (
            {"algorithm": "kmedoids"},
            "`algorithm` must be 'kmeans', 'minibatch', 'agglomerative' or 'dbscan',"
            " got 'kmedoids'.",
        ),
        ({"algorithm": 3}, "`algorithm` must have scikit-learn's `fit_predict`, got 3."),
        (
            {"algorithm": KMeans},
            "`algorithm` must have scikit-learn's `fit_predict`,"
            " got <class 'sklearn.cluster._kmeans.KMeans'>.\nHint: pass an object, KMeans().",
        ),
        (
            {"n": 3, "algorithm": "dbscan"},
            "`n` must be 'auto' for 'dbscan', which finds the number itself, got 3.",
        ),
        (
            {"n": 3, "algorithm": HDBSCAN()},
            "`n` must be 'auto' for an object without `n_clusters`, got 3.",
        ),
        (
            {"eps": 0.5},
            "`eps` and `min_samples` are for algorithm='dbscan', got 'kmeans'.",
        ),
        (
            {"min_samples": 5, "algorithm": HDBSCAN()},
            "`eps` and `min_samples` are for algorithm='dbscan', got HDBSCAN().",
        ),
        (
            {"eps": 0, "algorithm": "dbscan"},
            "`eps` of `sf.clusters` must be a finite number above 0, got 0.",
        ),
        (
            {"eps": float("nan"), "algorithm": "dbscan"},
            "`eps` of `sf.clusters` must be a finite number above 0, got nan.",
        ),
        (
            {"min_samples": 0, "algorithm": "dbscan"},
            "`min_samples` must be at least 1, got 0.",
        ),
        ({"seed": -1}, "`seed` must be at least 0, got -1."),
    ],
)
def test_arguments_of_clusters(arguments: dict[str, Any], message: str) -> None:
    """A wrong argument of `sf.clusters` is refused where the term is made."""
    refuse_now(message, lambda: sf.clusters(["x", "y"], **arguments))


@pytest.mark.parametrize("term", TERMS)
def test_arguments_of_all(term: Any) -> None:
    """Features are columns, each once, and scales are known."""
    verb = name_of(term)
    refuse_now(f"`features` of `{verb}` must hold at least one column, got [].", lambda: term([]))
    refuse_now(
        f"`features` of `{verb}` must hold each column once, got 'x' twice.",
        lambda: term(["x", "y", "x"]),
    )
    for scale in ("robust", 1, ["standard"]):
        refuse_now(
            f"`scale` of `{verb}` must be 'standard', 'minmax' or None, got {scale!r}.",
            lambda: term("x", scale=scale),  # noqa: B023 - called at once
        )


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize(
    "features",
    [pd.Index(["x", "y"]), np.array(["x", "y"]), {"x"}, None, [["x", "y"]], [sf.classes("x")]],
    ids=["index", "array", "set", "None", "list of lists", "terms"],
)
def test_features_that_are_none(term: Any, features: Any) -> None:
    """Features that are no columns are refused where the term is made."""
    ref = features[0] if isinstance(features, list) else features
    refuse_now(
        f"`features` of `{name_of(term)}` must be a column or a list of columns, got {ref!r}.\n"
        "Hint: several columns go in a list, as in `list(df.columns)`.",
        lambda: term(features),
    )


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (1, "`block` must be at least 2, got 1."),
        (True, "`block` must be a whole number, got True."),
        ("k", "`block` must be a whole number, got 'k'."),
    ],
)
def test_arguments_of_nearest(block: Any, message: str) -> None:
    """A block is a whole number of rows, at least 2."""
    refuse_now(message, lambda: sf.nearest("x", block))


def test_blocks_of_folds(frame: Make) -> None:
    """In folds a block has a row for each; another size is for parts and samples."""
    refuse_now(
        "`block` of `sf.nearest` must be `k` in folds, got 3 for 5 folds.\n"
        "Hint: leave it out; it is for `split` and `sample`.",
        lambda: sf.kfold(frame(DATA), ["label", sf.nearest("x", 3)]),
    )
    assert sf.kfold(frame(DATA), sf.nearest("x", 3), 3) is not None
    assert sf.split(frame(DATA), sf.nearest("x", 3), HALVES) is not None


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (
            [sf.chain("x"), "label"],
            "`sf.chain` must be the last entry of `by`, and only once, got [sf.chain(['x']),"
            " 'label'].",
        ),
        (
            [sf.chain("x"), sf.nearest(["y"])],
            "`sf.chain` or `sf.nearest` must be the last entry of `by`, and only once, got"
            " [sf.chain(['x']), sf.nearest(['y'])].",
        ),
        (
            [sf.continuous("x"), sf.chain("y")],
            "`sf.continuous` or `sf.chain` must be the last entry of `by`, and only once, got"
            " [sf.continuous('x'), sf.chain(['y'])].",
        ),
        (
            [sf.clusters(["x", "y"], 2), sf.clusters(["x", "y"], 2)],
            "`by` must hold each entry once, got sf.clusters(['x', 'y']) twice.",
        ),
        (
            ["label", sf.clusters(["x", "yy"])],
            "`by` names the column 'yy', which the frame does not have.\nHint: did you mean 'y'?",
        ),
        (
            sf.chain(("x", "y")),
            "`by` names the column ('x', 'y'), which the frame does not have.\n"
            "Hint: several columns go in a list.",
        ),
        (
            sf.chain(5),
            "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got 5.",
        ),
    ],
)
def test_entries(frame: Make, by: Any, message: str) -> None:
    """What does not combine, or is no column, is refused at the call, on lazy frames too."""
    refuse_now(message, lambda: sf.kfold(frame(DATA), by, 2))


def test_terms_of_other_arguments_are_others(frame: Make) -> None:
    """Terms of the same features that differ otherwise may stand side by side."""
    by = [sf.clusters(["x"], 2), sf.clusters(["x"], 3, name="finer"), sf.clusters(["y"], 2)]
    assert sf.kfold(frame(DATA), by, 2) is not None


COLUMNS: dict[str, Any] = {
    "text": (["p", "q"] * 5, None, None),
    "numbers as text": (["1", "2"] * 5, None, None),
    "category": (["p", "q"] * 5, "category", pl.Categorical()),
    "category of numbers": ([1, 2] * 5, "category", None),
    "date": ([dt.date(2020, 1, day) for day in range(1, 11)], None, None),
    "datetime": ([dt.datetime(2020, 1, day) for day in range(1, 11)], None, None),
    "duration": ([dt.timedelta(day) for day in range(10)], None, None),
    "complex": ([1j] * 10, None, None),
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("term", TERMS)
def test_types_of_features(kind: str, column: str, term: Any) -> None:
    """A feature that is neither number nor boolean is refused at the call, and a way out named."""
    given, pandas_type, polars_type = COLUMNS[column]
    if "polars" in kind and column in ("category of numbers", "complex"):
        pytest.skip("Polars has no such type.")
    if column == "complex" and kind != "pandas":
        pytest.skip("Only numpy has such a type.")
    frame = make(kind, {**DATA, "z": given})
    if pandas_type and "pandas" in kind:
        frame = frame.astype({"z": pandas_type})
    if polars_type and "polars" in kind:
        frame = frame.with_columns(pl.col("z").cast(polars_type))
    is_lazy = isinstance(frame, pl.LazyFrame)
    dtype = (
        frame.collect_schema()
        if is_lazy
        else dict(frame.dtypes if "pandas" in kind else frame.schema)
    )["z"]
    refuse_now(
        f"`{name_of(term)}(['x', 'z'])` needs features of numbers or booleans, but column 'z' is"
        f" {dtype}.\nHint: encode it in columns of numbers, as `pd.get_dummies` and"
        " `DataFrame.to_dummies` do.",
        lambda: sf.kfold(frame, term(["x", "z"]), 2),
    )


@pytest.mark.parametrize("term", [sf.quantiles("label", 3), sf.continuous("label")])
def test_types_of_a_lazy_frame_are_checked_at_once(term: Any) -> None:
    """A lazy frame's types are in its schema, so no data is needed to refuse them."""
    with pytest.raises(sf.StratError, match="needs numbers or dates, but column 'label' is String"):
        sf.kfold(pl.LazyFrame(DATA), term, 2)


@pytest.mark.parametrize("scale", ["standard", None])
@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("missing", ["error", "stratum", "null"])
# pandas 2.2 casts infinities to see whether a column holds integers.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_values_of_features(frame: Make, kind: str, term: Any, missing: str, scale: Any) -> None:
    """Null, NaN and infinity in features are always refused, all columns at once."""
    data = {
        "label": ["a", "b", "a", "b", "a"],
        "x": [1.5, None, float("inf"), 4, -float("inf")],
        "y": [1, 2, 3, None, 5],
        "z": [True, False, True, False, True],
    }
    error = refuse(
        "'x' must not be missing, but is in 1 row (1).\n"
        "'x' must be finite, but is infinite in 2 rows (2, 4).\n"
        "'y' must not be missing, but is in 1 row (3).\n"
        "Hint: drop these rows, or fill the gaps first.",
        lambda: sf.kfold(
            frame(data), ["label", term(["z", "x", "y"], scale=scale)], 2, missing=missing
        ),
    )
    found = at_fault(error, kind)
    assert found["row"] == [1, 2, 3, 4]
    assert found["x"] == [None, float("inf"), 4, -float("inf")]
    assert found["y"] == [2, 3, None, 5]
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("verb", [sf.strata, sf.balance])
def test_values_of_features_in_tables(frame: Make, verb: Callable[..., Any]) -> None:
    """Diagnostics refuse them too."""
    data = {"x": [1.5, None], "fold": [0, 1]}
    refuse(
        "'x' must not be missing, but is in 1 row (1).\n"
        "Hint: drop these rows, or fill the gaps first.",
        lambda: verb(frame(data), sf.clusters("x", 2)),
    )


@pytest.mark.parametrize("term", TERMS)
def test_unscaled_numbers_whose_squares_overflow(frame: Make, kind: str, term: Any) -> None:
    """Without a scale, numbers that cannot be squared are refused; with one they are fine."""
    data = {"x": [1e300, 1.0, 2.0, -1e300], "y": [1.0, 2.0, 4.0, 3.0]}
    error = refuse(
        "'x' must lie within -1e+145 and 1e+145, but does not in 2 rows (0, 3).",
        lambda: sf.kfold(frame(data), term(["x", "y"], scale=None), 2),
    )
    assert at_fault(error, kind)["row"] == [0, 3]
    assert sf.kfold(frame(data), term(["x", "y"]), 2) is not None


@pytest.mark.parametrize("term", TERMS)
def test_objects_as_features(term: Any) -> None:
    """Python objects that are numbers are features; NA is missing, and what is too large told."""
    column = pd.Series([1.5, pd.NA, 2, 3, None], dtype=object)
    refuse(
        "'x' must not be missing, but is in 2 rows (1, 4).\n"
        "Hint: drop these rows, or fill the gaps first.",
        lambda: sf.kfold(pd.DataFrame({"x": column}), term("x"), 2),
    )
    large = pd.DataFrame({"x": pd.Series([10**400, 1, 2], dtype=object)})
    refuse(
        f"`{name_of(term)}(['x'])` needs numbers that floats can hold in column 'x': int too"
        " large to convert to float.",
        lambda: sf.kfold(large, term("x"), 2),
    )


def test_computed_features_without_a_name(frame: Make, kind: str) -> None:
    """A computed feature without a name is called by its place."""
    if "polars" in kind:
        pytest.skip("Every Polars expression has a name.")
    term = sf.chain(["y", lambda df: np.array([1.0, np.nan] * 5)])
    refuse(
        "Feature 2 of entry 1 of `by` must not be missing, but is in 5 rows (1, 3, 5, 7, 9).\n"
        "Hint: drop these rows, or fill the gaps first.",
        lambda: sf.kfold(frame(DATA), term, 2),
    )


class Odd:
    """An algorithm that answers as it is told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __repr__(self) -> str:
        return "Odd()"

    def fit_predict(self, points: np.ndarray) -> Any:
        """Answer, or fail."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            ValueError("needs a hundred\nrows at least"),
            "`algorithm` must cluster every stratum, but Odd() failed on one of 10 rows:"
            " needs a hundred\nHint: it may need more rows than the smallest strata have.",
        ),
        (
            TypeError("no"),
            "`algorithm` must cluster every stratum, but Odd() failed on one of 10 rows: no\n"
            "Hint: it may need more rows than the smallest strata have.",
        ),
        (
            [0, 1],
            "`algorithm` must give every row a whole number of at least -1, got int64 of shape"
            " (2,) from Odd().",
        ),
        (
            [0.5] * 10,
            "`algorithm` must give every row a whole number of at least -1, got float64 of shape"
            " (10,) from Odd().",
        ),
        (
            [-2] * 10,
            "`algorithm` must give every row a whole number of at least -1, got int64 of shape"
            " (10,) from Odd().",
        ),
    ],
)
def test_objects_that_fail(answer: Any, message: str) -> None:
    """An object that fails, or gives no labels, is named."""
    refuse(message, lambda: sf.kfold(pd.DataFrame(DATA), sf.clusters("x", algorithm=Odd(answer))))


@pytest.mark.parametrize("term", [sf.clusters("x"), sf.chain("x"), sf.nearest("x")])
def test_no_rows(frame: Make, term: Any) -> None:
    """An empty frame is refused by what adds a column, and an empty table elsewhere."""
    message = "A frame must have rows to be dealt, got none."
    refuse(message, lambda: sf.kfold(frame({"x": []}), term))
    assert len(sf.strata(frame({"x": []}), term)) == 0
    assert len(sf.sample(frame({"x": []}), term, frac=0.5)) == 0


@pytest.mark.parametrize("term", [sf.clusters("x"), sf.chain("x"), sf.nearest("x")])
def test_fewest_rows(frame: Make, term: Any) -> None:
    """Two rows are enough for two folds."""
    out = sf.kfold(frame({"x": [1.0, 1.0]}), term, 2)
    assert out is not None
