"""Lazy queries: which of them stream, which warn of their order, and folds of their rows."""

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from polars.io.plugins import register_io_source

import stratframe as sf
from stratframe.frames.lazy import unordered_steps

# Expressions, and queries that stream ---------------------------------------------------

ID, TEXT, NUMBER = pl.col("id"), pl.col("text"), pl.col("number")

N_ROWS = 6_000
ROWS = pl.LazyFrame(
    {
        "id": [f"row {row * 7919 % N_ROWS}" for row in range(N_ROWS)],
        "text": ["a", "b", "c", "b"] * (N_ROWS // 4),
        "number": range(N_ROWS),
    }
)


def deal(query: pl.LazyFrame, **options: Any) -> tuple[pl.LazyFrame, list[str]]:
    """Deal two folds, and list the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        folded = sf.kfold(query, k=2, **options)
    return folded, [str(warning.message) for warning in caught]


def streams(query: pl.LazyFrame) -> bool:
    """Return whether the folds of a query are a query of their own, put next to it."""
    return "HCONCAT" in deal(query)[0].explain(optimized=False)


UNORDERED = {
    "unique": ID.unique(),
    "mode": ID.mode(),
    "value_counts": ID.value_counts(name="n").struct.field("id"),
    "top_k": ID.top_k(50),
    "shuffle": ID.shuffle(),
    "sample": ID.sample(fraction=0.5),
}
"""Expressions that are not known to leave rows in order, by the names that warnings have."""


@pytest.mark.parametrize("name", UNORDERED)
def test_an_expression_of_unknown_order_warns(name: str) -> None:
    """Such an expression warns by its name, wherever it is, and its query is read once."""
    query = ROWS.select(UNORDERED[name].alias("id")).with_columns(x=pl.lit(1))
    (found,) = deal(query)[1]
    assert found.startswith(f"The expression `{name}` may put the rows of this lazy query in")
    assert not streams(query.filter(ID != "row 1"))
    if name != "sample":
        assert found.endswith("; or collect the query first.")
        assert deal(query, key="id")[1] == []


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
    "sort_by": (ID.sort_by("text"), False),
    "Python function": (ID.map_batches(lambda values: values, pl.String), False),
    "fold column": (TEXT.strat.kfold(k=2), False),
}
"""Expressions that leave rows in order, and whether their queries stream."""


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


def test_names_without_quotes_are_read() -> None:
    """A name that looks like a function is a name."""
    assert streams(ROWS.with_columns(NUMBER.alias("unique()")).filter(pl.col("unique()") > 1))


STEPS: dict[str, Any] = {
    "filter": lambda query: query.filter(NUMBER % 3 != 1),
    "rank": lambda query: query.with_columns(new=NUMBER.rank("ordinal")).drop("new"),
    "functions": lambda query: query.with_columns(TEXT.str.to_uppercase(), NUMBER + 1),
    "case": lambda query: query.with_columns(
        text=pl.when(NUMBER > 3).then(TEXT).otherwise(pl.lit('"'))
    ),
    "maximum": lambda query: query.filter(NUMBER.max() >= NUMBER),
    "all reversed": lambda query: query.select(pl.all().reverse()),
    "all sorted": lambda query: query.select(pl.all().sort_by("text")),
    "rename": lambda query: query.rename({"text": "class"}).rename({"class": "text"}),
    "head": lambda query: query.head(4_000) if deal(query)[1] == [] else query,
    "row index": lambda query: (
        (query.sort("id") if deal(query)[1] else query)
        .with_row_index("place")
        .with_columns(number=pl.col("place").cast(pl.Int64))
        .drop("place")
    ),
    "concat": lambda query: pl.concat([query.filter(TEXT == "a"), query.filter(TEXT != "a")]),
    "function of frames": lambda query: query.map_batches(lambda rows: rows),
    "function of columns": lambda query: query.with_columns(
        NUMBER.map_batches(lambda values: values, pl.Int64)
    ),
    "unique": lambda query: query.unique("id"),
    "ordered unique": lambda query: query.unique("id", maintain_order=True),
    "unique values": lambda query: query.select(
        ID.unique(), text=pl.lit("a"), number=pl.lit(3, pl.Int64)
    ),
    "shuffle": lambda query: query.select(ID.shuffle(), TEXT.first(), NUMBER.first()),
    "group_by": lambda query: query.group_by("id").agg(TEXT.first(), NUMBER.sum()),
    "ordered group_by": lambda query: query.group_by("id", maintain_order=True).agg(
        TEXT.last(), NUMBER.max()
    ),
    "join": lambda query: query.join(query.select("id"), on="id"),
    "ordered join": lambda query: query.join(
        query.select("id").unique(), on="id", maintain_order="left"
    ),
    "semi join": lambda query: query.join(query.select("id").unique(), on="id", how="semi"),
    "sort by classes": lambda query: query.sort("text"),
    "sort": lambda query: query.sort("id"),
}
"""Steps that leave ids unique, and choose no rows by their place where the order may change."""


def collections(query: pl.LazyFrame, engine: Any, shared: bool) -> list[pl.DataFrame]:
    """Collect a query with folds: whole, and as two filters in one query, together, and apart."""
    options: Any = {
        "engine": engine,
        "optimizations": pl.QueryOptFlags(comm_subplan_elim=shared),
    }
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
def test_folds_of_a_query_are_those_of_its_rows(
    steps: list[str], engine: str, shared: bool, seed: int
) -> None:
    """With a key each row has its fold in every collection; without, in each that has not warned.

    A key decides in whatever order the rows come; without one a query that does not warn gives
    its rows the folds of the collected rows, in their order.
    """
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
        alone = sf.kfold(rows, k=2, seed=seed).select("id", "fold")
        assert by_place.collect().select("id", "fold").equals(alone)


# Steps that reorder rows -----------------------------------------------------------------

LEFT = pl.LazyFrame({"id": range(20), "label": ["a", "b"] * 10})
RIGHT = pl.LazyFrame({"id": range(20), "x": range(20)})
SORTED = [frame.with_columns(pl.col("id").set_sorted()) for frame in (LEFT, RIGHT)]
UNIQUE, IN_TURN = LEFT.unique("id"), LEFT.unique("id", maintain_order=True)
GROUPED = LEFT.group_by("id").agg(pl.first("label"))
COUNTED = LEFT.group_by("id").agg(x=pl.len())
NULLS = pl.lit(None).alias("fold")

REORDERED: dict[str, list[pl.LazyFrame]] = {
    "`unique`": [
        UNIQUE,
        LEFT.unique(),
        LEFT.unique().filter(pl.col("id") > 2).with_columns(y=1),
        pl.concat([LEFT, LEFT.unique()]),
        UNIQUE.sort("id"),
    ],
    "`group_by`": [
        GROUPED,
        COUNTED.sort("x"),
        LEFT.group_by("id", "label").agg(x=pl.len()).sort("id"),
        COUNTED.sort(pl.col("id") % 2),
        LEFT.group_by(pl.col("id") % 7).agg(x=pl.len()).sort("id"),
        pl.concat([GROUPED.sort("id"), GROUPED]),
        COUNTED.with_columns(id=pl.col("id") // 2).sort("id"),
    ],
    "`sort`": [
        IN_TURN.filter(pl.col("id") > 2).sort("label"),
        LEFT.group_by("id", maintain_order=True).agg(pl.first("label")).sort("label"),
        LEFT.join(RIGHT, on="id", how="left", maintain_order="left").sort("label"),
    ],
    "an inner join": [
        LEFT.join(RIGHT, on="id"),
        pl.SQLContext(l=LEFT, r=RIGHT).execute("SELECT * FROM l JOIN r USING (id)"),
        LEFT.join(RIGHT, on="id").join(RIGHT, on="id", how="left", maintain_order="left"),
        LEFT.map_batches(lambda data, lock=Lock(): data).join(RIGHT, on="id"),  # noqa: B008
    ],
    "a left join": [LEFT.join(RIGHT, on="id", how="left")],
    "a right join": [LEFT.join(RIGHT, on="id", how="right")],
    "a full join": [LEFT.join(RIGHT, on="id", how="full", coalesce=True)],
    "a semi join": [
        LEFT.join(RIGHT, on="id", how="semi"),
        SORTED[0].join_asof(SORTED[1], on="id").join(RIGHT, on="id", how="semi"),
    ],
    "an anti join": [
        LEFT.join(RIGHT.head(9), on="id", how="anti"),
        LEFT.join(RIGHT.join(RIGHT, on="id", how="anti"), on="id", maintain_order="left"),
    ],
    "a cross join or `join_where`": [
        LEFT.join(RIGHT.select("x"), how="cross"),
        LEFT.join_where(RIGHT, pl.col("id") < pl.col("x")),
    ],
    "`pl.union`": [pl.union([LEFT, LEFT])] if hasattr(pl, "union") else [],
}
"""Steps that may put rows in another order, and queries that have them."""

CHOSEN: dict[str, list[pl.LazyFrame]] = {
    "`unique`": [
        UNIQUE.head(9),
        UNIQUE.limit(9),
        UNIQUE.gather_every(2),
        UNIQUE.select(pl.all().gather([1, 2, 3, 4])),
        UNIQUE.with_row_index("row"),
        UNIQUE.filter(pl.col("id") > 2).sort("label").with_columns(y=1).head(9),
        pl.concat([LEFT.head(5), UNIQUE.head(9)]),
        pl.concat([LEFT, UNIQUE]).head(9),
        LEFT.join(RIGHT.unique("id").head(9), on="id", maintain_order="left"),
        UNIQUE.group_by("label", maintain_order=True).agg(pl.col("id").head(2)).explode("id"),
    ],
    "an inner join": [LEFT.join(RIGHT, on="id").tail(9)],
    "`group_by`": [GROUPED.slice(2, 9)],
    "`sort`": [IN_TURN.top_k(9, by="label")],
    "the expression `sample`": [
        LEFT.select(pl.all().sample(9)),
        UNIQUE.select(pl.all().sample(9)),
    ],
    "the expression `unique`": [LEFT.select(pl.col("id").unique().head(9), label=pl.lit("a"))],
}
"""Steps that may put rows in another order, and queries that choose rows after them."""

KEPT = [
    LEFT,
    LEFT.filter(pl.col("id") > 3),
    LEFT.select("id", "label"),
    LEFT.with_columns(x=pl.col("id") * 2, group=pl.len().over("label")),
    pl.concat([LEFT, LEFT]),
    pl.concat([LEFT, RIGHT.rename({"id": "other"})], how="horizontal"),
    LEFT.sort("label"),
    LEFT.head(12),
    LEFT.top_k(5, by="label"),
    IN_TURN,
    IN_TURN.sort("label", maintain_order=True),
    LEFT.with_columns(
        dense=pl.col("id").rank("dense").over("label"), seeded=pl.col("id").rank("random", seed=1)
    ),
    LEFT.group_by("id", maintain_order=True).agg(pl.first("label")),
    GROUPED.sort("id"),
    LEFT.group_by("id", "label")
    .agg(pl.len(), x=pl.len())
    .sort("x", "label", "id", descending=[True, False, True])
    .filter(pl.col("id") > 2),
    LEFT.join(RIGHT, on="id", maintain_order="left"),
    LEFT.join(RIGHT, on="id", how="right", maintain_order="right_left"),
    LEFT.join(RIGHT, on="id", maintain_order="left_right").join(
        LEFT.join(RIGHT, on="id", how="semi", maintain_order="left"), on="id", maintain_order="left"
    ),
    SORTED[0].join_asof(SORTED[1], on="id"),
    LEFT.with_columns(
        text=pl.lit("UNIQUE[maintain_order: false"), other=pl.lit("INNER JOIN:")
    ).filter(pl.col("text") != "AGGREGATE[maintain_order: false]"),
    LEFT.with_columns(text=pl.lit('5" pipe')).join(
        RIGHT, on="id", how="left", maintain_order="left"
    ),
]
"""Queries that give their rows in one order."""


def warnings_of(call: Callable[[], object]) -> list[str]:
    """List the warnings of a call whose result is not collected."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught]


SET = "set `maintain_order` in that step."
KEY = f'`key="id"` names columns that identify the rows; or {SET}'
GROUP = f"fill these groups with values that identify the rows; or {SET}"


def expected(step: str, fix: str = KEY, what: str = "without `key=`") -> str:
    """Write the warning of a query whose rows may come in another order."""
    return (
        f"{step[0].upper()}{step[1:]} may put the rows of this lazy query in another order each"
        f" time it is collected, and {what} the folds depend on the order: train and test rows"
        f" that are collected apart may overlap.\nHint: {fix}"
    )


@pytest.mark.parametrize("step", REORDERED)
def test_a_step_that_keeps_no_order_is_named(step: str) -> None:
    """A query with a step that keeps no order warns when it is made, unless it has a key."""
    for query in REORDERED[step]:
        assert warnings_of(lambda query=query: sf.kfold(query, k=2)) == [expected(step)]
        assert warnings_of(lambda query=query: sf.kfold(query, k=2, key="id")) == []


def test_text_chooses_no_rows() -> None:
    """Text that is written as a function, or a column of that name, chooses no rows."""
    query = UNIQUE.filter(pl.col("label") != "head(3)").with_columns(a=pl.lit("slice("))
    assert warnings_of(lambda: sf.kfold(query.rename({"a": "head(x"}), k=2, key="id")) == []


@pytest.mark.parametrize("step", CHOSEN)
def test_other_rows_each_time_have_no_remedy(step: str) -> None:
    """Where rows are chosen after a step without an order, keys and groups warn, too."""
    message = (
        f"{step[0].upper()}{step[1:]} may put the rows of this lazy query in another order each"
        " time it is collected, and `head`, `tail`, `slice`, `gather`, `sample` or a row index"
        " after it then choose other rows: train and test rows that are collected apart may"
        f" overlap.\nHint: {'collect the query first.' if 'expression' in step else SET}"
    )
    calls: list[Callable[[Any], Any]] = [
        lambda query: sf.kfold(query, "label", k=2, key="id"),
        lambda query: sf.split(query, groups="id"),
        lambda query: sf.extend(query.with_columns(NULLS), None, k=2, key="id"),
        lambda query: sf.kfold(query, k=2),
    ]
    for query in CHOSEN[step]:
        for call in calls:
            assert warnings_of(partial(call, query)) == [message]
        assert warnings_of(partial(sf.kfold, query, k=2, key="id", deal="hash")) == []


@pytest.mark.parametrize("place", range(len(KEPT)))
def test_a_query_in_one_order_does_not_warn(place: int) -> None:
    """Scans, filters, sorts and steps that maintain their order do not warn."""
    assert warnings_of(lambda: sf.kfold(KEPT[place], k=2)) == []


def test_ranks_at_random_are_others_each_time() -> None:
    """Ties broken at random give other labels each time, wherever the rank is."""
    rank = pl.col("label").rank("random")
    for expr in (
        rank,
        pl.when(rank > 3).then(1),
        (rank + 1).over("label"),
        pl.max_horizontal(rank, 2),
    ):
        (found,) = warnings_of(lambda expr=expr: sf.kfold(LEFT.with_columns(x=expr), "x", k=2))
        assert found.startswith("The expression `rank` may put the rows")
    assert len(warnings_of(lambda: sf.kfold(LEFT.filter(rank < 9), k=2))) == 1


CLUSTERS = sf.clusters("id", 2)
BY_KEY, BY_GROUP = ("without `key=`", KEY), ("where rows lack a group", GROUP)
BY_CLUSTER = ("with `sf.clusters`", SET)
CALLS: list[tuple[Callable[..., Any], dict[str, Any], tuple[str, str] | None]] = [
    (sf.kfold, {"k": 2}, BY_KEY),
    (sf.kfold, {"by": "label", "k": 2, "seed": None}, BY_KEY),
    (sf.kfold, {"k": 2, "repeats": 2}, BY_KEY),
    (sf.split, {}, BY_KEY),
    (sf.extend, {"by": None, "k": 2}, BY_KEY),
    (sf.extend, {"by": None, "k": 2, "key": "id"}, None),
    (sf.kfold, {"k": 2, "groups": "id"}, None),
    (sf.kfold, {"by": ["label", "id"], "k": 2, "groups": ["id", "label"]}, None),
    (sf.kfold, {"by": sf.continuous("id"), "k": 2, "groups": "id"}, None),
    (sf.kfold, {"by": sf.margins(["label"]), "k": 2, "groups": "id"}, None),
    (sf.kfold, {"k": 2, "groups": "id", "missing": "null"}, None),
    (sf.split, {"groups": "id"}, None),
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
def test_what_depends_on_the_order(
    verb: Callable[..., Any], arguments: dict[str, Any], reason: tuple[str, str] | None
) -> None:
    """A verb warns once of what depends on the order, and hints at what it can be given.

    Groups are known by their values; rows without one, of which there may be some, by their order;
    clusters are fitted to rows in their order.
    """
    query = UNIQUE.with_columns(NULLS) if verb is sf.extend else UNIQUE
    message = reason and expected("`unique`", reason[1], reason[0])
    assert warnings_of(lambda: verb(query, **arguments)) == ([message] if message else [])
    ordered = LEFT.with_columns(NULLS) if verb is sf.extend else LEFT
    assert warnings_of(lambda: verb(ordered, **arguments)) == []
    assert warnings_of(lambda: sf.kfold(UNIQUE.collect(), k=2)) == []


def fail(*_: object) -> Any:
    """Fail as a source that is read."""
    msg = "the source was read"
    raise AssertionError(msg)


def test_building_the_plan_reads_nothing(tmp_path: Path) -> None:
    """The warning comes from the plan alone: sources are not read."""
    source = register_io_source(fail, schema={"id": pl.Int64, "label": pl.String})
    for query in (source.unique(), source.join(source, on="id"), source.sort("id")):
        assert len(warnings_of(lambda query=query: sf.kfold(query, k=2))) <= 1
    path = tmp_path / "rows.csv"
    path.write_text("id,label\n" + "1,a\n" * 10)
    scan = pl.scan_csv(path)
    query = scan.join(scan, on="id", how="semi")
    query.collect_schema()
    assert len(warnings_of(lambda: sf.kfold(query, k=2))) == 1


def steps_of(query: pl.LazyFrame) -> list[str]:
    """Name what may put the rows of a query in any order."""
    plan = query.explain(optimized=False).splitlines()
    return [step.name for step in unordered_steps(query, plan)]


def test_an_unknown_view_of_the_plan_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Polars does not show how its joins are set, they count as unordered."""
    monkeypatch.delattr(pl, "QueryOptFlags")
    query = LEFT.join(RIGHT, on="id", maintain_order="left")
    assert steps_of(query) == ["a join"]
    assert steps_of(LEFT) == []


ORDERS = ["none", "left", "right", "left_right", "right_left"]
KINDS = ["inner", "left", "full", "semi", "anti"]


@given(joins=st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(ORDERS)), max_size=4))
def test_joins_warn_exactly_if_one_keeps_no_order(joins: list[tuple[Any, Any]]) -> None:
    """Of any chain of joins those without an order are found, the last one first."""
    query = LEFT
    for how, order in joins:
        query = query.join(
            RIGHT.select("id"), on="id", how=how, maintain_order=order, suffix="_left"
        ).select("id")
    unordered = [how for how, order in joins if order == "none"]
    steps = steps_of(query)
    assert len(steps) == len(unordered)
    assert all(how in step for how, step in zip(reversed(unordered), steps, strict=True))
