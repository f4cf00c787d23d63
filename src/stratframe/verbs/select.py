"""Use a fold or part column: `folds`, `parts`, `cv`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_each_once, check_one_of, is_hashable
from ..core.types import Flags, Ints
from ..errors import (
    StratError,
    at_least_one,
    describe,
    plural,
    preview,
    with_full_stop,
)
from ..frames import AnyFrameT, FoldValues, Frame
from .sides import Side, check_rows, side_of

Nulls: TypeAlias = Literal["error", "train", "drop"]
"""How rows without a fold are treated."""


class Fold(NamedTuple, Generic[AnyFrameT]):
    """One fold and its training and validation frames."""

    fold: Any
    """The number of the fold, as in the column."""
    train: AnyFrameT
    """The rows of all other folds."""
    valid: AnyFrameT
    """The rows of this fold."""


def folds(
    frame: AnyFrameT, name: str | Sequence[str] = "fold", *, nulls: Nulls = "error"
) -> Iterator[Fold[AnyFrameT]]:
    """Iterate over the folds of a column: fold, train and valid frames.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask, Spark or pandas-on-Spark frame
        A Polars lazy frame runs one small query for the folds, and yields lazy frames.
    name : str or list of str
        The fold column; for a list, all folds of each column in turn.
    nulls : {"error", "train", "drop"}
        Rows without a fold raise an error, are in every training frame, or in none.

    Yields
    ------
    Fold
        In the order of the fold numbers; rows keep their order.

    Raises
    ------
    StratError
        If the column does not exist, has a single fold, or has nulls that `nulls` does not
        allow.

    Notes
    -----
    On Dask and Spark frames the folds are counted when this is called; the frames of each fold
    are lazy.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [1, 2, 3], "fold": [0, 1, 0]})
    >>> for fold in sf.folds(df):
    ...     print(fold.fold, fold.train["x"].tolist(), fold.valid["x"].tolist())
    0 [2] [1, 3]
    1 [1, 3] [2]
    """
    check_one_of("nulls", nulls, get_args(Nulls))
    side, names = named_side(frame, name)
    columns = [(column, side.fold_values(column)) for column in names]
    for column, found in columns:
        check_folds(column, found, nulls)
    return (
        Fold(
            fold,
            side.select(column, fold, equal=False, nulls=nulls == "train"),
            side.select(column, fold, equal=True),
        )
        for column, found in columns
        for fold in found.values
    )


def check_folds(column: str, found: FoldValues, nulls: Nulls) -> None:
    """Raise if rows without a fold are not allowed, or if a training set would be empty."""
    if found.n_nulls and nulls == "error":
        msg = (
            f"Column {column!r} must give every row a fold, but {plural(found.n_nulls, 'row')}"
            f" {'has' if found.n_nulls == 1 else 'have'} none."
            '\nHint: `nulls="train"` keeps them in every training set, `nulls="drop"` in none.'
        )
        raise StratError(msg)
    if len(found.present) == 1 and not (found.n_nulls and nulls == "train"):
        msg = (
            f"Column {column!r} must have at least 2 folds, got {describe(found.present[0])} alone:"
            " its training set would be empty."
        )
        if found.n_nulls:
            msg += '\nHint: `nulls="train"` trains on the rows without a fold.'
        raise StratError(msg)


def named_side(frame: Any, name: object) -> tuple[Side[Any], list[Any]]:
    """List the names of fold columns, which must be there, and find the side of their frame."""
    side, names = side_of(frame), list_names(name)
    side.check_names(names)
    return side, names


def fold_names(frame: Frame, name: object) -> list[Any]:
    """List the names of fold columns, and check that they are there."""
    columns = list_names(name)
    frames.check_refs(frame, columns, "name")
    return columns


def list_names(name: object) -> list[Any]:
    """List the names of one or more fold columns."""
    return list(name) if isinstance(name, list | tuple) and name else [name]


def extended_names(name: object) -> list[Any]:
    """List the columns that a call extends, each once."""
    names = list_names(name)
    frames.check_names("name", names)
    check_each_once("`name`", "column", names)
    return names


def parts(
    frame: AnyFrameT, name: str = "split", names: Sequence[Any] | None = None
) -> dict[Any, AnyFrameT]:
    """Split a frame into a dict of frames, one per part.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask, Spark or pandas-on-Spark frame
        A Polars lazy frame runs one small query for the names, and returns lazy frames.
    name : str
        The part column.
    names : list of part names, optional
        The parts that the column must have, in the order of the result. By default all of
        them: categories in their order, numbers sorted, and text in the order train, valid
        (validation, val, dev), test, holdout, then others by first appearance.

    Returns
    -------
    dict of part name to frame
        In the order of the parts, including empty ones. Rows without a part are in no frame.

    Raises
    ------
    StratError
        If the column does not exist, or `names` has other names than the column.

    Notes
    -----
    On Dask and Spark frames the parts are counted when this is called; their frames are lazy.
    Spark has no categories and no order of rows: parts without rows are left out, and other names
    than train, valid, test and the like come in any order, unless `names` lists them.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": range(10)}).strat.split(parts={"train": 0.7, "test": 0.3})
    >>> {part: len(rows) for part, rows in sf.parts(df).items()}
    {'train': 7, 'test': 3}
    >>> test, train = sf.parts(df, names=["test", "train"]).values()
    >>> len(train)
    7
    """
    side, (column,) = named_side(frame, [name])
    if names is not None:
        check_part_names(names)
    found = side.fold_values(column, is_part=True)
    if names is not None:
        check_parts(name, found, names)
    chosen = found.values if names is None else names
    return {value: side.select(column, value, equal=True) for value in chosen}


def check_part_names(names: object) -> None:
    """Raise unless names of parts are a list, each of them once."""
    if not isinstance(names, list | tuple) or not all(map(is_hashable, names)):
        msg = f"`names` must be a list of part names, got {describe(names)}."
        raise StratError(msg)
    if not names:
        raise StratError(at_least_one("`names`", "part", names))
    check_each_once("`names`", "part", names)


def check_parts(column: str, found: FoldValues, names: Sequence[Any]) -> None:
    """Raise unless names are the parts of a column; those without rows may be left out."""
    unknown = [each for each in names if each not in found.values]
    unlisted = [each for each in found.present if each not in names]
    faults = []
    if unknown:
        faults.append(f"Column {column!r} has no part {list_values(unknown)}")
    if unlisted:
        faults.append(
            f"`names` must list every part of {column!r}, but lacks {list_values(unlisted)}"
        )
    if faults:
        has = f"Hint: the parts with rows are {list_values(found.present)}"
        raise StratError("\n".join(map(with_full_stop, [*faults, has])))


def list_values(values: Sequence[Any]) -> str:
    """List a few values as in code."""
    return preview(map(repr, values), len(values))


def cv(
    frame: Frame, name: str | Sequence[str] = "fold", *, nulls: Nulls = "error"
) -> list[tuple[Ints, Ints]]:
    """Convert fold columns to the pairs that scikit-learn takes as `cv=`.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        The fold column; for a list, the folds of each column in turn.
    nulls : {"error", "train", "drop"}
        As for `folds`.

    Returns
    -------
    list of (train, test)
        Arrays of row positions, int64, one pair for each fold.

    Raises
    ------
    StratError
        If the column does not exist, has a single fold, or has nulls that `nulls` does not
        allow.

    See Also
    --------
    FoldSplit : The same pairs one by one, which takes less memory if there are many folds.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> sf.cv(pd.DataFrame({"fold": [0, 1, 0]}))
    [(array([1]), array([0, 2])), (array([0, 2]), array([1]))]
    """
    check_rows(frame, "`cv` gives positions of rows", "`folds` gives frames")
    frames.check_frame(frame)
    check_one_of("nulls", nulls, get_args(Nulls))
    columns = fold_names(frame, name)
    eager = frames.collect_columns(frame, columns)
    series = [frames.read_fold_column(eager, column) for column in columns]
    return [
        pair
        for column, folds in zip(columns, series, strict=True)
        for pair in fold_pairs(read_fold_codes(column, folds, nulls), nulls)
    ]


class FoldCodes(NamedTuple):
    """A fold column whose rules were checked."""

    codes: Ints
    """The place of each row's fold in their order; -1 where it has none."""
    n_folds: int


def read_fold_codes(column: str, series: Any, nulls: Nulls) -> FoldCodes:
    """Encode the rows of a fold column by their fold, and check the folds."""
    # Every fold compares all codes, which takes as long as to read them: so they are small.
    values, codes = frames.fold_codes(series, small=True)
    check_folds(column, frames.count_values(values, codes), nulls)
    return FoldCodes(codes, len(values))


def fold_pairs(folds: FoldCodes, nulls: Nulls) -> Iterator[tuple[Ints, Ints]]:
    """Find the positions of the training and test rows of one fold after another."""
    codes, n_folds = folds
    for fold in range(n_folds):
        yield np.flatnonzero(training_rows(codes, fold, nulls)), np.flatnonzero(codes == fold)


def training_rows(codes: Ints, fold: int, nulls: Nulls) -> Flags:
    """Flag the training rows of a fold."""
    flags: Flags = codes != fold
    if nulls != "train":
        flags &= codes >= 0
    return flags
