"""Divide the rows that a call deals into strata: the steps that all verbs share, in their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.strata import factorize_codes, first_occurrence
from ..core.types import Ints
from ..errors import plural, preview, warn
from .check_data import check_enough, check_values, rows_where
from .nest import Columns, DealtRows, Strata, bind, nest, nest_each
from .options import Options
from .random_numbers import key_order, rank_groups
from .rare import treat_rare

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
    """Check the values of a call, and choose the rows that it deals."""
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
    if dealt.by and options.rare != "ignore" and not options.marginal:
        dealt = leave_out_rare(dealt, options)
    return dealt


def nest_rows(dealt: DealtRows, options: Options) -> Strata:
    """Make the joint strata of the chosen rows or, for margins, the strata of each entry."""
    if options.marginal:
        return nest([], replace(dealt, keys=None))._replace(margins=nest_each(dealt))
    strata = nest(dealt.by, dealt)
    if strata.order is not None or options.deal != "random":  # hashes of keys rank no rows
        strata = strata._replace(dealt=replace(strata.dealt, keys=None))
    if len(strata.levels) >= MANY_ENTRIES and options.rare != "ignore":
        warn_sparse(strata, options.target.n)
    return strata


def depends_on_order(dealt: DealtRows, options: Options) -> bool:
    """Return whether the deal depends on the order of the rows, which the key then replaces."""
    in_order = any(each.term.uses_row_order or each.term.evens_totals for each in dealt.entries)
    return in_order or options.deal != "random" or options.marginal


def leave_out_missing(dealt: DealtRows) -> DealtRows:
    missing = np.zeros(dealt.n, dtype=np.bool_)
    for entry in dealt.entries:
        missing |= entry.missing
    return dealt.select(np.flatnonzero(~missing)) if missing.any() else dealt


def leave_out_rare(dealt: DealtRows, options: Options) -> DealtRows:
    """Pool the rare classes of the first entry, or leave out their rows, as `rare` says."""
    first, *others = dealt.by
    if not first.term.is_nominal:
        return dealt
    first, kept = treat_rare(first, dealt.group, options)
    dealt = replace(dealt, by=[first, *others])
    return dealt if kept is None else number_groups(dealt.select(kept), options)


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
    entries, strata = dealt.groups, nest(dealt.groups, dealt)
    if not entries[0].term.is_nominal:
        return entries[0].term.number_groups(entries[0], strata.codes)
    alone = np.logical_or.reduce([entry.missing for entry in entries])
    grouped = np.flatnonzero(~alone)
    codes, present = factorize_codes(strata.codes[grouped], len(strata.sizes))
    first = grouped[first_occurrence(codes, len(present))]
    groups = np.empty(len(alone), dtype=np.int64)
    groups[grouped] = rank_groups([entry.values_at(first) for entry in entries])[codes]
    groups[alone] = len(present) + np.arange(len(alone) - len(grouped))
    return groups


def without_orders(dealt: DealtRows) -> DealtRows:
    """Cut continuous entries into bins."""
    by = [replace(entry, term=entry.term.without_order() or entry.term) for entry in dealt.by]
    return replace(dealt, by=by)


def warn_sparse(strata: Strata, n_parts: int) -> None:
    n_rows, n_strata, names = strata.n_rows, len(strata.sizes), strata.levels
    counts = [int(level.max(initial=-1)) + 1 for level in reversed(strata.ancestors)] + [n_strata]
    sparse = [
        repr(level.name)
        for level, count in zip(names, counts, strict=True)
        if n_rows < n_parts * count
    ]
    if sparse:
        unbalanced = f"{preview(sparse, len(sparse))} {'is' if len(sparse) == 1 else 'are'}"
        warn(
            f"The {len(names)} entries of `by` divide {plural(n_rows, 'row')} into {n_strata:,}"
            f" joint strata, with fewer than {n_parts} rows each on average:"
            f" {unbalanced} hardly balanced.\nHint: `sf.margins([...])` balances each entry"
            " on its own."
        )
