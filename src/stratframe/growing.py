"""`extend`: rows without a fold get one beside those that have one."""

from dataclasses import replace
from typing import Any

import numpy as np

from . import frames
from .arguments import Deal
from .core import draws
from .core.deal import spend
from .core.draws import Use
from .core.filling import fill
from .core.groups import group_units, join
from .core.margins import units_of
from .core.order import shuffled
from .core.strata import first_rows
from .core.types import Ints
from .dealing import strata_of
from .errors import StratError, plural, some
from .frames import Dealt
from .strata import Strata


def grown(call: Deal, k: int | None, series: list[Any], n_rows: int) -> list[Dealt]:
    """Extend the folds of a frame whose columns were read, the fold column last.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.arguments import deal_of
    >>> columns = [pl.Series(["a", "a", "b"]), pl.Series("fold", [0, None, 1])]
    >>> grown(deal_of("a", 2, None, rare="ignore"), None, columns, 3)[0].parts
    array([0, 1, 1])
    """
    folds, k = frames.folds_of(series[-1], k)
    call = replace(call, k=k)
    strata = strata_of(call, series[:-1], n_rows, ordered=False)
    rows = np.arange(n_rows) if strata.rows is None else strata.rows
    folds[rows] = joined(call, strata, folds[rows], rows)
    return [column._replace(parts=folds) for column in call.outputs]


def joined(call: Deal, strata: Strata, folds: Ints, rows: Ints) -> Ints:
    """Give a fold to the dealt rows that have none.

    Parameters
    ----------
    call : Deal
    strata : Strata
    folds : ndarray of int64, shape (n_dealt,), range -1..k-1
    rows : ndarray of int64, shape (n_dealt,)
        Positions in the frame, for messages.

    Returns
    -------
    ndarray of int64, shape (n_dealt,), range 0..k-1

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.arguments import deal_of
    >>> call = deal_of("a", 2, None)
    >>> strata = strata_of(call, [pl.Series([7, 7, 7, 7])], 4)
    >>> joined(call, strata, np.array([0, 0, -1, -1]), np.arange(4))
    array([0, 0, 1, 1])
    """
    new, k = np.flatnonzero(folds < 0), call.k
    stream = draws.stream_of(call.seed, Use.EXTEND, k)
    if strata.groups is None and not strata.margins:
        n_strata = len(strata.sizes)
        cells = (strata.codes * k + folds)[folds >= 0]
        held = np.bincount(cells, minlength=n_strata * k)
        wanted = np.bincount(strata.codes[new], minlength=n_strata)
        table = fill(held.reshape(n_strata, k), wanted, stream(k))
        order = shuffled(strata.codes[new], n_strata, stream(len(new)))
        found = folds.copy()
        found[new] = spend(order, table)
        return found
    unit = np.arange(len(folds)) if strata.groups is None else strata.groups
    n_units = int(unit.max(initial=-1)) + 1
    if strata.margins:
        entries = [(margin.codes, len(margin.sizes)) for margin in strata.margins]
        units = units_of(entries, unit, n_units, with_sizes=True)
    else:
        units = group_units(unit, n_units, strata.codes, len(strata.sizes))
    return join(units, known_folds(unit, n_units, folds, rows), k, stream)[unit].astype(np.int64)


def known_folds(unit: Ints, n_units: int, folds: Ints, rows: Ints) -> Ints:
    """Find the fold that each group has already.

    Returns
    -------
    ndarray of int64, shape (n_units,)
        -1 for new groups.

    Raises
    ------
    StratError
        If a group is in two folds; with the rows.

    Examples
    --------
    >>> known_folds(np.array([0, 0, 1]), 2, np.array([-1, 3, -1]), np.arange(3))
    array([ 3, -1])
    """
    held = np.flatnonzero(folds >= 0)
    first = first_rows(unit[held], n_units)
    found = np.append(folds[held], -1)[first]
    wrong = held[folds[held] != found[unit[held]]]
    if len(wrong):
        split = np.flatnonzero(np.isin(unit, unit[wrong]) & (folds >= 0))
        places = np.sort(rows[split])
        msg = (
            f"`extend` needs whole groups, but {plural(len(set(unit[wrong].tolist())), 'group')}"
            f" is in more than one fold, in {plural(len(places), 'row')}"
            f" ({some(places[:6].tolist(), len(places))})."
        )
        raise StratError(msg)
    return found
