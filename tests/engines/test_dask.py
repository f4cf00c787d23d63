"""Folds and parts of Dask frames are those of pandas, whatever the partitions."""

import inspect
import warnings
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import stratframe as sf
from tests.test_golden import DATA, PARTS

dask = pytest.importorskip("dask", reason='needs pip install "stratframe[dask]"')
dd = pytest.importorskip("dask.dataframe", reason='needs pip install "stratframe[dask]"')

import stratframe.dask  # noqa: E402 - registers .strat on Dask frames
from stratframe.dask import DaskStrat  # noqa: E402
from stratframe.engines import dask_passes  # noqa: E402

pytestmark = pytest.mark.dask


@pytest.fixture(autouse=True)
def _one_thread():
    """Compute without threads and processes, and leave text as pandas has it."""
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        yield


def partitioned(frame: pd.DataFrame, cuts: list[int]) -> Any:
    """Cut a frame into partitions at some rows; equal cuts make empty partitions."""
    edges = [0, *sorted(cuts), len(frame)]
    pieces = [frame.iloc[a:b] for a, b in pairwise(edges)]
    return dd.from_map(lambda place: pieces[place], range(len(pieces)), meta=frame.iloc[:0])


N = len(DATA["id"])
FRAME = pd.DataFrame(DATA).assign(
    kind=pd.Categorical(["xyzx"[i % 4] for i in range(N)], categories=["z", "y", "x", "w"]),
    day=[date(2024, 1, 1 + i % 5) for i in range(N)],
    time=pd.to_datetime([datetime(2024, 1, 1, i % 24, i) for i in range(N)]),
    name=[f"row {i * 7 % N}" for i in range(N)],
    whole=[float(i % 3) if i % 7 else None for i in range(N)],
    some=[i % 5 > 0 for i in range(N)],
    half=[i * 31 % N / 2 for i in range(N)],
)

BY = [
    None,
    "label",
    ["label", "sex"],
    ["sex", "label"],
    ["kind", "day", "label"],
    ["whole", "kind"],
    [sf.classes("half")],
    sf.bins("age", [0, 18, 65, 120]),
    sf.quantiles("price", 4),
    ["label", sf.quantiles("age", 3)],
    [sf.quantiles("half", 3), "sex", sf.quantiles("time", 2), "label"],
    ["sex", sf.quantiles("whole", 3)],
    [sf.bins("price", [0, 50, 126], closed="left"), "label", "sex"],
]

KEYS = ["id", "name", "time", "half", ["day", "id"]]

CALLS = [
    {},
    {"repeats": 3},
    {"seed": 7, "name": "inner"},
    {"where": "some"},
    {"where": lambda df: df["age"] > 20},
    {"rare": "null"},
    {"rare": "pool"},
    {"missing": "null"},
]


def heard(call):
    """Return the result of a call, and the words of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", sf.StratWarning)
        result = call()
    return result, [str(each.message) for each in caught]


def columns_of(frame: Any) -> dict[str, list[Any]]:
    """List the columns that a call added, None where missing."""
    new = [name for name in frame.columns if name not in FRAME.columns]
    return {name: [None if pd.isna(x) else x for x in frame[name].tolist()] for name in new}


@given(
    st.sampled_from(BY),
    st.sampled_from(KEYS),
    st.sampled_from(CALLS),
    st.lists(st.integers(0, N), max_size=6),
    st.permutations(range(N)),
    st.integers(2, 6),
)
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_folds_are_those_of_pandas(by, key, call, cuts, order, k):
    """With a key no partitioning and no order of the rows changes a fold."""
    options = {"missing": "stratum", "rare": "ignore", "key": key, **call}
    expected, warned = heard(lambda: sf.kfold(FRAME, by, k, **options))
    shuffled = partitioned(FRAME.iloc[list(order)], cuts)
    result, words = heard(lambda: shuffled.strat.kfold(by, k, **options))
    assert columns_of(result.compute()) == columns_of(expected.iloc[list(order)])
    assert words == warned


@given(
    st.sampled_from(BY),
    st.sampled_from([PARTS, {"a": 20, "b": None}, 0.3]),
    st.lists(st.integers(0, N), max_size=4),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_parts_are_those_of_pandas(by, parts, cuts):
    """With a key parts are those of pandas, categories included."""
    options = {"missing": "stratum", "rare": "ignore", "key": "id"}
    expected, _ = heard(lambda: sf.split(FRAME, by, parts, **options))
    result, _ = heard(lambda: partitioned(FRAME, cuts).strat.split(by, parts, **options))
    assert_frame_equal(result.compute(), expected)


def test_folds_are_those_of_polars():
    """The folds of pandas, Polars, Polars lazy and Dask are the same."""
    data = FRAME[["id", "label", "sex"]]
    options = {"key": "id", "missing": "stratum", "rare": "ignore"}
    polars = sf.kfold(pl.from_pandas(data), ["label", "sex"], **options)["fold"].to_list()
    lazy = sf.kfold(pl.from_pandas(data).lazy(), ["label", "sex"], **options)
    frame = dd.from_pandas(data, npartitions=4).strat.kfold(["label", "sex"], **options)
    assert polars == lazy.collect()["fold"].to_list() == frame["fold"].compute().tolist()


@pytest.mark.parametrize("repeats", [1, 2])
def test_many_strata_and_rows(repeats):
    """Large and small strata get the folds of pandas, in the thousands."""
    rng = np.random.default_rng(0)
    n = 30_000
    frame = pd.DataFrame(
        {
            "id": rng.permutation(n),
            "a": rng.integers(0, 80, n).astype(str),
            "b": np.minimum(rng.integers(0, 60, n), 25),
        }
    )
    options = {"key": "id", "rare": "ignore", "repeats": repeats}
    expected = sf.kfold(frame, ["a", "b"], 7, **options)
    result = dd.from_pandas(frame, npartitions=20).strat.kfold(["a", "b"], 7, **options)
    assert_frame_equal(result.compute(), expected.astype({"a": result.dtypes["a"]}))


def test_categories_may_differ_from_one_partition_to_the_next():
    """A column of classes that Dask does not know the categories of has those of its rows."""
    labels = ["a", "b", "b", "c"] * 5
    frame = pd.DataFrame({"id": range(20), "label": labels})
    pieces = [frame[:7].astype({"label": "category"}), frame[7:].astype({"label": "category"})]
    pieces[1]["label"] = pieces[1]["label"].cat.reorder_categories(["c", "a", "b"])
    meta = dd.utils.clear_known_categories(pieces[0].iloc[:0])
    lazy = dd.from_map(lambda place: pieces[place], [0, 1], meta=meta)
    result = lazy.strat.kfold("label", 2, key="id")["fold"].compute()
    assert result.tolist() == sf.kfold(frame, "label", 2, key="id")["fold"].tolist()


def test_partitions_index_and_types_stay():
    """Only a column is added: divisions, index, order and the types of others stay."""
    frame = FRAME.set_index("id").sort_index().assign(id=range(N))
    lazy = dd.from_pandas(frame, npartitions=5)
    result = lazy.strat.kfold("label", key="id")
    assert result.divisions == lazy.divisions
    assert result.npartitions == lazy.npartitions
    assert result.dtypes[:-1].equals(lazy.dtypes)
    assert result.dtypes["fold"] == np.int64
    assert_frame_equal(result.compute().drop(columns="fold"), lazy.compute())
    pd.testing.assert_index_equal(result.partitions[2].compute().index, frame.index[24:36])


def test_types_are_known_before_the_rows():
    """Folds that may be null are Int64, and parts a categorical, before anything is computed."""
    lazy = dd.from_pandas(FRAME, npartitions=3)
    assert lazy.strat.kfold("label", key="id", where="some").dtypes["fold"] == "Int64"
    parted = lazy.strat.split("label", PARTS, key="id")
    assert parted["split"].cat.categories.tolist() == list(PARTS)


def test_without_a_key_partitions_decide():
    """Without a key the same partitions have the same folds, as even as any."""
    lazy = partitioned(FRAME, [10, 10, 35])
    first, again = (
        lazy.strat.kfold(["label", "sex"], 4, missing="stratum", rare="ignore") for _ in range(2)
    )
    folds = first["fold"].compute()
    assert folds.tolist() == again["fold"].compute().tolist()
    tables = [pd.crosstab(FRAME[by].fillna("?"), folds) for by in ("label",)]
    tables.append(folds.value_counts().to_frame().T)
    assert all((table.max(axis=1) - table.min(axis=1)).max() <= 1 for table in tables)
    other = lazy.strat.kfold(["label", "sex"], 4, missing="stratum", rare="ignore", seed=1)
    assert other["fold"].compute().tolist() != folds.tolist()


def test_a_column_may_be_replaced():
    """`overwrite=True` replaces a fold column."""
    lazy = dd.from_pandas(FRAME.assign(fold=0), npartitions=3)
    result = lazy.strat.kfold("label", key="id", overwrite=True).compute()
    assert_frame_equal(result, sf.kfold(FRAME.assign(fold=0), "label", key="id", overwrite=True))
    with pytest.raises(sf.StratError, match="'fold'"):
        lazy.strat.kfold("label", key="id")


def test_functions_are_the_methods():
    """Every method of `.strat` is a function that takes the frame first."""
    lazy = dd.from_pandas(FRAME, npartitions=3)
    by_method = lazy.strat.kfold("label", key="id")["fold"].compute()
    by_function = lazy.pipe(stratframe.dask.kfold, "label", key="id")["fold"].compute()
    assert by_method.tolist() == by_function.tolist()


def test_methods_are_called_and_documented_as_their_functions():
    """Signatures and docstrings are those of the functions, without the frame."""
    methods = {name: each for name, each in vars(DaskStrat).items() if not name.startswith("_")}
    assert sorted(methods) == sorted(stratframe.dask.__all__)
    for name, method in methods.items():
        function = getattr(stratframe.dask, name)
        expected = list(inspect.signature(function).parameters.values())[1:]
        assert list(inspect.signature(method).parameters.values())[1:] == expected, name
        page = inspect.getdoc(function).replace("frame : dask.dataframe.DataFrame\n", "", 1)
        assert inspect.getdoc(method).split("\n")[0] == page.split("\n")[0]
        assert "frame :" not in inspect.getdoc(method)


def test_all_arguments_reach_the_function():
    """Every method hands on each argument."""
    lazy = partitioned(FOLDED, [20])
    calls = {
        "kfold": {"by": "label", "k": 3, "key": "id", "seed": 3, "name": "f", "repeats": 2},
        "split": {"by": "label", "parts": PARTS, "key": "id", "seed": 3, "name": "f"},
        "plan": {"by": "label", "k": 3, "key": "id", "seed": 3, "rare": "ignore"},
        "extend": {"by": "label", "k": 4, "seed": 3, "rare": "ignore"},
        "strata": {"by": "label"},
        "balance": {"by": "label", "name": "plain"},
        "report": {"by": "label", "name": "plain"},
        "audit": {"name": "plain", "by": "label", "groups": "sex", "key": "id", "nulls": "drop"},
    }
    for name, options in calls.items():
        found = [
            getattr(lazy.strat, name)(**options),
            getattr(stratframe.dask, name)(lazy, **options),
        ]
        assert_frame_equal(
            *(each.compute() if hasattr(each, "compute") else each for each in found)
        )


# Errors ----------------------------------------------------------------------------------


def refused(message: str, *args: Any, frame: Any = None, verb: str = "kfold", **options: Any):
    """Compare the message of an error, and return it."""
    lazy = dd.from_pandas(FRAME if frame is None else frame, npartitions=3)
    with pytest.raises(sf.StratError) as caught:
        getattr(lazy.strat, verb)(*args, **options)
    assert str(caught.value) == message
    return caught.value


def test_what_needs_all_rows_is_an_error():
    """Orders and distances of all rows are errors that say what to do."""
    hint = "Hint: `sf.quantiles` and `sf.bins` make strata of numbers."
    refused(
        "`sf.chain` needs the distances of all rows, which is not possible on Dask frames."
        f"\n{hint}",
        sf.chain(["age"]),
    )
    refused(
        "`sf.clusters` needs the distances of all rows, which is not possible on Dask frames."
        f"\n{hint}",
        sf.clusters(["age"]),
    )
    refused(
        '`deal="circular"` deals rows in their order, which is not possible on Dask frames.'
        f"\n{hint}",
        "label",
        deal="circular",
    )
    refused(
        "`sf.margins` searches over all rows at once, which is not possible on Dask frames."
        f"\n{hint}",
        sf.margins(["label", "sex"]),
    )
    refused(
        "A continuous entry of `by` sorts all rows, which is not possible on Dask frames, got"
        " sf.continuous('price').\nHint: cut it, as in `sf.quantiles('price', 10)`, or take its"
        " values as they are, `sf.classes('price')`.",
        "price",
        key="id",
    )


def test_bad_values_are_counted():
    """Values that break a rule are counted over all partitions."""
    refused(
        "Column 'sex' has missing values in 15 rows.\nHint: `missing=\"stratum\"` makes missing"
        ' values a stratum of their own; in `kfold`, `missing="null"` leaves their fold null.',
        "sex",
        key="id",
    )
    refused(
        "Column 'age' has values outside 10 to 60 in 27 rows.",
        sf.bins("age", [10, 60]),
        key="id",
    )
    refused("Column 'sex' has missing values in 15 rows.", "label", key="sex")
    refused("`k` must be at most the number of rows dealt, got 61 for 60 rows.", "label", 61)
    refused("Cannot assign folds to a frame without rows.", "label", frame=FRAME[:0])


def test_a_repeated_key_at_a_cut_is_an_error():
    """Rows of one key between which a stratum is cut are never dealt."""
    frame = pd.DataFrame({"id": [7] * 40, "label": "a"})
    error = refused(
        "`key` ('id') must identify each row, but repeats in 40 rows.",
        "label",
        key="id",
        frame=frame,
    )
    assert error.failures["id"].tolist() == [7] * 40


def test_rare_classes_are_named_as_elsewhere():
    """The warning, and the error, about rare classes is that of pandas."""
    frame = pd.DataFrame({"id": range(30), "label": ["a"] * 27 + ["b"] * 3})
    lazy = dd.from_pandas(frame, npartitions=4)
    with pytest.warns(sf.StratWarning) as expected:
        sf.kfold(frame, "label", key="id")
    with pytest.warns(sf.StratWarning) as found:
        lazy.strat.kfold("label", key="id")
    assert [str(each.message) for each in found] == [str(each.message) for each in expected]
    with pytest.raises(sf.StratError) as refused_by_pandas:
        sf.kfold(frame, "label", key="id", rare="error")
    refused(str(refused_by_pandas.value), "label", frame=frame, key="id", rare="error")


def test_columns_are_checked_before_any_is_computed():
    """Names and kinds of references are checked against the types of the frame."""
    refused(
        "`by` names the column 'lable', which the frame does not have."
        "\nHint: did you mean 'label'?",
        "lable",
    )
    refused(
        "A computed column must be a Dask series, got int.", "label", where=lambda df: 1, key="id"
    )
    refused(
        "`by` takes column names and callables of the frame on Dask frames, got"
        ' col("label").str.to_uppercase().',
        pl.col("label").str.to_uppercase(),
    )
    with pytest.raises(sf.StratError) as caught:
        stratframe.dask.kfold(FRAME, "label")
    assert str(caught.value) == "`frame` must be a Dask frame, got DataFrame."


def test_arguments_of_other_libraries_are_answered():
    """Arguments of scikit-learn get an error that names ours."""
    lazy = dd.from_pandas(FRAME, npartitions=2)
    with pytest.raises(TypeError, match="`k=3`"):
        lazy.strat.kfold("label", n_splits=3)


# Tables ----------------------------------------------------------------------------------

FOLDED = sf.kfold(FRAME.assign(plain=[i % 3 for i in range(N)]), "label", 4, where="some")
FOLDED = sf.split(FOLDED, "label", PARTS, rare="ignore")

TABLED = [
    "label",
    ["kind", "sex"],
    sf.quantiles("price", 4),
    ["label", sf.quantiles("age", 3)],
    ["sex", "price"],
    [sf.bins("age", [0, 18, 65, 120]), "whole"],
    sf.continuous("age", name="years"),
]


@pytest.mark.parametrize("by", TABLED, ids=str)
def test_tables_are_those_of_pandas(by):
    """Tables of strata and of folds are those of pandas."""
    lazy = partitioned(FOLDED, [11, 11, 30, 59])
    assert_frame_equal(lazy.strat.strata(by), sf.strata(FOLDED, by))
    for name in ("fold", "split", ["fold", "plain"]):
        assert_frame_equal(lazy.strat.balance(by, name), sf.balance(FOLDED, by, name))
        assert_frame_equal(lazy.strat.report(by, name), sf.report(FOLDED, by, name))


@pytest.mark.parametrize(
    ("by", "options"),
    [
        ("label", {"k": 4}),
        (["label", "sex"], {"parts": PARTS, "missing": "stratum", "seed": 3}),
        ([sf.quantiles("price", 3), "kind"], {"k": 3, "where": "some", "name": "inner"}),
        (["label", "sex"], {"k": 3, "missing": "null"}),
    ],
    ids=str,
)
def test_a_plan_is_that_of_pandas(by, options):
    """With a key a plan is that of pandas."""
    lazy = partitioned(FRAME, [20, 40])
    options = {"key": "id", "rare": "ignore", **options}
    assert_frame_equal(lazy.strat.plan(by, **options), sf.plan(FRAME, by, **options))


@pytest.mark.parametrize("nulls", ["train", "drop"])
def test_an_audit_is_that_of_pandas(nulls):
    """An audit finds groups and keys in several folds, and strata that a fold lacks."""
    frame = FOLDED.assign(who=[i // 2 if i % 9 else None for i in range(N)])
    lazy = partitioned(frame, [17, 45])
    for options in (
        {},
        {"groups": "who", "key": ["label", "age"]},
        {"key": "sex", "by": ["label", "sex"]},
        {"groups": ["label", "sex"], "by": sf.quantiles("price", 9), "key": "id"},
    ):
        for name in ("fold", ["split", "plain"]):
            expected = sf.audit(frame, name, nulls=nulls, **options)
            expected = expected[expected["check"] != "duplicate_rows"].reset_index(drop=True)
            assert_frame_equal(lazy.strat.audit(name, nulls=nulls, **options), expected)


def test_keys_are_audited_some_at_a_time(monkeypatch):
    """Many keys are looked at in several passes."""
    monkeypatch.setattr("stratframe.engines.dask_passes.KEYS_AT_ONCE", 7)
    lazy = partitioned(FOLDED, [17, 45])
    expected = sf.audit(FOLDED, key="age")
    expected = expected[expected["check"] != "duplicate_rows"].reset_index(drop=True)
    assert_frame_equal(lazy.strat.audit(key="age"), expected)


def test_folds_and_parts_are_lazy_frames():
    """Training and validation frames, and parts, are lazy frames with the rows of pandas."""
    lazy = partitioned(FOLDED, [17, 45])
    for nulls in ("train", "drop"):
        pairs = zip(lazy.strat.folds(nulls=nulls), sf.folds(FOLDED, nulls=nulls), strict=True)
        for found, expected in pairs:
            assert found.fold == expected.fold
            assert_frame_equal(found.train.compute(), expected.train)
            assert_frame_equal(found.valid.compute(), expected.valid)
    parted, expected = lazy.strat.parts(), sf.parts(FOLDED)
    assert list(parted) == list(expected)
    for part, rows in expected.items():
        assert_frame_equal(parted[part].compute(), rows)
    with pytest.raises(sf.StratError, match="must give every row a fold, but 12 rows have none"):
        lazy.strat.folds()
    with pytest.raises(sf.StratError, match="has no part 'dev'"):
        lazy.strat.parts(names=["dev"])


def test_without_a_key_files_are_read_in_the_partitions_that_were_counted(tmp_path):
    """Dask may join files of few columns; the rows dealt are still those that were counted."""
    rng = np.random.default_rng(0)
    n, n_files = 50, 30
    whole = pd.DataFrame({"label": rng.choice(list("abc"), n * n_files), "x": range(n * n_files)})
    for place in range(n_files):
        rows = whole[place * n : (place + 1) * n]
        rows.assign(**{f"y{i}": 1.5 for i in range(20)}).to_parquet(
            tmp_path / f"{place:02}.parquet"
        )
    lazy = dd.read_parquet(tmp_path)
    folded = lazy[["label"]].strat.kfold("label", 3).compute()
    counts = pd.crosstab(folded["label"], folded["fold"])
    assert (counts.max(axis=1) - counts.min(axis=1)).max() <= 1
    folded = lazy.strat.kfold("label", 3)
    rows = folded.compute()
    assert folded[["fold"]].compute()["fold"].tolist() == rows["fold"].tolist()
    some = folded[folded["x"] > 20]["fold"].compute()
    assert some.tolist() == rows[rows["x"] > 20]["fold"].tolist()
    again = folded.strat.kfold(["label", "fold"], 2, name="inner").compute()
    counts = pd.crosstab(again["inner"], [again["label"], again["fold"]])
    assert (counts.max() - counts.min()).max() <= 1


# Groups ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "options"),
    [
        (None, {"groups": "who"}),
        ("label", {"groups": "who", "repeats": 2}),
        (["label", "sex"], {"groups": ["who", "kind"], "missing": "stratum"}),
        (["sex", "label"], {"groups": "who", "missing": "null", "where": "some"}),
        (["label", "price"], {"groups": "who"}),
        (["label", sf.quantiles("age", 3)], {"groups": "who", "seed": 5}),
        ("rarely", {"groups": "who", "rare": "null"}),
        ("rarely", {"groups": "who", "rare": "pool"}),
    ],
    ids=str,
)
def test_groups_are_those_of_pandas(by, options):
    """Whole groups get the folds of pandas, if the rows are in the same order."""
    frame = FRAME.assign(
        who=[i // 3 for i in range(N)], rarely=["common" if i > 4 else "rare" for i in range(N)]
    )
    expected, warned = heard(lambda: sf.kfold(frame, by, 3, **options))
    lazy = partitioned(frame, [7, 7, 23, 41])
    result, words = heard(lambda: lazy.strat.kfold(by, 3, **options))
    assert_frame_equal(result.compute(), expected)
    assert words == warned
    if options.get("repeats", 1) == 1 and options.get("missing") != "null":
        expected, _ = heard(lambda: sf.split(frame, by, PARTS, **options))
        result, _ = heard(lambda: lazy.strat.split(by, PARTS, **options))
        assert_frame_equal(result.compute(), expected)


def test_a_plan_of_groups_is_that_of_pandas():
    """A plan of whole groups has the counts that their folds have."""
    frame = FRAME.assign(who=[i // 3 for i in range(N)])
    for by, options in (
        ("label", {"k": 3, "groups": "who"}),
        (["label", sf.quantiles("price", 2)], {"parts": PARTS, "groups": "who", "where": "some"}),
    ):
        expected, _ = heard(lambda by=by, options=options: sf.plan(frame, by, **options))
        lazy = partitioned(frame, [7, 30])
        found, _ = heard(lambda by=by, lazy=lazy, options=options: lazy.strat.plan(by, **options))
        assert_frame_equal(found, expected)


def test_rows_without_a_group_are_an_error():
    """Rows without a group are counted together, and so cannot be groups of their own."""
    refused(
        "`groups` must have no missing values on Dask frames, where rows without a group are"
        ' counted together.\nHint: fill them, or in `kfold` use `missing="null"`, which leaves'
        " their fold null.",
        "label",
        groups="sex",
        missing="stratum",
    )
    refused("`k` must be at most the number of groups, got 5 for 3 groups.", "kind", groups="label")


# Extend ----------------------------------------------------------------------------------


def counts_of(frame, by, name):
    """Count the rows of strata in every fold, sorted inside each stratum."""
    strata = frame[by].astype(object).where(frame[by].notna(), "missing")
    return pd.crosstab([strata[column] for column in by], frame[name].astype(object))


@pytest.mark.parametrize("options", [{}, {"seed": 3}, {"k": 4}], ids=str)
def test_extended_folds_are_as_even_as_those_of_pandas(options):
    """Given folds stay, and each stratum has the counts that pandas gives it."""
    frame = FOLDED.assign(fold=[i * i % 4 if i % 3 else None for i in range(N)])
    by = ["label", "sex"]
    options = {"missing": "stratum", **options}
    expected = sf.extend(frame, by, **options)
    result = partitioned(frame, [5, 30, 30]).strat.extend(by, **options)
    assert result.dtypes["fold"] == np.int64
    found = result.compute()
    given = frame["fold"].notna()
    assert (found["fold"][given] == frame["fold"][given]).all()
    assert found.drop(columns="fold").equals(frame.drop(columns="fold"))
    assert counts_of(found, by, "fold").equals(counts_of(expected, by, "fold"))


@pytest.mark.parametrize("parts", [None, PARTS], ids=str)
def test_extended_parts_are_near_their_shares(parts):
    """New rows of a part column get parts, by given shares or by those of the column."""
    frame = FOLDED.assign(split=FOLDED["split"].where(FOLDED.index % 4 > 0))
    expected = sf.extend(frame, "label", parts=parts, name="split")
    result = partitioned(frame, [5, 30]).strat.extend("label", parts=parts, name="split")
    assert result["split"].cat.categories.tolist() == list(PARTS)
    found = result.compute()
    assert counts_of(found, ["label"], "split").equals(counts_of(expected, ["label"], "split"))


def test_rows_that_are_not_dealt_stay_without_a_fold():
    """With missing="null" rows without a class keep their null, or their fold."""
    frame = FOLDED.assign(fold=[i * i % 4 if i % 3 else None for i in range(N)])
    by = ["label", "sex", sf.quantiles("age", 2)]
    expected = sf.extend(frame, by, missing="null")
    result = partitioned(frame, [5, 30]).strat.extend(by, missing="null")
    assert result.dtypes["fold"] == "Int64"
    assert (result.compute()["fold"].isna() == expected["fold"].isna()).all()


def test_several_columns_are_extended():
    """Each column of a list is extended by itself."""
    frame = FOLDED.assign(
        fold_1=[i % 2 if i % 3 else None for i in range(N)],
        fold_2=[i % 5 if i % 4 else None for i in range(N)],
    )
    found = partitioned(frame, [9]).strat.extend("label", name=["fold_1", "fold_2"]).compute()
    assert found[["fold_1", "fold_2"]].notna().all().all()
    assert [found[name].nunique() for name in ("fold_1", "fold_2")] == [2, 5]


def test_what_is_no_fold_is_counted():
    """Values of a fold column that are no folds are counted over all partitions."""
    frame = FOLDED.assign(fold=[9 if i % 10 == 3 else i % 4 for i in range(N)])
    refused(
        "`extend` needs folds 0..3 in 'fold', but there are others in 6 rows.",
        "label",
        4,
        verb="extend",
        frame=frame,
    )


def test_extend_does_not_take_groups():
    """Groups are not extended, which an error says."""
    refused(
        "`extend` with `groups` looks at all rows of each group, which is not possible on Dask"
        " frames.\nHint: `sf.quantiles` and `sf.bins` make strata of numbers.",
        "label",
        groups="age",
        verb="extend",
        frame=FOLDED,
    )


# Passes ----------------------------------------------------------------------------------


@pytest.fixture
def passes(monkeypatch):
    """List the functions that are called on the partitions."""
    called = []
    original = dask_passes.over_partitions

    def over_partitions(frame, plan, function, *args):
        called.append(function.__name__)
        return original(frame, plan, function, *args)

    monkeypatch.setattr(dask_passes, "over_partitions", over_partitions)
    return called


@pytest.fixture(scope="module")
def large():
    """Make a frame of 300,000 rows in three classes, one of them rare."""
    rng = np.random.default_rng(1)
    labels = rng.choice(["a", "b", "c"], 300_000, p=[0.9, 0.099, 0.001])
    return pd.DataFrame({"id": rng.permutation(300_000), "label": labels})


def test_few_strata_are_counted_and_cut_in_one_pass(large, passes):
    """If classes are spread over the partitions, rows near the cuts come with the counts."""
    for options in ({}, {"repeats": 2}):
        expected = sf.kfold(large, "label", key="id", **options)
        result = dd.from_pandas(large, npartitions=8).strat.kfold("label", key="id", **options)
        assert_frame_equal(result.compute(), expected)
    assert passes == ["count_partition", "count_partition"]
    parts = {"train": 0.8, "valid": 0.1, "test": 0.1}
    result = dd.from_pandas(large, npartitions=8).strat.split("label", parts, key="id")
    assert_frame_equal(result.compute(), sf.split(large, "label", parts, key="id"))
    assert passes == ["count_partition"] * 3


def test_strata_in_a_single_partition_take_another_pass(large, passes, monkeypatch):
    """If rows near the cuts are missing from the first pass, a second one finds them."""
    monkeypatch.setattr("stratframe.engines.cut_points.DEVIATIONS", 0.01)
    large = large.sort_values("label", ignore_index=True)
    result = dd.from_pandas(large, npartitions=8).strat.kfold("label", key="id")
    assert passes == ["count_partition", "rows_near_cuts"]
    assert_frame_equal(result.compute(), sf.kfold(large, "label", key="id"))


@pytest.mark.parametrize("few", [0, 1500])
def test_quantiles_are_narrowed_down_in_several_passes(passes, monkeypatch, few):
    """Where many rows are left after counts of some bits, more bits are counted."""
    monkeypatch.setattr(dask_passes, "FEW_ROWS", few)
    monkeypatch.setattr("stratframe.engines.quantile_cuts.MAX_COUNTS", 1 << 9)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"id": range(4000), "label": rng.choice(["a", "b"], 4000)})
    frame["price"] = np.where(rng.random(4000) < 0.3, 0, rng.lognormal(size=4000)).round(3)
    by = ["label", sf.quantiles("price", 8)]
    expected, warned = heard(lambda: sf.kfold(frame, by, key="id"))
    result, words = heard(lambda: dd.from_pandas(frame, npartitions=5).strat.kfold(by, key="id"))
    assert passes.count("count_numbers") > 2
    assert passes.count("take_numbers") == (few > 0)
    assert_frame_equal(result.compute(), expected)
    assert words == warned


def test_parts_of_counts_take_another_pass(large, passes):
    """Where the shares are not known before the rows are counted, a second pass is needed."""
    parts = {"train": 40_000, "test": None}
    result = dd.from_pandas(large, npartitions=8).strat.split("label", parts, key="id")
    assert passes == ["count_partition", "rows_near_cuts"]
    assert_frame_equal(result.compute(), sf.split(large, "label", parts, key="id"))


def test_a_frame_that_changes_between_passes_is_an_error(large, monkeypatch):
    """Rows that are not those of the first pass are never dealt."""
    monkeypatch.setattr("stratframe.engines.cut_points.MAX_CELLS", 64)
    calls = []

    def changing(part):
        calls.append(1)
        return part.assign(id=part["id"] + 10**6 * len(calls))

    lazy = dd.from_pandas(large, npartitions=2).map_partitions(changing, meta=large.iloc[:0])
    calls.clear()
    with pytest.raises(sf.StratError, match="must give the same rows each time"):
        lazy.strat.split("label", {"train": 40_000, "test": None}, key="id")
