"""What the checks of a fold column find: one function for each check of an audit."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from . import frames
from .core.types import Ints
from .errors import SHOWN, plural, some
from .frames import columns
from .reports import Folded
from .strata import Strata
from .tabling import stratum_names

MANY = 2**62
"""More gaps than these are not told apart, as counts are int64."""


class Check(NamedTuple):
    """One row of an audit."""

    check: str
    severity: str
    detail: str
    n: int


def unassigned_rows(folds: Ints) -> Check:
    """Count the rows without a fold."""
    n = int((folds < 0).sum())
    detail = "every row has a fold"
    if n:
        verb = "has no fold, and is" if n == 1 else "have no fold, and are"
        detail = f"{plural(n, 'row')} {verb} in every training set"
    return Check("unassigned_rows", "warning" if n else "ok", detail, n)


def split_groups(strata: Strata, folds: Ints) -> Check:
    """Count the groups that are in two folds."""
    assert strata.groups is not None
    found = frames.spans([strata.groups], folds)
    if not found.n_split:
        return Check("split_groups", "ok", f"no group of {found.n_values:,} is in two folds", 0)
    detail = f"{across(found, 'group')} in two folds or more, with {plural(found.n_rows, 'row')}"
    return Check("split_groups", "error", detail, found.n_split)


def repeated_keys(keyed: Sequence[Any], folds: Ints) -> Check:
    """Count the keys that stand twice; in two folds they leak."""
    gaps = np.logical_or.reduce([columns.missing(series) for series in keyed])
    if gaps.any():
        known = np.flatnonzero(~gaps)
        keyed, folds = [frames.take(series, known) for series in keyed], folds[known]
    found = frames.spans(keyed, folds)
    without = f"; {plural(int(gaps.sum()), 'row')} without a key left out" if gaps.any() else ""
    if found.n_split:
        rows = plural(found.n_rows, "row")
        detail = f"{across(found, 'key')} in two folds or more, with {rows}"
        return Check("repeated_keys", "error", detail + without, found.n_repeated)
    if found.n_repeated:
        verb = "stands" if found.n_repeated == 1 else "stand"
        detail = (
            f"{found.n_repeated:,} of {plural(found.n_values, 'key')} {verb} in several rows,"
            " all of one fold"
        )
        return Check("repeated_keys", "warning", detail + without, found.n_repeated)
    return Check("repeated_keys", "ok", f"no key of {found.n_values:,} stands twice{without}", 0)


def across(found: frames.Spans, noun: str) -> str:
    """Say how many of the things that rows share are in two folds."""
    verb = "is" if found.n_split == 1 else "are"
    return f"{found.n_split:,} of {plural(found.n_values, noun)} {verb}"


def duplicate_rows(rows: Sequence[Any], folds: Ints) -> Check:
    """Count the rows that are equal to one in another fold.

    Where none is, a column in which all values differ, such as an id, may be the reason.
    Numbers with fractions are no ids.
    """
    by = f"compared by {plural(len(rows), 'column')}"
    if not rows:
        return Check("duplicate_rows", "warning", "there are no columns to compare", 0)
    found = frames.spans(rows, folds)
    if found.n_split:
        n = plural(found.n_rows, "row")
        detail = f"{n} are equal to one in another fold, {by}"
        return Check("duplicate_rows", "error", detail, found.n_rows)
    ids = [] if found.n_repeated else [series for series in rows if is_id(series)]
    if ids:
        names = some([repr(series.name) for series in ids], len(ids))
        detail = f"no two rows can be equal, {by}: all values of {names} are different"
        return Check("duplicate_rows", "warning", detail, 0)
    return Check("duplicate_rows", "ok", f"no row is equal to one in another fold, {by}", 0)


def is_id(series: Any) -> bool:
    """Say whether all values of a column are different, and not for being measured."""
    return not columns.is_continuous(series) and frames.all_different(series)


def empty_folds(values: Sequence[Any], folds: Ints) -> Check:
    """Count the folds without rows: unused categories, and gaps in whole numbers.

    Folds are counted from 0 or from 1.
    """
    held = np.bincount(folds[folds >= 0], minlength=len(values)) > 0
    present = [value for value, full in zip(values, held, strict=True) if full]
    empty: Sequence[Any] = [value for value, full in zip(values, held, strict=True) if not full]
    n = len(empty)
    if present and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        # Gaps are counted, not listed: there may be many.
        known, least, most = set(values), min(values), max(values)
        # Folds are counted from 0 or 1; years, say, from the first that is there.
        start = min(least, 1) if 0 <= least <= len(values) else least
        n += min(most + 1 - start - len(values), MANY)
        gaps = (fold for fold in range(start, most) if fold not in known)
        empty = [*empty, *islice(gaps, SHOWN)]
    if n:
        verb = "has" if n == 1 else "have"
        detail = f"{plural(n, 'fold')} {verb} no rows: {some(empty, n)}"
        return Check("empty_folds", "warning", detail, n)
    if len(present) < 2:
        only = "there is only one fold" if present else "there are no folds"
        return Check("empty_folds", "warning", only, 0)
    return Check("empty_folds", "ok", f"all {len(present)} folds have rows", 0)


def missing_strata(folded: Folded) -> Check:
    """Count the strata that some fold lacks."""
    names: list[str] = []
    n_strata = 0
    for table, one in zip(folded.tables, folded.strata, strict=True):
        full = table[:, :-1].sum(axis=0) > 0
        if not full.any():
            return Check("missing_strata", "warning", "there are no folds", 0)
        lacking = np.flatnonzero((table[:, :-1][:, full] == 0).any(axis=1))
        names += stratum_names(one, lacking, of_entry=len(folded.tables) > 1)
        n_strata += len(table)
    if not names:
        return Check("missing_strata", "ok", f"all {n_strata:,} strata are in every fold", 0)
    verb = "is" if len(names) == 1 else "are"
    detail = f"{len(names):,} of {n_strata:,} strata {verb} missing in some of the folds"
    detail += f": {some(sorted(names), len(names))}"
    return Check("missing_strata", "warning", detail, len(names))
