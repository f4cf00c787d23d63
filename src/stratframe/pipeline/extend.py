"""`extend`: rows without a fold get one beside those that have one."""

from dataclasses import replace
from typing import Any

import numpy as np

from .. import frames
from ..core import seeds as draws
from ..core.deal import deal_by_table
from ..core.extend import fill_evenly
from ..core.groups.assign import extend_units, group_counts, margin_counts
from ..core.order import shuffled
from ..core.seeds import StreamTag
from ..core.strata import first_occurrence
from ..core.types import Ints
from ..errors import StratError, plural, preview
from ..frames import NewColumn
from .deal import strata_of
from .options import Deal
from .strata import Strata, stratify


def grown(call: Deal, k: int | None, series: list[Any], n_rows: int) -> list[NewColumn]:
    """Extend the folds of a frame whose columns were read, the fold column last."""
    folds, k = frames.read_fold_numbers(series[-1], k)
    call = replace(call, k=k)
    strata = strata_of(call, series[:-1], n_rows, ordered=False)
    rows = np.arange(n_rows) if strata.rows is None else strata.rows
    given = folds
    if strata.groups is not None:
        own = series[len(call.columns) :]
        groups = strata.groups if strata.rows is None else groups_of(call, own[:-1], n_rows)
        given = given_to_groups(groups, own, folds)
        strata = strata._replace(groups=np.unique(groups[rows], return_inverse=True)[1])
    folds[rows] = joined(call, strata, given[rows])
    return [column._replace(parts=folds) for column in call.outputs]


def groups_of(call: Deal, series: list[Any], n_rows: int) -> Ints:
    """Give all rows their group, those that are not dealt too."""
    groups = stratify((), series, n_rows, groups=call.groups, seed=call.seed).groups
    assert groups is not None
    return groups


def given_to_groups(groups: Ints, series: list[Any], folds: Ints) -> Ints:
    """Find the fold that the group of each row has.

    Parameters
    ----------
    groups : ndarray of int64, shape (n_rows,)
    folds : ndarray of int64, shape (n_rows,), range -1..k-1

    Returns
    -------
    ndarray of int64, shape (n_rows,), range -1..k-1
    """
    wrong = in_two_folds(groups, folds)
    if len(wrong):
        raise split_groups(series, wrong)
    found: Ints = known_folds(groups, int(groups.max()) + 1, folds)[groups]
    return found


def joined(call: Deal, strata: Strata, folds: Ints) -> Ints:
    """Give a fold to the dealt rows that have none.

    Parameters
    ----------
    folds : ndarray of int64, shape (n_dealt,), range -1..k-1

    Returns
    -------
    ndarray of int64, shape (n_dealt,), range 0..k-1
    """
    new, k = np.flatnonzero(folds < 0), call.k
    stream = draws.word_stream(call.seed, StreamTag.EXTEND, k)
    if strata.groups is None and not strata.margins:
        n_strata = len(strata.sizes)
        cells = (strata.codes * k + folds)[folds >= 0]
        held = np.bincount(cells, minlength=n_strata * k)
        wanted = np.bincount(strata.codes[new], minlength=n_strata)
        table = fill_evenly(held.reshape(n_strata, k), wanted, stream(k))
        order = shuffled(strata.codes[new], n_strata, stream(len(new)))
        found = folds.copy()
        found[new] = deal_by_table(order, table)
        return found
    unit = np.arange(len(folds)) if strata.groups is None else strata.groups
    n_units = int(unit.max(initial=-1)) + 1
    if strata.margins:
        alone = strata.groups is None
        units = margin_counts(strata.marginal, unit, n_units, with_sizes=not alone)
        if alone:
            held = np.bincount(folds[folds >= 0], minlength=k)[None]
            room = fill_evenly(held, np.array([len(new)]), stream(k))[0]
            return extend_units(units, folds, k, stream, room).astype(np.int64)
    else:
        units = group_counts(unit, n_units, strata.codes, len(strata.sizes))
    return extend_units(units, known_folds(unit, n_units, folds), k, stream)[unit].astype(np.int64)


def known_folds(unit: Ints, n_units: int, folds: Ints) -> Ints:
    """Find the fold that each group has already.

    Returns
    -------
    ndarray of int64, shape (n_units,)
        -1 for new groups.
    """
    held = np.flatnonzero(folds >= 0)
    return np.append(folds[held], -1)[first_occurrence(unit[held], n_units)]


def in_two_folds(groups: Ints, folds: Ints) -> Ints:
    """List the rows with a fold whose group is in another fold, too.

    Returns
    -------
    ndarray of int64, shape (n_found,)
    """
    n_groups = int(groups.max(initial=-1)) + 1
    known = known_folds(groups, n_groups, folds)
    parted = np.zeros(n_groups, dtype=np.bool_)
    parted[groups[(folds >= 0) & (folds != known[groups])]] = True
    return np.flatnonzero(parted[groups] & (folds >= 0))


def split_groups(series: list[Any], rows: Ints) -> StratError:
    """Make the error for groups that are in two folds already.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_rows,)
    """
    rows = np.sort(rows)
    shown = {
        f"group {place}" if column.name is None else column.name: column
        for place, column in enumerate(series, start=1)
    }
    listed = preview(rows[:6].tolist(), len(rows))
    msg = (
        "`extend` needs whole groups, but there are some in two folds, in"
        f" {plural(len(rows), 'row')} ({listed})."
    )
    return StratError(msg, frames.failing_rows(frames.library_of(series[-1]), shown, rows))
