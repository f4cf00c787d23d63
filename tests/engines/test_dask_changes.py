"""A Dask frame that gives other rows in a later pass is an error, and never uneven folds."""

from itertools import count

import numpy as np
import pandas as pd
import pytest

import stratframe as sf

dask = pytest.importorskip("dask", reason='needs pip install "stratframe[dask]"')
dd = pytest.importorskip("dask.dataframe", reason='needs pip install "stratframe[dask]"')

import stratframe.dask  # noqa: E402 - registers .strat on Dask frames

pytestmark = [pytest.mark.dask, pytest.mark.usefixtures("one_thread")]

N = 400
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "id": RNG.permutation(N),
        "label": RNG.choice(["a", "b", "c"], N),
        "price": RNG.integers(0, 500, N),
        "who": RNG.integers(0, 60, N),
        "some": RNG.random(N) < 0.7,
        "fold": pd.array(np.where(RNG.random(N) < 0.5, RNG.integers(0, 4, N), -1)).astype("Int64"),
    }
)
FRAME["fold"] = FRAME["fold"].mask(FRAME["fold"] < 0)
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
    "order": lambda df: df[::-1],
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


NUMBERS = count()


class Source:
    """A frame whose rows change when it is told to."""

    def __init__(self, change, frame=FRAME):
        # Dask takes equal objects for one, and would read the rows of another test.
        self.change, self.changed, self.number = CHANGES[change], False, next(NUMBERS)
        self.frame = dd.from_pandas(frame, npartitions=3, sort=False).map_partitions(
            self.read, meta=frame.iloc[:0], enforce_metadata=False
        )

    def read(self, part):
        """Read a partition."""
        return self.change(part) if self.changed else part


@pytest.mark.parametrize(
    ("call", "change"), [(call, each) for call, changes in SEEN.items() for each in changes]
)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_rows_that_change_after_they_were_counted_are_an_error(call, change):
    """What was counted in the call must be there when the column is added."""
    source = Source(change, FRAME if call == "extend" else FRAME.drop(columns="fold"))
    folded = CALLS[call](source.frame)
    source.changed = True
    with pytest.raises(sf.StratError) as caught:
        folded.compute()
    assert str(caught.value) == (
        "The frame must give the same rows each time that it is computed, but a second pass found"
        " others.\nHint: write it to a Parquet file, and read that."
    )


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_rows_in_another_order_are_the_same_rows(call):
    """The order of the rows inside a partition does not matter."""
    source = Source("order", FRAME if call == "extend" else FRAME.drop(columns="fold"))
    folded = CALLS[call](source.frame)
    expected = folded.compute()
    source.changed = True
    assert folded.compute().sort_index().equals(expected.sort_index())


SHUFFLES = {
    "sort_values": lambda df: df.sort_values("label"),
    "set_index": lambda df: df.set_index("label", drop=False),
    "shuffle": lambda df: df.shuffle("label"),
    "merge": lambda df: df.merge(df[["id"]], on="id"),
}


@pytest.mark.parametrize("shuffle", SHUFFLES)
def test_folds_after_a_shuffle_need_a_key(shuffle):
    """Threads that shuffle on disk put rows in another order each time, which keys do not mind."""
    rows = pd.DataFrame({"id": range(2000), "label": [i * i % 11 for i in range(2000)]})
    with dask.config.set(scheduler="threads"):
        lazy = SHUFFLES[shuffle](dd.from_pandas(rows, npartitions=16))
        with pytest.raises(sf.StratError, match="Dask frames need a `key`"):
            lazy.strat.kfold("label")
        folded = lazy.strat.kfold("label", key="id")
        train, valid = (set(part["id"].compute()) for part in next(iter(sf.folds(folded))))
        again = [folded.compute().sort_values("id")["fold"].tolist() for _ in range(2)]
    assert train | valid == {*rows["id"]}
    assert not train & valid
    assert again == [sf.kfold(rows, "label", key="id")["fold"].tolist()] * 2


@pytest.mark.parametrize("change", ["one label", "one key", "a row less"])
def test_one_partition_is_compared_by_itself(change):
    """A part of the frame that is computed alone is compared with what was counted of it."""
    source = Source(change, FRAME.drop(columns="fold"))
    folded = CALLS["classes"](source.frame)
    source.changed = True
    with pytest.raises(sf.StratError, match="the same rows each time"):
        folded.partitions[0].compute()


def test_files_of_which_few_columns_are_read_have_the_partitions_that_were_counted(tmp_path):
    """Dask joins files of which few columns are read, which makes no other rows of them."""
    for place in range(12):
        rows = FRAME[place * 30 : (place + 1) * 30].drop(columns="fold")
        rows.assign(**{f"y{i}": 1.5 for i in range(20)}).to_parquet(
            tmp_path / f"{place:02}.parquet"
        )
    whole = dd.read_parquet(tmp_path)
    for lazy in (whole, whole[["id", "label"]]):
        folded = lazy.strat.kfold("label", 4, key="id")
        assert folded.npartitions == lazy.npartitions == 12
        rows = folded.compute()
        assert folded["fold"].compute().tolist() == rows["fold"].tolist()
        counts = pd.crosstab(rows["label"], rows["fold"])
        assert (counts.max(axis=1) - counts.min(axis=1)).max() <= 1
        again = folded.strat.kfold(["label", "fold"], 2, name="inner", key="id").compute()
        counts = pd.crosstab(again["inner"], [again["label"], again["fold"]])
        assert (counts.max() - counts.min()).max() <= 1


@pytest.mark.parametrize("change", ["one label", "one key", "a row less"])
def test_files_that_change_are_an_error_where_they_are_joined(tmp_path, change):
    """Of files that Dask joins, one that holds other rows than were counted is noticed."""
    for place in range(12):
        rows = FRAME[place * 30 : (place + 1) * 30].drop(columns="fold")
        rows = rows.assign(**{f"y{i}": 1.5 for i in range(20)})
        rows.to_parquet(tmp_path / f"{place:02}.parquet")
    folded = dd.read_parquet(tmp_path).strat.kfold("label", 4, key="id")
    expected = folded[["id", "fold"]].compute()
    assert expected.equals(folded.compute()[["id", "fold"]])
    changed = pd.read_parquet(tmp_path / "01.parquet").reset_index(drop=True)
    changed.index += 37 - 1
    CHANGES[change](changed).to_parquet(tmp_path / "01.parquet")
    with pytest.raises(sf.StratError, match="the same rows each time"):
        folded[["id", "fold"]].compute()
