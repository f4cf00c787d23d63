"""Rows that a call cannot take: missing and infinite values, keys, rare strata."""

import datetime as dt
from collections import Counter
from collections.abc import Callable
from functools import partial
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
    refuse,
    refuse_now,
    refuse_rule,
    values,
    warned,
)

SILENCED = '`rare="ignore"` silences this warning.'

LAZY = [(sf.kfold, (2,)), (sf.split, (HALVES,))]


# Values ---------------------------------------------------------------------------------


def test_data_errors_of_a_lazy_frame_come_at_collect() -> None:
    """A lazy verb does not look at the data, and its error at collect begins with the rule."""
    for verb, arguments in LAZY:
        query = verb(pl.LazyFrame({"label": ["a", None, "b"]}), "label", *arguments)
        refuse_rule("Column 'label' has missing values in 1 row (1).", query.collect)


@pytest.mark.parametrize(
    ("verb", "arguments"), [*LAZY, (sf.plan, (2,))], ids=["kfold", "split", "plan"]
)
@pytest.mark.parametrize("column", [["a", None, "b"], [1, None, 2], [1.0, float("nan"), 2.0]])
@pytest.mark.parametrize("term", [str, sf.classes])
def test_missing_classes(
    frame: Make, kind: str, verb: Any, arguments: Any, column: Any, term: Any
) -> None:
    """Null and NaN in a stratum column are refused with their rows, by way of pandera."""
    error = refuse(
        "Column 'x' has missing values in 1 row (1).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: verb(frame({"x": column}), term("x"), *arguments),
    )
    assert at_fault(error, kind) == {"row": [1], "x": [None]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("term", [sf.quantiles("x", 2), sf.bins("x", [0, 5])])
def test_missing_numbers(frame: Make, kind: str, term: Any) -> None:
    """A missing number is refused where it would be binned, and only as missing."""
    error = refuse(
        "Column 'x' has missing values in 2 rows (1, 4).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(frame({"x": [1.5, None, 3, 4, float("nan")]}), term, 2),
    )
    assert at_fault(error, kind) == {"row": [1, 4], "x": [None, None]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("term", ["x", sf.continuous("x")])
@pytest.mark.parametrize("missing", ["error", "stratum", "null"])
# pandas 2.2 casts infinities to see whether a column holds integers.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_continuous_values(frame: Make, kind: str, term: Any, missing: str) -> None:
    """Null, NaN and infinity in a continuous column are refused; nulls may have no fold."""
    data = {"x": [1.5, None, float("inf"), 4, -float("inf")]}
    cut = "drop these rows, or cut the column, as in `sf.quantiles('x', 10)`"
    both = (
        "Column 'x' has missing values in 1 row (1).\n"
        "Column 'x' has infinite values in 2 rows (2, 4)."
    )
    error = refuse(
        "Column 'x' has infinite values in 2 rows (2, 4)."
        if missing == "null"
        else (f'{both}\nHint: {cut}; in `kfold`, `missing="null"` leaves their fold null.'),
        lambda: sf.kfold(frame(data), term, 2, missing=missing),
    )
    found, infinity = at_fault(error, kind), float("inf")
    if missing == "null":
        assert found == {"row": [2, 4], "x": [infinity, -infinity]}
    else:
        assert found == {"row": [1, 2, 4], "x": [None, infinity, -infinity]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("missing", ["stratum", "null"])
@pytest.mark.parametrize("verb", ["kfold", "sample"])
def test_values_outside_the_bins(frame: Make, kind: str, verb: str, missing: str) -> None:
    """A value outside the edges is refused with its row, missing ones are not outside."""
    df = frame({"x": [1, None, 5, 40]})
    term = sf.bins("x", [2, 5])
    error = refuse(
        "Column 'x' has values outside 2 to 5 in 2 rows (0, 3).",
        lambda: (
            sf.kfold(df, term, 2, missing=missing) if verb == "kfold" else sf.sample(df, term, n=1)
        ),
    )
    assert at_fault(error, kind) == {"row": [0, 3], "x": [1, 40]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


def test_all_columns_at_once(frame: Make, kind: str) -> None:
    """Everything that is wrong with the columns of a call is said at once."""
    data = {
        "label": ["a", None, "b", "b"],
        "age": [1, None, 7, 2],
        "price": [1.5, float("inf"), 9.0, 8.0],
        "id": [1, 2, 3, None],
    }
    by = ["label", sf.bins("age", [0, 5]), sf.continuous("price")]
    error = refuse(
        "Column 'label' has missing values in 1 row (1).\n"
        "Column 'age' has missing values in 1 row (1).\n"
        "Column 'age' has values outside 0 to 5 in 1 row (2).\n"
        "Column 'price' has infinite values in 1 row (1).\n"
        "Column 'id' has missing values in 1 row (3).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(frame(data), by, 2, key="id"),
    )
    assert at_fault(error, kind) == {
        "row": [1, 2, 3],
        "label": [None, "b", "b"],
        "age": [None, 7, 2],
        "price": [float("inf"), 9.0, 8.0],
        "id": [2, 3, None],
    }


def test_failures_hold_the_values_of_the_frame(frame: Make, kind: str) -> None:
    """The rows at fault show all named columns as they are in the frame, dates as dates."""
    days = [dt.date(2026, 1, day) for day in (1, 2, 3)]
    data = {"label": ["a", None, "b"], "day": days}
    error = refuse_rule(
        "Column 'label' has missing values in 1 row (1).",
        lambda: sf.kfold(frame(data), ["label", sf.continuous("day")], 2),
    )
    assert at_fault(error, kind) == {"row": [1], "label": [None], "day": [days[1]]}


def test_five_rows_are_named(frame: Make, kind: str) -> None:
    """A message names five rows at fault of all that it counts; `failures` has them all."""
    error = refuse(
        "Column 'x' has missing values in 7 rows (0, 1, 2, 3, 4, ...).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(frame({"x": [None] * 7 + [1]}), "x"),
    )
    assert at_fault(error, kind)["row"] == list(range(7))


@pytest.mark.parametrize("name", ["it's", 'a "b"', "'x'"])
def test_names_with_quotes(frame: Make, kind: str, name: str) -> None:
    """The rows at fault keep the name of their column, quotes and all."""
    error = refuse(
        f"Column {name!r} has missing values in 1 row (1).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(frame({name: ["a", None, "b"]}), name, 2),
    )
    assert at_fault(error, kind) == {"row": [1], name: [None]}


@pytest.mark.parametrize("label", [0, ("a", 1), None])
def test_labels_that_are_no_strings(label: object) -> None:
    """The rows at fault keep the label of their pandas column, whatever it is."""
    df = pd.DataFrame([["a"], [None], ["b"]])
    df.columns = pd.Index([label], dtype=object, tupleize_cols=False)
    error = refuse(
        f"Column {label!r} has missing values in 1 row (1).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(df, [label], 2),
    )
    assert list(error.failures.columns) == ["row", label]


def test_rows_at_fault_are_positions() -> None:
    """The rows at fault are named by position, whatever the index."""
    df = pd.DataFrame({"x": ["a", None, "b", None]}, index=[9, 9, 9, 9])
    error = refuse(
        "Column 'x' has missing values in 2 rows (1, 3).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(df, "x", 2),
    )
    assert error.failures["row"].tolist() == [1, 3]


def test_entries_without_a_name() -> None:
    """A computed entry without a name is called by its place, in errors and warnings."""
    df = pd.DataFrame({"x": ["a", "a", "b", None]})
    nameless = lambda df: df["x"].to_numpy()  # noqa: E731 - a callable as users write it
    refuse_now(
        "Entry 1 of `by` has missing values in 1 row (3).\n"
        'Hint: `missing="stratum"` makes missing values a stratum of their own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(df, nameless, 2),
    )
    rare = (
        "1 class of entry 1 of `by` has fewer rows than the 2 folds: 'b' (1 row).\n"
        f"Hint: `df.strat.advise(...)` shows what each k does to it; {SILENCED}"
    )
    warned(rare, lambda: sf.kfold(df.head(3), nameless, 2))


def test_a_nameless_column_of_where() -> None:
    """A computed `where` without a name is called by its argument, and must be full, too."""
    df = pd.DataFrame({"x": ["a", "b", "a"]})
    error = refuse(
        "The column of `where` has missing values in 1 row (1).\n"
        "Hint: fill it, as in `fill_null(False)` or `fillna(False)`.",
        lambda: sf.kfold(df, "x", 2, where=lambda df: pd.array([True, None, True])),
    )
    assert at_fault(error, "pandas") == {"row": [1], "where": [None]}
    refuse_now(
        "`where` must be a boolean column, but the column of `where` is int64.",
        lambda: sf.kfold(df, "x", 2, where=lambda df: df["x"].map(len).to_numpy()),
    )


# Keys -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "message", "rows"),
    [
        ([1, None, 3], "Column 'id' has missing values in 1 row (1).", [1]),
        (["a", "b", None], "Column 'id' has missing values in 1 row (2).", [2]),
        ([None, None, 3], "Column 'id' has missing values in 2 rows (0, 1).", [0, 1]),
        ([1, 2, 2], "`key` ('id') must identify each row, but repeats in 2 rows (1, 2).", [1, 2]),
        (
            ["b", "a", "b"],
            "`key` ('id') must identify each row, but repeats in 2 rows (0, 2).",
            [0, 2],
        ),
        (
            [0.0, 1.5, -0.0],
            "`key` ('id') must identify each row, but repeats in 2 rows (0, 2).",
            [0, 2],
        ),
        (
            [True, False, True],
            "`key` ('id') must identify each row, but repeats in 2 rows (0, 2).",
            [0, 2],
        ),
    ],
)
@pytest.mark.parametrize("missing", ["error", "stratum"])
def test_keys(
    frame: Make, kind: str, column: list[Any], message: str, rows: list[int], missing: str
) -> None:
    """Missing and repeated keys are always refused with their rows, by way of pandera."""
    call = partial(sf.kfold, frame({"id": column}), k=2, key="id", missing=missing)
    error = refuse_rule(message, call)
    assert at_fault(error, kind) == {"row": rows, "id": [column[row] for row in rows]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


def test_keys_of_two_columns(frame: Make, kind: str) -> None:
    """Several key columns name a row together."""
    data = {"day": [1, 1, 2, 2], "place": ["a", "b", "c", "c"]}
    error = refuse(
        "`key` ('day', 'place') must identify each row, but repeats in 2 rows (2, 3).\n"
        "Hint: in `kfold` and `split`, `groups=` keeps rows that belong together in one fold or"
        ' part, and with `deal="hash"` keys may repeat.',
        lambda: sf.split(frame(data), None, HALVES, key=["day", "place"]),
    )
    assert at_fault(error, kind) == {"row": [2, 3], "day": [2, 2], "place": ["c", "c"]}


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda df: sf.kfold(df, key="x", k=2), "key"),
        (lambda df: list(sf.folds(df, "x")), "name"),
        (lambda df: sf.cv(df, "x"), "name"),
    ],
)
def test_values_without_order(call: Callable[..., Any], argument: str) -> None:
    """Keys and folds that cannot be ordered are refused."""
    refuse_now(
        f"A column of `{argument}` must hold values that can be ordered, but 'x' mixes types.",
        lambda: call(pd.DataFrame({"x": [1, "a", 2]})),
    )


# Groups ---------------------------------------------------------------------------------

GAPS = {"patient": [1, None, 1, 2, None, 3, 2, 3], "label": list("abababab")}


def test_rows_without_a_group_are_refused(frame: Make, kind: str) -> None:
    """A null group is an error by default, with the rows."""
    error = refuse(
        "Column 'patient' has missing values in 2 rows (1, 4).\n"
        'Hint: `missing="stratum"` makes each of these rows a group of its own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(frame(GAPS), "label", 2, groups="patient"),
    )
    assert at_fault(error, kind)["row"] == [1, 4]


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
    here, there = (
        values(
            sf.kfold(
                frame(
                    {
                        "patient": [patient[row] for row in rows],
                        "label": [label[row] for row in rows],
                    }
                ),
                "label",
                4,
                groups="patient",
                missing="stratum",
            ),
            "fold",
        )
        for rows in (range(40), order)
    )
    assert there == [here[row] for row in order]


# Rare strata ----------------------------------------------------------------------------

RARE = {"label": ["a"] * 9 + ["b", "c", "c"], "sex": ["m", "f"] * 6}

LISTED = "'b' (1 row), 'c' (2 rows)"
POOLED = (
    "Hint: `rare=\"pool\"` balances them as one class; `df.strat.advise('{}')` shows what each k"
    " does to them"
)
FEW = (
    f"2 classes of 'label' have fewer rows than the 3 folds: {LISTED}.\n"
    f"{POOLED.format('label')}; {SILENCED}"
)


@pytest.mark.parametrize("by", ["label", ["label", "sex"]])
def test_rare_strata_are_warned_of(frame: Make, by: Any) -> None:
    """Rare strata of the first entry are named in one warning, and dealt all the same."""
    df = warned(FEW, lambda: sf.kfold(frame(RARE), by, 3))
    assert None not in values(df, "fold")


def test_rare_strata_of_a_split(frame: Make) -> None:
    """A stratum is rare where it has fewer rows than there are parts."""
    warned(
        f"1 class of 'label' has fewer rows than the 2 parts: 'b' (1 row).\nHint: {SILENCED}",
        lambda: sf.split(frame(RARE), "label"),
    )


def test_five_rare_strata_are_named(frame: Make) -> None:
    """A warning names the five rarest strata, and says how many there are."""
    labels = ["a"] * 40 + list("bcdefg") * 2 + ["h"]
    listed = "'h' (1 row), 'b' (2 rows), 'c' (2 rows), 'd' (2 rows), 'e' (2 rows), ..."
    warned(
        f"7 classes of 'label' have fewer rows than the 3 folds: {listed}\n"
        f"{POOLED.format('label')}; {SILENCED}",
        lambda: sf.kfold(frame({"label": labels}), "label", 3),
    )


def test_a_column_that_looks_like_an_id(frame: Make) -> None:
    """Where most rows are in rare strata, the warning says what the column looks like."""
    warned(
        "2 classes of 'x' have fewer rows than the 5 folds: 2 (1 row), 1 (4 rows). More"
        " than half of the rows are in such classes: 'x' looks continuous, or like an id.\n"
        "Hint: `sf.quantiles('x', 10)` or `sf.continuous('x')`.",
        lambda: sf.kfold(frame({"x": [1, 1, 1, 1, 2]}), "x"),
    )


def test_half_of_the_rows_are_no_hint(frame: Make) -> None:
    """Half of the rows in rare strata are not more than half."""
    warned(
        "2 classes of 'x' have fewer rows than the 3 folds: 2 (1 row), 3 (2 rows).\n"
        f"{POOLED.format('x')}; {SILENCED}",
        lambda: sf.kfold(frame({"x": [1, 1, 1, 2, 3, 3]}), "x", 3),
    )


def test_a_missing_stratum_may_be_rare(frame: Make) -> None:
    """Missing values that are a stratum of their own may be a rare one."""
    warned(
        "1 class of 'x' has fewer rows than the 3 folds: None (1 row).\n"
        f"Hint: `df.strat.advise('x')` shows what each k does to it; {SILENCED}",
        lambda: sf.kfold(frame({"x": [1, 1, 1, None]}), "x", 3, missing="stratum"),
    )


def test_rare_strata_as_errors(frame: Make, kind: str) -> None:
    """With `rare="error"` rare classes are refused, with their rows."""
    error = refuse(
        f"2 classes of 'label' have fewer rows than the 3 folds (and `rare=\"error\"`): {LISTED}.\n"
        f"{POOLED.format('label')}.",
        lambda: sf.kfold(frame(RARE), ["label", "sex"], 3, rare="error"),
    )
    found = at_fault(error, kind)
    assert (found["row"], found["label"]) == ([9, 10, 11], ["b", "c", "c"])


@pytest.mark.parametrize(("rare", "nulls"), [("null", 3), ("ignore", 0)])
def test_rare_strata_without_a_word(frame: Make, rare: str, nulls: int) -> None:
    """Rare strata get no fold with `rare="null"`, theirs with `"ignore"`, and no warning."""
    df = sf.kfold(frame(RARE), "label", 3, rare=rare)
    assert values(df, "fold").count(None) == nulls


@pytest.mark.parametrize(("n", "sparse"), [(12, "'c' is"), (11, "'b', 'c' are")])
def test_levels_of_enough_rows_are_not_called_sparse(frame: Make, n: int, sparse: str) -> None:
    """Only entries whose strata hold fewer than k rows on average are called hardly balanced."""
    data = {"a": [0, 1] * 6, "b": [0, 0, 1, 1] * 3, "c": list(range(12))}
    warned(
        f"The 3 entries of `by` make {n} joint strata of {n} rows, fewer than 3 rows each on"
        f" average: {sparse} hardly balanced.\n"
        "Hint: `sf.margins([...])` balances each entry on its own.",
        lambda: sf.kfold(
            frame({name: cells[:n] for name, cells in data.items()}), ["a", "b", "c"], 3
        ),
    )
