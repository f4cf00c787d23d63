"""What an engine does for one kind of frame that may be too large for one machine.

An engine finds the columns of a call, counts the rows that are alike, finds the numbers on both
sides of cuts, and adds columns by a rule for each row. Strata, quotas and tables are worked out
once for all engines, in `counted.py` and `engine_source.py`, from counts of rows. A new engine is a
subclass of `Engine`. This module has everything that it needs.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from .. import frames
from ..core.hashing import hash_keys
from ..core.types import Ints, Words
from ..errors import StratError, is_data, plural
from ..frames import (
    NewColumn,
    SharedRows,
    encode_classes,
    format_reference,
    read_columns,
    read_flags,
)
from ..frames.attach import attach_pandas
from ..frames.folds import period_starts
from ..frames.labels import drop_values, filter_values
from ..pipeline.options import Options
from ..terms.base import ByEdges, ByQuantiles, ByValue, Term
from ..terms.classes import Classes
from .counts import CountedCodes, Counts, Cuts, PartsByNumber, by_argument, parts_by_number
from .shared import leaking_sets, shared_values

__all__ = [
    "ByEdges",
    "ByQuantiles",
    "ByValue",
    "Call",
    "CountedCodes",
    "Counts",
    "Cuts",
    "Engine",
    "NewColumn",
    "Options",
    "PartsByNumber",
    "Term",
    "attach_pandas",
    "by_argument",
    "check_key",
    "check_n_strata",
    "check_possible",
    "check_term",
    "encode_classes",
    "engine_of",
    "filter_values",
    "not_possible",
    "number_rows",
    "other_rows",
    "parts_by_number",
    "period_starts",
    "read_columns",
    "read_filled",
    "read_flags",
]

MAX_STRATA = 1 << 22
"""The maximum number of combinations of values whose counts the driver holds."""

Call: TypeAlias = Any
"""What an engine knows about the columns of a call. No other module looks inside."""

EngineFrame: TypeAlias = Any
"""An engine's frame."""


class Engine(ABC):
    """A frame that may be too large for one machine, and the operations on it.

    Rows are *alike* if they have the same value, or bin, in every entry of a call, as
    `Term.counted_by` says. Rows in bins may also be counted by value. The *number* of a row is the
    hash of its key under a salt, as `number_rows` computes it.
    """

    name: str
    """The name in messages, such as "Dask"."""
    frame: EngineFrame

    @abstractmethod
    def empty(self) -> Any:
        """Make a pandas or Polars frame without rows that has the columns of the frame."""

    def check(
        self,
        refs: Mapping[str, Sequence[Any]],
        new_names: Sequence[str] = (),
        *,
        overwrite: bool = False,
    ) -> None:
        """Raise if a column that is referred to is missing, or if a new name is taken."""
        named = {argument: list(given) for argument, given in refs.items()}
        frames.check_refs(self.empty(), named, new_names, overwrite=overwrite)

    @abstractmethod
    def resolve(self, term: Term) -> Term:
        """Choose the term that `term` stands for, given its column, like `Term.resolve`."""

    @abstractmethod
    def bind(
        self,
        options: Options,
        fold: str | None = None,
        every: str | None = None,
        *,
        drop: bool = False,
    ) -> Call:
        """Find the columns of a call, compute those that the frame lacks, and check their types.

        The entries are those of `by`, then those of `groups`, then the column of folds, if there is
        one. With `every`, the folds are the calendar periods of the dates or times in this column,
        each given by its start. Rows are not dealt if `where` is false; with `drop`, if they have
        no fold; and with `options.missing == "null"`, if a value of `by` or `groups` is missing.
        Missing values of `where` are an error.
        """

    @abstractmethod
    def count(
        self, call: Call, *, before: int | None = None, salts: Sequence[int] = ()
    ) -> tuple[Call, Counts]:
        """Count the rows that are alike.

        With `before`, rows are counted only by the entries before that place. With `salts`, the
        lowest number among the rows of each counted row is found as well, and missing values of the
        key are an error. The returned call may hold what later passes need.
        """

    def cut(self, call: Call, place: int, n: int, parents: CountedCodes) -> Call:  # noqa: ARG002
        """Find an entry's `n`-quantiles in each stratum of the earlier entries, for later counts.

        Quantile i is the value of rank ceil(i * size / n), and belongs to the bin below it. The
        default cuts nothing, for engines that count rows in bins by value.
        """
        return call

    @abstractmethod
    def around(
        self, call: Call, counted: CountedCodes, salts: Sequence[int], cuts: Sequence[Cuts]
    ) -> list[tuple[Words, Words]]:
        """Find numbers on both sides of each cut, under each salt, in the order of the cuts.

        The first number is at least that of the last row before the cut, and the second is at most
        that of the first row after it. The first is below the second, unless both rows have the
        same number. The salts need not be those of the counts. Raise `other_rows` if the strata no
        longer have `counted.sizes` rows. Keys that repeat away from the cuts are not found.
        """

    def keys_at(self, options: Options, salts: Sequence[int], numbers: Sequence[Words]) -> Any:
        """Collect the keys of rows with the given numbers under each salt, as a pandas frame.

        The default holds all keys on one machine.
        """
        terms = tuple(Classes((ref,)) for ref in options.key)
        counts = self.count(self.bind(replace(options, terms=terms, groups=())))[1]
        keys = counts.columns["by"]
        found = zip(number_rows(keys, salts), numbers, strict=True)
        places = np.flatnonzero(np.logical_or.reduce([np.isin(*each) for each in found]))
        rows = np.repeat(places, counts.weights[places])
        return frames.make_frame("pandas", {str(key.name): frames.take(key, rows) for key in keys})

    @abstractmethod
    def attach(
        self,
        call: Call,
        counted: CountedCodes | None,
        outputs: Sequence[NewColumn],
        parts: Sequence[PartsByNumber],
        salts: Sequence[int] = (),
        *,
        fill: bool = False,
    ) -> EngineFrame:
        """Add a column for each output: the part of every row, given its stratum and its number.

        If parts have no points, as for groups, rows need no numbers, and there are no salts. With
        `fill`, the only output is a column of the frame, in which rows that are not dealt keep what
        they have. If `counted` is None, all rows are one stratum, and a missing key is an error
        when the frame is computed.
        """

    @abstractmethod
    def select(
        self,
        name: str,
        values: Sequence[Any],
        *,
        equal: bool,
        nulls: bool = False,
        every: str | None = None,
        drops: bool = False,
    ) -> EngineFrame:
        """Keep the rows of some folds, or the rows of all other folds.

        `values` are folds as they appear in counts. With `nulls`, rows without a fold are kept as
        well. With `drops`, the column of folds is left out.
        """

    def drop_shared(self, other: EngineFrame, values: Mapping[str, Any]) -> EngineFrame:  # noqa: ARG002
        """Drop the rows that share a value of a column with a row of another frame.

        Missing values match nothing. `values` holds, for each column, a series of its values in the
        other frame, as counted. An engine may join the frames or look the values up.
        """
        terms = tuple(Classes((name,)) for name in values)
        call, counts = self.count(self.bind(Options(terms)))
        columns = dict(zip(values, counts.columns["by"], strict=True))
        table = frames.make_frame("pandas", columns)
        codes = np.where(table.index.isin(drop_values(table, values).index), 0, -1)
        return self.keep(call, CountedCodes(counts, codes, 1), self.unused("kept"), drops=True)

    def shared_rows(
        self, refs: Sequence[Any], argument: str, name: str, *, drop: bool
    ) -> SharedRows:
        """Count what rows share across the folds of a column.

        Missing values equal each other for `duplicates`. Rows without a group or a key are left
        out. With `drop`, rows without a fold are left out as well; otherwise they make up one more
        fold.
        """
        call = self.bind(Options(tuple(Classes((ref,)) for ref in refs)), name, drop=drop)
        return shared_values(self.count(call)[1], nulls_alike=argument == "duplicates")

    def leaking_rows(self, refs: Sequence[Any], argument: str, name: str) -> EngineFrame:
        """Keep the rows whose key, group or values also occur in another fold.

        Rows without a fold are left out. Two columns are added: `check`, which is text, and `set`,
        a whole number that is the same for all rows with the same value.
        """
        call = self.bind(Options(tuple(Classes((ref,)) for ref in refs)), name, drop=True)
        call, counts = self.count(call)
        sets = leaking_sets(counts, nulls_alike=argument == "duplicates")
        kept = self.keep(call, CountedCodes(counts, sets, int(sets.max(initial=-1)) + 1), "set")
        marked = engine_on(kept)
        call, counts = marked.count(marked.bind(Options()))
        one = CountedCodes(counts, np.zeros(len(counts.weights), np.int64), 1)
        check = ("keys" if argument == "key" else argument,)
        return marked.attach(call, one, *whole_strata(one, "check", check))

    def keep(
        self, call: Call, counted: CountedCodes, name: str, *, drops: bool = False
    ) -> EngineFrame:
        """Keep the rows whose counted row has a stratum, and add a column of their strata."""
        marked = engine_on(self.attach(call, counted, *whole_strata(counted, name)))
        return marked.select(name, [], equal=False, drops=drops)

    def unused(self, name: str) -> str:
        """Lengthen a name until no column has it, ignoring case as Spark does."""
        taken = {str(each).lower() for each in self.frame.columns}
        while name in taken:
            name += "_"
        return name


def whole_strata(
    counted: CountedCodes, name: str, labels: tuple[str, ...] | None = None
) -> tuple[list[NewColumn], list[PartsByNumber]]:
    """Describe a column in which each stratum is a part of its own."""
    no_points = np.empty((counted.n_strata, 0), dtype=np.uint64)
    column = NewColumn(name, np.empty(0, np.int64), labels, nullable=True)
    return [column], [PartsByNumber(np.arange(counted.n_strata), no_points)]


def number_rows(key: Sequence[Any], salts: Sequence[int]) -> list[Words]:
    """Hash keys, given as series, to the number of each row under each salt.

    Missing values are an error.
    """
    check_key((series.name, frames.is_missing(series).sum()) for series in key)
    columns = [frames.read_key(series) for series in key] if salts else []
    return [hash_keys(columns, salt) for salt in salts]


def read_filled(given: Any, output: NewColumn, n_parts: int) -> Ints:
    """Read the folds or parts that a column has before it is filled, -1 where it has none."""
    if output.labels is None:
        return frames.read_fold_numbers(given, n_parts)[0]
    return frames.read_part_codes(given, output.labels)


# Which engine ----------------------------------------------------------------------------

ENGINES = {"dask": "DaskEngine", "pyspark": "SparkEngine"}
"""The class of each engine, by the package of its frames. The class is in the folder that has the
name of the package without `py`."""


def engine_of(frame: object) -> Engine | None:
    """Make the engine of a frame, or return None if no engine takes it."""
    package, name = type(frame).__module__.partition(".")[0], type(frame).__name__
    if package in ENGINES and package in sys.modules and name == "DataFrame":
        module = import_module(f".{package.removeprefix('py')}", __package__)
        make = getattr(module, ENGINES[package])
    else:  # a frame of another package names its own engine
        make = getattr(type(frame), "__stratframe_engine__", None)
    engine: Engine | None = None if make is None else make(frame)
    return engine


def engine_on(frame: Any) -> Engine:
    engine = engine_of(frame)
    assert engine is not None
    return engine


# What is possible ------------------------------------------------------------------------


def check_possible(options: Options, engine: str) -> None:
    """Raise if a call needs the order of all rows, their distances, or data outside the frame."""
    if is_data(options.where):
        raise frames.references.label_error(options.where, "where", [], "pandas")
    if options.deal == "circular":
        circular = '`deal="circular"` deals rows in their order'
        raise not_possible(circular, engine)
    if options.deal == "contiguous":
        msg = (
            f'`deal="contiguous"` cuts an order of all rows, which is not possible on {engine}'
            " frames.\nHint: compare numbers with one of their quantiles, which Dask's"
            " `quantile` and Spark's `approxQuantile` find."
        )
        raise StratError(msg)
    if options.marginal:
        margins = "`sf.margins` searches over all rows at once"
        raise not_possible(margins, engine)
    for term in (*options.terms, *options.groups):
        if term.evens_totals:
            swaps = f"`{term.function}` swaps rows until their totals are even"
            raise not_possible(swaps, engine)
        if not (options.groups and term.orders_rows and term.without_order() is not None):
            check_term(term, engine)


def check_term(term: Term, engine: str) -> None:
    """Raise if an entry needs the order of all rows, their distances, or their links."""
    if term.counted_by() is not None:
        return
    if term.only_groups:
        msg = (
            f"`{term.function}` looks at all rows at once, which is not possible on {engine}"
            " frames.\nHint: make a column of groups on one machine, or with a graph library of"
            ' the engine, and name it, as in `groups="component"`.'
        )
        raise StratError(msg)
    if term.orders_rows and term.without_order() is not None:
        column = format_reference(term.columns[0])
        msg = (
            f"A continuous entry of `by` sorts all rows, which is not possible on {engine} frames,"
            f" got {term}.\nHint: cut it, as in `sf.quantiles({column}, 10)`, or take its values"
            f" as they are, `sf.classes({column})`."
        )
        raise StratError(msg)
    distances = f"`{term.function}` needs the distances of all rows"
    raise not_possible(distances, engine)


def not_possible(what: str, engine: str) -> StratError:
    return StratError(
        f"{what}, which is not possible on {engine} frames.\nHint: `sf.quantiles` and"
        " `sf.bins` make strata of numbers."
    )


def check_n_strata(n_strata: int) -> None:
    if n_strata > MAX_STRATA:
        msg = (
            f"`by` must make at most {MAX_STRATA:,} strata, because the driver holds their counts,"
            f" got {n_strata:,}."
            "\nHint: `sf.quantiles` and `sf.bins` make few strata of many numbers."
        )
        raise StratError(msg)


def check_key(missing: Iterable[tuple[Any, int]]) -> None:
    """Raise if columns of the key have missing values; `missing` pairs each column with a count."""
    faults = [
        f"Column {name!r} {frames.rules.HAS_MISSING} in {plural(count, 'row')}."
        for name, count in missing
        if count
    ]
    if faults:
        raise StratError("\n".join(faults))


def other_rows() -> StratError:
    """Build the error for a frame whose rows change between two passes."""
    return StratError(
        "The frame must give the same rows each time that it is computed, but a second pass found"
        " others.\nHint: write it to a Parquet file, and read that."
    )
