"""What is only of Dask: partitions and their types, lazy results, passes over the rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

import stratframe as sf
from stratframe import frames
from tests.engines.dask_frames import Source, dask, dd, of_parts, sf_dask
from tests.engines.frames import FOLDED, FRAME, N, cut, heard
from tests.helpers import refuse_now, refuse_rule
from tests.test_golden import PARTS

pytestmark = [pytest.mark.dask, pytest.mark.usefixtures("one_thread")]


def test_methods_are_the_functions():
    """Each function of `stratframe.dask` is one of `stratframe`, and a method of `.strat`."""
    lazy = dd.from_pandas(FOLDED, npartitions=3)
    assert type(lazy.strat) is type(FOLDED.strat)
    for name in sf_dask.__all__:
        assert getattr(sf_dask, name) is getattr(sf, name)
        assert callable(getattr(lazy.strat, name))
    options = {"by": "label", "k": 3, "key": "id", "seed": 3, "name": "f", "repeats": 2}
    assert_frame_equal(lazy.strat.kfold(**options).compute(), sf.kfold(FOLDED, **options))
    with pytest.raises(TypeError, match="`k=5`"):
        lazy.strat.kfold("label", n_splits=3)


@pytest.mark.parametrize("shared", [{"groups": "who"}, {"key": "age"}, {"duplicates": ["age"]}])
def test_leaks_are_shown_before_they_are_computed(shared):
    """The lazy rows that leak can be shown, in a terminal and in a notebook."""
    lazy = dd.from_pandas(FOLDED, npartitions=3)

    leaks = sf.leaks(lazy, **shared)

    assert repr(leaks).startswith("Dask DataFrame Structure:")
    assert leaks._repr_html_().startswith("<div>")
    assert "Filter" in leaks.expr.tree_repr()


def test_columns_of_any_name_are_counted_by_themselves():
    """A count that is reused finds its own columns, whatever their names."""
    rows = {"values": [1, 2, 3, 4], "x": [1, 1, 2, 2], "fold": [0, 1, 0, 1]}
    eager = pd.DataFrame(rows)
    lazy = dd.from_pandas(eager, npartitions=2)

    checks = [sf.check(df, groups=["values", "x"], duplicates=["values"]) for df in (eager, lazy)]

    assert str(checks[0]) == str(checks[1])


def test_computed_columns_are_of_dask():
    """Columns are computed by callables that return a Dask series, and no expressions."""
    lazy = dd.from_pandas(FRAME, npartitions=3)
    message = "A computed column must be a Dask series, got int."
    refuse_now(message, lambda: lazy.strat.kfold("label", where=lambda df: 1, key="id"))
    message = '`by` takes column names and callables that take a Dask frame, got col("label").'
    refuse_now(message, lambda: lazy.strat.kfold(pl.col("label")))


def count_missing(frame):
    return sf.kfold(frame, lambda rows: rows["x"] * 2, k=2, key="id")


def count_missing_keys(frame):
    return sf.kfold(frame, "label", k=2, key=lambda rows: rows["x"])


@pytest.mark.parametrize("call", [count_missing, count_missing_keys])
def test_errors_name_computed_columns_as_pandas_does(call):
    """A column that a callable computes keeps the name of its series."""
    df = pd.DataFrame({"id": range(8), "label": ["a", "b"] * 4, "x": [1.0, np.nan] * 4})

    with pytest.raises(sf.StratError, match=r"Column 'x' has missing values in 4 rows\."):
        call(dd.from_pandas(df, npartitions=2))


def test_tables_name_computed_columns_as_pandas_does():
    """A stratum column that a callable computes is named after its series."""
    df = pd.DataFrame({"label": ["a", "b"] * 4, "fold": [0, 0, 1, 1] * 2})

    balance = sf.balance(dd.from_pandas(df, npartitions=2), lambda rows: rows["label"].str.upper())

    pandas_balance = sf.balance(df, lambda rows: rows["label"].str.upper())
    assert balance.columns.tolist() == pandas_balance.columns.tolist()


def test_only_the_first_row_of_each_class_is_converted(monkeypatch):
    """Text is encoded by pandas, and only one row of each class becomes a Polars string."""
    lengths = []
    to_polars = frames.dtypes.to_polars

    def count_rows(series):
        lengths.append(len(series))
        return to_polars(series)

    monkeypatch.setattr(frames.dtypes, "to_polars", count_rows)
    df = pd.DataFrame({"id": range(5_000), "label": ["cat", "dog"] * 2_500})
    lazy = dd.from_pandas(df, npartitions=1)

    with dask.config.set(scheduler="synchronous"):
        folded = sf.kfold(lazy, "label", key="id").compute()

    assert max(lengths) <= 2
    assert folded["fold"].tolist() == sf.kfold(df, "label", key="id")["fold"].tolist()


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
    assert (result.divisions, result.npartitions) == (lazy.divisions, lazy.npartitions)
    assert result.dtypes[:-1].equals(lazy.dtypes)
    assert result.dtypes["fold"] == np.int64
    assert_frame_equal(result.compute().drop(columns="fold"), lazy.compute())
    pd.testing.assert_index_equal(result.partitions[2].compute().index, frame.index[24:36])


@pytest.mark.parametrize("label", [3, ("a", 1)], ids=str)
def test_labels_may_be_of_any_type(label):
    """Folds are added to columns whose labels have no order, or are not text."""
    frame = FRAME[["id", "label", "age"]].set_axis(["id", "label", label], axis=1)
    found = sf.kfold(dd.from_pandas(frame, npartitions=3), "label", key="id")
    assert_frame_equal(found.compute(), sf.kfold(frame, "label", key="id"))


@pytest.fixture(scope="module")
def large():
    """Make a frame of 150,000 rows in three classes, one of them rare."""
    rng = np.random.default_rng(1)
    labels = rng.choice(["a", "b", "c"], 150_000, p=[0.9, 0.099, 0.001])
    return pd.DataFrame({"id": rng.permutation(150_000), "label": labels})


def test_rows_near_the_cuts_take_a_second_pass(large):
    """Rows are counted, and those near the cuts collected, unless the counts show all cuts."""
    parts = {"train": 40_000, "test": None}
    for rows, n_passes, call in [
        (large, 2, lambda frame: sf.kfold(frame, "label", key="id", repeats=2)),
        (large.sort_values("label"), 2, lambda frame: sf.split(frame, "label", parts, key="id")),
        (FRAME, 1, lambda frame: sf.kfold(frame, "label", 4, key="id")),
    ]:
        source = Source(rows, 4)
        result = call(source.frame)
        assert source.passes() == n_passes
        assert_frame_equal(result.compute(), call(rows))
        assert source.passes() == 1


def test_partitions_may_be_of_any_size(large):
    """Partitions of any size, and those without rows, are counted together."""
    large = large[:30_000].assign(price=large["id"] * 7 % 1009, who=large["id"] % 99)
    lazy = of_parts(cut(large, [0, 5, 5, 9000, 9100]))
    by = [sf.quantiles("price", 4), "label"]
    for options in ({"key": "id"}, {"groups": "who"}):
        found, expected = (sf.kfold(each, by, **options) for each in (lazy, large))
        assert_frame_equal(found.compute(), expected)


def test_a_check_takes_four_passes(large):
    """Labels, groups, keys and duplicates take a pass each, however many columns there are."""
    frame = sf.kfold(large.assign(who=large["id"] % 900, x=1), "label", key="id")
    frame["fold"] = frame["fold"].astype("Int64").mask(frame["id"] % 50 == 0)
    source = Source(frame, 4)
    options = {"groups": ["who", "x"], "key": "id", "duplicates": ["label", "x"]}
    found, expected = (sf.check(each, **options).findings for each in (source.frame, frame))
    assert source.passes() == 4
    columns = ["severity", "check", "n"]
    assert_frame_equal(found[columns], expected[columns])


@pytest.mark.parametrize(("column", "n_passes"), [("ties", 7), ("close", 6)])
def test_quantiles_are_narrowed_down_in_several_passes(column, n_passes):
    """Where too many rows to collect are left after counts of some bits, more bits are counted."""
    rng = np.random.default_rng(2)
    n = 2_250_000
    frame = pd.DataFrame({"id": np.arange(n), "close": 8 + rng.integers(0, 1 << 20, n) / 2**21})
    frame["ties"] = np.where(rng.random(n) < 0.95, 7, 7 + rng.random(n) / 1000)
    source = Source(frame)
    by = sf.quantiles(column, 8)
    expected, warned = heard(lambda: sf.kfold(frame, by, key="id"))
    result, words = heard(lambda: sf.kfold(source.frame, by, key="id"))
    assert source.passes() == n_passes
    assert_frame_equal(result.compute(), expected)
    assert words == warned


def test_new_rows_of_few_strata_are_extended():
    """Strata without new rows do not change where strata with many new rows are cut."""
    n = 140_000
    labels = ["ab"[i // n] if i < 2 * n else str(i % 6 + 2) for i in range(3 * n)]
    rows = pd.DataFrame({"id": range(3 * n), "label": labels})
    rows["fold"] = pd.array([None] * (2 * n) + [i % 3 for i in range(n)], dtype="Int64")
    found = sf.extend(dd.from_pandas(rows, npartitions=2), "label", 3, key="id").compute()
    assert found["fold"].tolist() == sf.extend(rows, "label", 3, key="id")["fold"].tolist()


NEEDED = {
    "label, id": lambda df: sf.kfold(df, "label", key="id", name="new"),
    "id": lambda df: sf.split(df, None, 0.2, key="id", name="new", repeats=2),
    "who": lambda df: sf.kfold(df, groups="who", name="new"),
    "id, age": lambda df: sf.kfold(df, key="id", where=lambda df: df["age"] > 20, name="new"),
    "name": lambda df: sf.kfold(df, key="name", deal="hash", name="new"),
    "label, id, fold": lambda df: sf.extend(df, "label", key="id"),
}


@pytest.mark.parametrize("wanted", NEEDED)
def test_only_the_columns_that_are_needed_are_read(wanted):
    """Only the columns chosen from the result, and those that the call names, are read."""
    source = Source(FOLDED)
    call = NEEDED[wanted]
    folded = call(source.frame)
    source.read.clear()
    new = [name for name in folded.columns if name.startswith("new")] or ["fold"]
    found = folded[["half", *new]].compute()
    assert {name for columns in source.read for name in columns} == {"half", *wanted.split(", ")}
    assert source.passes() == 1
    assert_frame_equal(found, call(FOLDED)[["half", *new]])
    assert_frame_equal(folded.compute(), call(FOLDED))
    assert source.passes() == 1


WIDE = FOLDED.assign(**{f"feature {place}": place + 0.5 for place in range(40)})
READ_IN_RESULTS = [
    ("fold", lambda df: next(iter(sf.folds(df, nulls="drop"))).train),
    (
        "fold, who, name",
        lambda df: next(iter(sf.folds(df, nulls="drop", apart=["who", "name"]))).train,
    ),
    ("time", lambda df: next(iter(sf.folds(df, "time", every="6h", train="past"))).valid),
    ("split", lambda df: sf.parts(df)["train"]),
    ("label, id", lambda df: sf.sample(df, "label", n=20, key="id")),
    ("who, fold", lambda df: sf.leaks(df, groups="who")),
    ("label, sex, fold", lambda df: sf.leaks(df, key=["label", "sex"])),
    ("label, sex, fold", lambda df: sf.leaks(df, duplicates=["label", "sex"])),
]


@pytest.mark.parametrize(("named", "choose_rows"), READ_IN_RESULTS)
def test_kept_rows_are_read_in_one_pass(named, choose_rows):
    """Of the rows that a verb keeps, Dask reads the chosen columns and those of the call, once."""
    source = Source(WIDE)
    rows = choose_rows(source.frame)
    source.read.clear()

    whole = rows.compute()
    assert source.passes() == 1

    chosen = rows[["half"]].compute()

    names = {*named.split(", ")}
    assert {name for columns in source.read for name in columns} == {"half", *names}
    assert source.passes() == 1
    assert names <= {*whole.columns}
    assert 0 < len(chosen) < N
    assert_frame_equal(chosen, whole[["half"]])


def test_a_deal_by_hashes_reads_nothing_before():
    """The column is a function of each partition: nothing is computed at the call."""
    source = Source(FRAME)
    made = sf.kfold(source.frame, key="id", deal="hash", repeats=2)
    assert (source.passes(), made.npartitions, made.divisions) == (0, 3, source.frame.divisions)
    assert len(made.compute()) == N
    assert source.passes() == 1


@pytest.mark.parametrize("names", [["None"], [1, "1"]], ids=str)
def test_a_key_may_have_any_name(names):
    """A missing key is found whatever its column is called, even beside "1" and 1."""
    rows = pd.DataFrame({names[0]: [3, None, 5]} | dict.fromkeys(names[1:], 7))
    made = sf.kfold(dd.from_pandas(rows, npartitions=1), key=names, deal="hash")
    with pytest.raises(sf.StratError, match=f"Column '{names[0]}' has missing values in 1 row"):
        made.compute()


def test_objects_with_fractions_are_continuous():
    """Numbers with fractions in a column of objects are binned, as in pandas."""
    frame = FRAME.assign(half=FRAME["half"].astype(object))
    lazy = dd.from_pandas(frame, npartitions=3)
    expected = sf.kfold(frame, "half", 5, groups="who")
    assert_frame_equal(sf.kfold(lazy, "half", 5, groups="who").compute(), expected)
    rule = "`by` must not have a continuous entry on Dask frames, because it sorts all rows, got"
    refuse_rule(f"{rule} sf.continuous('half').", lambda: sf.kfold(lazy, "half", 5, key="id"))


DAYS = pd.Series(pd.to_datetime([f"2024-01-0{day}" for day in (1, 2, 3, 4, 1, 3)]))
WORDS = DAYS[:4].astype(str).astype(pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))
TEXTS = pd.Series([1.5, 2.5, 0.5, 4.5, "1.5", "7", "x", "2.5"], dtype=object)
ZEROS = pd.Series([0.0, -0.0, 2.5, 3.0], dtype="double[pyarrow]")
DATES = [DAYS[:4].astype("category"), DAYS[4:]]
APART = {
    "zeros": ([ZEROS[:2], ZEROS[2:]], "0110", [[2], [3]]),
    "numbers and texts": ([TEXTS[:4], TEXTS[4:]], "00111110", [[2, 3, 4, 5, 6], [0, 1, 7]]),
    "words of Arrow": ([WORDS[:2], WORDS[2:]], "0120", [[1, 2], [0, 2, 3], [0, 1, 3]]),
    "days": (DATES, "012012", [[1, 2, 5], [2, 3, 5], [0, 1, 3, 4]]),
}
"""Partitions of a column, the folds of the rows, and the rows that train for each fold."""


@pytest.mark.parametrize("case", APART)
def test_values_apart_are_compared_whatever_their_types(case):
    """Numbers and text of numbers differ; zeros are equal, and dates in categories equal dates."""
    values, folds, trains = APART[case]
    given = pd.Series(map(int, folds))
    rows = of_parts([pd.DataFrame({"fold": given[each.index], "v": each}) for each in values])
    found = [dask.compute(*fold.train.to_delayed()) for fold in sf.folds(rows, apart="v")]
    assert [[row for part in parts for row in part.index] for parts in found] == trains


@pytest.mark.parametrize(
    ("dtype", "zone", "every", "gap"),
    [
        ("datetime64[us, {}]", "America/Sao_Paulo", "1d", "7h"),
        ("datetime64[us, {}]", "America/Havana", "6h", "1d"),
        ("timestamp[us, tz={}][pyarrow]", "America/Havana", "1d", "7h"),
        ("timestamp[us, tz={}][pyarrow]", "America/Sao_Paulo", "40m", 1),
    ],
)
def test_periods_keep_their_zone(dtype, zone, every, gap):
    """Periods of times with a zone have the labels and rows of pandas, where clocks change too."""
    times = pd.date_range("2018-11-02", periods=48, freq="2h", tz="UTC", name="at")
    df = times.tz_convert(zone).to_frame(index=False).astype(dtype.format(zone))
    rule = {"every": every, "train": "past", "gap": gap, "last": 30, "horizon": 2}
    expected = list(df.strat.folds("at", **rule))
    lazy = dd.from_pandas(df, npartitions=3)
    for found, wanted in zip(lazy.strat.folds("at", **rule), expected, strict=True):
        assert found.fold.isoformat() == wanted.fold.isoformat()
        for part, rows in zip(found, wanted, strict=True):
            assert_frame_equal(part.compute(), rows)


def test_keys_are_checked_some_at_a_time(monkeypatch):
    """Many keys are looked at in several passes."""
    monkeypatch.setattr("stratframe.engines.dask.passes.KEYS_AT_ONCE", 7)
    lazy = dd.from_pandas(FOLDED, npartitions=3)
    found = [sf.check(each, key="age", duplicates=None).findings for each in (FOLDED, lazy)]
    expected, counted = (each.query("check == 'keys'")["n"].tolist() for each in found)
    assert counted == expected
