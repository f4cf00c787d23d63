"""`by` on a frame -> strata: which rows are alike, in what order, and which get no part."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from . import frames
from .core.strata import nest, number
from .core.types import Flags, Ints, Values
from .entries import (
    Entry,
    children,
    column_numbers,
    is_broken,
    numbers_of,
    pick,
    read_entry,
    rule_of,
)
from .errors import StratError, plural
from .frames import columns, ordered
from .naming import stratum_values
from .rare import frequent
from .schemas import Rule, check_rows
from .terms import Classes, Continuous, Term


class Level(NamedTuple):
    """One level of nesting: the strata down to one entry of `by`."""

    name: Hashable
    values: Callable[[Ints], Any]
    """From the first dealt row of each stratum to the values that name it."""
    places: Ints
    """By what tables order the strata of one parent, shape (n_dealt,): classes by first
    appearance, bins upwards."""


class Strata(NamedTuple):
    """The strata of a frame."""

    codes: Ints
    """The joint stratum of every dealt row, shape (n_dealt,), range 0..n_strata-1."""
    sizes: Ints
    """The rows of every joint stratum, shape (n_strata,)."""
    coarser: tuple[Ints, ...]
    """For each level of nesting above, finest first, the stratum that holds each joint
    stratum; each of shape (n_strata,), nondecreasing."""
    order: Values | None
    """What orders the rows inside their stratum, shape (n_dealt,)."""
    rows: Ints | None
    """The positions of the dealt rows; None if all are, in the order of the frame."""
    levels: tuple[Level, ...]


def stratify(
    terms: Sequence[Term],
    series: Sequence[Any],
    n_rows: int,
    *,
    key: Sequence[Any] = (),
    missing: str = "stratum",
    rare: str = "ignore",
    parts: tuple[int, str] | None = None,
) -> Strata:
    """Fit the entries of `by`, each inside the strata of the entries before it.

    Parameters
    ----------
    terms : sequence of Term
    series : sequence of Series, one for each term
    n_rows : int
    key : sequence of Series
        Take the rows in the order of these.
    missing, rare : str
        As for `kfold`.
    parts : tuple of int and str, optional
        How many "folds" or "parts" there must be rows for; classes with fewer are rare.

    Returns
    -------
    Strata

    Raises
    ------
    StratError
        If the data break a rule of the call.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.terms import Plain
    >>> stratify([Plain("a")], [pl.Series(["x", "y", "x"])], 3).codes
    array([0, 1, 0])
    """
    entries = [
        read_entry(term, column, place)
        for place, (term, column) in enumerate(zip(terms, series, strict=True), start=1)
    ]
    check_order(entries)
    rows = check_values(entries, missing, key)
    if rows is not None:
        entries = [pick(entry, rows) for entry in entries]
    if entries and missing == "null":
        entries = keep(entries, ~np.logical_or.reduce([entry.missing for entry in entries]))
    if parts is not None:
        check_enough(len(entries[0].data) if entries else n_rows, parts)
        if entries and rare != "ignore" and isinstance(entries[0].term, Classes):
            entries = keep(entries, frequent(entries[0], rare, parts))
            check_enough(len(entries[0].data), parts)
    return fit(entries, entries[0].rows if entries else rows, n_rows)


def check_enough(n_dealt: int, parts: tuple[int, str]) -> None:
    """Refuse more parts than rows.

    Examples
    --------
    >>> check_enough(3, (5, "folds"))
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: `k` must be at most the number of rows dealt, got 5 for 3 rows.
    """
    if parts[0] > n_dealt:
        what = "`k`" if parts[1] == "folds" else "The number of `parts`"
        msg = (
            f"{what} must be at most the number of rows dealt, got {parts[0]}"
            f" for {plural(n_dealt, 'row')}."
        )
        raise StratError(msg)


def check_order(entries: Sequence[Entry]) -> None:
    """Refuse a column that turns out continuous but is not the last entry.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.terms import Plain
    >>> check_order([read_entry(Plain("a"), pl.Series("a", [0.5]))])
    """
    for entry in entries[:-1]:
        if isinstance(entry.term, Continuous):
            msg = (
                f"A continuous entry of `by` must be the last, but {entry.text} holds fractions"
                f" and others follow.\nHint: cut it, as in `sf.quantiles({entry.code}, 10)`,"
                f" or take its values as they are, `sf.classes({entry.code})`."
            )
            raise StratError(msg)


def check_values(entries: Sequence[Entry], missing: str, key: Sequence[Any]) -> Ints | None:
    """Refuse what breaks the rules of the call, all at once, and sort the rows by key.

    Returns
    -------
    ndarray of int64, shape (n_rows,), or None
        The order of the keys; None without keys.

    Raises
    ------
    StratError
        With pandera's error as its cause.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.terms import Plain
    >>> check_values([read_entry(Plain("a"), pl.Series("a", ["x", None]))], "stratum", [])
    """
    rules = [rule_of(entry, missing) for entry in entries]
    broken = [is_broken(rule, entry) for rule, entry in zip(rules, entries, strict=True)]
    rows = places = None
    if key:
        gaps = any(columns.missing(series).any() for series in key)
        broken.append(gaps)
        if not gaps:
            rows, places = key_order(key)
            broken.append(int(places.max(initial=-1)) < len(places) - 1)
    if any(broken):
        # Only now the arrays that pandera looks at are made.
        found = map(numbers_of, entries)
        rules = [rule._replace(numbers=n) for rule, n in zip(rules, found, strict=True)]
        check_rows(
            frames.library(rules[0].series if rules else key[0]), rules + key_rules(key, places)
        )
    return rows


def keep(entries: list[Entry], flags: Flags) -> list[Entry]:
    """Restrict entries to the flagged rows.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.terms import Plain
    >>> entries = [read_entry(Plain("a"), pl.Series("a", ["x", "y", "z"]))]
    >>> keep(entries, np.array([True, False, True]))[0].rows
    array([0, 2])
    """
    return entries if flags.all() else [pick(entry, np.flatnonzero(flags)) for entry in entries]


def key_rules(key: Sequence[Any], places: Ints | None) -> list[Rule]:
    """Say what a call asks of its keys: none missing, and together none twice.

    Parameters
    ----------
    key : sequence of Series
    places : ndarray of int, shape (n_rows,), optional
        The rank of every row's keys, if none is missing.

    Returns
    -------
    list of Rule

    Examples
    --------
    >>> import pandas as pd
    >>> [rule.text for rule in key_rules([pd.Series([2, 1], name="id")], np.array([1, 0]))]
    ["'id'", "`key` ('id')"]
    """
    rules = [
        Rule(
            f"key {place}" if series.name is None else series.name,
            key_text(series, place),
            series,
            column_numbers(series),
        )
        for place, series in enumerate(key, start=1)
    ]
    if places is not None:
        texts = ", ".join(rule.text for rule in rules)
        rules.append(Rule("key", f"`key` ({texts})", places, unique=True))
    return rules


def key_text(series: Any, place: int) -> str:
    """Name a key column for messages.

    Examples
    --------
    >>> import pandas as pd
    >>> key_text(pd.Series([1], name="id"), 1), key_text(pd.Series([1]), 2)
    ("'id'", 'entry 2 of `key`')
    """
    return f"entry {place} of `key`" if series.name is None else repr(series.name)


def key_order(key: Sequence[Any]) -> tuple[Ints, Ints]:
    """Order the rows by their keys, the first key first.

    Parameters
    ----------
    key : sequence of Series

    Returns
    -------
    rows : ndarray of int64, shape (n_rows,)
    places : ndarray of int64, shape (n_rows,)
        The dense rank of every row's keys; the highest is below n_rows - 1 if keys repeat.

    Examples
    --------
    >>> import polars as pl
    >>> key_order([pl.Series(["b", "a", "b"])])
    (array([1, 0, 2]), array([1, 0, 1]))
    """
    ranked = [ordered.ranks(series) for series in key]
    rows = np.lexsort(ranked[::-1])
    repeats = np.logical_and.reduce([np.diff(ranks[rows]) == 0 for ranks in ranked])
    places = np.empty(len(rows), dtype=np.int64)
    places[rows] = np.cumsum(np.append(False, ~repeats)[: len(rows)])
    return rows, places


def fit(entries: Sequence[Entry], rows: Ints | None, n_rows: int) -> Strata:
    """Nest the entries into joint strata, on the rows that are dealt.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.terms import Plain
    >>> entries = [read_entry(Plain(name), pl.Series(name, [1, 2, 2])) for name in "ab"]
    >>> fit(entries, None, 3).coarser
    (array([0, 1]),)
    """
    codes = np.zeros(n_rows if rows is None else len(rows), dtype=np.int64)
    n_strata = min(1, len(codes))
    order: Values | None = None
    coarser: list[Ints] = []
    levels: list[Level] = []
    for entry in entries:
        if isinstance(entry.term, Continuous):
            order = entry.data
            break
        parent, (child, n_children) = codes, children(entry, codes)
        if levels:
            codes, parents = nest(parent, n_strata, child, n_children)
            coarser = [parents, *(level[parents] for level in coarser)]
            n_strata = len(parents)
        else:
            codes, n_strata = numbered(entry, child, n_children)
        values = partial(stratum_values, entry, parent=parent, child=child)
        places = codes if isinstance(entry.term, Classes) else child
        levels.append(Level(entry.name, values, places))
    sizes = np.bincount(codes, minlength=n_strata)
    return Strata(codes, sizes, tuple(coarser), order, rows, tuple(levels))


def numbered(entry: Entry, child: Ints, n_children: int) -> tuple[Ints, int]:
    """Give the strata of a first entry numbers by first appearance, unless they are already.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe.terms import Plain
    >>> entry = pick(read_entry(Plain("a"), pl.Series([7, 8])), np.array([1, 0]))
    >>> numbered(entry, entry.data, 2)
    (array([0, 1]), 2)
    """
    if child is entry.data and entry.rows is None:
        return child, n_children
    codes, present = number(child, n_children)
    return codes, len(present)
