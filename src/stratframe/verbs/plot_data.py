"""What pictures of sizes, strata and features show, measured of fold columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.evenness import deviations, promised_deviation, random_variance
from ..core.types import Ints, StratumTable
from ..errors import StratError, plural
from ..frames import Frame
from ..pipeline.strata import Strata
from ..pipeline.tables import FoldCounts, stratum_names, table_order
from ..terms.by import parse_columns
from .draw import BAD_TEXT, GOOD_TEXT, RANDOM_TEXT, TEXT, Verdict, largest, plain_text
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
    exact = int(sizes[:-1].sum()) / len(folds) if are_fold_numbers(folds) else None
    return FoldSizes(name, folds, sizes, describe_sizes(folds, sizes[:-1]), exact)


def describe_sizes(folds: Sequence[Any], sizes: Ints) -> Verdict:
    """Describe how far sizes of folds are apart; of a few parts, what share each has."""
    least, most = int(sizes.min()), int(sizes.max())
    if not are_fold_numbers(folds) and len(folds) <= FEW_PARTS:
        shares = (100 * sizes / max(int(sizes.sum()), 1)).tolist()
        listed = (f"{part} {share:.3g} %" for part, share in zip(folds, shares, strict=True))
        return Verdict(plain_text(", ".join(listed)))
    text = f"{plural(most, 'row')} each" if least == most else f"{least:,} to {most:,} rows"
    return Verdict(text)


def are_fold_numbers(folds: Sequence[Any]) -> bool:
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


def count_named_strata(frame: Frame, by: Any, fold_columns: Sequence[str]) -> NamedStrata:
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
    found = count_named_strata(frame, by, fold_columns)
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
    found = count_named_strata(frame, by, fold_columns)
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
