"""What is only of Dask: partitions and their types, lazy results, passes over the rows."""

from itertools import pairwise
from uuid import uuid4

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

import stratframe as sf
from tests.engines.frames import FOLDED, FRAME, N, heard
from tests.helpers import refuse_now, refuse_rule
from tests.test_golden import PARTS

dask = pytest.importorskip("dask", reason='needs pip install "stratframe[dask]"')
dd = pytest.importorskip("dask.dataframe", reason='needs pip install "stratframe[dask]"')

import stratframe.dask  # noqa: E402 - registers .strat on Dask frames

pytestmark = [pytest.mark.dask, pytest.mark.usefixtures("one_thread")]


def test_methods_are_the_functions():
    """Every function of `stratframe.dask` is a method of `.strat`, which hands on each argument."""
    lazy = dd.from_pandas(FOLDED, npartitions=3)
    calls = {
        "advise": {"by": "label", "ks": [3, 4], "groups": "who"},
        "balance": {"by": "label", "name": "plain"},
        "compare": {"by": "label", "names": "plain"},
        "extend": {"by": "label", "k": 4, "key": "id", "seed": 3, "rare": "ignore"},
        "kfold": {"by": "label", "k": 3, "key": "id", "seed": 3, "name": "f", "repeats": 2},
        "leaks": {"groups": "who", "name": "plain"},
        "plan": {"by": "label", "k": 3, "key": "id", "seed": 3, "rare": "ignore"},
        "report": {"by": "label", "name": "plain"},
        "sample": {"by": "label", "n": 7, "key": "id", "seed": 3},
        "split": {"by": "label", "parts": PARTS, "key": "id", "seed": 3, "name": "f"},
    }
    assert {*calls, "check", "folds", "parts"} == set(stratframe.dask.__all__)
    for name, options in calls.items():
        by_method = getattr(lazy.strat, name)(**options)
        by_function = lazy.pipe(getattr(stratframe.dask, name), **options)
        assert_frame_equal(*dask.compute(by_method, by_function))
    checked = {"by": "label", "name": "plain", "groups": "who", "key": "id", "duplicates": "age"}
    assert str(lazy.strat.check(**checked)) == str(stratframe.dask.check(lazy, **checked))
    assert len(lazy.strat.parts()["test"]) == len(FOLDED.strat.parts()["test"])
    assert len(list(lazy.strat.folds("plain"))) == 3
    with pytest.raises(TypeError, match="`k=5`"):
        lazy.strat.kfold("label", n_splits=3)


@pytest.mark.parametrize(
    "values",
    [
        ["a", b"a", "b", b"c"],
        [1.0, 5e-324, 0.0, 3.0],
        pd.Series([-1, 2**64 - 1, 5, 6], dtype=object),
        [(1 << 70) + 1, 1 << 70, 5, 6],
    ],
    ids=str,
)
def test_values_that_look_alike_are_told_apart(values):
    """Classes and groups that differ, but whose bytes are the same, have the folds of pandas."""
    frame = pd.DataFrame({"x": list(values) * 5, "id": range(20)})
    lazy = dd.from_pandas(frame, npartitions=3)
    for options in ({"by": sf.classes("x"), "key": "id", "rare": "ignore"}, {"groups": "x"}):
        expected = sf.kfold(frame, k=2, **options)["fold"]
        assert sf.kfold(lazy, k=2, **options)["fold"].compute().tolist() == expected.tolist()


def test_computed_columns_are_of_dask():
    """Columns are computed by callables that return a Dask series, and no expressions."""
    lazy = dd.from_pandas(FRAME, npartitions=3)
    refuse_now(
        "A computed column must be a Dask series, got int.",
        lambda: lazy.strat.kfold("label", where=lambda df: 1, key="id"),
    )
    refuse_now(
        '`by` takes column names and callables of the frame on Dask frames, got col("label").',
        lambda: lazy.strat.kfold(pl.col("label")),
    )


def test_types_are_known_before_the_rows():
    """Folds that may be null are Int64, and parts a categorical, before anything is computed."""
    lazy = dd.from_pandas(FOLDED, npartitions=3)
    assert lazy.strat.kfold("label", name="f", where="some", key="id").dtypes["f"] == "Int64"
    assert lazy.strat.extend("label", key="id").dtypes["fold"] == np.int64
    assert lazy.strat.extend(["label", "sex"], key="id", missing="null").dtypes["fold"] == "Int64"
    for verb, name in (("split", "f"), ("extend", "split")):
        parted = getattr(lazy.strat, verb)("label", parts=PARTS, key="id", name=name)
        assert parted[name].cat.categories.tolist() == list(PARTS)


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


def test_keys_are_checked_some_at_a_time(monkeypatch):
    """Many keys are looked at in several passes."""
    monkeypatch.setattr("stratframe.engines.dask.passes.KEYS_AT_ONCE", 7)
    lazy = dd.from_pandas(FOLDED, npartitions=3)
    (expected, found) = (
        sf.check(each, key="age", duplicates=None).findings.query("check == 'keys'")
        for each in (FOLDED, lazy)
    )
    assert found["n"].tolist() == expected["n"].tolist()


# Passes ----------------------------------------------------------------------------------


class Source:
    """Partitions of a frame, of which each reading is listed, with the columns that were read."""

    def __init__(self, frame, npartitions):
        ends = np.linspace(0, len(frame), npartitions + 1).astype(int)
        self.parts = [frame[a:b] for a, b in pairwise(ends)]
        # Dask takes equal objects for one, and would read the rows of another test.
        self.read, self.token = [], uuid4()
        self.frame = dd.from_map(self.part, range(npartitions), meta=frame[:0])

    def part(self, place, columns=None):
        """Read a partition."""
        rows = self.parts[place] if columns is None else self.parts[place][columns]
        self.read.append(list(rows.columns))
        return rows

    def passes(self):
        """Count the passes since the last time."""
        n_passes, rest = divmod(len(self.read), len(self.parts))
        assert not rest
        self.read.clear()
        return n_passes


@pytest.fixture(scope="module")
def large():
    """Make a frame of 150,000 rows in three classes, one of them rare."""
    rng = np.random.default_rng(1)
    labels = rng.choice(["a", "b", "c"], 150_000, p=[0.9, 0.099, 0.001])
    return pd.DataFrame({"id": rng.permutation(150_000), "label": labels})


def test_rows_near_the_cuts_take_a_second_pass(large):
    """Rows are counted, and those near the cuts collected, wherever the rows of a class are."""
    parts = {"train": 40_000, "test": None}
    calls = [
        lambda frame: sf.kfold(frame, "label", key="id", repeats=2),
        lambda frame: sf.split(frame, "label", parts, key="id"),
    ]
    for rows, call in zip([large, large.sort_values("label")], calls, strict=True):
        source = Source(rows, 4)
        result = call(source.frame)
        assert source.passes() == 2
        assert_frame_equal(result.compute(), call(rows))
        assert source.passes() == 1


def test_few_rows_are_counted_and_cut_in_one_pass():
    """Where every cell of the counts goes to one part as a whole, no row is collected."""
    source = Source(FRAME, 3)
    folded = sf.kfold(source.frame, "label", 4, key="id")
    assert source.passes() == 1
    assert (
        folded["fold"].compute().tolist() == sf.kfold(FRAME, "label", 4, key="id")["fold"].tolist()
    )


def test_partitions_may_be_of_any_size(large):
    """Large and small partitions, and those without rows, are counted together."""
    large = large.assign(price=large["id"] * 7 % 1009, who=large["id"] % 99)
    parts = [large[a:b] for a, b in pairwise([0, 5, 5, 9000, 9100, 30_000])]
    lazy = dd.from_map(lambda place: parts[place], range(5), meta=large[:0])
    by = [sf.quantiles("price", 4), "label"]
    for options in ({"key": "id"}, {"groups": "who"}):
        expected = sf.kfold(large[:30_000], by, **options)
        assert_frame_equal(sf.kfold(lazy, by, **options).compute(), expected)


def test_a_check_takes_four_passes(large):
    """Labels, groups, keys and duplicates take a pass each, however many columns there are."""
    frame = sf.kfold(large.assign(who=large["id"] % 900, x=1), "label", key="id")
    frame["fold"] = frame["fold"].astype("Int64").mask(frame["id"] % 50 == 0)
    source, options = Source(frame, 4), {"groups": ["who", "x"], "key": "id"}
    found = sf.check(source.frame, **options, duplicates=["label", "x"])
    assert source.passes() == 4
    expected = sf.check(frame, **options, duplicates=["label", "x"])
    for each in (found, expected):
        each.findings["detail"] = each.findings["detail"].str.partition(", such as")[0]
    columns = ["severity", "check", "n"]
    assert_frame_equal(found.findings[columns], expected.findings[columns])


@pytest.mark.parametrize("few", [0, 1500])
def test_quantiles_are_narrowed_down_in_several_passes(monkeypatch, few):
    """Where many rows are left after counts of some bits, more bits are counted."""
    monkeypatch.setattr("stratframe.engines.quantiles.SORTED_ROWS", few)
    monkeypatch.setattr("stratframe.engines.quantiles.MAX_COUNTS", 1 << 9)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"id": range(4000), "label": rng.choice(["a", "b"], 4000)})
    frame["price"] = np.where(rng.random(4000) < 0.3, 0, rng.lognormal(size=4000)).round(3)
    by, source = ["label", sf.quantiles("price", 8)], Source(frame, 5)
    expected, warned = heard(lambda: sf.kfold(frame, by, key="id"))
    result, words = heard(lambda: source.frame.strat.kfold(by, key="id"))
    assert source.passes() == (6 if few else 14)
    assert_frame_equal(result.compute(), expected)
    assert words == warned


def test_a_frame_that_changes_between_passes_is_an_error(large):
    """Rows that are not those of the first pass are never dealt."""
    calls = []

    def changing(part):
        calls.append(1)
        return part.assign(id=part["id"] + 10**6 * len(calls))

    lazy = dd.from_pandas(large, npartitions=2).map_partitions(changing, meta=large.iloc[:0])
    calls.clear()
    with pytest.raises(sf.StratError, match="must give the same rows each time"):
        lazy.strat.split("label", {"train": 40_000, "test": None}, key="id")


# Columns that are read -------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["kfold", "split", "groups", "where", "hash", "extend"])
def test_only_the_columns_that_are_needed_are_read(verb):
    """Columns chosen of the result are read beside those that the call names, and no others."""
    call, wanted = {
        "kfold": (lambda df: sf.kfold(df, "label", key="id", name="new"), ["label", "id"]),
        "split": (lambda df: sf.split(df, None, 0.2, key="id", name="new", repeats=2), ["id"]),
        "groups": (lambda df: sf.kfold(df, groups="who", name="new"), ["who"]),
        "where": (
            lambda df: sf.kfold(df, key="id", where=lambda df: df["age"] > 20, name="new"),
            ["id", "age"],
        ),
        "hash": (lambda df: sf.kfold(df, key="name", deal="hash", name="new"), ["name"]),
        "extend": (lambda df: sf.extend(df, "label", key="id"), ["label", "id", "fold"]),
    }[verb]
    source = Source(FOLDED, 3)
    folded = call(source.frame)
    source.read.clear()
    new = [name for name in folded.columns if name.startswith("new")] or ["fold"]
    found = folded[["half", *new]].compute()
    assert {name for columns in source.read for name in columns} == {"half", *wanted}
    assert source.passes() == 1
    assert_frame_equal(found, call(FOLDED)[["half", *new]])
    assert_frame_equal(folded.compute(), call(FOLDED))
    assert source.passes() == 1


@pytest.mark.parametrize("labels", [["id", "label", 3], ["id", "label", ("a", 1)]], ids=str)
def test_labels_may_be_of_any_type(labels):
    """Folds are added to columns whose labels have no order, or are not text."""
    frame = FRAME[["id", "label", "age"]].set_axis(labels, axis=1)
    lazy = dd.from_pandas(frame, npartitions=3)
    assert_frame_equal(
        sf.kfold(lazy, "label", key="id").compute(), sf.kfold(frame, "label", key="id")
    )


def test_new_rows_of_few_strata_are_extended():
    """Strata without new rows do not matter to where those with many of them are cut."""
    n = 140_000
    rows = pd.DataFrame(
        {"id": range(3 * n), "label": np.repeat(list("ab"), n).tolist() + ["c"] * n}
    )
    rows["label"] = rows["label"].where(rows["id"] < 2 * n, rows["id"] % 6 + 2).astype(str)
    rows["fold"] = pd.array([None] * (2 * n) + [i % 3 for i in range(n)], dtype="Int64")
    found = sf.extend(dd.from_pandas(rows, npartitions=2), "label", 3, key="id").compute()
    expected = sf.extend(rows, "label", 3, key="id")
    table = pd.crosstab(found["label"], found["fold"])
    assert np.array_equal(table, pd.crosstab(rows["label"], expected["fold"]))
    assert found["fold"][2 * n :].tolist() == rows["fold"][2 * n :].tolist()


def test_zeros_are_equal_where_folds_are_apart():
    """0.0 and -0.0 are one value, in Arrow's floats too."""
    values = pd.array([0.0, -0.0, 2.5, 3.0], dtype="double[pyarrow]")
    rows = pd.DataFrame({"id": range(4), "fold": [0, 1, 1, 0], "dose": values})
    pairs = sf.folds(dd.from_pandas(rows, npartitions=2), apart="dose")
    assert [sorted(pair.train.compute()["id"]) for pair in pairs] == [[2], [3]]


def test_objects_with_fractions_are_continuous():
    """Numbers with fractions in a column of objects are binned, as in pandas."""
    values = [((i * 7) % 23) / 4 for i in range(40)]
    frame = pd.DataFrame(
        {"id": range(40), "v": pd.Series(values, dtype=object), "g": np.arange(40) // 2}
    )
    lazy = dd.from_pandas(frame, npartitions=3)
    expected = sf.kfold(frame, "v", 5, groups="g")
    assert sf.kfold(lazy, "v", 5, groups="g").compute()["fold"].equals(expected["fold"])
    refuse_rule(
        "A continuous entry of `by` sorts all rows, which is not possible on Dask frames, got"
        " sf.continuous('v').",
        lambda: sf.kfold(lazy, "v", 5, key="id"),
    )


def test_values_apart_of_other_types():
    """Numbers and text of numbers differ, and dates in categories equal dates."""
    mixed = pd.Series([1.5, 2.5, 0.5, 4.5, "1.5", "7", "x", "2.5"], dtype=object)
    frame = pd.DataFrame({"fold": [0, 0, 1, 1, 1, 1, 1, 0], "v": mixed})
    days = pd.Series(pd.to_datetime([f"2024-01-0{day}" for day in (1, 2, 3, 4)]))
    first = pd.DataFrame({"fold": [0, 1, 2, 0], "v": days.astype("category")})
    second = pd.DataFrame({"fold": [1, 2], "v": days.iloc[[0, 2]].to_numpy()}, index=[4, 5])
    both = dd.from_map(
        lambda part: part, [first, second], meta=first.iloc[:0], enforce_metadata=False
    )
    words = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    arrow = dd.from_pandas(first.assign(v=days.astype(str).astype(words)), npartitions=2)
    for lazy in (dd.from_pandas(frame, npartitions=2), both, arrow):
        for fold in sf.folds(lazy, apart="v"):
            train, valid = (
                {value for part in dask.compute(*rows.to_delayed()) for value in part["v"]}
                for rows in fold
            )
            assert not train & valid
    (first_pair, _) = sf.folds(dd.from_pandas(frame, npartitions=2), apart="v")
    assert first_pair.train.compute().index.tolist() == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("dtype", ["datetime64[us, {}]", "timestamp[us, tz={}][pyarrow]"])
@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "America/Havana"])
@pytest.mark.parametrize("every", ["1d", "6h", "40m"])
def test_periods_keep_their_zone(dtype, zone, every):
    """Periods of times with a zone have the labels and rows of pandas, where clocks change too."""
    times = pd.date_range("2018-11-02", periods=48, freq="2h", tz="UTC", name="at")
    df = times.tz_convert(zone).to_frame(index=False).astype(dtype.format(zone))
    rule = {"every": every, "train": "past", "gap": 1, "last": 30}
    expected = list(df.strat.folds("at", **rule))
    lazy = dd.from_pandas(df, npartitions=3)
    for found, wanted in zip(lazy.strat.folds("at", **rule), expected, strict=True):
        assert found.fold.isoformat() == wanted.fold.isoformat()
        for part, rows in zip(found, wanted, strict=True):
            assert_frame_equal(part.compute(), rows)
