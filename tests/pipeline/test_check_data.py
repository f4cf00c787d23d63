"""Rows that a call cannot take: missing and infinite values, keys, rare strata."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pandas as pd
import pandera.errors
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import (
    HALVES,
    Make,
    at_fault,
    eager,
    refuse,
    refuse_now,
    run_shown,
    values,
    warned,
)

SILENCED = '`rare="ignore"` silences this warning.'
NAN = float("nan")
INF = float("inf")
DAYS = [dt.date(2026, 1, day) for day in (1, 2, 3)]
GAPS = {"patient": [1, None, 1, 2, None, 3, 2, 3], "label": list("abababab")}
NO_FOLD = 'in `kfold`, `missing="null"` leaves the fold of these rows null.'
STRATUM = f'\nHint: `missing="stratum"` makes missing values a stratum of their own; {NO_FOLD}'
ALONE = f'\nHint: `missing="stratum"` makes each of these rows a group of its own; {NO_FOLD}'
CUT = "\nHint: drop these rows, or cut the column into bins, as in `sf.quantiles('x', 10)`;"
TOGETHER = (
    "\nHint: in `kfold` and `split`, pass `groups=` so that rows that belong together stay in"
)
TOGETHER += ' one fold or part, or pass `deal="hash"`, which allows repeated keys.'
SEVEN = f"Column 'x' has missing values in 7 rows (0, 1, 2, 3, 4, ...).{STRATUM}"
ONE = "Column 'x' has missing values in 1 row (1)."
INFINITE = "Column 'x' has infinite values in 2 rows (2, 4)."
OUTSIDE = "Column 'x' has values outside 2 to 5 in 2 rows (0, 3)."
REPEATED = f"`key` ('x') must identify each row, but repeats in 2 rows (0, 2).{TOGETHER}"
TWO = "Column 'x' has missing values in 2 rows (1, 4)."
TWO_GAPPED: dict[str, Any] = {"row": [1, 4], "x": [None, None]}
GAP = {"x": ["a", None, "b"]}
GAPPED = {"row": [1], "x": [None]}
NUMBERS = {"x": [1.5, None, 3, 4, NAN]}
ENDLESS = {"x": [1.5, None, INF, 4, -INF]}
BOTH = f"{ONE}\n{INFINITE}{CUT} {NO_FOLD}"
AT_FAULT = {"row": [1, 2, 4], "x": [None, INF, -INF]}
FAR = {"x": [1, None, 5, 40]}
TOO_FAR = {"row": [0, 3], "x": [1, 40]}
MANY = {"label": ["a", None, "b", "b"], "age": [1, None, 7, 2], "price": [1.5, INF, 9.0, 8.0]}
IN_MANY = {"label": [None, "b", "b"], "age": [None, 7, 2], "price": [INF, 9.0, 8.0]}
VALUES: list[Any] = [
    pytest.param(
        lambda df: sf.kfold(df, "x", 2), GAP, ONE + STRATUM, GAPPED, id="class_is_missing"
    ),
    pytest.param(
        lambda df: sf.split(df, "x", HALVES),
        {"x": [1.0, NAN, 2.0]},
        ONE + STRATUM,
        GAPPED,
        id="nan_in_a_split",
    ),
    pytest.param(
        lambda df: sf.plan(df, "x", 2), GAP, ONE + STRATUM, GAPPED, id="plan_of_missing_classes"
    ),
    pytest.param(
        lambda df: sf.kfold(df, sf.quantiles("x", 2), 2),
        NUMBERS,
        TWO + STRATUM,
        TWO_GAPPED,
        id="quantiles_of_missing_numbers",
    ),
    pytest.param(
        lambda df: sf.kfold(df, sf.bins("x", [0, 5]), 2),
        NUMBERS,
        TWO + STRATUM,
        TWO_GAPPED,
        id="bins_of_missing_numbers",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "x", 2, missing="error"),
        ENDLESS,
        BOTH,
        AT_FAULT,
        id="missing_and_infinite_at_once",
    ),
    pytest.param(
        lambda df: sf.kfold(df, sf.continuous("x"), 2, missing="stratum"),
        ENDLESS,
        BOTH,
        AT_FAULT,
        id="missing_has_no_place_in_an_order",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "x", 2, missing="null"),
        ENDLESS,
        INFINITE,
        {"row": [2, 4], "x": [INF, -INF]},
        id="infinite_where_missing_is_null",
    ),
    pytest.param(
        lambda df: sf.kfold(df, sf.bins("x", [2, 5]), 2, missing="stratum"),
        FAR,
        OUTSIDE,
        TOO_FAR,
        id="outside_bins_where_missing_is_a_stratum",
    ),
    pytest.param(
        lambda df: sf.sample(df, sf.bins("x", [2, 5]), n=1),
        FAR,
        OUTSIDE,
        TOO_FAR,
        id="outside_bins_of_a_sample",
    ),
    pytest.param(
        lambda df: sf.kfold(
            df, ["label", sf.bins("age", [0, 5]), sf.continuous("price")], 2, key="id"
        ),
        MANY | {"id": [1, 2, 3, None]},
        (
            "Column 'label' has missing values in 1 row (1).\n"
            "Column 'age' has missing values in 1 row (1).\n"
            "Column 'age' has values outside 0 to 5 in 1 row (2).\n"
            "Column 'price' has infinite values in 1 row (1).\n"
            f"Column 'id' has missing values in 1 row (3).{STRATUM}"
        ),
        IN_MANY | {"row": [1, 2, 3], "id": [2, 3, None]},
        id="all_columns_at_once",
    ),
    pytest.param(
        lambda df: sf.kfold(df, ["x", "y"], 2),
        GAP | {"y": DAYS},
        ONE + STRATUM,
        GAPPED | {"y": DAYS[1:2]},
        id="rows_show_all_columns_of_the_call",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "x"),
        {"x": [None] * 7 + [1]},
        SEVEN,
        {"row": [*range(7)], "x": [None] * 7},
        id="seven_rows_are_listed_to_five",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "it's", 2),
        {"it's": GAP["x"]},
        f'Column "it\'s" has missing values in 1 row (1).{STRATUM}',
        {"row": [1], "it's": [None]},
        id="apostrophe_in_a_name",
    ),
    pytest.param(
        lambda df: sf.kfold(df, k=2, key="x"), {"x": [1, None, 3]}, ONE, GAPPED, id="missing_key"
    ),
    pytest.param(
        lambda df: sf.kfold(df, k=2, key="x", missing="stratum"),
        {"x": [None, "b", None]},
        TWO.replace("1, 4", "0, 2"),
        TWO_GAPPED | {"row": [0, 2]},
        id="missing_keys_are_no_stratum",
    ),
    pytest.param(
        lambda df: sf.kfold(df, k=2, key="x", missing="stratum"),
        {"x": [2, 1, 2]},
        REPEATED,
        {"row": [0, 2], "x": [2, 2]},
        id="repeated_number_key",
    ),
    pytest.param(
        lambda df: sf.kfold(df, k=2, key="x", missing="stratum"),
        {"x": ["b", "a", "b"]},
        REPEATED,
        {"row": [0, 2], "x": ["b", "b"]},
        id="repeated_text_key",
    ),
    pytest.param(
        lambda df: sf.kfold(df, k=2, key="x", missing="stratum"),
        {"x": [0.0, 1.5, -0.0]},
        REPEATED,
        {"row": [0, 2], "x": [0.0, -0.0]},
        id="repeated_zero_key",
    ),
    pytest.param(
        lambda df: sf.split(df, None, HALVES, key=["day", "place"]),
        {"day": [1, 1, 2, 2], "place": ["a", "b", "c", "c"]},
        f"`key` ('day', 'place') must identify each row, but repeats in 2 rows (2, 3).{TOGETHER}",
        {"row": [2, 3], "day": [2, 2], "place": ["c", "c"]},
        id="repeated_key_of_two_columns",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "label", 2, groups="patient"),
        GAPS,
        f"Column 'patient' has missing values in 2 rows (1, 4).{ALONE}",
        {"row": [1, 4], "label": ["b", "a"], "patient": [None, None]},
        id="missing_group",
    ),
]


@pytest.mark.parametrize(("call", "data", "message", "rows"), VALUES)
# pandas 2.2 casts infinities to see whether a column holds integers.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_values_that_break_a_rule(
    frame: Make, kind: str, call: Callable[[Any], Any], data: Any, message: str, rows: Any
) -> None:
    """One error lists all faults of the values, with the rows, and pandera's error as the cause."""
    error = refuse(message, lambda: call(frame(data)))
    assert at_fault(error, kind) == rows
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("label", [0, ("a", 1), None])
def test_labels_that_are_no_strings(label: object) -> None:
    """The rows at fault keep the label of their pandas column, and their place in any index."""
    columns = pd.Index([label], dtype=object, tupleize_cols=False)
    df = pd.DataFrame([["a"], [None], ["b"]], index=[9, 9, 9], columns=columns)
    message = f"Column {label!r} has missing values in 1 row (1).{STRATUM}"
    failures = refuse(message, lambda: sf.kfold(df, [label], 2)).failures
    assert (list(failures.columns), failures["row"].tolist()) == (["row", label], [1])


def test_columns_without_a_name() -> None:
    """A computed column without a name is called by its place, in errors and warnings."""
    df = pd.DataFrame({"x": ["a", "a", "b", None]})
    nameless = lambda df: df["x"].to_numpy()  # noqa: E731 - a callable as users write it
    message = f"Entry 1 of `by` has missing values in 1 row (3).{STRATUM}"
    refuse_now(message, lambda: sf.kfold(df, nameless, 2))
    rule = "Entry 2 of `key` has missing values in 1 row (3)."
    error = refuse(rule, lambda: sf.kfold(df.assign(id=range(4)), k=2, key=["id", nameless]))
    assert list(error.failures.columns) == ["row", "id", "key 2"]
    rare = "1 class of entry 1 of `by` has fewer rows than there are folds (2): 'b' (1 row).\n"
    rare += f"Hint: `df.strat.advise(...)` shows what each k does to it; {SILENCED}"
    warned(rare, lambda: sf.kfold(df.head(3), nameless, 2))
    error = refuse(
        "The column of `where` has missing values in 1 row (1).\n"
        "Hint: fill the missing values, as in `fill_null(False)` or `fillna(False)`.",
        lambda: sf.kfold(df, "x", 2, where=lambda df: pd.array([True, None, True, False])),
    )
    assert at_fault(error, "pandas") == {"row": [1], "where": [None]}
    refuse_now(
        "`where` must be a boolean column, but the column of `where` is int64.",
        lambda: sf.kfold(df.head(3), "x", 2, where=lambda df: df["x"].map(len).to_numpy()),
    )


def test_rows_without_a_group_have_no_fold(frame: Make) -> None:
    """With `missing="null"` the rows without a group, and no others, have no fold."""
    folds = values(sf.kfold(frame(GAPS), "label", 2, groups="patient", missing="null"), "fold")
    assert [fold is None for fold in folds] == [value is None for value in GAPS["patient"]]


def test_rows_without_a_group_are_groups(frame: Make) -> None:
    """With `missing="stratum"` each row without a group is a group of its own."""
    data = {"patient": [None] * 6 + [1.0, 1.0, 2.0, 2.0], "label": list("ab") * 5}
    out = sf.kfold(frame(data), "label", 5, groups="patient", missing="stratum", rare="ignore")
    folds = values(out, "fold")
    assert Counter(folds) == dict.fromkeys(range(5), 2)
    assert folds[6] == folds[7] != folds[8] == folds[9]


def test_rows_without_a_group_come_last_in_their_order(frame: Make) -> None:
    """Where rows without a group keep their order, no order of the others changes a fold."""
    patient = [None if i % 4 == 1 else i * 7 % 9 for i in range(40)]
    label = ["aabcb"[i * i % 5] for i in range(40)]
    lone = [row for row in range(40) if patient[row] is None]
    order = [row for row in reversed(range(40)) if patient[row] is not None]
    for place, row in zip((0, 3, 4, 9, 11, 20, 25, 26, 38, 39), lone, strict=True):
        order.insert(place, row)

    def dealt(rows: Any) -> list[Any]:
        df = frame({"who": [patient[row] for row in rows], "label": [label[row] for row in rows]})
        return values(sf.kfold(df, "label", 4, groups="who", missing="stratum"), "fold")

    here = dealt(range(40))
    assert dealt(order) == [here[row] for row in order]


RARE = {"label": ["a"] * 9 + ["b", "c", "c"], "sex": ["m", "f"] * 6}
LISTED = "'b' (1 row), 'c' (2 rows)"
POOLED = '.\nHint: `rare="pool"` balances them as one class;'
POOLED += " `df.strat.advise('{}')` shows what each k does to them"
LABEL, X, U = (f"{POOLED.format(name)}; {SILENCED}" for name in ("label", "x", "u"))
FEW = f"2 classes of 'label' have fewer rows than there are folds (3): {LISTED}{LABEL}"
RARE_CLASSES: list[Any] = [
    pytest.param(lambda df: sf.kfold(df, "label", 3), RARE, FEW, id="kfold_of_rare_classes"),
    pytest.param(
        lambda df: sf.kfold(df, ["label", "sex"], 3),
        RARE,
        FEW,
        id="classes_of_the_first_entry_alone",
    ),
    pytest.param(
        lambda df: sf.split(df, "label"),
        RARE,
        (
            "1 class of 'label' has fewer rows than there are parts (2): 'b' (1 row).\n"
            f"Hint: {SILENCED}"
        ),
        id="parts",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "x", 3),
        {"x": ["a"] * 40 + list("bcdefg") * 2 + ["h"]},
        (
            "7 classes of 'x' have fewer rows than there are folds (3): 'h' (1 row), 'b' (2 rows),"
            f" 'c' (2 rows), 'd' (2 rows), 'e' (2 rows), ..{X}"
        ),
        id="first_five_are_named",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "x", k=3),
        {"x": [1, 1, 2]},
        (
            "2 classes of 'x' have fewer rows than there are folds (3): 2 (1 row), 1 (2 rows). More"
            " than half of the rows are in such classes: 'x' looks continuous, or like an id.\n"
            "Hint: `sf.quantiles('x', 10)` or `sf.continuous('x')`."
        ),
        id="looks_like_an_id",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "x", 9),
        {"x": [0, 1, 0, 1, 0, 1, 0, 1, 0]},
        f"2 classes of 'x' have fewer rows than there are folds (9): 1 (4 rows), 0 (5 rows){X}",
        id="two_numbers_in_nine_rows_are_classes",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "x", k=3),
        {"x": [1, 1, 1, 2, 3, 3]},
        f"2 classes of 'x' have fewer rows than there are folds (3): 2 (1 row), 3 (2 rows){X}",
        id="half_of_the_rows_are_not_more",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "u"),
        {"u": list("aabbcaabbca")},
        f"2 classes of 'u' have fewer rows than there are folds (5): 'c' (2 rows), 'b' (4 rows){U}",
        id="three_texts_that_rows_share_are_no_id",
    ),
    pytest.param(
        lambda df: sf.kfold(df, "x", 3, missing="stratum"),
        {"x": [1, 1, 1, None]},
        (
            "1 class of 'x' has fewer rows than there are folds (3): None (1 row).\n"
            f"Hint: `df.strat.advise('x')` shows what each k does to it; {SILENCED}"
        ),
        id="missing_values_are_one_class",
    ),
]


@pytest.mark.parametrize(("call", "data", "message"), RARE_CLASSES)
def test_rare_classes_are_warned_of(
    frame: Make, call: Callable[[Any], Any], data: Any, message: str
) -> None:
    """One warning names the rare classes of the first entry, and they are dealt all the same."""
    result = warned(message, lambda: call(frame(data)))
    assert None not in values(result, eager(result).columns[-1])


MOST_ROWS = "More than half of the rows are in such classes: 'x' looks"
IDS = {
    "text": [f"u{i}" for i in range(12)],
    "bytes": [b"%d" % i for i in range(12)],
    "categories": pd.Categorical([f"u{i}" for i in range(12)]),
    "intervals": pd.interval_range(0, 12),
    "enum": pl.Series([*"abcdefghijkl"], dtype=pl.Enum([*"abcdefghijkl"])),
}
NUMBERS = {
    "numbers": list(range(12)),
    "numbers and infinity": [float("inf"), *range(11)],
    "numbers and gaps": [None, *range(11)],
    "dates": pd.date_range("2024-01-01", periods=12),
    "periods": pd.period_range("2024-01", periods=12, freq="M"),
    "categories of numbers": pd.Categorical(range(12)),
    "categories of digits": pl.Series(map(str, range(12)), dtype=pl.Categorical),
}


@pytest.mark.parametrize("what", [*IDS, *NUMBERS])
def test_a_column_of_many_values(what: str) -> None:
    """A column that cannot be cut looks like an id; for all others the calls of the hint work."""
    column = (IDS | NUMBERS)[what]
    df = (pl if isinstance(column, pl.Series) else pd).DataFrame({"x": column, "y": [0, 1] * 6})
    cuts = ["sf.quantiles('x', 10)", "sf.continuous('x')"]
    cuts = cuts[:1] if " and " in what else cuts  # infinity and gaps have no place in an order
    for by in ("x", ["x", "y"]):
        with pytest.warns(sf.StratWarning) as caught:
            df.strat.kfold(by, 2, missing="stratum")
        found = str(caught[0].message).partition(MOST_ROWS)[2]
        if what in IDS:
            assert found == ' like an id.\nHint: leave it out of `by`, or use `rare="ignore"`.'
            continue
        hints = re.findall("`(.*?)`", found)
        assert hints == (cuts if by == "x" else cuts[:1])
        for hint in hints:
            df.strat.kfold([run_shown(hint), *by[1:]], 2, missing="stratum")


def test_rare_strata_as_errors(frame: Make, kind: str) -> None:
    """With `rare="error"` rare classes are refused, with their rows."""
    message = 'than there are folds (3), which `rare="error"` does not allow:'
    message = f"2 classes of 'label' have fewer rows {message} {LISTED}{POOLED.format('label')}."
    error = refuse(message, lambda: sf.kfold(frame(RARE), ["label", "sex"], 3, rare="error"))
    found = at_fault(error, kind)
    assert (found["row"], found["label"]) == ([9, 10, 11], ["b", "c", "c"])


@pytest.mark.parametrize(("n", "sparse"), [(12, "'c' is"), (11, "'b', 'c' are")])
def test_levels_of_few_rows_are_called_sparse(frame: Make, n: int, sparse: str) -> None:
    """Three entries whose strata have few rows are named, unless `rare="ignore"` or in margins."""
    data = {"a": [0, 1] * 6, "b": [0, 0, 1, 1] * 3, "c": list(range(12))}
    df = frame({name: cells[:n] for name, cells in data.items()})
    message = f"The 3 entries of `by` divide {n} rows into {n} joint strata, with fewer than 3 rows"
    message += f" each on average: {sparse} hardly balanced.\n"
    message += "Hint: `sf.margins([...])` balances each entry on its own."
    warned(message, lambda: sf.kfold(df, ["a", "b", "c"], 3))
    for by, rare in ((["a", "c"], "warn"), (sf.margins([*data]), "warn"), ([*data], "ignore")):
        assert None not in values(sf.kfold(df, by, 3, rare=rare), "fold")
