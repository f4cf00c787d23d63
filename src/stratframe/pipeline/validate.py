"""What a call demands of its data: enough rows and groups, entries that fit, values."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from .. import frames
from ..core.strata import first_occurrence
from ..core.types import Flags, Ints
from ..errors import MAX_LISTED, StratError, with_full_stop, plural, preview, warn
from ..schemas import Rule, check_rows
from ..terms.base import Continuous
from ..terms.entry import Entry, children, column_numbers, is_broken, numbers_of, rules_of
from ..terms.naming import values_at


def check_margins(entries: Sequence[Entry]) -> None:
    """Refuse a margin that turns out continuous."""
    for entry in entries:
        if isinstance(entry.term, Continuous):
            msg = (
                f"An entry of `sf.margins` must make strata, but {entry.text} holds fractions."
                f"\nHint: cut it, as in `sf.quantiles({entry.code}, 10)`, or take its values as"
                f" they are, `sf.classes({entry.code})`."
            )
            raise StratError(msg)


def check_groups(groups: Ints, parts: tuple[int, str]) -> None:
    """Refuse more parts than groups."""
    n_groups = int(groups.max(initial=-1)) + 1
    if parts[0] > n_groups:
        what = "`k`" if parts[1] == "folds" else "The number of `parts`"
        msg = (
            f"{what} must be at most the number of groups, got {parts[0]}"
            f" for {plural(n_groups, 'group')}."
        )
        raise StratError(msg)


def check_enough(n_dealt: int, parts: tuple[int, str]) -> None:
    """Refuse more parts than rows."""
    if parts[0] > n_dealt:
        what = "`k`" if parts[1] == "folds" else "The number of `parts`"
        msg = (
            f"{what} must be at most the number of rows dealt, got {parts[0]}"
            f" for {plural(n_dealt, 'row')}."
        )
        raise StratError(msg)


def check_order(entries: Sequence[Entry]) -> None:
    """Refuse a column that turns out continuous but is not the last entry."""
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
    """
    asked = [rules_of(entry, missing) for entry in entries]
    broken = [is_broken(entry, rules[0]) for entry, rules in zip(entries, asked, strict=True)]
    rows = places = None
    if key:
        gaps = any(frames.is_missing(series).any() for series in key)
        broken.append(gaps)
        if not gaps:
            rows, places = key_order(key)
            broken.append(int(places.max(initial=-1)) < len(places) - 1)
    if any(broken):
        # Only now the arrays that pandera looks at are made.
        found = [numbers for entry in entries for numbers in numbers_of(entry)]
        rules = [
            rule._replace(numbers=numbers)
            for rule, numbers in zip(chain.from_iterable(asked), found, strict=True)
        ]
        check_rows(
            frames.library_of(rules[0].series if rules else key[0]), rules + key_rules(key, places)
        )
    return rows


"""Rare classes: found, put into words, refused or left out."""


def frequent(entry: Entry, rare: str, parts: tuple[int, str]) -> Flags:
    """Flag the rows whose class is dealt: with `rare="null"` those of no rare class.

    Returns
    -------
    ndarray of bool, shape (n_dealt,)
    """
    codes, n_codes = children(entry, entry.data)
    sizes = np.bincount(codes, minlength=n_codes)
    few = (sizes > 0) & (sizes < parts[0])
    if rare == "null":
        return ~few[codes]
    if few.any():
        text = rare_classes(entry, codes, sizes, np.flatnonzero(few), f"{parts[0]} {parts[1]}")
        if rare == "error":
            places = np.flatnonzero(few[codes])
            places = np.sort(places if entry.rows is None else entry.rows[places])
            shown = {rules_of(entry, "error")[0].name: entry.series[0]}
            failures = frames.failing_rows(frames.library_of(entry.series[0]), shown, places)
            msg = f'`rare="error"` allows no rare strata, but {text}'
            raise StratError(msg, failures)
        warn(text)
    return np.ones(len(codes), dtype=np.bool_)


def rare_classes(entry: Entry, codes: Ints, sizes: Ints, few: Ints, parts: str) -> str:
    """Put the rare classes of an entry into words, the smallest first."""
    few = few[np.argsort(sizes[few], kind="stable")]
    first = first_occurrence(codes, len(sizes))[few[:MAX_LISTED]]
    named = [
        f"{value!r} ({plural(size, 'row')})"
        for value, size in zip(
            frames.to_list(values_at(entry, first)), sizes[few].tolist(), strict=False
        )
    ]
    strata = "1 stratum" if len(few) == 1 else f"{len(few):,} strata"
    have = "has" if len(few) == 1 else "have"
    listed = preview(named, len(few))
    text = with_full_stop(f"{strata} of {entry.text} {have} fewer rows than the {parts}: {listed}")
    if 2 * int(sizes[few].sum()) > len(codes):
        text += (
            f" More than half of the rows are in such strata: {entry.text} looks continuous, or"
            f" like an id.\nHint: `sf.quantiles({entry.code}, 10)` or"
            f" `sf.continuous({entry.code})`."
        )
    return text


"""`key`: the rows in the order of one or several columns that name each row once."""


def key_rules(key: Sequence[Any], places: Ints | None) -> list[Rule]:
    """Say what a call asks of its keys: none missing, and together none twice.

    Parameters
    ----------
    places : ndarray of int, shape (n_rows,), optional
        The rank of every row's keys, if none is missing.
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
    """Name a key column for messages."""
    return f"entry {place} of `key`" if series.name is None else repr(series.name)


def key_order(key: Sequence[Any]) -> tuple[Ints, Ints]:
    """Order the rows by their keys, the first key first.

    Returns
    -------
    rows : ndarray of int64, shape (n_rows,)
    places : ndarray of int64, shape (n_rows,)
        The dense rank of every row's keys; the highest is below n_rows - 1 if keys repeat.
    """
    ranked = [frames.rank_key(series) for series in key]
    rows = np.lexsort(ranked[::-1])
    repeats = np.logical_and.reduce([np.diff(ranks[rows]) == 0 for ranks in ranked])
    places = np.empty(len(rows), dtype=np.int64)
    places[rows] = np.cumsum(np.append(False, ~repeats)[: len(rows)])
    return rows, places
