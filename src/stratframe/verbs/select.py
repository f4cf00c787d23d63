"""Use a fold or part column: `folds`, `parts`, `cv`; draw a stratified `sample`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_each_once, check_int, check_one_of, check_seed
from ..core.deal import deal_by_rank
from ..core.quota import equal_allocation, proportional_allocation
from ..core.seeds import StreamTag, random_words, word_stream
from ..core.systematic import systematic_deal
from ..core.types import Flags, Ints
from ..errors import (
    StratError,
    at_least_one,
    at_most,
    describe,
    plural,
    preview,
    with_full_stop,
)
from ..frames import FoldValues, Frame, FrameT
from ..habits import answer_habits
from ..pipeline.deal import sort_rows
from ..pipeline.numbers import row_numbers
from ..pipeline.options import Options
from ..pipeline.strata import stratify
from ..pipeline.tables import table_verb
from ..terms.base import By
from ..terms.by import columns_of, require_by

Nulls: TypeAlias = Literal["error", "train", "drop"]
"""What becomes of rows without a fold."""

Allocation: TypeAlias = Literal["proportional", "equal"]
"""How a sample is shared out to strata."""


class Fold(NamedTuple, Generic[FrameT]):
    """One fold and its training and validation frames."""

    fold: Any
    """The number of the fold, as in the column."""
    train: FrameT
    """The rows of all other folds."""
    valid: FrameT
    """The rows of this fold."""


def folds(
    frame: FrameT, name: str | Sequence[str] = "fold", *, nulls: Nulls = "error"
) -> Iterator[Fold[FrameT]]:
    """Iterate over the folds of a column: fold, train and valid frames.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
        A lazy frame runs one small query for the folds, and yields lazy frames.
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

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [1, 2, 3], "fold": [0, 1, 0]})
    >>> for fold in sf.folds(df):
    ...     print(fold.fold, fold.train["x"].tolist(), fold.valid["x"].tolist())
    0 [2] [1, 3]
    1 [1, 3] [2]
    """
    columns = fold_columns(frame, name, nulls)
    return (
        Fold(
            fold,
            frames.filter_other(frame, column, fold, nulls=nulls == "train"),
            frames.filter_equal(frame, column, fold),
        )
        for column, values in columns
        for fold in values
    )


def fold_columns(
    frame: Frame, name: str | Sequence[str], nulls: Nulls
) -> list[tuple[str, list[Any]]]:
    """List the fold columns, each with its folds, and check them."""
    frames.check_frame(frame)
    check_one_of("nulls", nulls, get_args(Nulls))
    found = []
    for column in fold_names(frame, name):
        values = frames.fold_values(frame, column)
        check_folds(column, values, nulls)
        found.append((column, values.values))
    return found


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
            f"Column {column!r} must have at least 2 folds, got {found.present[0]!r} alone:"
            " its training set would be empty."
        )
        if found.n_nulls:
            msg += '\nHint: `nulls="train"` trains on the rows without a fold.'
        raise StratError(msg)


def fold_names(frame: Frame, name: object) -> list[Any]:
    """List the names of fold columns, and check that they are there."""
    columns = list_names(name)
    frames.check_refs(frame, columns, "name")
    return columns


def list_names(name: object) -> list[Any]:
    """List the names of one or more fold columns."""
    return list(name) if isinstance(name, list | tuple) and name else [name]


def parts(
    frame: FrameT, name: str = "split", names: Sequence[Any] | None = None
) -> dict[Any, FrameT]:
    """Split a frame into a dict of frames, one per part.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
        A lazy frame runs one small query for the names, and returns lazy frames.
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
    frames.check_frame(frame)
    frames.check_refs(frame, [name], "name")
    if names is not None:
        check_part_names(names)
    found = frames.part_values(frame, name)
    if names is not None:
        check_parts(name, found, names)
    chosen = found.values if names is None else names
    return {value: frames.filter_equal(frame, name, value) for value in chosen}


def check_part_names(names: object) -> None:
    """Raise unless names of parts are a list, each of them once."""
    if not isinstance(names, list | tuple) or not all(isinstance(each, Hashable) for each in names):
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

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> sf.cv(pd.DataFrame({"fold": [0, 1, 0]}))
    [(array([1]), array([0, 2])), (array([0, 2]), array([1]))]
    """
    frames.check_frame(frame)
    check_one_of("nulls", nulls, get_args(Nulls))
    columns = fold_names(frame, name)
    eager = frames.collect_columns(frame, columns)
    series = [frames.read_fold_column(eager, column) for column in columns]
    return [
        pair
        for column, folds in zip(columns, series, strict=True)
        for pair in fold_pairs(column, folds, nulls)
    ]


def fold_pairs(column: str, series: Any, nulls: Nulls) -> list[tuple[Ints, Ints]]:
    """List the positions of the training and test rows of each fold."""
    # Every fold compares all codes, which takes as long as to read them: so they are small.
    values, codes = frames.fold_codes(series, small=True)
    tests = [np.flatnonzero(codes == fold) for fold in range(len(values))]
    sizes = [len(test) for test in tests]
    check_folds(column, FoldValues(values, sizes, len(codes) - sum(sizes)), nulls)
    return [
        (np.flatnonzero(training_rows(codes, fold, nulls)), test) for fold, test in enumerate(tests)
    ]


def training_rows(codes: Ints, fold: int, nulls: Nulls) -> Flags:
    """Flag the training rows of a fold."""
    flags: Flags = codes != fold
    if nulls != "train":
        flags &= codes >= 0
    return flags


@table_verb
@answer_habits
def sample(
    frame: Frame,
    by: By,
    *,
    n: int | None = None,
    frac: float | None = None,
    allocation: Allocation = "proportional",
    seed: int | None = 0,
) -> Any:
    """Draw a stratified sample of rows, in their original order.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries
        As for `kfold`. Missing values are a stratum of their own.
    n : int, optional
        Number of rows. Give exactly one of `n` and `frac`.
    frac : float, optional
        Share of the rows, from 0 to 1; the sample has `round(frac * n_rows)` rows.
    allocation : {"proportional", "equal"}
        Rows of each stratum: in proportion to its size (by largest remainder), or the same
        number for all, where the other strata make up for those that are too small.
    seed : int or None
        The same seed gives the same sample. None draws a new one.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        Of a lazy frame, the collected sample.

    Raises
    ------
    StratError
        If an argument breaks a rule.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a"] * 8 + ["b"] * 4})
    >>> sf.sample(df, "label", n=3)["label"].tolist()
    ['a', 'a', 'b']
    """
    frames.check_frame(frame)
    entries = require_by(by)
    if (n is None) == (frac is None):
        msg = f"Exactly one of `n` and `frac` must be given, got n={n!r} and frac={frac!r}."
        raise StratError(msg)
    if entries.one_by_one:
        msg = "`sample` does not support `sf.margins` in `by`."
        raise StratError(msg)
    check_one_of("allocation", allocation, get_args(Allocation))
    columns = columns_of(entries.terms)
    frames.check_refs(frame, columns, "by")
    size = check_frac(frac) if n is None else check_int("n", n, 0)
    options = Options(entries.terms, seed=check_seed(seed))

    def choose(series: list[Any]) -> Flags:
        return choose_rows(options, series, size, allocation)

    return frames.filter_rows(frame, columns, choose)


def check_frac(frac: object) -> Fraction:
    """Check a share of the rows."""
    if (
        isinstance(frac, bool)
        or not isinstance(frac, int | float | Fraction | np.floating)
        or not 0 <= frac <= 1
    ):
        msg = f"`frac` must be a number from 0 to 1, got {frac!r}."
        raise StratError(msg)
    exact = frac if isinstance(frac, int | Fraction) else float(frac)
    return Fraction(exact).limit_denominator(10**12)


def choose_rows(
    options: Options, series: Sequence[Any], size: int | Fraction, allocation: Allocation
) -> Flags:
    """Flag the rows of a sample.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    n_rows = len(series[0])
    first, second = (
        word_stream(options.seed, tag) for tag in (StreamTag.SAMPLE_ROWS, StreamTag.SAMPLE_SPREAD)
    )
    total = round(size * n_rows) if isinstance(size, Fraction) else size
    if total > n_rows:
        raise StratError(at_most("`n`", "the number of rows", f"{total:,}", n_rows, "row"))
    strata = stratify(options, series, n_rows)
    sizes = strata.sizes
    allocate = proportional_allocation if allocation == "proportional" else equal_allocation
    taken = allocate(sizes, total, random_words(options.seed, StreamTag.SAMPLE_QUOTA, len(sizes)))
    table = np.column_stack([taken, sizes - taken])
    share = Fraction(max(min(total, n_rows - total), 1), max(n_rows, 1))
    if strata.order is None:
        numbers, second_numbers = row_numbers(None, n_rows, first, second)
        return np.equal(deal_by_rank(strata.codes, table, numbers, second_numbers), 0)
    rows = sort_rows(strata, first(n_rows), share)
    return np.equal(systematic_deal(rows, table, second(table.size + n_rows)), 0)
