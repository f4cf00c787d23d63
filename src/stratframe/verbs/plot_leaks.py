"""What pictures of leaks show: the groups, or equal rows, that fold columns split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.types import Flags, Ints
from ..errors import StratError, plural_name, preview
from ..frames import Frame
from ..pipeline.tables import format_values
from ..terms.by import columns_of
from .audit import AuditColumns, AuditInput, check_audit
from .audit_checks import duplicate_rows, lacks_key
from .draw import BAD_TEXT, GOOD_TEXT, RANDOM_TEXT, Verdict, plain_text
from .draw_leaks import FoldLeaks
from .plot_data import check_plotted_folds

LISTED, FILLED, HEAD = 40, 20, 2000
"""Groups that a picture of leaks has at most; up to which it also has groups that are in one
fold; and the first rows, among which these are looked for."""


class Compared(NamedTuple):
    """What must not be in two folds."""

    columns: list[Any]
    """Groups, keys, or the columns by which rows are compared, of the rows that count."""
    rows: Ints
    """The positions of these rows."""
    names: list[Any]
    """The columns, with all rows, whose values name a group; none if rows are only equal."""
    noun: str
    """What the groups are."""
    label: str


class SplitSets(NamedTuple):
    """Sets of rows that a fold column splits."""

    worst: list[Ints]
    """The rows of those in the most folds."""
    n_sets: int
    rows: Ints
    """The rows of all."""


def measure_leaks(
    frame: Frame, names: Sequence[str], groups: Any, key: Any, columns: Any
) -> tuple[list[FoldLeaks], list[str], str]:
    """Find the groups that are in several folds of columns, the worst first, and name them."""
    found = check_audit(frame, names, None, groups, key, columns)
    given = found.read()
    compared = compared_rows(found, given)
    if not compared.columns:
        msg = (
            '`kind="leaks"` must have columns to compare, got none.'
            '\nHint: name groups, as in `groups="patient"`.'
        )
        raise StratError(msg)
    labels, codes = zip(
        *(frames.fold_codes(found.fold_column(name)) for name in found.names), strict=True
    )
    for name, folds in zip(found.names, labels, strict=True):
        check_plotted_folds(name, folds)
    split = [split_sets(compared, own) for own in codes]
    sets, n_groups = join_sets([rows for each in split for rows in each.worst], codes), 0
    if compared.names:
        n_groups = frames.count_across_folds(compared.columns, codes[0][compared.rows]).n_values
        verdicts = [describe_leaks(each.n_sets, n_groups, compared.noun) for each in split]
        if len(sets) < FILLED:
            sets += whole_sets(compared, np.concatenate([each.rows for each in split]))
            sets = sets[:FILLED]
    else:
        verdicts = [describe_duplicates(given, own) for own in codes]
    columns_found = zip(found.names, labels, codes, split, verdicts, strict=True)
    shown = [
        FoldLeaks(str(name), folds, folds_of_sets(sets, folds, own), each.n_sets, n_groups, verdict)
        for name, folds, own, each, verdict in columns_found
    ]
    return shown, name_sets(compared, sets), compared.label


def compared_rows(found: AuditColumns, given: AuditInput) -> Compared:
    """Choose what is compared: groups, else keys, else rows."""
    all_rows = np.arange(len(found.frame))
    if given.groups is not None:
        names, refs = given.group_names, columns_of(found.group_terms)
        if not names:  # clusters
            return Compared([given.groups], all_rows, [given.groups], "groups", "group")
        return Compared([given.groups], all_rows, names, *named_by(refs, names, "groups"))
    if given.keys:
        known = np.flatnonzero(~lacks_key(given.keys))
        keys = [frames.take(series, known) for series in given.keys]
        return Compared(keys, known, given.keys, *named_by(found.keys, given.keys, "keys"))
    return Compared(given.rows, all_rows, [], "rows", "")


def named_by(refs: Sequence[Any], series: Sequence[Any], noun: str) -> tuple[str, str]:
    """Choose the noun of what columns name, and the label of an axis that has the names."""
    names = [frames.result_name(*each) for each in zip(refs, series, strict=True)]
    own = plural_name(names[0], noun) if len(names) == 1 else noun
    return own, ", ".join(map(str, names))


def split_sets(compared: Compared, codes: Ints) -> SplitSets:
    """Find the sets of equal rows that are in several folds, those in the most folds first."""
    places, sets = frames.rows_across_folds(compared.columns, codes[compared.rows])
    rows = compared.rows[places]
    sizes = np.bincount(sets)
    # Rows without a fold have the code -1, and count as one more.
    n_parts = int(codes.max(initial=0)) + 2
    pairs = np.unique(sets * n_parts + codes[rows] + 1)
    n_folds = np.bincount(pairs // n_parts, minlength=len(sizes))
    ends = np.cumsum(sizes)
    worst = np.lexsort((-sizes, -n_folds))[:LISTED]
    return SplitSets(
        [rows[ends[each] - sizes[each] : ends[each]] for each in worst], len(sizes), rows
    )


def join_sets(found: Sequence[Ints], codes: Sequence[Ints]) -> list[Ints]:
    """List the sets that some columns split, each once, those in the most folds first."""

    def badness(rows: Ints) -> tuple[int, int, int]:
        """Rank a set by its folds in the worst column, and by its rows."""
        n_folds = max(len(np.unique(own[rows])) for own in codes)
        return -n_folds, -len(rows), int(rows[0])

    sets = {int(rows[0]): rows for rows in found}
    return sorted(sets.values(), key=badness)[:LISTED]


def whole_sets(compared: Compared, split: Ints) -> list[Ints]:
    """Find the first groups that no column splits; of each, one row."""
    head = np.arange(min(HEAD, len(compared.rows)))
    columns = [first_codes(column, head) for column in compared.columns]
    _, first = np.unique(np.stack(columns), axis=1, return_index=True)
    rows = compared.rows[np.sort(first)]
    is_named = ~np.logical_and.reduce([missing_in(series, rows) for series in compared.names])
    return [rows[[place]] for place in np.flatnonzero(is_named & ~np.isin(rows, split))]


def first_codes(column: Any, head: Ints) -> Ints:
    """Encode the first values of a column, or of groups that are codes already."""
    if isinstance(column, np.ndarray):
        return column[head]
    return frames.encode_classes(frames.take(column, head))[0]


def missing_in(series: Any, rows: Ints) -> Flags:
    """Flag the rows whose value is missing."""
    if isinstance(series, np.ndarray):
        return np.zeros(len(rows), dtype=np.bool_)
    return np.asarray(frames.is_missing(frames.take(series, rows)))


def folds_of_sets(sets: Sequence[Ints], folds: Sequence[Any], codes: Ints) -> Flags:
    """Flag the folds that each set has rows in, and last, if some rows have none, no fold."""
    cells = np.zeros((len(sets), len(folds) + 1), dtype=np.bool_)
    for place, rows in enumerate(sets):
        cells[place, codes[rows]] = True
    return cells if (codes < 0).any() else cells[:, :-1]


def name_sets(compared: Compared, sets: Sequence[Ints]) -> list[str]:
    """Name sets of rows by the values that they share, or by their positions."""
    first = np.array([rows[0] for rows in sets], dtype=np.int64)
    if not compared.names:
        return [f"rows {preview(rows.tolist(), len(rows), 2)}" for rows in sets]
    columns = [
        each[first].tolist()
        if isinstance(each, np.ndarray)
        else frames.to_list(frames.take(each, first))
        for each in compared.names
    ]
    values = zip(*map(format_values, columns), strict=True)
    return [", ".join(each or "missing" for each in value) for value in values]


def describe_leaks(n_split: int, n_groups: int, noun: str) -> Verdict:
    """Describe how many groups a column splits."""
    of_all = f"of {n_groups:,} {noun}"
    if not n_split:
        return Verdict(f"none {of_all} is in two folds", GOOD_TEXT)
    return Verdict(f"{n_split:,} {of_all} {'leaks' if n_split == 1 else 'leak'}", BAD_TEXT)


def describe_duplicates(given: AuditInput, codes: Ints) -> Verdict:
    """Describe how many rows equal a row of another fold."""
    check, _ = duplicate_rows(given.rows, codes, named=given.are_named)
    if check.severity == "error":
        return Verdict(f"{check.n:,} rows equal a row of another fold", BAD_TEXT)
    if check.severity == "ok":
        return Verdict("no row equals a row of another fold", GOOD_TEXT)
    return Verdict(plain_text(f"cannot tell, {check.detail}"), RANDOM_TEXT)
