"""Lazy queries whose rows may come in another order each time."""

import warnings
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.io.plugins import register_io_source

import stratframe as sf
from stratframe.frames import row_order

LEFT = pl.LazyFrame({"id": range(20), "label": ["a", "b"] * 10})
RIGHT = pl.LazyFrame({"id": range(20), "x": range(20)})
SORTED = [frame.with_columns(pl.col("id").set_sorted()) for frame in (LEFT, RIGHT)]

UNORDERED: dict[str, tuple[pl.LazyFrame, str]] = {
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
        "a cross join or `join_wher",
    ),
    "SQL": (pl.SQLContext(l=LEFT, r=RIGHT).execute("SELECT * FROM l JOIN r USING (id)"), "join"),
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

ORDERED: dict[str, pl.LazyFrame] = {
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


@pytest.mark.parametrize("name", UNORDERED)
def test_a_step_that_keeps_no_order_is_named(name: str) -> None:
    """A lazy query with a step that keeps no order warns when the plan is made."""
    query, step = UNORDERED[name]
    (found,) = warnings_of(lambda: sf.kfold(query, k=2))
    assert step.lower() in found.partition(" may put the rows")[0].lower()


@pytest.mark.parametrize("name", UNORDERED)
def test_a_key_is_the_remedy(name: str) -> None:
    """With a key no query of these warns."""
    query = UNORDERED[name][0]
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


@pytest.mark.parametrize("name", ORDERED)
def test_a_query_in_one_order_does_not_warn(name: str) -> None:
    """Scans, filters, sorts and steps that maintain their order do not warn."""
    assert warnings_of(lambda: sf.kfold(ORDERED[name], k=2)) == []


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


def test_joins_are_capitalized() -> None:
    """The message starts with a capital letter."""
    (found,) = warnings_of(lambda: sf.kfold(LEFT.join(RIGHT, on="id"), k=2))
    assert found == expected("An inner join", KEY)


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
    return [step.name for step in row_order.unordered_steps(query, plan)]


def test_an_unknown_view_of_the_plan_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Polars does not show how its joins are set, they count as unordered."""
    monkeypatch.delattr(pl, "QueryOptFlags")
    query = LEFT.join(RIGHT, on="id", maintain_order="left")
    assert steps_of(query) == ["a join"]
    assert steps_of(LEFT) == []


ROWS = 20_000
TEXTS = pl.LazyFrame({"id": [f"row {number % ROWS}" for number in range(2 * ROWS)]})


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
