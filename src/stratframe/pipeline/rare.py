"""Treat and report rare classes, and strata that are too small for the counts of `each`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import frames
from ..core.strata import distinct_values, first_occurrence, sum_by
from ..core.types import Flags, Ints
from ..errors import MAX_LISTED, StratError, plural, preview, warn, with_full_stop
from ..terms.base import BoundTerm
from ..terms.classes import MANY_VALUES, Classes
from ..terms.entry import ruled_columns
from .nest import Strata
from .options import Options, write_groups


def treat_rare(
    entry: BoundTerm, groups: Ints | None, options: Options
) -> tuple[BoundTerm, Ints | None]:
    """Find classes with fewer rows or groups than there are folds, and treat them as `rare` says.

    Return the entry, with pooled classes for `rare="pool"`, and the dealt rows (None for all).
    """
    codes: Ints = entry.data
    n_classes = entry.n_classes + 1
    if entry.missing.any():
        codes = codes % n_classes  # missing values have the code -1, and count as one more class
    if groups is None:
        sizes = sum_by(codes, entry.weights, n_classes)
    else:
        pairs = distinct_values(codes + n_classes * groups)
        sizes = np.bincount(pairs % n_classes, minlength=n_classes)
    if groups is None and entry.weights is None and codes is entry.data:
        entry = replace(entry, sizes=sizes[:-1])
    is_rare: Flags = (sizes > 0) & (sizes < options.target.n)
    if not is_rare.any():
        return entry, None
    if options.rare == "null":
        return entry, np.flatnonzero(~is_rare[codes])
    if options.rare == "pool":
        return pool_rare(entry, codes, is_rare), None
    noun = "row" if groups is None else "group"
    text = format_rare(entry, codes, sizes, is_rare, noun, options)
    if options.rare == "error":
        raise rare_error(text, entry, is_rare[codes], options)
    warn(text)
    return entry, None


def pool_rare(entry: BoundTerm, codes: Ints, is_rare: Flags) -> BoundTerm:
    """Give all rare classes one new code; a rare class of missing values is then a class."""
    n_classes = len(is_rare)
    return replace(
        entry,
        term=Classes(entry.term.columns, is_pooled=True, name=entry.term.name),
        data=np.where(is_rare[codes], n_classes, codes),
        missing=np.zeros(len(codes), np.bool_),
        n_classes=n_classes + 1,
    )


def rare_error(text: str, entry: BoundTerm, in_rare: Flags, options: Options) -> StratError:
    """Make an error that holds the rows of rare classes, unless these are in another engine."""
    if entry.weights is not None:
        return StratError(text)
    rows = np.flatnonzero(in_rare)
    rows = np.sort(rows if entry.rows is None else entry.rows[rows])
    (column,) = ruled_columns(entry, options.missing)
    library = frames.library_of(column.series)
    return StratError(text, frames.rules.failing_rows(library, {column.name: column.series}, rows))


def format_rare(
    entry: BoundTerm, codes: Ints, sizes: Ints, is_rare: Flags, noun: str, options: Options
) -> str:
    """Write a message that lists the rare classes of an entry, starting with the smallest."""
    rare = np.flatnonzero(is_rare)
    labels = entry.values_at(first_occurrence(codes, len(sizes))[rare])
    # Equally rare classes are listed by value, because rows on engines have no order.
    order = np.lexsort((ranks_of_classes(labels), sizes[rare]))
    rare = rare[order]
    values = frames.to_list(frames.take(labels, order[:MAX_LISTED]))
    listed = [
        f"{value!r} ({plural(size, noun)})"
        for value, size in zip(values, sizes[rare].tolist(), strict=False)
    ]
    verb = "has" if len(rare) == 1 else "have"
    why = ""
    if options.rare == "error":
        why = ', which `rare="error"` does not allow'
    text = with_full_stop(
        f"{plural(len(rare), 'class', 'classes')} of {entry.text} {verb} fewer {noun}s than there"
        f" are {options.target.kind}s ({options.target.n:,}){why}: {preview(listed, len(rare))}"
    )
    hint = ""
    if noun == "row":
        hint = hint_for_many_values(entry, sizes, is_rare, options)
    return text + (hint or hint_for_rare(entry, len(rare), options))


def ranks_of_classes(labels: Any) -> Ints:
    """Rank classes by value, with missing values last; classes that have no order are equal."""
    try:
        ranks = frames.read.rank_key(labels)
    except StratError:
        ranks = np.zeros(len(labels), dtype=np.int64)
    return np.where(frames.is_missing(labels), len(labels), ranks)


def hint_for_rare(entry: BoundTerm, n_rare: int, options: Options) -> str:
    hints = []
    if n_rare > 1:
        hints.append('`rare="pool"` balances them as one class')
    if options.target.kind == "fold":
        arguments = entry.code
        if options.groups:
            arguments += f", groups={write_groups(options.groups)}"
        classes = "it" if n_rare == 1 else "them"
        hints.append(f"`df.strat.advise({arguments})` shows what each k does to {classes}")
    if options.rare == "warn":
        hints.append('`rare="ignore"` silences this warning')
    return f"\nHint: {'; '.join(hints)}." if hints else ""


def hint_for_many_values(entry: BoundTerm, sizes: Ints, is_rare: Flags, options: Options) -> str:
    """Return a hint if a column looks continuous, or looks like an id or a regression target."""
    cuts = f"`sf.quantiles({entry.code}, 10)`"
    # An order must come last, has no weights, and has no place for missing and infinite values.
    is_alone = entry.weights is None and len(options.terms) == 1 and not entry.missing.any()
    if is_alone and frames.read.has_numbers(entry.series[0], finite=True):
        cuts += f" or `sf.continuous({entry.code})`"
    n_rows = int(sizes.sum())
    n_present = int((sizes > 0).sum())
    is_numeric = frames.read.has_numbers(entry.series[0])
    has_many = 2 * n_present > n_rows or (is_numeric and n_present > MANY_VALUES)
    if 2 * int(sizes[is_rare].sum()) > n_rows and has_many:
        if is_numeric:
            looks = "continuous, or like an id"
            hint = cuts
        else:
            looks = "like an id"
            hint = 'leave it out of `by`, or use `rare="ignore"`'
        return (
            f" More than half of the rows are in such classes: {entry.text} looks {looks}.\n"
            f"Hint: {hint}."
        )
    most_are_rare = n_present > MANY_NUMBERS and 2 * int(is_rare.sum()) > n_present
    if most_are_rare and entry.term.may_be_number(entry.series):
        return (
            f" {entry.text} holds {n_present:,} different numbers, most of them rare: it looks like"
            f" a regression target.\nHint: {cuts}, or `sf.classes({entry.code})` if they are"
            " classes."
        )
    return ""


def treat_small(strata: Strata, options: Options) -> None:
    """Report the strata that stay whole, as they have no more rows than `each` takes of each."""
    target = options.target
    counts = target.each or ()
    needed = sum(count or 0 for count in counts)
    is_small = (strata.sizes <= needed) & (strata.sizes > 0)
    n_small = int(is_small.sum())
    if not n_small or options.rare == "ignore":
        return
    n_rows = int(strata.sizes[is_small].sum())
    n_strata = int((strata.sizes > 0).sum())
    rest = (target.names or ())[counts.index(None)]
    takes = "the one that" if needed == 1 else f"the {needed:,} that"
    verb = "has" if n_small == 1 else "have"
    text = (
        f"{n_small:,} of {plural(n_strata, 'stratum', 'strata')} ({plural(n_rows, 'row')} of"
        f" {strata.n_rows:,}) {verb} no more rows than {takes} `each` takes"
    )
    if options.rare == "error":
        msg = f'{text}, which `rare="error"` does not allow.'
        raise StratError(msg)
    stay = "stays" if n_small == 1 else "stay"
    warn(f'{text}, and {stay} whole in {rest!r}.\nHint: `rare="ignore"` silences this warning.')


MANY_NUMBERS = 50
"""The number of distinct values above which a numeric column might be a regression target."""
