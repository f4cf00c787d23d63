"""What the verbs refuse, whatever the kind of frame: a table for each topic."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import FOLDED, ROWS, refuse_now

Call = Callable[[], Any]

UNDEALT = pd.DataFrame(ROWS)
LAZY = pl.LazyFrame(ROWS)
DEALT = pd.DataFrame({**FOLDED, "split": ["train", "test", None, "train", "test"] * 2})
HALF_DEALT = pd.DataFrame({**ROWS, "fold": [0, 1, 0, 1, 0, 1, None, None, None, None]})
REPEATED = sf.split(UNDEALT, "label", repeats=7)
FOLDS = pd.DataFrame({"x": [1, 2], "fold": [0, 1]})
CV_FOLDS = pd.DataFrame({"x": [1, 2], "cv_fold": [0, 1]})
NUMBERED = pd.DataFrame({"x": [1, 2], "split": [0, 1]})
LEVELS = pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")]))
HUGE = pd.DataFrame({"n": pd.Series([10**400, 1, 2], dtype=object), "fold": [0, 1, 1]})
MODIN = type("DataFrame", (), {"__module__": "modin.pandas.dataframe"})()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.folds(DEALT, 5),
            "`name` must hold column names, got 5.\n"
            "Hint: `name` names an existing column; `df.strat.kfold(..., k=5)` adds one.",
            id="number",
        ),
        pytest.param(
            lambda: sf.folds(DEALT, pl.col("fold")),
            "`name` must hold column names, got <Expr ['col(\"fold\")']>.",
            id="expression",
        ),
        pytest.param(
            lambda: sf.folds(DEALT, [["fold"]]),
            "`name` must hold column names, got ['fold'].",
            id="list_in_a_list",
        ),
        pytest.param(
            lambda: sf.folds(DEALT, "flod"),
            "`name` names the column 'flod', which the frame does not have.\n"
            "Hint: did you mean 'fold'? If not, add the column first, as in"
            " `df.strat.kfold(..., name='flod')` or `split`.",
            id="misspelt",
        ),
        pytest.param(
            lambda: sf.parts(DEALT, [["fold"]]),
            "`name` must hold column names, got [['fold']].",
            id="list_for_parts",
        ),
    ],
)
def test_names_that_are_no_columns(call: Call, message: str) -> None:
    """A name that is no column of the frame is refused."""
    refuse_now(message, call)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: sf.cv(DEALT, "flod"), id="cv"),
        pytest.param(lambda: sf.parts(DEALT, "flod"), id="parts"),
        pytest.param(lambda: sf.balance(DEALT, "label", "flod"), id="balance"),
        pytest.param(lambda: sf.extend(DEALT, None, name="flod"), id="extend"),
        pytest.param(lambda: sf.report(DEALT, "label", ["fold", "flod"]), id="several_names"),
    ],
)
def test_every_verb_helps_with_misspelt_names(call: Call) -> None:
    """All verbs that take the name of a fold column say which name may be meant."""
    words = r"`name` names the column 'flod'.*\nHint: did you mean 'fold'"
    with pytest.raises(sf.StratError, match=words):
        call()


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: sf.cv(DEALT, None), id="cv"),
        pytest.param(lambda: sf.parts(DEALT, None), id="parts"),
        pytest.param(lambda: sf.balance(DEALT, "label", None), id="balance"),
        pytest.param(lambda: sf.FoldSplit(None), id="FoldSplit"),
    ],
)
def test_every_reader_checks_the_name(call: Call) -> None:
    """All verbs that read a column refuse the same names."""
    refuse_now("`name` must hold column names, got None.", call)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: sf.folds(UNDEALT), id="folds"),
        pytest.param(lambda: sf.cv(UNDEALT), id="cv"),
        pytest.param(lambda: sf.check(UNDEALT), id="check"),
        pytest.param(lambda: sf.balance(UNDEALT, "label"), id="balance"),
        pytest.param(lambda: sf.report(UNDEALT, "label"), id="report"),
        pytest.param(lambda: sf.drift(UNDEALT, "id"), id="drift"),
        pytest.param(lambda: sf.extend(UNDEALT, "label"), id="extend"),
        pytest.param(lambda: sf.cv(LEVELS), id="column_levels"),
    ],
)
def test_frames_without_folds(call: Call) -> None:
    """A frame without a fold column is refused, with the verb that adds one."""
    refuse_now(
        "There is no column 'fold'.\nHint: add it first, as in `df.strat.kfold(..., name='fold')`.",
        call,
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.parts(UNDEALT),
            "There is no column 'split'.\n"
            "Hint: add it first, as in `df.strat.split(..., name='split')`.",
            id="parts_without_a_column",
        ),
        pytest.param(
            lambda: sf.parts(FOLDS),
            "There is no column 'split'.\n"
            "Hint: `df.strat.split(..., name='split')` adds it; `df.strat.folds()` reads"
            " 'fold'.",
            id="parts_of_a_frame_of_folds",
        ),
        pytest.param(
            lambda: sf.parts(REPEATED),
            "`parts` reads one column, but 'split' means 'split_1', 'split_2', 'split_3',"
            " 'split_4', 'split_5', ...\n"
            "Hint: name one of them, as in `df.strat.parts('split_1')`.",
            id="parts_of_several_columns",
        ),
        pytest.param(
            lambda: sf.parts(NUMBERED, "fold"),
            "There is no column 'fold'.\n"
            "Hint: pass the fold column as `name=`: 'split' looks like a fold column.",
            id="folds_in_a_column_of_parts",
        ),
        pytest.param(
            lambda: sf.report(CV_FOLDS, "x"),
            "There is no column 'fold'.\n"
            "Hint: pass the fold column as `name=`: 'cv_fold' looks like a fold column.",
            id="folds_under_another_name",
        ),
        pytest.param(
            lambda: sf.leaks(CV_FOLDS),
            "There is no column 'fold'.\n"
            "Hint: pass the fold column as `name=`: 'cv_fold' looks like a fold column.",
            id="nothing_to_compare",
        ),
    ],
)
def test_columns_under_other_names(call: Call, message: str) -> None:
    """The error names the column that may be meant, or the verb that reads it."""
    refuse_now(message, call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.parts(DEALT, names=["train", "valid", "test"]),
            "Column 'split' has no part 'valid'.\nHint: the parts with rows are 'train', 'test'.",
            id="no_such_part",
        ),
        pytest.param(
            lambda: sf.parts(DEALT, names=["test"]),
            "`names` must list every part of 'split', but lacks 'train'.\n"
            "Hint: the parts with rows are 'train', 'test'.",
            id="part_left_out",
        ),
        pytest.param(
            lambda: sf.parts(DEALT, names=[["train"]]),
            "`names` must be a label or a list of labels, got [['train']].",
            id="list_in_a_list",
        ),
        pytest.param(
            lambda: sf.parts(DEALT, names=[("a", ["b"])]),
            "`names` must be a label or a list of labels, got [('a', ['b'])].",
            id="list_in_a_tuple",
        ),
        pytest.param(
            lambda: sf.parts(DEALT, names=[]),
            "`names` must be a label or a list of labels, got [].",
            id="empty",
        ),
        pytest.param(
            lambda: sf.parts(DEALT, names=pd.Series(range(100))),
            "`names` must be a label or a list of labels, got Series.",
            id="series",
        ),
    ],
)
def test_names_of_parts(call: Call, message: str) -> None:
    """The names of parts are the labels that the column has."""
    refuse_now(message, call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.sample(UNDEALT, "label"),
            "Exactly one of `n`, `frac` and `each` must be given, got n=None, frac=None,"
            " each=None.",
            id="no_size",
        ),
        pytest.param(
            lambda: sf.sample(UNDEALT, "label", n=-1),
            "`n` must be at least 0, got -1.",
            id="negative",
        ),
        pytest.param(
            lambda: sf.sample(UNDEALT, "label", n=11),
            "`n` must be at most the number of rows, got 11 for 10 rows.",
            id="more_than_all_rows",
        ),
        pytest.param(
            lambda: sf.sample(UNDEALT, "label", frac=-0.1),
            "`frac` must be a number from 0 to 1, got -0.1.",
            id="negative_share",
        ),
        pytest.param(
            lambda: sf.sample(UNDEALT, "label", frac=1.1),
            "`frac` must be a number from 0 to 1, got 1.1.",
            id="share_above_1",
        ),
        pytest.param(
            lambda: sf.sample(UNDEALT, "label", frac=True),
            "`frac` must be a number from 0 to 1, got True.",
            id="share_as_a_flag",
        ),
        pytest.param(
            lambda: sf.sample(UNDEALT, "label", frac=float("nan")),
            "`frac` must be a number from 0 to 1, got nan.",
            id="share_that_is_nan",
        ),
        pytest.param(
            lambda: sf.sample(UNDEALT, "label", n=1, allocation="fair"),
            "`allocation` must be 'proportional' or 'equal', got 'fair'.",
            id="allocation",
        ),
        pytest.param(
            lambda: sf.sample(UNDEALT, "label", n=1, seed=-1),
            "`seed` must be at least 0, got -1.",
            id="seed",
        ),
    ],
)
def test_sizes_of_samples(call: Call, message: str) -> None:
    """A sample has one size, which the frame can give."""
    refuse_now(message, call)


@pytest.mark.parametrize(
    ("options", "clash", "hint"),
    [
        pytest.param(
            {"by": "label", "key": "id"},
            "by",
            "leave out `by`; or, for even strata, write `groups='id'` for `deal` and `key`.",
            id="by",
        ),
        pytest.param(
            {"by": "label", "key": ["id", "price"]},
            "by",
            "leave out `by`; or, for even strata, write `groups=['id', 'price']` for `deal` and"
            " `key`.",
            id="by_and_two_keys",
        ),
        pytest.param(
            {"by": "label"},
            "by",
            'leave out `by`; or, for even strata, leave out `deal` and use `groups="user"`.',
            id="by_without_a_key",
        ),
        pytest.param(
            {"groups": "label", "key": "id"},
            "groups",
            "`key='label'` keeps the rows of a group together.",
            id="groups",
        ),
        pytest.param(
            {"groups": ["label", "id"]},
            "groups",
            "`key=['label', 'id']` keeps the rows of a group together.",
            id="two_columns_of_groups",
        ),
        pytest.param(
            {"groups": sf.linked("label", "id")},
            "groups",
            "leave out `deal` and `key`.",
            id="linked_groups",
        ),
        pytest.param(
            {"key": "id", "missing": "stratum"},
            "missing='stratum'",
            "`where` can leave out the rows without a key.",
            id="missing",
        ),
        pytest.param(
            {"key": "id", "rare": "ignore"},
            "rare='ignore'",
            "there are no classes without `by`.",
            id="rare",
        ),
    ],
)
def test_what_hashes_exclude(options: dict[str, Any], clash: str, hint: str) -> None:
    """A deal by hash takes no strata and no groups, as the key decides alone."""
    refuse_now(
        f'`deal="hash"` cannot be combined with `{clash}`: a row\'s key alone decides where the row'
        f" goes.\nHint: {hint}",
        lambda: sf.kfold(LAZY, deal="hash", **options),
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.kfold(LAZY, deal="hash", key=None),
            '`deal="hash"` needs a `key`, whose hash decides where a row goes.\n'
            "Hint: name the columns that identify a row or a unit, as in"
            ' `df.strat.kfold(key="user", deal="hash")`.',
            id="no_key",
        ),
        pytest.param(
            lambda: sf.kfold(LAZY, deal="hash", key="id", k=10**9),
            "`k` must not exceed 1,000,000 folds, got 1,000,000,000.",
            id="too_many_folds",
        ),
        pytest.param(
            lambda: sf.split(UNDEALT, parts={"train": None, "test": 1}, key="id", deal="hash"),
            '`deal="hash"` takes shares in `parts`, not counts of rows: a row\'s key alone'
            " decides where the row goes.\n"
            'Hint: shares, as in `parts={"train": 0.8, "test": 0.2}`, are met'
            " approximately.",
            id="counts_of_rows",
        ),
        pytest.param(
            lambda: sf.plan(UNDEALT, key="id", deal="hash"),
            '`plan` cannot count the rows of `deal="hash"`, which leaves the sizes to'
            " chance.\n"
            "Hint: `report` measures the column that `kfold` or `split` makes.",
            id="plan",
        ),
    ],
)
def test_hashes_take_a_key_alone(call: Call, message: str) -> None:
    """A deal by hash needs a key, and meets no counts."""
    refuse_now(message, call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.compare(DEALT, "label", "fold", "prices"),
            "`features` names the column 'prices', which the frame does not have.\n"
            "Hint: did you mean 'price'?",
            id="features_of_compare",
        ),
        pytest.param(
            lambda: sf.report(DEALT, "label", full="all"),
            "`full` must be True or False, got 'all'.",
            id="full_of_report",
        ),
        pytest.param(
            lambda: sf.advise(DEALT, "label", [2, 1]),
            "`ks` must be at least 2, got 1.",
            id="k_below_2",
        ),
        pytest.param(
            lambda: sf.advise(DEALT, "label", [10**20]),
            "`ks` must be at most 2**53, got 100000000000000000000.",
            id="k_beyond_whole_floats",
        ),
        pytest.param(
            lambda: sf.drift(DEALT, ["price", "zzz"]),
            "`features` names the column 'zzz', which the frame does not have.\n"
            "Hint: the columns are 'id', 'label', 'price', 'tags', 'fold', ...",
            id="unlike_any_column",
        ),
        pytest.param(
            lambda: sf.drift(DEALT, None),
            "`features` must hold at least one column, got None.",
            id="no_features",
        ),
        pytest.param(
            lambda: sf.drift(DEALT, [["price"]]),
            "`features` must hold column names or expressions, got ['price'].",
            id="list_of_features_in_a_list",
        ),
        pytest.param(
            lambda: sf.drift(HUGE, "n"),
            "`drift` needs numbers or dates, but column 'n' is object.",
            id="numbers_beyond_floats",
        ),
    ],
)
def test_arguments_of_tables(call: Call, message: str) -> None:
    """A wrong argument of a verb that judges is refused."""
    refuse_now(message, call)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: sf.report(DEALT, None), id="report"),
        pytest.param(lambda: sf.compare(DEALT, None, "fold"), id="compare"),
        pytest.param(lambda: sf.advise(DEALT, None), id="advise"),
        pytest.param(lambda: sf.balance(DEALT, None), id="balance"),
        pytest.param(lambda: sf.sample(DEALT, None, n=3), id="sample"),
    ],
)
def test_tables_need_strata(call: Call) -> None:
    """Tables of strata, and samples, need something to stratify by."""
    refuse_now("`by` must hold at least one entry, got None.", call)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: sf.report(DEALT, "label", groups="lable"), id="report"),
        pytest.param(lambda: sf.compare(DEALT, "label", "fold", groups="lable"), id="compare"),
        pytest.param(lambda: sf.advise(DEALT, "label", groups="lable"), id="advise"),
    ],
)
def test_groups_of_tables(call: Call) -> None:
    """Groups are columns of the frame."""
    refuse_now(
        "`groups` names the column 'lable', which the frame does not have.\n"
        "Hint: did you mean 'label'?",
        call,
    )


@pytest.mark.parametrize("verb", [sf.check, sf.leaks])
@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        pytest.param([["id"]], "['id']", id="list_in_a_list"),
        pytest.param({"id": 1}, "{'id': 1}", id="mapping"),
        pytest.param([{"id"}], "{'id'}", id="set_in_a_list"),
    ],
)
def test_keys_are_columns(verb: Any, key: Any, wrong: str) -> None:
    """A key is one column or a list of columns."""
    refuse_now(
        f"`key` must hold column names or expressions, got {wrong}.",
        lambda: verb(DEALT, key=key),
    )


def test_the_fold_column_is_no_key() -> None:
    """Rows leak between folds by other columns than their own."""
    with pytest.raises(sf.StratError, match="`key` must name columns other than the fold column"):
        sf.leaks(DEALT, key="fold")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.leaks([1]),
            "`frame` must be a pandas, Polars, Dask, Spark or Arrow frame, got list.",
            id="list_of_numbers",
        ),
        pytest.param(
            lambda: sf.kfold({"a": DEALT, "b": DEALT}, "label"),
            "`frame` must be a pandas, Polars, Dask, Spark or Arrow frame, got dict.\n"
            "Hint: join the frames, and add a column that names the frame of each row.",
            id="mapping",
        ),
        pytest.param(
            lambda: sf.folds((DEALT, DEALT)),
            "`frame` must be a pandas, Polars, Dask, Spark or Arrow frame, got tuple.\n"
            "Hint: join the frames, and add a column that names the frame of each row.",
            id="tuple",
        ),
        pytest.param(
            lambda: sf.cv({"a": DEALT, "b": DEALT}),
            "`frame` must be a pandas, Polars or Arrow frame, got dict.\n"
            "Hint: join the frames, and add a column that names the frame of each row.",
            id="mapping_where_no_engine_can_be",
        ),
        pytest.param(
            lambda: sf.check((DEALT, DEALT)),
            "`frame` must be a frame, or a mapping of names to frames, got tuple of 2"
            " frames.\n"
            'Hint: `{"train": train, "test": test}`.',
            id="tuple_of_two",
        ),
        pytest.param(
            lambda: sf.balance([DEALT] * 3, "id"),
            "`frame` must be a frame, or a mapping of names to frames, got list of 3"
            " frames.\n"
            'Hint: `{"train": train, "valid": valid, "test": test}`.',
            id="list_of_three",
        ),
        pytest.param(
            lambda: sf.leaks([DEALT] * 4),
            "`frame` must be a frame, or a mapping of names to frames, got list of 4"
            " frames.\n"
            'Hint: `{"a": a, "b": b, ...}`.',
            id="list_of_four",
        ),
        pytest.param(
            lambda: sf.check(DEALT, DEALT),
            "`check` takes several frames by their names, got 2 frames.\n"
            'Hint: `sf.check({"train": train, "test": test})`.',
            id="two_arguments",
        ),
        pytest.param(
            lambda: sf.leaks(DEALT, DEALT),
            "`leaks` takes several frames by their names, got 2 frames.\n"
            'Hint: `sf.leaks({"train": train, "test": test})`.',
            id="two_arguments_of_keywords_only",
        ),
        pytest.param(
            lambda: sf.drift(DEALT, DEALT, DEALT),
            "`drift` takes several frames by their names, got 3 frames.\n"
            'Hint: `sf.drift({"train": train, "valid": valid, "test": test})`.',
            id="three_arguments",
        ),
        pytest.param(
            lambda: sf.drift(MODIN, "x"),
            "`frame` must be a pandas, Polars or Arrow frame, got modin.DataFrame.\n"
            "Hint: pass `df.modin.to_pandas()`.",
            id="library_that_is_not_known",
        ),
    ],
)
def test_arguments_that_are_no_frame(call: Call, message: str) -> None:
    """What is no frame is refused, with the way to pass several frames."""
    refuse_now(message, call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.extend(HALF_DEALT, "label", 2, name=["fold", "fold"]),
            "`name` must hold each column once, got 'fold' twice.",
            id="name_twice",
        ),
        pytest.param(
            lambda: sf.extend(HALF_DEALT, None, k=1),
            "`k` must be at least 2, got 1.",
            id="k_of_extend",
        ),
        pytest.param(
            lambda: sf.extend(DEALT, "label", 3, parts=0.5, name="split"),
            "`extend` takes `k` for folds or `parts` for parts, got both.",
            id="k_and_parts",
        ),
        pytest.param(
            lambda: sf.extend(DEALT, "label", parts={"train": 0.5, "rest": 0.5}, name="split"),
            "`parts` must name all parts of 'split', but the column also has 'test'.",
            id="parts_that_are_not_named",
        ),
        pytest.param(
            lambda: sf.extend(HALF_DEALT, sf.chain("price")),
            "`extend` does not support `sf.chain` in `by`.",
            id="chain",
        ),
        pytest.param(
            lambda: sf.extend(HALF_DEALT, sf.nearest("price")),
            "`extend` does not support `sf.nearest` in `by`.",
            id="nearest",
        ),
        pytest.param(
            lambda: sf.kfold(LAZY, pl.col("tags")),
            "A column must hold single values, but 'tags' is List(String).\n"
            "Hint: `sf.margins(...)`, as the only entry, balances each value of the lists,"
            " or each position of vectors of classes.",
            id="lists",
        ),
        pytest.param(
            lambda: pl.col("x").strat.kfold(1),
            "`k` must be at least 2, got 1.",
            id="k_of_an_expression",
        ),
        pytest.param(
            lambda: sf.FoldSplit([]),
            "`name` must hold column names, got [].",
            id="name_of_a_splitter",
        ),
        pytest.param(
            lambda: sf.FoldSplit(nulls="keep"),
            "`nulls` must be 'error', 'train' or 'drop', got 'keep'.",
            id="nulls_of_a_splitter",
        ),
    ],
)
def test_arguments_of_makers(call: Call, message: str) -> None:
    """A wrong argument of a verb that makes or reads a column is refused."""
    refuse_now(message, call)
