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

AuditSeverity: TypeAlias = Literal["ok", "warning", "error"]

KeptNulls: TypeAlias = Literal["train", "drop"]
"""Whether rows without a fold are in every training set, or in none."""

MANY = 2**62
"""More gaps than these are not counted further, as counts are int64."""

LONGEST, LONGEST_OF_SEVERAL = 42, 28
"""Letters of a detail, of one fold column and of several, so that tables are at most 80 wide."""

MOSTLY_ALIKE = 2
"""Rows for each combination of values above which equal rows are no sign of a copy."""


class Check(NamedTuple):
    """One row of an audit."""

    check: str
    severity: AuditSeverity
    n: int
    detail: str
    """What matters."""
    more: tuple[str, ...] = ()
    """What to add to it where there is room."""


def checks_table(library: str, checks: Sequence[Check], *, alone: bool) -> Any:
    """Make the table of the checks of a fold column, the only one or one of several."""
    longest = LONGEST if alone else LONGEST_OF_SEVERAL
    columns: dict[Hashable, Any] = {
        "severity": text_array([check.severity for check in checks]),
        "check": text_array([check.check for check in checks]),
        "n": np.array([check.n for check in checks], dtype=np.int64),
        "detail": text_array([fit(longest, check.detail, *check.more) for check in checks]),
    }
    return frames.make_frame(library, columns)


def fit(longest: int, text: str, *more: str) -> str:
    """Add more to a detail where there is room, and cut what is too long."""
    for each in more:
        text = text + each if len(text + each) <= longest else text
    return text if len(text) <= longest else text[: longest - 1] + "\u2026"


def list_examples(text: str, items: Iterable[object], total: int) -> str:
    """List the first items that go on with a text, as many as there is room for, at least one."""
    listed = list(map(str, items))[:MAX_LISTED]
    while len(listed) > 1 and len(f"{text}: {preview(listed, total)}") > LONGEST:
        listed.pop()
    return f": {preview(listed, total)}"


def unassigned_rows(n: int, nulls: KeptNulls) -> Check:
    """Report the rows without a fold."""
    if not n:
        return Check("unassigned_rows", "ok", 0, "every row has a fold")
    detail = f"{plural(n, 'row')} {'has' if n == 1 else 'have'} no fold"
    return Check("unassigned_rows", "warning" if nulls == "train" else "ok", n, detail)


def split_groups(shared: frames.SharedRows) -> Check:
    """Report the groups that are in two folds."""
    severity: AuditSeverity = "error" if shared.n_split else "ok"
    return Check("split_groups", severity, shared.n_split, *count_leaks(shared, "group"))


def count_leaks(shared: frames.SharedRows, noun: str) -> tuple[str, tuple[str, ...]]:
    """Say how many groups or keys span folds, and how many rows these have."""
    detail = some_of(shared.n_split, plural(shared.n_values, noun), "leaks", "leak")
    return detail, (f" ({plural(shared.n_rows, 'row')})",) if shared.n_split else ()


def some_of(n: int, whole: str, does: str, do: str) -> str:
    """Say what n of several do, with the verb for at most one and for more."""
    return f"{f'{n:,}' if n else 'none'} of {whole} {does if n < 2 else do}"


def lacks_key(keys: Sequence[Any]) -> Any:
    """Flag the rows without a key."""
    return np.logical_or.reduce([frames.is_missing(series) for series in keys])


def repeated_keys(shared: frames.SharedRows, n_without: int) -> Check:
    """Report the repeated keys; those in two folds leak."""
    left_out = (f"; {plural(n_without, 'row')} without",) if n_without else ()
    n = shared.n_repeated
    if shared.n_split:
        detail, more = count_leaks(shared, "key")
        return Check("repeated_keys", "error", n, detail, more + left_out)
    detail = some_of(n, plural(shared.n_values, "key"), "repeats", "repeat")
    if n:
        return Check("repeated_keys", "warning", n, f"{detail} in a fold", left_out)
    return Check("repeated_keys", "ok", 0, detail, left_out)


def duplicate_rows(
    columns: Sequence[Any], folds: Ints, *, named: bool, with_example: bool = False
) -> tuple[Check, frames.SharedRows | None]:
    """Count the rows that equal a row of another fold.

    Where none does, a column of unique values, such as an id, may be the reason. Numbers
    with fractions are no ids. Where columns that nobody named have few values, such as a
    label alone, rows are equal without being copies.
    """
    if not columns:
        return Check("duplicate_rows", "warning", 0, "no columns to compare"), None
    shared = frames.count_across_folds(columns, folds, with_example=with_example)
    n_values = count_combinations(columns, folds) if shared.n_split and not named else None
    if n_values is not None:
        detail, more = f"too few values to tell: {n_values:,}", compared(len(columns))
        return Check("duplicate_rows", "warning", shared.n_rows, detail, more), None
    ids = [] if shared.n_repeated else [series for series in columns if is_id(series)]
    if ids:
        detail = "hidden by ids"
        detail += list_examples(detail, (repr(series.name) for series in ids), len(ids))
        return Check("duplicate_rows", "warning", 0, detail), None
    return equal_rows(shared, len(columns))


def equal_rows(shared: frames.SharedRows, n_columns: int) -> tuple[Check, frames.SharedRows]:
    """Report the rows that equal a row of another fold."""
    n = shared.n_rows
    severity: AuditSeverity = "error" if n else "ok"
    detail = f"{f'{n:,}' if n else 'no'} rows equal across folds"
    return Check("duplicate_rows", severity, n, detail, compared(n_columns)), shared


def compared(n_columns: int) -> tuple[str, ...]:
    """Say how many columns were compared."""
    return (f" ({plural(n_columns, 'column')})",)


def count_combinations(columns: Sequence[Any], folds: Ints) -> int | None:
    """Count the combinations of values of columns; None unless most rows must be equal."""
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
        detail = f"{plural(n, 'fold')} {'has' if n == 1 else 'have'} no rows"
        return Check("empty_folds", "warning", n, detail, (list_examples(detail, empty, n),))
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
        return Check("missing_strata", "ok", 0, f"every fold has all {n_strata:,} strata")
    n = len(names)
    detail = some_of(n, plural(n_strata, "stratum", "strata"), "misses", "miss") + " a fold"
    return Check("missing_strata", "warning", n, detail, (list_examples(detail, names, n),))
