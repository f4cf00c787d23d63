"""`by` on a frame -> strata: which rows are alike, in what order, and which get no part."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from . import frames
from .core.strata import first_rows, nest, number
from .core.types import Flags, Ints, Values
from .entries import (
    Entry,
    children,
    is_broken,
    pick,
    read_entry,
    rule_of,
    stratum_values,
    values_at,
)
from .errors import SHOWN, StratError, plural, some, warn
from .frames import columns
from .schemas import Rule, check_rows
from .terms import Classes, Continuous, Term


class Level(NamedTuple):
    """One level of nesting: the strata down to one entry of `by`."""

    name: Hashable
    values: Callable[[Ints], Any]
    """From the first dealt row of each stratum to the values that name it."""


class Strata(NamedTuple):
    """The strata of a frame."""

    codes: Ints
    """The joint stratum of every dealt row, shape (n_dealt,), range 0..n_strata-1."""
    n_strata: int
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
    parts: tuple[int, str] = (2, "parts"),
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
    parts : tuple of int and str
        How many folds or parts, and what they are called; a class with fewer rows is
        rare.

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
    entries = [read_entry(term, column) for term, column in zip(terms, series, strict=True)]
    check_order(entries)
    check_values(entries, missing)
    rows = key_order(key) if key else None
    if rows is not None:
        entries = [pick(entry, rows) for entry in entries]
    if entries and missing == "null":
        entries = keep(entries, ~np.logical_or.reduce([entry.missing for entry in entries]))
    if entries and rare != "ignore" and isinstance(entries[0].term, Classes):
        entries = keep(entries, frequent(entries[0], rare, *parts))
    return fit(entries, entries[0].rows if entries else rows, n_rows)


def check_order(entries: Sequence[Entry]) -> None:
    """Refuse a column that turns out continuous but is not the last entry."""
    for entry in entries[:-1]:
        if isinstance(entry.term, Continuous):
            msg = (
                f"A continuous entry of `by` must be the last, but {entry.label} holds fractions"
                f" and others follow.\nHint: cut it, as in `sf.quantiles({entry.label}, 10)`,"
                f" or take its values as they are, `sf.classes({entry.label})`."
            )
            raise StratError(msg)


def check_values(entries: Sequence[Entry], missing: str) -> None:
    """Refuse missing, infinite and outlying values, all at once."""
    rules = [rule_of(entry, missing) for entry in entries]
    if any(is_broken(rule, entry) for rule, entry in zip(rules, entries, strict=True)):
        check_rows(frames.library(entries[0].series), rules)


def keep(entries: list[Entry], flags: Flags) -> list[Entry]:
    """Restrict entries to the flagged rows."""
    return entries if flags.all() else [pick(entry, np.flatnonzero(flags)) for entry in entries]


def key_order(key: Sequence[Any]) -> Ints:
    """Order the rows by their keys, the first key first.

    Parameters
    ----------
    key : sequence of Series

    Returns
    -------
    ndarray of int64, shape (n_rows,)

    Raises
    ------
    StratError
        If a key is missing, or two rows have the same.

    Examples
    --------
    >>> import polars as pl
    >>> key_order([pl.Series(["b", "a"])])
    array([1, 0])
    """
    library = frames.library(key[0])
    rules = [Rule(repr(series.name), series) for series in key]
    if any(columns.missing(series).any() for series in key):
        check_rows(library, rules)
    ranked = [columns.ranks(series) for series in key]
    rows = np.lexsort(ranked[::-1])
    repeats = np.logical_and.reduce([np.diff(ranks[rows]) == 0 for ranks in ranked])
    if repeats.any():
        places = np.empty(len(rows), dtype=np.int64)
        places[rows] = np.cumsum(np.append(True, ~repeats))
        named = ", ".join(rule.column for rule in rules)
        check_rows(library, [*rules, Rule(f"`key` ({named})", places, unique=True)])
    return rows


def frequent(entry: Entry, rare: str, n_parts: int, noun: str) -> Flags:
    """Flag the rows whose class is dealt: with `rare="null"` those of no rare class.

    Returns
    -------
    ndarray of bool, shape (n_dealt,)

    Raises
    ------
    StratError
        With `rare="error"`, if there is a rare class.
    """
    codes, n_codes = children(entry, entry.data)
    sizes = np.bincount(codes, minlength=n_codes)
    few = (sizes > 0) & (sizes < n_parts)
    if rare == "null":
        return ~few[codes]
    if few.any():
        text = rare_classes(entry, codes, sizes, np.flatnonzero(few), f"{n_parts} {noun}")
        if rare == "error":
            msg = f'`rare="error"` allows no rare strata, but {text}'
            raise StratError(msg)
        warn(text)
    return np.ones(len(codes), dtype=np.bool_)


def rare_classes(entry: Entry, codes: Ints, sizes: Ints, few: Ints, parts: str) -> str:
    """Put the rare classes of an entry into words, the smallest first."""
    few = few[np.argsort(sizes[few], kind="stable")]
    first = first_rows(codes, len(sizes))[few[:SHOWN]]
    named = [
        f"{value!r} ({plural(size, 'row')})"
        for value, size in zip(
            frames.listed(values_at(entry, first)), sizes[few].tolist(), strict=False
        )
    ]
    strata = "1 stratum" if len(few) == 1 else f"{len(few):,} strata"
    have = "has" if len(few) == 1 else "have"
    text = f"{strata} of {entry.label} {have} fewer rows than the {parts}: {some(named, len(few))}"
    text += "" if text.endswith("...") else "."
    if 2 * int(sizes[few].sum()) > len(codes):
        text += (
            f" More than half of the rows are in such strata: {entry.label} looks continuous, or"
            f" like an id.\nHint: `sf.quantiles({entry.label}, 10)` or"
            f" `sf.continuous({entry.label})`."
        )
    return text


def fit(entries: Sequence[Entry], rows: Ints | None, n_rows: int) -> Strata:
    """Nest the entries into joint strata, on the rows that are dealt."""
    codes, n_strata = np.zeros(n_rows if rows is None else len(rows), dtype=np.int64), 1
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
        levels.append(Level(entry.name, values))
    return Strata(codes, n_strata, tuple(coarser), order, rows, tuple(levels))


def numbered(entry: Entry, child: Ints, n_children: int) -> tuple[Ints, int]:
    """Give the strata of a first entry numbers by first appearance, unless they are already."""
    if child is entry.data and entry.rows is None:
        return child, n_children
    codes, present = number(child, n_children)
    return codes, len(present)
