"""Frames by name, such as train and test, in the verbs that judge."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import KINDS, columns_of, eager, make, refuse_now, refused, values

TRAIN = {
    "label": ["a", "b"] * 6,
    "user": [row // 2 for row in range(12)],
    "day": [date(2024, 1, 1 + row) for row in range(12)],
    "x": [row + 0.5 for row in range(12)],
    "fold": [0, 1] * 6,
}
TEST = {
    "day": [date(2024, 2, 1), date(2024, 1, 12), date(2024, 1, 1), date(2024, 2, 2)],
    "user": [6, 5, 0, 7],
    "label": ["a", "b", "a", "b"],
    "x": [20.5, 21.5, 0.5, 22.5],
    "split": ["u"] * 4,
    "only": [1] * 4,
}
BOTH = {name: [*TRAIN[name], *TEST[name]] for name in ("label", "user", "day", "x")}
BOTH["split"] = ["train"] * 12 + ["test"] * 4
TABLES: list[tuple[Any, dict[str, Any]]] = [
    (sf.balance, {"by": "label"}),
    (sf.report, {"by": ["label", sf.quantiles("x", 2)], "groups": "user"}),
    (sf.drift, {"features": ["x", "day"], "full": True}),
]


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_those_of_one_frame(kind: str) -> None:
    """Frames by name give the tables of one frame, whose parts are the names in their order."""
    several = {"train": make(kind, TRAIN), "test": make(kind, TEST)}
    one = make(kind, BOTH)
    for verb, options in TABLES:
        found = verb(several, **options)
        assert columns_of(found) == columns_of(verb(one, **options, name="split"))
        assert type(found) is type(eager(one))
    renamed = {"old": several["train"], "new": several["test"]}
    assert values(sf.balance(renamed, "label"), "fold") == ["old", "old", "new", "new"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_check_is_that_of_one_frame(kind: str) -> None:
    """A check says the same as of one frame, and which columns are left aside."""
    several = {"train": make(kind, TRAIN), "test": make(kind, TEST)}
    options: dict[str, Any] = {"groups": "user", "time": "day", "features": "x", "by": "label"}
    found = sf.check(several, **options).text
    expected = sf.check(make(kind, BOTH), **options, name="split").text
    aside = "  note     left aside (folds, not once in each frame): 'fold', 'split', 'only'"
    assert aside in found.splitlines()
    said = [line for line in found.splitlines() if line != aside]
    assert said == [line.partition(", such as rows")[0] for line in expected.splitlines()]
    assert any(re.match("  LEAK     2 rows .* equal a row of another part$", line) for line in said)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_leak_have_the_positions_of_their_frames(kind: str) -> None:
    """The column `row` counts the rows of the frame that the part names."""
    several = {"train": make(kind, TRAIN), "test": make(kind, TEST)}
    found = columns_of(sf.leaks(several, groups="user"))
    assert list(zip(*(found[name] for name in ("set", "row", "split")), strict=True)) == [
        (0, 0, "train"),
        (0, 1, "train"),
        (0, 2, "test"),
        (1, 10, "train"),
        (1, 11, "train"),
        (1, 1, "test"),
        (0, 0, "train"),
        (0, 2, "test"),
    ]


def test_a_picture_is_that_of_one_frame() -> None:
    """A picture of frames by name has the title of one frame."""
    several = {"train": pd.DataFrame(TRAIN), "test": pd.DataFrame(TEST)}
    for options in ({"by": "label"}, {"kind": "leaks", "groups": "user"}):
        title = sf.plot(several, **options).get_title()
        assert title == sf.plot(pd.DataFrame(BOTH), **options, name="split").get_title()


NOON = datetime(2024, 1, 1, 12)
PAIRS: dict[str, tuple[list[Any], list[Any], bool]] = {
    "whole numbers and fractions": ([1, 2], [0.5, 1.5], True),
    "whole numbers with gaps and fractions": ([1, None], [0.5, 1.5], True),
    "numbers that no float holds": ([1, 2**53 + 1], [0.5, 1.5], False),
    "numbers and nothing": ([1, 2], [None, None], True),
    "text and nothing": ([None, None], ["a", "b"], True),
    "flags and nothing": ([True, False], [None, None], True),
    "nothing": ([None, None], [None, None], True),
    "numbers and text": ([1, 2], ["1", "2"], False),
    "times with and without a zone": ([NOON] * 2, [NOON.replace(tzinfo=UTC)] * 2, False),
    "decimals and fractions": ([Decimal("0.1")] * 2, [0.5, 1.5], False),
    "dates and whole numbers": ([date(2024, 1, 1)] * 2, [19723, 1], False),
    "flags and whole numbers": ([True, False], [1, 2], False),
    "bytes and text": ([b"a", b"b"], ["a", "b"], False),
}


@pytest.mark.parametrize("kind", [each for each in KINDS if "lazy" not in each])
@pytest.mark.parametrize("case", PAIRS)
def test_types_go_together_or_are_an_error(kind: str, case: str) -> None:
    """Types that go together are compared by value, and others are an error."""
    first, second, is_right = PAIRS[case]
    one, other = (make(kind, {"x": column, "y": [1, 2]}) for column in (first, second))
    several = {"a": one, "b": other}
    if is_right:
        classes = values(sf.balance(several, sf.classes("x")), "x")
        assert len({*classes}) == len({*first, *second})
        return
    error = str(refused(lambda: sf.check(several)))
    assert error.startswith("A column must have the same type in every frame, but 'x' is ")
    assert error.endswith(" in 'b'.\nHint: cast it, or drop it.")


TEXTS: list[tuple[Any, Any]] = [
    (pd.Series(["a", "b"], dtype="category"), pd.Series(["a", "b"], dtype="category")),
    (pd.Series(["c", "b"], dtype="category"), pd.Series(["a", "b"])),
    (pl.Series(["a", "b"], dtype=pl.Enum("ab")), pl.Series(["b", "c"], dtype=pl.Enum("bc"))),
    (pl.Series(["a", "b"], dtype=pl.Categorical), pl.Series(["b", "c"])),
    (pl.Series([1, 2], dtype=pl.Int32), pl.Series([2, 3], dtype=pl.UInt8)),
    (pl.Series([1, 2], dtype=pl.UInt64), pl.Series([2, -3], dtype=pl.Int64)),
]


@pytest.mark.parametrize(("one", "other"), TEXTS, ids=lambda column: str(column.dtype))
def test_categories_of_other_values(one: Any, other: Any) -> None:
    """Categories and integers of other types are compared by their values."""
    library: Any = pd if isinstance(one, pd.Series) else pl
    several = {"a": library.DataFrame({"x": one}), "b": library.DataFrame({"x": other})}
    assert len(sf.leaks(several, duplicates="x")) == 2 * len({*one} & {*other})


@pytest.mark.parametrize("library", [pd, pl])
def test_fractions_of_other_widths_are_refused(library: Any) -> None:
    """Fractions of 32 bits equal no others, so that copies of rows would not be found."""
    short = library.DataFrame({"x": np.array([0.1, 0.2], dtype=np.float32)})
    with pytest.raises(sf.StratError, match=r"(?i)but 'x' is float32 in 'a', float64 in 'b'\."):
        sf.check({"a": short, "b": library.DataFrame({"x": [0.1, 0.2]})})


@pytest.mark.parametrize("library", [pd, pl])
def test_lazy_and_eager_frames_and_odd_names(library: Any) -> None:
    """Lazy and eager frames go together, whatever their columns are called."""
    one = library.DataFrame({"^x$": [1, 2], "y": [1, 2], "z": ["a", "b"]})
    several = {"a": one.lazy() if library is pl else one, "b": one}
    assert len(sf.leaks(several)) == 4
    several["b"] = library.DataFrame({"^x$": [0.5, 1.0], "z": ["a", "b"]})
    assert values(sf.leaks(several, duplicates="z"), "row") == [0, 0, 1, 1]
    assert sf.check(several, duplicates=None).ok


def test_columns_of_one_name_are_left_aside() -> None:
    """A name that a frame has twice is left aside, whatever its index or levels."""
    twice = pd.DataFrame([[1, 2, 3]] * 2, columns=["x", "x", "y"], index=[5, 5])
    found = sf.check({"a": twice, "b": twice + 1}, duplicates="y")
    assert "left aside (folds, not once in each frame): 'x'" in found.text
    levels = twice.set_axis(pd.MultiIndex.from_tuples([("x", "p"), ("x", "q"), ("y", "")]), axis=1)
    assert not sf.check({"a": levels, "b": levels}, groups="y").ok


ONE_COLUMN = pd.DataFrame({"x": [1, 2]})


@pytest.mark.parametrize(
    ("frames", "options", "message"),
    [
        pytest.param(
            {"a": ONE_COLUMN},
            {},
            "There must be at least two frames, got {'a': DataFrame}.\n"
            'Hint: name them, as in `{"train": train, "test": test}`.',
            id="one_frame",
        ),
        pytest.param(
            {1: ONE_COLUMN, "b": ONE_COLUMN},
            {},
            "The names of frames must be non-empty text, got 1.",
            id="name_that_is_no_text",
        ),
        pytest.param(
            {"": ONE_COLUMN, "b": ONE_COLUMN},
            {},
            "The names of frames must be non-empty text, got ''.",
            id="empty_name",
        ),
        pytest.param(
            {"a": ONE_COLUMN, "b": 3},
            {},
            "The frame 'b' must be a pandas, Polars or Arrow frame, got int.",
            id="not_a_frame",
        ),
        pytest.param(
            {"a": ONE_COLUMN, "b": pl.DataFrame({"x": [1]})},
            {},
            "All frames must be from the same library, got pandas and Polars.\n"
            "Hint: `pl.from_pandas` converts pandas frames to Polars.",
            id="two_libraries",
        ),
        pytest.param(
            {"a": ONE_COLUMN, "b": ONE_COLUMN},
            {"name": "split"},
            "`name` must be left out where several frames are given, because their names"
            " are the parts, got 'split'.",
            id="name_of_a_column",
        ),
        pytest.param(
            {"a": ONE_COLUMN, "b": pd.DataFrame({"y": [1]})},
            {},
            "The frames must have a column in common, but 'a', 'b' have none.",
            id="nothing_in_common",
        ),
    ],
)
def test_errors(frames: Any, options: dict[str, Any], message: str) -> None:
    """What is no mapping of names to two frames of one library is refused in these words."""
    refuse_now(message, lambda: sf.check(frames, **options))


IN_ONE = {
    "no frame": (
        "zzz",
        "`{}` names the column 'zzz', which the frame does not have.\nHint: the columns are"
        " 'label', 'both', 'split'.",
    ),
    "one frame": (
        "age",
        "`{}` names the column 'age', which the frame 'test' does not have.\n"
        "Hint: did you mean 'ages'?",
    ),
    "two frames": (
        "only",
        "`{}` names the column 'only', which the frames 'valid', 'test' do not have.\nHint: the"
        " columns are 'label', 'both', 'age', 'fold', 'split'.",
    ),
    "folds": (
        "fold",
        "`{}` must not name 'fold' where several frames are given: their names are the parts, and"
        " columns of folds are left aside.\nHint: give the column another name if it holds no"
        " folds.",
    ),
    "parts": (
        "split",
        "`{}` must not name 'split' where several frames are given: their names are the parts, and"
        " columns of folds are left aside.\nHint: give the column another name if it holds no"
        " folds.",
    ),
}
"""Why a column is not in the rows that frames share, its name, and the message."""
NAMING: list[tuple[Any, str, dict[str, Any]]] = [
    (sf.check, "by", {}),
    (sf.check, "groups", {}),
    (sf.check, "key", {}),
    (sf.check, "duplicates", {}),
    (sf.check, "time", {}),
    (sf.check, "features", {}),
    (sf.leaks, "groups", {}),
    (sf.balance, "by", {}),
    (sf.report, "groups", {"by": "label"}),
    (sf.drift, "features", {}),
    (sf.plot, "by", {}),
]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.LazyFrame])
@pytest.mark.parametrize("case", IN_ONE)
def test_a_column_that_only_some_frames_have(library: Any, case: str) -> None:
    """The message says which frame lacks a column that the call names, or why it is left aside."""
    shared = {"label": ["a", "b"], "both": [1, 2]}
    folds = {"fold": [0, 1], "split": ["a", "b"]}
    several = {
        "train": library({**shared, "age": [1, 2], "only": [1, 2], **folds}),
        "valid": library({**shared, "age": [1, 2], **folds}),
        "test": library({**shared, "ages": [1, 2], **folds}),
    }
    name, message = IN_ONE[case]
    for verb, argument, options in NAMING:
        given = {**options, argument: name}
        refuse_now(message.format(argument), lambda v=verb, given=given: v(several, **given))


def test_a_column_that_one_frame_has_twice() -> None:
    """The error names the frame that has a column twice."""
    one = pd.DataFrame({"label": ["a", "b"], "x": [1, 2]})
    twice = pd.DataFrame([["a", 1, 3], ["b", 2, 4]], columns=["label", "x", "x"])
    message = (
        "`by` names the column 'x', which occurs 2 times in the frame 'test'.\n"
        "Hint: rename or drop all but one of these columns first."
    )
    refuse_now(message, lambda: sf.check({"train": one, "test": twice}, "x"))


def test_a_column_that_is_in_the_index_of_one_frame() -> None:
    """The error says that the column is in the index of a frame."""
    one = pd.DataFrame({"label": ["a", "b"], "day": [1, 2]})
    message = (
        "`time` names the column 'day', which the frame 'test' does not have.\n"
        "Hint: it is in the index: `df = df.reset_index()` makes it a column."
    )
    several = {"train": one, "test": one.set_index("day")}
    refuse_now(message, lambda: sf.check(several, time="day"))
