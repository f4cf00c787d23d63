"""Bad input: every message word for word, over all kinds of frame."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.errors
import polars as pl
import pytest

import stratframe as sf
from tests.conftest import eager, make, values

Make = Callable[[dict[str, Any]], Any]

DATA = {
    "id": list(range(10)),
    "label": ["a", "b"] * 5,
    "price": [number + 0.5 for number in range(10)],
    "tags": [["x"]] * 10,
}
FOLDED = {**DATA, "fold": [0, 1] * 5}
HALVES = {"train": 0.5, "test": 0.5}
KEPT = (
    '`missing="stratum"` makes missing values a stratum of their own;'
    ' in `kfold`, `missing="null"` leaves their fold null.'
)
LAZY = [(sf.kfold, (2,)), (sf.split, (HALVES,))]


def refuse(message: str, call: Callable[[], Any]) -> sf.StratError:
    """Check the words of an error, but for what Polars adds after a blank line."""
    with pytest.raises(sf.StratError) as caught:
        eager(call())
    assert str(caught.value).partition("\n\n")[0] == message
    return caught.value


def refuse_now(message: str, call: Callable[[], Any]) -> None:
    """Check the words of an error that comes at the call, with no frame collected."""
    with pytest.raises(sf.StratError) as caught:
        call()
    assert str(caught.value) == message


def at_fault(error: sf.StratError, kind: str) -> dict[str, list[Any]]:
    """List the rows at fault, which are in the caller's own library."""
    assert isinstance(error.failures, pl.DataFrame if "polars" in kind else pd.DataFrame)
    return {str(name): values(error.failures, name) for name in error.failures.columns}


# Arguments ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 1}, "`k` must be at least 2, got 1."),
        ({"k": -3}, "`k` must be at least 2, got -3."),
        ({"k": True}, "`k` must be a whole number, got True."),
        ({"k": 2.5}, "`k` must be a whole number, got 2.5."),
        ({"k": "5"}, "`k` must be a whole number, got '5'."),
        ({"k": None}, "`k` must be a whole number, got None."),
        ({"repeats": 0}, "`repeats` must be at least 1, got 0."),
        ({"repeats": 1.0}, "`repeats` must be a whole number, got 1.0."),
        ({"seed": -1}, "`seed` must be at least 0, got -1."),
        ({"seed": True}, "`seed` must be a whole number, got True."),
        ({"seed": "1"}, "`seed` must be a whole number, got '1'."),
        ({"deal": "fair"}, "`deal` must be 'random' or 'circular', got 'fair'."),
        ({"missing": "drop"}, "`missing` must be 'error', 'stratum' or 'null', got 'drop'."),
        ({"missing": ["null"]}, "`missing` must be 'error', 'stratum' or 'null', got ['null']."),
        ({"rare": None}, "`rare` must be 'warn', 'error', 'null' or 'ignore', got None."),
        ({"name": 5}, "`name` must be a string that is not empty, got 5."),
        ({"name": None}, "`name` must be a string that is not empty, got None."),
        ({"key": 5}, "`key` must hold column names or expressions, got 5."),
        ({"key": []}, "`key` must hold at least one column, got []."),
        (
            {"key": "idd"},
            "`key` names the column 'idd', which the frame does not have.\n"
            "Hint: did you mean 'id'?",
        ),
    ],
)
def test_arguments_of_kfold(frame: Make, arguments: dict[str, Any], message: str) -> None:
    """A wrong argument is refused at the call, on lazy frames too."""
    refuse_now(message, lambda: sf.kfold(frame(DATA), "label", **arguments))


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ([], "`by` must hold at least one entry, got []."),
        (
            5,
            "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got 5.",
        ),
        (
            [["label"]],
            "`by` must hold column names, terms such as `sf.quantiles`, or expressions,"
            " got ['label'].",
        ),
        (
            {"label"},
            "`by` must hold column names, terms such as `sf.quantiles`, or expressions,"
            " got {'label'}.",
        ),
        (["label", "id", "label"], "`by` must hold each entry once, got 'label' twice."),
        (
            [sf.quantiles("id", 3), sf.quantiles("id", 3)],
            "`by` must hold each entry once, got sf.quantiles('id', 3) twice.",
        ),
        (
            [sf.bins("id", [0, 9.5]), sf.bins("id", [0, 9.5])],
            "`by` must hold each entry once, got sf.bins('id', [0, 9.5]) twice.",
        ),
        (
            [sf.continuous("price"), "label"],
            "`sf.continuous` must be the last entry of `by`, and only once,"
            " got [sf.continuous('price'), 'label'].",
        ),
        (
            [sf.continuous("price"), sf.continuous("id")],
            "`sf.continuous` must be the last entry of `by`, and only once,"
            " got [sf.continuous('price'), sf.continuous('id')].",
        ),
        (
            "lable",
            "`by` names the column 'lable', which the frame does not have.\n"
            "Hint: did you mean 'label'?",
        ),
        (
            ["label", sf.classes("zzz")],
            "`by` names the column 'zzz', which the frame does not have.\n"
            "Hint: the columns are 'id', 'label', 'price', 'tags'.",
        ),
    ],
)
@pytest.mark.parametrize(
    "verb",
    [
        sf.kfold,
        sf.split,
        sf.plan,
        sf.strata,
        lambda df, by: sf.balance(df, by, "id"),
        lambda df, by: sf.sample(df, by, n=3),
    ],
    ids=["kfold", "split", "plan", "strata", "balance", "sample"],
)
def test_by(frame: Make, verb: Callable[..., Any], by: Any, message: str) -> None:
    """Every verb refuses the same entries of `by` in the same words, at the call."""
    refuse_now(message, lambda: verb(frame(DATA), by))


def test_hint_shows_five_columns(frame: Make) -> None:
    """The hint of a column that is not there lists at most five columns."""
    refuse_now(
        "`by` names the column 'zzz', which the frame does not have.\n"
        "Hint: the columns are 'a0', 'a1', 'a2', 'a3', 'a4', ...",
        lambda: sf.kfold(frame({f"a{place}": [1] for place in range(7)}), "zzz"),
    )


@pytest.mark.parametrize("verb", [sf.kfold, sf.strata, sf.balance, sf.plan, sf.folds, sf.cv])
@pytest.mark.parametrize("what", [None, [1], pd.Series([1]), pl.Series([1])])
def test_what_is_no_frame(verb: Callable[..., Any], what: object) -> None:
    """What is no frame is refused by its type."""
    message = f"`frame` must be a pandas or Polars frame, got {type(what).__name__}."
    refuse_now(message, lambda: verb(what, "label"))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (None, "`parts` must map at least 2 names to their shares, got None."),
        (["a", "b"], "`parts` must map at least 2 names to their shares, got ['a', 'b']."),
        ({}, "`parts` must map at least 2 names to their shares, got {}."),
        ({"a": 1.0}, "`parts` must map at least 2 names to their shares, got {'a': 1.0}."),
        ({1: 0.5, 2: 0.5}, "The names of `parts` must be strings, got [1, 2]."),
        *(
            (
                parts,
                "`parts` must be all fractions or all counts, with at most one None,"
                f" got {parts!r}.",
            )
            for parts in (
                {"a": 0.5, "b": 5},
                {"a": True, "b": 9},
                {"a": "0.5", "b": 0.5},
                {"a": None, "b": None},
                {"a": 0.5, "b": None, "c": None},
            )
        ),
        *(
            (parts, f"`parts` must be finite and above zero, got {parts!r}.")
            for parts in (
                {"a": 0, "b": 10},
                {"a": 0.0, "b": 1.0},
                {"a": -0.5, "b": 1.5},
                {"a": -1, "b": None},
                {"a": float("nan"), "b": 0.5},
                {"a": float("inf"), "b": 0.5},
            )
        ),
        *(
            (
                parts,
                f"`parts` must be fractions that sum to 1, got {parts!r}, which sum to {total}.",
            )
            for parts, total in (
                ({"a": 0.5, "b": 0.4}, "0.9"),
                ({"a": 0.5, "b": 0.6}, "1.1"),
                ({"a": 1.0, "b": None}, "1"),
                ({"a": 0.7, "b": 0.7, "c": None}, "1.4"),
            )
        ),
    ],
)
def test_parts(frame: Make, parts: Any, message: str) -> None:
    """Parts that are neither fractions of 1 nor counts are refused at the call."""
    refuse_now(message, lambda: sf.split(frame(DATA), "label", parts))


def test_numpy_shares(frame: Make) -> None:
    """Shares may be numpy numbers of any width."""
    halves = {part: np.float32(share) for part, share in HALVES.items()}
    found = sf.split(frame(DATA), "label", halves)
    assert values(found, "split") == values(sf.split(frame(DATA), "label", HALVES), "split")


def test_split_has_no_null(frame: Make) -> None:
    """A split leaves no missing stratum without a part."""
    message = "`missing` must be 'error' or 'stratum', got 'null'."
    refuse_now(message, lambda: sf.split(frame(DATA), "label", missing="null"))


@pytest.mark.parametrize("parts", [{"a": 5, "b": 6}, {"a": 5, "b": 4}, {"a": 10, "b": None}])
def test_counts_sum_to_the_rows(frame: Make, parts: dict[str, int | None]) -> None:
    """Counts of rows that do not sum to the rows dealt are refused."""
    refuse(
        f"`parts` must count the rows dealt, got {sum(n or 0 for n in parts.values())} for 10 rows."
        "\nHint: one part may be None, which takes the rest; it must be at least 1 row.",
        lambda: sf.split(frame(DATA), "label", parts),
    )


@pytest.mark.parametrize(
    ("data", "missing", "rows"),
    [(DATA, "error", "10 rows"), ({"label": ["a", None, "a"]}, "null", "2 rows")],
)
def test_more_folds_than_rows(frame: Make, data: Any, missing: str, rows: str) -> None:
    """More folds than rows dealt are refused, and nothing is said of rare strata first."""
    message = f"`k` must be at most the number of rows dealt, got 11 for {rows}."
    refuse(message, lambda: sf.kfold(frame(data), "label", 11, missing=missing))


def test_more_parts_than_rows(frame: Make) -> None:
    """More parts than rows dealt are refused."""
    parts = {f"p{place}": 0.05 for place in range(20)}
    message = "The number of `parts` must be at most the number of rows dealt, got 20 for 10 rows."
    refuse(message, lambda: sf.split(frame(DATA), "label", parts))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Exactly one of `n` and `frac` must be given, got n=None and frac=None."),
        (
            {"n": 1, "frac": 0.5},
            "Exactly one of `n` and `frac` must be given, got n=1 and frac=0.5.",
        ),
        ({"n": -1}, "`n` must be at least 0, got -1."),
        ({"n": True}, "`n` must be a whole number, got True."),
        ({"n": 2.5}, "`n` must be a whole number, got 2.5."),
        ({"frac": -0.1}, "`frac` must be a number from 0 to 1, got -0.1."),
        ({"frac": 1.1}, "`frac` must be a number from 0 to 1, got 1.1."),
        ({"frac": True}, "`frac` must be a number from 0 to 1, got True."),
        ({"frac": "a"}, "`frac` must be a number from 0 to 1, got 'a'."),
        ({"frac": float("nan")}, "`frac` must be a number from 0 to 1, got nan."),
        ({"n": 11}, "`n` must be at most the number of rows, got 11 for 10 rows."),
        (
            {"n": 1, "allocation": "fair"},
            "`allocation` must be 'proportional' or 'equal', got 'fair'.",
        ),
        ({"n": 1, "seed": -1}, "`seed` must be at least 0, got -1."),
    ],
)
def test_arguments_of_sample(frame: Make, arguments: dict[str, Any], message: str) -> None:
    """A sample of neither or both of `n` and `frac`, or of a wrong one, is refused."""
    refuse(message, lambda: sf.sample(frame(DATA), "label", **arguments))


def test_numpy_frac(frame: Make) -> None:
    """A fraction of rows may be a numpy number of any width."""
    assert len(sf.sample(frame(DATA), "label", frac=np.float32(0.5))) == 5


@pytest.mark.parametrize("verb", [sf.strata, sf.balance, lambda df, by: sf.sample(df, by, n=3)])
def test_by_is_needed(frame: Make, verb: Callable[..., Any]) -> None:
    """Where there is nothing to show without strata, `by=None` is refused."""
    refuse_now("`by` must hold at least one entry, got None.", lambda: verb(frame(FOLDED), None))


# Terms ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 0, True, 2.5, "3", None])
def test_number_of_quantiles(n: Any) -> None:
    """Quantile bins are a whole number of at least 2."""
    refuse_now(
        f"`n` of `sf.quantiles` must be a whole number of at least 2, got {n!r}.",
        lambda: sf.quantiles("price", n),
    )


@pytest.mark.parametrize(
    "edges",
    [[], [1], [1, 1], [2, 1], [0, float("nan"), 2], [0, None, 2], [0, "a"], "ab", 5, None],
)
def test_edges(edges: Any) -> None:
    """Edges of bins are two or more increasing numbers."""
    refuse_now(
        f"`edges` of `sf.bins` must be at least 2 increasing numbers, got {edges!r}.",
        lambda: sf.bins("price", edges),
    )


def test_closed() -> None:
    """Bins are closed on one of two sides."""
    message = "`closed` of `sf.bins` must be 'right' or 'left', got 'both'."
    refuse_now(message, lambda: sf.bins("price", [0, 1], closed="both"))


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (sf.continuous("label"), "sf.continuous('label')"),
        (sf.quantiles("label", 5), "sf.quantiles('label', 5)"),
        (sf.bins("label", [0, 1]), "sf.bins('label', [0, 1])"),
    ],
)
def test_terms_of_numbers(frame: Make, term: Any, shown: str) -> None:
    """A term that cuts or orders numbers refuses strings, and names their type."""
    dtype = eager(frame(DATA))["label"].dtype
    refuse(
        f"`{shown}` needs numbers or dates, but column 'label' is {dtype}.",
        lambda: sf.kfold(frame(DATA), term),
    )


def test_fractions_come_last(frame: Make) -> None:
    """A float column with fractions is continuous, and refused where others follow."""
    refuse(
        "A continuous entry of `by` must be the last, but 'price' holds fractions and others"
        " follow.\nHint: cut it, as in `sf.quantiles('price', 10)`, or take its values as they"
        " are, `sf.classes('price')`.",
        lambda: sf.kfold(frame(DATA), ["price", "label"]),
    )


@pytest.mark.parametrize("by", ["fold", sf.classes("id", name="n"), sf.classes("id", name="share")])
@pytest.mark.parametrize("table", [sf.strata, sf.balance, lambda df, by: sf.plan(df, by, 2)])
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_names_of_the_tables(frame: Make, table: Callable[..., Any], by: Any) -> None:
    """An entry that is called as a column of the table itself is refused."""
    name = by if isinstance(by, str) else by.name
    refuse(
        f"An entry of `by` must have a name of its own in the table, got {name!r}.\n"
        'Hint: give it one, as in `sf.classes(..., name="stratum")`.',
        lambda: table(frame(FOLDED), by),
    )


def test_two_entries_of_one_name(frame: Make) -> None:
    """Two entries over one column need two names in a table."""
    refuse(
        "An entry of `by` must have a name of its own in the table, got 'id'.\n"
        'Hint: give it one, as in `sf.classes(..., name="stratum")`.',
        lambda: sf.strata(frame(DATA), [sf.quantiles("id", 2), "id"]),
    )


# Columns --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda df: sf.kfold(df, "tags"),
        lambda df: sf.strata(df, ["label", "tags"]),
        lambda df: sf.sample(df, "tags", n=1),
        lambda df: sf.kfold(df, key="tags"),
        lambda df: sf.balance(df, "label", "tags"),
        lambda df: list(sf.folds(df, "tags")),
        lambda df: sf.cv(df, "tags"),
        lambda df: sf.parts(df, "tags"),
    ],
)
def test_nested_columns(frame: Make, kind: str, call: Callable[..., Any]) -> None:
    """A column of lists is refused at the call, whatever names it."""
    dtype = "List(String)" if "polars" in kind else "list"
    refuse_now(
        f"A column must hold single values, but 'tags' is {dtype}.", lambda: call(frame(DATA))
    )


@pytest.mark.parametrize("value", [{"a": 1}, {1}, (1,), np.array([1]), bytearray(b"a")])
def test_nested_objects(value: object) -> None:
    """A pandas column of Python containers is refused by their type."""
    refuse_now(
        f"A column must hold single values, but 'x' is {type(value).__name__}.",
        lambda: sf.kfold(pd.DataFrame({"x": [value, value]}), "x", 2),
    )


@pytest.mark.parametrize(
    ("mixed", "types"), [([1, True, "a"], "bool, int, str"), ([2, 2.0, "a"], "float, int, str")]
)
def test_mixed_types(mixed: list[object], types: str) -> None:
    """Equal values of different types are refused; others may mix."""
    refuse_now(
        f"Column 'x' mixes types that cannot be told apart: {types}.\nHint: cast it to one type.",
        lambda: sf.kfold(pd.DataFrame({"x": pd.Series(mixed, dtype=object)}), "x", 2),
    )


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


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda df: sf.kfold(df, "x"), "by"),
        (lambda df: sf.kfold(df, key="x"), "key"),
        (lambda df: sf.folds(df, "x"), "name"),
    ],
)
def test_columns_that_are_there_twice(call: Callable[..., Any], argument: str) -> None:
    """A column asked for that a pandas frame has twice is refused; others may be twice."""
    frame = pd.DataFrame([[1, 2, 3]] * 4, columns=["x", "x", "y"])
    refuse_now(
        f"`{argument}` names the column 'x', which the frame has 2 times.\n"
        "Hint: rename or drop the others first.",
        lambda: call(frame),
    )
    assert sf.kfold(frame, "y", 2).shape == (4, 4)


@pytest.mark.parametrize(("verb", "arguments"), [(sf.kfold, {"k": 2}), (sf.split, {})])
def test_output_is_there_already(
    frame: Make, kind: str, verb: Callable[..., Any], arguments: dict[str, Any]
) -> None:
    """A column that is there already is an error whose hint can be pasted."""
    drop = "'id'" if "polars" in kind else "columns='id'"
    refuse_now(
        f"The frame has a column 'id' already.\nHint: df = df.drop({drop})",
        lambda: verb(frame(DATA), "label", name="id", **arguments),
    )


def test_outputs_are_there_already(frame: Make, kind: str) -> None:
    """All repeats that are there already are named at once."""
    df = sf.kfold(frame(DATA), "label", repeats=2)
    drop = "['fold_1', 'fold_2']"
    drop = drop if "polars" in kind else f"columns={drop}"
    refuse_now(
        f"The frame has columns 'fold_1', 'fold_2' already.\nHint: df = df.drop({drop})",
        lambda: sf.kfold(df, "label", repeats=3),
    )
    hint = f"df.drop({drop})"
    assert "fold_3" in eager(sf.kfold(eval(hint, {"df": df}), "label", repeats=3)).columns


@pytest.mark.parametrize("verb", [sf.folds, sf.cv])
@pytest.mark.parametrize("name", [5, None, [], pl.col("fold"), [["fold"]]])
def test_names_of_fold_columns(frame: Make, verb: Callable[..., Any], name: Any) -> None:
    """Fold columns are named by a string or a list of them, one at least."""
    shown = ["fold"] if isinstance(name, list) and name else name
    message = f"`name` must hold column names, got {shown!r}."
    refuse_now(message, lambda: verb(frame(FOLDED), name))


@pytest.mark.parametrize("verb", [sf.parts, lambda df, name: sf.balance(df, "label", name)])
@pytest.mark.parametrize("name", [5, ["fold"], len])
def test_name_of_one_column(frame: Make, verb: Callable[..., Any], name: Any) -> None:
    """Parts and balance take the name of one column."""
    refuse_now(f"`name` must hold column names, got {name!r}.", lambda: verb(frame(FOLDED), name))


@pytest.mark.parametrize(
    "verb", [sf.folds, sf.cv, sf.parts, lambda df, name: sf.balance(df, "label", name)]
)
def test_fold_column_that_is_not_there(frame: Make, verb: Callable[..., Any]) -> None:
    """A fold column that is not there is refused at the call, with the nearest name."""
    refuse_now(
        "`name` names the column 'flod', which the frame does not have.\n"
        "Hint: did you mean 'fold'?",
        lambda: verb(frame(FOLDED), "flod"),
    )


@pytest.mark.parametrize("verb", [sf.folds, sf.cv])
def test_rows_without_a_fold(frame: Make, verb: Callable[..., Any]) -> None:
    """Rows without a fold are refused, with the two ways to keep them."""
    hint = '\nHint: `nulls="train"` keeps them in every training set, `nulls="drop"` in none.'
    one, two = ({"fold": [0, 1, *nulls]} for nulls in ([None], [None, None]))
    rule = "Column 'fold' must give every row a fold, but"
    refuse_now(f"{rule} 1 row has none.{hint}", lambda: verb(frame(one)))
    refuse_now(f"{rule} 2 rows have none.{hint}", lambda: verb(frame(two)))
    message = "`nulls` must be 'error', 'train' or 'drop', got 'keep'."
    refuse_now(message, lambda: verb(frame(one), nulls="keep"))


# Expressions and callables --------------------------------------------------------------


@pytest.mark.parametrize("argument", ["by", "key"])
def test_references_of_the_other_library(frame: Make, kind: str, argument: str) -> None:
    """Polars takes expressions and pandas callables; the other way round is refused."""
    reference = len if "polars" in kind else pl.col("label")
    refuse_now(
        f"`{argument}` takes Polars expressions on Polars frames, and callables or `pd.col` on"
        f" pandas frames, got {reference} on a {kind.partition('-')[0]} frame.",
        lambda: sf.kfold(frame(DATA), **{argument: reference}),
    )


@pytest.fixture(params=["polars", "polars-lazy"])
def polars(request: pytest.FixtureRequest) -> Any:
    """Polars frames, eager and lazy."""
    return make(request.param, DATA)


@pytest.mark.parametrize("verb", [sf.kfold, sf.strata, sf.plan])
def test_expression_of_a_column_that_is_not_there(polars: Any, verb: Callable[..., Any]) -> None:
    """An expression over a column that is not there is refused at the call as the name is."""
    refuse_now(
        "`by` names the column 'lable', which the frame does not have.\n"
        "Hint: did you mean 'label'?",
        lambda: verb(polars, pl.col("lable").str.to_uppercase()),
    )


@pytest.mark.parametrize("expr", [pl.col("label", "id"), pl.col("^(label|id)$")])
def test_expression_of_two_columns(polars: Any, expr: pl.Expr) -> None:
    """An expression that makes several columns is no entry, and none of them is picked."""
    message = f"An entry of `by` must give one column, got 2 from {expr}."
    refuse_now(message, lambda: sf.kfold(polars, expr))


@pytest.mark.parametrize(
    ("expr", "length"), [(pl.col("id").sum(), 1), (pl.col("id").head(6), 6), (pl.lit(1), 1)]
)
@pytest.mark.parametrize("more", [[], ["label"]])
def test_expression_of_another_length(
    polars: Any, expr: pl.Expr, length: int, more: list[str]
) -> None:
    """An expression that does not give a value for each row is refused."""
    refuse(
        f"A computed column must give one value for each of the 10 rows, got {length} from {expr}.",
        lambda: sf.kfold(polars, [*more, expr], 2),
    )


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (lambda df: 3, "A callable must return one value a row, got int."),
        (lambda df: df, "A callable must return one value a row, got DataFrame."),
        (lambda df: None, "A callable must return one value a row, got NoneType."),
        (
            lambda df: df["id"][::-1],
            "A callable must return its values in the order of the frame, got another index.",
        ),
    ],
)
def test_callables(reference: Callable[..., Any], message: str) -> None:
    """A callable that does not return a value for each row, in their order, is refused."""
    refuse_now(message, lambda: sf.kfold(make("pandas", DATA), reference))


def test_callable_of_another_length() -> None:
    """A callable that returns fewer values than rows is refused."""

    def some(df: pd.DataFrame) -> Any:
        return df["id"].head(3)

    refuse_now(
        f"A computed column must give one value for each of the 10 rows, got 3 from {some}.",
        lambda: sf.kfold(make("pandas", DATA), some),
    )


def test_entries_without_a_name() -> None:
    """A computed entry without a name is called by its place, in errors and warnings."""
    df = pd.DataFrame({"x": ["a", "a", "b", None]})
    nameless = lambda df: df["x"].to_numpy()  # noqa: E731 - a callable as users write it
    refuse_now(
        "Entry 1 of `by` must not be missing, but is in 1 row (3).\nHint: " + KEPT,
        lambda: sf.kfold(df, nameless, 2),
    )
    with pytest.warns(sf.StratWarning, match=r"^1 stratum of entry 1 of `by` has fewer rows than"):
        sf.kfold(df.head(3), nameless, 2)


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (lambda: pl.col("x").strat.kfold(1), "`k` must be at least 2, got 1."),
        (
            lambda: pl.col("x").strat.kfold(rare="no"),
            "`rare` must be 'warn', 'error', 'null' or 'ignore', got 'no'.",
        ),
        (
            lambda: pl.col("x").strat.split({"a": 1}),
            "`parts` must map at least 2 names to their shares, got {'a': 1}.",
        ),
        (
            lambda: pl.col("x").strat.split(missing="null"),
            "`missing` must be 'error' or 'stratum', got 'null'.",
        ),
    ],
)
def test_arguments_of_expressions(expr: Callable[[], pl.Expr], message: str) -> None:
    """A wrong argument of an expression is refused when it is written."""
    refuse_now(message, expr)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("expr", "data", "rule"),
    [
        (
            pl.struct("x", "y").strat.kfold(2),
            {"x": [1, None, 1, 1], "y": ["a"] * 4},
            "'x' must not be missing, but is in 1 row (1).",
        ),
        (
            pl.col("x").strat.split(),
            {"x": [1.5, 2.5, float("inf")]},
            "'x' must be finite, but is infinite in 1 row (2).",
        ),
        (
            pl.col("x").strat.kfold(5, rare="ignore"),
            {"x": [1, 1]},
            "`k` must be at most the number of rows dealt, got 5 for 2 rows.",
        ),
        (pl.col("x").strat.kfold(2), {"x": []}, "A frame must have rows to be dealt, got none."),
        (
            pl.struct("y", "x").strat.kfold(2),
            {"x": [["a"]] * 2, "y": [1, 1]},
            "A column must hold single values, but 'x' is List(String).",
        ),
    ],
)
def test_data_of_expressions(lazy: bool, expr: pl.Expr, data: dict[str, Any], rule: str) -> None:
    """Through an expression the first line of the error is the rule."""
    frame = pl.LazyFrame(data) if lazy else pl.DataFrame(data)
    with pytest.raises(sf.StratError) as caught:
        eager(frame.with_columns(expr))
    assert str(caught.value).splitlines()[0] == rule


# Values ---------------------------------------------------------------------------------


def test_data_errors_of_a_lazy_frame_come_at_collect() -> None:
    """A lazy verb does not look at the data, and its error at collect begins with the rule."""
    for verb, arguments in LAZY:
        query = verb(pl.LazyFrame({"label": ["a", None, "b"]}), "label", *arguments)
        with pytest.raises(sf.StratError) as caught:
            query.collect()
        rule = "'label' must not be missing, but is in 1 row (1)."
        assert str(caught.value).splitlines()[0] == rule


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
        f"'x' must not be missing, but is in 1 row (1).\nHint: {KEPT}",
        lambda: verb(frame({"x": column}), term("x"), *arguments),
    )
    assert at_fault(error, kind) == {"row": [1], "x": [None]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("term", [sf.quantiles("x", 2), sf.bins("x", [0, 5])])
def test_missing_numbers(frame: Make, kind: str, term: Any) -> None:
    """A missing number is refused where it would be binned, and only as missing."""
    error = refuse(
        f"'x' must not be missing, but is in 2 rows (1, 4).\nHint: {KEPT}",
        lambda: sf.kfold(frame({"x": [1.5, None, 3, 4, float("nan")]}), term, 2),
    )
    assert at_fault(error, kind) == {"row": [1, 4], "x": [None, None]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("term", ["x", sf.continuous("x")])
@pytest.mark.parametrize("missing", ["error", "stratum", "null"])
# pandas 2.2 casts infinities to see whether a column holds integers.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_continuous_values(frame: Make, kind: str, term: Any, missing: str) -> None:
    """Null, NaN and infinity in a continuous column are always refused, each for what it is."""
    data = {"x": [1.5, None, float("inf"), 4, -float("inf")]}
    error = refuse(
        "'x' must not be missing, but is in 1 row (1).\n"
        "'x' must be finite, but is infinite in 2 rows (2, 4).\n"
        "Hint: drop these rows, or cut the column, as in `sf.quantiles('x', 10)`.",
        lambda: sf.kfold(frame(data), term, 2, missing=missing),
    )
    found = at_fault(error, kind)
    assert found == {"row": [1, 2, 4], "x": [None, float("inf"), -float("inf")]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


@pytest.mark.parametrize("missing", ["stratum", "null"])
@pytest.mark.parametrize("verb", ["kfold", "sample"])
def test_values_outside_the_bins(frame: Make, kind: str, verb: str, missing: str) -> None:
    """A value outside the edges is refused with its row, missing ones are not outside."""
    df = frame({"x": [1, None, 5, 40]})
    term = sf.bins("x", [2, 5])
    error = refuse(
        "'x' must lie within 2 and 5, but does not in 2 rows (0, 3).",
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
        "'label' must not be missing, but is in 1 row (1).\n"
        "'age' must not be missing, but is in 1 row (1).\n"
        "'age' must lie within 0 and 5, but does not in 1 row (2).\n"
        "'price' must be finite, but is infinite in 1 row (1).\n"
        "'id' must not be missing, but is in 1 row (3).\n"
        f"Hint: {KEPT}",
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
    with pytest.raises(sf.StratError) as caught:
        eager(sf.kfold(frame(data), ["label", sf.continuous("day")], 2))
    assert at_fault(caught.value, kind) == {"row": [1], "label": [None], "day": [days[1]]}


def test_five_rows_are_named(frame: Make, kind: str) -> None:
    """A message names five rows at fault of all that it counts; `failures` has them all."""
    error = refuse(
        f"'x' must not be missing, but is in 7 rows (0, 1, 2, 3, 4, ...).\nHint: {KEPT}",
        lambda: sf.kfold(frame({"x": [None] * 7 + [1]}), "x"),
    )
    assert at_fault(error, kind)["row"] == list(range(7))


@pytest.mark.parametrize("name", ["it's", 'a "b"', "'x'"])
def test_names_with_quotes(frame: Make, kind: str, name: str) -> None:
    """The rows at fault keep the name of their column, quotes and all."""
    error = refuse(
        f"{name!r} must not be missing, but is in 1 row (1).\nHint: {KEPT}",
        lambda: sf.kfold(frame({name: ["a", None, "b"]}), name, 2),
    )
    assert at_fault(error, kind) == {"row": [1], name: [None]}


@pytest.mark.parametrize("label", [0, ("a", 1), None])
def test_labels_that_are_no_strings(label: object) -> None:
    """The rows at fault keep the label of their pandas column, whatever it is."""
    df = pd.DataFrame([["a"], [None], ["b"]])
    df.columns = pd.Index([label], dtype=object, tupleize_cols=False)
    error = refuse(
        f"{label!r} must not be missing, but is in 1 row (1).\nHint: {KEPT}",
        lambda: sf.kfold(df, [label], 2),
    )
    assert list(error.failures.columns) == ["row", label]


def test_rows_at_fault_are_positions() -> None:
    """The rows at fault are named by position, whatever the index."""
    df = pd.DataFrame({"x": ["a", None, "b", None]}, index=[9, 9, 9, 9])
    error = refuse(
        f"'x' must not be missing, but is in 2 rows (1, 3).\nHint: {KEPT}",
        lambda: sf.kfold(df, "x", 2),
    )
    assert error.failures["row"].tolist() == [1, 3]


@pytest.mark.parametrize(
    ("column", "message", "rows"),
    [
        ([1, None, 3], "'id' must not be missing, but is in 1 row (1).", [1]),
        (["a", "b", None], "'id' must not be missing, but is in 1 row (2).", [2]),
        ([1, 2, 2], "`key` ('id') must name each row once, but repeats in 2 rows (1, 2).", [1, 2]),
        (
            ["b", "a", "b"],
            "`key` ('id') must name each row once, but repeats in 2 rows (0, 2).",
            [0, 2],
        ),
        (
            [0.0, 1.5, -0.0],
            "`key` ('id') must name each row once, but repeats in 2 rows (0, 2).",
            [0, 2],
        ),
        (
            [True, False, True],
            "`key` ('id') must name each row once, but repeats in 2 rows (0, 2).",
            [0, 2],
        ),
    ],
)
@pytest.mark.parametrize("missing", ["error", "stratum"])
def test_keys(
    frame: Make, kind: str, column: list[Any], message: str, rows: list[int], missing: str
) -> None:
    """Missing and repeated keys are always refused with their rows, by way of pandera."""
    error = refuse(message, lambda: sf.kfold(frame({"id": column}), k=2, key="id", missing=missing))
    assert at_fault(error, kind) == {"row": rows, "id": [column[row] for row in rows]}
    assert isinstance(error.__cause__, pandera.errors.SchemaErrors)


def test_keys_of_two_columns(frame: Make, kind: str) -> None:
    """Several key columns name a row together."""
    data = {"day": [1, 1, 2, 2], "place": ["a", "b", "c", "c"]}
    error = refuse(
        "`key` ('day', 'place') must name each row once, but repeats in 2 rows (2, 3).",
        lambda: sf.split(frame(data), None, HALVES, key=["day", "place"]),
    )
    assert at_fault(error, kind) == {"row": [2, 3], "day": [2, 2], "place": ["c", "c"]}


# Rare strata ----------------------------------------------------------------------------

RARE = {"label": ["a"] * 9 + ["b", "c", "c"], "sex": ["m", "f"] * 6}
FEW = "2 strata of 'label' have fewer rows than the 3 folds: 'b' (1 row), 'c' (2 rows)."


def warned(message: str, call: Callable[[], Any]) -> Any:
    """Check the words of the one warning of a call, and return its result."""
    with pytest.warns(sf.StratWarning) as caught:
        result = eager(call())
    assert [str(warning.message) for warning in caught] == [message]
    return result


@pytest.mark.parametrize("by", ["label", ["label", "sex"]])
def test_rare_strata_are_warned_of(frame: Make, by: Any) -> None:
    """Rare strata of the first entry are named in one warning, and dealt all the same."""
    df = warned(FEW, lambda: sf.kfold(frame(RARE), by, 3))
    assert None not in values(df, "fold")


def test_rare_strata_of_a_split(frame: Make) -> None:
    """A stratum is rare where it has fewer rows than there are parts."""
    warned(
        "1 stratum of 'label' has fewer rows than the 2 parts: 'b' (1 row).",
        lambda: sf.split(frame(RARE), "label"),
    )


def test_five_rare_strata_are_named(frame: Make) -> None:
    """A warning names the five rarest strata, and says how many there are."""
    labels = ["a"] * 40 + list("bcdefg") * 2 + ["h"]
    warned(
        "7 strata of 'label' have fewer rows than the 3 folds:"
        " 'h' (1 row), 'b' (2 rows), 'c' (2 rows), 'd' (2 rows), 'e' (2 rows), ...",
        lambda: sf.kfold(frame({"label": labels}), "label", 3),
    )


def test_a_column_that_looks_like_an_id(frame: Make) -> None:
    """Where most rows are in rare strata, the warning says what the column looks like."""
    warned(
        "2 strata of 'x' have fewer rows than the 5 folds: 2 (1 row), 1 (4 rows). More than half"
        " of the rows are in such strata: 'x' looks continuous, or like an id.\n"
        "Hint: `sf.quantiles('x', 10)` or `sf.continuous('x')`.",
        lambda: sf.kfold(frame({"x": [1, 1, 1, 1, 2]}), "x"),
    )


def test_half_of_the_rows_are_no_hint(frame: Make) -> None:
    """Half of the rows in rare strata are not more than half."""
    warned(
        "2 strata of 'x' have fewer rows than the 3 folds: 2 (1 row), 3 (2 rows).",
        lambda: sf.kfold(frame({"x": [1, 1, 1, 2, 3, 3]}), "x", 3),
    )


def test_a_missing_stratum_may_be_rare(frame: Make) -> None:
    """Missing values that are a stratum of their own may be a rare one."""
    warned(
        "1 stratum of 'x' has fewer rows than the 3 folds: None (1 row).",
        lambda: sf.kfold(frame({"x": [1, 1, 1, None]}), "x", 3, missing="stratum"),
    )


def test_rare_strata_as_errors(frame: Make, kind: str) -> None:
    """With `rare="error"` rare strata are refused, with their rows."""
    error = refuse(
        f'`rare="error"` allows no rare strata, but {FEW}',
        lambda: sf.kfold(frame(RARE), ["label", "sex"], 3, rare="error"),
    )
    found = at_fault(error, kind)
    assert (found["row"], found["label"]) == ([9, 10, 11], ["b", "c", "c"])


@pytest.mark.parametrize(("rare", "nulls"), [("null", 3), ("ignore", 0)])
def test_rare_strata_without_a_word(frame: Make, rare: str, nulls: int) -> None:
    """Rare strata get no fold with `rare="null"`, theirs with `"ignore"`, and no warning."""
    df = sf.kfold(frame(RARE), "label", 3, rare=rare)
    assert values(df, "fold").count(None) == nulls


@pytest.mark.parametrize(
    "by",
    [
        ["sex", "label"],
        sf.bins("x", [0, 10, 12]),
        sf.quantiles("x", 6),
        sf.continuous("x"),
        [sf.bins("x", [0, 10, 12]), "label"],
    ],
)
def test_bins_and_deeper_levels_are_never_rare(frame: Make, by: Any) -> None:
    """Only classes of the first entry may be rare; bins and deeper levels cost nothing."""
    df = sf.kfold(frame({**RARE, "x": list(range(12))}), by, 3, rare="error")
    assert sorted(values(df, "fold")) == [0] * 4 + [1] * 4 + [2] * 4


def test_fewer_quantiles(frame: Make) -> None:
    """Quantiles that make fewer bins than asked for warn, and say how many."""
    warned(
        "`sf.quantiles('x', 5)` made fewer bins than asked for: 2 of 5."
        " Equal values are never parted.",
        lambda: sf.kfold(frame({"x": [1] * 8 + [2, 3]}), sf.quantiles("x", 5), 2),
    )


def test_fewer_quantiles_inside_strata(frame: Make) -> None:
    """Inside strata the warning says in how many, and the fewest bins of any."""
    data = {"label": ["a"] * 6 + ["b"] * 6, "x": [1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 2]}
    warned(
        "`sf.quantiles('x', 3)` made fewer bins than asked for in 1 of 2 strata: 2 of 3 at the"
        " fewest. Equal values are never parted.",
        lambda: sf.kfold(frame(data), ["label", sf.quantiles("x", 3)], 2),
    )


# Empty frames ---------------------------------------------------------------------------


@pytest.mark.parametrize(("verb", "arguments"), LAZY)
@pytest.mark.parametrize("by", [None, "label", sf.quantiles("label", 3), sf.continuous("label")])
def test_no_rows_to_deal(frame: Make, verb: Callable[..., Any], arguments: Any, by: Any) -> None:
    """A verb that adds a column refuses an empty frame."""
    message = "A frame must have rows to be dealt, got none."
    refuse(message, lambda: verb(frame({"label": []}), by, *arguments))


@pytest.mark.parametrize("by", ["label", sf.quantiles("label", 3), sf.bins("label", [0, 1])])
@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (sf.strata, ["label", "n", "share"]),
        (sf.balance, ["fold", "label", "n", "share", "expected", "deviation"]),
        (sf.plan, ["label", "fold", "n"]),
    ],
)
def test_tables_of_no_rows(frame: Make, table: Callable[..., Any], columns: Any, by: Any) -> None:
    """A diagnostic of an empty frame is an empty table."""
    found = table(frame({"label": [], "fold": []}), by)
    assert found.shape == (0, len(columns))
    assert list(found.columns) == columns


def test_uses_of_no_rows(frame: Make) -> None:
    """An empty frame has no folds, no parts and an empty sample."""
    df = frame({"label": [], "fold": []})
    assert list(sf.folds(df)) == []
    assert sf.cv(df) == []
    assert sf.parts(df, "fold") == {}
    assert len(sf.sample(df, "label", frac=0.5)) == 0


def test_plan_without_strata(frame: Make) -> None:
    """A plan without strata needs no column, of a lazy frame neither."""
    assert values(sf.plan(frame(DATA), k=3), "n").count(3) == 2
