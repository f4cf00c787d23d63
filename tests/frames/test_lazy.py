"""Lazy queries: which of them stream, which warn of their order, and folds of their rows."""

import fnmatch
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from polars.io.plugins import register_io_source
from polars.testing import assert_frame_equal

import stratframe as sf
from stratframe.frames import lazy

# Expressions, and queries that stream ---------------------------------------------------

ID, TEXT, NUMBER = pl.col("id"), pl.col("text"), pl.col("number")
N_ROWS = 6_000
IDS = [f"row {row * 7919 % N_ROWS}" for row in range(N_ROWS)]
ROWS = pl.LazyFrame({"id": IDS, "text": [*"abcb"] * (N_ROWS // 4), "number": range(N_ROWS)})


def same(each: Any) -> Any:
    return each


def warnings_of(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught]


def deal(query: pl.LazyFrame, **options: Any) -> tuple[pl.LazyFrame, list[str]]:
    dealt: list[pl.LazyFrame] = []
    found = warnings_of(lambda: dealt.append(sf.kfold(query, k=2, **options)))
    return dealt[0], found


def streams(query: pl.LazyFrame) -> bool:
    return "HCONCAT" in deal(query)[0].explain(optimized=False)


IN_ORDER = {
    "arithmetic": ((NUMBER + 1).round(2), True),
    "comparison": ((NUMBER > 1) & TEXT.is_in(["a", "b"]), True),
    "text": (TEXT.str.to_uppercase().str.slice(1), True),
    "case": (pl.when(NUMBER > 2).then(pl.lit("a")).otherwise("text"), True),
    "date": (NUMBER.cast(pl.Date).dt.truncate("1w").dt.year(), True),
    "categories": (TEXT.cast(pl.Categorical), True),
    "minimum of groups": (NUMBER.min().over("text"), False),
    "ordered unique": (ID.unique(maintain_order=True), False),
    "rare function of text": (TEXT.str.zfill(9), False),
    "mean": (NUMBER - NUMBER.mean(), False),
    "rolling mean": (NUMBER.rolling_mean(3), False),
    "rank": (NUMBER.rank("ordinal"), False),
    "sort_by": (ID.sort_by("text", maintain_order=True), False),
    "Python function": (ID.map_batches(same, pl.String), False),
    "fold column": (TEXT.strat.kfold(k=2), False),
}


@pytest.mark.parametrize("name", IN_ORDER)
def test_an_expression_that_leaves_rows_in_order_does_not_warn(name: str) -> None:
    """What leaves rows in order does not warn; few expressions are sure to stream."""
    made, are_streamed = IN_ORDER[name]
    query = ROWS.with_columns(out=made)
    assert streams(query) == are_streamed
    assert deal(query)[1] == []


QUOTES = ['5" pipe', '"', '""', 'a", "b', 'x").unique()', "line\nFILTER", "unique()", ", ", '", ']


@pytest.mark.parametrize("text", QUOTES)
def test_names_and_literals_hide_no_expression(text: str) -> None:
    """A quote in a name or literal never hides an expression of unknown order."""
    rows = pl.LazyFrame({"id": ["a", "b"], text: ["a", "b"]})
    for query in (
        rows.select(ID.unique(), x=pl.lit(text)),
        rows.select(ID.unique(), pl.col(text)),
        rows.select(pl.col(text).unique(), id=pl.lit("a")),
        rows.select(pl.lit(text).alias("x"), ID.unique(), y=pl.lit(text)),
        rows.filter(pl.col(text) == text).select(ID.unique(), y=pl.lit(text)),
    ):
        assert not streams(query)
    assert streams(ROWS.with_columns(NUMBER.alias("unique()")).filter(pl.col("unique()") > 1))


KEEP: Any = {"maintain_order": True}
BOTH: Any = {"maintain_order": "left_right"}
STEPS: dict[str, Any] = {
    "filter": lambda rows: rows.filter(NUMBER % 3 != 1),
    "rank": lambda rows: rows.with_columns(new=NUMBER.rank("ordinal")).drop("new"),
    "functions": lambda rows: rows.with_columns(TEXT.str.to_uppercase(), NUMBER + 1),
    "case": lambda rows: rows.with_columns(pl.when(NUMBER > 3).then(TEXT).otherwise(pl.lit('"'))),
    "maximum": lambda rows: rows.filter(NUMBER.max() >= NUMBER),
    "all reversed": lambda rows: rows.select(pl.all().reverse()),
    "all sorted": lambda rows: rows.select(pl.all().sort_by("text")),
    "rename": lambda rows: rows.rename({"text": "class"}).rename({"class": "text"}),
    "head": lambda rows: rows if deal(rows)[1] else rows.head(4_000),
    "row index": lambda rows: (
        (rows.sort("id") if deal(rows)[1] else rows)
        .with_row_index("place")
        .select("id", "text", number=pl.col("place").cast(pl.Int64))
    ),
    "concat": lambda rows: pl.concat([rows.filter(TEXT == "a"), rows.filter(TEXT != "a")]),
    "function of frames": lambda rows: rows.map_batches(same),
    "function of columns": lambda rows: rows.with_columns(NUMBER.map_batches(same, pl.Int64)),
    "unique": lambda rows: rows.unique("id"),
    "ordered unique": lambda rows: rows.unique("id", **KEEP),
    "values": lambda rows: rows.select(ID.unique(), text=pl.lit("a"), number=pl.lit(3, pl.Int64)),
    "shuffle": lambda rows: rows.select(ID.shuffle(), TEXT.first(), NUMBER.first()),
    "group_by": lambda rows: rows.group_by("id").agg(TEXT.first(), NUMBER.sum()),
    "ordered group_by": lambda rows: rows.group_by("id", **KEEP).agg(TEXT.last(), NUMBER.max()),
    "join": lambda rows: rows.join(rows.select("id"), on="id"),
    "ordered join": lambda rows: rows.join(rows.select("id").unique(), on="id", **BOTH),
    "semi join": lambda rows: rows.join(rows.select("id").unique(), on="id", how="semi"),
    "sort by classes": lambda rows: rows.sort("text"),
    "sort": lambda rows: rows.sort("id"),
}
"""Steps that leave ids unique, and choose no rows by their place where the order may change."""


def collections(query: pl.LazyFrame, engine: Any, shared: bool) -> list[pl.DataFrame]:
    """Collect a query with folds: whole, and as two filters in one query, together, and apart."""
    options: Any = {"engine": engine, "optimizations": pl.QueryOptFlags(comm_subplan_elim=shared)}
    halves = [query.filter(pl.col("fold") == 0), query.filter(pl.col("fold") != 0)]
    return [
        query.collect(**options),
        pl.concat(halves).collect(**options),
        pl.concat(pl.collect_all(halves, **options)),
        pl.concat([half.collect(**options) for half in halves]),
    ]


@given(
    steps=st.lists(st.sampled_from(list(STEPS)), max_size=4),
    engine=st.sampled_from(["in-memory", "streaming"]),
    shared=st.booleans(),
    seed=st.integers(0, 9),
)
def test_rows_of_queries_keep_their_folds(steps: Any, engine: str, shared: bool, seed: int) -> None:
    """With a key each row has its fold in every collection; without, unless it has warned."""
    query = ROWS
    for step in steps:
        query = STEPS[step](query)
    rows = query.collect()
    assume(len(rows) > 1)
    whole = sf.kfold(rows, k=2, key="id", seed=seed)
    expected = dict(zip(whole["id"], whole["fold"], strict=True))
    for found in collections(deal(query, key="id", seed=seed)[0], engine, shared):
        assert dict(zip(found["id"], found["fold"], strict=True)) == expected
        assert len(found) == len(rows)
    by_place, warned = deal(query, seed=seed)
    if not warned:
        assert by_place.collect()["id", "fold"].equals(sf.kfold(rows, k=2, seed=seed)["id", "fold"])


# Steps that reorder rows -----------------------------------------------------------------

IS_POLARS_2 = pl.__version__ >= "2"
"""Whether Polars shows the seeds of draws, which otherwise warn, and SQL sorts without an order."""
LEFT = pl.LazyFrame({"id": range(20), "label": ["a", "b"] * 10})
RIGHT = pl.LazyFrame({"id": range(20), "x": range(20)})
ASOF = LEFT.with_columns(ID.set_sorted()).join_asof(RIGHT.with_columns(ID.set_sorted()), on="id")
UNIQUE, GROUPED = LEFT.unique(), LEFT.group_by("id").agg(pl.first("label"))
FIRST_LABELS = LEFT.group_by("id", **KEEP).agg(pl.first("label"))
COUNTED = LEFT.group_by("id").agg(x=pl.len())
CHOICE = pl.coalesce("label", "id", "label")
LEFT_SEMI: Any = {"how": "semi", "maintain_order": "left"}
joined = partial(LEFT.join, RIGHT, on="id")
NULLS = pl.lit(None).alias("fold")
REORDERED: dict[str, list[pl.LazyFrame]] = {
    "`unique`": [
        *(UNIQUE, LEFT.unique("id", keep="first"), LEFT.unique("id", keep="none")),
        *(UNIQUE.filter(ID > 2).with_columns(y=1), pl.concat([LEFT, UNIQUE])),
        UNIQUE.sort("id", **KEEP),
    ],
    "`group_by`": [GROUPED, pl.concat([GROUPED.sort("id"), GROUPED])],
    "`sort`": [
        LEFT.sort("label"),
        LEFT.sort("label", ID % 2, descending=[True, False], nulls_last=True),
        *[pl.SQLContext(l=LEFT).execute("SELECT * FROM l ORDER BY label")] * IS_POLARS_2,
        *(UNIQUE.sort("label"), COUNTED.sort("x"), COUNTED.sort(ID % 2)),
        LEFT.group_by("id", "label").agg(x=pl.len()).sort("id"),
        LEFT.group_by(ID % 7).agg(x=pl.len()).sort("id"),
        COUNTED.with_columns(id=ID // 2).sort("id"),
        FIRST_LABELS.sort("label"),
        *(joined(how="left", **BOTH).sort("label"), LEFT.with_columns(x=CHOICE).sort(CHOICE)),
    ],
    "an inner join": [
        joined(),
        pl.SQLContext(l=LEFT, r=RIGHT).execute("SELECT * FROM l JOIN r USING (id)"),
        joined().join(RIGHT, on="id", how="left", **BOTH),
        LEFT.map_batches(lambda data, lock=Lock(): data).join(RIGHT, on="id"),  # noqa: B008
    ],
    "a left join": [joined(how="left", maintain_order="left")],
    "a right join": [joined(how="right")],
    "a full join": [joined(how="full", coalesce=True)],
    "a semi join": [joined(how="semi"), ASOF.join(RIGHT, on="id", how="semi")],
    "an anti join": [
        LEFT.join(RIGHT.head(9), on="id", how="anti"),
        LEFT.join(RIGHT.join(RIGHT, on="id", how="anti"), on="id", **BOTH),
    ],
    "a cross join or `join_where`": [
        *(LEFT.join(RIGHT.select("x"), how="cross"), LEFT.join_where(RIGHT, pl.col("x") > ID))
    ],
    "`pl.union`": [pl.union([LEFT, LEFT])] if hasattr(pl, "union") else [],
    **{
        f"the expression `{name}`": [LEFT.select(expr.alias("id")).with_columns(x=pl.lit(1))]
        for name, expr in {
            "unique": ID.unique(),
            "mode": ID.mode(),
            "value_counts": ID.value_counts(name="n").struct.field("id"),
            "top_k": ID.top_k(9),
            "sort_by": ID.sort_by("label"),
        }.items()
    },
}
"""Steps and expressions that may put rows in another order, and queries that have them."""
SHUFFLED, RANKED = pl.int_range(pl.len()).shuffle(), pl.col("label").rank("random")
OF_RANKS = pl.when(RANKED > 3).then(1), (RANKED + 1).over("label"), pl.max_horizontal(RANKED, 2)
THIRD, FEW, OTHER = ID.sort_by("label").get(3), ID.unique().head(9), RIGHT.rename({"id": "other"})
CHOSEN: dict[tuple[str, str], list[pl.LazyFrame]] = {
    ("`unique`", "`gather_every`"): [UNIQUE.gather_every(2)],
    ("`unique`", "`gather`"): [UNIQUE.select(pl.all().gather([1, 2, 3, 4]))],
    ("`unique`", "`sample`"): [UNIQUE.select(pl.all().sample(9, seed=0))] * IS_POLARS_2,
    ("`unique`", "a Series"): [UNIQUE.with_columns(y=pl.Series(range(20)))],
    ("`unique`", "`cum_count`"): [UNIQUE.with_columns(x=ID.cum_count())],
    ("`unique`", "`rank`"): [
        UNIQUE.with_columns(x=rank) for rank in (ID.rank("ordinal"), ID.rank("random", seed=1))
    ],
    ("an inner join", "`implode`"): [joined().group_by("label", **KEEP).agg("id").explode("id")],
    ("`unique`", "a row index"): [UNIQUE.with_row_index("row")],
    ("`unique`", "a horizontal `pl.concat`"): [pl.concat([UNIQUE, OTHER], how="horizontal")],
    ("`unique`", "`head` or `slice`"): [
        UNIQUE.group_by("label", **KEEP).agg(ID.head(2)).explode("id")
    ],
    ("`group_by`", "`first`"): [GROUPED.with_columns(x=ID.first().over("label"))],
    ("`group_by`", "`int_range`"): [GROUPED.with_columns(x=pl.int_range(pl.len()))],
    ("an inner join", "`head`, `slice` or `top_k`"): [joined().tail(9)],
    ("`sort`", "`head`, `slice` or `top_k`"): [
        *(LEFT.sort("label").head(9), LEFT.top_k(9, by="label"), LEFT.bottom_k(9, by="label")),
        LEFT.sort("id", **KEEP).sort("label").slice(3, 9),
    ],
    ("`unique`", "`head`, `slice` or `top_k`"): [
        *(UNIQUE.head(9), UNIQUE.limit(9), UNIQUE.sort("id", **KEEP).tail(9)),
        UNIQUE.filter(ID > 2).with_columns(y=1).head(9),
        *(pl.concat([LEFT.head(5), UNIQUE.head(9)]), pl.concat([LEFT, UNIQUE]).head(9)),
        LEFT.join(UNIQUE.head(9).select("id"), on="id", **BOTH),
        *(joined(**LEFT_SEMI).head(9).unique(), FIRST_LABELS.head(9).unique()),
    ],
    ("`group_by`", "`head`, `slice` or `top_k`"): [GROUPED.slice(2, 9)],
    ("`sort`", "a row index"): [LEFT.sort("label").with_row_index("row")],
    ("`sort`", "`unique`"): [
        LEFT.sort("label").unique("id", keep=keep, **KEEP) for keep in ("first", "any")
    ],
    ("`sort`", "`first`"): [LEFT.sort("label").group_by("id", **KEEP).agg(pl.first("label"))],
    ("`sort`", "`join_asof`"): [LEFT.sort("id").join_asof(RIGHT, on="id")],
    ("the expression `sort_by`", "`get`"): [LEFT.with_columns(x=THIRD.over("label"))],
    ("the expression `mode`", "`first`"): [LEFT.with_columns(x=ID.mode().first())],
    ("the expression `unique`", "`head` or `slice`"): [LEFT.select(FEW, label=pl.lit("a"))],
}
"""What may put rows in another order, what goes by their places after it, and such queries."""
DRAWN: dict[str, list[pl.LazyFrame]] = {
    "`unique`": [
        *(LEFT.unique("id"), LEFT.unique("id").sort("id")),
        LEFT.unique("id", **KEEP).sort("label", "id"),
        LEFT.unique("id", **KEEP).with_row_index("row").unique("id", keep="none"),
        LEFT.sort("id", **KEEP).unique("label").filter(ID > 2),
    ],
    "the expression `shuffle`": [
        *(LEFT.with_columns(x=ID.shuffle()), LEFT.filter(SHUFFLED < 9)),
        LEFT.sort(SHUFFLED, **KEEP).head(9),
    ],
    "the expression `sample`": [LEFT.select(pl.all().sample(9))],
    "the expression `top_k_by`": [LEFT.select(pl.all().top_k_by("label", 9))],
    "the expression `min_by`": IS_POLARS_2
    * [LEFT.group_by("label", **KEEP).agg(ID.sort_by("label").first())],
    "the expression `list.sample_n`": [
        LEFT.with_columns(x=pl.concat_list("id", "id").list.sample(1).list.first())
    ],
    "a step that stratframe does not know": [
        LEFT.with_columns(x=pl.when(pl.col("label") == "a\nb").then(1).otherwise(ID)),
        LEFT.rename({"label": "x\ny"}).with_columns(label=pl.lit("a")),
    ],
    "the expression `rank`": [
        *(LEFT.filter(RANKED < 9), LEFT.with_columns(y=RANKED)),
        *(LEFT.with_columns(y=each) for each in OF_RANKS),
    ],
}
"""Steps and expressions that give different rows or values each time, with queries."""
KEPT = [
    LEFT,
    LEFT.with_columns(x=ID * 2, group=pl.len().over("label")),
    LEFT.unique("id", keep="first", **KEEP).sort("label", **KEEP),
    UNIQUE.group_by("label").agg(ID.sum()).sort("label").head(1),
    LEFT.with_columns(dense=ID.rank("dense").over("label")),
    LEFT.group_by("id", "label")
    .agg(pl.len(), x=pl.len())
    .sort("x", "label", "id", descending=[True, False, True])
    .filter(ID > 2),
    joined(how="right", maintain_order="right_left"),
    joined(**BOTH).join(joined(**LEFT_SEMI), on="id", **BOTH),
    ASOF,
    LEFT.with_columns(
        text=pl.lit("UNIQUE[maintain_order: false"), other=pl.lit("INNER JOIN:")
    ).filter(pl.col("text") != "AGGREGATE[maintain_order: false]"),
    LEFT.with_columns(text=pl.lit('5" pipe')).join(RIGHT, "id", how="left", **BOTH),
]
"""Queries that give their rows in one order, beside those of `ORDERED_STEPS`."""
OVERLAP = "train and test rows that are collected separately may overlap"
SET = "set `maintain_order` in that step"
LEFT_RIGHT = 'set `maintain_order="left_right"` in that step'
SEED = "give it a `seed`, or collect the query first"
SETS = {
    "`sort`": "write `sort(..., maintain_order=True)`, or also sort by the `key`",
    "`unique`": 'set `keep="first"` and `maintain_order` in that step',
    "the expression `sort_by`": "set `maintain_order` in that expression",
    **dict.fromkeys(("an inner join", "a left join", "a full join"), LEFT_RIGHT),
    "a right join": 'set `maintain_order="right_left"` in that step',
    **{f"the expression `{name}`": SEED for name in ("rank", "sample", "shuffle")},
    "the expression `min_by`": "write `sort_by(..., maintain_order=True).first()`",
}
KEY = '`key="id"` names columns that identify the rows. Alternatively, '
GROUP = "fill the missing groups with values that identify the rows. Alternatively, "


def expected(step: str, effect: str, fix: str = "", then: str = OVERLAP) -> str:
    is_step = "expression" not in step and "not know" not in step
    instead = SETS.get(step, SET if is_step else "collect the query first")
    return f"{step[0].upper()}{step[1:]} may {effect}: {then}.\nHint: {fix}{instead}."


def reordered(what: str) -> str:
    each_time = "in a different order each time it is collected"
    return f"put the rows of this lazy query {each_time}, and {what}"


WITHOUT_KEY = reordered("without `key=` the folds depend on the order")


@pytest.mark.parametrize("step", REORDERED)
def test_a_step_that_keeps_no_order_is_named(step: str) -> None:
    """A query with a step that keeps no order warns when it is made, unless it has a key."""
    for query in REORDERED[step]:
        assert deal(query)[1] == [expected(step, WITHOUT_KEY, KEY)]
        assert deal(query, key="id")[1] == []


OTHER_ROWS = "give different rows or values each time this lazy query is collected"


@pytest.mark.parametrize(
    ("message", "queries"),
    [
        *(
            (expected(step, reordered(f"{place} then gives different rows or values")), queries)
            for (step, place), queries in CHOSEN.items()
        ),
        *((expected(step, OTHER_ROWS), queries) for step, queries in DRAWN.items()),
    ],
)
def test_other_rows_each_time_have_no_remedy(message: str, queries: list[pl.LazyFrame]) -> None:
    """Where rows are chosen after a step without an order, or drawn, keys and groups warn, too."""
    for query in queries:
        query = query.with_columns(x=ID)
        for call in (
            partial(sf.kfold, query, "label", k=2, key="x"),
            partial(sf.split, query, groups="id"),
            partial(sf.extend, query.with_columns(NULLS), None, k=2, key="x"),
            partial(sf.kfold, query, k=2),
        ):
            assert warnings_of(call) == [message]
        assert deal(query, key="id", deal="hash")[1] == []


NO_HEAD = UNIQUE.filter(pl.col("label") != "head(3)").with_columns(pl.lit("slice(").alias("head(x"))
"""Text that is written as a function, and a column of that name, which choose no rows."""


@pytest.mark.parametrize(
    ("query", "key", "n_warnings"),
    [
        *((LEFT.sort("label", "id").head(9), "id", 0), (joined().head(9).sort("id"), "id", 1)),
        (joined().sort("label", "x", "id").with_row_index("row"), ["id", "x"], 1 - IS_POLARS_2),
        *((joined().sort("x").head(9), ["id", "x"], 1), (NO_HEAD, "id", 0)),
        (joined().sort("id", pl.col("x") % 2).head(9), "id", 1),
        (LEFT.sort("id").with_columns(x=pl.col("label").cum_count()), "id", 0),
        (LEFT.sort("id").unique("id", keep="first", **KEEP), "id", 1),
        (LEFT.sort("id").head(9).filter(pl.col("label") == "a"), "id", 1),
        (LEFT.sort("id").select("label", id=ID // 2).head(9), "id", 1),
        (LEFT.sort("id").with_columns(ID // 2).head(9), "id", 1),
        (LEFT.sort("id").drop("id").with_row_index("id"), "id", 1),
    ],
)
def test_a_sort_by_the_key_makes_an_order(query: pl.LazyFrame, key: Any, n_warnings: int) -> None:
    """After a sort by all columns of the key, places depend on no step before it."""
    assert len(deal(query, key=key)[1]) == n_warnings


# Steps that keep the order, on a file ------------------------------------------------------

SAME_LENGTH = """
X.shift() X.reverse() X.sort() T.sort_by("day",maintain_order=True) I.cum_sum() X.cum_max() X.diff()
X.pct_change() X.rolling_mean(3) X.ewm_mean(alpha=0.5)
T.rle_id() D.arg_sort() D.fill_null(strategy="forward")
X.interpolate() X.peak_max() X.peak_min() D.is_first_distinct() D.is_last_distinct() T.str.join()
pl.int_range(pl.len()) I.first().over("day") I.last().over("day",order_by="text") D.index_of(1)
I.shift().over("text") X.mean().over("day") I.get(1) I.gather(0).item() D.arg_min() D.arg_max()
X.set_sorted()
X.abs() X.sign() -X X.pow(2) X.sqrt() X.cbrt() X.exp() X.log() X.log1p() X.sin() X.cos() X.tan()
X.arctan() X.cot() X.sinh() X.cosh() X.tanh() X.degrees() X.radians() X.erf() X.erfc() X.floor()
X.ceil() X.round(2) X.round_sig_figs(2) X.truncate() X.clip(0,1) D.bitwise_count_ones() T.hash()
X.fill_null(0) pl.coalesce("x","id") D.replace({1:2}) D.replace_strict({1:2},default=0)
X.cut([0,1]) X.qcut(4) X.is_nan() D.is_in([1,2]) D.is_between(1,3) X.is_null() ~(D>1)
W.dt.add_business_days(1,roll="forward") pl.business_day_count(W,W) pl.sum_horizontal("id","x")
L.list.eval(pl.element()+1) L.list.first() T.str.zfill(4) K.cat.starts_with("a")
K.cat.ends_with("a") K.cat.len_chars() K.cat.physical() K.to_physical() K.cat.slice(1)
T.cast(pl.Binary).bin.size()
W.dt.month() S.struct.field("id") S.struct.with_fields(z=pl.field("x")+1)
I.rechunk() pl.concat_arr("id","day").arr.sum() I.reinterpret(signed=False) pl.when(D>1).then(1)
pl.int_ranges("day").list.len() pl.fold(0,add,["id","x"]) pl.reduce(add,["id","x"])
I.map_batches(same,pl.Int64) D.cast(pl.Int32) D.repeat_by(2).list.len() pl.repeat(1,pl.len())
"""
ONE_VALUE = """
I.min() I.max() X.median() X.quantile(0.3) D.count() D.null_count() D.n_unique() (D>1).any()
(D>1).all() (D>1).any(ignore_nulls=False) (D>1).all(ignore_nulls=False) I.sum() X.mean() X.std()
X.var() X.clip(1,1).product() X.skew() X.kurtosis() D.entropy() D.approx_n_unique()
pl.cov("x","id") pl.corr("x","id") pl.corr("x","id",method="spearman") X.nan_min() X.nan_max()
X.dot("id") D.has_nulls() D.implode() D.search_sorted(1) I.lower_bound() I.upper_bound()
D.bitwise_and() D.len()
"""
OTHER_LENGTH = """
X.hist(bins=[0,1]) D.reshape((-1,)) D.unique(maintain_order=True) (D>1).arg_true() D.unique_counts()
D.append(D) D.extend_constant(1,2) L.explode() pl.linear_space(0,1,3) D.gather_every(2) D.head(9)
D.drop_nulls() X.drop_nans() D.filter(D>1) I.tail(9)
"""
SEEDED = 'D.rank("ordinal") D.rank("random",seed=1)'
SEEDED += " X.sample(9,seed=1) X.shuffle(seed=1)" * IS_POLARS_2
"""Expressions, separated by blanks."""
NAMES: dict[str, Any] = {"pl": pl, "I": ID, "D": pl.col("day"), "T": TEXT, "X": pl.col("x")}
NAMES |= {"W": pl.col("day").cast(pl.Date), "K": TEXT.cast(pl.Categorical)}
NAMES |= {"L": pl.concat_list("id", "day"), "S": pl.struct("id", "x")}
NAMES |= {"add": lambda one, other: one + other, "same": same}
"""What the names in these texts mean."""


def expressions_of(text: str) -> dict[str, pl.Expr]:
    """Make the expressions of a text, but for those that this version of Polars does not have."""
    found = {}
    for code in text.split():
        with suppress(AttributeError, TypeError), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            found[code] = eval(code, NAMES)
    return found


ORDERED_STEPS: dict[str, Callable[[pl.LazyFrame], pl.LazyFrame]] = {
    "same length": lambda rows: rows.with_columns(**expressions_of(SAME_LENGTH)),
    "one value": lambda rows: rows.select(**expressions_of(ONE_VALUE)),
    **{
        code: lambda rows, expr=expr: rows.select(expr)
        for code, expr in expressions_of(f"{OTHER_LENGTH} {SEEDED}").items()
    },
    "filter": lambda rows: rows.filter(pl.col("x") > 0),
    "slices": lambda rows: pl.concat([rows.head(99), rows.tail(99), rows.slice(9, 99)]),
    "row index": lambda rows: rows.with_row_index().gather_every(7).reverse(),
    "concat": lambda rows: pl.concat([rows, rows.rename(str.upper)], how="diagonal"),
    "beside": lambda rows: pl.concat([rows, rows.rename(str.upper)], how="horizontal"),
    "sort": lambda rows: rows.sort("day", **KEEP).head(9_000),
    "unique": lambda rows: rows.unique("twice", **KEEP),
    "first": lambda rows: rows.unique("twice", keep="first", **KEEP),
    "last": lambda rows: rows.unique("twice", keep="last", **KEEP),
    "group_by": lambda rows: rows.group_by("twice", **KEEP).agg(
        ID.first(), last=ID.last(), sorted=ID.sort_by("day", **KEEP).first()
    ),
    "sorted": lambda rows: rows.group_by("twice").agg(ID.first(), two=ID.head(2)).sort("twice"),
    "left join": lambda rows: rows.join(rows.select("id", y="x"), on="id", how="left", **BOTH),
    "left joins": lambda rows: rows.join(rows.select("twice", y="x"), "twice", "left", **BOTH),
    "semi join": lambda rows: rows.join(rows.head(999), "id", "semi", maintain_order="left"),
    "inner join": lambda rows: rows.join(rows.select("twice", y="x"), on="twice", **BOTH),
    "asof join": lambda rows: rows.sort("day", **KEEP).join_asof(
        rows.sort("day", **KEEP).select("day", y="x"), on="day"
    ),
    "explode": lambda rows: rows.with_columns(both=pl.concat_list("id", "day")).explode("both"),
    "unpivot": lambda rows: rows.unpivot(["id", "day"]),
    "windows": lambda rows: (
        rows.with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64).set_sorted())
        .group_by_dynamic("row", every="99i")
        .agg(ID.first())
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("step", ORDERED_STEPS)
def test_these_steps_keep_the_order_of_a_file(step: str, engine: Any, tmp_path: Path) -> None:
    """Steps that do not warn give the rows of a file in the same order on each engine."""
    n_rows, rng = 40_000, np.random.default_rng(0)
    columns = {"id": rng.permutation(n_rows), "day": rng.integers(1, 50, n_rows)}
    columns["twice"] = rng.integers(0, n_rows // 2, n_rows)
    columns |= {"text": rng.choice([*"abc"], n_rows), "x": rng.normal(size=n_rows)}
    pl.DataFrame(columns).write_parquet(tmp_path / "rows.parquet", row_group_size=400)
    query = ORDERED_STEPS[step](pl.scan_parquet(tmp_path / "rows.parquet"))
    first, *others = (query.collect(engine=engine) for _ in range(20))
    for other in others:
        assert_frame_equal(other, first)  # sums of floats in their last bits aside


NOT_RUN = lazy.names("""
agg append cumulative_eval eval lower_bound not rechunk rle upper_bound with_fields all_ignore_nulls
any_ignore_nulls cat.physical concat_expr element erf erfc gather has_nulls item sample shuffle
trunc*
""")
"""Names that some version of Polars prints otherwise or lacks; its `rle` fails when streamed."""


def test_queries_in_one_order_do_not_warn() -> None:
    """Steps that keep the order do not warn; all that is said to keep it is among them."""
    columns = {"id": [1], "day": [1], "twice": [1], "text": ["a"], "x": [0.5]}
    steps = {name: step(pl.LazyFrame(columns)) for name, step in ORDERED_STEPS.items()}
    for query in [*KEPT, *steps.values()]:
        assert deal(query)[1] == []
    plans = [query.explain(optimized=False) for query in steps.values()]
    seen = {name for plan in plans for line in plan.splitlines() for name in lazy.calls(line)}
    assert all(fnmatch.filter(seen, name) for name in lazy.IN_ORDER - NOT_RUN)


# What of a call depends on the order --------------------------------------------------

CLUSTERS, BY_CLUSTER = sf.clusters("id", 2), ("with `sf.clusters`", "")
BY_KEY, BY_GROUP = ("without `key=`", KEY), ("where rows lack a group", GROUP)
CALLS: list[tuple[Callable[..., Any], dict[str, Any], tuple[str, str] | None]] = [
    *((sf.kfold, {"k": 2}, BY_KEY), (sf.kfold, {"by": "label", "k": 2, "seed": None}, BY_KEY)),
    *((sf.kfold, {"k": 2, "repeats": 2}, BY_KEY), (sf.split, {}, BY_KEY)),
    (sf.kfold, {"k": 2, "deal": "contiguous"}, BY_KEY),
    (sf.split, {"by": ["label", sf.continuous("id")], "deal": "contiguous"}, BY_KEY),
    (sf.split, {"by": sf.continuous("id"), "deal": "contiguous"}, None),
    (sf.split, {"by": "label", "key": "id", "deal": "contiguous"}, None),
    (sf.extend, {"by": None, "k": 2}, BY_KEY),
    (sf.extend, {"by": None, "k": 2, "key": "id"}, None),
    *((sf.kfold, {"k": 2, "groups": "id"}, None), (sf.split, {"groups": "id"}, None)),
    (sf.kfold, {"by": ["label", "id"], "k": 2, "groups": ["id", "label"]}, None),
    (sf.kfold, {"by": sf.continuous("id"), "k": 2, "groups": "id"}, None),
    (sf.kfold, {"by": sf.margins(["label"]), "k": 2, "groups": "id"}, None),
    (sf.kfold, {"k": 2, "groups": "id", "missing": "null"}, None),
    (sf.extend, {"by": None, "k": 2, "groups": "id"}, None),
    (sf.kfold, {"k": 2, "groups": "label", "missing": "stratum"}, BY_GROUP),
    (sf.split, {"groups": "label", "missing": "stratum"}, BY_GROUP),
    (sf.extend, {"by": None, "k": 2, "groups": "label", "missing": "stratum"}, BY_GROUP),
    (sf.kfold, {"k": 2, "groups": CLUSTERS}, BY_CLUSTER),
    (sf.kfold, {"by": CLUSTERS, "k": 2, "groups": "id"}, BY_CLUSTER),
    (sf.kfold, {"by": sf.margins([CLUSTERS]), "k": 2, "groups": "id"}, BY_CLUSTER),
    (sf.plan, {"by": "label", "k": 2}, None),
]
"""Verbs, their arguments, and what of them depends on the order, with the remedy."""


@pytest.mark.parametrize(("verb", "arguments", "reason"), CALLS)
def test_what_depends_on_the_order(verb: Any, arguments: dict[str, Any], reason: Any) -> None:
    """A verb warns once of what depends on the order (groups do not), and hints at the remedy."""
    new = NULLS if verb is sf.extend else []
    effect = reason and reordered(f"{reason[0]} the folds depend on the order")
    messages = [expected("`unique`", effect, reason[1])] if effect else []
    assert warnings_of(lambda: verb(UNIQUE.with_columns(new), **arguments)) == messages
    assert warnings_of(lambda: verb(LEFT.with_columns(new), **arguments)) == []
    assert warnings_of(lambda: sf.kfold(UNIQUE.collect(), k=2)) == []


def test_positions_depend_on_the_order() -> None:
    """Positions of a query that may come in another order name other rows, and `cv` warns."""
    query = UNIQUE.with_columns(fold=ID % 2)
    then = "positions may refer to other rows when the query is collected again"
    message = expected("`unique`", reordered("the positions depend on the order"), then=then)
    assert warnings_of(lambda: sf.cv(query)) == [message]
    assert warnings_of(lambda: sf.cv(query.collect())) == []


def fail(*_: object) -> Any:
    raise AssertionError


def test_building_the_plan_reads_nothing(tmp_path: Path) -> None:
    """The checks and the warning come from the plan alone: sources are not read."""
    source = register_io_source(fail, schema={"id": pl.Int64, "label": pl.String})
    for query in (source.unique(), source.join(source, on="id"), source.sort("id")):
        assert len(deal(query)[1]) <= 1
        assert warnings_of(lambda query=query: sf.split(query, ["label", "id"], key="id")) == []
    (tmp_path / "rows.csv").write_text("id,label\n" + "1,a\n" * 10)
    scan = pl.scan_csv(tmp_path / "rows.csv")
    query = scan.join(scan, on="id", how="semi")
    query.collect_schema()
    assert len(deal(query)[1]) == 1


def test_an_unknown_view_of_the_plan_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Polars does not show how its joins are set, they count as unordered."""
    monkeypatch.delattr(pl, "QueryOptFlags")
    assert deal(joined(**BOTH))[1] == [expected("a join", WITHOUT_KEY, KEY)]
    assert deal(LEFT)[1] == []


ORDERS = st.sampled_from(["none", "left", "right", "left_right", "right_left"])
KINDS = st.sampled_from(["inner", "left", "full", "semi", "anti"])


@given(joins=st.lists(st.tuples(KINDS, ORDERS), max_size=4))
def test_joins_warn_exactly_if_one_keeps_no_order(joins: list[tuple[Any, Any]]) -> None:
    """Of any chain of joins the last one without an order is found."""
    query = LEFT
    for how, order in joins:
        query = query.join(RIGHT.select("id"), on="id", how=how, maintain_order=order).select("id")
    both = {"left_right", "right_left"}
    ordered = {"inner": both, "left": {"left_right"}, "full": both if IS_POLARS_2 else set()}
    ordered |= {how: {"left", *both} for how in ("semi", "anti")}
    unordered = [how for how, order in joins if order not in ordered[how]]
    assert [each.split()[1] for each in deal(query)[1]] == unordered[-1:]
