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
from stratframe.verbs.audit_checks import LONGEST, count_leaks, fit
from tests.helpers import KINDS, Make, columns_of, evaluate, make, refuse_now, values

COLUMNS = ["severity", "check", "n", "detail"]
DATA: dict[str, Any] = {
    "x": [1, 1, 2, 3],
    "who": ["a", "b", "b", "b"],
    "id": [10, 11, 12, 13],
    "label": ["p", "q", "p", "q"],
    "fold": [0, 0, 1, 1],
}


def lines(found: Any) -> list[str]:
    """Write the rows of an audit, one line for each."""
    rows = zip(*(values(found, name) for name in COLUMNS), strict=True)
    return [f"{check} {severity} {n}: {detail}" for severity, check, n, detail in rows]


def one(check: str, found: Any) -> tuple[str, str, int]:
    """Take the severity, detail and number of one check, which comes once."""
    rows = zip(*(values(found, name) for name in ("check", "severity", "detail", "n")), strict=True)
    (row,) = [row[1:] for row in rows if row[0] == check]
    return row


def nan() -> float:
    return float("nan")


def with_parts(kind: str, data: dict[str, Any], parts: list[Any], categories: list[Any]) -> Any:
    """Make a frame whose column `fold` is of categories, some of them perhaps unused."""
    frame = make(kind, data)
    if "polars" in kind:
        return frame.with_columns(fold=pl.lit(pl.Series(parts, dtype=pl.Enum(categories))))
    return frame.assign(fold=pd.Categorical(parts, categories=categories))


# The table --------------------------------------------------------------------------------


def test_a_row_for_every_check(frame: Make, kind: str) -> None:
    """All checks are in their order, and count in 64-bit integers."""
    found = sf.audit(frame(DATA), by="label", groups="who", key="id", columns="x")
    assert list(found.columns) == COLUMNS
    assert found["n"].dtype == (pl.Int64 if "polars" in kind else np.int64)
    assert lines(found) == [
        "unassigned_rows ok 0: every row has a fold",
        "split_groups error 1: 1 of 2 groups leaks (3 rows)",
        "repeated_keys ok 0: none of 4 keys repeats",
        "duplicate_rows ok 0: no rows equal across folds (1 column)",
        "empty_folds ok 0: all 2 folds have rows",
        "missing_strata ok 0: every fold has all 2 strata",
    ]


@pytest.mark.parametrize(
    ("arguments", "left_out"),
    [
        ({}, {"split_groups", "repeated_keys", "missing_strata"}),
        ({"groups": "who", "columns": "x"}, {"repeated_keys", "missing_strata"}),
        ({"key": "id"}, {"split_groups", "missing_strata"}),
        ({"by": "label"}, {"split_groups", "repeated_keys"}),
    ],
)
def test_checks_without_an_argument_are_left_out(
    frame: Make, arguments: dict[str, Any], left_out: set[str]
) -> None:
    """What is always checked comes with the checks that the arguments ask for."""
    order = ["unassigned_rows", "split_groups", "repeated_keys", "duplicate_rows"]
    order += ["empty_folds", "missing_strata"]
    found = values(sf.audit(frame(DATA), **arguments), "check")
    assert found == [name for name in order if name not in left_out]


def test_dealt_folds_pass(frame: Make) -> None:
    """Folds dealt by group leave nothing to say but that ids differ."""
    data = {"who": [row // 3 for row in range(60)], "label": ["a", "b"] * 30}
    dealt = sf.kfold(frame(data), "label", 4, groups="who")
    found = sf.audit(dealt, by="label", groups="who", columns="who")
    assert set(values(found, "severity")) == {"ok"}


# Checks on a few rows ---------------------------------------------------------------------


CASES: dict[str, tuple[Any, ...]] = {
    "one row without a fold": (
        {"x": [1, 2, 3], "fold": [0, None, 1]},
        {},
        "unassigned_rows warning 1: 1 row has no fold",
    ),
    "a fold that is NaN is missing": (
        {"x": [1, 2, 3, 4], "fold": [0.0, nan(), None, 1.0]},
        {},
        "unassigned_rows warning 2: 2 rows have no fold",
        "empty_folds ok 0: all 2 folds have rows",
    ),
    "what is in a fold and in a row without one leaks": (
        {"x": [1, 1, 2, 3], "fold": [0, None, 0, 1]},
        {"groups": "x", "key": "x", "columns": "x"},
        "split_groups error 1: 1 of 3 groups leaks (2 rows)",
        "repeated_keys error 1: 1 of 3 keys leaks (2 rows)",
        "duplicate_rows error 2: 2 rows equal across folds (1 column)",
    ),
    "rows without a fold do not leak among themselves": (
        {"x": [1, 1, 2, 3], "fold": [None, None, 0, 1]},
        {"groups": "x", "key": "x", "columns": "x"},
        "split_groups ok 0: none of 3 groups leaks",
        "repeated_keys warning 1: 1 of 3 keys repeats in a fold",
        "duplicate_rows ok 0: no rows equal across folds (1 column)",
    ),
    "groups that are NaN are missing": (
        {"x": [1.0, nan(), None, 2.0], "fold": [0, 0, 1, 1]},
        {"groups": "x"},
        "split_groups ok 0: none of 4 groups leaks",
    ),
    "near rows in one fold": (
        {"x": [0.0, 0.1, 10.0, 10.1], "fold": [0, 0, 1, 1]},
        {"groups": sf.clusters(["x"], 2)},
        "split_groups ok 0: none of 2 groups leaks",
    ),
    "near rows in two folds are split groups": (
        {"x": [0.0, 0.1, 10.0, 10.1], "fold": [0, 1, 0, 1]},
        {"groups": sf.clusters(["x"], 2)},
        "split_groups error 2: 2 of 2 groups leak (4 rows)",
    ),
    "keys repeated in one fold": (
        {"id": [7, 7, 8, 8, 9], "fold": [0, 0, 1, 1, 1]},
        {"key": "id"},
        "repeated_keys warning 2: 2 of 3 keys repeat in a fold",
    ),
    "keys repeated in two folds, and within one": (
        {"id": [7, 7, 8, 8, 8], "fold": [0, 0, 1, 0, 1]},
        {"key": "id"},
        "repeated_keys error 2: 1 of 2 keys leaks (3 rows)",
    ),
    "keys that are NaN are missing": (
        {"id": [1.0, nan(), None, 2.0], "fold": [0, 0, 1, 1]},
        {"key": "id"},
        "repeated_keys ok 0: none of 2 keys repeats; 2 rows without",
    ),
    "one row without a key": (
        {"id": ["a", "a", None], "fold": [0, 1, 1]},
        {"key": "id"},
        "repeated_keys error 1: 1 of 1 key leaks (2 rows); 1 row without",
    ),
    "no row has a key": (
        {"x": [1, 2], "id": [None, None], "fold": [0, 1]},
        {"key": "id"},
        "repeated_keys ok 0: none of 0 keys repeats; 2 rows without",
    ),
    "several columns are the key together": (
        {"a": [1, 1, 1, None, None], "b": ["x", "y", "x", "x", "x"], "fold": [0, 0, 1, 0, 1]},
        {"key": ["a", "b"]},
        "repeated_keys error 1: 1 of 2 keys leaks (2 rows); 2 rows without",
    ),
    "rows that are equal in their fold only do not count": (
        {"x": [1, 1, 1, 2, 2, 3], "fold": [0, 0, 1, 1, 1, 0]},
        {},
        "duplicate_rows error 3: 3 rows equal across folds (1 column)",
    ),
    "numbers with fractions are no ids": (
        {"x": [0.5, 1.5, 2.0], "y": [1, 1, 2], "fold": [0, 1, 1]},
        {},
        "duplicate_rows ok 0: no rows equal across folds (2 columns)",
    ),
    "as many ids are named as there is room for": (
        {**{f"c{place}": [1, 2] for place in range(7)}, "fold": [0, 1]},
        {},
        "duplicate_rows warning 0: hidden by ids: 'c0', 'c1', 'c2', 'c3', ...",
    ),
    "an id may lack one value": (
        {"x": ["a", "b", None], "fold": [0, 1, 1]},
        {},
        "duplicate_rows warning 0: hidden by ids: 'x'",
    ),
    "what lacks two values is no id": (
        {"x": ["a", None, None], "y": [1, 1, 2], "fold": [0, 1, 1]},
        {},
        "duplicate_rows ok 0: no rows equal across folds (2 columns)",
    ),
    "equal rows in one fold rule ids out": (
        {"x": [1, 1, 2], "fold": [0, 0, 1]},
        {},
        "duplicate_rows ok 0: no rows equal across folds (1 column)",
    ),
    "a fold column alone": (
        {"fold": [0, 1, 1]},
        {},
        "duplicate_rows warning 0: no columns to compare",
    ),
    "lists in other columns than those named": (
        {"x": [1, 1], "tags": [["a"], ["b"]], "fold": [0, 1]},
        {"columns": "x"},
        "duplicate_rows error 2: 2 rows equal across folds (1 column)",
    ),
    "strata that a fold lacks": (
        {"label": ["a", "a", "b", None], "site": [1, 1, 2, 2], "fold": [0, 1, 1, 0]},
        {"by": "label", "columns": "label"},
        "missing_strata warning 2: 2 of 3 strata miss a fold: b, missing",
    ),
    "joint strata that a fold lacks": (
        {"label": ["a", "a", "b", None], "site": [1, 1, 2, 2], "fold": [0, 1, 1, 0]},
        {"by": ["site", "label"], "columns": "label"},
        "missing_strata warning 2: 2 of 3 strata miss a fold: (2, b), ...",
    ),
    "strata of rows without a fold are in none": (
        {"label": ["a", "a", "b"], "fold": [0, 1, None]},
        {"by": "label"},
        "missing_strata warning 1: 1 of 2 strata misses a fold: b",
    ),
    "strata need no rows without a fold": (
        {"label": ["a", "a", "a"], "fold": [0, 1, None]},
        {"by": "label"},
        "missing_strata ok 0: every fold has all 1 strata",
    ),
    "bins are strata": (
        {"x": [1, 2, 8, 9], "fold": [0, 0, 1, 1]},
        {"by": sf.bins("x", [0, 5, 10])},
        "missing_strata warning 2: 2 of 2 strata miss a fold: [0, 5], (5, 10]",
    ),
    "margins are strata": (
        {"x": [1, 2, 8, 9], "label": ["a", "b", "a", "b"], "fold": [0, 0, 1, 1]},
        {"by": sf.margins(["label", sf.bins("x", [0, 5, 10])])},
        "missing_strata warning 2: 2 of 4 strata miss a fold: x: [0, 5], ...",
    ),
    "as many missing strata are named as there is room for": (
        {"label": list("gfedcba"), "fold": [0, 1] * 3 + [0]},
        {"by": "label"},
        "missing_strata warning 7: 7 of 7 strata miss a fold: a, b, c, d, ...",
    ),
    "a stratum of dropped rows is none": (
        {"a": ["x", "y", "x", "y", "z"], "fold": [0, 0, 1, 1, None]},
        {"by": "a", "nulls": "drop"},
        "missing_strata ok 0: every fold has all 2 strata",
    ),
    "two folds leak whatever is dropped": (
        {"x": [1, 1, 1], "fold": [0, 1, None]},
        {"nulls": "drop"},
        "duplicate_rows error 2: 2 rows equal across folds (1 column)",
    ),
}
"""A frame, arguments, and some of the checks of the audit."""


@pytest.mark.parametrize("case", CASES)
def test_checks(frame: Make, case: str) -> None:
    """Each check counts what it is about, and says it in these words."""
    data, arguments, *expected = CASES[case]
    asked = {line.split()[0] for line in expected}
    found = lines(sf.audit(frame(data), **arguments))
    assert [line for line in found if line.split()[0] in asked] == expected


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
    expected = "duplicate_rows error 2: 2 rows equal across folds"
    assert lines(found).count(expected) == 2
    assert one("duplicate_rows", sf.audit(data, key=["id", "part"]))[2] == 2
    assert one("duplicate_rows", sf.audit(data, columns=["x", "y"]))[2] == 2
    assert one("duplicate_rows", sf.audit(data, columns=["x", "id"]))[2] == 0
    # The second fold column counts, where it is not named.
    assert one("duplicate_rows", sf.audit(data, key="id"))[:2] == (
        "warning",
        "hidden by ids: 'part'",
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
    assert one("duplicate_rows", found)[1] == "6 rows equal across folds (2 columns)"


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
    assert one("duplicate_rows", sf.audit(data)) == ("warning", "hidden by ids: 'id'", 0)
    assert one("duplicate_rows", sf.audit(data, columns="x"))[::2] == ("error", 3)


def test_one_row(frame: Make) -> None:
    """A single row is equal to none, and its values make no ids."""
    found = sf.audit(frame({"x": [1], "fold": [0]}), groups="x", key="x", columns="x")
    assert values(found, "severity") == ["ok", "ok", "ok", "ok", "warning"]
    assert one("empty_folds", found) == ("warning", "there is only one fold", 0)


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
@pytest.mark.parametrize(
    ("column", "folds"),
    [
        ([*range(70_000), 3, 5, 5], [*[0] * 70_000, 1, 0, 0]),
        ([*[0] * 70_000, *range(70_000), 3], [*[0] * 140_000, 1]),
    ],
    ids=["below different rows", "below equal rows"],
)
def test_few_equal_rows_far_down(library: Any, column: list[int], folds: list[int]) -> None:
    """Rows that are equal to one far above are found, whatever the first rows are."""
    found = sf.audit(library.DataFrame({"a": column, "fold": folds}), key="a", columns="a")
    assert one("duplicate_rows", found)[::2] == ("error", 2)
    assert one("repeated_keys", found)[1:] == ("1 of 70,000 keys leaks (2 rows)", 2)


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
        ([-2, -1, 1], ("warning", "1 fold has no rows: 0", 1)),
        ([1, 1, 1], ("warning", "there is only one fold", 0)),
        ([2, 2, 2], ("warning", "there is only one fold", 0)),
        ([2018, 2019, 2021], ("warning", "1 fold has no rows: 2020", 1)),
        (["a", "c", "a"], ("ok", "all 2 folds have rows", 0)),
        (["a", "a", "a"], ("warning", "there is only one fold", 0)),
        ([True, False, True], ("ok", "all 2 folds have rows", 0)),
        ([0.5, 1.5, 4.5], ("ok", "all 3 folds have rows", 0)),
        (
            [0, 10**9, 0],
            ("warning", "999,999,999 folds have no rows: 1, 2, ...", 999_999_999),
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
        "2 rows equal across folds (1 column)",
        2,
    )
    assert one("duplicate_rows", sf.audit(data))[1:] == (
        "2 rows equal across folds (2 columns)",
        2,
    )


def test_column_levels() -> None:
    """Under column levels the fold column and its repeats are not compared."""
    labels = [("a", "x"), ("a", "y"), ("fold_1", ""), ("fold_2", "")]
    rows = [[1, 1, 0, 1], [1, 1, 1, 0]]
    data = pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(labels))
    assert one("duplicate_rows", sf.audit(data, "fold_1", columns=[("a", "x")]))[2] == 2
    for name in ("fold_1", [("fold_1", "")]):
        detail = one("duplicate_rows", sf.audit(data, name))[1]
        assert detail == "2 rows equal across folds (2 columns)"


DTYPES = [
    *(pl.String(), pl.Categorical(), pl.Enum([str(number) for number in range(40)]), pl.Binary()),
    *(pl.Decimal(9, 2), pl.Int128(), pl.UInt8(), pl.Float32(), pl.Float64(), pl.Date(), pl.Time()),
    *(pl.Duration("ms"), pl.Datetime("ns", "Europe/Paris")),
    *("int8", "uint64", "float16", "float32", "longdouble", ">i4", ">f8", "complex128"),
    *("Int64", "Float64", "string", "category", object, "datetime64[s]", "timedelta64[ns]"),
    *("int64[pyarrow]", "double[pyarrow]", "string[pyarrow]", "timestamp[us][pyarrow]"),
    *("datetime64[ns, UTC]", "Sparse[int64]", "period[D]", "interval"),
]


def of_dtype(numbers: list[int], dtype: Any) -> Any:
    """Make a frame of these numbers in a type, all but the last in fold 0."""
    folds = [0] * (len(numbers) - 1) + [1]
    if isinstance(dtype, pl.DataType):
        column = pl.Series(numbers)
        as_text = dtype in (pl.Categorical, pl.Enum, pl.Binary)
        column = column.cast(pl.String).cast(dtype) if as_text else column.cast(dtype)
        return pl.DataFrame({"x": column, "fold": folds})
    if dtype == "period[D]":
        return pd.DataFrame({"x": pd.PeriodIndex.from_ordinals(numbers, freq="D"), "fold": folds})
    if dtype == "interval":
        return pd.DataFrame({"x": pd.cut(numbers, range(-1, 50)), "fold": folds})
    if dtype == "datetime64[ns, UTC]":
        return pd.DataFrame({"x": pd.to_datetime(numbers, utc=True), "fold": folds})
    return pd.DataFrame({"x": pd.Series(numbers).astype(dtype), "fold": folds})


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("numbers", [[*range(40), 7], [7, 3, 3, 3, 3, 7]], ids=["few", "many"])
def test_one_equal_pair_of_every_dtype(dtype: Any, numbers: list[int]) -> None:
    """A pair of equal rows is found in columns of every dtype, if few or many rows are equal."""
    data = of_dtype(numbers, dtype)
    assert one("duplicate_rows", sf.audit(data, columns="x"))[::2] == ("error", 2)
    assert one("repeated_keys", sf.audit(data, key="x"))[0] == "error"


@pytest.mark.parametrize(
    "column",
    [[1, 1, "a"], [0.5, 0.5, 1], [None, nan(), 1], [pd.NA, None, "a"], [2**70, 2**70, 1]],
    ids=str,
)
def test_equal_objects(column: list[Any]) -> None:
    """Python objects of any types are compared, and all missing values are equal."""
    data = pd.DataFrame({"x": pd.Series(column, dtype=object), "fold": [0, 1, 1]})
    assert one("duplicate_rows", sf.audit(data, columns="x"))[::2] == ("error", 2)


@pytest.mark.parametrize("pair", [(0.0, -0.0), (None, nan())])
def test_one_pair_that_is_equal_in_other_bits(frame: Make, pair: tuple[Any, Any]) -> None:
    """Among different rows NaN is found equal to null, and -0.0 to 0.0."""
    column = [pair[0], *(number + 0.5 for number in range(40)), pair[1]]
    found = sf.audit(frame({"x": column, "fold": [0] * 41 + [1]}))
    assert one("duplicate_rows", found)[2] == 2
    sign = pd.DataFrame({"x": [nan(), *range(40), -nan()], "fold": [0] * 41 + [1]})
    assert one("duplicate_rows", sf.audit(sign))[2] == 2


# Computed columns, and lazy frames --------------------------------------------------------


COMPUTED = {
    "Polars": (pl.DataFrame, pl.col("x") % 2),
    "lazy": (pl.LazyFrame, pl.col("x") % 2),
    "callable": (pd.DataFrame, lambda df: df["x"] % 2),
    "array": (pd.DataFrame, lambda df: (df["x"] % 2).to_numpy()),
    **({"pandas": (pd.DataFrame, pd.col("x") % 2)} if hasattr(pd, "col") else {}),
}


@pytest.mark.parametrize("case", COMPUTED)
def test_computed_columns(case: str) -> None:
    """Expressions of both libraries, and callables, do for groups, keys and columns."""
    make_frame, odd = COMPUTED[case]
    data = make_frame({"x": [1, 3, 2, 4], "fold": [0, 1, 1, 1]})
    assert values(sf.audit(data, groups=odd, key=odd, columns=odd), "n") == [0, 1, 2, 2, 0]
    assert values(sf.audit(data, key=odd), "n") == [0, 2, 0, 0]


# Bad input --------------------------------------------------------------------------------


BAD_ARGUMENTS = {
    "groups=sf.clusters(['xx'], 2)": (
        "`groups` names the column 'xx', which the frame does not have.\nHint: did you mean 'x'?"
    ),
    "columns=['x', 'labels']": (
        "`columns` names the column 'labels', which the frame does not have.\n"
        "Hint: did you mean 'label'?"
    ),
    "columns={'x'}": "`columns` must hold column names or expressions, got {'x'}.",
}
"""Arguments of `audit` and `leaks`, and the message of each."""


@pytest.mark.parametrize("code", BAD_ARGUMENTS)
@pytest.mark.parametrize("verb", [sf.audit, sf.leaks])
def test_bad_arguments(verb: Any, code: str) -> None:
    """A wrong argument is refused in these words, on a frame without rows, too."""
    arguments = evaluate(f"dict({code})")
    for rows in (DATA, {name: [] for name in DATA}):
        refuse_now(BAD_ARGUMENTS[code], lambda rows=rows: verb(pd.DataFrame(rows), **arguments))


def test_no_rows_are_compared_by_no_columns(frame: Make) -> None:
    """With an empty list of columns no equal rows are looked for."""
    data = frame({"x": [1, 1], "fold": [0, 1]})
    assert "duplicate_rows" in values(sf.audit(data), "check")
    assert "duplicate_rows" not in values(sf.audit(data, columns=[]), "check")
    assert values(sf.leaks(data, columns=[]), "row") == []


def test_where_rows_without_a_fold_may_be() -> None:
    """Rows without a fold train, or are dropped."""
    message = "`nulls` must be 'train' or 'drop', got 'error'."
    refuse_now(message, lambda: sf.audit(pd.DataFrame(DATA), nulls="error"))


def test_what_is_no_frame() -> None:
    """Leaks are listed of frames in memory alone; audits are made of all."""
    message = "`frame` must be a pandas, Polars, Dask or Spark frame, got list."
    refuse_now(message, lambda: sf.audit([1]))
    message = "`frame` must be a pandas or Polars frame, got list."
    refuse_now(message, lambda: sf.leaks([1]))


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
    assert one("duplicate_rows", named)[::2] == ("error", 100)


def test_rows_that_come_twice_are_duplicates(frame: Make) -> None:
    """Where there are values for each row to differ, equal rows are an error."""
    rows, folds = [*range(40)] * 2, [0] * 40 + [1] * 40
    pairs = {"x": [row % 7 for row in rows], "y": [row // 7 for row in rows]}
    for columns in (pairs, {"text": [f"text {row}" for row in rows]}):
        found = sf.audit(frame({**columns, "fold": folds}))
        assert one("duplicate_rows", found)[::2] == ("error", 80)


# Details ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["id", "key"])
def test_details_are_short(frame: Make, key: str) -> None:
    """Whatever the values are called, a detail has at most 42 letters, of several columns 28."""
    name = "a column of a name that is longer than it should be"
    n = 3000
    data = {
        "key": [row // 2 if row % 3 else None for row in range(n)],
        "id": [f"{'long ' * 12}{row}" for row in range(n)],
        name: [f"{'stratum ' * 9}{row % 40}" for row in range(n)],
        "fold": [row % 39 if row % 7 else None for row in range(n)],
        "other": [row % 5 for row in range(n)],
    }
    for names, longest in (("fold", 42), (["fold", "other"], 28)):
        found = sf.audit(frame(data), names, by=name, groups="key", key=key, columns=[name, "id"])
        assert max(map(len, values(found, "detail"))) <= longest
        found = sf.audit(frame(data), names, by=sf.margins([name]), columns=name)
        assert max(map(len, values(found, "detail"))) <= longest


@given(
    counts=st.lists(st.integers(0, 10**8), min_size=4, max_size=4),
    noun=st.sampled_from(["group", "key"]),
)
def test_details_of_many_rows_are_short(counts: list[int], noun: str) -> None:
    """Up to a hundred million rows a detail is short and begins with its number."""
    shared = SharedRows(*counts)
    detail, more = count_leaks(shared, noun)
    text = fit(LONGEST, detail, *more, "; 100,000,000 rows without")
    assert len(text) <= LONGEST
    assert text.startswith(f"{shared.n_split:,} of" if shared.n_split else "none of")


# Rows without a fold that are in no training set -------------------------------------------


def test_dropped_rows_do_not_leak(frame: Make) -> None:
    """With `nulls="drop"` rows without a fold are no warning, and no check looks at them."""
    data = frame({"x": [1, 1, 2, 3], "label": list("aabb"), "fold": [0, None, 0, 1]})
    arguments = {"groups": "x", "key": "x", "columns": "x"}
    kept = sf.audit(data, **arguments)
    assert values(kept, "severity") == ["warning", "error", "error", "error", "ok"]
    found = sf.audit(data, nulls="drop", **arguments)
    assert values(found, "severity") == ["ok", "ok", "ok", "warning", "ok"]
    assert one("duplicate_rows", found) == ("warning", "hidden by ids: 'x'", 0)
    expected = ("ok", "1 row has no fold", 1)
    assert one("unassigned_rows", found) == expected
    assert one("split_groups", found) == ("ok", "none of 3 groups leaks", 0)


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


def test_rows_without_a_fold_in_leaks_of_several_columns(frame: Make) -> None:
    """Rows without a fold have none in a table of several columns, beside numbers or names."""
    data = {"x": [1, 1, 1], "a": [0, 1, None], "b": [None, 3, 4], "part": ["u", None, "v"]}
    folds = values(sf.leaks(frame(data), ["a", "b"], columns="x"), "fold")
    assert folds == [0, 1, None, None, 3, 4]
    folds = values(sf.leaks(frame(data), ["a", "part"], columns="x"), "fold")
    assert folds == ["0", "1", None, "u", None, "v"]


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
