"""Plans of lazy queries: what is known to give the same rows each time."""

import warnings
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

import stratframe as sf
from stratframe.frames import plans

from .expressions import methods, queries, table

TABLE = table()
METHODS = list(methods())
SPACES = sorted({space for space, _ in METHODS})


def queries_of(space: str) -> Iterator[tuple[str, pl.LazyFrame]]:
    """List the queries of all methods of a namespace, by method and column."""
    for name in [name for each, name in METHODS if each == space]:
        for column, query in queries(TABLE, space, name).items():
            yield f"{name} of {column}", query


def same_values(one: pl.Series, other: pl.Series) -> bool:
    """Compare columns value by value; NaN equals NaN."""
    return one.equals(other, null_equal=True)


@pytest.mark.parametrize("space", SPACES)
def test_what_counts_as_repeatable_repeats(space: str) -> None:
    """An expression that counts as repeatable gives the same rows in each run and engine."""
    for what, query in queries_of(space):
        if not plans.is_repeatable(query):
            continue
        expected = query.collect()["out"]
        engines: list[Any] = ["in-memory", "streaming", "streaming"]
        for engine in engines:
            assert same_values(query.collect(engine=engine)["out"], expected), what


@pytest.mark.parametrize("space", SPACES)
def test_folds_are_on_the_rows_that_they_were_dealt_to(space: str) -> None:
    """Whatever expression makes the rows, each key of them has the fold that it has alone."""
    for what, query in queries_of(space):
        rows = query.collect()
        try:
            unique = rows["out"].drop_nulls().n_unique() == len(rows) >= 2
        except pl.exceptions.PolarsError:
            continue
        # Values that differ between runs, such as sums of floats, are no key.
        if not unique or rows["out"].dtype.is_nested() or rows["out"].dtype.is_float():
            continue
        whole = sf.kfold(rows, k=2, key="out")
        folded = sf.kfold(query, k=2, key="out")
        expected = dict(zip(whole["out"].to_list(), whole["fold"].to_list(), strict=True))
        for flag in (True, False):
            flags = pl.QueryOptFlags(comm_subplan_elim=flag)
            found = folded.collect(optimizations=flags)
            if set(found["out"].to_list()) == set(expected):  # random samples have others
                assert found["fold"].to_list() == [expected[row] for row in found["out"]], what


UNORDERED = {
    "unique": pl.col("text").unique(),
    "mode": pl.col("text").unique().mode(),
    "value_counts": pl.col("text").value_counts(name="n").struct.field("text"),
    "top_k": pl.col("text").top_k(50),
    "shuffle": pl.col("text").shuffle(),
    "sample": pl.col("text").sample(fraction=0.5),
}
"""Expressions that are not known to leave rows in order, by the names that warnings have."""


@pytest.mark.parametrize("name", UNORDERED)
def test_an_expression_of_unknown_order_takes_one_query(name: str) -> None:
    """Folds by key of rows in any order are the same in every collection, also of two filters."""
    query = TABLE.lazy().select(UNORDERED[name].alias("text"))
    assert not plans.is_repeatable(query)
    deeper = query.filter(pl.col("text") != "row 1").with_columns(x=pl.lit(1))
    assert not plans.is_repeatable(deeper)


@pytest.mark.parametrize("flag", [True, False])
def test_folds_by_key_of_unique_values_hold_in_every_query(flag: bool) -> None:
    """With a key no unique value has another fold in a second query, nor in one of two filters."""
    ids = pl.LazyFrame({"id": [f"user {row % 20_000}" for row in range(40_000)]})
    folded = sf.kfold(ids.select(pl.col("id").unique()), k=5, key="id")
    alone = sf.kfold(ids.unique("id").collect(), k=5, key="id")
    expected = dict(zip(alone["id"], alone["fold"], strict=True))
    flags = pl.QueryOptFlags(comm_subplan_elim=flag)
    halves = [folded.filter(pl.col("fold") == 0), folded.filter(pl.col("fold") != 0)]
    queries = [folded, pl.concat(halves)]
    found = [query.collect(optimizations=flags) for query in queries]
    for rows in (*found, pl.concat(pl.collect_all(halves, optimizations=flags))):
        assert len(rows) == 20_000
        assert rows["fold"].to_list() == [expected[user] for user in rows["id"]]


@pytest.mark.parametrize("name", [name for name in UNORDERED if name != "sample"])
def test_an_expression_of_unknown_order_warns_without_a_key(name: str) -> None:
    """Without a key such an expression warns by its name; with one, it does not."""
    query = TABLE.lazy().select(UNORDERED[name].alias("text")).with_columns(x=pl.lit(1))
    message = (
        f"The expression `{name}` may put the rows of this lazy query in another order each"
        " time it is collected, and without `key=` the folds depend on the order: train and test"
        ' rows that are collected apart may overlap.\nHint: `key="id"` names columns that identify'
        " the rows; or collect the query first."
    )
    if name == "mode":
        message = message.replace("`mode`", "`unique`")
    with pytest.warns(sf.StratWarning) as caught:
        sf.kfold(query, k=2)
    assert [str(warning.message) for warning in caught] == [message]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sf.kfold(query, k=2, key="text")


IN_ORDER = {
    "arithmetic": (pl.col("whole") + 1, True),
    "comparison": ((pl.col("whole") > 1) & pl.col("flag"), True),
    "text": (pl.col("text").str.to_uppercase().str.slice(1), True),
    "case": (pl.when(pl.col("flag")).then(pl.lit("a")).otherwise("text"), True),
    "date": (pl.col("time").dt.truncate("1h").dt.year(), True),
    "cast": (pl.col("text").cast(pl.Categorical), True),
    "minimum of groups": (pl.col("whole").min().over("text"), True),
    "ordered unique": (pl.col("text").unique(maintain_order=True), True),
    "mean": (pl.col("number") - pl.col("number").mean(), False),
    "sum of groups": (pl.col("number").sum().over("text"), False),
    "rank": (pl.col("number").rank("ordinal"), False),
    "sort_by": (pl.col("text").sort_by("flag"), False),
    "Python function": (pl.col("text").map_batches(lambda values: values, pl.String), False),
    "fold column": (pl.col("text").strat.kfold(k=2), False),
}
"""Expressions that leave rows in order, and whether they count as repeatable."""


@pytest.mark.parametrize("name", IN_ORDER)
def test_an_expression_that_leaves_rows_in_order_does_not_warn(name: str) -> None:
    """What leaves rows in order does not warn; sums of floats and ties still count as variable."""
    made, repeats = IN_ORDER[name]
    query = TABLE.lazy().select(made.alias("out"))
    assert plans.is_repeatable(query) == repeats
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sf.kfold(query, k=2)


QUOTES = ['5" pipe', '"', '""', 'a", "b', 'x").unique()', "line\nFILTER", "unique()", ", ", '", ']


@pytest.mark.parametrize("text", QUOTES)
def test_names_and_literals_hide_no_expression(text: str) -> None:
    """A quote in a name or literal never hides an expression of unknown order."""
    rows = pl.LazyFrame({"id": ["a", "b"], text: ["a", "b"]})
    for query in (
        rows.select(pl.lit(text).alias("x"), pl.col("id").unique()),
        rows.select(pl.col(text), pl.col("id").unique()),
        rows.select(pl.col(text).unique()),
        rows.filter(pl.col(text) == text).select(pl.col("id").unique(), y=pl.lit(text)),
    ):
        assert not plans.is_repeatable(query)


def test_names_without_quotes_are_read() -> None:
    """A name that looks like a function is a name."""
    query = pl.LazyFrame({"unique()": [1, 2]}).select(pl.col("unique()") + 1)
    assert plans.is_repeatable(query)


def test_no_expression_is_on_both_lists() -> None:
    """What repeats is not listed again among what leaves rows in order."""
    assert not plans.REPEATABLE & plans.IN_ORDER


def test_most_methods_are_tried() -> None:
    """Nine of ten methods of expressions make a query of one column here."""
    tried = [name for space, name in METHODS if queries(TABLE, space, name)]
    assert len(tried) > 0.9 * len(METHODS)
