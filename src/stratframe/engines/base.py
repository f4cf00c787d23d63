"""The interface of an engine, which handles frames that may be too large for one machine.

An engine finds the columns of a call, counts the rows with each combination of values, finds the
row numbers on both sides of each cut between parts, and adds new columns. The modules `counted` and
`engine_source` compute strata, quotas and tables from the counts, in the same way for all engines.
A new engine is a subclass of `Engine`, and can import all the names that it needs from this module.
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
from ..frames.labels import flag_times, flag_unshared, flag_values
from ..frames.periods import Span, period_starts, read_starts
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
    "StratError",
    "Term",
    "attach_pandas",
    "by_argument",
    "check_key",
    "check_n_strata",
    "check_possible",
    "check_term",
    "encode_classes",
    "engine_of",
    "flag_times",
    "flag_values",
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
"""The driver holds the counts of rows for at most this many combinations of values."""

Call: TypeAlias = Any
"""The engine's description of the columns of a call. Other modules only pass it on."""

EngineFrame: TypeAlias = Any


class Engine(ABC):
    """A frame that may be too large for one machine, with the operations that verbs need.

    Rows are *alike* if they have the same value or bin in every entry of a call. For each entry,
    `Term.counted_by` says which of the two is compared; an engine can also count each value of a
    bin separately. The *number* of a row is the hash of its key with a salt.
    """

    name: str
    """The name of the engine in messages, such as "Dask"."""
    frame: EngineFrame
    """The frame, whose attribute `columns` lists the names of its columns."""

    @abstractmethod
    def empty(self) -> Any:
        """Make a pandas or Polars frame that has the columns of this frame but no rows."""

    def check(
        self,
        refs: Mapping[str, Sequence[Any]],
        new_names: Sequence[str] = (),
        *,
        overwrite: bool = False,
    ) -> None:
        """Raise an error if a column is missing, or if a new name is already taken."""
        listed = {argument: list(columns) for argument, columns in refs.items()}
        frames.check_refs(self.empty(), listed, new_names, overwrite=overwrite)

    def check_period(self, name: str, every: str) -> None:
        """Raise an error if the values of a column have no periods of the given length."""
        (series,) = read_columns(self.empty(), [name])
        read_starts(series, every)

    @abstractmethod
    def resolve(self, term: Term) -> Term:
        """Return the term that `Term.resolve` chooses for the column of `term`.

        The term has one column: `check_possible` refuses all others before.
        """

    @abstractmethod
    def bind(
        self,
        options: Options,
        fold: str | None = None,
        every: str | None = None,
        *,
        drop: bool = False,
    ) -> Call:
        """Find or compute the columns of a call, and check their types.

        The call lists its entries in the order `by`, `groups`, `fold`. With `every`, each date or
        time in the column `fold` is replaced by the start of its period; `check_period` has checked
        the column. A row is not dealt if `where` is false, if `drop` is true and the row has no
        fold, or if `options.missing` is "null" and the row lacks a value in `by` or `groups`. A
        missing `where` raises an error.
        """

    @abstractmethod
    def count(
        self, call: Call, *, before: int | None = None, salts: Sequence[int] = ()
    ) -> tuple[Call, Counts]:
        """Count the rows in each set of rows that are alike.

        Only rows that are dealt are counted. If the call has no entries, as that of `Options()`,
        they are all alike, so that one counted row stands for them. With `before`, only the first
        `before` entries are used. With `salts`, `Counts.lowest` is also computed, and missing
        values in the key raise an error. The returned call can contain results that later passes
        need.
        """

    def cut(self, call: Call, place: int, n: int, parents: CountedCodes) -> Call:  # noqa: ARG002
        """Find the `n`-quantiles of an entry in each stratum of the earlier entries.

        Quantile i of `size` values is the value of rank ceil(i * size / n), and is the highest
        value in its bin. Later counts use the bins of the returned call. The default method returns
        the call unchanged, because an engine can instead count each value of a bin separately.
        """
        return call

    @abstractmethod
    def around(
        self, call: Call, counted: CountedCodes, salts: Sequence[int], cuts: Sequence[Cuts]
    ) -> list[tuple[Words, Words]]:
        """For each salt, find a lower and an upper row number for each of its cuts.

        The lower number is at least the number of the last row before the cut. The upper number is
        at most the number of the first row after the cut, and is greater than the lower number
        unless the two rows have the same number. The salts can differ from those used in `count`.
        The error of `other_rows` is raised if the strata no longer have the sizes `counted.sizes`.
        A repeated key is detected only if a cut falls between the rows that share it.
        """

    def keys_at(self, options: Options, salts: Sequence[int], numbers: Sequence[Words]) -> Any:
        """Collect the keys of the rows with the given numbers, as a pandas frame.

        `numbers` has an array for each salt. The default method loads all keys onto one machine.
        """
        terms = tuple(Classes((ref,)) for ref in options.key)
        counts = self.count(self.bind(replace(options, terms=terms, groups=())))[1]
        keys = counts.columns["by"]
        pairs = zip(number_rows(keys, salts), numbers, strict=True)
        is_wanted = np.logical_or.reduce([np.isin(*pair) for pair in pairs])
        places = np.flatnonzero(is_wanted)
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
        """Add a column for each output, with the part of every row.

        The part depends on the stratum and the number of the row. If there are no cut points, as
        for groups, no numbers are computed, and `salts` is empty. With `fill`, the only output is
        an existing column, in which rows that are not dealt keep their values. Without `counted`,
        all rows form one stratum, and computing the frame fails if a value of the key is missing.
        """

    @abstractmethod
    def select(
        self,
        name: str,
        values: Sequence[Any],
        *,
        equal: bool,
        nulls: bool = False,
        drops: bool = False,
    ) -> EngineFrame:
        """Keep the rows in the folds `values` or, with `equal=False`, the rows in all other folds.

        The folds in `values` are written as they are in `Counts`. With `nulls`, rows without a fold
        are also kept. With `drops`, the column of folds is dropped.
        """

    @abstractmethod
    def select_spans(self, name: str, spans: Sequence[Span], *, nulls: bool = False) -> EngineFrame:
        """Keep the rows with dates or times in the given spans of time.

        Spans are in microseconds of UTC. Dates, and times without a time zone, are read as if they
        were in UTC. With `nulls`, rows without a time are also kept.
        """

    def read_times(self, name: str, periods: Any, every: str) -> Any:  # noqa: ARG002
        """Convert the values that `Counts` has for periods to dates or times in these periods."""
        return periods

    def drop_shared(self, other: EngineFrame, values: Mapping[str, Any]) -> EngineFrame:  # noqa: ARG002
        """Drop the rows with a value that also occurs in the same column of another frame.

        A missing value matches no value. `values` has a series for each column to be compared, with
        the values that were counted in `other`. An engine can join `other` or look up `values`.
        """
        terms = tuple(Classes((name,)) for name in values)
        call, counts = self.count(self.bind(Options(terms)))
        columns = dict(zip(values, counts.columns["by"], strict=True))
        table = frames.make_frame("pandas", columns)
        codes = np.where(flag_unshared(table, values), 0, -1)
        return self.keep(call, CountedCodes(counts, codes, 1), self.unused("kept"), drops=True)

    def shared_rows(
        self, refs: Sequence[Any], argument: str, name: str, *, drop: bool
    ) -> SharedRows:
        """Count the distinct keys, groups or rows, the repeated ones, and those in several folds.

        If `argument` is "duplicates", missing values count as equal. Otherwise, rows with a missing
        value are left out. Rows without a fold form one more fold, unless `drop` leaves them out.
        """
        call = self.bind(Options(tuple(Classes((ref,)) for ref in refs)), name, drop=drop)
        return shared_values(self.count(call)[1], nulls_alike=argument == "duplicates")

    def leaking_rows(self, refs: Sequence[Any], argument: str, name: str) -> EngineFrame:
        """Keep the rows with a key, a group or values that also occur in another fold.

        Rows without a fold are left out. Two columns are added: `check` holds the text "keys",
        "groups" or "duplicates", and `set` holds an integer that is the same for equal values.
        """
        call = self.bind(Options(tuple(Classes((ref,)) for ref in refs)), name, drop=True)
        call, counts = self.count(call)
        sets = leaking_sets(counts, nulls_alike=argument == "duplicates")
        n_sets = int(sets.max(initial=-1)) + 1
        leaking = engine_on(self.keep(call, CountedCodes(counts, sets, n_sets), "set"))
        call, counts = leaking.count(leaking.bind(Options()))
        one_stratum = CountedCodes(counts, np.zeros(len(counts.weights), np.int64), 1)
        check = "keys" if argument == "key" else argument
        return leaking.attach(call, one_stratum, *whole_strata(one_stratum, "check", (check,)))

    def keep(
        self, call: Call, counted: CountedCodes, name: str, *, drops: bool = False
    ) -> EngineFrame:
        """Keep the rows that have a stratum, and add a column of strata unless `drops` is true."""
        marked = engine_on(self.attach(call, counted, *whole_strata(counted, name)))
        return marked.select(name, [], equal=False, drops=drops)

    def unused(self, name: str) -> str:
        """Append underscores to a name until no column has the same name, regardless of case."""
        taken = {str(each).lower() for each in self.frame.columns}
        while name in taken:
            name += "_"
        return name


def whole_strata(
    counted: CountedCodes, name: str, labels: tuple[str, ...] | None = None
) -> tuple[list[NewColumn], list[PartsByNumber]]:
    """Build the arguments with which `Engine.attach` adds a column of strata."""
    no_points = np.empty((counted.n_strata, 0), dtype=np.uint64)
    column = NewColumn(name, np.empty(0, np.int64), labels, nullable=True)
    return [column], [PartsByNumber(np.arange(counted.n_strata), no_points)]


def number_rows(key: Sequence[Any], salts: Sequence[int]) -> list[Words]:
    """Compute the number of each row with each salt; missing values in the key raise an error."""
    check_key((series.name, frames.is_missing(series).sum()) for series in key)
    columns = [frames.read_key(series) for series in key] if salts else []
    return [hash_keys(columns, salt) for salt in salts]


def read_filled(series: Any, output: NewColumn, n_parts: int) -> Ints:
    """Read the folds or parts that a column has before it is filled, with -1 for missing values."""
    if output.labels is None:
        return frames.read_fold_numbers(series, n_parts)[0]
    return frames.read_part_codes(series, output.labels)


# Finding the engine ----------------------------------------------------------------------

ENGINES = {"dask": "DaskEngine", "pyspark": "SparkEngine"}
"""The name of the engine class for each package that defines frames. The class is in the subpackage
whose name is that of the package without the prefix `py`."""


def engine_of(frame: object) -> Engine | None:
    """Return the engine for a frame, or None if no engine supports the frame."""
    path = type(frame).__module__
    package = path.partition(".")[0]
    is_pandas_on_spark = path.startswith("pyspark.pandas.")
    is_supported = type(frame).__name__ == "DataFrame" and not is_pandas_on_spark
    if package in ENGINES and package in sys.modules and is_supported:
        module = import_module(f".{package.removeprefix('py')}", __package__)
        make = getattr(module, ENGINES[package])
    else:  # other packages can define their own engine
        make = getattr(type(frame), "__stratframe_engine__", None)
    engine: Engine | None = None if make is None else make(frame)
    return engine


def engine_on(frame: Any) -> Engine:
    engine = engine_of(frame)
    assert engine is not None
    return engine


# Unsupported calls -----------------------------------------------------------------------


def check_possible(options: Options, engine: str) -> None:
    """Raise an error if a call needs data outside the frame, or all rows on one machine."""
    if is_data(options.where):
        raise frames.references.label_error(options.where, "where", [], "pandas")
    if options.deal == "circular":
        circular = '`deal="circular"` needs all rows in order'
        raise not_possible(circular, engine)
    if options.deal == "contiguous":
        msg = (
            f'`deal="contiguous"` needs all rows in order, which is not possible on {engine}'
            " frames.\nHint: compare a column with one of its quantiles, as computed by"
            " `quantile` in Dask or `approxQuantile` in Spark."
        )
        raise StratError(msg)
    if options.marginal:
        margins = "`sf.margins` searches over all rows at once"
        raise not_possible(margins, engine)
    for term in (*options.terms, *options.groups):
        if term.evens_totals:
            swaps = f"`{term.function}` swaps rows until the totals of the parts are even"
            raise not_possible(swaps, engine)
        if not (options.groups and term.orders_rows and term.without_order() is not None):
            check_term(term, engine)


def check_term(term: Term, engine: str) -> None:
    """Raise an error if an entry needs all rows in order, or distances or links between rows."""
    if term.counted_by() is not None:
        return
    if term.only_groups:
        msg = (
            f"`{term.function}` looks at all rows at once, which is not possible on {engine}"
            " frames.\nHint: compute a column of groups on one machine, or with a graph library"
            f' for {engine}, and pass its name, as in `groups="component"`.'
        )
        raise StratError(msg)
    if term.orders_rows and term.without_order() is not None:
        column = format_reference(term.columns[0])
        msg = (
            f"`by` must not have a continuous entry on {engine} frames, because it sorts all rows,"
            f" got {term}.\nHint: cut it into bins, as in `sf.quantiles({column}, 10)`, or use its"
            f" values as classes, as in `sf.classes({column})`."
        )
        raise StratError(msg)
    distances = f"`{term.function}` needs the distances between all rows"
    raise not_possible(distances, engine)


def not_possible(what: str, engine: str) -> StratError:
    return StratError(
        f"{what}, which is not possible on {engine} frames.\nHint: `sf.quantiles` and"
        " `sf.bins` divide numbers into strata."
    )


def check_n_strata(n_strata: int) -> None:
    if n_strata > MAX_STRATA:
        msg = (
            f"`by` must define at most {MAX_STRATA:,} strata, because the driver holds their"
            f" counts, got {n_strata:,}."
            "\nHint: `sf.quantiles` and `sf.bins` divide many numbers into few strata."
        )
        raise StratError(msg)


def check_key(missing: Iterable[tuple[Any, int]]) -> None:
    """Raise an error if a column has missing values; `missing` yields (column, count) pairs."""
    faults = [
        f"Column {name!r} {frames.rules.HAS_MISSING} in {plural(count, 'row')}."
        for name, count in missing
        if count
    ]
    if faults:
        raise StratError("\n".join(dict.fromkeys(faults)))  # a key can list a column twice


def file_is_gone(path: str) -> StratError:
    return StratError(
        f"The frame must give the same rows each time that it is computed, but a file that it reads"
        f" is gone: {path}\nHint: read the files again, and make the folds again."
    )


def other_rows() -> StratError:
    return StratError(
        "The frame must give the same rows each time that it is computed, but a second pass found"
        " other rows.\nHint: write it to a Parquet file and read that file."
    )
