"""Lazy queries: which of them stream, which warn of their order, and folds of their rows."""

import warnings
from collections.abc import Callable
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

REORDERED: dict[str, tuple[pl.LazyFrame, str]] = {
    "unique": (LEFT.unique("id"), "`unique`"),
    "unique of all": (LEFT.unique(), "`unique`"),
    "group_by": (LEFT.group_by("id").agg(pl.first("label")), "`group_by`"),
    "steps after": (LEFT.unique().filter(pl.col("id") > 2).with_columns(y=1), "`unique`"),
    "concat": (pl.concat([LEFT, LEFT.unique()]), "`unique`"),
    "sort after unique": (LEFT.unique("id").sort("id"), "`unique`"),
    "sort by another column": (LEFT.group_by("id").agg(x=pl.len()).sort("x"), "`group_by`"),
    "sort by one of the keys": (
        LEFT.group_by("id", "label").agg(x=pl.len()).sort("id"),
        "`group_by`",
    ),
    "sort by an expression of the key": (
        LEFT.group_by("id").agg(x=pl.len()).sort(pl.col("id") % 2),
        "`group_by`",
    ),
    "sort by a computed key": (
        LEFT.group_by(pl.col("id") % 7).agg(x=pl.len()).sort("id"),
        "`group_by`",
    ),
    "sort of other groups": (
        pl.concat(
            [
                LEFT.group_by("id").agg(pl.first("label")).sort("id"),
                LEFT.group_by("id").agg(pl.first("label")),
            ]
        ),
        "`group_by`",
    ),
    "sort later": (
        LEFT.group_by("id").agg(x=pl.len()).with_columns(id=pl.col("id") // 2).sort("id"),
        "`group_by`",
    ),
    "unstable sort after unique": (
        LEFT.unique("id", maintain_order=True).filter(pl.col("id") > 2).sort("label"),
        "`sort`",
    ),
    "unstable sort after group_by": (
        LEFT.group_by("id", maintain_order=True).agg(pl.first("label")).sort("label"),
        "`sort`",
    ),
    "unstable sort after a join": (
        LEFT.join(RIGHT, on="id", how="left", maintain_order="left").sort("label"),
        "`sort`",
    ),
    "inner": (LEFT.join(RIGHT, on="id"), "an inner join"),
    "left": (LEFT.join(RIGHT, on="id", how="left"), "a left join"),
    "right": (LEFT.join(RIGHT, on="id", how="right"), "a right join"),
    "full": (LEFT.join(RIGHT, on="id", how="full", coalesce=True), "a full join"),
    "semi": (LEFT.join(RIGHT, on="id", how="semi"), "a semi join"),
    "anti": (LEFT.join(RIGHT.head(9), on="id", how="anti"), "an anti join"),
    "cross": (LEFT.join(RIGHT.select("x"), how="cross"), "a cross join or `join_where`"),
    "join_where": (
        LEFT.join_where(RIGHT, pl.col("id") < pl.col("x")),
        "a cross join or `join_where`",
    ),
    "SQL": (
        pl.SQLContext(l=LEFT, r=RIGHT).execute("SELECT * FROM l JOIN r USING (id)"),
        "an inner join",
    ),
    "left of two": (
        LEFT.join(RIGHT, on="id").join(RIGHT, on="id", how="left", maintain_order="left"),
        "an inner join",
    ),
    "right of two": (
        LEFT.join(RIGHT.join(RIGHT, on="id", how="anti"), on="id", maintain_order="left"),
        "an anti join",
    ),
    "beside join_asof": (
        SORTED[0].join_asof(SORTED[1], on="id").join(RIGHT, on="id", how="semi"),
        "a semi join",
    ),
    "Python function": (
        LEFT.map_batches(lambda data, lock=Lock(): data).join(RIGHT, on="id"),  # noqa: B008
        "an inner join",
    ),
}
"""Queries, and the step that may put their rows in another order."""

CHOSEN: dict[str, tuple[pl.LazyFrame, str]] = {
    "head": (LEFT.unique("id").head(9), "`unique`"),
    "limit": (LEFT.unique("id").limit(9), "`unique`"),
    "tail": (LEFT.join(RIGHT, on="id").tail(9), "an inner join"),
    "slice": (LEFT.group_by("id").agg(pl.first("label")).slice(2, 9), "`group_by`"),
    "gather_every": (LEFT.unique("id").gather_every(2), "`unique`"),
    "gather": (LEFT.unique("id").select(pl.all().gather([1, 2, 3, 4])), "`unique`"),
    "sample": (LEFT.select(pl.all().sample(9)), "the expression `sample`"),
    "sample after unique": (
        LEFT.unique("id").select(pl.all().sample(9)),
        "the expression `sample`",
    ),
    "row index": (LEFT.unique("id").with_row_index("row"), "`unique`"),
    "steps between": (
        LEFT.unique("id", keep="any")
        .filter(pl.col("id") > 2)
        .sort("label")
        .with_columns(y=1)
        .head(9),
        "`unique`",
    ),
    "one of two frames": (pl.concat([LEFT.head(5), LEFT.unique("id").head(9)]), "`unique`"),
    "after a concat": (pl.concat([LEFT, LEFT.unique("id")]).head(9), "`unique`"),
    "below a join": (
        LEFT.join(RIGHT.unique("id").head(9), on="id", maintain_order="left"),
        "`unique`",
    ),
    "in groups": (
        LEFT.unique("id")
        .group_by("label", maintain_order=True)
        .agg(pl.col("id").head(2))
        .explode("id"),
        "`unique`",
    ),
    "unstable top_k": (LEFT.unique("id", maintain_order=True).top_k(9, by="label"), "`sort`"),
    "expression": (
        LEFT.select(pl.col("id").unique().head(9), label=pl.lit("a")),
        "the expression `unique`",
    ),
}
"""Queries that choose other rows each time, and the step that gives them in another order."""

KEPT: dict[str, pl.LazyFrame] = {
    "frame": LEFT,
    "filter": LEFT.filter(pl.col("id") > 3),
    "select": LEFT.select("id", "label"),
    "with_columns": LEFT.with_columns(x=pl.col("id") * 2, group=pl.len().over("label")),
    "concat": pl.concat([LEFT, LEFT]),
    "wide concat": pl.concat([LEFT, RIGHT.rename({"id": "other"})], how="horizontal"),
    "sort": LEFT.sort("label"),
    "head": LEFT.head(12),
    "unique": LEFT.unique("id", maintain_order=True),
    "group_by": LEFT.group_by("id", maintain_order=True).agg(pl.first("label")),
    "sort after unique": LEFT.unique("id", maintain_order=True).sort("label", maintain_order=True),
    "top_k": LEFT.top_k(5, by="label"),
    "ranks": LEFT.with_columns(
        dense=pl.col("id").rank("dense").over("label"), seeded=pl.col("id").rank("random", seed=1)
    ),
    "sort by the keys": LEFT.group_by("id").agg(pl.first("label")).sort("id"),
    "sort by all keys": LEFT.group_by("id", "label")
    .agg(pl.len(), x=pl.len())
    .sort("x", "label", "id", descending=[True, False, True])
    .filter(pl.col("id") > 2),
    "left": LEFT.join(RIGHT, on="id", maintain_order="left"),
    "right_left": LEFT.join(RIGHT, on="id", how="right", maintain_order="right_left"),
    "two joins": LEFT.join(RIGHT, on="id", maintain_order="left_right").join(
        LEFT.join(RIGHT, on="id", how="semi", maintain_order="left"), on="id", maintain_order="left"
    ),
    "join_asof": SORTED[0].join_asof(SORTED[1], on="id"),
    "literals": LEFT.with_columns(
        text=pl.lit("UNIQUE[maintain_order: false"), other=pl.lit("INNER JOIN:")
    ).filter(pl.col("text") != "AGGREGATE[maintain_order: false]"),
    "literal in lines": LEFT.with_columns(text=pl.lit('5" pipe')).join(
        RIGHT, on="id", how="left", maintain_order="left"
    ),
}
"""Queries that give their rows in one order."""


def expected(step: str, fix: str) -> str:
    return (
        f"{step} may put the rows of this lazy query in another order each time it is"
        " collected, and without `key=` the folds depend on the order: train and test rows"
        " that are collected apart may overlap.\n"
        f"Hint: {fix}"
    )


SET = "set `maintain_order` in that step."
KEY = f'`key="id"` names columns that identify the rows; or {SET}'

CALLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "kfold": (lambda query: sf.kfold(query, k=2), KEY),
    "by": (lambda query: sf.kfold(query, "label", k=2, seed=None), KEY),
    "repeats": (lambda query: sf.kfold(query, k=2, repeats=2), KEY),
    "split": (lambda query: sf.split(query), KEY),
    "extend": (lambda query: sf.extend(query.with_columns(fold=pl.lit(None)), None, k=2), KEY),
}
"""Calls without a key, and the hint of each."""


def warnings_of(call: Callable[[], object]) -> list[str]:
    """List the warnings of a call whose result is not collected."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("name", REORDERED)
def test_a_step_that_keeps_no_order_is_named(name: str) -> None:
    """A query with a step that keeps no order warns when it is made, unless it has a key."""
    query, step = REORDERED[name]
    message = expected(step[0].upper() + step[1:], KEY)
    assert warnings_of(lambda: sf.kfold(query, k=2)) == [message]
    assert warnings_of(lambda: sf.kfold(query, k=2, key="id")) == []
    given = query.with_columns(fold=pl.lit(None))
    assert warnings_of(lambda: sf.extend(given, None, k=2, key="id")) == []


def test_text_chooses_no_rows() -> None:
    """Text that is written as a function, or a column of that name, chooses no rows."""
    query = LEFT.unique("id").filter(pl.col("label") != "head(3)").with_columns(a=pl.lit("slice("))
    assert warnings_of(lambda: sf.kfold(query.rename({"a": "head(x"}), k=2, key="id")) == []


BY_VALUE: dict[str, Callable[[Any], Any]] = {
    "key": lambda query: sf.kfold(query, "label", k=2, key="id"),
    "groups": lambda query: sf.split(query, groups="id"),
    "extend": lambda query: sf.extend(query.with_columns(fold=pl.lit(None)), None, k=2, key="id"),
    "neither": lambda query: sf.kfold(query, k=2),
}


@pytest.mark.parametrize("call", BY_VALUE)
@pytest.mark.parametrize("name", CHOSEN)
def test_other_rows_each_time_have_no_remedy(name: str, call: str) -> None:
    """Where rows are chosen after a step without an order, keys and groups warn, too."""
    query, step = CHOSEN[name]
    fix = "collect the query first" if "expression" in step else SET.rstrip(".")
    assert warnings_of(lambda: BY_VALUE[call](query)) == [
        f"{step[0].upper()}{step[1:]} may put the rows of this lazy query in another order each"
        " time it is collected, and `head`, `tail`, `slice`, `gather`, `sample` or a row index"
        " after it then choose other rows: train and test rows that are collected apart may"
        " overlap.\n"
        f"Hint: {fix}."
    ]
    assert warnings_of(lambda: sf.kfold(query, k=2, key="id", deal="hash")) == []


@pytest.mark.parametrize("name", KEPT)
def test_a_query_in_one_order_does_not_warn(name: str) -> None:
    """Scans, filters, sorts and steps that maintain their order do not warn."""
    assert warnings_of(lambda: sf.kfold(KEPT[name], k=2)) == []


@pytest.mark.parametrize("call", CALLS)
def test_each_verb_warns_once(call: str) -> None:
    """Each verb that adds a column warns once, and hints at what it can be given."""
    verb, fix = CALLS[call]
    assert warnings_of(lambda: verb(LEFT.unique("id"))) == [expected("`unique`", fix)]
    assert warnings_of(lambda: verb(LEFT)) == []


BY_GROUP: dict[str, Callable[[Any], Any]] = {
    "kfold": lambda query: sf.kfold(query, k=2, groups="id"),
    "columns": lambda query: sf.kfold(query, ["label", "id"], k=2, groups=["id", "label"]),
    "binned": lambda query: sf.kfold(query, sf.continuous("id"), k=2, groups="id"),
    "margins": lambda query: sf.kfold(query, sf.margins(["label"]), k=2, groups="id"),
    "null": lambda query: sf.kfold(query, k=2, groups="id", missing="null"),
    "split": lambda query: sf.split(query, groups="id"),
    "extend": lambda query: sf.extend(
        query.with_columns(fold=pl.lit(None)), None, k=2, groups="id"
    ),
}


@pytest.mark.parametrize("call", BY_GROUP)
def test_groups_do_not_depend_on_the_order(call: str) -> None:
    """Groups are known by their values, so that no query warns."""
    assert warnings_of(lambda: BY_GROUP[call](LEFT.unique("id"))) == []


@pytest.mark.parametrize(
    "verb",
    [
        lambda query: sf.kfold(query, k=2, groups="label", missing="stratum"),
        lambda query: sf.split(query, groups="label", missing="stratum"),
        lambda query: sf.extend(
            query.with_columns(fold=pl.lit(None)), None, k=2, groups="label", missing="stratum"
        ),
    ],
    ids=["kfold", "split", "extend"],
)
def test_rows_without_a_group_depend_on_the_order(verb: Callable[[Any], Any]) -> None:
    """Rows without a group, of which there may be some, are told apart by their order."""
    fix = f"fill these groups with values that identify the rows; or {SET}"
    message = expected("`unique`", fix).replace("without `key=`", "where rows lack a group")
    assert warnings_of(lambda: verb(LEFT.unique("id"))) == [message]
    assert warnings_of(lambda: verb(LEFT)) == []


def test_clusters_depend_on_the_order() -> None:
    """Clusters, as groups or as strata of groups, are fitted to rows in their order."""
    term = sf.clusters("id", 2)
    message = expected("`unique`", SET).replace("without `key=`", "with `sf.clusters`")
    for by, groups in ((None, term), (term, "id"), (sf.margins([term]), "id")):
        call = lambda by=by, groups=groups: sf.kfold(LEFT.unique("id"), by, 2, groups=groups)  # noqa: E731
        assert warnings_of(call) == [message]


def test_eager_frames_do_not_warn() -> None:
    """A frame that was collected has one order."""
    assert warnings_of(lambda: sf.kfold(LEFT.unique("id").collect(), k=2)) == []
    assert warnings_of(lambda: sf.plan(LEFT.unique("id"), "label", k=2)) == []


@pytest.mark.skipif(not hasattr(pl, "union"), reason="older Polars has no `pl.union`")
def test_union_keeps_no_order() -> None:
    """`pl.union` warns where `pl.concat` does not."""
    (found,) = warnings_of(lambda: sf.kfold(pl.union([LEFT, LEFT]), k=2))
    assert found == expected("`pl.union`", KEY)


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


TEXTS = pl.LazyFrame({"id": [f"row {number % 20_000}" for number in range(40_000)]})


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_the_warning_is_about_real_leaks(engine: Any) -> None:
    """Train and test collected apart share rows without a key; with one, or in order, none."""

    def shared(query: pl.LazyFrame, **key: Any) -> int:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sf.StratWarning)
            folded = sf.kfold(query, k=5, **key)
        apart = (
            folded.filter(pl.col("fold") != 0).collect(engine=engine),
            folded.filter(pl.col("fold") == 0).collect(engine=engine),
        )
        return len(set(apart[0]["id"]) & set(apart[1]["id"]))

    assert shared(TEXTS.unique("id")) > 0
    assert shared(TEXTS.unique("id"), key="id") == 0
    assert shared(TEXTS.unique("id", maintain_order=True)) == 0
    by_length = TEXTS.unique("id", maintain_order=True).with_columns(n=pl.col("id").str.len_bytes())
    assert shared(by_length.sort("n")) > 0
    assert shared(by_length.sort("n", maintain_order=True)) == 0
    joined = TEXTS.unique("id", maintain_order=True).join(TEXTS, on="id", how="semi")
    assert shared(joined, key="id") == 0
    # Other rows each time: groups, whose sizes decide, go to other folds.
    visits = TEXTS.with_columns(who=pl.col("id").str.slice(-3)).unique().head(2990)
    assert shared(visits, groups="who") > 0
    assert shared(visits, key="id", deal="hash") == 0


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
