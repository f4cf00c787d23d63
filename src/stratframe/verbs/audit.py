"""What is wrong with a fold column: `audit`, one function for each check, and `leaks`, its rows."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of
from ..core.types import Ints
from ..errors import MAX_LISTED, plural, preview
from ..frames import Frame
from ..pipeline.options import Options
from ..pipeline.strata import stratify
from ..pipeline.tables import fold_table, stratum_names, table_order, table_verb, text_array
from ..terms.base import By, Term
from ..terms.by import columns_of, parse, parse_columns, require_by
from .report import FoldCounts, read_folds
from .select import fold_names

Severity: TypeAlias = Literal["ok", "warning", "error"]

KeptNulls: TypeAlias = Literal["train", "drop"]
"""Whether rows without a fold are in every training set, or in none."""

MANY = 2**62
"""More gaps than these are not counted further, as counts are int64."""

LONGEST = 59
"""Letters of a detail."""


class Check(NamedTuple):
    """One row of an audit."""

    check: str
    severity: Severity
    n: int
    detail: str


class AuditInput(NamedTuple):
    """What the checks of one fold column look at."""

    groups: Ints | None
    """The group of every row."""
    keys: list[Any]
    rows: list[Any]
    """The columns by which rows are compared."""

    def take(self, rows: Ints) -> AuditInput:
        """Take some rows."""
        return AuditInput(
            None if self.groups is None else self.groups[rows],
            [frames.take(series, rows) for series in self.keys],
            [frames.take(series, rows) for series in self.rows],
        )


class AuditColumns(NamedTuple):
    """The columns that an audit reads."""

    names: list[Any]
    group_terms: tuple[Term, ...]
    keys: tuple[Any, ...]
    compared: tuple[Any, ...]
    frame: Any
    """Collected, if it was lazy."""

    def read(self) -> AuditInput:
        """Read what is compared, and encode the groups."""
        group_columns, keys, rows = (
            frames.read_columns(self.frame, refs)
            for refs in (columns_of(self.group_terms), self.keys, self.compared)
        )
        groups = None
        if self.group_terms:
            options = Options(groups=self.group_terms)
            groups = stratify(options, group_columns, len(self.frame)).groups
        return AuditInput(groups, keys, rows)

    def fold_column(self, name: str) -> Any:
        """Read a fold column."""
        return frames.read_fold_column(self.frame, name)


def check_audit(
    frame: Frame, name: object, by: By | None, groups: Any, key: Any, columns: Any
) -> AuditColumns:
    """Check the arguments of an audit, and collect its columns."""
    frames.check_frame(frame)
    names = fold_names(frame, name)
    (_, _, group_terms, keys) = parse(None, groups, key)
    group_refs = columns_of(group_terms)
    compared = compared_columns(frame, columns, names, keys)
    by_refs = [] if by is None else columns_of(require_by(by).terms)
    frames.check_all_refs(frame, {"groups": group_refs, "key": list(keys), "by": by_refs})
    eager = frames.collect_columns(frame, [*by_refs, *names, *group_refs, *keys, *compared])
    return AuditColumns(names, group_terms, keys, compared, eager)


@table_verb
def audit(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    by: By | None = None,
    groups: Any = None,
    key: Any = None,
    columns: Any = None,
    nulls: KeptNulls = "train",
) -> Any:
    """Check a fold column for rows that leak and for folds that lack rows or strata.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        A fold or part column from any source; of a list, each column.
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
    nulls : {"train", "drop"}
        Rows without a fold are in every training set: if such a row, its group or its key is
        also in a fold, it leaks. Or they are in none, as in `folds(nulls="drop")`, and no
        check looks at them.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per check: `check`; `severity`, "ok", "warning" or, for rows that leak,
        "error"; `n`, the number of rows, groups, keys, folds or strata; `detail`, in fewer
        than 60 letters. The checks are `unassigned_rows`, `split_groups`, `repeated_keys`,
        `duplicate_rows`, `empty_folds` and `missing_strata`; those whose argument is not
        given are left out. With two columns or more, the first column is `column`.

    Raises
    ------
    StratError
        If an argument names no column, or a column cannot be compared.

    See Also
    --------
    leaks : the rows that leak

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
    check_one_of("nulls", nulls, get_args(KeptNulls))
    found = check_audit(frame, name, by, groups, key, columns)
    given = found.read()

    def table_of(column: str, _: str) -> Any:
        """Audit one fold column."""
        counts = None if by is None else read_folds(found.frame, by, column)
        series = found.fold_column(column)
        checks = run_checks(series, given, counts, nulls) if len(series) else []
        return checks_table(frames.library_of(found.frame), checks)

    return fold_table(found.names, table_of)


def checks_table(library: str, checks: Sequence[Check]) -> Any:
    """Make the table of the checks of a column."""
    columns: dict[Hashable, Any] = {
        "check": text_array([check.check for check in checks]),
        "severity": text_array([check.severity for check in checks]),
        "n": np.array([check.n for check in checks], dtype=np.int64),
        "detail": text_array([check.detail for check in checks]),
    }
    return frames.make_frame(library, columns)


@table_verb
def leaks(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    columns: Any = None,
    groups: Any = None,
    key: Any = None,
) -> Any:
    """List the rows that leak: each with the rows of other folds that it equals.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        A fold or part column from any source; of a list, each column. Rows without a fold
        are training rows.
    columns, groups, key
        As for `audit`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per row that leaks, and per check that finds it: `check`, "split_groups",
        "repeated_keys" or "duplicate_rows"; `set`, a number for the rows of one group, of one
        key, or equal to each other, from 0 in each check; `row`, the position in the frame;
        the fold, in a column of the name of the fold column (`fold`, if the table has a
        column of that name), missing for a row without one; then the columns that `groups`,
        `key` and `columns` name. With two columns or more, the first column is `column`.

    Raises
    ------
    StratError
        If an argument names no column, or a column cannot be compared.

    See Also
    --------
    audit : how many there are

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"who": ["ann", "bob", "ann", "eve"], "fold": [0, 1, 1, 0]})
    >>> sf.leaks(df, groups="who", columns="who")[["check", "set", "row", "fold", "who"]]
                check  set  row  fold  who
    0    split_groups    0    0     0  ann
    1    split_groups    0    2     1  ann
    2  duplicate_rows    0    0     0  ann
    3  duplicate_rows    0    2     1  ann
    """
    found = check_audit(frame, name, None, groups, key, columns)
    given = found.read()
    refs = [
        *columns_of(found.group_terms),
        *found.keys,
        *(() if columns is None else found.compared),
    ]

    def table_of(column: str, label: str) -> Any:
        """List the leaks of one fold column."""
        series = found.fold_column(column)
        _, folds = frames.fold_codes(series)
        checks = leaking_rows(given, folds) if len(folds) else {}
        sizes = [len(rows) for rows, _ in checks.values()]
        rows = np.concatenate([rows for rows, _ in checks.values()] or [np.zeros(0, np.int64)])
        sets = np.concatenate([sets for _, sets in checks.values()] or [np.zeros(0, np.int64)])
        table: dict[Hashable, Any] = {
            "check": np.repeat(text_array(list(checks)), sizes),
            "set": sets,
            "row": rows,
            label: frames.take(series, rows),
        }
        for ref, values in zip(refs, frames.read_columns(found.frame, refs), strict=True):
            named = frames.result_name(ref, values)
            if named is not None and (named != "column" or len(found.names) == 1):
                table.setdefault(named, frames.take(values, rows))
        return frames.make_frame(frames.library_of(found.frame), table)

    return fold_table(found.names, table_of, ("check", "set", "row", *map(str, refs)))


def leaking_rows(given: AuditInput, folds: Ints) -> dict[str, tuple[Ints, Ints]]:
    """Find the rows that each check counts, and the number of the set that each is in."""
    found = {}
    if given.groups is not None:
        found["split_groups"] = frames.rows_across_folds([given.groups], folds)
    if given.keys:
        known = np.flatnonzero(~lacks_key(given.keys))
        keys = [frames.take(series, known) for series in given.keys]
        rows, sets = frames.rows_across_folds(keys, folds[known])
        found["repeated_keys"] = known[rows], sets
    if given.rows:
        found["duplicate_rows"] = frames.rows_across_folds(given.rows, folds)
    return found


def run_checks(
    series: Any, given: AuditInput, counts: FoldCounts | None, nulls: KeptNulls
) -> list[Check]:
    """Run the checks of one fold column whose arguments were given."""
    values, folds = frames.fold_codes(series)
    checks = [unassigned_rows(int((folds < 0).sum()), nulls)]
    if nulls == "drop" and folds.min() < 0:
        known = np.flatnonzero(folds >= 0)
        given, folds = given.take(known), folds[known]
    if given.groups is not None:
        checks.append(split_groups(frames.count_across_folds([given.groups], folds)))
    if given.keys:
        known = np.flatnonzero(~lacks_key(given.keys))
        keys = [frames.take(series, known) for series in given.keys]
        shared = frames.count_across_folds(keys, folds[known])
        checks.append(repeated_keys(shared, len(folds) - len(known)))
    n_rows = np.bincount(folds[folds >= 0], minlength=len(values))
    checks += [duplicate_rows(given.rows, folds), empty_folds(values, n_rows)]
    if counts is not None:
        checks.append(missing_strata(counts, nulls))
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
    detail = f"{plural(n, 'row')} without a fold, in {where}"
    return Check("unassigned_rows", "warning" if nulls == "train" else "ok", n, detail)


def split_groups(shared: frames.SharedRows) -> Check:
    """Report the groups that are in two folds."""
    if not shared.n_split:
        detail = f"each of {plural(shared.n_values, 'group')} is in one fold"
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
        verb = "is" if n == 1 else "are"
        text = f"{n:,} of {plural(shared.n_values, 'key')} {verb} repeated, within one fold"
        return Check("repeated_keys", "warning", n, fit(text, left_out))
    text = f"each of {plural(shared.n_values, 'key')} is unique"
    return Check("repeated_keys", "ok", 0, fit(text, left_out))


def in_several_folds(shared: frames.SharedRows, noun: str) -> tuple[str, str]:
    """Count the things that rows share which are in two folds, and their rows."""
    verb = "is" if shared.n_split == 1 else "are"
    text = f"{shared.n_split:,} of {plural(shared.n_values, noun)} {verb} in several folds"
    return text, f" ({plural(shared.n_rows, 'row')})"


def duplicate_rows(columns: Sequence[Any], folds: Ints) -> Check:
    """Count the rows that equal a row of another fold.

    Where none does, a column of unique values, such as an id, may be the reason. Numbers
    with fractions are no ids.
    """
    if not columns:
        return Check("duplicate_rows", "warning", 0, "there are no columns to compare")
    shared = frames.count_across_folds(columns, folds)
    compared = f" ({plural(len(columns), 'column')})"
    if shared.n_split:
        detail = fit(f"{plural(shared.n_rows, 'row')} equal a row of another fold", compared)
        return Check("duplicate_rows", "error", shared.n_rows, detail)
    ids = [] if shared.n_repeated else [series for series in columns if is_id(series)]
    if ids:
        names = (repr(series.name) for series in ids)
        detail = fit_list("cannot find any, as these are unique", names, len(ids))
        return Check("duplicate_rows", "warning", 0, detail)
    detail = fit("no row equals a row of another fold", compared)
    return Check("duplicate_rows", "ok", 0, detail)


def is_id(series: Any) -> bool:
    """Return whether all values of a column are unique, and not because they are measured."""
    return not frames.is_continuous(series) and frames.all_unique(series)


def empty_folds(values: Sequence[Any], n_rows: Ints) -> Check:
    """Count the folds without rows: unused categories, and gaps in whole numbers."""
    has_rows = n_rows > 0
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
        return Check("missing_strata", "ok", 0, f"all {n_strata:,} strata are in every fold")
    verb = "is" if len(names) == 1 else "are"
    text = f"{len(names):,} of {n_strata:,} strata {verb} not in every fold"
    return Check("missing_strata", "warning", len(names), fit_list(text, names, len(names)))
