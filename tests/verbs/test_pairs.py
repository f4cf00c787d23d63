"""Which labels train: the rest, the past, labels by name, and rows apart."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneGroupOut, TimeSeriesSplit

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, make, refuse_now, refused, values, warned

READERS = {
    "folds": sf.folds,
    "cv": sf.cv,
    "FoldSplit": lambda df, name="fold", **rule: sf.FoldSplit(name, **rule).split(df),
}

BLOCKS: dict[str, Callable[[int], Any]] = {
    "numbers": lambda block: block * 3 - 11,
    "fractions": lambda block: block / 4,
    "days": lambda block: dt.date(2023, 12, 25) + dt.timedelta(days=5 * block),
    "times": lambda block: dt.datetime(2023, 12, 31, 20) + dt.timedelta(hours=3 * block),
    "durations": lambda block: dt.timedelta(hours=9 * block),
    "months": lambda block: f"{2023 + block // 12}-{block % 12 + 1:02}",
    "ISO dates": lambda block: str(dt.date(2023, 12, 25) + dt.timedelta(days=5 * block)),
}

BLOCK_OF_ROW = st.lists(st.integers(0, 6), min_size=2, max_size=24)
Pair = tuple[list[int], list[int]]


def listed(pairs: Any) -> list[Pair]:
    return [(train.tolist(), test.tolist()) for train, test in pairs]


def read_all(df: Any, name: Any, **rule: Any) -> list[Pair]:
    """List the pairs of a frame with the column `row`, which all three readers must agree on."""
    pairs = listed(sf.cv(df, name, **rule))
    folds = sf.folds(df, name, **rule)
    assert [(values(each.train, "row"), values(each.valid, "row")) for each in folds] == pairs
    splitter = sf.FoldSplit(name, **rule)
    assert listed(splitter.split(df)) == pairs
    assert splitter.get_n_splits(df) == len(pairs)
    return pairs


def rows_of(blocks: list[int], chosen: Any) -> list[int]:
    wanted = set(np.atleast_1d(chosen).tolist())
    return [row for row, block in enumerate(blocks) if block in wanted]


@pytest.mark.parametrize("labels", BLOCKS)
@pytest.mark.parametrize("kind", TWO_KINDS)
@given(BLOCK_OF_ROW, st.integers(0, 3), st.none() | st.integers(1, 4))
@settings(max_examples=12)
def test_the_past_is_that_of_time_series_split(kind, labels, blocks, gap, window):
    """Blocks train and test as in scikit-learn, whatever the order of the rows."""
    present = np.unique(blocks)
    assume(len(present) > gap + 2)  # it makes 2 splits at least
    options: dict[str, Any] = {"test_size": 1, "gap": gap, "max_train_size": window}
    theirs = TimeSeriesSplit(len(present) - gap - 1, **options).split(present)
    expected = [(rows_of(blocks, present[a]), rows_of(blocks, present[b])) for a, b in theirs]
    column = [BLOCKS[labels](block) for block in blocks]
    df = make(kind, {"row": list(range(len(blocks))), "block": column})
    assert read_all(df, "block", train="past", gap=gap, window=window) == expected


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(BLOCK_OF_ROW, st.integers(0, 2))
def test_the_rest_without_neighbours(kind: str, blocks: list[int], gap: int) -> None:
    """A gap leaves out neighbours on both sides; without one each block is left out by itself."""
    present = np.unique(blocks).tolist()
    expected = []
    for place, block in enumerate(present):
        near = present[max(place - gap, 0) : place + gap + 1]
        expected.append((rows_of(blocks, sorted(set(present) - set(near))), rows_of(blocks, block)))
    assume(len(present) > 1 and all(train for train, _ in expected))
    df = make(kind, {"row": list(range(len(blocks))), "block": blocks})
    assert read_all(df, "block", gap=gap) == expected
    if not gap:
        assert expected == listed(LeaveOneGroupOut().split(blocks, groups=blocks))


MONTHS = ["Jan", "Feb", "Mar", "Apr", "May"]
NAMES = ["Apr", "Jan", "Mar", "Jan"]
ORDERED = {
    "categories": pd.Series(pd.Categorical(NAMES, MONTHS, ordered=True)),
    "Enum": pl.Series(NAMES, dtype=pl.Enum(MONTHS)),
    "periods": pd.Series(pd.PeriodIndex(["2024-03", "2024-01", "2024-02", "2024-01"], freq="M")),
    "categories of numbers": pd.Series(pd.Categorical([30, 10, 20, 10], [20, 30, 10])),
}


@pytest.mark.parametrize("case", ORDERED)
def test_labels_in_an_order_of_their_own(case: str) -> None:
    """Labels come in the order of their type; categories of numbers without one by their size."""
    column = ORDERED[case]
    library: Any = pd if isinstance(column, pd.Series) else pl
    df = library.DataFrame({"row": range(4), "month": column})
    for frame in (df,) if library is pd else (df, df.lazy()):
        assert read_all(frame, "month", train="past") == [([1, 3], [2]), ([1, 2, 3], [0])]


def test_labels_that_differ_by_nanoseconds() -> None:
    """Lazy frames tell apart times that Python takes for equal."""
    times = pl.Series("time", [2000, 1000, 1500, 1000]).cast(pl.Datetime("ns"))
    df = pl.LazyFrame([pl.Series("row", range(4)), pl.Series("fold", [0, 0, 1, 1]), times])
    folds = sf.folds(df, apart="time")
    assert [values(fold.train, "row") for fold in folds] == [[2], [0]]


MIXED = {
    "row": range(6),
    "split": ["train", "valid", "test", "train", None, "test"],
    "block": [1, 3, 7, 8, None, None],
    "back": [8, 7, 3, 1, None, None],
    "when": ["past", "rest", "now", None, None, None],
    "one": [None, 0, None, 0, None, 0],
    "month": ["2024-02", "2024-01", "2024-04", "2024-03", None, None],
    "user": ["a", "b", "a", "c", None, None],
}


@pytest.mark.parametrize(
    ("name", "rule", "expected"),
    [
        pytest.param(
            "split",
            {"train": "train", "valid": ["test", "valid"]},
            [([0, 3], [2, 5]), ([0, 3], [1])],
            id="two_parts_in_the_order_named",
        ),
        pytest.param(
            "split",
            {"train": ["train"]},
            [([0, 3], [1]), ([0, 3], [2, 5])],
            id="one_part_for_all_others",
        ),
        pytest.param(
            "split",
            {"train": ["train", "valid"], "valid": "test"},
            [([0, 1, 3], [2, 5])],
            id="two_parts_train_for_the_third",
        ),
        pytest.param(
            "split",
            {"train": ["train", "valid"], "valid": ["valid"]},
            [([0, 3], [1])],
            id="a_part_that_trains_but_not_for_itself",
        ),
        pytest.param(
            "split", {"valid": "test"}, [([0, 1, 3], [2, 5])], id="all_others_for_one_part"
        ),
        pytest.param(
            "split",
            {"valid": ["test", "train", "valid"]},
            [([0, 1, 3], [2, 5]), ([1, 2, 5], [0, 3]), ([0, 2, 3, 5], [1])],
            id="all_parts_in_the_order_named",
        ),
        pytest.param(
            "split",
            {"train": "train", "valid": "test", "nulls": "train"},
            [([0, 3, 4], [2, 5])],
            id="rows_without_a_label_train",
        ),
        pytest.param(
            "split",
            {"train": "test", "valid": "test", "nulls": "train"},
            [([4], [2, 5])],
            id="rows_without_a_label_are_all_that_train",
        ),
        pytest.param(
            "block",
            {"train": "past", "gap": 1},
            [([0], [2]), ([0, 1], [3])],
            id="absent_blocks_are_no_gap",
        ),
        pytest.param(
            ["block", "back"],
            {"train": "past", "gap": 2},
            [([0], [3]), ([3], [0])],
            id="two_columns",
        ),
        pytest.param(
            "when", {"train": ["past"], "valid": "now"}, [([0], [2])], id="a_label_called_past"
        ),
        pytest.param(
            "when",
            {"train": "rest", "valid": "past"},
            [([1, 2], [0])],
            id="rest_where_a_label_is_called_rest",
        ),
        pytest.param(
            "block",
            {"train": np.int64(1), "valid": (np.int8(3),)},
            [([0], [1])],
            id="numbers_of_numpy",
        ),
        pytest.param(
            "month",
            {"train": "past", "valid": ["2024-04", "2024-02"]},
            [([0, 1, 3], [2]), ([1], [0])],
            id="past_of_named_labels",
        ),
        pytest.param(
            "one",
            {"nulls": "train"},
            [([0, 2, 4], [1, 3, 5])],
            id="every_set_has_rows_without_a_label",
        ),
        pytest.param(
            "block",
            {"train": "past", "apart": "user", "valid": [7, 8]},
            [([1], [2]), ([0, 1, 2], [3])],
            id="past_and_apart_of_named_labels",
        ),
    ],
)
def test_pairs_of_a_call(
    frame: Make, name: Any, rule: dict[str, Any], expected: list[Pair]
) -> None:
    """Named labels train, but never for themselves; others are validated in the order named."""
    assert read_all(frame(MIXED), name, **{"nulls": "drop", **rule}) == expected


def apart_by_hand(data: dict[str, list[Any]], apart: list[str]) -> list[Pair]:
    folds = data["fold"]
    pairs = []
    for fold in sorted(set(folds)):
        valid = [row for row, each in enumerate(folds) if each == fold]
        held = {name: {data[name][row] for row in valid} - {None} for name in apart}
        others = [row for row, each in enumerate(folds) if each != fold]
        train = [row for row in others if not any(data[name][row] in held[name] for name in apart)]
        pairs.append((train, valid))
    return pairs


VALUES = {
    "site": st.none() | st.sampled_from(["a", "b", "c", "d"]),
    "time": st.none() | st.integers(0, 5),
    "day": st.none() | st.dates(dt.date(2024, 1, 1), dt.date(2024, 1, 4)),
    "size": st.none() | st.sampled_from([0.5, 1.5, -0.25]),
}


@pytest.mark.parametrize("apart", [["site"], ["time"], ["day"], ["size"], ["site", "time", "day"]])
@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.filterwarnings("ignore:`apart` leaves less than half")
@given(data=st.data(), folds=st.lists(st.integers(0, 2), min_size=3, max_size=16))
@settings(max_examples=12)
def test_apart_by_sets(kind: str, apart: list[str], data: st.DataObject, folds: list[int]) -> None:
    """No training row shares a value with a row to validate; missing values match nothing."""
    assume(len(set(folds)) > 1)
    columns: dict[str, list[Any]] = {"row": list(range(len(folds))), "fold": folds}
    for name in apart:
        size = {"min_size": len(folds), "max_size": len(folds)}
        columns[name] = data.draw(st.lists(VALUES[name], **size))
    assume(all(any(each is not None for each in columns[name]) for name in apart))
    df = make(kind, columns)
    expected = apart_by_hand(columns, apart)
    if all(train for train, _ in expected):
        for names in (apart, apart[0] if len(apart) == 1 else tuple(apart)):
            assert read_all(df, "fold", apart=names) == expected
    else:
        for read in READERS.values():
            with pytest.raises(sf.StratError, match="must leave rows to train on"):
                read(df, apart=apart)


def test_few_rows_left_are_one_warning(frame: Make) -> None:
    """One warning names the pair that keeps the smallest share of its training rows."""
    data = {"row": range(8), "fold": [0, 0, 1, 1, 2, 2, 2, 2], "user": list("abaeabcd")}
    message = (
        "`apart` leaves less than half of the training rows in 1 of 3 pairs, and in the worst"
        " only 1 of 4 rows for label 2 of 'fold'."
    )
    for read in READERS.values():
        pairs = warned(message, lambda read=read: list(read(frame(data), apart="user")))
        assert len(pairs) == 3
    splitter = sf.FoldSplit(apart="user")
    assert splitter.get_n_splits(frame(data)) == 3  # without a second warning


USERS = pd.DataFrame({"row": range(6), "fold": [0, 0, 1, 1, 2, 2], "user": list("aabbca")})


def test_apart_in_groups() -> None:
    """A splitter looks up the columns in `X`, or else in a frame of `groups`."""
    splitter = sf.FoldSplit(apart="user")

    in_groups = listed(splitter.split(np.zeros((6, 1)), groups=USERS))
    in_both = listed(splitter.split(USERS[["fold"]], groups=USERS[["user"]]))

    expected = listed(sf.cv(USERS, apart="user"))
    assert in_groups == expected
    assert in_both == expected


def test_apart_in_no_frame() -> None:
    """A column that is neither in `X` nor in `groups` is refused."""
    splitter = sf.FoldSplit(apart="user")

    refuse_now(
        "`FoldSplit` must find the column 'user' in `X` or `groups`, got ndarray and Series.\n"
        "Hint: pass a frame with the column.",
        lambda: splitter.split(np.zeros((6, 1)), groups=USERS["fold"]),
    )
    refuse_now(
        "`apart` names the column 'user', which the frame does not have.\n"
        "Hint: the columns are 'fold'.",
        lambda: splitter.split(USERS[["fold"]]),
    )


def test_apart_in_other_rows() -> None:
    """`X` and `groups` must have the same rows."""
    splitter = sf.FoldSplit(apart="user")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        splitter.split(USERS[["fold"]].head(3), groups=USERS[["user"]])


NUMBERS = {"row": range(4), "fold": [1, 2, 3, 3], "user": ["a", "b", "a", "b"]}


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param({"gap": -1}, id="argument"),
        pytest.param({"valid": 5}, id="label"),
        pytest.param({"apart": "usr"}, id="column"),
        pytest.param({"apart": "user"}, id="rows"),
    ],
)
def test_all_readers_refuse_the_same_rules(frame: Make, rule: dict[str, Any]) -> None:
    """A wrong rule is refused at the call, in the same words by all readers."""
    error = refused(lambda: sf.cv(pd.DataFrame(NUMBERS), **rule))

    for read in READERS.values():
        refuse_now(str(error), lambda read=read: read(frame(NUMBERS), **rule))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        pytest.param({"gap": -1}, "`gap` must be at least 0, got -1.", id="negative_gap"),
        pytest.param(
            {"train": "past", "window": 0},
            "`window` must be at least 1, got 0.",
            id="window_of_nothing",
        ),
        pytest.param(
            {"window": 2},
            "`window` goes with `train=\"past\"` only, got `train='rest'`.",
            id="window_of_the_rest",
        ),
        pytest.param(
            {"train": [1], "gap": 1},
            '`gap` goes with `train="rest"` and `train="past"` only, got `train=[1]`.\n'
            "Hint: leave the neighbours out of `train`.",
            id="gap_of_labels",
        ),
        pytest.param(
            {"train": "past", "nulls": "train"},
            '`nulls="train"` cannot be combined with `train="past"`: rows without a label'
            " have no place in the order.\n"
            'Hint: `nulls="drop"` leaves them out.',
            id="nulls_in_the_past",
        ),
        pytest.param(
            {"gap": 2, "nulls": "train"},
            '`nulls="train"` cannot be combined with `gap=2`: rows without a label have no'
            " place in the order.\n"
            'Hint: `nulls="drop"` leaves them out.',
            id="nulls_beside_a_gap",
        ),
        pytest.param(
            {"train": None},
            '`train` must be "rest", "past", a label or a list of labels, got None.',
            id="train_on_none",
        ),
        pytest.param(
            {"train": {1: 2}},
            '`train` must be "rest", "past", a label or a list of labels, got {1: 2}.',
            id="train_on_a_mapping",
        ),
        pytest.param(
            {"valid": [1, 2, 1]},
            "`valid` must hold each label once, got 1 twice.",
            id="validate_a_label_twice",
        ),
        pytest.param(
            {"train": "psat"},
            "`train` must be \"rest\", \"past\" or labels of 'fold', got 'psat'.\n"
            "Hint: the labels with rows are 1, 2, 3.",
            id="misspelt_past",
        ),
        pytest.param(
            {"valid": [2, 5, 6]},
            "`valid` must be labels of 'fold', got 5, 6.\nHint: the labels with rows are 1, 2, 3.",
            id="no_such_labels",
        ),
        pytest.param(
            {"train": [1, 2, 3]},
            "`train=[1, 2, 3]` must leave labels of 'fold' to validate on, but leaves none.",
            id="all_labels_train",
        ),
        pytest.param(
            {"train": "past", "gap": 2},
            "`train=\"past\"` with `gap=2` must leave labels of 'fold' to validate on, but"
            " leaves none.",
            id="no_label_has_a_past",
        ),
        pytest.param(
            {"train": "past", "gap": 10**40},
            "`train=\"past\"` with `gap=about 10**40` must leave labels of 'fold' to"
            " validate on, but leaves none.",
            id="gap_beyond_all_labels",
        ),
        pytest.param(
            {"train": 1, "valid": [2, 1]},
            "Label 1 of 'fold' must have labels to train on, but `train=[1]` leaves none.",
            id="a_label_has_none_to_train_on",
        ),
        pytest.param(
            {"gap": 1},
            "Label 2 of 'fold' must have labels to train on, but `gap=1` leaves none.",
            id="gap_leaves_none_to_train_on",
        ),
        pytest.param(
            {"train": "past", "valid": [3, 1]},
            "Label 1 of 'fold' must have labels to train on, but `train=\"past\"` leaves none.",
            id="first_label_has_no_past",
        ),
        pytest.param(
            {"apart": []}, "`apart` must hold column names, got [].", id="apart_in_nothing"
        ),
        pytest.param(
            {"apart": ["user", "user"]},
            "`apart` must hold each column once, got 'user' twice.",
            id="apart_in_a_column_twice",
        ),
        pytest.param(
            {"apart": "usr"},
            "`apart` names the column 'usr', which the frame does not have.\n"
            "Hint: did you mean 'user'?",
            id="misspelt_column",
        ),
    ],
)
def test_rules_that_are_broken(rule: dict[str, Any], message: str) -> None:
    """Arguments that are wrong, do not go together, or leave no labels are refused."""
    refuse_now(message, lambda: sf.folds(pd.DataFrame(NUMBERS), **rule))


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        pytest.param(
            {"apart": "user"}, "all 2 rows share a value in 'user'", id="all_rows_share_a_value"
        ),
        pytest.param(
            {"apart": ["user", "row"], "valid": 3},
            "all 2 rows share a value in 'user' or 'row'",
            id="all_rows_share_one_of_two_values",
        ),
        pytest.param(
            {"apart": "user", "train": 1, "valid": 3},
            "the only one shares a value in 'user'",
            id="the_only_row_shares_a_value",
        ),
    ],
)
def test_rows_that_cannot_be_kept_apart(rule: dict[str, Any], fault: str) -> None:
    """`apart` must leave rows to train on."""
    refuse_now(
        f"`apart` must leave rows to train on for label 3 of 'fold', but {fault} with a validation"
        " row.\nHint: make a column that keeps all rows with the same value in one fold, as in"
        " `kfold(groups='user')`.",
        lambda: sf.folds(pd.DataFrame(NUMBERS), **rule),
    )


ONE_FOLD = (
    "Column 'fold' must have at least 2 folds, but has only the label 3, whose training set would"
    " be empty."
)


@pytest.mark.parametrize(
    ("labels", "rule", "message"),
    [
        pytest.param(
            [None],
            {"nulls": "drop"},
            "Column 'fold' must have at least 2 folds, but no row has one.",
            id="no_folds",
        ),
        pytest.param([3, 3], {}, ONE_FOLD, id="one_fold"),
        pytest.param([3, 3], {"nulls": "train"}, ONE_FOLD, id="one_fold_that_trains_on_nulls"),
        pytest.param([3, None], {"nulls": "drop"}, ONE_FOLD, id="one_fold_and_a_row_without_one"),
        pytest.param(
            [0, 1, None],
            {"train": "past"},
            "Column 'fold' must give every row a fold, but 1 row has none.\n"
            'Hint: `nulls="drop"` leaves them out.',
            id="a_row_without_a_fold_in_an_order",
        ),
        pytest.param(
            [0, 1, None, None],
            {},
            "Column 'fold' must give every row a fold, but 2 rows have none.\n"
            'Hint: `nulls="drop"` leaves them out, and `nulls="train"` adds them to every'
            " training set.",
            id="rows_without_a_fold",
        ),
        pytest.param(
            [],
            {"valid": 1},
            "`valid` must be labels of 'fold', got 1.\nHint: the labels with rows are none.",
            id="no_rows_and_a_label",
        ),
    ],
)
def test_columns_without_enough_folds(
    frame: Make, labels: list[Any], rule: dict[str, Any], message: str
) -> None:
    """A column has two folds at least, and every row has one unless the call says otherwise."""
    refuse_now(message, lambda: sf.folds(frame({"fold": labels}), **rule))


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        pytest.param(["Apr", "Feb", "Jan"], "'Apr', 'Feb', 'Jan'", id="names_of_months"),
        pytest.param(
            ["2024-01", "2024-02", "2024-13"],
            "'2024-01', '2024-02', '2024-13'",
            id="a_month_that_no_year_has",
        ),
        pytest.param(
            ["2024-01", "2024-02", "2024-03-01"],
            "'2024-01', '2024-02', '2024-03-01'",
            id="months_and_a_date",
        ),
        pytest.param(
            pd.Categorical([1, dt.date(2024, 1, 1)]),
            "1, datetime.date(2024, 1, 1)",
            id="a_number_and_a_date",
        ),
    ],
)
def test_labels_without_an_order(labels: Any, shown: str) -> None:
    """Text has an order if all of it is ISO dates or all of it months; mixed types have none."""
    df = pd.DataFrame({"fold": labels})

    refuse_now(
        f"The labels of 'fold' must have an order for `train=\"past\"`, got {shown}.\n"
        "Hint: make them numbers, dates, ordered categories, or ISO dates or months as text,"
        " such as '2024-04'.",
        lambda: sf.folds(df, train="past"),
    )
    assert len(sf.cv(df)) == len(labels)  # where order does not matter


BY_FIRST = "`folds` takes the fold column first, and has no `by`."


@pytest.mark.parametrize(
    ("labels", "rule"),
    [
        pytest.param(["cat", "dog"], {"train": "past"}, id="no_order"),
        pytest.param(["cat", "cat"], {}, id="one_label"),
        pytest.param(["cat", "dog"], {"valid": 0}, id="no_such_label"),
    ],
)
def test_errors_on_labels_say_that_the_name_comes_first(
    labels: list[str], rule: dict[str, Any]
) -> None:
    """The error on a column that is unlike folds says that the fold column comes first."""
    species = refused(lambda: sf.folds(pd.DataFrame({"species": labels}), "species", **rule))
    folds = refused(lambda: sf.folds(pd.DataFrame({"fold": labels}), "fold", **rule))

    assert str(species).endswith(BY_FIRST)
    assert not str(folds).endswith(BY_FIRST)


LEVELS = pd.DataFrame(
    {
        ("plan", "fold"): [0, 1, 0, 1, None, None],
        ("plan", "site"): ["a", "b", "c", "a", "b", "c"],
        ("data", "label"): ["x", "y", "x", "y", "x", "y"],
    }
)
"""A frame whose columns have two levels, and are named by tuples."""

FOLD = ("plan", "fold")
SITE = ("plan", "site")
LABEL = ("data", "label")


def test_a_tuple_is_one_column() -> None:
    """`name` and `apart` may be tuples that name columns of several levels."""
    positions = sf.cv(LEVELS, FOLD, nulls="drop", apart=SITE)

    flat = pd.DataFrame({"fold": LEVELS[FOLD], "site": LEVELS[SITE]})
    assert listed(positions) == listed(sf.cv(flat, "fold", nulls="drop", apart="site"))
    folds = sf.folds(LEVELS, FOLD, nulls="drop", apart=SITE)
    assert [fold.name for fold in folds] == [FOLD, FOLD]


@pytest.mark.parametrize(
    ("name", "apart"),
    [pytest.param(FOLD, SITE, id="tuples"), pytest.param([FOLD], [SITE], id="lists")],
)
def test_a_splitter_takes_tuples(name: Any, apart: Any) -> None:
    """`FoldSplit` reads columns of several levels, in a list or alone."""
    splitter = sf.FoldSplit(name, nulls="drop", apart=apart)

    expected = sf.cv(LEVELS, FOLD, nulls="drop", apart=SITE)
    assert listed(splitter.split(LEVELS)) == listed(expected)


def test_tables_take_tuples() -> None:
    """Parts and tables may be of columns of several levels."""
    assert list(sf.parts(LEVELS, FOLD)) == [0, 1]
    assert len(sf.balance(LEVELS, LABEL, FOLD)) == 4
    assert sf.compare(LEVELS, LABEL, FOLD)["column"].tolist() == [str(FOLD)]


UNDEALT_LEVELS = pd.DataFrame({("a", "fold"): [0, 1, None, None], ("b", "x"): ["p", "p", "q", "q"]})


def test_extend_fills_a_column_of_several_levels() -> None:
    """`extend` takes the tuple that names a fold column."""
    filled = sf.extend(UNDEALT_LEVELS, ("b", "x"), name=("a", "fold"))
    assert sorted(filled[("a", "fold")]) == [0, 0, 1, 1]


def test_kfold_replaces_a_column_of_several_levels() -> None:
    """`kfold` may replace a column that a tuple names."""
    dealt = sf.kfold(UNDEALT_LEVELS, ("b", "x"), 2, name=("a", "fold"), overwrite=True)
    assert sorted(dealt[("a", "fold")]) == [0, 0, 1, 1]


def test_new_columns_have_text_for_a_name() -> None:
    """A tuple that names no column is no name of a new one."""
    refuse_now(
        "`name` must be a non-empty string, got ('c', 'fold').",
        lambda: sf.kfold(UNDEALT_LEVELS, ("b", "x"), 2, name=("c", "fold")),
    )


THREE_PARTS = {"row": range(6), "split": ["train", "valid", "test"] * 2}


@pytest.mark.parametrize("verb", READERS)
def test_parts_are_no_folds(frame: Make, verb: str) -> None:
    """A column of parts does not silently train on the test set: the call is shown."""
    df = frame(THREE_PARTS)

    refuse_now(
        f"`{verb}` needs `train`, as the labels of 'split' look like parts: 'train', 'valid',"
        f" 'test'.\nHint: {verb}('split', train='train', valid='valid'); or, to validate on each of"
        " the parts, list them all in `valid`.",
        lambda: READERS[verb](df, "split"),
    )


@pytest.mark.parametrize(
    ("parts", "train", "valid"),
    [
        pytest.param(["test", "valid", "train", None], "train", "valid", id="by_use"),
        pytest.param(["a", "train"], "train", "a", id="any_name_beside_train"),
        pytest.param(["test", "a"], "a", "test", id="any_name_for_train"),
        pytest.param(["dev", "test"], "dev", "test", id="no_part_to_train_on"),
    ],
)
def test_the_call_for_a_column_of_parts(parts: list[Any], train: str, valid: str) -> None:
    """The call in the error names a part to train on and one to validate, and it works."""
    df = pd.DataFrame({"row": range(len(parts)), "split": parts})

    error = refused(lambda: sf.cv(df, "split", nulls="drop"))

    assert f"Hint: cv('split', train={train!r}, valid={valid!r}); or" in str(error)
    pairs = read_all(df, "split", nulls="drop", train=train, valid=valid)
    assert pairs == [([parts.index(train)], [parts.index(valid)])]


@pytest.mark.parametrize("valid", ["valid", ["valid", "test"]], ids=str)
def test_the_test_set_does_not_train(valid: Any) -> None:
    """With three parts, `valid` alone is refused if the test set would train."""
    error = refused(lambda: sf.cv(pd.DataFrame(THREE_PARTS), "split", valid=valid))

    assert f"Hint: cv('split', train='train', valid={valid!r}); or" in str(error)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(["train", "valid", "test"] * 2, ([0, 1, 3, 4], [2, 5]), id="three_parts"),
        pytest.param(["train", "test"] * 2, ([0, 2], [1, 3]), id="two_parts"),
    ],
)
def test_the_test_set_is_validated(parts: list[str], expected: Pair) -> None:
    """All other parts train if `valid` names the test set."""
    df = pd.DataFrame({"row": range(len(parts)), "split": parts})
    assert read_all(df, "split", valid="test") == [expected]


@pytest.mark.parametrize(
    ("valid", "expected"),
    [
        pytest.param("valid", ([0, 2, 3, 5], [1, 4]), id="validation"),
        pytest.param("train", ([1, 2, 4, 5], [0, 3]), id="training"),
    ],
)
def test_all_others_train_without_a_test_set(valid: str, expected: Pair) -> None:
    """If no part is a test set, all parts train but the one that `valid` names."""
    df = pd.DataFrame({"row": range(6), "split": ["train", "valid", "extra"] * 2})
    assert read_all(df, "split", valid=valid) == [expected]


@pytest.mark.parametrize("rule", [{}, {"train": "past"}, {"apart": "user"}])
def test_a_column_without_rows_has_no_pairs(frame: Make, rule: dict[str, Any]) -> None:
    """A column without rows gives no pairs, whatever the rule."""
    for read in READERS.values():
        assert list(read(frame({"fold": [], "user": []}), **rule)) == []
