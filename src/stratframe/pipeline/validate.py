"""What a call needs of its data: values that keep the rules, enough rows, groups and keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import frames
from ..core.strata import first_occurrence, sum_by
from ..core.types import Flags, Ints
from ..errors import MAX_LISTED, StratError, at_most, plural, preview, warn, with_full_stop
from ..frames import Rule, RuledColumn
from ..terms.classes import Classes, pool_classes
from ..terms.entry import BoundTerm, ruled_columns
from .numbers import Keys, first_of_equal_keys, read_keys
from .options import Options, Target, write_groups


def check_orders(entries: Sequence[BoundTerm], options: Options) -> None:
    """Raise if a column turns out continuous that must make strata."""
    for entry in entries if options.marginal else entries[:-1]:
        if entry.term.orders_rows:
            rule, others = "A continuous entry of `by` must be the last", " and others follow"
            if options.marginal:
                rule, others = "An entry of `sf.margins` must make strata", ""
            msg = (
                f"{rule}, but {entry.text} holds fractions{others}.\nHint: cut it, as in"
                f" `sf.quantiles({entry.code}, 10)`, or take its values as they are,"
                f" `sf.classes({entry.code})`."
            )
            raise StratError(msg)


def rows_where(series: Any, *, in_batch: bool = False) -> Ints:
    """List the rows that a boolean column marks as dealt."""
    name, text, subject = "where", "the column of `where`", "The column of `where`"
    if series.name is not None:
        name, text, subject = series.name, repr(series.name), f"Column {series.name!r}"
    flags, missing = frames.read_flags(series, text)
    rule = Rule(hint="fill it, as in `fill_null(False)` or `fillna(False)`.")
    frames.check_rules([RuledColumn(name, subject, rule, series, missing)], in_batch=in_batch)
    return np.flatnonzero(flags)


def check_values(
    entries: Sequence[BoundTerm], options: Options, key: Sequence[Any], rows: Ints | None = None
) -> Keys | None:
    """Raise if values break the rules of the call, all at once; else read the keys of the rows."""
    check_orders([entry for entry in entries if entry.argument == "by"], options)
    columns = [column for entry in entries for column in ruled_columns(entry, options.missing)]
    if not key:
        frames.check_rules(columns)
        return None
    keyed = ruled_keys(key, rows)
    columns += keyed
    if any(column.missing.any() for column in keyed):
        frames.check_rules(columns)
    key = key if rows is None else [frames.take(each, rows) for each in key]
    keys = read_keys(options, key)
    first = first_of_equal_keys(keys, key)
    if first is not None:
        texts = ", ".join(column.text.removeprefix("Column ") for column in keyed)
        unique = Rule(present=False, unique=True, hint=UNIQUE_KEY_HINT)
        no_gaps = np.zeros(len(first), dtype=np.bool_)
        columns.append(RuledColumn("key", f"`key` ({texts})", unique, key[0], no_gaps, first, rows))
    frames.check_rules(columns)
    return keys


UNIQUE_KEY_HINT = (
    "in `kfold` and `split`, `groups=` keeps rows that belong together in one fold or part, and"
    ' with `deal="hash"` keys may repeat.'
)


def ruled_keys(key: Sequence[Any], rows: Ints | None) -> list[RuledColumn]:
    """State that no key may be missing."""
    columns = []
    for place, series in enumerate(key, 1):
        name, text = f"key {place}", f"Entry {place} of `key`"
        if series.name is not None:
            name, text = series.name, f"Column {series.name!r}"
        missing = frames.is_missing(series if rows is None else frames.take(series, rows))
        columns.append(RuledColumn(name, text, Rule(), series, missing, rows=rows))
    return columns


def check_enough(n_rows: int, groups: Ints | None, target: Target) -> None:
    """Raise if there are more folds or parts than rows, or groups, to deal."""
    counts = [(n_rows, f"rows that get a {target.kind}", "row")]
    if groups is not None:
        counts.append((int(groups.max(initial=-1)) + 1, "groups", "group"))
    for count, what, noun in counts:
        if target.n > count:
            limit = f"the number of {what}"
            raise StratError(at_most(target.argument, limit, target.n, count, noun))


def treat_rare(
    entry: BoundTerm, groups: Ints | None, options: Options
) -> tuple[BoundTerm, Ints | None]:
    """Find the classes with fewer rows, or groups, than folds, and do as `rare` says.

    Returns the entry, pooled for `rare="pool"`, and the rows that are dealt, None for all.
    """
    # Missing values are a class, too: their code is -1.
    codes: Ints = entry.data % (entry.n_classes + 1) if entry.missing.any() else entry.data
    n_classes, weights = entry.n_classes + 1, entry.weights
    if groups is None:
        sizes = sum_by(codes, weights, n_classes)
    else:
        pairs = np.unique(codes + n_classes * groups)
        sizes = np.bincount(pairs % n_classes, minlength=n_classes)
    if groups is None and entry.weights is None and codes is entry.data:
        entry = replace(entry, sizes=sizes[:-1])
    is_rare: Flags = (sizes > 0) & (sizes < options.target.n)
    if not is_rare.any():
        return entry, None
    if options.rare == "null":
        return entry, np.flatnonzero(~is_rare[codes])
    if options.rare == "pool":
        return pool_classes(entry, codes, is_rare), None
    noun = "row" if groups is None else "group"
    text = format_rare(entry, codes, sizes, is_rare, noun, options)
    if options.rare == "warn":
        warn(text)
        return entry, None
    if entry.weights is not None:
        raise StratError(text)  # the rows of the frame are not there
    rows = np.flatnonzero(is_rare[codes])
    rows = np.sort(rows if entry.rows is None else entry.rows[rows])
    (column,) = ruled_columns(entry, options.missing)
    library = frames.library_of(column.series)
    raise StratError(text, frames.rules.failing_rows(library, {column.name: column.series}, rows))


def format_rare(
    entry: BoundTerm, codes: Ints, sizes: Ints, is_rare: Flags, noun: str, options: Options
) -> str:
    """Name the rare classes of an entry, the smallest first."""
    rare = np.flatnonzero(is_rare)
    rare = rare[np.argsort(sizes[rare], kind="stable")]
    values = frames.to_list(entry.values_at(first_occurrence(codes, len(sizes))[rare[:MAX_LISTED]]))
    listed = [
        f"{value!r} ({plural(size, noun)})"
        for value, size in zip(values, sizes[rare].tolist(), strict=False)
    ]
    why = ' (and `rare="error"`)' if options.rare == "error" else ""
    text = with_full_stop(
        f"{plural(len(rare), 'class', 'classes')} of {entry.text}"
        f" {'has' if len(rare) == 1 else 'have'} fewer {noun}s than the"
        f" {plural(options.target.n, options.target.kind)}{why}: {preview(listed, len(rare))}"
    )
    doubts = hint_for_numbers(entry, sizes, is_rare) if noun == "row" else ""
    return text + (doubts or hint_for_rare(entry, len(rare), options))


def hint_for_rare(entry: BoundTerm, n_rare: int, options: Options) -> str:
    """Say what can be done about rare classes."""
    hints = []
    if n_rare > 1:
        hints.append('`rare="pool"` balances them as one class')
    if options.target.kind == "fold":
        groups = f", groups={write_groups(options.groups)}" if options.groups else ""
        call = f"df.strat.advise({entry.code}{groups})"
        hints.append(f"`{call}` shows what each k does to {'it' if n_rare == 1 else 'them'}")
    if options.rare == "warn":
        hints.append('`rare="ignore"` silences this warning')
    return f"\nHint: {'; '.join(hints)}." if hints else ""


def hint_for_numbers(entry: BoundTerm, sizes: Ints, is_rare: Flags) -> str:
    """Say that a column looks continuous, or like an id, if it does."""
    cuts = f"`sf.quantiles({entry.code}, 10)` or `sf.continuous({entry.code})`"
    if 2 * int(sizes[is_rare].sum()) > int(sizes.sum()):
        return (
            f" More than half of the rows are in such classes: {entry.text} looks continuous, or"
            f" like an id.\nHint: {cuts}."
        )
    n_present = int((sizes > 0).sum())
    if (
        isinstance(entry.term, Classes)
        and entry.term.is_guessed
        and n_present > MANY_NUMBERS
        and 2 * int(is_rare.sum()) > n_present
        and frames.is_measured(entry.series[0])
    ):
        return (
            f" {entry.text} holds {n_present:,} different numbers, most of them rare: it looks like"
            f" a regression target.\nHint: {cuts}, or `sf.classes({entry.code})` if they are"
            " classes."
        )
    return ""


MANY_NUMBERS = 50
"""Different numbers above which a column may be a regression target."""
