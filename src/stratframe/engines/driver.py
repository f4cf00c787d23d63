"""What Dask and Spark share: from rows that an engine has counted to strata and their quotas.

The engine counts its rows by the values of the stratum columns. Each of these counts is a row
here, which stands for as many as it counts, and the pipeline nests them as it nests rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.groups.assign import assign_units
from ..core.groups.counts import UnitCounts
from ..core.seeds import StreamTag
from ..core.types import Draws, Flags, Ints, Table
from ..errors import StratError, plural
from ..frames.validate import MISSING, broken_rules
from ..pipeline.deal import quota_by_lowest, quota_in_order, warn_large_group
from ..pipeline.numbers import column_stream, row_streams
from ..pipeline.options import Options, Rare
from ..pipeline.strata import Strata, group_codes, keep, nest, read_entries
from ..pipeline.validate import check_enough, check_orders, treat_rare, warn_sparse
from ..terms.base import Division, Term
from ..terms.bins import Quantiles
from ..terms.clusters import Clusters
from ..terms.entry import Entry, ruled_columns
from .cut_points import OTHER_ROWS

MAX_STRATA = 1 << 22
"""Combinations of values up to which the driver holds their counts."""


class Counted(NamedTuple):
    """Rows of an engine's frame, counted by the values of the stratum columns."""

    columns: list[Any]
    """The series of each entry of `by` (of bins, a value in each), one row for each
    combination of values; a combination may have several."""
    sizes: Ints
    """How many rows each stands for, shape (n_counted,)."""
    lowest: Draws | None = None
    """The lowest number of these rows, for each repeat; shape (n_repeats, n_counted)."""


class CountedStrata(NamedTuple):
    """The strata of counted rows."""

    codes: Ints
    """The joint stratum of every counted row, -1 if it is not dealt; shape (n_counted,)."""
    strata: Strata
    """Of the counted rows that are dealt, with the sizes of all that these stand for."""

    @property
    def n_dealt(self) -> int:
        """How many rows of the engine's frame are dealt."""
        return int(self.strata.sizes.sum())


# What is possible ------------------------------------------------------------------------


def check_possible(options: Options, engine: str) -> None:
    """Raise if a call needs the order of all rows, or their distances.

    Parameters
    ----------
    engine : str
        "Dask" or "Spark".
    """
    if options.circular:
        circular = '`deal="circular"` deals rows in their order'
        raise not_possible(circular, engine)
    if options.one_by_one:
        margins = "`sf.margins` searches over all rows at once"
        raise not_possible(margins, engine)
    for term in (*options.terms, *options.groups):
        if not (options.groups and term.orders_rows and term.without_order() is not None):
            check_term(term, engine)


def check_term(term: Term, engine: str) -> None:
    """Raise if an entry of `by` needs the order of all rows, or their distances."""
    if term.orders_rows and term.without_order() is not None:
        raise continuous_entry(term, engine)
    if term.orders_rows or isinstance(term, Clusters):
        distances = f"`{term.function}` needs the distances of all rows"
        raise not_possible(distances, engine)


def not_possible(what: str, engine: str) -> StratError:
    """Build the error for what a frame of an engine cannot be asked for."""
    return StratError(
        f"{what}, which is not possible on {engine} frames.\nHint: `sf.quantiles` and"
        " `sf.bins` make strata of numbers."
    )


def continuous_entry(term: Term, engine: str) -> StratError:
    """Build the error for an entry that orders rows by a column."""
    column = frames.format_reference(term.columns[0])
    return StratError(
        f"A continuous entry of `by` sorts all rows, which is not possible on {engine} frames,"
        f" got {term}.\nHint: cut it, as in `sf.quantiles({column}, 10)`, or take its values as"
        f" they are, `sf.classes({column})`."
    )


def check_n_strata(n_strata: int) -> None:
    """Raise if there are too many combinations of values for the driver."""
    if n_strata > MAX_STRATA:
        msg = (
            f"`by` must make at most {MAX_STRATA:,} strata on frames of Dask and Spark, got"
            f" {n_strata:,}.\nHint: `sf.quantiles` and `sf.bins` make few strata of many numbers."
        )
        raise StratError(msg)


def other_rows() -> StratError:
    """Build the error for a frame that gives other rows in a second pass."""
    return StratError(OTHER_ROWS)


# Strata of counts ------------------------------------------------------------------------


def stratify_counted(options: Options, counted: Counted, engine: str) -> CountedStrata:
    """Nest the entries of a call on rows that are counts.

    The order of the counted rows matters only where there is no key: it should be that in which
    the combinations first appear.
    """
    sizes = counted.sizes
    check_rows(int(sizes.sum()), options)
    entries = read_entries(options, counted.columns)
    for entry in entries:
        check_term(entry.term, engine)
    check_counted(entries, options, sizes)
    entries = dealt_counts(entries, options, sizes)
    rows = entries[0].rows if entries else None
    strata = nest(entries, rows, len(sizes), options.seed)
    codes = np.full(len(sizes), -1, dtype=np.int64)
    codes[slice(None) if rows is None else rows] = strata.codes
    totals = sum_by(strata.codes, sizes if rows is None else sizes[rows], len(strata.sizes))
    strata = strata._replace(sizes=totals)
    warn_sparse(totals, strata.coarser, [level.name for level in strata.levels], options)
    return CountedStrata(codes, strata)


def check_rows(n_rows: int, options: Options) -> None:
    """Raise if a column should be added to a frame without rows."""
    if n_rows == 0 and options.target.n:
        msg = "Cannot assign folds to a frame without rows."
        raise StratError(msg)


def dealt_counts(entries: list[Entry], options: Options, sizes: Ints) -> list[Entry]:
    """Restrict entries to the counted rows that are dealt."""
    if entries and options.missing == "null":
        entries = keep(entries, ~np.logical_or.reduce([entry.missing for entry in entries]))
    check_enough(int(counts_of(entries, sizes).sum()), None, options.target)
    if entries and options.rare != "ignore" and entries[0].term.is_nominal:
        first, flags = treat_rare_counts(entries[0], options, counts_of(entries, sizes))
        entries = keep([first, *entries[1:]], flags)
        check_enough(int(counts_of(entries, sizes).sum()), None, options.target)
    return entries


def treat_rare_counts(
    entry: Entry, options: Options, sizes: Ints | None, groups: Ints | None = None
) -> tuple[Entry, Flags]:
    """Find the classes with fewer rows, or groups, than folds, and do as `rare` says."""
    try:
        return treat_rare(entry, groups, options, sizes)
    except StratError as error:
        # The rows of its frame are counts here, not rows.
        raise StratError(str(error)) from None


def counts_of(entries: Sequence[Entry], sizes: Ints) -> Ints:
    """Take the sizes of the counted rows that entries are restricted to."""
    rows = entries[0].rows if entries else None
    return sizes if rows is None else sizes[rows]


def check_counted(entries: Sequence[Entry], options: Options, sizes: Ints) -> None:
    """Raise if values break the rules of the call, all at once."""
    check_orders(entries, options)
    faults = [
        (f"{column.text} {fault} in {plural(int(sizes[flags].sum()), 'row')}.", column, fault)
        for entry in entries
        for column in ruled_columns(entry, options.missing)
        for fault, flags in broken_rules(column)
        if sizes[flags].any()
    ]
    if not faults:
        return
    hints = [
        f"Hint: {column.rule.hint}"
        for _, column, fault in faults
        if fault == MISSING and column.rule.hint
    ]
    raise StratError("\n".join(dict.fromkeys([*(text for text, *_ in faults), *hints])))


def sum_by(codes: Ints, sizes: Ints, n_codes: int) -> Ints:
    """Sum sizes by code."""
    sums = np.zeros(n_codes, dtype=np.int64)
    np.add.at(sums, codes, sizes)
    return sums


def lowest_by(codes: Ints, words: Draws, n_codes: int) -> Draws:
    """Find the lowest word of every code; rows with the code -1 are left out."""
    lowest = np.full(n_codes, 2**64 - 1, dtype=np.uint64)
    np.minimum.at(lowest, codes[codes >= 0], words[codes >= 0])
    return lowest


def counts_by(codes: Ints, counts: Table, n_codes: int) -> Table:
    """Sum rows of counts by code; rows with the code -1 are left out."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, codes[codes >= 0], counts[codes >= 0])
    return sums


# Numbers and quotas ----------------------------------------------------------------------


def salts(options: Options) -> list[int]:
    """List the salts of the hashes by which rows are ranked, one for each repeat."""
    return [int(row_streams(options, repeat)[0](1)[0]) for repeat in range(options.repeats)]


def quotas(options: Options, counted: Counted, found: CountedStrata) -> list[Table]:
    """Compute how many rows of each stratum go to each part, for each repeat.

    Returns
    -------
    list of ndarray of int64, shape (n_strata, n_parts)
    """
    strata = found.strata
    if counted.lowest is None:
        return [
            quota_in_order(options, strata.sizes, strata.coarser, repeat)
            for repeat in range(options.repeats)
        ]
    return [
        quota_by_lowest(options, strata, lowest_by(found.codes, words, len(strata.sizes)), repeat)
        for repeat, words in enumerate(counted.lowest)
    ]


def check_key(missing: dict[str, int]) -> None:
    """Raise if columns of the key have missing values.

    Parameters
    ----------
    missing : dict of str to int
        How many values are missing in each column.
    """
    faults = [
        f"Column {name!r} has missing values in {plural(count, 'row')}."
        for name, count in missing.items()
        if count
    ]
    if faults:
        raise StratError("\n".join(faults))


def repeated_keys(names: Sequence[str], failures: Any) -> StratError:
    """Build the error for rows of one key between which a stratum should be cut.

    Parameters
    ----------
    failures : DataFrame
        These keys.
    """
    texts = ", ".join(map(repr, names))
    msg = f"`key` ({texts}) must identify each row, but repeats in {plural(len(failures), 'row')}."
    return StratError(msg, failures)


# Groups ----------------------------------------------------------------------------------


class CountedGroups(NamedTuple):
    """The groups of counted rows."""

    groups: Ints
    """The group of every counted row that is dealt, numbered by first appearance."""
    rows: Ints
    """Which counted rows are dealt; the shape of each is (n_dealt,)."""
    strata: Strata
    """Of these rows."""


def group_counted(options: Options, counted: Counted, engine: str) -> CountedGroups:
    """Nest the entries of a call and encode its groups, on rows that are counts.

    The columns of the counted rows are those of `by`, then those of `groups`.
    """
    sizes = counted.sizes
    check_rows(int(sizes.sum()), options)
    entries = read_entries(options, counted.columns)
    n_by = len(options.terms)
    for entry in entries[:n_by]:
        check_term(entry.term, engine)
    check_counted(entries, options, sizes)
    if options.missing == "null":
        entries = keep(entries, ~np.logical_or.reduce([entry.missing for entry in entries]))
    check_grouped(entries[n_by:], engine)
    groups = encode_groups(entries, options, sizes)
    if n_by and options.rare != "ignore" and entries[0].term.is_nominal:
        first, flags = treat_rare_counts(entries[0], options, None, groups)
        entries = keep([first, *entries[1:]], flags)
        groups = encode_groups(entries, options, sizes)
    rows = entries[0].rows
    rows = np.arange(len(sizes)) if rows is None else rows
    strata = nest(entries[:n_by], rows, len(sizes), options.seed)
    strata = strata._replace(sizes=sum_by(strata.codes, sizes[rows], len(strata.sizes)))
    warn_sparse(strata.sizes, strata.coarser, [level.name for level in strata.levels], options)
    return CountedGroups(groups, rows, strata)


def check_grouped(entries: Sequence[Entry], engine: str) -> None:
    """Raise if rows have no group: each would be one, but they are counted together."""
    if any(entry.missing.any() for entry in entries):
        msg = (
            f"`groups` must have no missing values on {engine} frames, where rows without a group"
            ' are counted together.\nHint: fill them, or in `kfold` use `missing="null"`, which'
            " leaves their fold null."
        )
        raise StratError(msg)


def encode_groups(entries: Sequence[Entry], options: Options, sizes: Ints) -> Ints:
    """Encode the groups of the counted rows that are dealt, and check that there are enough."""
    groups = group_codes(entries, options)
    assert groups is not None
    check_enough(int(counts_of(entries, sizes).sum()), groups, options.target)
    return groups


def parts_of_groups(options: Options, counted: Counted, found: CountedGroups) -> list[Ints]:
    """Give every group a part, for each repeat.

    Returns
    -------
    list of ndarray of int, shape (n_counted,), range -1..n_parts-1
        The part of every counted row, -1 if it is not dealt.
    """
    sizes = counted.sizes[found.rows]
    target, n_groups = options.target, int(found.groups.max()) + 1
    shares = target.fractions(int(sizes.sum()))
    warn_large_group(sum_by(found.groups, sizes, n_groups), shares, target.noun)
    units = weighted_units(found.groups, n_groups, found.strata, sizes)
    tag = StreamTag.FOLD_SEARCH if target.noun == "fold" else StreamTag.PART_SEARCH
    dealt = []
    for repeat in range(options.repeats):
        parts = np.full(len(counted.sizes), -1, dtype=np.int64)
        stream = column_stream(options, tag, repeat)
        parts[found.rows] = assign_units(units, shares, stream)[found.groups]
        dealt.append(parts)
    return dealt


def weighted_units(groups: Ints, n_groups: int, strata: Strata, sizes: Ints) -> UnitCounts:
    """Count the strata of every group; the last column counts all its rows, its size."""
    n_strata = len(strata.sizes)
    n_columns = n_strata + 1
    keys = np.append(groups * n_columns + strata.codes, groups * n_columns + n_strata)
    cells, places = np.unique(keys, return_inverse=True)
    counts = sum_by(places, np.append(sizes, sizes), len(cells))
    indptr = np.searchsorted(cells, np.arange(n_groups + 1) * n_columns)
    columns = cells % n_columns
    return UnitCounts(indptr, columns, counts, sum_by(columns, counts, n_columns))


# Bins ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BinnedQuantiles(Quantiles):
    """Quantile bins of counted rows."""

    bins: Ints | None = None
    """The bin of every counted row, `n` where the value is missing; shape (n_counted,)."""

    def divide(self, entry: Entry, parent: Ints, n_parents: int, seed: int) -> Division:
        """Take the bins as they are, and warn if there are fewer than asked for."""
        bins = np.zeros(0, dtype=np.int64) if self.bins is None else self.bins
        bins = bins if entry.rows is None else bins[entry.rows]
        counts = np.zeros(n_parents, dtype=np.int64)
        known = bins < self.n
        np.maximum.at(counts, parent[known], bins[known] + 1)
        self.warn_few(counts)
        return Division(bins, self.n + 1)


def with_bins(term: Quantiles, bins: Ints) -> BinnedQuantiles:
    """Give a term the bins of the counted rows, which replace its own cuts."""
    return BinnedQuantiles(term.columns, term.n, term.name, term.warns, bins)


def parents_only(options: Options, place: int) -> Options:
    """Restrict a call to the entries before one, whose strata its quantiles are cut in."""
    if options.groups and place and options.rare in ("null", "pool"):
        msg = (
            f"`rare={options.rare!r}` cannot be combined with `groups` and quantiles inside the"
            " classes on frames of Dask and Spark."
        )
        raise StratError(msg)
    rare: Rare = options.rare if options.rare in ("null", "pool") else "ignore"
    return replace(options, terms=options.terms[:place], groups=(), rare=rare)
