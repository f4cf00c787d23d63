"""What is wrong with a fold column, check by check: `audit`."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import MAX_LISTED, plural, preview
from ..frames import Frame
from ..pipeline.strata import Strata, stratify
from ..pipeline.tables import stratum_names, words
from ..terms.base import By
from ..terms.by import all_refs, parse_columns, parse_groups, parse_some
from .report import Folded, read_folds
from .select import fold_names

MANY = 2**62
"""More gaps than these are not told apart, as counts are int64."""


class Check(NamedTuple):
    """One row of an audit."""

    check: str
    severity: str
    detail: str
    n: int


def audit(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    by: By | None = None,
    groups: Any = None,
    key: Any = None,
    columns: Any = None,
) -> Any:
    """Check a fold column for rows that leak and for folds that lack something.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        A fold or part column, whoever made it; of a list each is checked. Rows without a
        fold are in every training set: a row, group or key that is in a fold, too, leaks.
    by : entry or list of entries, optional
        Look for strata that a fold lacks; as for `strata`.
    groups : column, list of columns or `sf.clusters`, optional
        Look for groups in two folds. Rows without a group are by themselves.
    key : column or list of columns, optional
        Look for keys that stand twice. Rows without a key are left out.
    columns : column or list of columns, optional
        By which rows are compared, to find equal ones in two folds; by default all but
        the fold columns and `key`. With `fold_1` all of `fold_2`, ... are fold columns.
        Missing values are equal.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per check: `check`; `severity`, "ok", "warning" or, of rows that leak,
        "error"; `detail`, in words; `n`, how many rows, groups, keys, folds or strata.
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
    terms, keys = parse_groups(groups), parse_columns("key", key)
    frames.check_refs(frame, all_refs(terms), "groups")
    frames.check_refs(frame, keys, "key")
    compared = compared_columns(frame, columns, names, keys)
    wanted = [names, all_refs(terms), keys, compared]
    strata = [] if by is None else all_refs(parse_some(by))
    frames.check_refs(frame, strata, "by")
    eager = frames.collect_columns(frame, [*strata, *(ref for refs in wanted for ref in refs)])
    wanted[0] = [frames.label_of(eager, each) for each in names]
    parted, grouping, keyed, rows = (frames.read_columns(eager, refs) for refs in wanted)
    grouped = stratify((), grouping, len(eager), groups=terms) if terms else None
    found: list[Check] = []
    for fold_name, series in zip(names, parted, strict=True):
        folded = None if by is None else read_folds(eager, by, fold_name)
        own = checks(series, grouped, keyed, rows, folded) if len(eager) else []
        several = f"{fold_name}: " if len(names) > 1 else ""
        found += [check._replace(detail=several + check.detail) for check in own]
    return frames.make_frame(
        frames.library_of(frame),
        {
            "check": words([row.check for row in found]),
            "severity": words([row.severity for row in found]),
            "detail": words([row.detail for row in found]),
            "n": np.array([row.n for row in found], dtype=np.int64),
        },
    )


def checks(
    series: Any,
    grouped: Strata | None,
    keyed: Sequence[Any],
    rows: Sequence[Any],
    folded: Folded | None,
) -> list[Check]:
    """Run the checks of one fold column, those that something was given for."""
    values, folds = frames.fold_codes(series)
    found = [unassigned_rows(folds)]
    if grouped is not None:
        found.append(split_groups(grouped, folds))
    if keyed:
        found.append(repeated_keys(keyed, folds))
    found += [duplicate_rows(rows, folds), empty_folds(values, folds)]
    if folded is not None:
        found.append(missing_strata(folded))
    return found


def compared_columns(
    frame: Frame, columns: Any, names: Sequence[Any], keys: Sequence[Any]
) -> tuple[Any, ...]:
    """List the columns by which rows are compared."""
    found = parse_columns("columns", columns)
    folds = {frames.label_of(frame, name) for name in names} | {*names}
    if columns is None:
        roots = [root for key in keys for root in frames.root_names(key)]
        repeats = {repeats_of(name) for name in names} - {None}
        left_out = {*folds, *(root for root in roots if not frames.is_computed(root))}
        found = tuple(
            name
            for name in frames.column_names(frame)
            if name not in left_out and repeats_of(name) not in repeats
        )
    if columns is not None or len(set(found)) < len(found):
        frames.check_refs(frame, found, "columns")
    return tuple(ref for ref in found if frames.is_computed(ref) or ref not in folds)


def repeats_of(name: object) -> str | None:
    """Name what a column is a repeat of, as fold_2 of fold; None if it is none."""
    if isinstance(name, tuple) and not any(name[1:]):  # a label of column levels
        name = name[0]
    found = re.fullmatch(r"(.+)_[1-9]\d*", name) if isinstance(name, str) else None
    return found and found[1]


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
    found = frames.count_across_folds([strata.groups], folds)
    if not found.n_split:
        return Check("split_groups", "ok", f"no group of {found.n_values:,} is in two folds", 0)
    detail = f"{across(found, 'group')} in two folds or more, with {plural(found.n_rows, 'row')}"
    return Check("split_groups", "error", detail, found.n_split)


def repeated_keys(keyed: Sequence[Any], folds: Ints) -> Check:
    """Count the keys that stand twice; in two folds they leak."""
    gaps = np.logical_or.reduce([frames.is_missing(series) for series in keyed])
    if gaps.any():
        known = np.flatnonzero(~gaps)
        keyed, folds = [frames.take(series, known) for series in keyed], folds[known]
    found = frames.count_across_folds(keyed, folds)
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


def across(found: frames.SharedRows, noun: str) -> str:
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
    found = frames.count_across_folds(rows, folds)
    if found.n_split:
        n = plural(found.n_rows, "row")
        detail = f"{n} are equal to one in another fold, {by}"
        return Check("duplicate_rows", "error", detail, found.n_rows)
    ids = [] if found.n_repeated else [series for series in rows if is_id(series)]
    if ids:
        names = preview([repr(series.name) for series in ids], len(ids))
        detail = f"no two rows can be equal, {by}: all values of {names} are different"
        return Check("duplicate_rows", "warning", detail, 0)
    return Check("duplicate_rows", "ok", f"no row is equal to one in another fold, {by}", 0)


def is_id(series: Any) -> bool:
    """Say whether all values of a column are different, and not for being measured."""
    return not frames.is_continuous(series) and frames.all_unique(series)


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
        empty = [*empty, *islice(gaps, MAX_LISTED)]
    if n:
        verb = "has" if n == 1 else "have"
        detail = f"{plural(n, 'fold')} {verb} no rows: {preview(empty, n)}"
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
    detail += f": {preview(sorted(names), len(names))}"
    return Check("missing_strata", "warning", detail, len(names))
