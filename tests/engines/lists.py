"""A small engine, for tests and as an example: its frames are lists of pandas frames.

It counts each value by itself, and knows of each row which counted row it is. What the methods get
and give is said in `stratframe.engines.base`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from stratframe import frames
from stratframe.core.hashing import hash_keys
from stratframe.core.strata import first_occurrence, lowest_words
from stratframe.core.types import Flags, Ints, Words
from stratframe.engines.base import Counts, check_key, check_term, parts_by_number, read_filled
from stratframe.engines.counted import leaking_sets, shared_values
from stratframe.engines.cuts import counts_by, near_cells, split_intervals
from stratframe.frames.attach import attach_pandas
from stratframe.pipeline.options import Options
from stratframe.terms.classes import Classes


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
    dealt: Flags
    numbers: list[Words]  # under each salt
    is_filled: bool = False  # whether the column of folds is filled


class ListsEngine:
    """The engine of such a frame."""

    name = "Lists"

    def __init__(self, frame: Lists) -> None:
        self.frame = frame
        self.ends = np.cumsum(list(map(len, frame.partitions)))
        self.rows = np.arange(self.ends[-1])
        self.partitions = np.searchsorted(self.ends, self.rows, "right")

    def check(self, refs, new_names=(), *, overwrite=False):
        """Look for the columns in the first partition."""
        named = {argument: list(given) for argument, given in refs.items()}
        frames.check_refs(self.frame.partitions[0], named, new_names, overwrite=overwrite)

    def read(self, refs):
        """Read columns of all partitions."""
        read = [frames.read_columns(partition, refs) for partition in self.frame.partitions]
        return [pd.concat(pieces, ignore_index=True) for pieces in zip(*read, strict=True)]

    def resolve(self, term):
        """Choose the term by the values of all rows."""
        return term.resolve(self.read(term.columns))

    def bind(self, options, fold=None, every=None, *, drop=False):
        """Read the columns, and deal the rows that `where` flags."""
        for term in (*options.terms, *options.groups):
            check_term(self.resolve(term), self.name)
        named = {**options.columns(), "name": [] if fold is None else [fold]}
        entries = {argument: self.read(named[argument]) for argument in ("by", "groups", "name")}
        if every is not None:
            entries["name"] = [frames.folds.period_starts(each, every) for each in entries["name"]]
        dealt = np.ones(len(self.rows), dtype=np.bool_)
        for series in self.read(named["where"]):
            dealt, missing = frames.read_flags(series, repr(series.name))
            check_key([(series.name, missing.sum())])
        for series in entries["name"] if drop else []:
            dealt = dealt & ~frames.is_missing(series)
        return Call(entries, self.read(options.key), dealt, [])

    def number(self, call, salts):
        """Hash the keys of the rows that are dealt."""
        key = [series[call.dealt] for series in call.key] if salts else []
        check_key((series.name, frames.is_missing(series).sum()) for series in key)
        columns = list(map(frames.read_key, key))
        numbers = [np.zeros(len(self.rows), dtype=np.uint64) for _ in salts]
        for each, salt in zip(numbers, salts, strict=True):
            each[call.dealt] = hash_keys(columns, salt)
        return call._replace(numbers=numbers)

    def count(self, call, *, before=None, salts=(), for_table=False):
        """Count the rows of one value in each partition; `native` is the counted row of a row."""
        call, entries = self.number(call, salts), call.entries
        if before is not None:
            entries = {"by": entries["by"][:before], "groups": [], "name": []}
        codes = [frames.encode_classes(x)[0] for each in entries.values() for x in each]
        table = pd.DataFrame(dict(enumerate([self.partitions, *codes])))[call.dealt]
        alike = table.groupby(list(table), sort=False)
        native, weights = np.full(len(self.rows), -1), alike.size().to_numpy()
        native[call.dealt] = alike.ngroup()
        first = table.index[first_occurrence(native[call.dealt], len(weights))]
        if for_table:
            first, weights = np.tile(first, 2), np.append(weights, np.zeros_like(weights))
        columns = {
            argument: [series.iloc[first].reset_index(drop=True) for series in given]
            for argument, given in entries.items()
        }
        own = native[call.dealt]
        lowest = [lowest_words(own, len(weights), each[call.dealt]) for each in call.numbers]
        return call, Counts(columns, weights, np.array(lowest) if salts else None, native)

    def cut(self, call, place, n, parents):
        """Cut nothing, as each value is counted by itself, and quantiles are found of these."""
        return call

    def recount(self, call, counted, salts):
        """Keep the counts, and number the rows without a fold, which are filled."""
        missing = frames.is_missing(call.entries["name"][0])
        call = call._replace(dealt=call.dealt & missing, is_filled=True)
        return self.number(call, salts), counted

    def near_cuts(self, call, counted, tables):
        """Take all rows of the strata that are cut: without leading bits a cell is a stratum."""
        cells = counts_by(counted.codes, counted.counts.weights[:, None], counted.n_strata)
        strata, found = strata_of(counted), []
        for numbers, table in zip(call.numbers, tables, strict=True):
            rows = np.flatnonzero((strata >= 0) & split_intervals(cells, table)[strata])
            found.append(near_cells(cells, strata[rows], numbers[rows]))
        return found

    def keys_at(self, call, numbers):
        """Take the keys of the rows that have one of the numbers."""
        shared = [np.isin(*each) for each in zip(call.numbers, numbers, strict=True)]
        return pd.concat(call.key, axis=1)[call.dealt & np.logical_or.reduce(shared)]

    def attach(self, call, counted, outputs, parts, salts=()):
        """Compare the number of every row with the points of its stratum."""
        numbers = self.number(call, salts).numbers if counted is None else call.numbers
        strata = np.where(call.dealt, 0, -1) if counted is None else strata_of(counted)
        numbers, pieces = numbers or [self.rows.astype(np.uint64)] * len(parts), []
        for words, output, each in zip(numbers, outputs, parts, strict=True):
            own = parts_by_number(strata, words, each)
            if call.is_filled:
                series, n_parts = call.entries["name"][0], each.points.shape[1] + 1
                own = np.where(own < 0, read_filled(series, output, n_parts), own)
            split = np.split(own, self.ends[:-1])
            pieces.append([output._replace(parts=piece) for piece in split])
        columns = map(list, zip(*pieces, strict=True))
        return Lists(map(attach_pandas, self.frame.partitions, columns))

    def select(self, name, values, *, equal, nulls=False, every=None, drops=False):
        """Keep some rows of every partition."""
        how = {"name": name, "values": values, "equal": equal, "nulls": nulls, "every": every}
        kept = [frames.select.filter_values(each, **how) for each in self.frame.partitions]
        return Lists(each.drop(columns=name) if drops else each for each in kept)

    def drop_shared(self, other, values):
        """Drop the rows of every partition that have one of the values."""
        return Lists(frames.select.drop_values(each, values) for each in self.frame.partitions)

    def shared_rows(self, refs, argument, name, *, drop):
        """Count what the counted rows share."""
        counts = self.count_shared(refs, name, drop=drop)
        return shared_values(counts, nulls_alike=argument == "duplicates")

    def leaking_rows(self, refs, argument, name):
        """Keep the rows of counted rows that share something across folds."""
        counts = self.count_shared(refs, name, drop=True)
        sets = np.append(leaking_sets(counts, nulls_alike=argument == "duplicates"), -1)
        pieces = np.split(sets[counts.native], self.ends[:-1])
        check = "keys" if argument == "key" else argument
        pairs = zip(self.frame.partitions, pieces, strict=True)
        return Lists(x[own >= 0].assign(check=check, set=own[own >= 0]) for x, own in pairs)

    def count_shared(self, refs, name, *, drop):
        """Count the rows by their fold and by what they may share."""
        options = Options(tuple(Classes((ref,)) for ref in refs))
        return self.count(self.bind(options, name, drop=drop))[1]


def strata_of(counted: Any) -> Ints:
    """Find the stratum of every row; -1 for rows that are not dealt."""
    return np.append(counted.codes, -1)[counted.counts.native]
