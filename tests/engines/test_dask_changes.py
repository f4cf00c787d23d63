"""A Dask frame that gives different rows in a later pass is an error, and never uneven folds."""

from itertools import count

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from tests.engines.dask_frames import Source, dask, dd
from tests.helpers import refuse, refuse_now

pytestmark = [pytest.mark.dask, pytest.mark.usefixtures("one_thread")]
N = 400
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"id": RNG.permutation(N), "label": RNG.choice(["a", "b", "c"], N)})
FRAME = FRAME.assign(price=RNG.integers(0, 500, N), who=RNG.integers(0, 60, N))
FRAME["some"] = RNG.random(N) < 0.7
GIVEN = pd.Series(RNG.integers(0, 4, N), dtype="Int64").mask(RNG.random(N) < 0.5)
OTHER_ROWS = (
    "The frame must give the same rows each time that it is computed, but a second pass found"
    " other rows.\nHint: write it to a Parquet file and read that file."
)
CHANGES = {
    "one label": lambda df: df.assign(label=df["label"].where(df.index % 37 > 0, "b")),
    "all labels": lambda df: df.assign(label=df["label"].map({"a": "b", "b": "c", "c": "a"})),
    "one key": lambda df: df.assign(id=df["id"].where(df.index % 37 > 0, df["id"] + N)),
    "all keys": lambda df: df.assign(id=(df["id"] + 1) % N),
    "a row less": lambda df: df.iloc[1:],
    "a row twice": lambda df: pd.concat([df, df.iloc[:1]]),
    "no rows": lambda df: df.iloc[:0],
    "other rows": lambda df: df[::-1].assign(id=df["id"] + N),
    "one price": lambda df: df.assign(price=df["price"].where(df.index % 37 > 0, 999)),
    "who": lambda df: df.assign(who=(df["who"] + df["id"] % 2) % 60),
    "where": lambda df: df.assign(some=df["some"] ^ (df.index % 37 == 0)),
    "one fold": lambda df: df.assign(fold=df["fold"].mask(df.index % 40 == 0)),
}
CALLS = {
    "classes": lambda df: df.strat.kfold("label", 4, key="id"),
    "repeats": lambda df: df.strat.kfold("label", 4, key="id", repeats=2),
    "where": lambda df: df.strat.kfold("label", 4, key="id", where="some"),
    "split": lambda df: df.strat.split("label", {"train": 200, "test": None}, key="id"),
    "quantiles": lambda df: df.strat.kfold(["label", sf.quantiles("price", 3)], 4, key="id"),
    "groups": lambda df: df.strat.kfold("label", 4, groups="who"),
    "extend": lambda df: df.strat.extend("label", 4, key="id"),
}
SEEN = {
    "classes": ["one label", "all labels", "one key", "all keys", "a row less", "a row twice"],
    "repeats": ["one label", "one key", "all keys", "no rows"],
    "where": ["where", "one label", "one key"],
    "split": ["one label", "all labels", "all keys", "other rows"],
    "quantiles": ["one price", "one label", "one key"],
    "groups": ["who", "one label", "a row twice"],
    "extend": ["one fold", "one label", "one key", "a row less"],
}
"""Of each call, changes that it must see."""


def dealt(call):
    """Deal a frame whose rows do not change yet, and return it with its source."""
    source = Source(FRAME.assign(fold=GIVEN) if call == "extend" else FRAME)
    return source, CALLS[call](source.frame)


@pytest.mark.parametrize(("call", "change"), [(call, each) for call in SEEN for each in SEEN[call]])
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_rows_that_change_after_they_were_counted_are_an_error(call, change):
    """What was counted in the call must be there when the column is added, or a part of it."""
    source, folded = dealt(call)
    source.change = CHANGES[change]
    for rows in (folded, folded.partitions[0]) if call == "classes" else (folded,):
        refuse(OTHER_ROWS, rows.compute)


def test_rows_that_change_between_the_passes_are_an_error():
    """Rows near the cuts are those of the first pass, or they are never dealt."""
    n = 150_000
    n_read = count()
    source = Source(pd.DataFrame({"id": range(n), "label": "a"}))
    source.change = lambda part: part.assign(id=part["id"] + n * next(n_read))
    refuse_now(OTHER_ROWS, lambda: sf.kfold(source.frame, "label", key="id"))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_rows_in_another_order_are_the_same_rows(call):
    """The order of the rows inside a partition does not matter."""
    source, folded = dealt(call)
    expected = folded.compute()
    source.change = lambda part: part[::-1]
    assert folded.compute().sort_index().equals(expected.sort_index())


SHUFFLES = {
    "sort_values": lambda df: df.sort_values("label"),
    "set_index": lambda df: df.set_index("label", drop=False),
    "shuffle": lambda df: df.shuffle("label"),
    "merge": lambda df: df.merge(df[["id"]], on="id"),
}


@pytest.mark.parametrize("shuffle", SHUFFLES)
def test_folds_after_a_shuffle_are_those_of_the_keys(shuffle):
    """Threads that shuffle on disk put rows in another order each time, which keys do not mind."""
    rows = pd.DataFrame({"id": range(2000), "label": [i * i % 11 for i in range(2000)]})
    with dask.config.set(scheduler="threads"):
        lazy = SHUFFLES[shuffle](dd.from_pandas(rows, npartitions=16))
        folded = lazy.strat.kfold("label", key="id")
        train, valid = (set(part["id"].compute()) for part in next(iter(sf.folds(folded))))
        again = [folded.compute().sort_values("id")["fold"].tolist() for _ in range(2)]
    assert (train | valid, train & valid) == ({*rows["id"]}, set())
    assert again == [sf.kfold(rows, "label", key="id")["fold"].tolist()] * 2


@pytest.fixture
def files(tmp_path):
    """Write twelve files, which Dask joins where few of their columns are read."""
    rows = FRAME.assign(**{f"y{i}": 1.5 for i in range(20)})
    for place in range(12):
        rows[place * 30 : (place + 1) * 30].to_parquet(tmp_path / f"{place:02}.parquet")
    return tmp_path


def test_files_of_which_few_columns_are_read_have_the_partitions_that_were_counted(files):
    """Files that Dask joins hold the rows that were counted, whatever is read of them."""
    whole = dd.read_parquet(files)
    expected = FRAME[:360].strat.kfold("label", 4, key="id")
    expected = expected.strat.kfold(["label", "fold"], 2, name="inner", key="id")
    for lazy in (whole, whole[["id", "label"]]):
        folded = lazy.strat.kfold("label", 4, key="id")
        assert folded.npartitions == lazy.npartitions == 12
        again = folded.strat.kfold(["label", "fold"], 2, name="inner", key="id").compute()
        for found in (folded["fold"].compute(), folded.compute()["fold"], again["fold"]):
            assert found.tolist() == expected["fold"].tolist()
        assert again["inner"].tolist() == expected["inner"].tolist()


@pytest.mark.parametrize("change", ["one label", "one key", "a row less"])
def test_files_that_change_are_an_error_where_they_are_joined(files, change):
    """A file of other rows than were counted is noticed, also if Dask joins it to others."""
    folded = dd.read_parquet(files).strat.kfold("label", 4, key="id")
    folded[["id", "fold"]].compute()
    changed = pd.read_parquet(files / "01.parquet").reset_index(drop=True)
    changed.index += 36
    CHANGES[change](changed).to_parquet(files / "01.parquet")
    refuse(OTHER_ROWS, folded[["id", "fold"]].compute)
