"""`leaks`: the rows that share a group, a key or all compared values across folds."""

import datetime as dt
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
import polars as pl
import polars.selectors as cs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, columns_of, make, refused, values

NAN = float("nan")


def shared(rows: list[Any], folds: list[Any]) -> list[tuple[int, int]]:
    """List (set, row) of the rows whose value, unless it is missing, is in two folds."""
    places: dict[Any, list[int]] = {}
    for place, row in enumerate(rows):
        if row is not None and folds[place] is not None:
            places.setdefault(row, []).append(place)
    sets = [own for own in places.values() if len({folds[place] for place in own}) > 1]
    return [(number, place) for number, own in enumerate(sets) for place in own]


def listed(found: Any, check: str) -> list[tuple[int, int]]:
    rows = zip(*(values(found, name) for name in ("check", "set", "row")), strict=True)
    return [tuple(row[1:]) for row in rows if row[0] == check]


COLUMNS: dict[str, list[Any]] = {
    "numbers": [0, 1, 2, None],
    "flags": [True, False, None],
    "floats": [0.5, 0.0, -0.0, NAN, None],
    "categories": ["x", "y", None],
    "days": [dt.date(2024, 1, 1), dt.date(2024, 1, 2), None],
    "text": ["x", "X", "", None],
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, list[Any]], list[str]]:
    """Draw two columns of a type each, and folds, some of them missing; and list categories."""
    types = {name: draw(st.sampled_from(sorted(COLUMNS))) for name in "ab"}
    cells = {name: COLUMNS[each] for name, each in types.items()} | {"fold": [0, 1, None]}
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, cells.values())), min_size=1, max_size=16))
    data = dict(zip(cells, map(list, zip(*rows, strict=True)), strict=True))
    return data, [name for name in types if types[name] == "categories"]


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(drawn=tables())
def test_leaks_are_the_rows_that_a_loop_finds(kind: str, drawn: tuple[Any, list[str]]) -> None:
    """Groups, keys and equal rows are those of a loop, and `check` counts the same ones."""
    data, categories = drawn
    frame = make(kind, data)
    if "polars" in kind:
        frame = frame.with_columns(pl.col(categories).cast(pl.String).cast(pl.Categorical))
    else:
        frame = frame.astype(dict.fromkeys(categories, "category"))
    a, b = ([None if cell != cell else cell for cell in data[name]] for name in "ab")
    rows = list(zip(a, b, strict=True))
    expected = {
        "groups": shared(a, data["fold"]),
        "keys": shared([None if None in row else row for row in rows], data["fold"]),
        "duplicates": shared(rows, data["fold"]),
    }
    options = {"groups": "a", "key": ["a", "b"], "duplicates": ["a", "b"]}
    found = sf.leaks(frame, **options)
    assert {check: listed(found, check) for check in expected} == expected
    assert values(found, "fold") == [data["fold"][row] for row in values(found, "row")]

    table = columns_of(sf.check(frame, **options).findings)
    counted = dict.fromkeys(expected, 0)
    for check, severity, n in zip(table["check"], table["severity"], table["n"], strict=True):
        if severity == "leak" or (check, severity) == ("duplicates", "note"):
            counted[check] = n
    n_sets = {check: len({number for number, _ in rows}) for check, rows in expected.items()}
    assert counted == {**n_sets, "duplicates": len(expected["duplicates"])}


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_the_table(frame: Make, kind: str) -> None:
    """Each leak comes with its check, set, position and fold, in the caller's library."""
    data = {
        "who": ["ann", "bob", "ann", "eve", "bob", "bob", "eve"],
        "x": [5, 6, 5, 7, 8, 6, 5],
        "id": [1, 2, None, 3, 2, None, 1],
        "part": ["u", "v", "v", "u", "v", None, "u"],
    }
    found = sf.leaks(frame(data), groups="who", key="id", duplicates="x", name="part")
    assert isinstance(found, pl.DataFrame if "polars" in kind else pd.DataFrame)
    expected = {"check": ["groups"] * 2 + ["duplicates"] * 3, "set": [0] * 5}
    assert columns_of(found) == {**expected, "row": [0, 2, 0, 2, 6], "part": [*"uvuvu"]}
    unshared = sf.leaks(frame(data), key=["id", "x"], duplicates=None, name="part")
    assert columns_of(unshared) == {name: [] for name in ("check", "set", "row", "part")}


def test_names_of_the_table_stay_its_own(frame: Make) -> None:
    """A fold column with the name of a column of the table is called `fold` there."""
    row = sf.leaks(frame({"x": [1, 1], "row": [0, 1]}), duplicates="x", name="row")
    assert list(row.columns) == ["check", "set", "row", "fold"]


NEAR = [
    [2**53, 2**53 + 1],
    [-(2**63), 2**63 - 1],
    [0.1 + 0.2, 0.3],
    [float("inf"), -float("inf")],
    [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, microsecond=1)],
]


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize("pair", NEAR, ids=str)
def test_values_that_are_only_near_are_not_equal(frame: Make, pair: list[Any]) -> None:
    """Values that differ only in their last digits are not equal."""
    assert len(sf.leaks(frame({"x": pair, "fold": [0, 1]}), duplicates="x")) == 0
    assert len(sf.leaks(frame({"x": pair[:1] * 2, "fold": [0, 1]}), duplicates="x")) == 2


DTYPES = [
    pl.Categorical(),
    pl.Enum([str(number) for number in range(40)]),
    pl.Binary(),
    pl.Decimal(9, 2),
    pl.Int128(),
    pl.Float32(),
    pl.Date(),
    pl.Time(),
    pl.Duration("ms"),
    pl.Datetime("ns", "Europe/Paris"),
    "uint64",
    "float16",
    "longdouble",
    ">i4",
    ">f8",
    "complex128",
    "category",
    object,
    "datetime64[s]",
    "timedelta64[ns]",
    "timestamp[us][pyarrow]",
    "datetime64[ns, UTC]",
    "Sparse[int64]",
    "period[D]",
    "interval",
]
"""Dtypes other than those of the columns that `tests/test_calls.py` draws."""


def of_dtype(numbers: list[int], dtype: Any) -> Any:
    folds = [0] * (len(numbers) - 1) + [1]
    if isinstance(dtype, pl.DataType):
        column = pl.Series(numbers)
        as_text = dtype in (pl.Categorical, pl.Enum, pl.Binary)
        column = column.cast(pl.String).cast(dtype) if as_text else column.cast(dtype)
        return pl.DataFrame({"x": column, "fold": folds})
    made = {
        "period[D]": pd.PeriodIndex.from_ordinals(numbers, freq="D"),
        "interval": pd.cut(numbers, range(-1, 50)),
        "datetime64[ns, UTC]": pd.to_datetime(numbers, utc=True),
    }
    column = made[dtype] if dtype in made else pd.Series(numbers).astype(dtype)
    return pd.DataFrame({"x": column, "fold": folds})


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_equal_pair_of_every_dtype(dtype: Any) -> None:
    """A pair of equal rows is found in columns of every dtype, if few or many rows are equal."""
    for numbers in ([*range(40), 7], [7, 3, 3, 3, 3, 7]):
        found = sf.leaks(of_dtype(numbers, dtype), groups="x", key="x", duplicates="x")
        rows = [numbers.index(7), len(numbers) - 1]
        assert values(found, "row") == rows * 3
        assert values(found, "check") == ["groups"] * 2 + ["keys"] * 2 + ["duplicates"] * 2


@pytest.mark.parametrize(
    "column", [[1, 1, "a"], [0.5, 0.5, 1], [None, NAN, 1], [pd.NA, None, "a"], [2**70, 2**70, 1]]
)
def test_equal_objects(column: list[Any]) -> None:
    """Python objects of any types are compared, and all missing values are equal."""
    data = pd.DataFrame({"x": pd.Series(column, dtype=object), "fold": [0, 1, 1]})
    assert values(sf.leaks(data, duplicates="x"), "row") == [0, 1]


COPIED = {"x": [0.5, 0.5, 1.5, 2.5], "y": [1.5, 1.5, 1.5, 2.5], "fold": [0, 1, 0, 1]}
LEFT_ASIDE: dict[str, Any] = {
    "what differs in every row": {
        "id": [1, 2, 3, 4],
        "name": list("abcd"),
        "day": [dt.date(2024, 1, day) for day in (1, 2, 3, 4)],
    },
    "nested values": {
        "tags": [["a"], ["b"], ["c"], ["d"]],
        "counts": [{"a": number} for number in range(4)],
    },
    "other folds": {"split": list("abab"), "inner_fold": [0, 1, 2, 2], "fold_2": [0, 1, 1, 0]},
}


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize("case", LEFT_ASIDE)
def test_columns_that_say_nothing_are_left_aside(frame: Make, case: str) -> None:
    """By default ids, nested columns and folds are not compared, and hide no equal rows."""
    assert values(sf.leaks(frame(COPIED | LEFT_ASIDE[case])), "row") == [0, 1]


def test_columns_that_tell_rows_apart_are_compared(frame: Make) -> None:
    """Columns that tell rows apart are compared if they are fractions or the call names them."""
    data = frame({**COPIED, "z": [0.5, 1.5, 2.5, 3.5], "who": list("aabb")})
    assert values(sf.leaks(data), "row") == []
    assert values(sf.leaks(data, key="z"), "row") == [0, 1]
    assert values(sf.leaks(data, key="z", duplicates=None), "row") == []
    assert values(sf.leaks(data, duplicates=["y"]), "row") == [0, 1, 2]


def test_labels_of_all_types() -> None:
    """Numbers, tuples and column levels are labels as strings are."""
    labels = pd.Index([0, (1, 2), "fold"], dtype=object, tupleize_cols=False)
    data = pd.DataFrame([[1, 2, 0], [1, 2, 1], [2, 3, 1]], columns=labels)
    found = sf.leaks(data, groups=[0], key=(1, 2), duplicates=[(1, 2)])
    assert values(found, "row") == [0, 1] * 3
    levels = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("fold_1", ""), ("fold_2", "")])
    data = pd.DataFrame([[1, 1, 0, 1], [1, 1, 1, 0]], columns=levels)
    for name in ("fold_1", [("fold_1", "")]):
        assert values(sf.leaks(data, name=name), "row") == [0, 1]


def test_names_that_occur_twice_are_left_aside() -> None:
    """Columns that share a name are left aside, which is said; to name them is an error."""
    data = pd.DataFrame({**COPIED, "n": [1, 2, 3, 4]})
    data = data.set_axis(["x", "x", "fold", "n"], axis=1)
    assert sf.leaks(data)["row"].tolist() == []
    assert "not looked for" in sf.check(data[["x", "fold"]]).text
    uneven = pd.concat([data] * 25).assign(fold=[0] * 94 + [1, 2] * 3)
    assert "WARNING  sizes: 94, 3, 3 rows" in sf.check(uneven).text
    data["y"] = [1, 1, 1, 2]
    assert sf.leaks(data)["row"].tolist() == [0, 1, 2]
    assert "(without 'x', 'n')" in sf.check(data).findings["detail"][0]
    for call in (sf.check, sf.leaks, partial(sf.plot, kind="leaks")):
        error = refused(lambda call=call: call(data, duplicates="x"))
        assert "`duplicates` names the column 'x', which occurs 2 times in the frame" in str(error)


X_AND_Y = pl.col("x", "y")
MANY = [X_AND_Y, cs.by_name("x", "y"), pl.col("^[xy]$"), ["z", X_AND_Y]]


@pytest.mark.parametrize("given", MANY, ids=["names", "a selector", "a pattern", "one of a list"])
def test_an_expression_gives_one_column(given: Any) -> None:
    """An expression gives one column, but features may be any number."""
    data = pl.DataFrame({**COPIED, "z": [1, 2, 3, 4]})
    named = ["z", "x", "y"] if isinstance(given, list) else ["x", "y"]
    calls = (sf.check, sf.leaks, partial(sf.plot, kind="leaks"))
    for frame in (data, data.lazy()):
        for argument, call in product(("groups", "key", "duplicates"), calls):
            message = f"An entry of `{argument}` must give one column, got 2 from "
            with pytest.raises(sf.StratError, match=message):
                call(frame, **{argument: given})
        assert sf.drift(frame, given)["distance"].equals(sf.drift(frame, named)["distance"])
        assert sf.check(frame, features=given).text == sf.check(frame, features=named).text


def test_arguments_have_names() -> None:
    """`leaks` takes its arguments by name only."""
    with pytest.raises(TypeError, match="`leaks` takes no argument after `frame` without its name"):
        sf.leaks(pd.DataFrame({"label": ["a", "b"], "fold": [0, 1]}), "label")  # type: ignore[misc]
