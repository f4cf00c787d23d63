"""Lazy queries: which of them stream, and folds that are those of the collected rows."""

import warnings
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import stratframe as sf

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


def warnings_of(query: pl.LazyFrame) -> list[str]:
    """List the warnings of folds without a key."""
    return deal(query)[1]


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
    (found,) = warnings_of(query)
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
    assert warnings_of(query) == []


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
    "head": lambda query: query.head(4_000) if warnings_of(query) == [] else query,
    "row index": lambda query: (
        (query.sort("id") if warnings_of(query) else query)
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
