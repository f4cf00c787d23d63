"""Rows without a fold get one, next to the rows that have one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import frames
from ..core.deal import deal_by_table
from ..core.extend import fill_evenly
from ..core.groups.assign import extend_units, group_counts, margin_counts
from ..core.groups.local_search import Stream
from ..core.order import shuffled
from ..core.seeds import StreamTag
from ..core.strata import first_occurrence
from ..core.types import Ints
from ..errors import StratError, rows_at_fault
from ..frames import NewColumn
from .deal import column_stream, empty_outputs, stratify_rows
from .options import Options, fold_target
from .strata import Strata, stratify


def extended_columns(
    options: Options, k: int | None, series: Sequence[Any], n_rows: int
) -> list[NewColumn]:
    """Extend the folds of a frame whose columns were read, the fold column last."""
    folds, k = frames.read_fold_numbers(series[-1], k)
    options = replace(options, target=fold_target(k))
    strata = stratify_rows(options, series[:-1], n_rows, ordered=False)
    rows = np.arange(n_rows) if strata.rows is None else strata.rows
    given = folds
    if strata.groups is not None:
        n_by = len(options.columns()["by"])
        groups = strata.groups
        if strata.rows is not None:
            groups = all_groups(options, series[n_by:-1], n_rows)
        check_whole_groups(groups, series[n_by:], folds)
        given = folds_of_units(groups, int(groups.max()) + 1, folds)[groups]
        strata = strata._replace(groups=np.unique(groups[rows], return_inverse=True)[1])
    folds[rows] = extend_dealt(options, strata, given[rows])
    return [column._replace(parts=folds) for column in empty_outputs(options)]


def all_groups(options: Options, series: Sequence[Any], n_rows: int) -> Ints:
    """Encode the groups of all rows, dealt or not."""
    groups = stratify(Options(groups=options.groups, seed=options.seed), series, n_rows).groups
    assert groups is not None
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
    k = options.target.n
    stream = column_stream(options, StreamTag.EXTEND)
    if strata.groups is None and not strata.margins:
        return extend_rows(strata, folds, k, stream)
    unit = np.arange(len(folds)) if strata.groups is None else strata.groups
    n_units = int(unit.max(initial=-1)) + 1
    if not strata.margins:
        units = group_counts(unit, n_units, strata.codes, len(strata.sizes))
    else:
        single_rows = strata.groups is None
        entries = strata.marginal_codes
        units = margin_counts(entries, unit, n_units, with_sizes=not single_rows)
        if single_rows:
            held = np.bincount(folds[folds >= 0], minlength=k)[None]
            room = fill_evenly(held, np.array([(folds < 0).sum()]), stream(k))[0]
            return extend_units(units, folds, k, stream, room).astype(np.int64)
    given = folds_of_units(unit, n_units, folds)
    return extend_units(units, given, k, stream)[unit].astype(np.int64)


def extend_rows(strata: Strata, folds: Ints, k: int, stream: Stream) -> Ints:
    """Give a fold to single rows: each stratum as even as can be, then the total."""
    new, n_strata = np.flatnonzero(folds < 0), len(strata.sizes)
    given = folds >= 0
    held = np.bincount((strata.codes * k + folds)[given], minlength=n_strata * k)
    wanted = np.bincount(strata.codes[new], minlength=n_strata)
    table = fill_evenly(held.reshape(n_strata, k), wanted, stream(k))
    order = shuffled(strata.codes[new], n_strata, stream(len(new)))
    extended = folds.copy()
    extended[new] = deal_by_table(order, table)
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
