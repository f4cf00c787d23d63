"""What pictures show, measured of fold columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.evenness import deviations, promised_deviation, random_variance
from ..core.types import Flags, Ints, StratumTable
from ..errors import StratError, plural, plural_name, preview
from ..frames import Frame
from ..pipeline.strata import Strata
from ..pipeline.tables import FoldCounts, format_values, stratum_names, table_order
from ..terms.by import columns_of, parse_columns
from .audit import AuditColumns, AuditInput, check_audit
from .audit_checks import duplicate_rows, lacks_key
from .draw import BAD_TEXT, GOOD_TEXT, RANDOM_TEXT, TEXT, Verdict, largest, plain_text
from .draw_leaks import FoldLeaks
from .draw_shares import Entry, FoldShares
from .draw_sizes import FoldSizes
from .draw_strips import Column
from .drift import measure_drift
from .report import describe_evenness, measure_folds
from .sides import side_of

DRAWN = 500
"""Folds of a column that a picture shows at most."""

CHANCE = 3
"""Standard deviations that a random fold rarely exceeds, as in the verdicts of `report`."""

DRIFTS = 1.5
"""Multiples of chance in `drift` that hardly any of many random folds exceeds."""

FEW_PARTS = 4
"""Parts up to which a title lists them."""

LISTED, FILLED, HEAD = 40, 20, 2000
"""Groups that a picture of leaks has at most; up to which it also has groups that are in one
fold; and the first rows, among which these are looked for."""

COLOUR_OF = {
    "even": GOOD_TEXT,
    "exactly even": GOOD_TEXT,
    "no better than random": RANDOM_TEXT,
    "SKEWED": BAD_TEXT,
}
"""Of the title, by the words of the verdict."""


def check_plotted_folds(name: str, folds: Sequence[Any]) -> None:
    """Raise if a column has no folds, or more than can be drawn."""
    if not folds:
        msg = f"Column {name!r} must hold folds to be drawn, but has none."
        raise StratError(msg)
    if len(folds) > DRAWN:
        msg = (
            f"`plot` draws at most {DRAWN} folds, got {len(folds):,}."
            "\nHint: `report` and `drift` give tables."
        )
        raise StratError(msg)


# Rows -----------------------------------------------------------------------------------


def count_fold_rows(frame: Frame, name: str) -> FoldSizes:
    """Count the rows of every fold, and those without one."""
    series = frames.read_fold_column(frames.collect_columns(frame, [name]), name)
    folds, codes = frames.fold_codes(series)
    check_plotted_folds(name, folds)
    n_parts = len(folds) + 1
    sizes = np.bincount(codes % n_parts, minlength=n_parts)
    exact = int(sizes[:-1].sum()) / len(folds) if are_folds(folds) else None
    return FoldSizes(name, folds, sizes, describe_sizes(folds, sizes[:-1]), exact)


def describe_sizes(folds: Sequence[Any], sizes: Ints) -> Verdict:
    """Describe how far sizes of folds are apart; of a few parts, what share each has."""
    least, most = int(sizes.min()), int(sizes.max())
    if not are_folds(folds) and len(folds) <= FEW_PARTS:
        shares = (100 * sizes / max(int(sizes.sum()), 1)).tolist()
        listed = (f"{part} {share:.3g} %" for part, share in zip(folds, shares, strict=True))
        return Verdict(plain_text(", ".join(listed)))
    text = f"{plural(most, 'row')} each" if least == most else f"{least:,} to {most:,} rows"
    return Verdict(text)


def are_folds(folds: Sequence[Any]) -> bool:
    """Return whether labels number folds, which are of equal size as a rule: 0, 1, 2 or 1, 2, 3."""
    start = folds[0]
    return start in (0, 1) and list(folds) == list(range(start, start + len(folds)))


# Strata ---------------------------------------------------------------------------------


class NamedStrata(NamedTuple):
    """Fold columns counted by strata, which have names."""

    counts: list[FoldCounts]
    orders: list[Ints]
    """The order of the strata of each table."""
    names: list[list[str]]
    """In their order; of margins for each entry."""
    entry: str
    """What the strata are of; of margins nothing, as each name has its entry."""

    def tables(self, place: int) -> list[StratumTable]:
        """Take the tables of a column in the order of the names."""
        tables = self.counts[place].tables
        return [table[order] for table, order in zip(tables, self.orders, strict=True)]


def count_strata(frame: Frame, by: Any, fold_columns: Sequence[str]) -> NamedStrata:
    """Count the strata in columns, and name them and their entries."""
    read = side_of(frame).collect(by, fold_columns)
    counts = []
    for name in fold_columns:
        counts.append(read.folded(by, name).crossed())
        check_plotted_folds(name, counts[-1].folds)
    levels = counts[-1].strata
    orders = [table_order(level) for level in levels]
    several = len(levels) > 1
    names = [
        stratum_names(level, order, with_entry=several)
        for level, order in zip(levels, orders, strict=True)
    ]
    return NamedStrata(counts, orders, names, "" if several else entry_of(levels[0]))


def entry_of(strata: Strata) -> str:
    """Name the entries of strata."""
    return ", ".join(str(level.name) for level in strata.levels)


def verdict_of(counts: FoldCounts) -> Verdict:
    """Say how even a column is."""
    word, off = describe_evenness(measure_folds(counts).pooled())
    return Verdict(f"{word}, {off}", COLOUR_OF.get(word, TEXT))


def measure_strata(
    frame: Frame, by: Any, fold_columns: Sequence[str]
) -> tuple[list[Column], list[str], str]:
    """Measure the deviations of strata in columns, and name the strata and their entries."""
    found = count_strata(frame, by, fold_columns)
    columns = [
        measure_column(name, counts.folds, found.tables(place), verdict_of(counts))
        for place, (name, counts) in enumerate(zip(fold_columns, found.counts, strict=True))
    ]
    return columns, [name for names in found.names for name in names], found.entry


def measure_column(
    name: str, folds: list[Any], tables: Sequence[StratumTable], verdict: Verdict
) -> Column:
    """Measure the deviations of strata in the folds of a column, next to promise and chance.

    Parameters
    ----------
    tables : sequence of ndarray of int64, shape (n_strata, n_folds + 1)
        Rows of the strata in every fold, and last in none; of margins a table for each.
    """
    off, chance, promise = [], [], []
    for table in tables:
        sizes, dealt = table.sum(axis=1), table[:, :-1]
        off.append(deviations(dealt, sizes))
        chance.append(CHANCE * np.sqrt(random_variance(sizes, dealt.sum(axis=0))))
        promise.append(promised_deviation(sizes))
    bands, promised = np.concatenate(chance), np.concatenate(promise)
    limit = np.maximum(bands, promised[:, None])
    return Column(name, folds, np.concatenate(off), bands, limit, promised, verdict)


def measure_shares(
    frame: Frame, by: Any, fold_columns: Sequence[str]
) -> tuple[list[FoldShares], list[Entry], str]:
    """Count the classes in columns, and name the classes and their entries."""
    found = count_strata(frame, by, fold_columns)
    columns = [
        FoldShares(
            name,
            counts.folds,
            [table[:, :-1] for table in found.tables(place)],
            verdict_of(counts),
        )
        for place, (name, counts) in enumerate(zip(fold_columns, found.counts, strict=True))
    ]
    entries = []
    for names, table, level in zip(
        found.names, found.tables(-1), found.counts[-1].strata, strict=True
    ):
        whole = table.sum(axis=1) / max(int(table.sum()), 1)
        entries.append(Entry(names, whole, all(each.is_nominal for each in level.levels)))
    return columns, entries, found.entry


# Features -------------------------------------------------------------------------------


def measure_features(
    frame: Frame, features: Any, names: Sequence[str]
) -> tuple[list[Column], list[str]]:
    """Measure the drift of features in columns, and name the features."""
    refs = parse_columns("by", features)
    frames.check_refs(frame, refs, "features")
    eager = frames.collect_columns(frame, [*refs, *names])
    columns: list[Column] = []
    labels: list[str] = []
    for name in names:
        folds, labels, measured = measure_drift(eager, features, name)
        check_plotted_folds(name, folds)
        values, chance = measured.main, measured.chance
        limit = DRIFTS * np.nan_to_num(chance, nan=np.inf)
        verdict = describe_drift(float(largest(measured.ratio).max(initial=0.0)))
        columns.append(Column(name, folds, values, chance, limit, np.zeros(len(labels)), verdict))
    return columns, labels


def describe_drift(ratio: float) -> Verdict:
    """Describe the largest drift of a column, as a multiple of chance."""
    if ratio <= 1:
        return Verdict("no drift beyond chance", GOOD_TEXT)
    if ratio <= DRIFTS:
        return Verdict(f"hardly any drift, up to {ratio:.1f} times chance", GOOD_TEXT)
    return Verdict(f"DRIFTS, up to {ratio:.1f} times chance", BAD_TEXT)


# Leaks ----------------------------------------------------------------------------------


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
    shown = [
        FoldLeaks(
            str(name),
            labels[at],
            cells_of(sets, labels[at], codes[at]),
            split[at].n_sets,
            n_groups,
            verdicts[at],
        )
        for at, name in enumerate(found.names)
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


def cells_of(sets: Sequence[Ints], folds: Sequence[Any], codes: Ints) -> Flags:
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
