"""`FoldSplit`: fold columns as a splitter of scikit-learn."""

import ast
import pickle
import subprocess
import sys
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, check_cv, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline

import stratframe as sf
from tests.helpers import FOLDED, ROWS, Make, make, refuse_now

NESTED = ["pandas", "polars"]
GRID = {"logisticregression__C": [0.01, 1.0]}


def nested_folds(kind: str) -> tuple[Any, list[int]]:
    rng = np.random.default_rng(0)
    data = {name: rng.normal(size=90).tolist() for name in ("a", "b")}
    labels = [int(a + b / 2 > 0) for a, b in zip(data["a"], data["b"], strict=True)]
    df = sf.kfold(make(kind, data | {"y": labels}), "y", 3, name="outer")
    df = sf.kfold(df, ["y", "outer"], 2, name="inner")
    return df.drop(["y"]) if kind == "polars" else df.drop(columns="y"), labels


def model() -> Any:
    features = make_column_transformer(("passthrough", ["a", "b"]))
    return make_pipeline(features, LogisticRegression())


def listed(pairs: Any) -> list[list[list[int]]]:
    return [[side.tolist() for side in pair] for pair in pairs]


@pytest.mark.parametrize(
    ("rule", "n_pairs"),
    [
        pytest.param({}, 1_000, id="rest"),
        pytest.param({"train": "past"}, 999, id="past"),
        pytest.param({"gap": 3}, 1_000, id="gap"),
        pytest.param({"apart": "even"}, 1_000, id="apart"),
    ],
)
def test_pairs_are_made_one_by_one(rule: dict[str, Any], n_pairs: int) -> None:
    """Pairs are made one by one, and counting them makes none."""
    n = 1_000
    even = [number % 2 if number % 500 == 0 else None for number in range(n)]
    df = pd.DataFrame({"fold": range(n), "even": even})
    splitter = sf.FoldSplit(**rule)
    splitter.get_n_splits(df)  # what is imported when first needed

    for count in (lambda: sum(1 for _ in splitter.split(df)), lambda: splitter.get_n_splits(df)):
        tracemalloc.start()
        assert count() == n_pairs
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < n * n  # all pairs are four or eight times as much


@pytest.mark.parametrize("kind", NESTED)
def test_folds_from_groups(kind: str) -> None:
    """Folds that `X` does not have come from `groups`: a column, a frame, an array or a list."""
    df = make(kind, FOLDED)
    other = make(kind, ROWS)
    array = np.zeros((10, 2))
    splitter = sf.FoldSplit("fold")
    expected = listed(sf.cv(df))
    column = df["fold"]
    for groups in (column, df, column.to_numpy(), column.to_list()):
        for data in (array, array.tolist(), other, None):
            assert listed(splitter.split(data, groups=groups)) == expected
            assert splitter.get_n_splits(data, None, groups) == 2
    unnamed = column.rename("") if kind == "polars" else column.rename(None)
    assert listed(sf.FoldSplit("other").split(array, groups=unnamed)) == expected
    assert listed(splitter.split(df, groups=df["id"])) == expected


def test_groups_with_gaps() -> None:
    """Folds in a list or array may be None or NaN."""
    for groups in ([0, 1, None], np.array([0, 1, np.nan]), np.array([0, 1, None])):
        pairs = sf.FoldSplit(nulls="train").split(np.zeros(3), groups=groups)
        assert listed(pairs) == [[[1, 2], [0]], [[0, 2], [1]]]


def test_is_a_cross_validator() -> None:
    """scikit-learn takes it for one of its own, passes it on as it is, and copies it whole."""
    splitter = sf.FoldSplit("fold", train=["a"], valid="b", apart=["site", "time"])
    assert check_cv(splitter) is splitter
    search = GridSearchCV(model(), {}, cv=splitter)
    assert search.get_params()["cv"] is splitter
    assert search.set_params(cv=splitter).cv is splitter
    pickled = pickle.loads(pickle.dumps(splitter))
    for copy in (pickled, clone(splitter, safe=False), clone(search).cv):
        assert type(copy) is sf.FoldSplit
        assert vars(copy) == vars(splitter)


def test_repr_is_the_call() -> None:
    """The text of a splitter is the call that makes it."""
    splitter = sf.FoldSplit("fold", train=["a"], valid="b", apart=["site", "time"])

    call = ast.parse(repr(splitter), mode="eval").body

    assert isinstance(call, ast.Call)
    assert ast.unparse(call.func) == "FoldSplit"
    arguments = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    assert vars(sf.FoldSplit(**arguments)) == vars(splitter)


def test_scikit_learn_is_imported_when_it_is_needed() -> None:
    """scikit-learn is imported when `FoldSplit` is first named."""
    code = """
import sys
import stratframe as sf
assert "FoldSplit" in dir(sf) and "sklearn" not in sys.modules
splitter = sf.FoldSplit
assert "sklearn" in sys.modules
from sklearn.model_selection import BaseCrossValidator
assert issubclass(splitter, BaseCrossValidator)
from stratframe import FoldSplit
assert FoldSplit is splitter
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    message = r"^module 'stratframe' has no attribute 'FoldSplits'$"
    with pytest.raises(AttributeError, match=message):
        _ = sf.FoldSplits


def test_the_request_of_groups() -> None:
    """Where scikit-learn routes metadata, `groups` go by the request, as to its own splitters."""
    df, labels = nested_folds("pandas")
    features = df[["a", "b"]].to_numpy()
    expected = cross_val_score(LogisticRegression(), features, labels, cv=sf.cv(df, "outer"))
    with sklearn.config_context(enable_metadata_routing=True):
        splitter = sf.FoldSplit("outer")
        assert splitter.set_split_request(groups="folds") is splitter
        for cv in (splitter, clone(splitter, safe=False), pickle.loads(pickle.dumps(splitter))):
            routed = {"cv": cv, "params": {"folds": df["outer"]}}
            found = cross_val_score(LogisticRegression(), features, labels, **routed)
            assert (found == expected).all()
        for request in (True, False, None, "folds"):
            both = sf.FoldSplit(), sklearn.model_selection.GroupKFold()
            asked = [each.set_split_request(groups=request) for each in both]
            ours, theirs = (each.get_metadata_routing().split.requests for each in asked)
            assert ours == theirs


@pytest.mark.parametrize("kind", NESTED)
def test_nested_search(kind: str) -> None:
    """The inner search reads its column in every outer training set, also if groups are routed."""
    df, labels = nested_folds(kind)
    search = GridSearchCV(model(), GRID, cv=sf.FoldSplit("inner"))
    outer = sf.FoldSplit("outer")
    found = cross_validate(search, df, labels, cv=outer, return_estimator=True, error_score="raise")
    folds = zip(sf.folds(df, "outer"), sf.cv(df, "outer"), strict=True)
    for place, (fold, (train, test)) in enumerate(folds):
        inner = GridSearchCV(model(), GRID, cv=sf.cv(fold.train, "inner"))
        inner.fit(fold.train, np.take(labels, train))
        fitted = found["estimator"][place]
        assert fitted.n_splits_ == 2
        for score in ("split0_test_score", "split1_test_score"):
            assert fitted.cv_results_[score].tolist() == inner.cv_results_[score].tolist()
        assert found["test_score"][place] == inner.score(fold.valid, np.take(labels, test))
    with sklearn.config_context(enable_metadata_routing=True):
        groups = {"groups": df["outer"].to_numpy()}
        routed = cross_val_score(search, df, labels, cv=outer, params=groups)
    assert (routed == found["test_score"]).all()


INSIDE = """`cross_val_score(..., params={"groups": df['inner']})`."""
DIRECT = "`cross_val_score(..., groups=df['inner'])` or, for a search inside it, as in "


@pytest.mark.parametrize(
    ("routing", "calls"),
    [
        pytest.param(False, DIRECT + INSIDE, id="plain"),
        pytest.param(True, INSIDE, id="metadata_routing"),
    ],
)
def test_the_hint_of_a_nested_search(routing: bool, calls: str) -> None:
    """A column that is not in `X` is refused with the calls that pass it in `groups`."""
    df, labels = nested_folds("pandas")
    search = GridSearchCV(model(), GRID, cv=sf.FoldSplit("inner"), error_score="raise")
    outer: dict[str, Any] = {"cv": sf.cv(df, "outer"), "error_score": "raise"}

    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.raises(sf.StratError) as caught,
    ):
        cross_val_score(search, df[["a", "b"]], labels, **outer)

    assert str(caught.value).endswith(f"`FoldSplit` also looks in `groups`, as in {calls}")


@pytest.mark.parametrize("routing", [False, True])
def test_the_hint_for_a_search_works(routing: bool) -> None:
    """With the column in `params`, a search scores as if it were in `X`."""
    df, labels = nested_folds("polars")
    search = GridSearchCV(model(), {}, cv=sf.FoldSplit("inner"))
    outer = sf.cv(df, "outer")
    expected = cross_val_score(search, df, labels, cv=outer)

    with sklearn.config_context(enable_metadata_routing=routing):
        params = {"groups": df["inner"]}
        scores = cross_val_score(search, df[["a", "b"]], labels, cv=outer, params=params)

    assert (scores == expected).all()


@pytest.mark.parametrize(
    ("routing", "options_of"),
    [
        pytest.param(False, lambda folds: {"groups": folds}, id="groups"),
        pytest.param(True, lambda folds: {"params": {"groups": folds}}, id="metadata_routing"),
    ],
)
def test_the_hint_for_a_model_works(routing: bool, options_of: Any) -> None:
    """Folds that are not in `X` may be passed to `cross_val_score` itself."""
    df, labels = nested_folds("polars")

    with sklearn.config_context(enable_metadata_routing=routing):
        options = options_of(df["inner"])
        splitter = sf.FoldSplit("inner")
        scores = cross_val_score(model(), df[["a", "b"]], labels, cv=splitter, **options)

    assert len(scores) == 2


@pytest.mark.parametrize("kind", NESTED)
def test_columns_of_repeats(kind: str) -> None:
    """A name without a column means the columns that `repeats` made, in `X` or in `groups`."""
    df = sf.kfold(make(kind, ROWS), k=2, repeats=3)
    names = ["fold_1", "fold_2", "fold_3"]
    array = np.zeros((10, 1))
    expected = listed(sf.cv(df, names))
    splitter = sf.FoldSplit("fold")
    for data, groups in ((df, None), (array, df), (df, array[:, 0]), (df[["id"]], df[names])):
        assert listed(splitter.split(data, groups=groups)) == expected
        assert splitter.get_n_splits(data, None, groups) == 6
    own = make(kind, FOLDED)["fold"]
    assert listed(splitter.split(df, groups=own)) == listed(sf.cv(make(kind, FOLDED)))


@pytest.mark.parametrize(
    "cv_of",
    [
        pytest.param(lambda df: df.strat.folds(), id="frames"),
        pytest.param(lambda df: df.strat.folds, id="method_of_frames"),
        pytest.param(lambda df: df.strat.cv, id="method"),
        pytest.param(lambda df: sf.cv, id="function"),
    ],
)
def test_folds_that_hold_no_positions(cv_of: Any) -> None:
    """Frames, and a method that is not called, are answered with the call that gives positions."""
    df, labels = nested_folds("pandas")
    df = df.rename(columns={"outer": "fold"})
    message = (
        "scikit-learn's `cv` needs row positions, but got frames, or a method without its"
        " parentheses.\nHint: `cv=df.strat.cv()`."
    )
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            refuse_now(message, lambda: cross_val_score(model(), df, labels, cv=cv_of(df)))
            refuse_now(message, lambda: GridSearchCV(model(), {}, cv=cv_of(df)).fit(df, labels))


def test_columns_that_are_not_there(frame: Make) -> None:
    """A column that is not there is refused, and the error says where else it may be."""
    splitter = sf.FoldSplit("flod")
    message = (
        "`name` names the column 'flod', which the frame does not have.\n"
        "Hint: did you mean 'fold'? If not, add the column first, as in"
        " `df.strat.kfold(..., name='flod')` or `split`. `FoldSplit` also looks in `groups`, as in"
        " `cross_val_score(..., groups=df['flod'])` or, for a search inside it, as in"
        " `cross_val_score(..., params={\"groups\": df['flod']})`."
    )

    refuse_now(message, lambda: splitter.split(frame(FOLDED)))
    refuse_now(message, lambda: splitter.get_n_splits(frame(FOLDED)))


FIND = "`FoldSplit` must find the column 'fold' in `X` or `groups`, got"
PASS = (
    "\nHint: pass a frame with the column, or the folds, as in `cross_val_score(...,"
    " groups=df['fold'])` or, for a search inside it, as in `cross_val_score(...,"
    " params={\"groups\": df['fold']})`."
)


@pytest.mark.parametrize(
    ("data", "groups", "message"),
    [
        pytest.param(
            np.zeros((4, 1)), None, f"{FIND} ndarray and NoneType.{PASS}", id="array_alone"
        ),
        pytest.param(
            None,
            pd.DataFrame({"a": [1]}),
            f"{FIND} NoneType and DataFrame.{PASS}",
            id="frame_without_the_column",
        ),
        pytest.param(
            np.zeros((2, 1)),
            pd.Series([0, 1], name="patient"),
            "`groups` must be the fold column 'fold' where `X` does not have it, got"
            " 'patient'.\n"
            "Hint: pass a frame as `groups` if several splitters read different columns.",
            id="series_of_another_name",
        ),
        pytest.param(
            np.zeros((2, 1)),
            np.zeros((2, 2)),
            "Folds must be a column, got an array of shape (2, 2).",
            id="table",
        ),
        pytest.param(
            None,
            [0, [1, 2]],
            "Folds must be a column, got [0, [1, 2]].",
            id="lists_among_the_folds",
        ),
        pytest.param(
            None,
            range(2, 10**15),
            "Folds must be a column, got range of 999,999,999,999,998 values.",
            id="range",
        ),
    ],
)
def test_folds_that_are_not_found(data: Any, groups: Any, message: str) -> None:
    """Groups that are no folds are refused, whether patients or no column at all."""
    refuse_now(message, lambda: sf.FoldSplit("fold").split(data, groups=groups))


@pytest.mark.parametrize(("data", "error"), [(np.zeros((4, 1)), ValueError), (3, TypeError)])
def test_folds_of_other_rows(data: Any, error: type[Exception]) -> None:
    """Folds of another number of rows are refused by scikit-learn itself."""
    with pytest.raises(error):
        sf.FoldSplit("fold").split(data, groups=[0, 1, 0])


def test_scikit_learn_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra; the package itself does not import scikit-learn."""
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with pytest.raises(ImportError) as caught:
        sf.FoldSplit("fold")
    assert str(caught.value) == 'sklearn is not installed: pip install "stratframe[sklearn]"'
