"""The checks of `audit`: one function for each, which says what it found in one line."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import MAX_LISTED, plural, preview
from ..pipeline.tables import FoldCounts, stratum_names, table_order, text_array

Severity: TypeAlias = Literal["ok", "warning", "error"]

KeptNulls: TypeAlias = Literal["train", "drop"]
"""Whether rows without a fold are in every training set, or in none."""

MANY = 2**62
"""More gaps than these are not counted further, as counts are int64."""

LONGEST = 59
"""Letters of a detail; Polars shows the first 30, so that what matters comes first."""

MOSTLY_ALIKE = 2
"""Rows for each combination of values above which equal rows are no sign of a copy."""


class Check(NamedTuple):
    """One row of an audit."""

    check: str
    severity: Severity
    n: int
    detail: str


def checks_table(library: str, checks: Sequence[Check]) -> Any:
    """Make the table of the checks of a column."""
    columns: dict[Hashable, Any] = {
        "check": text_array([check.check for check in checks]),
        "severity": text_array([check.severity for check in checks]),
        "n": np.array([check.n for check in checks], dtype=np.int64),
        "detail": text_array([check.detail for check in checks]),
    }
    return frames.make_frame(library, columns)


def fit(text: str, *more: str) -> str:
    """Add more to a detail where there is room, and cut what is too long."""
    for each in more:
        text = text + each if len(text + each) <= LONGEST else text
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "\u2026"


def fit_list(text: str, items: Iterable[object], total: int) -> str:
    """List the first items after a text, as many as there is room for."""
    listed = list(map(str, items))[:MAX_LISTED]
    while len(listed) > 1 and len(f"{text}: {preview(listed, total)}") > LONGEST:
        listed.pop()
    return fit(f"{text}: {preview(listed, total)}")


def unassigned_rows(n: int, nulls: KeptNulls) -> Check:
    """Report the rows without a fold."""
    if not n:
        return Check("unassigned_rows", "ok", 0, "every row has a fold")
    where = "every training set" if nulls == "train" else "no training set"
    detail = f"in {where}: {plural(n, 'row')} without a fold"
    return Check("unassigned_rows", "warning" if nulls == "train" else "ok", n, detail)


def split_groups(shared: frames.SharedRows) -> Check:
    """Report the groups that are in two folds."""
    if not shared.n_split:
        detail = f"{plural(shared.n_values, 'group')}, each in one fold"
        return Check("split_groups", "ok", 0, detail)
    return Check("split_groups", "error", shared.n_split, fit(*in_several_folds(shared, "group")))


def lacks_key(keys: Sequence[Any]) -> Any:
    """Flag the rows without a key."""
    return np.logical_or.reduce([frames.is_missing(series) for series in keys])


def repeated_keys(shared: frames.SharedRows, n_without: int) -> Check:
    """Report the repeated keys; those in two folds leak."""
    left_out = f"; {plural(n_without, 'row')} without" if n_without else ""
    n = shared.n_repeated
    if shared.n_split:
        text, rows = in_several_folds(shared, "key")
        return Check("repeated_keys", "error", n, fit(text, rows, left_out))
    if n:
        text = f"repeated within a fold: {n:,} of {plural(shared.n_values, 'key')}"
        return Check("repeated_keys", "warning", n, fit(text, left_out))
    text = f"each of {plural(shared.n_values, 'key')} is unique"
    return Check("repeated_keys", "ok", 0, fit(text, left_out))


def in_several_folds(shared: frames.SharedRows, noun: str) -> tuple[str, str]:
    """Describe how many groups or keys span folds, and how many rows these have."""
    text = f"in several folds: {shared.n_split:,} of {plural(shared.n_values, noun)}"
    return text, f" ({plural(shared.n_rows, 'row')})"


def duplicate_rows(
    columns: Sequence[Any], folds: Ints, *, named: bool
) -> tuple[Check, frames.SharedRows | None]:
    """Count the rows that equal a row of another fold.

    Where none does, a column of unique values, such as an id, may be the reason. Numbers
    with fractions are no ids. Where columns that nobody named have few values, such as a
    label alone, rows are equal without being copies.
    """
    if not columns:
        return Check("duplicate_rows", "warning", 0, "there are no columns to compare"), None
    shared = frames.count_across_folds(columns, folds)
    compared = f" ({plural(len(columns), 'column')})"
    if shared.n_split:
        n_values = None if named else count_combinations(columns, folds)
        if n_values is not None:
            detail = fit(f"too few values to tell: {n_values:,}", compared)
            return Check("duplicate_rows", "warning", shared.n_rows, detail), None
        return equal_rows(shared, len(columns))
    ids = [] if shared.n_repeated else [series for series in columns if is_id(series)]
    if ids:
        names = (repr(series.name) for series in ids)
        detail = fit_list("hidden by unique columns", names, len(ids))
        return Check("duplicate_rows", "warning", 0, detail), None
    return equal_rows(shared, len(columns))


def equal_rows(shared: frames.SharedRows, n_columns: int) -> tuple[Check, frames.SharedRows]:
    """Report the rows that equal a row of another fold."""
    compared = f" ({plural(n_columns, 'column')})"
    if shared.n_split:
        detail = fit(f"equal a row of another fold: {plural(shared.n_rows, 'row')}", compared)
        return Check("duplicate_rows", "error", shared.n_rows, detail), shared
    detail = fit("no row equals a row of another fold", compared)
    return Check("duplicate_rows", "ok", 0, detail), shared


def count_combinations(columns: Sequence[Any], folds: Ints) -> int | None:
    """Count the combinations of the values of columns; None unless most rows must be equal."""
    n_values = 1
    for series in columns:
        n_values *= frames.count_across_folds([series], folds).n_values
        if MOSTLY_ALIKE * n_values >= len(folds):
            return None
    return n_values


def is_id(series: Any) -> bool:
    """Return whether all values of a column are unique, and not because they are measured."""
    return not frames.is_continuous(series) and frames.all_unique(series)


def empty_folds(folds: frames.FoldValues) -> Check:
    """Count the folds without rows: unused categories, and gaps in whole numbers."""
    values, present = folds.values, folds.present
    empty = [value for value, size in zip(values, folds.sizes, strict=True) if not size]
    n = len(empty)
    if present and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        # Gaps are counted, not listed: there may be many.
        known, lowest, highest = set(values), min(values), max(values)
        # Folds are counted from 0 or 1; years, say, from the first that is there.
        start = min(lowest, 1) if 0 <= lowest <= len(values) else lowest
        n += min(highest + 1 - start - len(values), MANY)
        gaps = (fold for fold in range(start, highest) if fold not in known)
        empty = [*empty, *islice(gaps, MAX_LISTED)]
    if n:
        verb = "has" if n == 1 else "have"
        detail = fit_list(f"{plural(n, 'fold')} {verb} no rows", empty, n)
        return Check("empty_folds", "warning", n, detail)
    if len(present) < 2:
        detail = "there is only one fold" if present else "there are no folds"
        return Check("empty_folds", "warning", 0, detail)
    return Check("empty_folds", "ok", 0, f"all {len(present)} folds have rows")


def missing_strata(counts: FoldCounts, nulls: KeptNulls) -> Check:
    """Count the strata that some fold lacks."""
    names: list[str] = []
    n_strata = 0
    for table, strata in zip(counts.tables, counts.strata, strict=True):
        dealt = table[:, :-1]
        has_rows = dealt.sum(axis=0) > 0
        if not has_rows.any():
            return Check("missing_strata", "warning", 0, "there are no folds")
        is_known = dealt.any(axis=1) if nulls == "drop" else table.any(axis=1)
        lacks_some = (dealt[:, has_rows] == 0).any(axis=1) & is_known
        order = table_order(strata)
        names += stratum_names(strata, order[lacks_some[order]], with_entry=len(counts.tables) > 1)
        n_strata += int(is_known.sum())
    if not names:
        return Check("missing_strata", "ok", 0, f"in every fold: all {n_strata:,} strata")
    listed = fit_list("not in every fold", names, len(names))
    detail = fit(listed, f" ({len(names):,} of {n_strata:,} strata)")
    return Check("missing_strata", "warning", len(names), detail)
