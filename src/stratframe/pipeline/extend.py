"""Rows without a fold get one, next to the rows that have one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from .. import frames
from ..core.deal import deal_by_rank
from ..core.extend import fill_by_shares, fill_evenly
from ..core.groups.assign import extend_units, group_counts, margin_counts
from ..core.groups.local_search import Stream
from ..core.seeds import StreamTag
from ..core.strata import crosstab, first_occurrence
from ..core.types import Ints, Table, Values
from ..errors import StratError, preview, rows_at_fault
from ..frames import NewColumn
from .deal import empty_outputs, stratify_rows
from .numbers import column_stream, row_numbers
from .options import Options, Target, fold_target
from .strata import Strata, stratify


def extended_columns(
    options: Sequence[Options], k: int | None, series: Sequence[Any], n_rows: int
) -> list[NewColumn]:
    """Extend the columns of a frame that was read, given the options of each, the columns last."""
    given, columns = series[: -len(options)], series[-len(options) :]
    return [
        extended_column(each, k, [*given, column], n_rows)
        for each, column in zip(options, columns, strict=True)
    ]


def extended_column(
    options: Options, k: int | None, series: Sequence[Any], n_rows: int
) -> NewColumn:
    """Extend one column, which comes last."""
    if options.target.names is None:
        parts, k = frames.read_fold_numbers(series[-1], k)
        options = replace(options, target=fold_target(k))
    else:
        parts = frames.read_part_codes(series[-1], options.target.names)
        counts = np.bincount(parts[parts >= 0], minlength=options.target.n)
        options = replace(options, target=target_of_counts(options.target, counts))
    held = np.flatnonzero(parts >= 0)
    strata = stratify_rows(options, series[:-1], n_rows, ordered=False, also=held)
    rows = np.arange(n_rows) if strata.rows is None else strata.rows
    given = parts
    if strata.groups is not None:
        named = options.columns()
        group_series = series[len(named["by"]) : -1]
        groups = strata.groups
        if strata.rows is not None:
            groups = all_groups(options, group_series, n_rows, held)
        check_whole_groups(groups, [*group_series[: len(named["groups"])], series[-1]], parts)
        given = folds_of_units(groups, int(groups.max()) + 1, parts)[groups]
        strata = strata._replace(groups=np.unique(groups[rows], return_inverse=True)[1])
    parts[rows] = extend_dealt(options, strata, given[rows])
    (column,) = empty_outputs(options)
    return column._replace(parts=parts)


def target_of_counts(target: Target, counts: Ints) -> Target:
    """Aim at the shares that are given, or else at those that the parts have."""
    if target.shares is not None:
        return target
    found = counts.tolist()
    if 0 in found:
        names = [repr(name) for name, n in zip(target.names or (), found, strict=True) if not n]
        msg = (
            f"`extend` needs rows of each part to see its share, but none is in"
            f" {preview(names, len(names))}.\nHint: give the shares, as in `parts=`."
        )
        raise StratError(msg)
    return replace(target, shares=tuple(Fraction(n, sum(found)) for n in found))


def all_groups(options: Options, series: Sequence[Any], n_rows: int, held: Ints) -> Ints:
    """Encode the groups of all rows, dealt or not; those outside `where` are one more group."""
    only_groups = Options(groups=options.groups, where=options.where, seed=options.seed)
    found = stratify(only_groups, series, n_rows, also=held)
    assert found.groups is not None
    if found.rows is None:
        return found.groups
    groups = np.full(n_rows, found.groups.max(initial=-1) + 1)
    groups[found.rows] = found.groups
    return groups


def check_whole_groups(groups: Ints, series: Sequence[Any], folds: Ints) -> None:
    """Raise if a group is in two folds already.

    Parameters
    ----------
    groups : ndarray of int64, shape (n_rows,)
    series : sequence of Series
        The columns of the groups, and of the folds.
    folds : ndarray of int64, shape (n_rows,), range -1..k-1
    """
    rows = rows_of_split_groups(groups, folds)
    if not len(rows):
        return
    shown: dict[Hashable, Any] = {
        f"group {place}" if column.name is None else column.name: column
        for place, column in enumerate(series, 1)
    }
    msg = rows_at_fault("`extend` needs each group in one fold, but groups", "span several", rows)
    raise StratError(msg, frames.failing_rows(frames.library_of(series[-1]), shown, rows))


def extend_dealt(options: Options, strata: Strata, folds: Ints) -> Ints:
    """Give a fold to the dealt rows that have none.

    Returns
    -------
    ndarray of int64, shape (n_dealt,), range 0..k-1
    """
    stream = column_stream(options, StreamTag.EXTEND)
    shares = np.array([float(share) for share in options.target.fractions(len(folds))])
    fill = partial(fill_target, options, shares, stream)
    if strata.groups is None and not strata.margins:
        return extend_rows(strata, folds, len(shares), fill, stream)
    unit = np.arange(len(folds)) if strata.groups is None else strata.groups
    n_units = int(unit.max(initial=-1)) + 1
    if not strata.margins:
        units = group_counts(unit, n_units, strata.codes, len(strata.sizes))
    else:
        single_rows = strata.groups is None
        entries = strata.marginal_codes
        units = margin_counts(entries, unit, n_units, with_sizes=not single_rows)
        if single_rows:
            held = np.bincount(folds[folds >= 0], minlength=len(shares))[None]
            room = fill(held, np.array([(folds < 0).sum()]))[0]
            return extend_units(units, folds, shares, stream, room).astype(np.int64)
    given = folds_of_units(unit, n_units, folds)
    return extend_units(units, given, shares, stream)[unit].astype(np.int64)


def fill_target(options: Options, shares: Values, stream: Stream, held: Table, new: Ints) -> Table:
    """Allocate new rows to folds, or to parts by their shares."""
    if options.target.noun == "fold":
        return fill_evenly(held, new, stream(len(shares)))
    return fill_by_shares(held, new, shares, stream(len(new)))


def extend_rows(
    strata: Strata,
    folds: Ints,
    n_parts: int,
    fill: Callable[[Table, Ints], Table],
    stream: Stream,
) -> Ints:
    """Give a fold to single rows: each stratum as even as can be, then the total."""
    new, n_strata = np.flatnonzero(folds < 0), len(strata.sizes)
    given = folds >= 0
    held = crosstab(strata.codes[given], n_strata, folds[given], n_parts)
    wanted = np.bincount(strata.codes[new], minlength=n_strata)
    table = fill(held, wanted)
    numbers, second = row_numbers(None, len(new), stream, stream)
    extended = folds.copy()
    extended[new] = deal_by_rank(strata.codes[new], table, numbers, second)
    return extended


def folds_of_units(unit: Ints, n_units: int, folds: Ints) -> Ints:
    """Find the fold that each group has already.

    Returns
    -------
    ndarray of int64, shape (n_units,)
        -1 for new groups.
    """
    held = np.flatnonzero(folds >= 0)
    return np.append(folds[held], -1)[first_occurrence(unit[held], n_units)]


def rows_of_split_groups(groups: Ints, folds: Ints) -> Ints:
    """List the rows with a fold whose group is in another fold, too."""
    n_groups = int(groups.max(initial=-1)) + 1
    known = folds_of_units(groups, n_groups, folds)
    is_split = np.zeros(n_groups, dtype=np.bool_)
    is_split[groups[(folds >= 0) & (folds != known[groups])]] = True
    return np.flatnonzero(is_split[groups] & (folds >= 0))
