"""Audits of fold columns: rows that leak, and folds that lack something."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from stratframe.frames import SharedRows
from stratframe.verbs.audit_checks import fit, in_several_folds
from tests.helpers import KINDS, Make, columns_of, make, refuse, refuse_now, values

COLUMNS = ["check", "severity", "n", "detail"]
DATA: dict[str, Any] = {
    "x": [1, 1, 2, 3],
    "who": ["a", "b", "b", "b"],
    "id": [10, 11, 12, 13],
    "label": ["p", "q", "p", "q"],
    "fold": [0, 0, 1, 1],
}


def rows_of(found: Any) -> list[tuple[str, str, str, int]]:
    """List the rows of an audit."""
    order = ["check", "severity", "detail", "n"]
    return list(zip(*(values(found, name) for name in order), strict=True))


def one(check: str, found: Any) -> tuple[str, str, int]:
    """Take the severity, detail and number of one check, which comes once."""
    (row,) = [row[1:] for row in rows_of(found) if row[0] == check]
    return row


def nan() -> float:
    return float("nan")


def with_parts(kind: str, data: dict[str, Any], parts: list[Any], categories: list[Any]) -> Any:
    """Make a frame whose column `fold` is of categories, some of them perhaps unused."""
    frame = make(kind, data)
    if "polars" in kind:
        return frame.with_columns(fold=pl.lit(pl.Series(parts, dtype=pl.Enum(categories))))
    return frame.assign(fold=pd.Categorical(parts, categories=categories))


def refuse_batch(_: pl.Series) -> pl.Series:
    raise AssertionError


# The table --------------------------------------------------------------------------------


def test_a_row_for_every_check(frame: Make, kind: str) -> None:
    """All checks are in their order, in a table of the caller's library."""
    found = sf.audit(frame(DATA), by="label", groups="who", key="id", columns="x")
    assert list(found.columns) == COLUMNS
    assert isinstance(found, pl.DataFrame if "polars" in kind else pd.DataFrame)
    assert rows_of(found) == [
        ("unassigned_rows", "ok", "every row has a fold", 0),
        ("split_groups", "error", "in several folds: 1 of 2 groups (3 rows)", 1),
        ("repeated_keys", "ok", "each of 4 keys is unique", 0),
        ("duplicate_rows", "ok", "no row equals a row of another fold (1 column)", 0),
        ("empty_folds", "ok", "all 2 folds have rows", 0),
        ("missing_strata", "ok", "in every fold: all 2 strata", 0),
    ]


@pytest.mark.parametrize(
    ("arguments", "checks"),
    [
        ({}, []),
        ({"groups": "who"}, ["split_groups"]),
        ({"key": "id"}, ["repeated_keys"]),
        ({"by": "label"}, ["missing_strata"]),
        ({"columns": "x"}, []),
        ({"by": "label", "groups": "who"}, ["split_groups", "missing_strata"]),
    ],
    ids=str,
)
def test_checks_without_an_argument_are_left_out(
    frame: Make, arguments: dict[str, Any], checks: list[str]
) -> None:
    """What is always checked comes with the checks that the arguments ask for."""
    order = ["unassigned_rows", "split_groups", "repeated_keys", "duplicate_rows"]
    order += ["empty_folds", "missing_strata"]
    always = {"unassigned_rows", "duplicate_rows", "empty_folds"}
    found = sf.audit(frame(DATA), **arguments)
    assert values(found, "check") == [name for name in order if name in {*always, *checks}]


def test_the_number_is_a_whole_number(frame: Make, kind: str) -> None:
    """`n` is of 64-bit integers."""
    found = sf.audit(frame(DATA))
    assert found["n"].dtype == (pl.Int64 if "polars" in kind else np.int64)


@pytest.mark.parametrize("name", ["fold", ["fold", "part"]])
def test_empty_frames(frame: Make, kind: str, name: Any) -> None:
    """A frame without rows gives a table without rows, of all columns."""
    data = frame({name: [] for name in ("x", "who", "id", "label", "fold", "part")})
    found = sf.audit(data, name, by="label", groups="who", key="id", columns="x")
    assert list(found.columns) == (COLUMNS if name == "fold" else ["column", *COLUMNS])
    assert len(found) == 0
    assert isinstance(found, pl.DataFrame if "polars" in kind else pd.DataFrame)


def test_several_columns_are_checked_one_by_one(frame: Make) -> None:
    """Of a list of names each has its checks, with its name in a column before them."""
    data = {"x": [1, 1, 2, 2], "fold": [0, 1, 0, 1], "part": ["a", "a", "b", None]}
    found = sf.audit(frame(data), ["fold", "part"])
    assert list(found.columns) == ["column", *COLUMNS]
    assert values(found, "column") == ["fold"] * 3 + ["part"] * 3
    assert rows_of(found) == [
        ("unassigned_rows", "ok", "every row has a fold", 0),
        ("duplicate_rows", "error", "equal a row of another fold: 4 rows (1 column)", 4),
        ("empty_folds", "ok", "all 2 folds have rows", 0),
        ("unassigned_rows", "warning", "in every training set: 1 row without a fold", 1),
        ("duplicate_rows", "error", "equal a row of another fold: 2 rows (1 column)", 2),
        ("empty_folds", "ok", "all 2 folds have rows", 0),
    ]


def test_the_same_table_everywhere() -> None:
    """Every kind of frame gives the same table."""
    rng = np.random.default_rng(0)
    data: dict[str, Any] = {
        "a": rng.choice([0, 1, None], 60).tolist(),
        "b": rng.choice(["x", "y", None], 60).tolist(),
        "c": rng.choice([0.5, 0.0, -0.0, None], 60).tolist(),
        "g": rng.integers(0, 30, 60).tolist(),
        "fold": rng.choice([0, 1, 4, None], 60).tolist(),
    }
    found = [rows_of(sf.audit(make(kind, data), by="b", groups="g", key="g")) for kind in KINDS]
    assert all(table == found[0] for table in found)


def test_dealt_folds_pass(frame: Make) -> None:
    """Folds dealt by group leave nothing to say but that ids differ."""
    data = {"who": [row // 3 for row in range(60)], "label": ["a", "b"] * 30}
    dealt = sf.kfold(frame(data), "label", 4, groups="who")
    found = sf.audit(dealt, by="label", groups="who", columns="who")
    assert set(values(found, "severity")) == {"ok"}


# Checks on a few rows ---------------------------------------------------------------------

Check = tuple[str, str, str, int]
"""A row of the table: the check, its severity, its detail and its number."""

CASES: dict[str, tuple[dict[str, Any], dict[str, Any], list[Check]]] = {
    "one row without a fold": (
        {"x": [1, 2, 3], "fold": [0, None, 1]},
        {},
        [("unassigned_rows", "warning", "in every training set: 1 row without a fold", 1)],
    ),
    "a fold that is NaN is missing": (
        {"x": [1, 2, 3, 4], "fold": [0.0, nan(), None, 1.0]},
        {},
        [
            ("unassigned_rows", "warning", "in every training set: 2 rows without a fold", 2),
            ("empty_folds", "ok", "all 2 folds have rows", 0),
        ],
    ),
    "what is in a fold and in a row without one leaks": (
        {"x": [1, 1, 2, 3], "fold": [0, None, 0, 1]},
        {"groups": "x", "key": "x", "columns": "x"},
        [
            ("split_groups", "error", "in several folds: 1 of 3 groups (2 rows)", 1),
            ("repeated_keys", "error", "in several folds: 1 of 3 keys (2 rows)", 1),
            ("duplicate_rows", "error", "equal a row of another fold: 2 rows (1 column)", 2),
        ],
    ),
    "rows without a fold do not leak among themselves": (
        {"x": [1, 1, 2, 3], "fold": [None, None, 0, 1]},
        {"groups": "x", "key": "x", "columns": "x"},
        [
            ("split_groups", "ok", "3 groups, each in one fold", 0),
            ("repeated_keys", "warning", "repeated within a fold: 1 of 3 keys", 1),
            ("duplicate_rows", "ok", "no row equals a row of another fold (1 column)", 0),
        ],
    ),
    "rows without a group are alone": (
        {"x": ["a", None, None, "b"], "fold": [0, 0, 1, 1]},
        {"groups": "x"},
        [("split_groups", "ok", "4 groups, each in one fold", 0)],
    ),
    "groups that are NaN are missing": (
        {"x": [1.0, nan(), None, 2.0], "fold": [0, 0, 1, 1]},
        {"groups": "x"},
        [("split_groups", "ok", "4 groups, each in one fold", 0)],
    ),
    "near rows in one fold": (
        {"x": [0.0, 0.1, 10.0, 10.1], "fold": [0, 0, 1, 1]},
        {"groups": sf.clusters(["x"], 2)},
        [("split_groups", "ok", "2 groups, each in one fold", 0)],
    ),
    "near rows in two folds are split groups": (
        {"x": [0.0, 0.1, 10.0, 10.1], "fold": [0, 1, 0, 1]},
        {"groups": sf.clusters(["x"], 2)},
        [("split_groups", "error", "in several folds: 2 of 2 groups (4 rows)", 2)],
    ),
    "keys repeated in one fold": (
        {"id": [7, 7, 8, 8, 9], "fold": [0, 0, 1, 1, 1]},
        {"key": "id"},
        [("repeated_keys", "warning", "repeated within a fold: 2 of 3 keys", 2)],
    ),
    "keys repeated in two folds, and within one": (
        {"id": [7, 7, 8, 8, 8], "fold": [0, 0, 1, 0, 1]},
        {"key": "id"},
        [("repeated_keys", "error", "in several folds: 1 of 2 keys (3 rows)", 2)],
    ),
    "missing keys are not repeated": (
        {"id": ["a", None, None, "b"], "fold": [0, 0, 1, 1]},
        {"key": "id"},
        [("repeated_keys", "ok", "each of 2 keys is unique; 2 rows without", 0)],
    ),
    "keys that are NaN are missing": (
        {"id": [1.0, nan(), None, 2.0], "fold": [0, 0, 1, 1]},
        {"key": "id"},
        [("repeated_keys", "ok", "each of 2 keys is unique; 2 rows without", 0)],
    ),
    "one row without a key": (
        {"id": ["a", "a", None], "fold": [0, 1, 1]},
        {"key": "id"},
        [
            (
                "repeated_keys",
                "error",
                "in several folds: 1 of 1 key (2 rows); 1 row without",
                1,
            ),
        ],
    ),
    "no row has a key": (
        {"x": [1, 2], "id": [None, None], "fold": [0, 1]},
        {"key": "id"},
        [("repeated_keys", "ok", "each of 0 keys is unique; 2 rows without", 0)],
    ),
    "several columns are the key together": (
        {"a": [1, 1, 1, None, None], "b": ["x", "y", "x", "x", "x"], "fold": [0, 0, 1, 0, 1]},
        {"key": ["a", "b"]},
        [
            (
                "repeated_keys",
                "error",
                "in several folds: 1 of 2 keys (2 rows); 2 rows without",
                1,
            ),
        ],
    ),
    "rows that are equal in their fold only do not count": (
        {"x": [1, 1, 1, 2, 2, 3], "fold": [0, 0, 1, 1, 1, 0]},
        {},
        [("duplicate_rows", "error", "equal a row of another fold: 3 rows (1 column)", 3)],
    ),
    "numbers with fractions are no ids": (
        {"x": [0.5, 1.5, 2.0], "y": [1, 1, 2], "fold": [0, 1, 1]},
        {},
        [("duplicate_rows", "ok", "no row equals a row of another fold (2 columns)", 0)],
    ),
    "as many ids are named as there is room for": (
        {**{f"c{place}": [1, 2] for place in range(7)}, "fold": [0, 1]},
        {},
        [
            (
                "duplicate_rows",
                "warning",
                "hidden by unique columns: 'c0', 'c1', 'c2', 'c3', 'c4', ...",
                0,
            ),
        ],
    ),
    "an id may lack one value": (
        {"x": ["a", "b", None], "fold": [0, 1, 1]},
        {},
        [("duplicate_rows", "warning", "hidden by unique columns: 'x'", 0)],
    ),
    "what lacks two values is no id": (
        {"x": ["a", None, None], "y": [1, 1, 2], "fold": [0, 1, 1]},
        {},
        [("duplicate_rows", "ok", "no row equals a row of another fold (2 columns)", 0)],
    ),
    "equal rows in one fold rule ids out": (
        {"x": [1, 1, 2], "fold": [0, 0, 1]},
        {},
        [("duplicate_rows", "ok", "no row equals a row of another fold (1 column)", 0)],
    ),
    "a fold column alone": (
        {"fold": [0, 1, 1]},
        {},
        [("duplicate_rows", "warning", "there are no columns to compare", 0)],
    ),
    "lists in other columns than those named": (
        {"x": [1, 1], "tags": [["a"], ["b"]], "fold": [0, 1]},
        {"columns": "x"},
        [("duplicate_rows", "error", "equal a row of another fold: 2 rows (1 column)", 2)],
    ),
    "strata that a fold lacks": (
        {"label": ["a", "a", "b", None], "site": [1, 1, 2, 2], "fold": [0, 1, 1, 0]},
        {"by": "label", "columns": "label"},
        [("missing_strata", "warning", "not in every fold: b, missing (2 of 3 strata)", 2)],
    ),
    "joint strata that a fold lacks": (
        {"label": ["a", "a", "b", None], "site": [1, 1, 2, 2], "fold": [0, 1, 1, 0]},
        {"by": ["site", "label"], "columns": "label"},
        [
            (
                "missing_strata",
                "warning",
                "not in every fold: (2, b), (2, missing) (2 of 3 strata)",
                2,
            ),
        ],
    ),
    "strata of rows without a fold are in none": (
        {"label": ["a", "a", "b"], "fold": [0, 1, None]},
        {"by": "label"},
        [("missing_strata", "warning", "not in every fold: b (1 of 2 strata)", 1)],
    ),
    "strata need no rows without a fold": (
        {"label": ["a", "a", "a"], "fold": [0, 1, None]},
        {"by": "label"},
        [("missing_strata", "ok", "in every fold: all 1 strata", 0)],
    ),
    "bins are strata": (
        {"x": [1, 2, 8, 9], "fold": [0, 0, 1, 1]},
        {"by": sf.bins("x", [0, 5, 10])},
        [("missing_strata", "warning", "not in every fold: [0, 5], (5, 10] (2 of 2 strata)", 2)],
    ),
    "margins are strata": (
        {"x": [1, 2, 8, 9], "label": ["a", "b", "a", "b"], "fold": [0, 0, 1, 1]},
        {"by": sf.margins(["label", sf.bins("x", [0, 5, 10])])},
        [
            (
                "missing_strata",
                "warning",
                "not in every fold: x: [0, 5], x: (5, 10] (2 of 4 strata)",
                2,
            ),
        ],
    ),
    "five missing strata are named": (
        {"label": list("gfedcba"), "fold": [0, 1] * 3 + [0]},
        {"by": "label"},
        [
            (
                "missing_strata",
                "warning",
                "not in every fold: a, b, c, d, e, ... (7 of 7 strata)",
                7,
            ),
        ],
    ),
    "a stratum of dropped rows is none": (
        {"a": ["x", "y", "x", "y", "z"], "fold": [0, 0, 1, 1, None]},
        {"by": "a", "nulls": "drop"},
        [("missing_strata", "ok", "in every fold: all 2 strata", 0)],
    ),
    "two folds leak whatever is dropped": (
        {"x": [1, 1, 1], "fold": [0, 1, None]},
        {"nulls": "drop"},
        [("duplicate_rows", "error", "equal a row of another fold: 2 rows (1 column)", 2)],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_checks(frame: Make, case: str) -> None:
    """Each check counts what it is about, and says it in these words."""
    data, arguments, expected = CASES[case]
    found = sf.audit(frame(data), **arguments)
    assert [(check, *one(check, found)) for check, *_ in expected] == expected


# Rows without a fold ----------------------------------------------------------------------


def test_a_column_of_nothing(frame: Make) -> None:
    """A fold column of nulls has no folds, and nothing leaks."""
    found = sf.audit(frame({"x": [1, 1], "fold": [None, None]}), groups="x", key="x", columns="x")
    assert values(found, "severity") == ["warning", "ok", "warning", "ok", "warning"]
    assert one("empty_folds", found) == ("warning", "there are no folds", 0)


# Groups -----------------------------------------------------------------------------------


def test_groups_of_several_columns(frame: Make) -> None:
    """A list of columns makes groups of their pairs."""
    data = frame({"site": [1, 1, 2, 2], "who": ["a", "b", "a", "b"], "fold": [0, 1, 0, 1]})
    assert one("split_groups", sf.audit(data, groups="site"))[2] == 2
    assert one("split_groups", sf.audit(data, groups=["site"]))[2] == 2
    assert one("split_groups", sf.audit(data, groups=["site", "who"]))[2] == 0
    assert one("split_groups", sf.audit(data, groups="who"))[2] == 0


# Rows -------------------------------------------------------------------------------------


def test_rows_are_compared_by_all_but_folds_and_key(frame: Make) -> None:
    """By default the fold columns and the key are not compared, and all others are."""
    data = frame({"x": [1, 1], "y": ["a", "a"], "id": [1, 2], "fold": [0, 1], "part": [0, 1]})
    found = sf.audit(data, ["fold", "part"], key="id")
    details = [row[2] for row in rows_of(found) if row[0] == "duplicate_rows"]
    assert details == ["equal a row of another fold: 2 rows (2 columns)"] * 2
    assert one("duplicate_rows", sf.audit(data, key=["id", "part"]))[2] == 2
    assert one("duplicate_rows", sf.audit(data, columns=["x", "y"]))[2] == 2
    assert one("duplicate_rows", sf.audit(data, columns=["x", "id"]))[2] == 0
    # The second fold column counts, where it is not named.
    assert one("duplicate_rows", sf.audit(data, key="id"))[:2] == (
        "warning",
        "hidden by unique columns: 'part'",
    )


def test_a_key_that_is_an_expression_is_not_compared() -> None:
    """An expression that names the key's column is that column."""
    data = pl.DataFrame({"x": [1, 1], "id": [1, 2], "fold": [0, 1]})
    for key in ("id", pl.col("id")):
        assert one("duplicate_rows", sf.audit(data, key=key))[::2] == ("error", 2)


def test_repeats_are_fold_columns(frame: Make) -> None:
    """The other repeats of a fold column are fold columns, and not compared."""
    data = {"x": [1, 1, 2, 2, 3, 3], "y_1": ["a"] * 6}
    found = sf.audit(sf.kfold(frame(data), "x", 2, repeats=3, rare="ignore"), "fold_1")
    assert one("duplicate_rows", found)[1:] == (
        "equal a row of another fold: 6 rows (2 columns)",
        6,
    )


@pytest.mark.parametrize(
    "column",
    [
        [1.5, 1.5],
        [None, None],
        [nan(), nan()],
        [nan(), None],
        [0.0, -0.0],
        ["x", "x"],
        [True, True],
        [dt.date(2024, 1, 1)] * 2,
        [dt.datetime(2024, 1, 1, 12)] * 2,
        [dt.timedelta(hours=1)] * 2,
        [2**62 + 1] * 2,
        [b"x", b"x"],
    ],
    ids=str,
)
def test_equal_values(frame: Make, column: list[Any]) -> None:
    """Values of every type are equal to themselves, missing ones too, and -0.0 is 0.0."""
    found = sf.audit(frame({"x": column, "y": ["a", "a"], "fold": [0, 1]}))
    assert one("duplicate_rows", found)[::2] == ("error", 2)


@pytest.mark.parametrize(
    ("dtype", "other"),
    [("Float64", pd.NA), ("float64[pyarrow]", None), ("float64[pyarrow]", nan())],
)
def test_nan_is_null_in_nullable_floats(dtype: str, other: Any) -> None:
    """A NaN that a computation left in a nullable float is missing."""
    zeros = pd.Series([0.0, 1.0], dtype=dtype)
    column = zeros / zeros
    column[1] = other
    data = pd.DataFrame({"x": column, "fold": [0, 1]})
    assert one("duplicate_rows", sf.audit(data))[::2] == ("error", 2)


@pytest.mark.parametrize(
    "column",
    [
        [2**53, 2**53 + 1],
        [-(2**63), 2**63 - 1],
        ["x", "X"],
        ["", None],
        [0.1 + 0.2, 0.3],
        [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, microsecond=1)],
        [0, None],
        [float("inf"), float("-inf")],
    ],
    ids=str,
)
def test_values_are_compared_exactly(frame: Make, column: list[Any]) -> None:
    """Values that are only near each other are not equal."""
    found = sf.audit(frame({"x": column, "fold": [0, 1]}))
    assert one("duplicate_rows", found)[2] == 0


@pytest.mark.parametrize(
    "column",
    [
        [3, 1, 2],
        ["c", "a", "b"],
        [3.0, 1.0, 2.0],
        [dt.date(2024, 1, day) for day in (1, 2, 3)],
        [dt.datetime(2024, 1, day) for day in (1, 2, 3)],
        [dt.timedelta(days=day) for day in (1, 2, 3)],
    ],
    ids=lambda column: type(column[0]).__name__,
)
def test_ids_hide_equal_rows(frame: Make, column: list[Any]) -> None:
    """Where all values of a column differ, no row is equal, and a warning names it."""
    data = frame({"x": [1, 1, 1], "id": column, "fold": [0, 1, 1]})
    assert one("duplicate_rows", sf.audit(data)) == ("warning", "hidden by unique columns: 'id'", 0)
    assert one("duplicate_rows", sf.audit(data, columns="x"))[::2] == ("error", 3)


@pytest.mark.parametrize("library", [pd, pl])
def test_ids_are_looked_for_in_all_rows(library: Any) -> None:
    """A value that is repeated far down makes a column no id."""
    n = 70_000
    data = {"a": [*range(n), 0], "b": [0] * n + [1], "fold": [0] * n + [1]}
    assert one("duplicate_rows", sf.audit(library.DataFrame(data)))[0] == "ok"
    found = one("duplicate_rows", sf.audit(library.DataFrame(data | {"a": list(range(n + 1))})))
    assert found == ("warning", "hidden by unique columns: 'a'", 0)


def test_one_row(frame: Make) -> None:
    """A single row is equal to none, and its values make no ids."""
    found = sf.audit(frame({"x": [1], "fold": [0]}), groups="x", key="x", columns="x")
    assert values(found, "severity") == ["ok", "ok", "ok", "ok", "warning"]
    assert one("empty_folds", found) == ("warning", "there is only one fold", 0)


def test_lists_are_refused(frame: Make, kind: str) -> None:
    """A column of lists is refused among all columns, and as groups, key or column."""
    held = "List(String)" if "polars" in kind else "list"
    message = f"A column must hold single values, but 'tags' is {held}."
    data = frame({"x": [1, 2], "tags": [["a"], ["b"]], "fold": [0, 1]})
    refuse(message, lambda: sf.audit(data))
    for argument in ("groups", "key", "columns"):
        refuse(message, lambda name=argument: sf.audit(data, **{"columns": "x", name: "tags"}))


# Oracles ----------------------------------------------------------------------------------

CELL = st.sampled_from([None, 0, 1, 2])
ROWS = st.lists(st.tuples(CELL, CELL, CELL, st.sampled_from([None, 0, 1])), min_size=1, max_size=14)


def in_pandas(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    """The rows as nullable integers, those without a fold in a fold of their own."""
    found = pd.DataFrame(rows, columns=["a", "b", "c", "fold"]).astype("Int64")
    return found.assign(fold=found["fold"].fillna(-1).astype("int64"))


@pytest.mark.parametrize("kind", KINDS)
@given(rows=ROWS)
def test_duplicates_against_pandas(kind: str, rows: list[tuple[Any, ...]]) -> None:
    """Equal rows in two folds are those that pandas finds, and so are ids."""
    data = in_pandas(rows)
    compared = data[["a", "b", "c"]]
    n_folds = data.groupby(["a", "b", "c"], dropna=False)["fold"].transform("nunique")
    expected = int((n_folds > 1).sum())
    frame = make(kind, dict(zip(data.columns, map(list, zip(*rows, strict=True)), strict=True)))
    severity, _, n = one("duplicate_rows", sf.audit(frame))
    assert n == expected
    ids = [name for name in compared if compared[name].nunique(dropna=False) == len(rows) > 1]
    warned = not expected and not compared.duplicated().any() and bool(ids)
    n_values = int(np.prod([compared[name].nunique(dropna=False) for name in compared]))
    leak = "warning" if 2 * n_values < len(rows) else "error"
    assert severity == (leak if expected else "warning" if warned else "ok")


@pytest.mark.parametrize("kind", KINDS)
@given(rows=ROWS)
def test_groups_and_keys_against_pandas(kind: str, rows: list[tuple[Any, ...]]) -> None:
    """Groups in two folds, and keys that are repeated, are those that pandas finds."""
    data = in_pandas(rows)
    frame = make(kind, dict(zip(data.columns, map(list, zip(*rows, strict=True)), strict=True)))
    found = sf.audit(frame, groups="a", key=["a", "b"], columns="c")
    split = data.dropna(subset="a").groupby("a")["fold"].nunique() > 1
    assert one("split_groups", found)[::2] == ("error" if split.any() else "ok", split.sum())
    keyed = data.dropna(subset=["a", "b"]).groupby(["a", "b"])["fold"].agg(["size", "nunique"])
    repeated = int((keyed["size"] > 1).sum())
    leaks = bool((keyed["nunique"] > 1).any())
    severity = "error" if leaks else "warning" if repeated else "ok"
    assert one("repeated_keys", found)[::2] == (severity, repeated)
    unassigned = int((data["fold"] < 0).sum())
    assert one("unassigned_rows", found)[::2] == ("warning" if unassigned else "ok", unassigned)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_values", [5, 40, 60])
def test_many_rows_against_pandas(kind: str, n_values: int) -> None:
    """Among many rows the equal ones are found, whether they are many or few."""
    rng = np.random.default_rng(n_values)
    n = 3000
    data: dict[str, Any] = {
        "a": rng.choice([*range(n_values), None], n).tolist(),
        "b": rng.choice([*(f"t{value}" for value in range(n_values)), None], n).tolist(),
        "c": rng.choice([0.5, 0.0, -0.0, None], n).tolist(),
        "fold": rng.choice([0, 1, 2, None], n, p=[0.4, 0.3, 0.2, 0.1]).tolist(),
    }
    table = pd.DataFrame(data).assign(fold=lambda df: df["fold"].fillna(-1))
    groups = table.groupby(["a", "b", "c"], dropna=False)["fold"]
    expected = int((groups.transform("nunique") > 1).sum())
    assert expected > 0
    found = sf.audit(make(kind, data), key=["a", "b", "c"], columns=["a", "b", "c"])
    assert one("duplicate_rows", found)[::2] == ("error", expected)
    keyed = table.dropna(subset=["a", "b", "c"]).groupby(["a", "b", "c"])["fold"]
    assert one("repeated_keys", found)[::2] == ("error", int((keyed.size() > 1).sum()))
    assert f"{keyed.ngroups:,} keys" in one("repeated_keys", found)[1]


@pytest.mark.parametrize("library", [pd, pl])
def test_few_equal_rows_far_down(library: Any) -> None:
    """Rows that are equal to one far above are found, and so are those above of like rows."""
    n = 70_000
    data = {"a": [*range(n), 3, 5, 5], "fold": [*[0] * n, 1, 0, 0]}
    found = sf.audit(library.DataFrame(data), key="a", columns="a")
    assert one("duplicate_rows", found)[::2] == ("error", 2)
    assert one("repeated_keys", found)[1:] == ("in several folds: 1 of 70,000 keys (2 rows)", 2)
    data = {"a": [*[0] * n, *range(n), 3], "fold": [*[0] * n, *[0] * n, 1]}
    found = sf.audit(library.DataFrame(data), key="a", columns="a")
    assert one("duplicate_rows", found)[::2] == ("error", 2)
    assert one("repeated_keys", found)[1:] == ("in several folds: 1 of 70,000 keys (2 rows)", 2)


# Folds ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folds", "expected"),
    [
        ([0, 1, 2], ("ok", "all 3 folds have rows", 0)),
        ([1, 2, 3], ("ok", "all 3 folds have rows", 0)),
        ([0, 1, 3], ("warning", "1 fold has no rows: 2", 1)),
        ([3, 1, 5], ("warning", "2 folds have no rows: 2, 4", 2)),
        ([2, 3, 4], ("warning", "1 fold has no rows: 1", 1)),
        ([0, 10, 20], ("warning", "18 folds have no rows: 1, 2, 3, 4, 5, ...", 18)),
        ([0.0, 2.0, 2.0], ("warning", "1 fold has no rows: 1", 1)),
        ([-1, 0, 2], ("warning", "1 fold has no rows: 1", 1)),
        ([1, 1, 1], ("warning", "there is only one fold", 0)),
        ([2, 2, 2], ("warning", "there is only one fold", 0)),
        ([2018, 2019, 2021], ("warning", "1 fold has no rows: 2020", 1)),
        (["a", "c", "a"], ("ok", "all 2 folds have rows", 0)),
        (["a", "a", "a"], ("warning", "there is only one fold", 0)),
        ([True, False, True], ("ok", "all 2 folds have rows", 0)),
        ([0.5, 1.5, 4.5], ("ok", "all 3 folds have rows", 0)),
        (
            [0, 10**9, 0],
            ("warning", "999,999,999 folds have no rows: 1, 2, 3, 4, 5, ...", 999_999_999),
        ),
    ],
    ids=str,
)
def test_gaps_in_whole_numbers(
    frame: Make, folds: list[Any], expected: tuple[str, str, int]
) -> None:
    """Folds that are whole numbers count from 0 or 1, and their gaps are empty folds."""
    found = sf.audit(frame({"x": [1, 1, 1], "fold": folds}))
    assert one("empty_folds", found) == expected


@pytest.mark.parametrize("folds", [[-(2**63), 2**63 - 1], [0, 2**64 - 1]], ids=str)
def test_gaps_too_large_to_count(folds: list[int]) -> None:
    """The widest gap that integers can have is a warning, not a crash."""
    found = sf.audit(pd.DataFrame({"x": [1, 1], "fold": folds}))
    assert one("empty_folds", found)[0] == "warning"


def test_parts_without_rows(kind: str) -> None:
    """Categories that no row has are empty folds, in their own order."""
    data = with_parts(kind, {"x": [1, 2, 3]}, ["train", "test", None], ["train", "valid", "test"])
    found = sf.audit(data)
    assert one("empty_folds", found) == ("warning", "1 fold has no rows: valid", 1)
    assert one("unassigned_rows", found)[2] == 1
    full = with_parts(kind, {"x": [1, 2]}, ["test", "train"], ["train", "test"])
    assert one("empty_folds", sf.audit(full)) == ("ok", "all 2 folds have rows", 0)
    bare = with_parts(kind, {"x": [1, 2]}, [None, None], ["train", "test"])
    assert one("empty_folds", sf.audit(bare)) == ("warning", "2 folds have no rows: train, test", 2)


def test_parts_of_a_split(frame: Make) -> None:
    """A split column is audited part by part, and a row equal across parts leaks."""
    data = sf.split(frame({"x": [1] * 10}), parts={"train": 0.7, "test": 0.3})
    found = sf.audit(data, "split", columns="x")
    assert one("duplicate_rows", found)[::2] == ("error", 10)
    assert one("empty_folds", found) == ("ok", "all 2 folds have rows", 0)


@pytest.mark.parametrize(
    ("categories", "expected"),
    [
        ([0, 1, 3], ("warning", "1 fold has no rows: 2", 1)),
        ([3, 0, 1], ("warning", "1 fold has no rows: 2", 1)),
        ([3, 1, 0, 2], ("warning", "1 fold has no rows: 2", 1)),
    ],
    ids=str,
)
def test_categories_of_whole_numbers(categories: list[int], expected: tuple[str, str, int]) -> None:
    """Categories that are numbers have gaps in whatever order they are listed."""
    folds = pd.Categorical([3, 0, 1], categories=categories)
    found = sf.audit(pd.DataFrame({"x": [1, 1, 1], "fold": folds}))
    assert one("empty_folds", found) == expected


# Strata -----------------------------------------------------------------------------------


def test_parts_without_rows_lack_no_strata(kind: str) -> None:
    """A part without rows is an empty fold, and not asked for strata."""
    data = {"label": ["a", "a"]}
    data = with_parts(kind, data, ["train", "test"], ["train", "valid", "test"])
    assert one("missing_strata", sf.audit(data, by="label"))[::2] == ("ok", 0)
    bare = with_parts(kind, {"label": ["a", "a"]}, [None, None], ["train", "test"])
    found = one("missing_strata", sf.audit(bare, by="label"))
    assert found == ("warning", "there are no folds", 0)


# pandas of all sorts ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "index",
    [[5, 5, 5, 5], list("dcba"), [3, 2, 1, 0], pd.date_range("2024", periods=4), [None, 1, 1, 2]],
    ids=str,
)
def test_the_index_is_no_matter(index: Any) -> None:
    """Any index gives what a plain one gives."""
    plain = pd.DataFrame(DATA)
    arguments: dict[str, Any] = {"by": "label", "groups": "who", "key": "id", "columns": "x"}
    expected = sf.audit(plain, **arguments)
    found = sf.audit(plain.set_axis(pd.Index(index), axis=0), **arguments)
    pd.testing.assert_frame_equal(found, expected)


def test_labels_of_all_types() -> None:
    """Numbers and tuples are labels as strings are."""
    labels = pd.Index([0, (1, 2), "fold"], dtype=object, tupleize_cols=False)
    data = pd.DataFrame([[1, 2, 0], [1, 2, 1], [2, 3, 1]], columns=labels)
    found = sf.audit(data, groups=[0], key=(1, 2), columns=[(1, 2)])
    assert one("split_groups", found)[2] == 1
    assert one("repeated_keys", found)[2] == 1
    assert one("duplicate_rows", found)[2] == 2
    # The key is not compared.
    assert one("duplicate_rows", sf.audit(data, key=(1, 2)))[1:] == (
        "equal a row of another fold: 2 rows (1 column)",
        2,
    )
    assert one("duplicate_rows", sf.audit(data))[1:] == (
        "equal a row of another fold: 2 rows (2 columns)",
        2,
    )


def test_column_levels() -> None:
    """Under column levels the fold column is not compared."""
    labels = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("fold", "")])
    data = pd.DataFrame([[1, 1, 0], [1, 1, 1]], columns=labels)
    assert one("duplicate_rows", sf.audit(data, columns=[("a", "x")]))[2] == 2
    assert one("duplicate_rows", sf.audit(data))[1:] == (
        "equal a row of another fold: 2 rows (2 columns)",
        2,
    )


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(["b", "b", "a"], categories=["z", "b", "a"]),
        pd.Series([1, 1, "a"], dtype=object),
        pd.Series([0.5, 0.5, 1], dtype=object),
        pd.Series([None, nan(), 1], dtype=object),
        pd.Series([pd.NA, None, "a"], dtype=object),
        pd.to_datetime(["2024-01-01", "2024-01-01", None]),
        pd.to_datetime(["2024-01-01", "2024-01-01", None], utc=True),
        pd.to_timedelta([1, 1, 2], unit="h"),
        pd.period_range("2024", periods=1, freq="D").repeat(3),
        pd.cut([1, 1, 9], 2),
        pd.arrays.SparseArray([0, 0, 1]),
        np.array([1, 1, 2], dtype=np.float16),
        np.array([1, 1, 2], dtype=np.uint64) + 2**63,
        np.array([1, 1, 2], dtype=">i4"),
        np.array([1, 1, 2], dtype=">f8"),
        np.array([1, 1, 2], dtype=np.longdouble),
        np.array([1, 1, 2j]),
        pd.Series([2**70, 2**70, 1], dtype=object),
    ],
    ids=lambda column: str(column.dtype),
)
def test_columns_of_pandas(column: Any) -> None:
    """Columns of every dtype of pandas are compared."""
    data = pd.DataFrame({"x": column, "fold": [0, 1, 1]})
    expected = 3 if len(set(map(str, data["x"]))) == 1 else 2
    assert one("duplicate_rows", sf.audit(data, columns="x"))[::2] == ("error", expected)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["b", "b", "a"], dtype=pl.Categorical),
        pl.Series(["b", "b", "a"], dtype=pl.Enum(["z", "b", "a"])),
        pl.Series([1, 1, 2], dtype=pl.Decimal(5, 2)),
        pl.Series([1, 1, 2], dtype=pl.Int128),
        pl.Series([1, 1, 2], dtype=pl.UInt8),
        pl.Series([1, 1, 2], dtype=pl.Float32),
        pl.Series([b"a", b"a", b"b"]),
        pl.Series([dt.time(1), dt.time(1), dt.time(2)]),
        pl.Series([1, 1, 2]).cast(pl.Datetime("ns", "Europe/Paris")),
        pl.Series([None, None, None]),
    ],
    ids=lambda column: str(column.dtype),
)
def test_columns_of_polars(column: pl.Series) -> None:
    """Columns of every dtype of Polars are compared, eager and lazy."""
    data = pl.DataFrame({"x": column, "fold": [0, 1, 1]})
    for each in (data, data.lazy()):
        n = 3 if column.dtype == pl.Null else 2
        assert one("duplicate_rows", sf.audit(each, columns="x"))[::2] == ("error", n)


MANY = [*range(40), 7]
"""Numbers of which only the last is repeated."""


@pytest.mark.parametrize(
    "dtype",
    [
        *(pl.String(), pl.Categorical(), pl.Enum([str(number) for number in range(40)])),
        *(pl.Decimal(9, 2), pl.Int128(), pl.UInt8(), pl.Float32(), pl.Float64(), pl.Binary()),
        *(pl.Date(), pl.Time(), pl.Duration("ms"), pl.Datetime("ns", "Europe/Paris")),
    ],
    ids=str,
)
def test_one_equal_pair_in_polars(dtype: pl.DataType) -> None:
    """One pair of equal rows among different ones is found in columns of every dtype."""
    column = pl.Series(MANY)
    as_text = dtype in (pl.Categorical, pl.Enum, pl.Binary)
    column = column.cast(pl.String).cast(dtype) if as_text else column.cast(dtype)
    data = pl.DataFrame({"x": column, "fold": [0] * 40 + [1]})
    assert one("duplicate_rows", sf.audit(data))[::2] == ("error", 2)
    assert one("repeated_keys", sf.audit(data, key="x"))[::2] == ("error", 1)


@pytest.mark.parametrize(
    "dtype",
    [
        *("int8", "uint64", "float16", "float32", "longdouble", ">i4", ">f8", "complex128"),
        *("Int64", "Float64", "string", "category", object, "datetime64[s]", "timedelta64[ns]"),
        *("int64[pyarrow]", "double[pyarrow]", "string[pyarrow]", "timestamp[us][pyarrow]"),
        *("Sparse[int64]", "period[D]"),
    ],
    ids=str,
)
def test_one_equal_pair_in_pandas(dtype: Any) -> None:
    """One pair of equal rows among different ones is found in columns of every dtype."""
    if dtype == "period[D]":
        column: Any = pd.PeriodIndex.from_ordinals(MANY, freq="D")
    else:
        column = pd.Series(MANY).astype(dtype)
    data = pd.DataFrame({"x": column, "fold": [0] * 40 + [1]})
    assert one("duplicate_rows", sf.audit(data))[::2] == ("error", 2)
    assert one("repeated_keys", sf.audit(data, key="x"))[::2] == ("error", 1)


def test_one_pair_that_is_equal_in_other_bits(frame: Make) -> None:
    """Among different rows NaN is found equal to null, and -0.0 to 0.0."""
    column = [0.0, *(number + 0.5 for number in range(40)), -0.0]
    found = sf.audit(frame({"x": column, "fold": [0] * 41 + [1]}), key="x")
    assert one("repeated_keys", found)[::2] == ("error", 1)
    assert one("duplicate_rows", sf.audit(frame({"x": column, "fold": [0] * 41 + [1]})))[2] == 2
    column = [None, *(number + 0.5 for number in range(40)), nan()]
    assert one("duplicate_rows", sf.audit(frame({"x": column, "fold": [0] * 41 + [1]})))[2] == 2
    sign = pd.DataFrame({"x": [nan(), *range(40), -nan()], "fold": [0] * 41 + [1]})
    assert one("duplicate_rows", sf.audit(sign))[2] == 2


def test_objects_that_cannot_be_compared() -> None:
    """Python objects without a hash, and types that are equal to others, are refused."""

    class Bare:
        __hash__ = None

    data = pd.DataFrame({"x": [Bare(), Bare()], "fold": [0, 1]})
    message = "Column 'x' holds values that cannot be compared: unhashable type: 'Bare'."
    refuse(message, lambda: sf.audit(data))
    refuse(message, lambda: sf.audit(data, key="x"))
    mixed = pd.DataFrame({"x": pd.Series([1, True], dtype=object), "fold": [0, 1]})
    message = (
        "Column 'x' mixes types whose values compare equal: bool, int.\nHint: cast it to one type."
    )
    refuse(message, lambda: sf.audit(mixed))


def test_folds_of_several_types_are_refused() -> None:
    """Folds that cannot be ordered are an error."""
    data = pd.DataFrame({"x": [1, 2], "fold": pd.Series([0, "a"], dtype=object)})
    refuse(
        "A column of `name` must hold values that can be ordered, but 'fold' mixes types.",
        lambda: sf.audit(data),
    )


# Computed columns, and lazy frames --------------------------------------------------------


def test_computed_columns() -> None:
    """Expressions of Polars and callables of pandas do for groups, keys and columns."""
    data = {"x": [1, 3, 2, 4], "fold": [0, 1, 1, 1]}
    odd = pl.col("x") % 2
    for table in (pl.DataFrame(data), pl.LazyFrame(data)):
        found = sf.audit(table, groups=odd, key=odd, columns=odd)
        assert values(found, "n") == [0, 1, 2, 2, 0]
    found = sf.audit(
        pd.DataFrame(data),
        groups=lambda df: df["x"] % 2,
        key=lambda df: df["x"] % 2,
        columns=lambda df: (df["x"] % 2).to_numpy(),
    )
    assert values(found, "n") == [0, 1, 2, 2, 0]


@pytest.mark.skipif(not hasattr(pd, "col"), reason="pandas has `pd.col` from 3.0 on")
def test_expressions_of_pandas() -> None:
    """Expressions of pandas do for groups, keys and columns."""
    data = pd.DataFrame({"x": [1, 3, 2, 4], "fold": [0, 1, 1, 1]})
    odd = pd.col("x") % 2
    assert values(sf.audit(data, groups=odd, key=odd, columns=odd), "n") == [0, 1, 2, 2, 0]
    assert values(sf.audit(data, key=odd), "n") == [0, 2, 0, 0]


def test_lazy_frames_collect_only_what_they_need() -> None:
    """With `columns` a column that is not named is not computed; without, all are."""
    data = {**DATA, "costly": [0, 0, 0, 0]}
    costly = pl.col("costly").map_batches(refuse_batch, return_dtype=pl.Int64)
    lazy = pl.LazyFrame(data).with_columns(costly)
    found = sf.audit(lazy, by="label", groups="who", key="id", columns="x")
    assert rows_of(found) == rows_of(
        sf.audit(pl.DataFrame(data), by="label", groups="who", key="id", columns="x")
    )
    with pytest.raises((AssertionError, pl.exceptions.ComputeError)):
        sf.audit(lazy)


def test_frames_stay_as_they_are(frame: Make, kind: str) -> None:
    """An audit changes nothing in the frame."""
    data = frame(DATA)
    before = data if "polars" in kind else data.copy(deep=True)
    sf.audit(data, by="label", groups="who", key="id")
    if "polars" in kind:
        assert data.lazy().collect().equals(pl.DataFrame(DATA))
    else:
        pd.testing.assert_frame_equal(data, before)


# Bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"name": ["fold", "part"]},
            "`name` names the column 'part', which the frame does not have.\n"
            "Hint: add it first, as in `df.strat.kfold(..., name='part')`.",
        ),
        (
            {"groups": sf.clusters(["xx"], 2)},
            "`groups` names the column 'xx', which the frame does not have.\n"
            "Hint: did you mean 'x'?",
        ),
        (
            {"columns": ["x", "labels"]},
            "`columns` names the column 'labels', which the frame does not have.\n"
            "Hint: did you mean 'label'?",
        ),
        ({"columns": []}, "`columns` must hold at least one column, got []."),
        ({"columns": {"x"}}, "`columns` must hold column names or expressions, got {'x'}."),
        ({"nulls": "error"}, "`nulls` must be 'train' or 'drop', got 'error'."),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    """A wrong argument is refused in these words, on a frame without rows, too."""
    for rows in (DATA, {name: [] for name in DATA}):
        refuse_now(message, lambda rows=rows: sf.audit(pd.DataFrame(rows), **arguments))


def test_bad_arguments_of_leaks() -> None:
    """The rows that leak are asked for with the same checks of arguments."""
    refuse_now(
        "`columns` names the column 'labels', which the frame does not have.\n"
        "Hint: did you mean 'label'?",
        lambda: sf.leaks(pd.DataFrame(DATA), columns=["labels"]),
    )


@pytest.mark.parametrize(
    "table", [[1], {"fold": [0]}, pd.Series([1]), None], ids=["list", "dict", "series", "none"]
)
def test_no_frame(table: Any) -> None:
    """What is no frame is refused."""
    refuse_now(
        f"`frame` must be a pandas, Polars, Dask or Spark frame, got {type(table).__name__}.",
        lambda: sf.audit(table),
    )
    refuse_now(
        f"`frame` must be a pandas or Polars frame, got {type(table).__name__}.",
        lambda: sf.leaks(table),
    )


@given(
    seed=st.integers(0, 2**32),
    ranges=st.lists(
        st.sampled_from([(0, 2), (-(2**63), 2**63 - 1), (2**40, 2**40 + 3), (-5, 2**31)]),
        min_size=2,
        max_size=5,
    ),
)
def test_whole_numbers_of_any_range_are_compared(seed: int, ranges: list[tuple[int, int]]) -> None:
    """Columns of near and far whole numbers are told apart, though some are put into one."""
    drawn = np.random.default_rng(seed)
    data = {f"c{place}": drawn.choice(pair, 60) for place, pair in enumerate(ranges)}
    frame = pl.DataFrame(data | {"fold": drawn.integers(0, 2, 60)})
    split = frame.group_by(list(data)).agg(pl.col("fold").n_unique(), n=pl.len())
    expected = split.filter(pl.col("fold") > 1)["n"].sum()
    assert one("duplicate_rows", sf.audit(frame))[2] == expected


def test_the_fold_column_is_never_compared(frame: Make) -> None:
    """Rows of two folds differ in the fold column, so that it is left out if it is named."""
    data = frame({"x": [1, 1, 2], "fold": [0, 1, 1]})
    assert one("duplicate_rows", sf.audit(data, columns=["x", "fold"]))[::2] == ("error", 2)
    labels = pd.MultiIndex.from_tuples([("a", "x"), ("fold", "")])
    levels = pd.DataFrame([[1, 0], [1, 1]], columns=labels)
    for name in ("fold", [("fold", "")]):
        assert one("duplicate_rows", sf.audit(levels, name))[::2] == ("error", 2)


def test_a_lazy_frame_is_collected_once() -> None:
    """All checks of all fold columns share one query."""
    calls: list[int] = []

    def count(series: pl.Series) -> pl.Series:
        calls.append(1)
        return series

    data = pl.LazyFrame({"x": [1, 1, 2], "a": [0, 1, 1], "b": [0, 0, 1]}).with_columns(
        pl.col("x").map_batches(count, return_dtype=pl.Int64)
    )
    assert len(sf.audit(data, ["a", "b"], by="x", groups="x", key="x")) == 12
    assert len(calls) == 1


# Columns of few values ---------------------------------------------------------------------


def test_a_label_alone_has_no_duplicates(frame: Make) -> None:
    """Rows that are equal because there are so few values are no error, but a warning."""
    data = {"id": list(range(100)), "label": ["a", "b"] * 50, "size": [1, 2, 3, 4] * 25}
    dealt = sf.kfold(frame(data), "label")
    narrow = sf.kfold(frame({name: data[name] for name in ("id", "label")}), "label")
    assert one("duplicate_rows", sf.audit(narrow, key="id")) == (
        "warning",
        "too few values to tell: 2 (1 column)",
        100,
    )
    assert one("duplicate_rows", sf.audit(dealt, key="id")) == (
        "warning",
        "too few values to tell: 8 (2 columns)",
        100,
    )
    named = sf.audit(dealt, key="id", columns=["label", "size"])
    assert one("duplicate_rows", named) == (
        "error",
        "equal a row of another fold: 100 rows (2 columns)",
        100,
    )


def test_rows_that_come_twice_are_duplicates(frame: Make) -> None:
    """Where there are values for each row to differ, equal rows are an error."""
    half = {"x": [row % 7 for row in range(40)], "y": [row // 7 for row in range(40)]}
    data = {name: column * 2 for name, column in half.items()}
    found = sf.audit(frame(data | {"fold": [0] * 40 + [1] * 40}))
    assert one("duplicate_rows", found) == (
        "error",
        "equal a row of another fold: 80 rows (2 columns)",
        80,
    )
    texts = frame({"text": [f"text {row % 40}" for row in range(80)], "fold": [0] * 40 + [1] * 40})
    assert one("duplicate_rows", sf.audit(texts)) == (
        "error",
        "equal a row of another fold: 80 rows (1 column)",
        80,
    )


# Details ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["id", "key"])
def test_details_are_short(frame: Make, key: str) -> None:
    """Whatever the values are called, a detail has fewer than 60 letters."""
    name = "a column of a name that is longer than it should be"
    n = 3000
    data = {
        "key": [row // 2 if row % 3 else None for row in range(n)],
        "id": [f"{'long ' * 12}{row}" for row in range(n)],
        name: [f"{'stratum ' * 9}{row % 40}" for row in range(n)],
        "fold": [row % 39 if row % 7 else None for row in range(n)],
    }
    found = sf.audit(frame(data), by=name, groups="key", key=key, columns=[name, "id"])
    assert max(map(len, values(found, "detail"))) < 60
    found = sf.audit(frame(data), by=sf.margins([name]), columns=name)
    assert max(map(len, values(found, "detail"))) < 60


def test_details_begin_with_what_matters(kind: str) -> None:
    """The 30 letters that Polars shows say what was found."""
    data = {"x": [1, 1, 2, 3], "who": list("abbb"), "id": [7, 7, 8, 9], "fold": [0, 1, None, 1]}
    found = sf.audit(make(kind, data), by="who", groups="who", key="id", columns="x")
    assert [text[:29] for text in values(found, "detail")] == [
        "in every training set: 1 row ",
        "in several folds: 1 of 2 grou",
        "in several folds: 1 of 3 keys",
        "equal a row of another fold: ",
        "all 2 folds have rows",
        "not in every fold: a, b (2 of",
    ]


@given(
    counts=st.lists(st.integers(0, 10**8), min_size=4, max_size=4),
    noun=st.sampled_from(["group", "key"]),
)
def test_details_of_many_rows_are_short(counts: list[int], noun: str) -> None:
    """Up to a hundred million rows a detail is short and has its number."""
    shared = SharedRows(*counts)
    text = fit(*in_several_folds(shared, noun), "; 100,000,000 rows without")
    assert len(text) < 60
    assert f"{shared.n_split:,} of" in text


# Rows without a fold that are in no training set -------------------------------------------


def test_dropped_rows_do_not_leak(frame: Make) -> None:
    """With `nulls="drop"` rows without a fold are no warning, and no check looks at them."""
    data = frame({"x": [1, 1, 2, 3], "label": list("aabb"), "fold": [0, None, 0, 1]})
    arguments = {"groups": "x", "key": "x", "columns": "x"}
    kept = sf.audit(data, **arguments)
    assert values(kept, "severity") == ["warning", "error", "error", "error", "ok"]
    found = sf.audit(data, nulls="drop", **arguments)
    assert values(found, "severity") == ["ok", "ok", "ok", "warning", "ok"]
    assert one("duplicate_rows", found) == ("warning", "hidden by unique columns: 'x'", 0)
    expected = ("ok", "in no training set: 1 row without a fold", 1)
    assert one("unassigned_rows", found) == expected
    assert one("split_groups", found) == ("ok", "3 groups, each in one fold", 0)


# The rows that leak -----------------------------------------------------------------------


def test_leaks_are_the_rows_that_audit_counts(frame: Make, kind: str) -> None:
    """Each leaking row comes with its position, its fold, its set and the check."""
    data = {
        "who": ["ann", "bob", "ann", "eve", "bob", "bob"],
        "id": [1, 2, None, 3, 2, None],
        "x": [5, 6, 5, 7, 8, 6],
        "fold": [0, 1, 1, 0, 1, None],
    }
    found = sf.leaks(frame(data), groups="who", key="id", columns="x")
    assert isinstance(found, pl.DataFrame if "polars" in kind else pd.DataFrame)
    assert columns_of(found) == {
        "check": ["split_groups"] * 5 + ["duplicate_rows"] * 4,
        "set": [0, 0, 1, 1, 1, 0, 0, 1, 1],
        "row": [0, 2, 1, 4, 5, 0, 2, 1, 5],
        "fold": [0, 1, 1, 1, None, 0, 1, 1, None],
        "who": ["ann", "ann", "bob", "bob", "bob", "ann", "ann", "bob", "bob"],
        "id": [1, None, 2, 2, None, 1, None, 2, None],
        "x": [5, 5, 6, 8, 6, 5, 5, 6, 6],
    }


def test_leaks_of_keys(frame: Make) -> None:
    """Keys in two folds leak; repeated ones in a single fold, and missing ones, do not."""
    data = {"id": [1, 1, 2, 2, None, None], "part": ["a", "b", "a", "a", "a", "b"]}
    found = sf.leaks(frame(data), "part", key="id", columns="id")
    keys = {name: cells[:2] for name, cells in columns_of(found).items()}
    assert keys == {
        "check": ["repeated_keys"] * 2,
        "set": [0, 0],
        "row": [0, 1],
        "part": ["a", "b"],
        "id": [1, 1],
    }
    assert values(found, "check")[2:] == ["duplicate_rows"] * 4  # missing values are equal


@pytest.mark.parametrize("kind", KINDS)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([0, 1, 2, None]),
            st.sampled_from(["a", "b", None]),
            st.sampled_from([0, 1, None]),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_leaks_add_up(kind: str, rows: list[tuple[Any, ...]]) -> None:
    """There are as many leaking rows and sets as `audit` counts, and all of a set are equal."""
    x, g, folds = map(list, zip(*rows, strict=True))
    data = make(kind, {"x": x, "g": g, "fold": folds})
    found = sf.leaks(data, groups="g", columns=["x", "g"])
    audited = sf.audit(data, groups="g", columns=["x", "g"])
    checks = values(found, "check")
    assert one("duplicate_rows", audited)[2] == checks.count("duplicate_rows")
    sets: dict[tuple[str, int], list[int]] = {}
    for check, number, row in zip(checks, values(found, "set"), values(found, "row"), strict=True):
        sets.setdefault((check, number), []).append(row)
    n_groups = sum(check == "split_groups" for check, _ in sets)
    assert one("split_groups", audited)[2] == n_groups
    for (check, _), members in sets.items():
        assert members == sorted(members)
        assert len({folds[row] for row in members}) > 1
        assert len({g[row] if check == "split_groups" else rows[row][:2] for row in members}) == 1


def test_no_leaks(frame: Make) -> None:
    """Where nothing leaks, and in a frame without rows, the table is empty."""
    columns = ["check", "set", "row", "fold", "who"]
    for data in ({**DATA, "who": list("abcd")}, {name: [] for name in DATA}):
        found = sf.leaks(frame(data), groups="who", columns="who")
        assert list(found.columns) == columns
        assert len(found) == 0


def test_leaks_of_several_columns(frame: Make) -> None:
    """Of several fold columns the first column says which; names of the table stay its own."""
    data = {"row": [1, 1], "set": [2, 2], "a": [0, 1], "b": ["p", "q"], "c": [1, 1]}
    found = sf.leaks(frame(data), ["a", "b", "c"], columns=["row", "set"])
    assert columns_of(found) == {
        "column": ["a", "a", "b", "b"],
        "check": ["duplicate_rows"] * 4,
        "set": [0] * 4,
        "row": [0, 1, 0, 1],
        "fold": ["0", "1", "p", "q"],
    }


def test_leaks_by_default_compare_all_columns(frame: Make) -> None:
    """Without `columns` all others are compared, and none is added to the table."""
    found = sf.leaks(frame({"x": [1, 1, 2], "y": [1, 1, 2], "fold": [0, 1, 1]}))
    assert columns_of(found) == {
        "check": ["duplicate_rows"] * 2,
        "set": [0, 0],
        "row": [0, 1],
        "fold": [0, 1],
    }


def test_leaks_of_computed_groups() -> None:
    """Clusters and expressions make groups whose rows are listed, too."""
    data = pl.DataFrame({"x": [0.0, 0.1, 10.0, 10.1], "fold": [0, 1, 0, 0]})
    found = sf.leaks(data, groups=sf.clusters(["x"], 2), columns="x")
    assert found["row"].to_list() == [0, 1]
    found = sf.leaks(data, groups=pl.col("x") > 5, columns="x")
    assert found["row"].to_list() == [0, 1]
