"""Turn the pairs of positions that a splitter gives into columns: `from_splits`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from .. import frames
from ..checks import check_flag, check_name
from ..core.types import Flags, Ints
from ..errors import StratError, above_limit, describe, plural
from ..frames import AnyFrameT, NewColumn
from ..habits import suggest_arguments
from ..pipeline.options import MAX_REPEATS
from .door import any_frame
from .sources import check_rows

PARTS = ("train", "test")

HOW_TO = "\nHint: pass what a splitter gives, as in `df.strat.from_splits(cv.split(X, y))`."


class Pair(NamedTuple):
    """The training and validation rows of one pair."""

    train: np.ndarray
    """The flags of the training rows, packed into bits."""
    valid: Ints
    """The positions of the validation rows, ascending."""


@suggest_arguments
@any_frame("columns", in_order="the positions")
def from_splits(
    frame: AnyFrameT, splits: Iterable[Any], *, name: str | None = None, overwrite: bool = False
) -> AnyFrameT:
    """Add the columns that the pairs of row positions of a splitter make.

    The splitter may be one of scikit-learn or of any other library. The pairs become a column of
    folds if each row is validated once and trains in all other pairs, and otherwise a column of
    parts for each pair. `cv` gives the pairs back.

    Parameters
    ----------
    frame : pandas or Polars (eager) frame
    splits : iterable of pairs of row positions
        The positions, counted from 0, of the training rows and of the validation rows; boolean
        masks are taken, too. `cv.split(X, y)` gives such pairs.
    name : str, optional
        Name of the new column; by default "fold" for folds, and "split" for parts. Several columns
        are called `fold_1`, `fold_2`, ... or `split_1`, `split_2`, ...
    overwrite : bool
        Whether to replace columns that already exist.

    Returns
    -------
    frame of the same kind
        The frame with new columns of folds 0, 1, ... in the order of the pairs, or of the parts
        "train" and "test". Rows on neither side are null. A column of folds holds one run of pairs;
        a run ends where a validation set meets an earlier one of the run, as repeated k-fold does.
        The columns hold folds if, in every run, the training sets are all other rows that the run
        validates. Otherwise, they hold parts.

    Raises
    ------
    StratError
        If there are no pairs, if a position is out of range, twice on one side or on both sides, if
        a side is empty, if a mask does not have the length of the frame, or if there would be more
        than 10,000 columns.

    See Also
    --------
    cv : Give the pairs back, as in `cv()` of folds, `cv(nulls="drop")` of folds with nulls, and
        `cv(names, train="train", valid="test", nulls="drop")` of parts.
    check : Check whether the columns are fit for use.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": range(4)})
    >>> sf.from_splits(df, [([0, 1], [2, 3]), ([2, 3], [0, 1])])["fold"].tolist()
    [1, 1, 0, 0]
    >>> sf.from_splits(df, [([0, 1], [2, 3])])["split"].tolist()
    ['train', 'train', 'test', 'test']
    """
    check_rows(frame, "`from_splits` reads positions of rows", "`kfold` and `split` need none")
    frames.check_frame(frame)
    rows: Any = frame
    if frames.libraries.is_lazy(rows):
        msg = (
            "`from_splits` reads positions of rows, which a lazy frame does not have."
            "\nHint: collect the query first, as in `df.collect()`."
        )
        raise StratError(msg)
    overwrite = check_flag("overwrite", overwrite)
    if name is not None:
        check_name(name)
    n_rows = len(rows)
    pairs = list(read_pairs(splits, n_rows))
    if not pairs:
        msg = f"`splits` must hold at least one pair of row positions, got none.{HOW_TO}"
        raise StratError(msg)
    columns = new_columns(pairs, n_rows, name)
    names = [column.name for column in columns]
    frames.check_refs(rows, {}, names, overwrite=overwrite)
    added: Any = frames.attach.attach_columns(rows, columns)
    return cast("AnyFrameT", added)


def new_columns(pairs: Sequence[Pair], n_rows: int, name: str | None) -> list[NewColumn]:
    """Make a column of folds for each run of pairs or, if this is impossible, parts for each."""
    runs = cut_runs(pairs, n_rows)
    labels = None
    if all(is_cross_validation(run, n_rows) for run in runs):
        base = name or "fold"
        columns = [number_folds(run, n_rows) for run in runs]
    else:
        base = name or "split"
        labels = PARTS
        if len(pairs) > MAX_REPEATS:
            raise StratError(above_limit("`splits`", MAX_REPEATS, "column", len(pairs)))
        columns = [number_parts(pair, n_rows) for pair in pairs]
    if len(columns) > MAX_REPEATS:
        raise StratError(above_limit("`splits`", MAX_REPEATS, "column", len(columns)))
    names = [base]
    if len(columns) > 1:
        names = [f"{base}_{number}" for number in range(1, len(columns) + 1)]
    has_nulls = any((codes < 0).any() for codes in columns)
    return [
        NewColumn(each, codes, labels, nullable=has_nulls)
        for each, codes in zip(names, columns, strict=True)
    ]


# Pairs as columns ------------------------------------------------------------------------


def cut_runs(pairs: Sequence[Pair], n_rows: int) -> list[list[Pair]]:
    """Cut the pairs into runs, in each of which no row is validated twice."""
    runs: list[list[Pair]] = []
    is_validated = np.ones(n_rows, dtype=np.bool_)
    for pair in pairs:
        if is_validated[pair.valid].any():
            runs.append([])
            is_validated = np.zeros(n_rows, dtype=np.bool_)
        runs[-1].append(pair)
        is_validated[pair.valid] = True
    return runs


def is_cross_validation(run: Sequence[Pair], n_rows: int) -> bool:
    """Return whether each pair of a run trains on all rows that the other pairs validate."""
    folds = number_folds(run, n_rows)
    is_validated = folds >= 0
    is_training = is_validated.copy()
    for pair in run:
        is_training[pair.valid] = False
        if not np.array_equal(pair.train, np.packbits(is_training)):
            return False
        is_training[pair.valid] = True
    return True


def number_folds(run: Sequence[Pair], n_rows: int) -> Ints:
    folds = np.full(n_rows, -1, dtype=np.int64)
    for fold, pair in enumerate(run):
        folds[pair.valid] = fold
    return folds


def number_parts(pair: Pair, n_rows: int) -> Ints:
    """Number training rows 0, validation rows 1 and all other rows -1."""
    parts = np.full(n_rows, -1, dtype=np.int64)
    parts[np.unpackbits(pair.train, count=n_rows) == 1] = 0
    parts[pair.valid] = 1
    return parts


# Reading pairs ---------------------------------------------------------------------------


def read_pairs(splits: Any, n_rows: int) -> Iterator[Pair]:
    """Check the pairs one by one, and yield them."""
    if not is_iterable(splits):
        msg = f"`splits` must hold pairs of row positions, got {describe_splits(splits)}.{HOW_TO}"
        raise StratError(msg)
    for place, pair in enumerate(splits):
        if not is_pair(pair):
            msg = (
                f"{name_pair(place)} must be the positions of training and of validation rows, got"
                f" {describe(pair)}.{HOW_TO}"
            )
            raise StratError(msg)
        train = flag_rows(pair[0], f"{name_pair(place)}, training side,", n_rows)
        valid = flag_rows(pair[1], f"{name_pair(place)}, validation side,", n_rows)
        both = np.flatnonzero(train & valid)
        if len(both):
            msg = f"{name_pair(place)} must not have a row on both sides, got position {both[0]}."
            raise StratError(msg)
        yield Pair(np.packbits(train), np.flatnonzero(valid))


def is_iterable(value: Any) -> bool:
    if isinstance(value, str | bytes | dict) or frames.is_frame(value):
        return False
    try:
        iter(value)
    except TypeError:  # an array without dimensions has the method, but raises
        return False
    return True


def describe_splits(value: Any) -> str:
    if callable(value):
        return "a method without its parentheses"
    if hasattr(value, "split") and not isinstance(value, str | bytes):
        return f"a splitter, {type(value).__name__}"
    return describe(value)


def name_pair(place: int) -> str:
    return f"Pair {place} of `splits`"


def is_pair(value: Any) -> bool:
    """Return whether a value consists of two columns, and not of frames or numbers."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        return False
    return all(is_column(side) for side in value)


def is_column(value: Any) -> bool:
    try:
        return np.ndim(value) == 1
    except (TypeError, ValueError):  # lists of unequal lengths
        return False


def flag_rows(side: Any, subject: str, n_rows: int) -> Flags:
    """Flag the rows of one side of a pair, which are given as positions or as a mask."""
    if frames.libraries.is_index(side):
        msg = (
            f"{subject} must hold positions, got an index, which holds labels.\nHint:"
            " `df.index.get_indexer(labels)` gives the positions of labels."
        )
        raise StratError(msg)
    values = np.asarray(side)
    if not len(values):
        msg = f"{subject} must have at least one row, got none."
        raise StratError(msg)
    if values.dtype == np.bool_:
        if len(values) != n_rows:
            n_flags = f"{len(values):,}"
            msg = f"{subject} must have a flag for each of {plural(n_rows, 'row')}, got {n_flags}."
            raise StratError(msg)
        if not values.any():
            msg = f"{subject} must have at least one row, got a mask without any."
            raise StratError(msg)
        mask: Flags = values
        return mask
    if values.dtype.kind not in "iu":
        msg = f"{subject} must hold whole numbers or a mask, got {values.dtype}."
        raise StratError(msg)
    outside = values[(values < 0) | (values >= n_rows)]
    if len(outside):
        msg = f"{subject} must hold positions from 0 to {n_rows - 1}, got {outside[0]}."
        raise StratError(msg)
    counts = np.bincount(values.astype(np.int64), minlength=n_rows)
    repeated = np.flatnonzero(counts > 1)
    if len(repeated):
        msg = f"{subject} must hold each position once, got {repeated[0]} twice."
        raise StratError(msg)
    flags: Flags = counts == 1
    return flags
