"""Count the rows of each stratum in each fold."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.evenness import (
    GroupRows,
    JudgedCells,
    counts_of_each,
    group_rows,
    is_beyond_shuffles,
    judge_cells,
    order_deviations,
)
from ..core.strata import first_occurrence, sum_by
from ..core.totals import measure_totals
from ..core.types import Flags, Ints, StratumTable, Values
from ..errors import FOLD_NAME, StratError
from ..frames import FoldValues
from ..terms.base import BoundTerm, Term
from ..terms.by import Entries, split_series
from ..terms.entry import read_entry
from .check_data import check_values
from .nest import DealtRows, Strata
from .options import Options


class LevelCounts(NamedTuple):
    """The number of rows of each stratum in each fold, at one level of nesting."""

    strata: Strata
    table: StratumTable
    """The counts, shape (n_strata, n_folds)."""
    slack: int = 0
    """The number of extra rows by which a cell may deviate if rows were dealt in order of value."""
    is_coarse: bool = False
    """Whether a finer level divides these strata further."""
    is_excused: bool = False
    """Whether every cell that is not uneven counts as even, because classes are spread evenly."""
    n_tries: int = 1
    """The factor by which the significance level of every cell is divided."""
    groups: GroupRows | None = None
    """The groups of rows in each stratum, if whole groups are dealt to folds."""
    off_in_order: Values | None = None
    """Each fold's largest deviation of cumulative counts in order of value, shape (n_folds,)."""

    @property
    def is_class(self) -> bool:
        """Whether the strata are the classes of one entry."""
        return len(self.strata.levels) == 1 and self.strata.levels[0].term.is_nominal

    def judge(self, n_cells: int) -> JudgedCells:
        """Judge how even every cell is, with an allowance for `n_cells` simultaneous tests."""
        cells = judge_cells(
            self.table,
            self.slack,
            self.groups,
            n_cells=n_cells * self.n_tries,
            is_coarse=self.is_coarse,
        )
        is_lacking = cells.is_lacking & self.is_class
        if self.groups is not None:
            k = int((self.table.sum(axis=0) > 0).sum())
            is_lacking &= (self.groups.n >= GROUPS_PER_FOLD * k)[:, None]
        return cells._replace(
            is_even=cells.is_even | (self.is_excused & ~cells.is_uneven),
            is_uneven=cells.is_uneven | is_lacking,
            is_lacking=is_lacking,
        )


class FoldTotals(NamedTuple):
    """How even column totals are across folds. Arrays have the shape (n_columns, n_folds)."""

    names: list[Any]
    ratio: Values
    """The relative deviation of each total from its share."""
    is_far: Flags
    """Whether each total deviates from its share by more than chance can explain."""


class FoldCounts(NamedTuple):
    """The number of rows of each stratum in each fold, for one fold column; nulls are left out."""

    labels: FoldValues
    """The folds or parts, in order."""
    levels: list[LevelCounts]
    """The counts at each level of nesting, coarsest first, or for each entry of `sf.margins`."""
    is_marginal: bool = False
    totals: Callable[[], FoldTotals] | None = None
    """A function that measures the totals, if the last entry of `by` is `sf.total`."""

    @property
    def shown(self) -> list[LevelCounts]:
        """The levels that tables list: only the joint strata or, with `sf.margins`, every entry."""
        return self.levels if self.is_marginal else self.levels[-1:]

    @property
    def sizes(self) -> Ints:
        """The number of rows in every fold, shape (n_folds,)."""
        sizes: Ints = self.levels[0].table.sum(axis=0)
        return sizes

    @property
    def counted_level(self) -> LevelCounts | None:
        """The finest level whose strata are no bins of an order, of which `each` counts rows."""
        if self.is_marginal:
            return None
        counted = None
        for level in self.levels:
            if level.strata.levels and level.strata.levels[-1].cells is None:
                counted = level
        return counted

    @property
    def each(self) -> Ints | None:
        """The counts that parts have of each stratum, shape (n_folds,), if these are equal."""
        level = self.counted_level
        if level is None or level.groups is not None:
            return None
        return counts_of_each(level.table)

    def judge(self) -> list[JudgedCells]:
        """Judge all levels; parts with equal counts of each stratum are not uneven."""
        n_cells = sum(level.table.size for level in self.levels)
        judged = [level.judge(n_cells) for level in self.levels]
        if self.each is None:
            return judged
        return [cells.excuse() for cells in judged]


class FoldedStrata(NamedTuple):
    """The strata of the rows that have a fold."""

    strata: Strata
    columns: Sequence[Any]
    """The series that the entries of `by` read, in the order of the entries."""
    labels: FoldValues
    """The folds or parts, in order."""
    codes: Ints
    """The fold of every row, shape (n_rows,), range 0..n_folds-1."""


def count_folds(
    by: Any,
    name: str,
    entries: Entries,
    k: int,
    count: Callable[[tuple[Term, ...]], FoldedStrata],
) -> FoldCounts:
    """Count the rows of each stratum in k folds at every level; `count` makes strata from terms."""
    folded = count(entries.terms)
    check_not_swapped("by", by, name, partial(values_of_first, folded.strata), folded.labels)
    if entries.marginal:
        return count_levels(folded)
    in_table = [
        term.in_table(series, k, folded.strata.dealt.weights)
        for term, series in split_series(entries.terms, folded.columns)
    ]
    terms = tuple(term for term, _ in in_table)
    if terms == entries.terms:
        return count_levels(folded, in_table)
    counts = count_levels(count(terms), in_table)
    # If the classes of an entry are counted instead of its bins, the entry has no slack.
    as_classes = [
        (term, slack if table_term is term else 0)
        for term, (table_term, slack) in zip(entries.terms, in_table, strict=True)
    ]
    return allow_for_classes(counts, count_levels(folded, as_classes))


def values_of_first(strata: Strata) -> Sequence[Any]:
    """List the values that name the strata of the first entry, if any."""
    if not strata.levels:
        return []
    first = first_occurrence(strata.codes, len(strata.sizes))
    return frames.to_list(strata.levels[0].values(first))


def allow_for_classes(counts: FoldCounts, as_classes: FoldCounts) -> FoldCounts:
    """Judge the counts of bins less strictly if the values are as even as classes should be."""
    if not all(cells.is_even.all() for cells in as_classes.judge()):
        return counts
    # The rows with each whole number are spread evenly over the folds. If a shuffle is rarely as
    # even as this, the numbers were dealt as classes; if not, the folds are judged as a shuffle.
    levels = [level._replace(n_tries=MANY_SHUFFLES) for level in counts.levels]
    if is_beyond_shuffles(as_classes.levels[-1].table):
        levels = [level._replace(is_excused=True, off_in_order=None) for level in levels]
    return counts._replace(levels=levels)


def count_levels(folded: FoldedStrata, entries: Sequence[tuple[Term, int]] = ()) -> FoldCounts:
    """Count rows by stratum and fold at every level; `entries` pairs each term with its slack."""
    strata = folded.strata
    slacks = [slack for term, slack in entries if not term.orders_rows]
    levels = [
        count_level(level, folded, slacks[place] if slacks else 0)
        for place, level in enumerate(strata.margins or levels_of(strata))
    ]
    totals = None
    if strata.totals is not None and len(folded.codes):
        totals = partial(count_totals, strata.totals, folded)
    return FoldCounts(folded.labels, levels, bool(strata.margins), totals)


def count_level(level: Strata, folded: FoldedStrata, slack: int) -> LevelCounts:
    """Count rows by stratum and fold at one level of nesting, or for one margin."""
    strata = folded.strata
    is_coarse = not strata.margins and level is not strata
    groups = None
    if strata.dealt.group is not None:
        n_strata = len(level.sizes)
        groups = group_rows(level.codes, strata.dealt.group, strata.dealt.weights, n_strata)
    return LevelCounts(
        # It would take too much memory to keep all rows of all margins.
        level.first_rows() if strata.margins else level,
        level.crosstab(folded.codes, len(folded.labels.values)),
        slack,
        is_coarse,
        groups=groups,
        off_in_order=None if is_coarse else measure_order(level, folded),
    )


def count_totals(entry: BoundTerm, folded: FoldedStrata) -> FoldTotals:
    """Measure how even the totals of an entry are across folds of whole groups or single rows."""
    units = folded.strata.dealt.group
    if units is None:
        units = np.arange(len(folded.codes))
    names: list[Any] = []
    for place, (column, width) in enumerate(zip(entry.names, entry.widths, strict=True), 1):
        name = f"column {place}" if column.is_unnamed else column.name
        names += [name] * width
    sizes = np.array(folded.labels.sizes)
    return FoldTotals(names, *measure_totals(entry.data, folded.codes, sizes, units))


def measure_order(strata: Strata, folded: FoldedStrata) -> Values | None:
    """Measure how uneven cumulative counts are in the order of a continuous last entry, if any."""
    cells = strata.levels[-1].cells if strata.levels else None
    if cells is None:
        return None
    first = first_occurrence(cells, int(cells.max(initial=-1)) + 1)
    in_cells = strata._replace(codes=cells, sizes=first)
    table = in_cells.crosstab(folded.codes, len(folded.labels.values))
    is_present = first < len(cells)
    strata_of_cells = strata.codes[first[is_present]]
    parents = np.zeros_like(strata_of_cells)
    if strata.ancestors:
        parents = strata.ancestors[0][strata_of_cells]
    return order_deviations(table[is_present], parents)


def levels_of(strata: Strata) -> list[Strata]:
    """List the strata at each level of nesting, from the coarsest level to the joint strata."""
    coarser = []
    for depth, parents in enumerate(reversed(strata.ancestors), 1):
        level = strata._replace(
            codes=parents[strata.codes],
            sizes=sum_by(parents, strata.sizes, int(parents.max(initial=-1)) + 1),
            ancestors=(),
            levels=strata.levels[:depth],
        )
        coarser.append(level)
    return [*coarser, strata]


def check_not_itself(argument: str, refs: Sequence[Any], name: Hashable, frame: Any = None) -> None:
    """Raise an error if a reference selects the fold column, alone or with other columns."""
    if any(frames.references.gives_column(frame, ref, name) for ref in refs):
        other = "day" if argument == "time" else "label"
        msg = (
            f"`{argument}` must name columns other than the fold column, but includes"
            f" {frames.format_reference(name)}."
            f'\nHint: name a column by which to compare the folds, as in `{argument}="{other}"`.'
        )
        raise StratError(msg)


def check_not_swapped(
    argument: str, by: Any, name: object, compared: Callable[[], Sequence[Any]], labels: FoldValues
) -> None:
    """Raise an error if the compared column looks like folds, but the fold column does not."""
    if not isinstance(by, str) or not isinstance(name, str):
        return
    if not FOLD_NAME.search(by) or FOLD_NAME.search(name):
        return
    if look_like_folds(compared()) and not look_like_folds(labels.present, labels.sizes):
        meant = ""
        if argument == "by":
            meant = f' If {by!r} is meant, pass `by=sf.classes("{by}")`.'
        msg = (
            f"`{argument}` must be a column by which to compare folds, but {by!r} looks like folds,"
            f' and {name!r} does not.\nHint: swap them: pass `{argument}="{name}"`, and "{by}" as'
            f" the fold column.{meant}"
        )
        raise StratError(msg)


def look_like_folds(values: Sequence[Any], sizes: Sequence[int] = ()) -> bool:
    """Return whether values include the name of a part, or are 0..k-1 with similar frequencies."""
    if len(values) < 2 or any(isinstance(value, bool) for value in values):
        return False
    is_part = frames.purposes_of(values) < len(frames.PURPOSES)
    are_even = 2 * max(sizes, default=0) <= 3 * min(sizes, default=0)
    return bool(is_part.any()) or (are_even and {*values} == {*range(len(values))})


MANY_SHUFFLES = 10**6
"""The number of columns from `kfold` among which none should be judged uneven by chance."""

LEAST_FOLDS = 2
"""The number of folds for which a continuous entry is cut into bins if there are no folds yet."""

GROUPS_PER_FOLD = 2
"""If a stratum has at least this many groups per fold, every fold should contain the stratum."""


def cut_orders(options: Options, series: Sequence[Any], k: int) -> Options:
    """Replace each continuous term with bins for tables, after a check of its values."""
    terms_and_columns = split_series(options.terms, series)
    terms = [term.resolve(columns) for term, columns in terms_and_columns]
    if options.marginal:
        return replace(options, terms=tuple(terms))
    in_bins = [term.in_bins(k) for term in terms]
    for term, bins, (_, columns) in zip(terms, in_bins, terms_and_columns, strict=True):
        if bins is not term:
            check_values(DealtRows([read_entry(term, columns)], [], 0), Options())
    return replace(options, terms=tuple(in_bins))
