"""Columns of the pairs that splitters give."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import model_selection as ms

import stratframe as sf
from tests.helpers import refuse, values

Pairs = list[tuple[list[int], list[int]]]
LIBRARIES = [pd.DataFrame, pl.DataFrame]


def pairs_of(splits: Iterable[Any]) -> Pairs:
    """List the positions of pairs, ascending."""
    return [(sorted(map(int, train)), sorted(map(int, valid))) for train, valid in splits]


def rows(n_rows: int, library: Any = pd.DataFrame) -> Any:
    """Make a frame of so many rows; on pandas, labels of the index are no positions."""
    frame = library({"x": range(n_rows)})
    return frame.set_index(pd.Index(range(n_rows, 0, -1))) if library is pd.DataFrame else frame


def new_names(frame: Any) -> list[str]:
    """List the columns that a call has added."""
    return [name for name in frame.columns if name != "x"]


def give_back(frame: Any) -> Pairs:
    """Read the pairs of a frame with `cv`, whether they became folds or parts."""
    names = new_names(frame)
    if names[0].startswith("fold"):
        return pairs_of(sf.cv(frame, names, nulls="drop"))
    return pairs_of(sf.cv(frame, names, train="train", valid="test", nulls="drop"))


@pytest.mark.parametrize(
    ("splitter", "names"),
    [
        (ms.KFold(3), ["fold"]),
        (ms.GroupKFold(2), ["fold"]),
        (ms.LeaveOneOut(), ["fold"]),
        (ms.PredefinedSplit([0, 1, 2] * 4), ["fold"]),
        (ms.PredefinedSplit([0, 1, -1] * 4), ["split_1", "split_2"]),
        (ms.RepeatedKFold(n_splits=3, n_repeats=2), ["fold_1", "fold_2"]),
        (ms.ShuffleSplit(2, test_size=0.25), ["split_1", "split_2"]),
        (ms.StratifiedShuffleSplit(1, test_size=0.5), ["split"]),
        (ms.LeavePGroupsOut(2), ["split_1", "split_2", "split_3"]),
        (ms.TimeSeriesSplit(3), ["split_1", "split_2", "split_3"]),
    ],
    ids=str,
)
def test_splitters_of_scikit_learn(splitter: Any, names: list[str]) -> None:
    """Pairs become folds where each row is validated once, else parts; `cv` gives them back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `KFold` says that it ignores groups
        groups = [row // 4 for row in range(12)]
        splits = list(splitter.split(np.zeros((12, 1)), [0, 1] * 6, groups))

    frame = sf.from_splits(rows(12), splits)

    assert new_names(frame) == names
    assert give_back(frame) == pairs_of(splits)


@given(st.data())
def test_cv_gives_folds_back(data: Any) -> None:
    """Folds of some of the rows, in one column or several, come back from `cv` as they were."""
    n_rows = data.draw(st.integers(2, 15))
    splits = []
    for _ in range(data.draw(st.integers(1, 3))):
        n_folds = data.draw(st.integers(2, min(n_rows, 4)))
        some = data.draw(st.permutations(range(n_rows)))
        n_dealt = data.draw(st.integers(n_folds, n_rows))
        chosen = np.array(some[:n_dealt])
        parts = [chosen[fold::n_folds] for fold in range(n_folds)]
        splits += [(np.setdiff1d(chosen, part), part) for part in parts]

    for library in LIBRARIES:
        frame = sf.from_splits(rows(n_rows, library), splits)
        assert give_back(frame) == pairs_of(splits)


@given(st.data())
def test_cv_gives_parts_back(data: Any) -> None:
    """Any pairs of disjoint sets come back from `cv`."""
    n_rows = data.draw(st.integers(2, 10))
    sides = st.lists(st.integers(-1, 1), min_size=n_rows, max_size=n_rows)
    drawn = data.draw(st.lists(sides, min_size=1, max_size=4))
    assume(all({0, 1} <= {*each} for each in drawn))
    splits = [(np.flatnonzero(np.equal(each, 0)), np.equal(each, 1)) for each in drawn]

    for library in LIBRARIES:
        frame = sf.from_splits(rows(n_rows, library), splits)
        assert give_back(frame) == pairs_of((train, np.flatnonzero(mask)) for train, mask in splits)


@pytest.mark.parametrize("splitter", [ms.KFold(3), ms.RepeatedKFold(n_splits=3, n_repeats=2)])
def test_columns_are_like_those_of_kfold(splitter: Any) -> None:
    """Folds have the types of those that `kfold` adds, which are nullable where rows have none."""
    df = pd.DataFrame({"x": range(9)})
    whole = sf.from_splits(df, splitter.split(df))
    some = sf.from_splits(df, splitter.split(df[:8]))

    assert {str(whole[name].dtype) for name in new_names(whole)} == {"int64"}
    assert {str(some[name].dtype) for name in new_names(some)} == {"Int64"}
    assert values(some, new_names(some)[0])[8] is None
    polars = sf.from_splits(pl.DataFrame(df), splitter.split(df[:8]))
    assert {polars[name].dtype for name in new_names(polars)} == {pl.Int64()}


def test_parts_are_like_those_of_split() -> None:
    """Parts are "train" and "test" of the types of `split`; rows in neither are null."""
    pairs = [([3, 0], [1])]

    df = sf.from_splits(pd.DataFrame({"x": range(4)}), pairs)
    polars = sf.from_splits(pl.DataFrame({"x": range(4)}), pairs)

    assert df["split"].dtype == pd.CategoricalDtype(["train", "test"])
    assert polars["split"].dtype == pl.Enum(["train", "test"])
    assert values(df, "split") == values(polars, "split") == ["train", "test", None, "train"]
    assert len(sf.parts(df)["train"]) == 2


def test_names_and_overwrite() -> None:
    """Columns get the name of the call, with numbers if there are several."""
    df = pd.DataFrame({"x": range(4)})
    two_folds = [([0, 1], [2, 3]), ([2, 3], [0, 1])]

    assert new_names(sf.from_splits(df, two_folds, name="outer")) == ["outer"]
    several = sf.from_splits(df, two_folds * 2, name="outer")
    assert new_names(several) == ["outer_1", "outer_2"]
    once = sf.from_splits(df, two_folds[:1])
    other = sf.from_splits(once, [([1], [2])], overwrite=True)
    assert values(other, "split") == [None, "train", "test", None]
    with pytest.raises(sf.StratError, match="'split'"):
        sf.from_splits(once, two_folds[:1])


def test_any_column_of_positions_is_read() -> None:
    """Arrays, lists, ranges, series, masks and a generator of pairs are read alike."""
    df = pd.DataFrame({"x": range(4)})
    mask = [True, True, False, False]
    sides: list[Any] = [
        np.array([0, 1], dtype=np.uint8),
        range(2),
        (1, 0),
        pd.Series([0, 1], index=["a", "b"]),
        pl.Series([0, 1]),
        mask,
        np.array(mask),
    ]

    for side in sides:
        pairs = (pair for pair in [(side, [2, 3]), ([3, 2], side)])
        assert sf.from_splits(df, pairs)["fold"].tolist() == [1, 1, 0, 0]


def test_no_row_of_the_frame_is_touched() -> None:
    """The frame of the call keeps its index and attributes, and is not changed."""
    df = pd.DataFrame({"x": range(4)}, index=list("abba"))
    df.attrs["source"] = "a file"

    made = sf.from_splits(df, [([0, 1], [2])])

    assert made.index.equals(df.index)
    assert made.attrs == df.attrs
    assert list(df.columns) == ["x"]


DF = pd.DataFrame({"x": range(6)})
FIRST = "Pair 0 of `splits`"
HOW_TO = "\nHint: pass what a splitter gives, as in `df.strat.from_splits(cv.split(X, y))`."
OTHERS = [0, 1]
REFUSED: dict[str, tuple[Any, str]] = {
    "out_of_range": (
        [(OTHERS, [5]), (OTHERS, [6])],
        "Pair 1 of `splits`, validation side, must hold positions from 0 to 5, got 6.",
    ),
    "negative": (
        [([0, -1], [2])],
        f"{FIRST}, training side, must hold positions from 0 to 5, got -1.",
    ),
    "twice_as_in_a_bootstrap": (
        [([0, 3, 3], [2])],
        f"{FIRST}, training side, must hold each position once, got 3 twice.",
    ),
    "on_both_sides": (
        [(OTHERS, [2, 1])],
        f"{FIRST} must not have a row on both sides, got position 1.",
    ),
    "empty_side": (
        [(OTHERS, [])],
        f"{FIRST}, validation side, must have at least one row, got none.",
    ),
    "empty_mask": (
        [([False] * 6, [1])],
        f"{FIRST}, training side, must have at least one row, got a mask without any.",
    ),
    "mask_of_another_length": (
        [([True, False], [1])],
        f"{FIRST}, training side, must have a flag for each of 6 rows, got 2.",
    ),
    "no_pairs": ([], f"`splits` must hold at least one pair of row positions, got none.{HOW_TO}"),
    "labels_of_an_index": (
        [(DF.index[:2], [3])],
        f"{FIRST}, training side, must hold positions, got an index, which holds labels.\nHint:"
        " `df.index.get_indexer(labels)` gives the positions of labels.",
    ),
    "floats": (
        [([0.0], [1])],
        f"{FIRST}, training side, must hold whole numbers or a mask, got float64.",
    ),
    "splitter": (
        ms.KFold(5),
        f"`splits` must hold pairs of row positions, got a splitter, KFold.{HOW_TO}",
    ),
    "method": (
        ms.KFold(5).split,
        f"`splits` must hold pairs of row positions, got a method without its parentheses.{HOW_TO}",
    ),
    "text": ("fold", f"`splits` must hold pairs of row positions, got 'fold'.{HOW_TO}"),
    "number": (5, f"`splits` must hold pairs of row positions, got 5.{HOW_TO}"),
    "pair_without_a_list": (
        ([0, 1], [2, 3]),
        f"{FIRST} must be the positions of training and of validation rows, got [0, 1].{HOW_TO}",
    ),
    "three_sides": (
        [([0], [1], [2])],
        f"{FIRST} must be the positions of training and of validation rows, got ([0], [1], [2])."
        f"{HOW_TO}",
    ),
    "frames": (
        [(DF[:3], DF[3:])],
        f"{FIRST} must be the positions of training and of validation rows, got (DataFrame,"
        f" DataFrame).{HOW_TO}",
    ),
    "too_many": (
        [([0], [1])] * 10_001,
        "`splits` must not exceed 10,000 columns, got 10,001.",
    ),
}


@pytest.mark.parametrize("cause", REFUSED)
def test_wrong_pairs(cause: str) -> None:
    """A wrong pair is refused with its number and the position at fault."""
    splits, message = REFUSED[cause]

    refuse(message, lambda: sf.from_splits(DF, splits))


FRAMES: dict[str, tuple[Callable[[], Any], str]] = {
    "lazy": (
        lambda: pl.LazyFrame({"x": [1, 2]}),
        "`from_splits` reads positions of rows, which a lazy frame does not have."
        "\nHint: collect the query first, as in `df.collect()`.",
    ),
    "dask": (
        lambda: pytest.importorskip("dask.dataframe").from_pandas(DF, npartitions=1),
        "`from_splits` reads positions of rows, which is not possible on Dask frames."
        "\nHint: `kfold` and `split` need none.",
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_without_positions(kind: str) -> None:
    """Rows of lazy frames and of engines have no positions."""
    make_frame, message = FRAMES[kind]
    frame = make_frame()

    refuse(message, lambda: sf.from_splits(frame, [([0], [1])]))
