"""What an engine does for frames of one kind that are larger than one machine.

An engine finds the columns of a call, counts the rows that are alike, finds the rows near cut
points, and adds columns by a rule for each row. Strata, quotas and tables are worked out once for
all engines, in `counted.py` and `source.py`, from counts of rows. A new engine is one class with
these methods.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from .. import frames
from ..core.strata import sum_by
from ..core.types import Ints, StratumTable, Words
from ..errors import StratError, is_data, plural
from ..frames import NewColumn, SharedRows, format_reference
from ..pipeline.options import Options
from ..terms.base import Term
from .cuts import NearCuts, parts_by_cuts

MAX_STRATA = 1 << 22
"""The most combinations of values whose counts the driver holds."""

Call: TypeAlias = Any
"""What an engine knows of the columns of a call. No other module looks inside."""

EngineFrame: TypeAlias = Any
"""A frame of an engine."""


class Counts(NamedTuple):
    """The rows of an engine's frame, counted by the values that make them alike."""

    columns: dict[str, list[Any]]
    """A pandas or Polars series for each entry of `by`, `groups` and `name`, with a value for
    each counted row. A bin is shown by its highest value. Several counted rows may have the same
    values."""
    weights: Ints
    """How many rows each counted row stands for, possibly none; shape (n_counted,)."""
    lowest: Words | None = None
    """The lowest number among these rows, for each salt; shape (n_salts, n_counted)."""
    native: Any = None
    """What the engine needs to find these rows again. No other module looks inside."""


def by_argument(columns: Sequence[Any], n_by: int, n_groups: int) -> dict[str, list[Any]]:
    """Divide the columns of counted rows among the arguments that they come from."""
    given, end = list(columns), n_by + n_groups
    return {"by": given[:n_by], "groups": given[n_by:end], "name": given[end:]}


class PartsByNumber(NamedTuple):
    """How the number of a row decides its part, for each stratum."""

    first: Ints
    """The part of the rows whose number is below all points, -1 for none; shape (n_strata,)."""
    points: Words
    """The lowest number of each further part, nondecreasing; shape (n_strata, n_points)."""


class Engine(Protocol):
    """A frame that is larger than one machine, and what can be asked of it.

    Rows are *alike* if they have the same value, or bin, in every entry of a call, as
    `Term.counted_by` says. The *number* of a row is the hash of its key under a salt.
    """

    name: str
    """The name in messages, such as "Dask"."""
    frame: EngineFrame

    def check(
        self,
        refs: Mapping[str, Sequence[Any]],
        new_names: Sequence[str] = (),
        *,
        overwrite: bool = False,
    ) -> None:
        """Raise if the frame lacks a column that is referred to, or already has a new one."""

    def resolve(self, term: Term) -> Term:
        """Choose the term that a term stands for on its column, like `Term.resolve`."""
        ...

    def bind(
        self,
        options: Options,
        fold: str | None = None,
        every: str | None = None,
        *,
        drop: bool = False,
    ) -> Call:
        """Find the columns of a call, compute those that are not there, and check their types.

        The entries are those of `by`, then those of `groups`, then the column of folds, if there is
        one. With `every`, the folds are the calendar periods of the dates or times in this column,
        each given by its start. With `drop`, rows without a fold are not dealt.
        """

    def count(
        self,
        call: Call,
        *,
        before: int | None = None,
        salts: Sequence[int] = (),
        for_table: bool = False,
    ) -> tuple[Call, Counts]:
        """Count the rows that are alike; missing values of the key are an error.

        With `before`, rows are counted only by the entries before that place. With `salts`, the
        lowest number among the rows of each counted row is found as well. For a table, the counted
        rows are followed by as many that stand for no rows and show the lowest values of bins.
        """
        ...

    def cut(self, call: Call, place: int, n: int, parents: CountedCodes) -> Call:
        """Find an entry's `n`-quantiles in each stratum of the entries before, for later counts."""

    def recount(
        self, call: Call, counted: CountedCodes, salts: Sequence[int]
    ) -> tuple[Call, CountedCodes]:
        """Restrict a call to the rows without a fold, whose folds `attach` then fills in.

        These rows keep their strata, and get new numbers under other salts.
        """
        ...

    def near_cuts(
        self, call: Call, counted: CountedCodes, tables: Sequence[StratumTable]
    ) -> list[NearCuts]:
        """Find the rows near the cut points of every stratum, for each salt of the counts."""
        ...

    def keys_at(self, call: Call, numbers: Sequence[Words]) -> Any:
        """Collect the keys of rows with the given numbers under each salt, as a pandas frame."""

    def attach(
        self,
        call: Call,
        counted: CountedCodes | None,
        outputs: Sequence[NewColumn],
        parts: Sequence[PartsByNumber],
        salts: Sequence[int] = (),
    ) -> EngineFrame:
        """Add a column for each output: the part of every row, given its stratum and its number.

        If `counted` is None, all rows are one stratum, `salts` are the salts of their numbers, and
        a missing key is an error when the frame is computed.
        """

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

        With `nulls`, rows without a fold are kept as well. With `drops`, the column of folds is
        left out.
        """

    def drop_shared(self, other: EngineFrame, values: Mapping[str, Any]) -> EngineFrame:
        """Drop the rows that share a value of a column with a row of another frame.

        Missing values match nothing. `values` holds, for each column, a series of its values in the
        other frame, as they were counted. An engine may join the frames or look the values up.
        """

    def shared_rows(
        self, refs: Sequence[Any], argument: str, name: str, *, drop: bool
    ) -> SharedRows:
        """Count what rows share across the folds of a column.

        Missing values equal each other for `duplicates`. Rows without a group or a key are left
        out. With `drop`, rows without a fold are left out as well; otherwise they make up one more
        fold.
        """
        ...

    def leaking_rows(self, refs: Sequence[Any], argument: str, name: str) -> EngineFrame:
        """Keep the rows that share something with a row of another fold.

        Rows without a fold are left out. Two columns are added: `check`, which is text, and `set`,
        a whole number that the rows of one set share.
        """


class CountedCodes(NamedTuple):
    """Counted rows and their strata."""

    counts: Counts
    codes: Ints
    """The stratum of each counted row, -1 if it is not dealt; shape (n_counted,)."""
    n_strata: int

    @property
    def sizes(self) -> Ints:
        """How many rows of each stratum are dealt, shape (n_strata,)."""
        dealt = self.codes >= 0
        return sum_by(self.codes[dealt], self.counts.weights[dealt], self.n_strata)


def parts_by_number(codes: Ints, numbers: Words, parts: PartsByNumber) -> Ints:
    """Find the part of every row from its stratum and its number, -1 if it is not dealt."""
    found = parts_by_cuts(codes, numbers, parts.points)
    if parts.first.any():
        found = np.where(found < 0, found, found + parts.first[codes])
    return found


def read_filled(given: Any, output: NewColumn, n_parts: int) -> Ints:
    """Read the folds or parts that a column has before it is filled, -1 where it has none."""
    if output.labels is None:
        return frames.read_fold_numbers(given, n_parts)[0]
    return frames.read_part_codes(given, output.labels)


# Which engine ----------------------------------------------------------------------------

ENGINES = {"dask": "DaskEngine", "pyspark": "SparkEngine"}
"""The class of each engine, by the package of its frames. The class is in the folder of the same
name, without `py`."""


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
            " frames.\nHint: compare numbers with one of their quantiles, which `quantile` of Dask"
            " and `approxQuantile` of Spark find."
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
            f"`by` must make at most {MAX_STRATA:,} strata, as the driver holds their counts, got"
            f" {n_strata:,}.\nHint: `sf.quantiles` and `sf.bins` make few strata of many numbers."
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
