"""What a call needs of its data: values that keep the rules, enough rows, groups and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import frames
from ..core.strata import first_occurrence
from ..core.types import Flags, Ints
from ..errors import MAX_LISTED, StratError, at_most, plural, preview, warn, with_full_stop
from ..frames import Rule, RuledColumn
from ..terms.base import OrderTerm
from ..terms.entry import Entry, ruled_columns

if TYPE_CHECKING:
    from .options import Options, Target


def check_orders(entries: Sequence[Entry], options: Options) -> None:
    """Raise if a column turns out continuous that must make strata."""
    for entry in entries if options.one_by_one else entries[:-1]:
        if isinstance(entry.term, OrderTerm):
            rule = (
                f"An entry of `sf.margins` must make strata, but {entry.text} holds fractions."
                if options.one_by_one
                else f"A continuous entry of `by` must be the last, but {entry.text} holds"
                " fractions and others follow."
            )
            msg = (
                f"{rule}\nHint: cut it, as in `sf.quantiles({entry.code}, 10)`, or take its values"
                f" as they are, `sf.classes({entry.code})`."
            )
            raise StratError(msg)


def check_values(entries: Sequence[Entry], options: Options, key: Sequence[Any]) -> Ints | None:
    """Raise if values break the rules of the call, all at once; else sort the rows by key.

    Returns
    -------
    ndarray of int64, shape (n_rows,), or None
        The order of the keys; None without keys.
    """
    check_orders([entry for entry in entries if entry.argument == "by"], options)
    columns = [column for entry in entries for column in ruled_columns(entry, options.missing)]
    if not key:
        frames.check_rules(columns)
        return None
    columns += key_columns(key)
    if any(column.missing.any() for column in columns[-len(key) :]):
        frames.check_rules(columns)
    rows, ranks = key_order(key)
    texts = ", ".join(key_text(series, place) for place, series in enumerate(key, 1))
    unique = Rule(present=False, unique=True)
    no_gaps = np.zeros(len(ranks), dtype=np.bool_)
    columns.append(RuledColumn("key", f"`key` ({texts})", unique, key[0], no_gaps, ranks))
    frames.check_rules(columns)
    return rows


def key_columns(key: Sequence[Any]) -> list[RuledColumn]:
    """State that no key may be missing."""
    return [
        RuledColumn(
            f"key {place}" if series.name is None else series.name,
            f"Entry {place} of `key`" if series.name is None else f"Column {series.name!r}",
            Rule(),
            series,
            frames.is_missing(series),
        )
        for place, series in enumerate(key, 1)
    ]


def key_text(series: Any, place: int) -> str:
    """Name a key column for messages."""
    return f"entry {place} of `key`" if series.name is None else repr(series.name)


def key_order(key: Sequence[Any]) -> tuple[Ints, Ints]:
    """Order the rows by their keys, the first key first.

    Returns
    -------
    rows : ndarray of int64, shape (n_rows,)
    ranks : ndarray of int64, shape (n_rows,)
        The dense rank of every row's keys; equal ones are repeated keys.
    """
    columns = [frames.rank_key(series) for series in key]
    rows = np.lexsort(columns[::-1])
    repeats = np.logical_and.reduce([np.diff(column[rows]) == 0 for column in columns])
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[rows] = np.cumsum(np.append(False, ~repeats)[: len(rows)])
    return rows, ranks


def check_enough(count: int, target: Target, limit: str, noun: str) -> None:
    """Raise if there are more folds or parts than rows, or groups, to deal."""
    if target.n > count:
        raise StratError(at_most(target.argument, limit, target.n, count, noun))


def keep_frequent(entry: Entry, options: Options) -> Flags:
    """Flag the rows that are dealt, and warn of rare classes or raise, as `rare` says.

    Returns
    -------
    ndarray of bool, shape (n_dealt,)
        Without the rows of rare classes for `rare="null"`.
    """
    # Missing values are a class, too: their code is -1.
    codes: Ints = entry.data % (entry.n_classes + 1) if entry.missing.any() else entry.data
    sizes = np.bincount(codes, minlength=entry.n_classes + 1)
    is_rare: Flags = (sizes > 0) & (sizes < options.target.n)
    if options.rare == "null":
        keeps: Flags = ~is_rare[codes]
        return keeps
    if is_rare.any():
        text = format_rare(entry, codes, sizes, np.flatnonzero(is_rare), options)
        if options.rare == "error":
            rows = np.flatnonzero(is_rare[codes])
            rows = np.sort(rows if entry.rows is None else entry.rows[rows])
            (column,) = ruled_columns(entry, options.missing)
            library = frames.library_of(column.series)
            failures = frames.failing_rows(library, {column.name: column.series}, rows)
            raise StratError(text, failures)
        warn(text)
    return np.ones(len(codes), dtype=np.bool_)


def format_rare(entry: Entry, codes: Ints, sizes: Ints, rare: Ints, options: Options) -> str:
    """Name the rare classes of an entry, the smallest first."""
    rare = rare[np.argsort(sizes[rare], kind="stable")]
    values = frames.to_list(entry.values_at(first_occurrence(codes, len(sizes))[rare[:MAX_LISTED]]))
    listed = [
        f"{value!r} ({plural(size, 'row')})"
        for value, size in zip(values, sizes[rare].tolist(), strict=False)
    ]
    classes = "1 class" if len(rare) == 1 else f"{len(rare):,} classes"
    have = "has" if len(rare) == 1 else "have"
    why = ' (and `rare="error"`)' if options.rare == "error" else ""
    text = with_full_stop(
        f"{classes} of {entry.text} {have} fewer rows than the"
        f" {plural(options.target.n, options.target.noun)}{why}: {preview(listed, len(rare))}"
    )
    if 2 * int(sizes[rare].sum()) > len(codes):
        text += (
            f" More than half of the rows are in such classes: {entry.text} looks continuous, or"
            f" like an id.\nHint: `sf.quantiles({entry.code}, 10)` or"
            f" `sf.continuous({entry.code})`."
        )
    return text
