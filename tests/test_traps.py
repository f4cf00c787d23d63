"""Traps for new users: nothing wrong is silent, and nothing right is refused."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests import helpers
from tests.helpers import Make, at_fault, eager, refuse, refuse_now, run_shown, values, warned

kind = helpers.fixture_of_kinds(helpers.TWO_KINDS)
refuse_rule = helpers.refuse_rule
N = 100
TWO = {"y": [0, 1] * (N // 2), "id": list(range(N))}


def test_the_name_of_an_expression_and_of_a_plan(frame: Make) -> None:
    """The draws of an expression and of a plan depend on the name of the new column."""
    df = frame(TWO)
    if not isinstance(df, pd.DataFrame):
        found = df.with_columns(pl.col("y").strat.kfold(name="inner"))
        assert values(found, "inner") == values(sf.kfold(df, "y", name="inner"), "inner")
    for name in ("fold", "inner"):
        dealt = sf.split(df, "y", {"a": 0.55, "b": 0.45}, name=name)
        counts = pd.crosstab(pd.Series(TWO["y"]), pd.Series(values(dealt, name)))
        plan = sf.plan(df, "y", parts={"a": 0.55, "b": 0.45}, name=name)
        assert values(plan, "n") == counts.to_numpy().ravel().tolist()


NO_FOLD_0 = "if fold 0 is empty, pass `k=6`. If folds start at 1, write "


@pytest.mark.parametrize("k", [None, 5])
def test_folds_counted_from_one(frame: Make, kind: str, k: int | None) -> None:
    """The error of folds counted from 1 shows the line that subtracts 1, which works."""
    df = frame({"y": [0, 1] * 6, "fold": [1, 2, 3, 4, 5, None] * 2})
    lines = {"pandas": "df['fold'] -= 1", "polars-lazy": "df = df.with_columns(pl.col('fold') - 1)"}
    counted, other = (", counted from 1", "") if k else ("", NO_FOLD_0)
    message = f"`extend` needs folds 0..k-1 in 'fold', but found folds 1..5{counted}."
    refuse(f"{message}\nHint: {other}{lines[kind]}", lambda: sf.extend(df, "y", k))
    names: dict[str, Any] = {"df": eager(df), "pl": pl}
    run_shown(lines[kind], names=names)
    assert set(values(sf.extend(names["df"], "y"), "fold")) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("given", "new"), [([1, 2] * 2, [0, 0]), ([1, 2, 3] * 2, [0, 0]), ([1, 3], [0, 2])], ids=str
)
def test_folds_are_what_k_says(frame: Make, given: list[int], new: list[int]) -> None:
    """With `k` the folds are 0..k-1, and some of them may have no rows yet."""
    df = frame({"y": [0] * len([*given, *new]), "fold": [*given, None, None]})
    filled = values(sf.extend(df, "y", max(given) + 1, rare="ignore"), "fold")
    assert (filled[:-2], sorted(filled[-2:])) == (given, new)


GROUPED = {"y": ["a"] * 20 + ["b"] * 10, "who": [i // 2 for i in range(20)] + [20, 21] * 5}
TOO_FEW = "1 class of 'y' has fewer groups than there are {}"
SILENCED = '`rare="ignore"` silences this warning.'


def test_a_class_in_fewer_groups_than_folds(frame: Make) -> None:
    """A warning says that a class in two groups reaches two folds at most."""
    df = frame(GROUPED)
    hint = "`df.strat.advise('y', groups='who')` shows what each k does to it; "
    message = f"{TOO_FEW.format('folds (5)')}: 'b' (2 groups).\nHint: {hint}{SILENCED}"
    dealt = warned(message, lambda: sf.kfold(df, "y", groups="who"))
    assert len(set(values(dealt, "fold")[20:])) <= 2
    message = f"{TOO_FEW.format('parts (5)')}: 'b' (2 groups).\nHint: {SILENCED}"
    parts = dict.fromkeys("abcde", 0.2)
    with pytest.warns(sf.StratWarning) as caught:
        eager(sf.split(df, "y", parts, groups="who"))
    first, second = (str(warning.message) for warning in caught)
    assert first == message
    assert second.startswith("Whole groups do not meet the shares of `parts`: ")


def test_policies_for_few_groups(frame: Make, kind: str) -> None:
    """`rare` says whether a class in few groups is an error, has no folds, or is dealt."""
    df = frame(GROUPED)
    rule = f"{TOO_FEW.format('folds (5)')}, which `rare=\"error\"` does not allow: 'b' (2 groups)."
    hint = "Hint: `df.strat.advise('y', groups='who')` shows what each k does to it."
    error = refuse(f"{rule}\n{hint}", lambda: sf.kfold(df, "y", groups="who", rare="error"))
    assert at_fault(error, kind)["row"] == list(range(20, 30))
    folds = values(sf.kfold(df, "y", groups="who", rare="null"), "fold")
    assert [fold is None for fold in folds] == [False] * 20 + [True] * 10
    assert None not in values(sf.kfold(df, "y", groups="who", rare="ignore"), "fold")


# 60 frequent and 70 rare values: fewer than half of the rows are rare.
MANY = [i % 60 for i in range(1200)] + [1000 + i for i in range(70)]
MAYBE_TARGETS: dict[str, tuple[list[Any], Any]] = {
    "numbers": (list(map(float, MANY)), "x"),
    "text": (list(map(str, MANY)), "x"),
    "classes on purpose": (MANY, sf.classes("x")),
    "few numbers": ([*range(20)] * 60 + [*range(1000, 1025)], "x"),
}


@pytest.mark.parametrize("case", MAYBE_TARGETS)
def test_numbers_that_look_like_a_target(frame: Make, case: str) -> None:
    """The warning on many whole numbers, most of them rare, names `sf.continuous`."""
    data, by = MAYBE_TARGETS[case]
    with pytest.warns(sf.StratWarning) as caught:
        eager(sf.kfold(frame({"x": data}), by))
    hints = ("looks like a regression target", "`sf.continuous('x')`", "130 different numbers")
    found = [hint in str(caught[0].message) for hint in hints]
    assert found == [case == "numbers"] * 3


TERMS = [
    "x",
    sf.continuous("x"),
    sf.quantiles("x", 3),
    sf.bins("x", [0, 50, 100]),
    sf.chain("x"),
    sf.nearest("x"),
    sf.total("x"),
    sf.clusters("x", 2),
]


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_missing_numbers_get_no_fold(term: Any) -> None:
    """With `missing="null"` rows without a number have no fold, and change no other."""
    numbers = [None if i % 4 == 3 else i + 0.5 for i in range(60)]
    folds = values(sf.kfold(pd.DataFrame({"x": numbers}), term, missing="null"), "fold")
    assert [fold is None for fold in folds] == [number is None for number in numbers]
    known = {"x": [number for number in numbers if number is not None]}
    alone = values(sf.kfold(pd.DataFrame(known), term), "fold")
    assert [fold for fold in folds if fold is not None] == alone


SOME: dict[str, list[Any]] = {
    "y": ["a", "b", None, "a", "b", "c"] * 10,
    "rare": ["a", "b", "b", None, "b", "a"] * 9 + ["b", "b", "b", "c", "b", "c"],
}
SOME |= {"x": [i + 0.5 for i in range(60)], "id": [i * 7 % 60 for i in range(60)]}
SOME |= {"who": [i // 3 for i in range(60)], "train": [i % 6 not in (2, 5) for i in range(60)]}
CONTINUOUS = sf.continuous("x")
MARGINS = sf.margins(["y", sf.quantiles("x", 2)])
TOTALS = ["y", sf.total("x", "id")]
OF_SOME = [
    ("y", {}),
    (["y", CONTINUOUS], {}),
    (["y", sf.nearest("x")], {}),
    (MARGINS, {}),
    (None, {}),
    (["y", sf.total("x")], {"key": "id"}),
    (TOTALS, {"key": "id", "repeats": 2}),
    (TOTALS, {"groups": "who"}),
    ("y", {"key": "id"}),
    ("y", {"groups": "who"}),
    ("y", {"repeats": 2}),
    ("y", {"deal": "circular"}),
    (MARGINS, {"key": "id"}),
    (["y", CONTINUOUS], {"deal": "contiguous"}),
    ("y", {"key": "id", "deal": "contiguous"}),
    ("rare", {"key": "id", "missing": "null", "rare": "null"}),
    (["rare", CONTINUOUS], {"key": "id", "deal": "circular", "missing": "stratum"}),
    (sf.quantiles("x", 3), {"key": "id"}),
]


@pytest.mark.parametrize(("by", "options"), OF_SOME)
def test_only_some_rows_are_dealt(by: Any, options: dict[str, Any]) -> None:
    """Rows that `where` chooses get the folds that they would get alone; the others have none."""
    column = "fold_1" if "repeats" in options else "fold"
    options = {"rare": "ignore", **options}
    folds = values(sf.kfold(pl.LazyFrame(SOME), by, where="train", **options), column)
    chosen = [row for row, train in enumerate(SOME["train"]) if train]
    chosen = chosen[::-1] if "key" in options else chosen
    own = {name: [cells[row] for row in chosen] for name, cells in SOME.items()}
    alone = sf.kfold(pl.LazyFrame(own), by, **options)
    assert [folds[row] for row in chosen] == values(alone, column)
    assert {fold for fold, train in zip(folds, SOME["train"], strict=True) if not train} == {None}


def test_parts_of_some_rows(frame: Make) -> None:
    """Shares and counts of a split are those of the rows that are dealt; plans say the same."""
    dealt = sf.split(frame(SOME), "y", {"a": 30, "b": None}, where="train")
    assert [values(dealt, "split").count(part) for part in ("a", "b", None)] == [30, 10, 20]
    assert sum(values(sf.plan(frame(SOME), "y", 5, where="train"), "n")) == 40


def test_errors_name_the_rows_of_the_frame(frame: Make, kind: str) -> None:
    """An error lists the rows of the frame, and only those that `where` chooses."""
    df = frame({**SOME, "y": [None if i == 9 else cell for i, cell in enumerate(SOME["y"])]})
    rule = "Column 'y' has missing values in 1 row (9)."
    error = refuse_rule(rule, lambda: sf.kfold(df, "y", where="train"))
    assert at_fault(error, kind) == {"row": [9], "y": [None]}
    df = frame({**SOME, "id": [0 if i in (3, 4, 5) else 100 + i for i in range(60)]})
    rule = "`key` ('id') must identify each row, but repeats in 2 rows (3, 4)."
    error = refuse_rule(rule, lambda: sf.kfold(df, "y", where="train", key="id"))
    assert at_fault(error, kind)["row"] == [3, 4]


NO_FLAGS = "`where` must hold a boolean column, an expression or a callable, got {}."


def test_a_where_that_names_no_column_of_flags(frame: Make, kind: str) -> None:
    """A column of numbers, a missing column and a number are errors."""
    df = frame(TWO)
    dtype = "Int64" if "polars" in kind else "int64"
    rule = f"`where` must be a boolean column, but 'id' is {dtype}."
    refuse_rule(rule, lambda: sf.kfold(df, "y", where="id"))
    rule = "`where` names the column 'nowhere', which the frame does not have."
    refuse_rule(rule, lambda: sf.kfold(df, "y", where="nowhere"))
    refuse_rule(NO_FLAGS.format("5"), lambda: sf.kfold(df, "y", where=5))


CONDITIONS: list[Any] = [
    pytest.param("y == 1", "the text 'y == 1'", id="equal"),
    pytest.param("y in [1, 2]", "the text 'y in [1, 2]'", id="in_a_list"),
    pytest.param(np.array([True] * N), "ndarray", id="array"),
]


@pytest.mark.parametrize(("where", "got"), CONDITIONS)
def test_the_error_of_a_condition_shows_one_that_is_taken(
    frame: Make, kind: str, where: Any, got: str
) -> None:
    """A condition as text, or an array of flags, is an error that shows how to compute it."""
    read = 'pl.col("split")' if "polars" in kind else 'lambda df: df["split"]'
    hint = f'Hint: compute it, as in `where={read} == "train"`.'
    refuse(f"{NO_FLAGS.format(got)}\n{hint}", lambda: sf.kfold(frame(TWO), "y", where=where))


def test_a_series_of_another_library_is_no_where(frame: Make, kind: str) -> None:
    """Polars flags for a pandas frame, and any Series for a lazy frame, are refused."""
    df = frame(TWO)
    library = pd if isinstance(df, pl.LazyFrame) else pl
    rule = NO_FLAGS.format("Series")
    refuse_rule(rule, lambda: sf.kfold(df, "y", where=library.Series([True] * N)))


@pytest.mark.parametrize("library", [pd, pl])
def test_where_of_a_series(library: Any) -> None:
    """A series of an eager frame's rows says which get a fold, as a column does."""
    data = {**TWO, "on": [number % 3 > 0 for number in range(N)]}
    df = library.DataFrame(data | {"given": [0, None] * (N // 2)})
    df = df.set_index("id", drop=False) if library is pd else df
    flags = df["id"] % 3 > 0
    assert sf.kfold(df, "y", where=flags).equals(sf.kfold(df, "y", where="on"))
    assert sf.plan(df, "y", where=flags).equals(sf.plan(df, "y", where="on"))
    extended = [sf.extend(df, "y", 5, name="given", where=where) for where in (flags, "on")]
    assert extended[0].equals(extended[1])
    for wrong in (df["on"][:7], df["on"][::-1].rename("on") if library is pd else df["on"][1:]):
        fault = "a different index" if library is pd else f"{len(wrong)} values for 100 rows"
        rule = f"A Series as `where` must match the rows of the frame, got {fault}."
        refuse_rule(rule, partial(sf.kfold, df, "y", where=wrong))
    rule = f"`where` must be a boolean column, but 'id' is {df['id'].dtype}."
    refuse_rule(rule, lambda: sf.kfold(df, "y", where=df["id"], name="f"))


def test_where_of_a_column_with_signs_in_its_name(frame: Make) -> None:
    """A column may be called like a condition."""
    dealt = sf.kfold(frame({**TWO, "y == 1": [label == 1 for label in TWO["y"]]}), where="y == 1")
    assert [fold is None for fold in values(dealt, "fold")] == [label == 0 for label in TWO["y"]]


def test_missing_where(frame: Make, kind: str) -> None:
    """A missing value in `where` is an error with the rows."""
    df = frame({"y": ["a", "b"] * 3, "train": [True, None, True, False, True, True]})
    hint = "Hint: fill the missing values, as in `fill_null(False)` or `fillna(False)`."
    message = f"Column 'train' has missing values in 1 row (1).\n{hint}"
    error = refuse(message, lambda: sf.kfold(df, "y", 2, where="train"))
    assert at_fault(error, kind) == {"row": [1], "train": [None]}


@pytest.mark.parametrize("repeats", [1, 3])
def test_overwrite(frame: Make, repeats: int) -> None:
    """With `overwrite` a cell of a notebook that is run twice gives the same frame."""
    once = sf.kfold(frame(TWO), "y", repeats=repeats)
    twice = sf.kfold(once, "y", repeats=repeats, overwrite=True)
    assert helpers.columns_of(twice) == helpers.columns_of(once)
    again = sf.kfold(twice, "y", repeats=repeats, seed=1, overwrite=np.True_)
    name = "fold" if repeats == 1 else "fold_2"
    assert values(again, name) != values(twice, name)


ROWS = {"y": [1, 2] * 4, "x": range(8), "fold": [True, False] * 4, "fold_2": [0, 0, 1, 1] * 2}
FRAMES = {
    "pandas": pd.DataFrame(ROWS),
    "levels": pd.DataFrame({("y", ""): [1, 2] * 4, ("fold", ""): [0, 1] * 4}),
    "polars": pl.DataFrame(ROWS),
    "lazy": pl.LazyFrame(ROWS),
}
READS_FOLD: list[Any] = [
    pytest.param("pandas", {"by": ["y", "fold"]}, "by", id="classes"),
    pytest.param("pandas", {"by": sf.nearest(["fold", "x"])}, "by", id="features_of_nearest"),
    pytest.param("pandas", {"by": sf.margins(["y", "fold"])}, "by", id="margins"),
    pytest.param(
        "pandas", {"groups": sf.clusters(["fold", "x"], 2)}, "groups", id="features_of_groups"
    ),
    pytest.param("pandas", {"groups": "fold"}, "groups", id="groups"),
    pytest.param("pandas", {"key": ["x", "fold"]}, "key", id="key"),
    pytest.param("pandas", {"where": "fold"}, "where", id="where"),
    pytest.param("levels", {"by": [("fold", "")]}, "by", id="column_levels"),
    pytest.param("polars", {"by": pl.col("fold") > 0}, "by", id="expression"),
    pytest.param("lazy", {"by": pl.nth(2)}, "by", id="column_by_place"),
    pytest.param(
        "lazy",
        {"by": (pl.col("y") + pl.col("fold")).alias("z")},
        "by",
        id="expression_of_another_name",
    ),
]
if hasattr(pd, "col"):
    READS_FOLD += [
        pytest.param("pandas", {name: pd.col("fold") > 0}, name, id=f"pandas_expression_as_{name}")
        for name in ("by", "where")
    ]
READ = (
    "`name` must not be a column that the call reads, but `{}` reads '{}'.\n"
    "Hint: give the new column another name, or rename this one first."
)


@pytest.mark.parametrize(("library", "given", "argument"), READS_FOLD)
def test_a_column_that_is_read_is_not_replaced(
    library: str, given: dict[str, Any], argument: str
) -> None:
    """A call that reads a column cannot add another one of its name."""
    df = FRAMES[library]
    message = READ.format(argument, "fold")
    refuse_now(message, lambda: sf.kfold(df, k=2, **given))
    refuse_now(message, lambda: sf.split(df, name="fold", overwrite=True, **given))


def test_a_column_of_the_name_of_a_computed_one_may_be_replaced() -> None:
    """An expression may have the name of the new column if it does not read it."""
    by = (pl.col("y") > 1).alias("fold")
    assert sf.kfold(pl.DataFrame(ROWS), by, 2, overwrite=True).columns == [*ROWS]


def test_columns_of_repeats_that_are_read(frame: Make) -> None:
    """A call with repeats may read a column of any name but those of its new columns."""
    df = frame({"y": ["a", "b"] * 4, "fold": [0, 1] * 4, "fold_2": [0, 0, 1, 1] * 2})
    message = READ.format("by", "fold_2")
    refuse_now(message, lambda: sf.kfold(df, ["y", "fold_2"], 2, repeats=2, overwrite=True))
    assert eager(sf.kfold(df, ["y", "fold"], 2, repeats=2, overwrite=True)).columns[-1] == "fold_1"


RARE = {"y": ["a"] * 20 + ["b"] * 3 + ["c"] * 2 + [None] * 2 + ["d"] * 13}


def test_pool_makes_rare_classes_one_stratum(frame: Make) -> None:
    """Seven rows of three rare classes are spread as one class; without rare classes none is."""
    folds = values(sf.kfold(frame(RARE), "y", rare="pool", missing="stratum"), "fold")
    assert sorted(np.bincount(folds[20:27], minlength=5)) == [1, 1, 1, 2, 2]
    assert np.bincount(folds[:20]).tolist() == [4] * 5
    plan = sf.plan(frame(RARE), "y", rare="pool", missing="stratum")
    counts = pd.Series(values(plan, "n")).groupby(values(plan, "y")).sum()
    assert counts.to_dict() == {"(rare)": 7, "a": 20, "d": 13}
    pooled, plain = (sf.kfold(frame(TWO), "y", rare=rare) for rare in ("pool", "warn"))
    assert values(pooled, "fold") == values(plain, "fold")


BIG = (
    "`parts=0.8` is the share of `test`, and leaves 0.2 for `train`.\n"
    'Hint: `parts=0.2`, or `parts={"train": 0.8, "test": 0.2}`, trains on 0.8;'
    ' `parts={"train": 0.2, "test": 0.8}` states that this is intended.'
)


def test_a_share_of_more_than_half(frame: Make) -> None:
    """One warning says that a share of more than half is the test set."""
    parts = values(warned(BIG, lambda: sf.split(frame(TWO), "y", np.float64(0.8))), "split")
    assert parts == values(sf.split(frame(TWO), "y", {"train": 0.2, "test": 0.8}), "split")
    assert parts.count("test") == 80
    warned(BIG, lambda: sf.plan(frame(TWO), "y", parts=0.8))
    warned(BIG, lambda: pl.DataFrame(TWO).select(pl.col("y").strat.split(0.8)))
    assert values(sf.split(frame(TWO), "y", 0.5), "split").count("test") == 50


LEVELS: dict[str, list[Any]] = {"y": ["a", "b"] * 6, "x": [row + 0.5 for row in range(12)]}
LEVELS |= {"g": [row // 2 for row in range(12)], "on": [True] * 11 + [False], "fold": [0, 1, 2] * 4}
READS = [
    pytest.param(lambda df, name: df.strat.kfold(name("y"), 3, name=name("f")), id="kfold"),
    pytest.param(
        lambda df, name: df.strat.kfold(
            [name("y"), sf.continuous(name("x"))], 3, name=name("f"), missing=name("null")
        ),
        id="kfold_in_order",
    ),
    pytest.param(
        lambda df, name: df.strat.kfold(name("y"), 3, groups=name("g"), name=name("f")),
        id="kfold_of_groups",
    ),
    pytest.param(
        lambda df, name: df.strat.kfold(name("y"), 3, key=[name("g"), name("x")], name=name("f")),
        id="kfold_of_a_key",
    ),
    pytest.param(
        lambda df, name: df.strat.kfold(sf.margins([name("y"), name("on")]), 3, name=name("f")),
        id="kfold_of_margins",
    ),
    pytest.param(
        lambda df, name: df.strat.kfold(where=name("on"), k=3, name=name("f")),
        id="kfold_of_some_rows",
    ),
    pytest.param(
        lambda df, name: df.strat.kfold(sf.clusters([name("x")], 2), 3, name=name("f")),
        id="kfold_of_clusters",
    ),
    pytest.param(
        lambda df, name: df.strat.kfold(
            groups=sf.linked(name("g"), name("x")), k=2, name=name("f")
        ),
        id="kfold_of_linked_groups",
    ),
    pytest.param(lambda df, name: df.strat.extend(name("y")), id="extend"),
    pytest.param(lambda df, name: df.strat.plan(name("y"), 3), id="plan"),
    pytest.param(
        lambda df, name: df.strat.compare(name("y"), [name("fold")], name("x")), id="compare"
    ),
    pytest.param(lambda df, name: df.strat.drift([name("x"), name("y")]), id="drift"),
    pytest.param(lambda df, name: df.strat.leaks(groups=name("g")), id="leaks_of_groups"),
    pytest.param(
        lambda df, name: df.strat.leaks(key=name("g"), duplicates=name("x")), id="leaks_of_keys"
    ),
    pytest.param(lambda df, name: df.strat.cv(apart=name("g"), nulls=name("drop")), id="cv"),
    pytest.param(
        lambda df, name: df.strat.check(
            name("y"), groups=name("g"), key=name("x"), features=name("x")
        ),
        id="check",
    ),
]


@pytest.mark.parametrize("call", READS)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_columns_of_several_levels(call: Callable[[Any, Any], Any]) -> None:
    """In every argument a text names a column whose other levels are empty."""
    plain = pd.DataFrame(LEVELS)
    deep = plain.set_axis(pd.MultiIndex.from_product([plain.columns, [""]]), axis=1)
    found = call(deep, str)
    expected = call(plain, str)
    if isinstance(found, pd.DataFrame):
        found, expected = (each.to_numpy().tolist() for each in (found, expected))
    assert str(found) == str(expected)


@pytest.mark.parametrize("call", READS)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_names_of_numpy(call: Callable[[Any, Any], Any]) -> None:
    """In every argument a text of NumPy names a column."""
    df = pl.LazyFrame(LEVELS)
    assert str(eager(call(df, np.str_))) == str(eager(call(df, str)))


def test_numbers_of_numpy_as_names() -> None:
    """The number that pandas gives as the name of a column names that column."""
    df = pd.DataFrame([[1, 2]] * 6, columns=pd.Index([3, 5]))
    found = sf.kfold(df, [df.columns[0], sf.classes(df.columns[1])], 2)
    assert found.equals(sf.kfold(df, 3, 2))


def test_new_columns_of_several_levels() -> None:
    """The fold column of a frame with levels cannot be an entry of `by`."""
    levels = pd.MultiIndex.from_tuples([("fold", ""), ("x", "mean")])
    df = pd.DataFrame([[0, 1.5], [1, 2.5]] * 4, columns=levels)
    refuse_now(READ.format("by", "fold"), lambda: sf.kfold(df, "fold", 2, overwrite=True))
    rule = "`by` must name columns other than the fold column, but includes 'fold'."
    refuse_rule(rule, lambda: sf.balance(df, "fold"))
    refuse_rule(rule, lambda: sf.check(df, "fold"))
    rule = "`by` names the column 'x', which the frame does not have."
    refuse_rule(rule, lambda: sf.kfold(df, "x"))


IN_THE_INDEX = [
    pytest.param(lambda df, day: df.strat.kfold(day), id="by"),
    pytest.param(lambda df, day: df.strat.kfold(groups=day), id="groups"),
    pytest.param(lambda df, day: df.strat.kfold(key=day), id="key"),
    pytest.param(lambda df, day: df.strat.folds(day, train="past"), id="folds"),
    pytest.param(lambda df, day: df.strat.cv(day), id="cv"),
    pytest.param(lambda df, day: df.strat.parts(day), id="parts"),
    pytest.param(lambda df, day: df.strat.extend(None, name=day), id="extend"),
    pytest.param(lambda df, day: df.strat.drift(day, "shop"), id="drift"),
    pytest.param(lambda df, day: df.strat.cv("y", apart=day), id="apart"),
    pytest.param(lambda df, day: df.strat.kfold(where=day), id="where"),
    pytest.param(lambda df, day: df.strat.check("shop", day), id="check"),
]


@pytest.mark.parametrize("call", IN_THE_INDEX)
def test_a_level_of_the_index(call: Callable[[Any, str], Any]) -> None:
    """The error for the name of an index level says how to make it a column."""
    index = pd.MultiIndex.from_product([range(4), ["a", "b"]], names=["day", "shop"])
    df = pd.DataFrame({"y": [0, 1] * 4}, index=index)
    unnamed = df.reset_index("shop").rename_axis(None)
    for given, name in ((df, "day"), (unnamed, "index")):
        error = helpers.refused(partial(call, given, name))
        hint = "\nHint: it is in the index: `df = df.reset_index()` makes it a column."
        assert str(error).endswith(hint)
