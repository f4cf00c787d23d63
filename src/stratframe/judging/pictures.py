"""Compute what pictures of fold columns show: shares, deviations, drift and leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from .. import frames
from ..core.evenness import JudgedCells
from ..core.strata import distinct_values
from ..core.types import Flags, Ints, Values
from ..errors import StratError, above_limit, plural
from ..frames import FoldValues
from ..pipeline.fold_counts import FoldCounts
from ..pipeline.local_source import LocalSource
from ..verbs.result_tables import table_order
from . import palette
from .asked import Asked
from .balance import find_balance, name_entries
from .compared import find_twin, read_compared
from .copies import ComparedRows
from .draw import FOLDS_WITH_NUMBERS, Bars, Matrix
from .drift import check_features, find_drift, measure_drift
from .groups import ComparedUnits
from .labels import are_numbered
from .leaks import shared_sets
from .lines import Finding, cut_name, printable
from .picture_names import Name, name_strata, name_value
from .shared import count_group_pairs, count_shared, find_shared
from .sizes import find_sizes

Picture: TypeAlias = tuple[list[Finding], Bars | Matrix]
"""The findings on a column, and the data of its picture."""

MAX_FOLDS = 60
"""The maximum number of folds of a column."""

MAX_ROWS = 15
"""The maximum number of rows of a matrix."""

MAX_CLASSES = len(palette.COLOURS)
"""The maximum number of classes or bins that have colours of their own."""

LEAST_STEP = 0.04
"""The minimum distance between dotted lines, as a share of all rows."""

SIDE_LETTERS = 24
"""The maximum length of the label of the vertical axis."""


def label_folds(frame: Any, name: Any) -> tuple[FoldValues, Ints]:
    labels, folds = frames.fold_codes(frames.folds.read_fold_column(frame, name))
    if not labels.present:
        msg = f"Column {str(name)!r} must hold folds to be drawn, but has none."
        raise StratError(msg)
    n_folds = len(labels.values)
    if n_folds > MAX_FOLDS:
        msg = above_limit(f"Column {str(name)!r} of `plot`", MAX_FOLDS, "fold", n_folds)
        raise StratError(msg + "\nHint: `report` and `drift` give tables.")
    return labels, folds


# Bars -----------------------------------------------------------------------------------


def picture_shares(frame: Any, names: Sequence[Any], asked: Asked) -> Iterator[Picture]:
    if asked.by is not None:
        yield from picture_counts(frame, names, asked, shares_of)
        return
    eager, compared = read_compared(frame, names, asked.without("key", "duplicates"))
    for name in names:
        labels, folds = label_folds(eager, name)
        sizes = np.array(labels.sizes)
        twin = partial(find_twin, frame, names, folds)
        n_pairs = count_group_pairs([count_shared(each, labels.values, folds) for each in compared])
        marks = [float(np.mean(sizes[sizes > 0]))] if are_numbered(labels) else []
        bars = Bars(labels.values, sizes, sizes[None], marks)
        yield find_sizes(labels, n_pairs, twin), bars


def picture_counts(
    frame: Any,
    names: Sequence[Any],
    asked: Asked,
    drawing_of: Callable[[FoldCounts, list[JudgedCells]], Bars | Matrix],
) -> Iterator[Picture]:
    """Count the strata in the folds of each column, and make a drawing of the counts."""
    read = LocalSource(frame).collect(asked.by, asked.terms, names)
    for name in names:
        label_folds(read.frame, name)
        counts = read.count_folds(asked.by, name, asked.terms)
        judged = counts.judge()
        yield find_balance(counts, judged), drawing_of(counts, judged)


def shares_of(counts: FoldCounts, judged: list[JudgedCells]) -> Bars:
    """Compute the shares of the joint strata, or of the worst margin, in every fold."""
    level = counts.levels[worst_margin(counts, judged)]
    entries = level.strata.levels
    heading = ", ".join(str(each.name) for each in entries)
    if counts.is_marginal:
        heading += f", of {len(judged)} margins"
    order = table_order(level.strata)
    shown = largest_strata(level.table[order].sum(axis=1))
    table = level.table[order[shown]]
    classes = name_strata(level.strata, order[shown])
    is_order = len(entries) == 1 and entries[0].term.is_ordinal
    colours = list(
        palette.bin_colours(len(shown)) if is_order else palette.class_colours(len(shown))
    )
    n_others = len(order) - len(shown)
    if n_others:
        classes.append(name_value(plural(n_others, "other")))
        colours.append(palette.OTHERS)
        table = np.vstack([table, counts.sizes - table.sum(axis=0)])
    shares = table / np.maximum(counts.sizes, 1)
    marks = marks_of(table.sum(axis=1) / counts.sizes.sum())
    return Bars(counts.labels.values, counts.sizes, shares, marks, colours, classes, heading)


def worst_margin(counts: FoldCounts, judged: list[JudgedCells]) -> int:
    """Return the place of the worst margin, or of the joint strata."""
    if not counts.is_marginal:
        return len(judged) - 1
    return int(np.argmax([far_off(cells).max(initial=0.0) for cells in judged]))


def largest_strata(sizes: Ints) -> Ints:
    """Choose the largest strata, in their order."""
    largest: Ints = np.argsort(-sizes, kind="stable")[:MAX_CLASSES]
    return np.sort(largest)


def marks_of(shares: Values) -> list[float]:
    """Place dotted lines where classes end in all rows, unless they would be too close."""
    marks: list[float] = []
    for end in shares.cumsum()[:-1].tolist():
        if end - (marks[-1] if marks else 0) >= LEAST_STEP and end <= 1 - LEAST_STEP:
            marks.append(end)
    return marks


# Matrices -------------------------------------------------------------------------------


def deviations_of(counts: FoldCounts, judged: list[JudgedCells]) -> Matrix:
    """Compute by how many rows the worst strata of all levels deviate in each fold."""
    strata = [level.strata for level in counts.levels]
    rows = [(place, stratum) for place, each in enumerate(strata) for stratum in table_order(each)]
    off = np.array([judged[place].off[stratum] for place, stratum in rows])
    is_even = np.array([judged[place].is_even[stratum] for place, stratum in rows])
    shades = np.where(is_even, 0.0, off)
    chosen = np.arange(len(rows))
    side = cut_name(printable(name_entries(counts)), SIDE_LETTERS)
    if len(rows) > MAX_ROWS:
        far = list(map(far_off, judged))
        chosen = worst_rows(np.array([far[place][row] for place, row in rows]), off, shades)
        side = f"{side}, {len(chosen)} worst of {len(rows):,}"
    return Matrix(
        counts.labels.values,
        [name_stratum(counts, *rows[row]) for row in chosen],
        off[chosen],
        shades[chosen],
        side,
        "rows too many",
        blank=1.0,
        is_signed=True,
    )


def name_stratum(counts: FoldCounts, place: int, stratum: int) -> Name:
    strata = counts.levels[place].strata
    entry = str(strata.levels[0].name) if counts.is_marginal else None
    (name,) = name_strata(strata, np.array([stratum]), entry)
    return name


def worst_rows(far: Values, values: Values, shades: Values) -> Ints:
    """Choose at most `MAX_ROWS` of the worst rows of a matrix, leaving out rows that look blank.

    Rows in which a cell has a colour are chosen. If there are none, rows that have numbers are.
    """
    is_shown: Flags = np.any(np.abs(np.nan_to_num(shades)) > 1, axis=1)
    if not is_shown.any() and values.shape[1] <= FOLDS_WITH_NUMBERS:
        is_shown = np.any(np.nan_to_num(values) != 0, axis=1)
    order: Ints = np.argsort(-far, kind="stable")
    if is_shown.any():
        order = order[is_shown[order]]
    return order[:MAX_ROWS]


def far_off(cells: JudgedCells) -> Values:
    """Measure how far each stratum deviates in its worst fold; uneven strata rank highest."""
    far = cells.residuals
    return np.asarray((far + cells.is_uneven * far.max(initial=0.0)).max(axis=1))


def picture_drift(frame: Any, names: Sequence[Any], asked: Asked) -> Iterator[Picture]:
    refs = check_features(frame, asked.features)
    eager = frames.collect_columns(frame, [*refs, *names])
    for name in names:
        label_folds(eager, name)
        labels, features, drifts = measure_drift(eager, refs, name)
        matrix = drift_of(labels, features, drifts.ratio)
        yield [find_drift(labels, features, drifts)], matrix


def drift_of(labels: FoldValues, features: Sequence[Any], ratio: Values) -> Matrix:
    """Show the distances of the features, or of the worst of them, divided by chance."""
    n = len(features)
    chosen = np.arange(n)
    side = "feature"
    if n > MAX_ROWS:
        worst = np.nan_to_num(ratio, nan=-1.0).max(axis=1)
        chosen = worst_rows(worst, ratio, ratio)
        side = f"{len(chosen)} worst of {n:,} features"
    rows = [name_value(features[place]) for place in chosen.tolist()]
    shown = ratio[chosen]
    return Matrix(labels.values, rows, shown, shown, side, "distance / chance", blank=1.0)


def picture_leaks(frame: Any, names: Sequence[Any], asked: Asked) -> Iterator[Picture]:
    eager, (compared,) = read_compared(frame, names, choose_argument(asked))
    for name in names:
        labels, folds = label_folds(eager, name)
        both = count_in_both(compared, folds, len(labels.values))
        rows = list(map(name_value, labels.values))
        side = cut_name(printable(name), SIDE_LETTERS)
        matrix = Matrix(labels.values, rows, both, both, side, f"{compared.noun} in both")
        yield find_shared(count_shared(compared, labels.values, folds), labels), matrix


def choose_argument(asked: Asked) -> Asked:
    """Keep the first that is given of groups, key and duplicates."""
    if asked.groups is not None:
        return asked.without("key", "duplicates")
    if asked.key is not None:
        return asked.without("duplicates")
    if not (asked.is_auto or asked.refs["duplicates"]):
        msg = '`kind="leaks"` must have `groups`, `key` or `duplicates` to compare, got none.'
        raise StratError(msg)
    return asked


def count_in_both(compared: ComparedUnits | ComparedRows, folds: Ints, n_folds: int) -> Values:
    """Count the sets that have rows in both folds of each pair, NaN for a fold and itself."""
    if not compared.columns:
        return np.full((n_folds, n_folds), np.nan)
    rows, sets = shared_sets(compared, folds)
    pairs = distinct_values(sets * n_folds + folds[rows])
    sets, set_folds = np.divmod(pairs, n_folds)
    both = np.zeros((n_folds, n_folds))
    for fold in range(n_folds):
        has_rows = np.bincount(sets, set_folds == fold)[sets] > 0
        both[fold] = np.bincount(set_folds[has_rows], minlength=n_folds)
    np.fill_diagonal(both, np.nan)
    return both


PICTURES: dict[str, Callable[[Any, Sequence[Any], Asked], Iterator[Picture]]] = {
    "shares": picture_shares,
    "balance": partial(picture_counts, drawing_of=deviations_of),
    "drift": picture_drift,
    "leaks": picture_leaks,
}
"""What draws each kind of picture."""
