"""What the verbs refuse, whatever the kind of frame: calls, and the message of each."""

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import FOLDED, ROWS, evaluate, refuse_now

FRAMES = {
    "rows": pd.DataFrame(ROWS),
    "df": pd.DataFrame({**FOLDED, "split": ["train", "test", None, "train", "test"] * 2}),
    "huge": pd.DataFrame({"n": pd.Series([10**400, 1, 2], dtype=object), "fold": [0, 1, 1]}),
    "holes": pd.DataFrame({**ROWS, "fold": [0, 1, 0, 1, 0, 1, None, None, None, None]}),
    "deep": pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])),
    "shares": sf.split(pd.DataFrame(ROWS), "label", repeats=7),
    "splits": pd.DataFrame({"x": [1, 2], "split": [0, 1]}),
    "folds": pd.DataFrame({"x": [1, 2], "fold": [0, 1]}),
    "cv": pd.DataFrame({"x": [1, 2], "cv_fold": [0, 1]}),
    "lazy": pl.LazyFrame(ROWS),
    "foreign": type("DataFrame", (), {"__module__": "modin.pandas.dataframe"})(),
}
"""The frames of the calls: folded ones, and those whose folds are missing or called otherwise."""

NOT_THERE = "`{}` names the column {!r}, which the frame does not have.\nHint: did you mean {!r}?"
NO_FOLD = NOT_THERE.format("name", "flod", "fold")
NO_FOLD += " If not, add the column first, as in `df.strat.kfold(..., name='flod')` or `split`."
ADD = "There is no column {0!r}.\nHint: add it first, as in `df.strat.{1}(..., name={0!r})`."
NAMES = "`name` must hold column names, got "
NUMBER = "\nHint: `name` names an existing column; `df.strat.kfold(..., k=5)` adds one."
WITHOUT_FOLD = ["sf.folds(rows)", "sf.cv(rows)", "sf.check(rows)", "sf.balance(rows, 'label')"]
WITHOUT_FOLD += ["sf.report(rows, 'label')", "sf.drift(rows, 'id')", "sf.extend(rows, 'label')"]
WITHOUT_FOLD += ["sf.cv(deep)"]
READS_FOLDS = ("folds(df, {})", "cv(df, {})", "parts(df, {})", "balance(df, 'label', {})")
OF_FOLDS = {
    f"sf.{call.format(name)}": message
    for call in READS_FOLDS
    for name, message in {
        "5": f"{NAMES}5.{NUMBER}",
        "None": f"{NAMES}None.",
        "len": f"{NAMES}<built-in function len>.",
        "pl.col('fold')": f"{NAMES}<Expr ['col(\"fold\")']>.",
        "[['fold']]": NAMES + ("[['fold']]." if "parts" in call else "['fold']."),
        "'flod'": NO_FOLD,
    }.items()
} | {
    **dict.fromkeys(WITHOUT_FOLD, ADD.format("fold", "kfold")),
    "sf.report(df, 'label', ['fold', 'flod'])": NO_FOLD,
    "sf.extend(df, None, name='flod')": NO_FOLD,
    "sf.parts(rows)": ADD.format("split", "split"),
    "sf.parts(folds)": "There is no column 'split'.\nHint: `df.strat.split(..., name='split')`"
    " adds it; `df.strat.folds()` reads 'fold'.",
    "sf.parts(shares)": "`parts` reads one column, but 'split' means 'split_1', 'split_2',"
    " 'split_3', 'split_4', 'split_5', ...\nHint: name one of them, as in"
    " `df.strat.parts('split_1')`.",
    **{
        f"sf.{call}": "There is no column 'fold'.\nHint: pass the fold column as `name=`:"
        f" {like!r} looks like a fold column."
        for frame, like in {"splits": "split", "cv": "cv_fold"}.items()
        for call in (f"parts({frame}, 'fold')", f"report({frame}, 'x')", f"leaks({frame})")
    },
}

LABELS = "`names` must be a label or a list of labels, got"
WITH_ROWS = "\nHint: the parts with rows are 'train', 'test'."
OF_PARTS = {
    "['train', 'valid', 'test']": f"Column 'split' has no part 'valid'.{WITH_ROWS}",
    "['Train', 'test']": f"Column 'split' has no part 'Train'.{WITH_ROWS}",
    "['test']": f"`names` must list every part of 'split', but lacks 'train'.{WITH_ROWS}",
    "[['train']]": f"{LABELS} [['train']].",
    "[('a', ['b'])]": f"{LABELS} [('a', ['b'])].",
    "[]": f"{LABELS} [].",
    "pd.Series(range(100))": f"{LABELS} Series.",
    "['test', 'train', 'test']": "`names` must hold each label once, got 'test' twice.",
}

ONE_SIZE = "Exactly one of `n`, `frac` and `each` must be given, got"
FROM_0_TO_1 = "`frac` must be a number from 0 to 1, got"
OF_SAMPLES = {
    "": f"{ONE_SIZE} n=None, frac=None, each=None.",
    "n=1, frac=0.5": f"{ONE_SIZE} n=1, frac=0.5, each=None.",
    "n=-1": "`n` must be at least 0, got -1.",
    "n=True": "`n` must be a whole number, got True.",
    "n=2.5": "`n` must be a whole number, got 2.5.",
    **{f"frac={x}": f"{FROM_0_TO_1} {x}." for x in ("-0.1", "1.1", "True", "'a'", "nan")},
    "n=11": "`n` must be at most the number of rows, got 11 for 10 rows.",
    "n=1, allocation='fair'": "`allocation` must be 'proportional' or 'equal', got 'fair'.",
    "n=1, seed=-1": "`seed` must be at least 0, got -1.",
}

ALONE = '`deal="hash"` cannot be combined with {}: a row\'s key alone decides where the row goes.'
ALONE += "\nHint: "
BALANCED = "leave out `by`; or, for even strata, write `groups={}` for `deal` and `key`."
UNKEYED = 'leave out `by`; or, for even strata, leave out `deal` and use `groups="user"`.'
TOGETHER = "`key={}` keeps the rows of a group together."
WHERE = "`where` can leave out the rows without a key."
OF_HASHES = {
    "by='label', key='id'": ALONE.format("`by`") + BALANCED.format("'id'"),
    "by='label', key=['id', 'price']": ALONE.format("`by`") + BALANCED.format("['id', 'price']"),
    "by='label'": ALONE.format("`by`") + UNKEYED,
    "groups='label', key='id'": ALONE.format("`groups`") + TOGETHER.format("'label'"),
    "groups=['label', 'id']": ALONE.format("`groups`") + TOGETHER.format("['label', 'id']"),
    "groups=sf.linked('label', 'id')": ALONE.format("`groups`") + "leave out `deal` and `key`.",
    "key='id', missing='stratum'": ALONE.format("`missing='stratum'`") + WHERE,
    "key='id', rare='ignore'": ALONE.format("`rare='ignore'`")
    + "there are no classes without `by`.",
    "key=None": '`deal="hash"` needs a `key`, whose hash decides where a row goes.\nHint: name the'
    ' columns that identify a row or a unit, as in `df.strat.kfold(key="user", deal="hash")`.',
    "key='id', k=10**9": "`k` must not exceed 1,000,000 folds, got 1,000,000,000.",
}

WITHOUT_BY = ["sf.report(df, None)", "sf.compare(df, None, 'fold')", "sf.advise(df, None)"]
WITHOUT_BY += ["sf.balance(df, None)", "sf.sample(df, None, n=3)"]
KEYS = {"[['id']]": "['id']", "['id', ['id']]": "['id']", "{'id': 1}": "{'id': 1}"}
KEYS |= {"[{'id'}]": "{'id'}"}
TWO_FRAMES = '{"train": train, "test": test}'
THREE_FRAMES = '{"train": train, "valid": valid, "test": test}'
OTHERS = {
    # Tables.
    "sf.compare(df, 'label', 'fold', 'prices')": NOT_THERE.format("features", "prices", "price"),
    "sf.compare(df, 'label', 'fold', groups='lable')": NOT_THERE.format("groups", "lable", "label"),
    "sf.report(df, 'label', groups='lable')": NOT_THERE.format("groups", "lable", "label"),
    "sf.report(df, 'label', full='all')": "`full` must be True or False, got 'all'.",
    "sf.compare(df, 'label', 'fold', full=1)": "`full` must be True or False, got 1.",
    **dict.fromkeys(WITHOUT_BY, "`by` must hold at least one entry, got None."),
    "sf.advise(df, 'label', groups='lable')": NOT_THERE.format("groups", "lable", "label"),
    "sf.advise(df, 'label', full=None)": "`full` must be True or False, got None.",
    "sf.advise(df, 'label', [2, 1])": "`ks` must be at least 2, got 1.",
    "sf.advise(df, 'label', [2.5])": "`ks` must be a whole number, got 2.5.",
    "sf.advise(df, 'label', [10**20])": "`ks` must be at most 2**53, got 100000000000000000000.",
    "sf.drift(df, ['price', 'zzz'])": "`features` names the column 'zzz', which the frame does not"
    " have.\nHint: the columns are 'id', 'label', 'price', 'tags', 'fold', ...",
    "sf.drift(df, None)": "`features` must hold at least one column, got None.",
    "sf.drift(df, [['price']])": "`features` must hold column names or expressions, got ['price'].",
    "sf.drift(huge, 'n')": "`drift` needs numbers or dates, but column 'n' is object.",
    "sf.leaks([1])": "`frame` must be a pandas, Polars, Dask, Spark or Arrow frame, got list.",
    **{
        f"sf.{call}": f"`frame` must be a {accepted} frame, got {got}.\nHint: join the frames,"
        " and add a column that names the frame of each row."
        for accepted, calls in {
            "pandas, Polars, Dask, Spark or Arrow": ("kfold({}, 'label')", "folds({})"),
            "pandas, Polars or Arrow": ("cv({})",),
        }.items()
        for given, got in {"{'a': df, 'b': df}": "dict", "(df, df)": "tuple"}.items()
        for call in (each.format(given) for each in calls)
    },
    **{
        f"sf.{call}": f"`frame` must be a frame, or a mapping of names to frames, got {got}.\n"
        f"Hint: `{hint}`."
        for call, got, hint in (
            ("check((df, df))", "tuple of 2 frames", TWO_FRAMES),
            ("drift([df, df], 'id')", "list of 2 frames", TWO_FRAMES),
            ("balance([df] * 3, 'id')", "list of 3 frames", THREE_FRAMES),
            ("leaks([df] * 4)", "list of 4 frames", '{"a": a, "b": b, ...}'),
        )
    },
    **{
        f"sf.{call}": f"`{call.partition('(')[0]}` takes several frames by their names, got"
        f" {n} frames.\nHint: `sf.{call.partition('(')[0]}({hint})`."
        for call, n, hint in (
            ("check(df, df)", 2, TWO_FRAMES),
            ("leaks(df, df)", 2, TWO_FRAMES),
            ("drift(df, df, df)", 3, THREE_FRAMES),
        )
    },
    "sf.drift(foreign, 'x')": "`frame` must be a pandas, Polars or Arrow frame, got"
    " modin.DataFrame.\nHint: pass `df.modin.to_pandas()`.",
    "sf.leaks(df, key='fold')": "`key` must name columns other than the fold column, but includes"
    " 'fold'.\nHint: name a column by which to compare the folds, as in `key=\"label\"`.",
    **{
        f"sf.{verb}(df, key={key})": (f"`key` must hold column names or expressions, got {wrong}.")
        for verb in ("check", "leaks")
        for key, wrong in KEYS.items()
    },
    # Columns.
    "sf.kfold(rows, 'label', 2, where=lambda df: df['id'] < 0)": "`k` must be at most the number"
    " of rows that get a fold, got 2 for 0 rows.",
    "sf.extend(holes, 'label', 2, name=['fold', 'fold'])": "`name` must hold each column once, got"
    " 'fold' twice.",
    "sf.extend(holes, None, k=1)": "`k` must be at least 2, got 1.",
    "sf.extend(df, 'label', 3, parts=0.5, name='split')": "`extend` takes `k` for folds or `parts`"
    " for parts, got both.",
    "sf.extend(df, 'label', parts={'train': 0.5, 'rest': 0.5}, name='split')": "`parts` must name"
    " all parts of 'split', but the column also has 'test'.",
    "sf.extend(holes, sf.chain('price'))": "`extend` does not support `sf.chain` in `by`.",
    "sf.extend(holes, sf.nearest('price'))": "`extend` does not support `sf.nearest` in `by`.",
    "sf.plan(rows, key='id', deal='hash')": '`plan` cannot count the rows of `deal="hash"`, which'
    " leaves the sizes to chance.\nHint: `report` measures the column that `kfold` or `split`"
    " makes.",
    "sf.split(rows, parts={'train': None, 'test': 1}, key='id', deal='hash')": '`deal="hash"`'
    " takes shares in `parts`, not counts of rows: a row's key alone decides where the row"
    ' goes.\nHint: shares, as in `parts={"train": 0.8, "test": 0.2}`, are met approximately.',
    "sf.kfold(lazy, pl.col('tags'))": "A column must hold single values, but 'tags' is"
    " List(String).\nHint: `sf.margins(...)`, as the only entry, balances each value of the lists,"
    " or each position of vectors of classes.",
    # Expressions.
    "pl.col('x').strat.kfold(1)": "`k` must be at least 2, got 1.",
    "pl.col('x').strat.split(missing='null')": "`missing` must be 'error' or 'stratum', got"
    " 'null'.",
    # Splitters.
    "sf.FoldSplit(None)": f"{NAMES}None.",
    "sf.FoldSplit(pd.NA)": f"{NAMES}{pd.NA!r}.",
    "sf.FoldSplit([])": f"{NAMES}[].",
    "sf.FoldSplit([['fold']])": f"{NAMES}['fold'].",
    "sf.FoldSplit(nulls='keep')": "`nulls` must be 'error', 'train' or 'drop', got 'keep'.",
}

REFUSED = {
    **OF_FOLDS,
    **{f"sf.parts(df, names={names})": message for names, message in OF_PARTS.items()},
    **{f"sf.sample(rows, 'label', {how})": message for how, message in OF_SAMPLES.items()},
    **{f"sf.kfold(lazy, deal='hash', {how})": message for how, message in OF_HASHES.items()},
    **OTHERS,
}


@pytest.mark.parametrize("call", REFUSED)
def test_wrong_arguments(call: str) -> None:
    """A wrong argument is refused at the call, in these words."""
    refuse_now(REFUSED[call], lambda: evaluate(call, **FRAMES))
