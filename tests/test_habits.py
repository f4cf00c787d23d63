"""Arguments of other libraries, data where columns are named: answered with what to write."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from stratframe.habits import HABITS
from tests.helpers import ROWS, Make, make, refuse_now

VERBS: dict[str, list[Any]] = {
    "kfold": ["label"],
    "split": ["label"],
    "extend": ["label"],
    "plan": ["label"],
    "sample": ["label"],
}
"""The verbs that answer, and arguments that they need."""


def no_argument(verb: str, names: str, tip: str) -> str:
    return f"`{verb}` has no argument {names}.\nHint: {tip}."


def answered(message: str, call: Callable[[], Any]) -> None:
    """Check the `TypeError` of a call."""
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


ANSWERS: list[tuple[str, dict[str, Any], str, str]] = [
    ("kfold", {"n_splits": 5}, "`n_splits`", "`k=5`"),
    ("kfold", {"n_splits": 10}, "`n_splits`", "`k=10`"),
    ("kfold", {"n_folds": "many"}, "`n_folds`", "`k=5`"),
    ("kfold", {"v": 3}, "`v`", "`k=3`"),
    ("kfold", {"random_state": 42}, "`random_state`", "`seed=42`"),
    ("kfold", {"random_state": np.random.default_rng(0)}, "`random_state`", "`seed=0`"),
    ("kfold", {"shuffle": True}, "`shuffle`", '`deal="random"`'),
    ("kfold", {"shuffle": False}, "`shuffle`", '`deal="circular"`'),
    ("kfold", {"stratify": "city"}, "`stratify`", '`by="city"`'),
    ("kfold", {"strata": pd.Series(range(99))}, "`strata`", '`by="label"`'),
    ("kfold", {"cat_col": "city"}, "`cat_col`", '`by="city"`'),
    ("kfold", {"cat_col": "c" * 5_000}, "`cat_col`", '`by="label"`'),
    ("kfold", {"n_splits": 10**5_000}, "`n_splits`", "`k=5`"),
    ("split", {"test_size": 10**5_000}, "`test_size`", '`parts={"train": 0.8, "test": 0.2}`'),
    ("split", {"test": 10**5_000}, "`test`", '`parts={"train": 0.8, "test": 0.2}`'),
    ("kfold", {"group": "city"}, "`group`", '`groups="city"`'),
    ("split", {"id_col": 3}, "`id_col`", '`groups="patient"`'),
    ("kfold", {"n_repeats": 3, "seed": 1}, "`n_repeats`", "`repeats=3`"),
    ("kfold", {"num_fold_cols": 3.5}, "`num_fold_cols`", "`repeats=10`"),
    ("split", {"n_repeats": 3}, "`n_repeats`", "`repeats=3`"),
    (
        "extend",
        {"n_repeats": 3},
        "`n_repeats`",
        "`df.strat.kfold(..., repeats=10)` adds several columns",
    ),
    (
        "sample",
        {"group": "city"},
        "`group`",
        'groups stay together in `df.strat.kfold(..., groups="patient")` and in `split`',
    ),
    (
        "kfold",
        {"test_size": 0.2},
        "`test_size`",
        '`split` makes parts, as in `split(..., parts={"train": 0.8, "test": 0.2})`',
    ),
    (
        "kfold",
        {"n_splits": 5, "shuffle": True, "random_state": 0},
        "`n_splits`, `shuffle` or `random_state`",
        '`k=5`, `deal="random"`, `seed=0`',
    ),
    ("split", {"test_size": 0.25}, "`test_size`", '`parts={"train": 0.75, "test": 0.25}`'),
    ("split", {"test_size": 0.3}, "`test_size`", '`parts={"train": 0.7, "test": 0.3}`'),
    ("split", {"test_size": 100}, "`test_size`", '`parts={"train": None, "test": 100}`'),
    ("split", {"test_size": None}, "`test_size`", '`parts={"train": 0.8, "test": 0.2}`'),
    ("kfold", {"folds": 10}, "`folds`", "`k=10`"),
    ("split", {"test": 0.2}, "`test`", "`parts=0.2`"),
    ("split", {"test": 100}, "`test`", '`parts={"train": None, "test": 100}`'),
    ("split", {"test": "city"}, "`test`", '`parts={"train": 0.8, "test": 0.2}`'),
    ("split", {"train": 0.75}, "`train`", '`parts={"train": 0.75, "test": None}`'),
    (
        "split",
        {"test": 0.1, "val": 0.1, "random_state": 3},
        "`test`, `val` or `random_state`",
        '`parts={"train": None, "val": 0.1, "test": 0.1}`, `seed=3`',
    ),
    (
        "split",
        {"train": 0.8, "valid": 0.1, "test": 0.1},
        "`train`, `valid` or `test`",
        '`parts={"train": 0.8, "valid": 0.1, "test": 0.1}`',
    ),
    ("plan", {"test": 0.2}, "`test`", "`parts=0.2`"),
    (
        "sample",
        {"test": 0.2},
        "`test`",
        '`split` makes parts, as in `split(..., parts={"train": 0.8, "test": 0.2})`',
    ),
    ("split", {"n_splits": 5}, "`n_splits`", "`kfold` makes folds, as in `kfold(..., k=5)`"),
    ("extend", {"n_splits": 5}, "`n_splits`", "`k=5`"),
    ("extend", {"shuffle": True}, "`shuffle`", "rows are always drawn at random"),
    ("plan", {"test_size": 0.2}, "`test_size`", '`parts={"train": 0.8, "test": 0.2}`'),
    ("plan", {"random_state": 1}, "`random_state`", "`seed=1`"),
    ("sample", {"test_size": 0.1}, "`test_size`", "`frac=0.1`"),
    ("sample", {"random_state": 1}, "`random_state`", "`seed=1`"),
]


@pytest.mark.parametrize(("verb", "arguments", "names", "tip"), ANSWERS)
@pytest.mark.parametrize("kind", ["pandas", "polars", "polars-lazy"])
def test_arguments_of_other_libraries(
    kind: str, verb: str, arguments: dict[str, Any], names: str, tip: str
) -> None:
    """The error of a function and of its method names our argument, and what to write."""
    df, message = make(kind, ROWS), no_argument(verb, names, tip)
    answered(message, lambda: getattr(sf, verb)(df, **arguments))
    answered(message, lambda: getattr(df.strat, verb)(**arguments))
    answered(message, lambda: df.pipe(getattr(sf, verb), *VERBS[verb], **arguments))


@pytest.mark.parametrize(
    ("verb", "arguments", "names", "tip"),
    [
        ("kfold", {"n_splits": 3}, "`n_splits`", "`k=3`"),
        ("split", {"random_state": 3}, "`random_state`", "`seed=3`"),
        (
            "kfold",
            {"stratify": "label"},
            "`stratify`",
            "the expression itself is what is stratified by",
        ),
    ],
)
def test_arguments_of_expressions(
    verb: str, arguments: dict[str, Any], names: str, tip: str
) -> None:
    """The methods of Polars expressions answer, too."""
    expr = pl.col("label").strat
    answered(no_argument(verb, names, tip), lambda: getattr(expr, verb)(**arguments))


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("habit", HABITS)
def test_every_name_is_answered(verb: str, habit: str) -> None:
    """No verb leaves one of the names to Python's error."""
    for call in (getattr(sf, verb), getattr(pd.DataFrame(ROWS).strat, verb)):
        with pytest.raises(TypeError, match=f"^`{verb}` has no argument `{habit}`.\nHint: "):
            call(**{habit: 5})


@pytest.mark.parametrize("verb", VERBS)
def test_other_arguments_are_left_to_python(verb: str) -> None:
    """An argument that no library has gets the error of Python."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'flods'"):
        getattr(sf, verb)(pd.DataFrame(ROWS), flods=5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'flods'"):
        getattr(pd.DataFrame(ROWS).strat, verb)(flods=5)


@pytest.mark.parametrize("verb", VERBS)
def test_signatures_stay_plain(verb: str) -> None:
    """`inspect` and `help` show the arguments of the verb, and no others."""
    for call in (getattr(sf, verb), getattr(pd.DataFrame(ROWS).strat, verb)):
        parameters = inspect.signature(call).parameters
        assert "seed" in parameters
        assert not HABITS.keys() & parameters.keys()
        assert not {"args", "kwargs"} & parameters.keys()
        assert call.__name__ == verb


# Data where columns are named -----------------------------------------------------------


def test_number_of_folds_without_its_name(frame: Make) -> None:
    """A whole number in the place of `by` is answered with `k`, unless a column is called so."""
    for call in (lambda: sf.kfold(frame(ROWS), 5), lambda: frame(ROWS).strat.kfold([5])):
        refuse_now(
            "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got"
            " 5.\n"
            "Hint: `by` comes first; the number of folds is `k=5`.",
            call,
        )
    assert "Hint: `by` comes first; the number of folds is `k=5`." in (
        "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got"
        " 5.\n"
        "Hint: `by` comes first; the number of folds is `k=5`."
    )
    assert "fold" in sf.kfold(pd.DataFrame({5: [1, 2, 1, 2]}), 5, 2)


LABELS = ["a", "b"] * 200


@pytest.mark.parametrize("argument", ["by", "groups", "key"])
@pytest.mark.parametrize(
    ("data", "got", "name"),
    [
        (pd.Series(LABELS, name="label"), "Series", "label"),
        (pd.Series([1, 2]), "Series", None),
        (pd.Index([1, 2], name="label"), "Index", "label"),
        (pd.DataFrame({"label": LABELS}), "DataFrame", None),
        (pd.Categorical(LABELS), "Categorical", None),
        (pl.Series("label", LABELS), "Series", "label"),
        (pl.DataFrame({"label": LABELS}), "DataFrame", None),
        (pl.LazyFrame({"label": LABELS}), "LazyFrame", None),
        (np.array(LABELS), "ndarray", None),
        (LABELS, "list of 400 values", None),
        (list(range(400)), "list of 400 values", None),
    ],
)
def test_data_in_place_of_names(argument: str, data: Any, got: str, name: str | None) -> None:
    """Data are never printed: the message has their type, and the name of the column if known."""
    df = pd.DataFrame(ROWS)
    taken = {
        "by": "column names, terms such as `sf.quantiles`, or expressions",
        "groups": "column names, expressions, or one `sf.clusters`",
        "key": "column names or expressions",
    }
    named = "" if name is None else f", {name!r}"
    message = (
        f"`{argument}` must hold {taken[argument]}, got {got}.\n"
        f"Hint: give the name of the column{named}."
    )
    refuse_now(message, lambda: sf.kfold(df, **{argument: data}))
    if not isinstance(data, list):
        refuse_now(message, lambda: df.strat.kfold(**{argument: [data, data]}))


@pytest.mark.parametrize("make_data", [pd.Series, pl.Series, np.array])
def test_data_in_terms(make_data: Callable[..., Any]) -> None:
    """Data in a term or in margins are not printed either, nor twice."""
    df, data = pd.DataFrame(ROWS), make_data([0.5, 1.5] * 200)
    got = type(data).__name__
    message = (
        "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got"
        f" {got}.\nHint: give the name of the column."
    )
    for by in (
        sf.quantiles(data, 2),
        [sf.quantiles(data, 2), sf.quantiles(make_data([0.5]), 2)],
        sf.margins([data, "label"]),
    ):
        refuse_now(message, lambda by=by: sf.kfold(df, by))
    twice = f"`by` must hold each entry once, got sf.quantiles({got}, 2) twice."
    refuse_now(twice, lambda: sf.kfold(df, [sf.quantiles(data, 2)] * 2))
    rule = "`features` of `sf.chain` must be a column or a list of columns, got"
    refuse_now(
        f"{rule} {got}.\nHint: several columns go in a list, as in `list(df.columns)`.",
        lambda: sf.chain(data),
    )
    refuse_now(f"`sf.margins` must hold a list of entries, got {got}.", lambda: sf.margins(data))


def test_long_values_are_not_printed() -> None:
    """A long list in a list, and a long tuple, are shown by their lengths."""
    nested = (
        "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got"
        " list of 400 values.\nHint: give the name of the column."
    )
    refuse_now(nested, lambda: sf.kfold(pd.DataFrame(ROWS), [LABELS]))
    message = (
        "`by` names the column tuple of 400 values, which the frame does not have.\n"
        "Hint: several columns go in a list."
    )
    refuse_now(message, lambda: sf.kfold(pd.DataFrame(ROWS), tuple(LABELS)))


def test_many_features_are_columns() -> None:
    """Long lists are fine where they name columns: features, and columns to compare."""
    wide = pd.DataFrame({f"x{place}": range(10) for place in range(150)}).assign(fold=[0, 1] * 5)
    assert len(sf.drift(wide, [f"x{place}" for place in range(150)])) == 300
