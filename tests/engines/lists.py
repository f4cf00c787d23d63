"""A small engine, for tests and as an example: its frames are lists of pandas frames.

A call holds the columns that it reads, and knows of each row which counted row it is, so that none
need be found again by its values, as an engine must whose rows do not stay in memory. What methods
get and give is said in `stratframe.engines.base`.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from stratframe import frames
from stratframe.core.hashing import HashedWords, hash_keys
from stratframe.core.strata import lowest_words, quantile_bins
from stratframe.core.types import Flags, Ints, Values, Words
from stratframe.engines.base import Counts, check_key, check_term, parts_by_number
from stratframe.engines.cuts import counts_by, near_cells, split_intervals
from stratframe.frames.attach import attach_pandas
from stratframe.terms.base import ByEdges, ByQuantiles
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
        """The names of the columns, the same in all partitions."""
        return self.partitions[0].columns

    def compute(self) -> pd.DataFrame:
        """Put the partitions one below the other."""
        return pd.concat(self.partitions)


class Entry(NamedTuple):
    """An entry of a call, on the rows of all partitions."""

    series: Any
    codes: Ints  # rows that are alike have one code
    values: Values  # by which the highest and the lowest of these are known


class Call(NamedTuple):
    """What a call knows of the rows of all partitions."""

    entries: dict[str, list[Entry]]  # of `by`, of `groups` and of `name`, a column of folds
    key: list[Any]
    dealt: Flags
    numbers: list[Words]  # under each salt
    is_filled: bool = False  # whether the column of folds is filled


class ListsEngine:
    """The engine of such a frame."""

    name = "Lists"
    needs_key = False

    def __init__(self, frame: Lists) -> None:
        self.frame = frame
        self.ends = np.cumsum([len(partition) for partition in frame.partitions])
        self.rows = np.arange(self.ends[-1])
        self.partitions = np.searchsorted(self.ends, self.rows, "right")

    def check(self, refs, new_names=(), *, overwrite=False):
        """Look for the columns in the first partition."""
        named = {argument: list(given) for argument, given in refs.items()}
        frames.check_all_refs(self.frame.partitions[0], named, new_names, overwrite=overwrite)

    def read(self, refs):
        """Read columns of all partitions."""
        read = [frames.read_columns(partition, refs) for partition in self.frame.partitions]
        return [pd.concat(pieces, ignore_index=True) for pieces in zip(*read, strict=True)]

    def resolve(self, term):
        """Choose the term by the values of all rows."""
        return term.resolve(self.read(term.columns))

    def bind(self, options, fold=None):
        """Read and encode the columns, and deal the rows that `where` flags."""
        terms = {"by": options.terms, "groups": options.groups}
        terms["name"] = [] if fold is None else [Classes((fold,))]
        entries = {argument: [self.encode(each) for each in terms[argument]] for argument in terms}
        dealt = np.ones(len(self.rows), dtype=np.bool_)
        for series in self.read(options.columns()["where"]):
            dealt, missing = frames.read_flags(series, repr(series.name))
            check_key([(series.name, missing.sum())])
        return Call(entries, self.read(options.key), dealt, [])

    def encode(self, term):
        """Encode the column of a term by what makes rows alike; quantiles are found later."""
        check_term(self.resolve(term), self.name)
        (series,), alike = self.read(term.columns), term.counted_by()
        if isinstance(alike, ByQuantiles):
            values, missing = frames.read_numbers(series, str(term))
            return Entry(series, np.where(missing, alike.n, -1), values)
        if isinstance(alike, ByEdges):
            values, missing = frames.read_comparable(series, str(term))
            # A value at an edge is alike with no other, whichever bin it belongs to.
            below, upto = (np.searchsorted(alike.edges, values, side) for side in ("left", "right"))
            return Entry(series, np.where(missing, -1, below + upto), values)
        codes, _ = frames.encode_classes(series)
        return Entry(series, codes, codes)

    def restrict(self, call, *, present):
        """Deal the rows with a fold, or those without, whose fold is then filled."""
        missing = frames.is_missing(call.entries["name"][0].series)
        return call._replace(dealt=call.dealt & (missing != present), is_filled=not present)

    def number(self, call, salts):
        """Hash the keys of the rows that are dealt, or else their partition and their place."""
        key = [series[call.dealt] for series in call.key] if salts else []
        check_key((series.name, frames.is_missing(series).sum()) for series in key)
        places = [each[call.dealt].astype(np.uint64) for each in (self.partitions, self.rows)]
        columns = list(map(frames.read_key, key)) or list(map(HashedWords, places))
        numbers = [np.zeros(len(self.rows), dtype=np.uint64) for _ in salts]
        for each, salt in zip(numbers, salts, strict=True):
            each[call.dealt] = hash_keys(columns, salt)
        return call._replace(numbers=numbers)

    def count(self, call, *, before=None, salts=(), for_table=False):
        """Count the rows of each partition; `native` is the counted row of every row."""
        call, entries = self.number(call, salts), call.entries
        if before is not None:
            entries = {"by": entries["by"][:before], "groups": [], "name": []}
        codes = [self.partitions, *(x.codes for each in entries.values() for x in each)]
        table = pd.DataFrame(dict(enumerate(codes)))[call.dealt]
        alike = table.groupby(list(table), sort=False)
        native, sizes = np.full(len(self.rows), -1), alike.size().to_numpy()
        native[call.dealt] = alike.ngroup()
        weights = np.append(sizes, np.zeros_like(sizes)) if for_table else sizes
        columns = {
            argument: [shown_values(entry, native, weights) for entry in given]
            for argument, given in entries.items()
        }
        dealt = [(native[call.dealt], len(weights), each[call.dealt]) for each in call.numbers]
        lowest = np.array([lowest_words(*each) for each in dealt]) if salts else None
        return call, Counts(columns, weights, lowest, native)

    def cut(self, call, place, n, parents):
        """Sort the values of each stratum; missing ones are a bin of their own."""
        entry, strata = call.entries["by"][place], strata_of(parents)
        bins = entry.codes.copy()
        rows = np.flatnonzero((bins < n) & (strata >= 0))
        bins[rows] = quantile_bins(strata[rows], entry.values[rows], n)[0]
        by = [*call.entries["by"]]
        by[place] = entry._replace(codes=bins)
        return call._replace(entries=call.entries | {"by": by})

    def recount(self, call, counted, salts):
        """Keep the counts, and number the rows."""
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
        numbers, dealt = numbers or [np.zeros(len(strata), np.uint64)] * len(parts), []
        for words, output, each in zip(numbers, outputs, parts, strict=True):
            own = parts_by_number(strata, words, each)
            if call.is_filled:
                n_parts = each.points.shape[1] + 1
                given = read_given(call.entries["name"][0].series, output, n_parts)
                own = np.where(own < 0, given, own)
            dealt.append(own)
        return self.add(outputs, dealt)

    def add(self, outputs, parts):
        """Add columns to every partition."""
        pieces = zip(*(np.split(each, self.ends[:-1]) for each in parts), strict=True)
        return Lists(
            attach_pandas(each, [x._replace(parts=y) for x, y in zip(outputs, piece, strict=True)])
            for each, piece in zip(self.frame.partitions, pieces, strict=True)
        )

    def select(self, name, values, *, equal, nulls=False, drops=False):
        """Keep some rows of every partition."""
        keep = partial(
            frames.select.filter_values, name=name, values=values, equal=equal, nulls=nulls
        )
        kept = map(keep, self.frame.partitions)
        return Lists(each.drop(columns=name) if drops else each for each in kept)

    def drop_shared(self, other, values):
        """Drop the rows of every partition that have one of the values."""
        return Lists(frames.select.drop_values(each, values) for each in self.frame.partitions)

    def shared_rows(self, refs, argument, name, *, drop):
        """Compare all rows; those without a group, or key, are left out."""
        _, columns, labels, folds = self.compared(refs, argument, name, drop=drop)
        shared = frames.duplicates.count_across_folds(columns, folds, with_example=True)
        if shared.example:
            first, second = shared.example.rows
            values = tuple(frames.libraries.value_at(each, first) for each in columns)
            ends = (frames.libraries.value_at(labels, row) for row in (first, second))
            shared = shared._replace(example=frames.SharedExample(None, values, tuple(ends)))
        return shared

    def leaking_rows(self, refs, argument, name):
        """Keep the rows that equal a row of another fold."""
        rows, columns, _, folds = self.compared(refs, argument, name, drop=True)
        found, own = frames.duplicates.rows_across_folds(columns, folds)
        sets = np.full(len(self.rows), -1)
        sets[rows[found]] = own
        check = "keys" if argument == "key" else argument
        pieces = zip(self.frame.partitions, np.split(sets, self.ends[:-1]), strict=True)
        return Lists(x[y >= 0].assign(check=check, set=y[y >= 0]) for x, y in pieces)

    def compared(self, refs, argument, name, *, drop):
        """Read the rows that may share something, and the folds of these."""
        *columns, fold = self.read([*refs, name])
        folds = frames.fold_codes(fold)[1]
        asked = folds >= (0 if drop else -1)
        lacks = np.logical_or.reduce([frames.is_missing(series) for series in columns])
        rows = np.flatnonzero(asked if argument == "duplicates" else asked & ~lacks)
        return rows, [each.iloc[rows] for each in columns], fold.iloc[rows], folds[rows]


def shown_values(entry: Entry, native: Ints, weights: Ints) -> Any:
    """Take the highest value of every counted row, then the lowest of those that follow."""
    sizes = weights[: native.max(initial=-1) + 1]
    order = np.lexsort((entry.values, native))[len(native) - sizes.sum() :]
    ends = np.cumsum(sizes)
    rows = np.append(order[ends - 1], order[ends - sizes])[: len(weights)]
    return entry.series.iloc[rows].reset_index(drop=True)


def strata_of(counted: Any) -> Ints:
    """Find the stratum of every row; -1 for rows that are not dealt."""
    return np.append(counted.codes, -1)[counted.counts.native]


def read_given(series: Any, output: Any, n_parts: int) -> Ints:
    """Read the folds or parts that rows have; -1 where they have none."""
    if output.labels is None:
        return frames.read_fold_numbers(series, n_parts)[0]
    return frames.read_part_codes(series, output.labels)
