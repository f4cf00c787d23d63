"""Divide the rows that a call deals into strata: the steps that all verbs share, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..core.strata import factorize_codes, first_occurrence
from ..core.types import Ints
from ..errors import plural, preview, warn
from ..terms.base import BoundTerm
from .check_data import check_enough, check_values, rows_where
from .nest import Columns, DealtRows, Strata, bind, nest, nest_each
from .options import Options
from .random_numbers import key_order, rank_groups
from .rare import treat_rare, treat_small

MANY_ENTRIES = 3
"""The minimum number of entries in `by` for a warning about sparse joint strata."""


def stratify(
    options: Options, columns: Columns, n_rows: int, weights: Ints | None = None
) -> Strata:
    """Divide the rows by each entry of a call, inside the strata of the entries before it.

    With groups, a continuous entry is cut into bins.
    """
    dealt = choose_rows(options, columns, n_rows, weights)
    if options.groups:
        dealt = without_orders(dealt)
    return nest_rows(dealt, options)


def choose_rows(
    options: Options, columns: Columns, n_rows: int, weights: Ints | None = None
) -> DealtRows:
    """Check the values of a call, and choose the rows that it deals.

    If the deal depends on the order of the rows, the key sorts them first. Groups are numbered, and
    rare classes pooled or left out.
    """
    key = columns.get("key", ())
    where = columns.get("where", ())
    dealt = bind(options, columns, n_rows, weights)
    if where:
        dealt = dealt.select(rows_where(where[0]))
    dealt = check_values(dealt, options, key)
    if key and depends_on_order(dealt, options):
        in_order = key_order(dealt.take(key), by_category=options.deal == "contiguous")[0]
        dealt = dealt.select(in_order)
    if options.missing == "null":
        dealt = leave_out_missing(dealt)
    dealt = number_groups(dealt, options)
    treats_rare = options.rare != "ignore" and options.target.each is None
    if dealt.by and treats_rare and not options.marginal:
        dealt = treat_rare_classes(dealt, options)
    return dealt


def nest_rows(dealt: DealtRows, options: Options) -> Strata:
    """Make the joint strata of the chosen rows or, for margins, the strata of each entry."""
    if options.marginal:
        return nest([], replace(dealt, keys=None))._replace(margins=nest_each(dealt))
    strata = nest(dealt.by, dealt)
    if strata.order is not None or options.deal != "random":
        # Only a random deal without an order ranks rows by the hashes of their keys.
        strata = strata._replace(dealt=replace(strata.dealt, keys=None))
    if options.target.n and options.target.each is not None:
        treat_small(strata, options)
    elif len(strata.levels) >= MANY_ENTRIES and options.rare != "ignore":
        warn_sparse(strata, options.target.n)
    return strata


def depends_on_order(dealt: DealtRows, options: Options) -> bool:
    """Return whether the deal depends on the order of the rows, which the key then replaces."""
    if options.deal != "random" or options.marginal:
        return True
    return any(each.term.uses_row_order or each.term.evens_totals for each in dealt.entries)


def leave_out_missing(dealt: DealtRows) -> DealtRows:
    """Leave out the rows with a missing value in an entry of `by` or `groups`."""
    is_missing = np.zeros(dealt.n, dtype=np.bool_)
    for entry in dealt.entries:
        is_missing |= entry.missing
    if not is_missing.any():
        return dealt
    return dealt.select(np.flatnonzero(~is_missing))


def treat_rare_classes(dealt: DealtRows, options: Options) -> DealtRows:
    """Pool the rare classes of the first entry, or leave out their rows, as `rare` says."""
    first, *others = dealt.by
    if not first.term.is_nominal:
        return dealt
    first, rows = treat_rare(first, dealt.group, options)
    dealt = replace(dealt, by=[first, *others])
    if rows is None:
        return dealt
    return number_groups(dealt.select(rows), options)


def number_groups(dealt: DealtRows, options: Options) -> DealtRows:
    """Number the groups, and check that there are enough rows and groups."""
    if options.groups:
        dealt = replace(dealt, group=group_codes(dealt))
    check_enough(dealt, options.target)
    return dealt


def group_codes(dealt: DealtRows) -> Ints:
    """Number the groups of the dealt rows by the hash of their values.

    Each row without a group forms its own group. These groups come last, in the order of the rows.
    """
    entries = dealt.groups
    strata = nest(entries, dealt)
    if not entries[0].term.is_nominal:
        return entries[0].term.number_groups(entries[0], strata.codes)
    is_alone = np.logical_or.reduce([entry.missing for entry in entries])
    if not is_alone.any():
        return rank_joint_values(entries, strata.codes, len(strata.sizes), None)
    grouped = np.flatnonzero(~is_alone)
    group = np.empty(len(is_alone), dtype=np.int64)
    group[grouped] = rank_joint_values(entries, strata.codes[grouped], len(strata.sizes), grouped)
    n_groups = int(group[grouped].max(initial=-1)) + 1
    group[is_alone] = n_groups + np.arange(len(is_alone) - len(grouped))
    return group


def rank_joint_values(
    entries: Sequence[BoundTerm], codes: Ints, n_codes: int, rows: Ints | None
) -> Ints:
    """Rank the joint values of some rows, or of all rows, by their hash.

    `codes` holds the joint value of each of these rows.
    """
    codes, present = factorize_codes(codes, n_codes)
    first = first_occurrence(codes, len(present))
    if rows is not None:
        first = rows[first]
    return rank_groups([entry.values_at(first) for entry in entries])[codes]


def without_orders(dealt: DealtRows) -> DealtRows:
    """Replace the entries that order rows by entries that cut them into bins."""
    by = [replace(entry, term=entry.term.without_order() or entry.term) for entry in dealt.by]
    return replace(dealt, by=by)


def warn_sparse(strata: Strata, n_parts: int) -> None:
    """Warn about the entries of `by` that have fewer rows than parts in the average stratum."""
    n_rows = strata.n_rows
    n_strata = len(strata.sizes)
    counts = [int(parents.max(initial=-1)) + 1 for parents in reversed(strata.ancestors)]
    counts.append(n_strata)
    sparse = [
        repr(level.name)
        for level, count in zip(strata.levels, counts, strict=True)
        if n_rows < n_parts * count
    ]
    if sparse:
        verb = "is" if len(sparse) == 1 else "are"
        warn(
            f"The {len(counts)} entries of `by` divide {plural(n_rows, 'row')} into {n_strata:,}"
            f" joint strata, with fewer than {n_parts} rows each on average:"
            f" {preview(sparse, len(sparse))} {verb} hardly balanced.\nHint:"
            " `sf.margins([...])` balances each entry on its own."
        )
