"""A small engine, for tests and as an example: its frames are lists of pandas frames.

It counts each value by itself, and knows of each row which counted row it is. What the methods get
and give is said in `stratframe.engines.base`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from stratframe.engines import base


class Lists:
    """A frame whose rows are in several pandas frames, its partitions."""

    def __init__(self, partitions: Iterable[pd.DataFrame]) -> None:
        self.partitions = list(partitions)

    def __stratframe_engine__(self):
        """Make the engine: this method is what verbs look for."""
        return ListsEngine(self)

    @property
    def columns(self) -> pd.Index:
        """The names of the columns."""
        return self.partitions[0].columns

    def compute(self) -> pd.DataFrame:
        """Put the partitions one below the other."""
        return pd.concat(self.partitions)


class Call(NamedTuple):
    """What a call knows of the rows of all partitions."""

    entries: dict[str, list[Any]]  # of `by`, of `groups` and of `name`, a column of folds
    key: list[Any]
    dealt: np.ndarray


class ListsEngine(base.Engine):
    """The engine of such a frame."""

    name = "Lists"

    def __init__(self, frame: Lists) -> None:
        self.frame = frame
        self.ends = np.cumsum(list(map(len, frame.partitions)))
        self.rows = np.arange(self.ends[-1])

    def empty(self):
        """Take no row of the first partition."""
        return self.frame.partitions[0].iloc[:0]

    def read(self, refs):
        """Read columns of all partitions."""
        read = [base.read_columns(partition, refs) for partition in self.frame.partitions]
        return [pd.concat(pieces, ignore_index=True) for pieces in zip(*read, strict=True)]

    def resolve(self, term):
        """Choose the term by the values of all rows."""
        return term.resolve(self.read(term.columns))

    def bind(self, options, fold=None, every=None, *, drop=False):
        """Read the columns, and deal the rows that `where` flags."""
        named = {**options.columns(), "name": [] if fold is None else [fold]}
        entries = {argument: self.read(named[argument]) for argument in ("by", "groups", "name")}
        if every is not None:
            entries["name"] = [base.period_starts(each, every) for each in entries["name"]]
        dealt = np.ones(len(self.rows), dtype=np.bool_)
        for series in self.read(named["where"]):
            dealt, missing = base.read_flags(series, repr(series.name))
            base.check_key([(series.name, missing.sum())])
        for series in entries["name"] if drop else []:
            dealt = dealt & series.notna().to_numpy()
        return Call(entries, self.read(options.key), dealt)

    def numbers(self, call, salts):
        """Hash the keys of the rows that are dealt; the numbers of others are 0."""
        found = np.zeros((len(salts), len(self.rows)), dtype=np.uint64)
        if salts:
            found[:, call.dealt] = base.number_rows([key[call.dealt] for key in call.key], salts)
        return found

    def count(self, call, *, before=None, salts=()):
        """Count the rows of one value in each partition; `native` is the counted row of a row."""
        entries = call.entries if before is None else {"by": call.entries["by"][:before]}
        codes = [base.encode_classes(x)[0] for each in entries.values() for x in each]
        partitions = np.searchsorted(self.ends, self.rows, "right")
        table = pd.DataFrame(dict(enumerate([partitions, *codes])))[call.dealt]
        alike = table.groupby(list(table), sort=False)
        native, weights = np.full(len(self.rows), -1), alike.size().to_numpy()
        native[call.dealt] = alike.ngroup()
        first = table.index[~alike.cumcount().to_numpy(dtype=np.bool_)]
        columns = {
            argument: [series.iloc[first].reset_index(drop=True) for series in given]
            for argument, given in entries.items()
        }
        numbers = self.numbers(call, salts)[:, call.dealt]
        lowest = np.full((len(salts), len(weights)), 2**64 - 1, dtype=np.uint64)
        np.minimum.at(lowest, (slice(None), native[call.dealt]), numbers)
        return call, base.Counts(columns, weights, lowest, native=native)

    def around(self, call, counted, salts, cuts):
        """Sort the numbers of all rows in their strata."""
        strata, found = strata_of(counted), []
        starts = np.append(0, np.cumsum(counted.sizes)) + (strata < 0).sum()
        for words, each in zip(self.numbers(call, salts), cuts, strict=True):
            ranked = words[np.lexsort((words, strata))]
            places = starts[each.strata] + each.ranks
            found.append((ranked[places - 1], ranked[places]))
        return found

    def attach(self, call, counted, outputs, parts, salts=(), *, fill=False):
        """Compare the number of every row with the points of its stratum."""
        strata = np.where(call.dealt, 0, -1) if counted is None else strata_of(counted)
        numbers = self.numbers(call, salts) if salts else np.zeros((len(parts), len(strata)), "u8")
        pieces = []
        for words, output, each in zip(numbers, outputs, parts, strict=True):
            own = base.parts_by_number(strata, words, each)
            if fill:
                series, n_parts = call.entries["name"][0], each.points.shape[1] + 1
                own = np.where(own < 0, base.read_filled(series, output, n_parts), own)
            split = np.split(own, self.ends[:-1])
            pieces.append([output._replace(parts=piece) for piece in split])
        columns = map(list, zip(*pieces, strict=True))
        return Lists(map(base.attach_pandas, self.frame.partitions, columns))

    def select_spans(self, name, spans, *, nulls=False):
        """Keep the rows of every partition that are in the spans."""
        how = {"name": name, "spans": spans, "nulls": nulls}
        return Lists(each[base.flag_times(each, **how)] for each in self.frame.partitions)

    def select(self, name, values, *, equal, nulls=False, drops=False):
        """Keep some rows of every partition."""
        how = {"name": name, "values": values, "equal": equal, "nulls": nulls}
        kept = [each[base.flag_values(each, **how)] for each in self.frame.partitions]
        return Lists(each.drop(columns=name) if drops else each for each in kept)


def strata_of(counted: Any) -> np.ndarray:
    """Find the stratum of every row; -1 for rows that are not dealt."""
    return np.append(counted.codes, -1)[counted.counts.native]
