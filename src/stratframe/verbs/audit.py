"""What is wrong with a fold column: `audit`, one function for each check."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import MAX_LISTED, plural, preview
from ..frames import Frame
from ..pipeline.options import Options
from ..pipeline.strata import Strata, stratify
from ..pipeline.tables import stratum_names, table_verb, text_array
from ..terms.base import By
from ..terms.by import columns_of, parse, parse_columns, require_by
from .report import FoldCounts, read_folds
from .select import fold_names

Severity: TypeAlias = Literal["ok", "warning", "error"]

MANY = 2**62
"""More gaps than these are not counted further, as counts are int64."""


class Check(NamedTuple):
    """One row of an audit."""

    check: str
    severity: Severity
    detail: str
    n: int


class AuditInput(NamedTuple):
    """What the checks of one fold column look at."""

    groups: Strata | None
    keys: list[Any]
    rows: list[Any]
    """The columns by which rows are compared."""


@table_verb
def audit(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    by: By | None = None,
    groups: Any = None,
    key: Any = None,
    columns: Any = None,
) -> Any:
    """Check a fold column for rows that leak and for folds that lack rows or strata.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        A fold or part column from any source; of a list, each column. Rows without a
        fold are in every training set: if such a row, its group or its key is also in a
        fold, it leaks.
    by : entry or list of entries, optional
        Look for strata that a fold lacks; as for `strata`.
    groups : column, list of columns or `sf.clusters`, optional
        Look for groups in two folds. A row without a group is a group by itself.
    key : column or list of columns, optional
        Look for repeated keys. Rows without a key are left out.
    columns : column or list of columns, optional
        Columns to compare when looking for equal rows in two folds; by default all but the
        fold columns and `key`. With `fold_1`, its repeats `fold_2`, ... count as fold
        columns. Missing values are equal to each other.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per check: `check`; `severity`, "ok", "warning" or, for rows that leak,
        "error"; `detail`, in words; `n`, the number of rows, groups, keys, folds or strata.
        The checks are `unassigned_rows`, `split_groups`, `repeated_keys`,
        `duplicate_rows`, `empty_folds` and `missing_strata`; those whose argument is not
        given are left out.

    Raises
    ------
    StratError
        If an argument names no column, or a column cannot be compared.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [1, 1, 2, 3], "who": ["a", "b", "b", "b"], "fold": [0, 1, 1, 1]})
    >>> sf.audit(df, groups="who", columns="x")[["check", "severity", "n"]]
                 check severity  n
    0  unassigned_rows       ok  0
    1     split_groups       ok  0
    2   duplicate_rows    error  2
    3      empty_folds       ok  0
    """
    frames.check_frame(frame)
    names = fold_names(frame, name)
    (_, _, group_terms, keys) = parse(None, groups, key)
    group_refs = columns_of(group_terms)
    compared = compared_columns(frame, columns, names, keys)
    by_refs = [] if by is None else columns_of(require_by(by).terms)
    frames.check_all_refs(frame, {"groups": group_refs, "key": list(keys), "by": by_refs})
    eager = frames.collect_columns(frame, [*by_refs, *names, *group_refs, *keys, *compared])
    labels = [frames.label_of(eager, each) for each in names]
    fold_columns, group_columns, key_columns, rows = (
        frames.read_columns(eager, refs) for refs in (labels, group_refs, keys, compared)
    )
    strata = None
    if group_terms:
        strata = stratify(Options(groups=group_terms), group_columns, len(eager))
    given = AuditInput(strata, key_columns, rows)
    checks: list[Check] = []
    for fold_name, series in zip(names, fold_columns, strict=True):
        counts = None if by is None else read_folds(eager, by, fold_name)
        prefix = f"{fold_name}: " if len(names) > 1 else ""
        checks += [
            check._replace(detail=prefix + check.detail)
            for check in (run_checks(series, given, counts) if len(eager) else [])
        ]
    return frames.make_frame(
        frames.library_of(frame),
        {
            "check": text_array([check.check for check in checks]),
            "severity": text_array([check.severity for check in checks]),
            "detail": text_array([check.detail for check in checks]),
            "n": np.array([check.n for check in checks], dtype=np.int64),
        },
    )


def run_checks(series: Any, given: AuditInput, counts: FoldCounts | None) -> list[Check]:
    """Run the checks of one fold column whose arguments were given."""
    values, folds = frames.fold_codes(series)
    checks = [unassigned_rows(folds)]
    if given.groups is not None:
        checks.append(split_groups(given.groups, folds))
    if given.keys:
        checks.append(repeated_keys(given.keys, folds))
    checks += [duplicate_rows(given.rows, folds), empty_folds(values, folds)]
    if counts is not None:
        checks.append(missing_strata(counts))
    return checks


def compared_columns(
    frame: Frame, columns: Any, names: Sequence[Any], keys: Sequence[Any]
) -> tuple[Any, ...]:
    """List the columns by which rows are compared."""
    refs = parse_columns("columns", columns)
    folds = {frames.label_of(frame, name) for name in names} | {*names}
    if columns is None:
        roots = [root for key in keys for root in frames.root_names(key)]
        repeats = {base_of_repeat(name) for name in names} - {None}
        left_out = {*folds, *(root for root in roots if not frames.is_computed(root))}
        refs = tuple(
            name
            for name in frames.column_names(frame)
            if name not in left_out and base_of_repeat(name) not in repeats
        )
    if columns is not None or len(set(refs)) < len(refs):
        frames.check_refs(frame, refs, "columns")
    return tuple(ref for ref in refs if frames.is_computed(ref) or ref not in folds)


def base_of_repeat(name: object) -> str | None:
    """Name the column that a column is a repeat of, as fold_2 of fold; None if it is none."""
    if isinstance(name, tuple) and not any(name[1:]):  # a label of column levels
        name = name[0]
    repeat = re.fullmatch(r"(.+)_[1-9]\d*", name) if isinstance(name, str) else None
    return repeat and repeat[1]


def unassigned_rows(folds: Ints) -> Check:
    """Count the rows without a fold."""
    n = int((folds < 0).sum())
    if not n:
        return Check("unassigned_rows", "ok", "every row has a fold", 0)
    verb = "has no fold and is" if n == 1 else "have no fold and are"
    detail = f"{plural(n, 'row')} {verb} in every training set"
    return Check("unassigned_rows", "warning", detail, n)


def split_groups(strata: Strata, folds: Ints) -> Check:
    """Count the groups that are in two folds."""
    assert strata.groups is not None
    shared = frames.count_across_folds([strata.groups], folds)
    if not shared.n_split:
        detail = f"each of {plural(shared.n_values, 'group')} is in one fold"
        return Check("split_groups", "ok", detail, 0)
    return Check("split_groups", "error", in_several_folds(shared, "group"), shared.n_split)


def repeated_keys(keys: Sequence[Any], folds: Ints) -> Check:
    """Count the repeated keys; those in two folds leak."""
    no_key = np.logical_or.reduce([frames.is_missing(series) for series in keys])
    left_out = ""
    if no_key.any():
        known = np.flatnonzero(~no_key)
        keys, folds = [frames.take(series, known) for series in keys], folds[known]
        left_out = f"; {plural(int(no_key.sum()), 'row')} without a key left out"
    shared = frames.count_across_folds(keys, folds)
    n = shared.n_repeated
    if shared.n_split:
        return Check("repeated_keys", "error", in_several_folds(shared, "key") + left_out, n)
    if n:
        verb = "is" if n == 1 else "are"
        detail = (
            f"{n:,} of {plural(shared.n_values, 'key')} {verb} repeated, always within one fold"
        )
        return Check("repeated_keys", "warning", detail + left_out, n)
    detail = f"each of {plural(shared.n_values, 'key')} is unique"
    return Check("repeated_keys", "ok", detail + left_out, 0)


def in_several_folds(shared: frames.SharedRows, noun: str) -> str:
    """Count the things that rows share which are in two folds."""
    verb = "is" if shared.n_split == 1 else "are"
    return (
        f"{shared.n_split:,} of {plural(shared.n_values, noun)} {verb} in more than one fold"
        f" ({plural(shared.n_rows, 'row')})"
    )


def duplicate_rows(columns: Sequence[Any], folds: Ints) -> Check:
    """Count the rows that equal a row of another fold.

    Where none does, a column of unique values, such as an id, may be the reason. Numbers
    with fractions are no ids.
    """
    if not columns:
        return Check("duplicate_rows", "warning", "there are no columns to compare", 0)
    shared = frames.count_across_folds(columns, folds)
    compared = f"compared on {plural(len(columns), 'column')}"
    if shared.n_split:
        detail = f"{plural(shared.n_rows, 'row')} equal a row of another fold, {compared}"
        return Check("duplicate_rows", "error", detail, shared.n_rows)
    ids = [] if shared.n_repeated else [series for series in columns if is_id(series)]
    if ids:
        names = preview([repr(series.name) for series in ids], len(ids))
        these = "this column" if len(columns) == 1 else f"these {len(columns):,} columns"
        detail = f"cannot find duplicates in {these}: every value of {names} is unique"
        return Check("duplicate_rows", "warning", detail, 0)
    return Check("duplicate_rows", "ok", f"no row equals a row of another fold, {compared}", 0)


def is_id(series: Any) -> bool:
    """Return whether all values of a column are unique, and not because they are measured."""
    return not frames.is_continuous(series) and frames.all_unique(series)


def empty_folds(values: Sequence[Any], folds: Ints) -> Check:
    """Count the folds without rows: unused categories, and gaps in whole numbers."""
    has_rows = np.bincount(folds[folds >= 0], minlength=len(values)) > 0
    present = [value for value, full in zip(values, has_rows, strict=True) if full]
    empty: Sequence[Any] = [value for value, full in zip(values, has_rows, strict=True) if not full]
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
        detail = f"{plural(n, 'fold')} {verb} no rows: {preview(empty, n)}"
        return Check("empty_folds", "warning", detail, n)
    if len(present) < 2:
        detail = "there is only one fold" if present else "there are no folds"
        return Check("empty_folds", "warning", detail, 0)
    return Check("empty_folds", "ok", f"all {len(present)} folds have rows", 0)


def missing_strata(counts: FoldCounts) -> Check:
    """Count the strata that some fold lacks."""
    names: list[str] = []
    n_strata = 0
    for table, strata in zip(counts.tables, counts.strata, strict=True):
        has_rows = table[:, :-1].sum(axis=0) > 0
        if not has_rows.any():
            return Check("missing_strata", "warning", "there are no folds", 0)
        lacking = np.flatnonzero((table[:, :-1][:, has_rows] == 0).any(axis=1))
        names += stratum_names(strata, lacking, with_entry=len(counts.tables) > 1)
        n_strata += len(table)
    if not names:
        return Check("missing_strata", "ok", f"all {n_strata:,} strata are in every fold", 0)
    verb = "is" if len(names) == 1 else "are"
    detail = (
        f"{len(names):,} of {n_strata:,} strata {verb} missing from some folds:"
        f" {preview(sorted(names), len(names))}"
    )
    return Check("missing_strata", "warning", detail, len(names))
