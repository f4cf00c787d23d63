"""Arguments of other libraries, data where columns are named: answered with what to write."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from stratframe.accessor import Strat
from stratframe.habits import HABITS
from tests.helpers import FOLDED, ROWS, Make, evaluate, refuse_now

VERBS = sorted({*vars(Strat)} & {*sf.__all__})
"""The verbs, all of which answer."""


ANSWERS = {
    "sf.kfold(df, n_splits=5)": "`kfold` has no argument `n_splits`.\nHint: `k=5`.",
    "sf.kfold(df, n_folds='many')": "`kfold` has no argument `n_folds`.\nHint: `k=5`.",
    "sf.kfold(df, n_splits=10**5_000)": "`kfold` has no argument `n_splits`.\nHint: `k=5`.",
    "sf.kfold(df, random_state=42)": "`kfold` has no argument `random_state`.\nHint: `seed=42`.",
    "sf.kfold(df, random_state=np.random.default_rng(0))": (
        "`kfold` has no argument `random_state`.\nHint: `seed=0`."
    ),
    "sf.kfold(df, shuffle=True)": '`kfold` has no argument `shuffle`.\nHint: `deal="random"`.',
    "sf.kfold(df, shuffle=False)": '`kfold` has no argument `shuffle`.\nHint: `deal="circular"`.',
    "sf.extend(df, None, shuffle=True)": (
        "`extend` has no argument `shuffle`.\nHint: rows are always drawn at random."
    ),
    "sf.kfold(df, stratify='city')": '`kfold` has no argument `stratify`.\nHint: `by="city"`.',
    "sf.kfold(df, strata=pd.Series(range(99)))": (
        '`kfold` has no argument `strata`.\nHint: `by="label"`.'
    ),
    "sf.kfold(df, cat_col='c' * 5_000)": '`kfold` has no argument `cat_col`.\nHint: `by="label"`.',
    "sf.kfold(df, group='city')": '`kfold` has no argument `group`.\nHint: `groups="city"`.',
    "sf.split(df, id_col=3)": '`split` has no argument `id_col`.\nHint: `groups="patient"`.',
    "sf.kfold(df, num_fold_cols=3.5)": (
        "`kfold` has no argument `num_fold_cols`.\nHint: `repeats=10`."
    ),
    "sf.split(df, n_splits=5)": (
        "`split` has no argument `n_splits`.\nHint: `kfold` makes folds, as in `kfold(..., k=5)`."
    ),
    "sf.split(df, test_size=0.9)": (
        '`split` has no argument `test_size`.\nHint: `parts={"train": 0.1, "test": 0.9}`.'
    ),
    "sf.split(df, test_size=100)": (
        '`split` has no argument `test_size`.\nHint: `parts={"train": None, "test": 100}`.'
    ),
    "sf.split(df, test_size=None)": (
        '`split` has no argument `test_size`.\nHint: `parts={"train": 0.8, "test": 0.2}`.'
    ),
    "sf.split(df, test_size=10**5_000)": (
        '`split` has no argument `test_size`.\nHint: `parts={"train": 0.8, "test": 0.2}`.'
    ),
    "sf.split(df, test_size=1.5)": (
        '`split` has no argument `test_size`.\nHint: `parts={"train": 0.8, "test": 0.2}`.'
    ),
    "sf.split(df, train_size=0.7)": (
        '`split` has no argument `train_size`.\nHint: `parts={"train": 0.7, "test": 0.3}`.'
    ),
    "sf.split(df, train_size=100)": (
        '`split` has no argument `train_size`.\nHint: `parts={"train": 100, "test": None}`.'
    ),
    "sf.split(df, train_size=0.7, test_size=0.3)": (
        "`split` has no argument `train_size` or `test_size`.\n"
        'Hint: `parts={"train": 0.7, "test": 0.3}`.'
    ),
    "sf.split(df, val=0.5, test=0.6)": (
        "`split` has no argument `val` or `test`.\n"
        'Hint: `parts={"train": None, "val": 0.5, "test": 0.6}`.'
    ),
    "sf.sample(df, train_size=0.9)": "`sample` has no argument `train_size`.\nHint: `frac=0.9`.",
    "sf.kfold(df, train_size=0.8)": (
        "`kfold` has no argument `train_size`.\n"
        'Hint: `split` makes parts, as in `split(..., parts={"train": 0.8, "test": 0.2})`.'
    ),
    "sf.sample(df, test_size=0.1)": "`sample` has no argument `test_size`.\nHint: `frac=0.1`.",
    "sf.plan(df, test=0.2)": "`plan` has no argument `test`.\nHint: `parts=0.2`.",
    "sf.split(df, test=100)": (
        '`split` has no argument `test`.\nHint: `parts={"train": None, "test": 100}`.'
    ),
    "sf.split(df, test='city')": (
        '`split` has no argument `test`.\nHint: `parts={"train": 0.8, "test": 0.2}`.'
    ),
    "sf.split(df, test=10**5_000)": (
        '`split` has no argument `test`.\nHint: `parts={"train": 0.8, "test": 0.2}`.'
    ),
    "sf.split(df, train=0.75)": (
        '`split` has no argument `train`.\nHint: `parts={"train": 0.75, "test": 0.25}`.'
    ),
    "sf.kfold(df, n_splits=5, shuffle=True, random_state=0)": (
        "`kfold` has no argument `n_splits`, `shuffle` or `random_state`.\n"
        'Hint: `k=5`, `deal="random"`, `seed=0`.'
    ),
    "sf.kfold(df, target='label')": '`kfold` has no argument `target`.\nHint: `by="label"`.',
    "sf.kfold(df, y='label')": '`kfold` has no argument `y`.\nHint: `by="label"`.',
    "sf.kfold(df, 'label', weights='x')": (
        "`kfold` has no argument `weights`.\nHint: each row counts once."
    ),
    "sf.split(df, test=0.1, val=0.1, random_state=3)": (
        "`split` has no argument `test`, `val` or `random_state`.\n"
        'Hint: `parts={"train": 0.8, "val": 0.1, "test": 0.1}`, `seed=3`.'
    ),
    "sf.split(df, train=0.8, valid=0.1, test=0.1)": (
        "`split` has no argument `train`, `valid` or `test`.\n"
        'Hint: `parts={"train": 0.8, "valid": 0.1, "test": 0.1}`.'
    ),
    "sf.split(df, n_repeats=3)": "`split` has no argument `n_repeats`.\nHint: `repeats=3`.",
    "sf.extend(df, None, n_repeats=3)": (
        "`extend` has no argument `n_repeats`.\n"
        "Hint: `df.strat.kfold(..., repeats=10)` adds several columns."
    ),
    "sf.sample(df, group='city')": (
        "`sample` has no argument `group`.\n"
        'Hint: groups stay together in `df.strat.kfold(..., groups="patient")` and in `split`.'
    ),
    "sf.kfold(df, test_size=0.2)": (
        "`kfold` has no argument `test_size`.\n"
        'Hint: `split` makes parts, as in `split(..., parts={"train": 0.8, "test": 0.2})`.'
    ),
    "sf.split(df, k=5)": (
        "`split` has no argument `k`.\nHint: `kfold` makes folds, as in `kfold(..., k=5)`."
    ),
    "sf.sample(df, parts=0.1)": "`sample` has no argument `parts`.\nHint: `frac=0.1`.",
    "sf.advise(df, n_splits=5)": "`advise` has no argument `n_splits`.\nHint: `ks=5`.",
    "sf.advise(df, shuffle=True)": (
        "`advise` has no argument `shuffle`.\nHint: nothing is drawn at random."
    ),
    "sf.leaks(df, group='city')": '`leaks` has no argument `group`.\nHint: `groups="city"`.',
    "sf.report(df, stratify='city')": '`report` has no argument `stratify`.\nHint: `by="city"`.',
    "sf.cv(df, shuffle=True)": (
        "`cv` has no argument `shuffle`.\nHint: `cv` reads a column that is there already;"
        ' `df.strat.kfold(..., deal="random")` makes one.'
    ),
    "sf.folds(df, k=10)": (
        "`folds` has no argument `k`.\nHint: `folds` reads a column that is there already;"
        " `df.strat.kfold(..., k=10)` makes one."
    ),
    "sf.FoldSplit(n_splits=10, shuffle=True, random_state=42)": (
        "`FoldSplit` has no argument `n_splits`, `shuffle` or `random_state`.\n"
        "Hint: `FoldSplit` reads a column that is there already;"
        ' `df.strat.kfold(..., k=10, deal="random", seed=42)` makes one.'
    ),
    "sf.cv(df, test='holdout', groups='city')": (
        '`cv` has no argument `test` or `groups`.\nHint: `valid="holdout"`, `cv` reads a column'
        ' that is there already; `df.strat.kfold(..., groups="city")` makes one.'
    ),
    "sf.folds(df, test_size=0.2)": (
        "`folds` has no argument `test_size`.\n"
        'Hint: `split` makes parts, as in `split(..., parts={"train": 0.8, "test": 0.2})`.'
    ),
    "pl.col('y').strat.kfold(n_splits=3)": "`kfold` has no argument `n_splits`.\nHint: `k=3`.",
    "pl.col('y').strat.split(random_state=3)": (
        "`split` has no argument `random_state`.\nHint: `seed=3`."
    ),
    "pl.col('y').strat.kfold(stratify='y')": (
        "`kfold` has no argument `stratify`.\nHint: the expression itself is what is stratified by."
    ),
}
"""Calls as other libraries have them, and the answers."""


@pytest.mark.parametrize("call", ANSWERS)
def test_arguments_of_other_libraries(call: str) -> None:
    """The error names our argument, and what to write."""
    with pytest.raises(TypeError) as caught:
        evaluate(call, df=pd.DataFrame(ROWS))
    assert str(caught.value) == ANSWERS[call]


UNKNOWN = [
    (verb, habit)
    for verb in VERBS
    for habit in HABITS
    if habit not in inspect.signature(getattr(sf, verb)).parameters
]
"""Verbs, and names of arguments that they do not have."""


@pytest.mark.parametrize(("verb", "habit"), UNKNOWN)
def test_every_name_is_answered(verb: str, habit: str) -> None:
    """No verb, nor its method, leaves one of the names to Python's error."""
    for call in (getattr(sf, verb), getattr(pd.DataFrame(ROWS).strat, verb)):
        with pytest.raises(TypeError, match=f"^`{verb}` has no argument `{habit}`.\nHint: "):
            call(**{habit: 5})


@pytest.mark.parametrize("verb", VERBS)
def test_other_arguments_are_left_to_python(verb: str) -> None:
    """An argument that no library has gets the error of Python, and none is in the signature."""
    call = getattr(sf, verb)
    with pytest.raises(TypeError, match="unexpected keyword argument 'flods'"):
        call(pd.DataFrame(ROWS), flods=5)
    parameters = inspect.signature(call).parameters.keys()
    assert not {"args", "kwargs"} & parameters
    assert call.__name__ == verb


@pytest.mark.parametrize("verb", [sf.kfold, sf.check, sf.cv])
def test_the_frame_comes_first(frame: Make, verb: Any) -> None:
    """A column that is named before the frame is told where it goes."""
    name = verb.__name__
    refuse_now(
        f"The frame comes first, got 'label'.\nHint: `{name}(df, 'label')`, or"
        f" `df.strat.{name}('label')`.",
        lambda: verb("label", frame(ROWS)),
    )


# Arguments without their names ----------------------------------------------------------


PLACES = {
    "sample('label', 10)": (
        "`sample` takes no argument after `by` without its name, got 10.\nHint: `n=10`."
    ),
    "sample('label', 0.1)": (
        "`sample` takes no argument after `by` without its name, got 0.1.\nHint: `frac=0.1`."
    ),
    "sample('label', -1)": (
        "`sample` takes no argument after `by` without its name, got -1.\n"
        "Hint: name it: `n`, `frac`, `allocation`, `key`, `seed`."
    ),
    "sample('label', 10**5_000)": (
        "`sample` takes no argument after `by` without its name, got about 10**5000.\n"
        "Hint: name it: `n`, `frac`, `allocation`, `key`, `seed`."
    ),
    "kfold('label', 5, 'id', pd.Series([1, 2]))": (
        "`kfold` takes no argument after `k` without its name, got 'id', Series.\n"
        "Hint: name it: `groups`, `where`, `deal`, `key`, `missing`, ..."
    ),
    "split('label', 0.2, 0)": (
        "`split` takes no argument after `parts` without its name, got 0.\n"
        "Hint: name it: `groups`, `where`, `deal`, `key`, `missing`, ..."
    ),
    "check('label', 'fold', 'id')": (
        "`check` takes no argument after `name` without its name, got 'id'.\n"
        "Hint: name it: `groups`, `key`, `features`, `duplicates`."
    ),
    **{
        f"{verb}('label', 'id'{others})": (
            f"`{verb}` takes all columns as one argument, got 'label', 'id'.\n"
            'Hint: several columns go in a list: `["label", "id"]`.'
        )
        for verb in ("kfold", "split", "extend", "plan", "advise", "sample")
        for others in ("", ", 5")
    },
    "kfold('label', 'id', k=5)": (
        "`kfold` takes all columns as one argument, got 'label', 'id'.\n"
        'Hint: several columns go in a list: `["label", "id"]`.'
    ),
}
"""Calls with more arguments by their place than a verb takes so, and the answers."""


@pytest.mark.parametrize("call", PLACES)
def test_arguments_without_their_names(frame: Make, call: str) -> None:
    """The error of a function and of its method says how to write what it takes by name alone."""
    df, verb = frame(ROWS), call.partition("(")[0]
    for code in (f"df.strat.{call}", call.replace("(", "(df, ", 1).replace(verb, f"sf.{verb}", 1)):
        with pytest.raises(TypeError) as caught:
            evaluate(code, df=df)
        assert str(caught.value) == PLACES[call]


def test_text_that_is_no_second_column() -> None:
    """A number in quotes is no column, and where a fold column comes second, text names it."""
    refuse_now(
        "`k` must be a whole number, got '5'.", lambda: sf.kfold(pd.DataFrame(ROWS), "label", "5")
    )
    assert len(sf.balance(pd.DataFrame(FOLDED), "label", "fold"))


# Data where columns are named -----------------------------------------------------------


def test_number_of_folds_without_its_name(frame: Make) -> None:
    """A whole number in the place of `by` is answered with `k`, unless a column is called so."""
    message = (
        "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got 5.\n"
        "Hint: `by` comes first; the number of folds is `k=5`."
    )
    for by in (5, [5]):
        refuse_now(message, lambda by=by: sf.kfold(frame(ROWS), by))
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


@pytest.mark.parametrize("argument", ["by", "groups", "key"])
@pytest.mark.parametrize(
    "text", ["label, price", "label,price", " label ,price", ("label", "price")]
)
def test_several_names_in_one_text(frame: Make, argument: str, text: Any) -> None:
    """Names with commas between them, all of which are columns, are answered with the list."""
    message = (
        f"`{argument}` names the column {text!r}, which the frame does not have.\n"
        'Hint: several columns go in a list: `["label", "price"]`.'
    )
    refuse_now(message, lambda: sf.kfold(frame(ROWS), **{argument: text}))


def test_text_with_commas_that_is_no_list() -> None:
    """Text of which one piece is no column is a name, which may have commas in it."""
    message = (
        "`by` names the column 'label, prize', which the frame does not have.\n"
        "Hint: the columns are 'id', 'label', 'price', 'tags'."
    )
    refuse_now(message, lambda: sf.kfold(pd.DataFrame(ROWS), "label, prize"))
    assert "fold" in sf.kfold(pd.DataFrame({"a, b": [1, 2] * 5, "a": 1, "b": 2}), "a, b")


@pytest.mark.parametrize(
    "call",
    [
        "sf.cv(df, 'fold, id')",
        "sf.folds(df, 'fold, id')",
        "sf.check(df, name='fold, id')",
        "sf.FoldSplit('fold, id').split(df)",
    ],
)
def test_several_fold_columns_in_one_text(frame: Make, call: str) -> None:
    """What reads fold columns says so, too."""
    message = (
        "`name` names the column 'fold, id', which the frame does not have.\n"
        'Hint: several columns go in a list: `["fold", "id"]`.'
    )
    refuse_now(message, lambda: evaluate(call, df=frame(FOLDED)))


def test_many_features_are_columns() -> None:
    """Long lists are fine where they name columns: features, and columns to compare."""
    wide = pd.DataFrame({f"x{place}": range(10) for place in range(150)}).assign(fold=[0, 1] * 5)
    assert len(sf.drift(wide, [f"x{place}" for place in range(150)])) == 300
