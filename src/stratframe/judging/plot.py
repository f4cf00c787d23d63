"""Draw pictures of fold columns: `plot`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of, load_extra
from ..core.evenness import JudgedCells
from ..core.strata import distinct_values
from ..core.types import Ints, Values
from ..errors import StratError, above_limit, plural
from ..frames import FoldValues, Frame
from ..habits import suggest_arguments
from ..pipeline.fold_counts import FoldCounts
from ..pipeline.local_source import LocalSource
from ..progress import track
from ..terms.base import By
from ..verbs.door import any_frame
from ..verbs.result_tables import stratum_names, table_order
from ..verbs.sources import check_rows, join_given, named_source
from . import draw
from .asked import AUTO, Asked, read_arguments
from .balance import find_balance, name_entries
from .compared import find_twin, read_compared
from .draw import Bars, Matrix, draw_bars, draw_matrix
from .drift import check_features, find_drift, measure_drift
from .labels import are_numbered
from .leaks import shared_sets
from .lines import Finding, cut_name, printable, worst_first
from .shared import count_group_pairs, count_shared, find_shared
from .sizes import find_sizes

Picture: TypeAlias = tuple[list[Finding], Bars | Matrix]
"""The findings on a column, and the data of its picture."""

Kind: TypeAlias = Literal["shares", "balance", "drift", "leaks"]

MAX_FOLDS = 60
MAX_COLUMNS = 20
MAX_ROWS = 15
"""The maximum number of rows of a matrix."""

ABREAST = 5
"""The maximum number of pictures side by side."""

LEAST_SHARE = 0.02
"""The minimum share of all rows that a class must have for a dotted line to mark its share."""


@suggest_arguments
@any_frame()
def plot(
    frame: Frame | Mapping[str, Frame],
    by: By | None = None,
    name: str | Sequence[str] = "fold",
    kind: Kind = "shares",
    ax: Any = None,
    *,
    groups: Any = None,
    key: Any = None,
    features: Any = None,
    duplicates: Any = AUTO,
) -> Any:
    """Plot how good a fold column is; the title is the worst finding on what is drawn.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, polars.LazyFrame, or mapping
        A mapping of names to frames is read as in `check`.
    by : entry or list of entries, optional
        For `kind="shares"` and `kind="balance"`; as for `report`.
    name : str or list of str
        One or more fold or part columns from any source; each column is drawn on Axes of its own.
        Rows without a fold are left out, but `kind="drift"` counts them as training rows.
    kind : {"shares", "balance", "drift", "leaks"}
        "shares" shows the share of each class in each fold, with dotted lines for the shares in all
        rows, or, without `by`, the number of rows in each fold. "balance" shows how many rows too
        many or too few each fold has of each stratum. "drift" shows the distance of each fold from
        the other rows in each feature, divided by the distance that chance can explain. "leaks"
        shows how many groups, keys or sets of equal rows any two folds share.
    ax : matplotlib.axes.Axes, optional
        The Axes to draw on, one for each column; by default, the Axes of a new figure.
    groups, key, features, duplicates
        As for `check`. `kind="drift"` needs `features`. `kind="leaks"` shows `groups` if they are
        given, otherwise `key` if it is given, and otherwise `duplicates`. With `groups`, balance is
        compared with a shuffle of whole groups.

    Returns
    -------
    matplotlib.axes.Axes
        One Axes or, for several columns, an array of Axes.

    Raises
    ------
    StratError
        If an argument is invalid, or if there is nothing or too much to draw.
    ImportError
        If matplotlib is not installed; `pip install "stratframe[plot]"` installs it.

    Notes
    -----
    Cells are white where nothing is wrong. If there are more than 15 strata or features, at most
    the worst 15 are drawn. The six largest classes or the ten largest bins have colours of their
    own. With `sf.margins`, the bars show only the worst margin.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b"] * 10}).strat.kfold("label", k=5)
    >>> sf.plot(df, "label").get_title()
    'fold: even, each class within a row of its share'
    """
    check_one_of("kind", kind, get_args(Kind))
    pyplot = load_extra("matplotlib.pyplot", "plot")
    asked = read_arguments(by=by, groups=groups, key=key, duplicates=duplicates, features=features)
    frame, name, _ = join_given(frame, name, asked.named)
    check_rows(frame, "`plot` reads all rows", "`balance` and `report` give the figures as tables")
    frames.check_frame(frame)
    names = named_source(frame, name)[1]
    if len(names) > MAX_COLUMNS:
        msg = above_limit("`name` of `plot`", MAX_COLUMNS, "column", len(names))
        raise StratError(msg + "\nHint: `compare` has a row for each column.")
    given = None if ax is None else check_axes(ax, len(names), kind)
    drawn = PICTURES[kind](frame, names, asked)
    pictures = list(track(drawn, "Pictures", " columns", len(names)))
    if given is None:
        n_rows = ceil(len(pictures) / ABREAST)
        n_columns = ceil(len(pictures) / n_rows)
        lines = max(len(getattr(drawing, "rows", ())) for _, drawing in pictures)
        width = 5.0 if n_columns == 1 else 1.0 + 2.6 * n_columns
        size = width, n_rows * float(np.clip(1.3 + 0.24 * lines, 3.0, 5.0))
        shape = {"figsize": size, "squeeze": False, "layout": "constrained"}
        given = list(pyplot.subplots(n_rows, n_columns, **shape)[1].flat)
    for unused in given[len(pictures) :]:
        unused.remove()
    axes = given[: len(pictures)]
    draw_all(axes, names, pictures)
    return axes[0] if len(names) == 1 else np.array(axes, dtype=object)


def check_axes(ax: Any, n_columns: int, kind: Kind) -> list[Any]:
    axes = list(np.ravel(ax)) if isinstance(ax, list | tuple | np.ndarray) else [ax]
    for each in axes:
        is_axes = isinstance(each, load_extra("matplotlib.axes", "plot").Axes)
        if not is_axes or each.name != "rectilinear":
            msg = f"`ax` must be a plain matplotlib Axes, got {type(each).__name__}."
            raise StratError(msg)
        for side in "x" if kind == "shares" else "xy":
            if len(getattr(each, f"get_shared_{side}_axes")().get_siblings(each)) > 1:
                msg = f"`ax` must have its own {side} axis.\nHint: leave out `share{side}`."
                raise StratError(msg)
    if len(axes) != n_columns:
        msg = f"`ax` must be one Axes for each column, got {len(axes)} for {n_columns}."
        raise StratError(msg)
    return axes


def draw_all(axes: Sequence[Any], names: Sequence[Any], pictures: Sequence[Picture]) -> None:
    """Draw the pictures with one scale for all matrices, and without repeated legends."""
    sides = [draw.sides_of(ax) for ax in axes]
    drawn = []
    limit = max((each.limit for _, each in pictures if isinstance(each, Matrix)), default=1.0)
    legends = [getattr(each, "classes", None) for _, each in pictures]
    for place, (ax, name, (found, drawing)) in enumerate(zip(axes, names, pictures, strict=True)):
        title = cut_name(printable(name), 24)
        for finding in worst_first(found)[:1]:
            subject, _, said = finding.line.partition(": ")
            is_named = finding.check in ("balance", "strata", "sizes")  # the axes name the subject
            is_named |= subject in ("drift", "duplicates")
            title += f": {said if is_named and said else finding.line}"
        is_last = legends[place : place + 1] != legends[place + 1 : place + 2]
        if isinstance(drawing, Bars):
            drawn.append(draw_bars(ax, drawing, name, title, with_legend=is_last))
        else:
            drawn.append(draw_matrix(ax, drawing, name, title, limit, with_scale=is_last))
    draw.fit(axes, drawn, sides)


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


def picture_shares(frame: Any, names: Sequence[Any], asked: Asked) -> Iterator[Picture]:
    if asked.by is not None:
        yield from picture_counts(frame, names, asked)
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
    frame: Any, names: Sequence[Any], asked: Asked, *, in_rows: bool = False
) -> Iterator[Picture]:
    read = LocalSource(frame).collect(asked.by, asked.terms, names)
    for name in names:
        label_folds(read.frame, name)
        counts = read.count_folds(asked.by, name, asked.terms)
        judged = counts.judge()
        drawing = deviations_of(counts, judged) if in_rows else shares_of(counts, judged)
        yield find_balance(counts, judged), drawing


def shares_of(counts: FoldCounts, judged: list[JudgedCells]) -> Bars:
    """Compute the shares of the joint strata, or of the worst margin, in every fold."""
    place = len(judged) - 1
    if counts.is_marginal:
        place = int(np.argmax([far_off(cells).max(initial=0.0) for cells in judged]))
    level = counts.levels[place]
    heading = ", ".join(str(each.name) for each in level.strata.levels)
    if counts.is_marginal:
        heading += f", of {len(judged)} margins"
    is_order = len(level.strata.levels) == 1 and level.strata.levels[0].term.is_ordinal
    order = table_order(level.strata)
    palette = draw.SHADES if is_order else draw.COLOURS
    largest = np.argsort(-level.table.sum(axis=1)[order], kind="stable")[: len(palette)]
    chosen = order[np.sort(largest)]
    n_others = len(order) - len(largest)
    classes = stratum_names(level.strata, chosen, with_entry=False)
    places = np.linspace(0, len(draw.SHADES) - 1, len(chosen)) if is_order else range(len(chosen))
    colours = [palette[int(place)] for place in places]
    table = level.table[chosen]
    if n_others:
        classes = [*classes, plural(n_others, "other")]
        colours = [*colours, draw.OTHERS]
        table = np.vstack([table, counts.sizes - table.sum(axis=0)])
    shares = table / np.maximum(counts.sizes, 1)
    whole = table.sum(axis=1) / counts.sizes.sum()
    marks = whole.cumsum()[:-1][whole[:-1] >= LEAST_SHARE].tolist()
    return Bars(counts.labels.values, counts.sizes, shares, marks, colours, classes, heading)


def deviations_of(counts: FoldCounts, judged: list[JudgedCells]) -> Matrix:
    """Compute by how many rows the worst strata of all levels deviate in each fold."""
    strata = [level.strata for level in counts.levels]
    every = [(place, stratum) for place, each in enumerate(strata) for stratum in table_order(each)]
    off = np.array([judged[place].off[stratum] for place, stratum in every])
    is_even = np.array([judged[place].is_even[stratum] for place, stratum in every])
    shades = np.where(is_even, 0.0, off)
    chosen = np.arange(len(every))
    side = cut_name(printable(name_entries(counts)), 24)
    if len(every) > MAX_ROWS:
        far = list(map(far_off, judged))
        chosen = worst_rows(np.array([far[at][row] for at, row in every]), off, shades)
        side = f"{side}, {len(chosen)} worst of {len(every):,}"
    names = [
        stratum_names(strata[place], np.array([stratum]), with_entry=counts.is_marginal)[0]
        for place, stratum in (every[row] for row in chosen)
    ]
    drawn = off[chosen], shades[chosen], side, "rows too many"
    return Matrix(counts.labels.values, names, *drawn, white=1.0, is_signed=True)


def worst_rows(far: Values, values: Values, shades: Values) -> Ints:
    """Choose at most `MAX_ROWS` of the worst rows of a matrix, leaving out rows that look blank.

    A cell shows a colour and, unless there are many folds, a number.
    """
    has_numbers = values.shape[1] <= draw.FOLDS_WITH_NUMBERS
    shown = values if has_numbers else np.where(np.abs(shades) > 1, 1, 0)
    is_shown = np.count_nonzero(np.nan_to_num(shown), axis=1) > 0
    order = np.argsort(-far, kind="stable")
    chosen: Ints = order[is_shown[order] | (not is_shown.any())]
    return chosen[:MAX_ROWS]


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
        ratio = drifts.ratio
        n = len(features)
        order = np.arange(n)
        side = "feature"
        if n > MAX_ROWS:
            worst = np.nan_to_num(ratio, nan=-1.0).max(axis=1)
            order = worst_rows(worst, ratio, ratio)
            side = f"{len(order)} worst of {n:,} features"
        rows = [features[place] for place in order]
        shown = ratio[order]
        matrix = Matrix(labels.values, rows, shown, shown, side, "distance / chance", white=1.0)
        yield [find_drift(labels, features, drifts)], matrix


def picture_leaks(frame: Any, names: Sequence[Any], asked: Asked) -> Iterator[Picture]:
    if asked.groups is not None:
        asked = asked.without("key", "duplicates")
    elif asked.key is not None:
        asked = asked.without("duplicates")
    elif not (asked.is_auto or asked.refs["duplicates"]):
        msg = '`kind="leaks"` must have `groups`, `key` or `duplicates` to compare, got none.'
        raise StratError(msg)
    eager, (compared,) = read_compared(frame, names, asked)
    for name in names:
        labels, folds = label_folds(eager, name)
        values = labels.values
        (rows, sets) = shared_sets(compared, folds)
        # Count the sets that have rows in both folds of each pair.
        both = np.full((len(values), len(values)), 0.0 if compared.columns else np.nan)
        pairs = distinct_values(sets * len(values) + folds[rows])
        sets, held = np.divmod(pairs, len(values))
        for fold in range(len(values)) if compared.columns else ():
            has_rows = np.bincount(sets, held == fold)[sets] > 0
            both[fold] = np.bincount(held[has_rows], minlength=len(values))
        np.fill_diagonal(both, np.nan)
        side = cut_name(printable(name), 24)
        matrix = Matrix(values, values, both, both, side, f"{compared.noun} in both")
        yield find_shared(count_shared(compared, values, folds), labels), matrix


PICTURES: dict[Kind, Callable[[Any, Sequence[Any], Asked], Iterator[Picture]]] = {
    "shares": picture_shares,
    "balance": partial(picture_counts, in_rows=True),
    "drift": picture_drift,
    "leaks": picture_leaks,
}
