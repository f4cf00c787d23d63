"""Fold columns of random lazy queries against those of their collected rows.

A query is a chain of random steps and expressions. With a key each row has the fold that it has
in the collected rows, in every collection: of the query, of two filters together and apart, in
both engines, with shared parts of the plan and without. Without a key a query that does not warn
gives its rows the folds of the collected rows, in their order.
"""

from __future__ import annotations

from running import Case, run

import warnings
from typing import Any

import polars as pl

import stratframe as sf

ID, TEXT, NUMBER = pl.col("id"), pl.col("text"), pl.col("number")

ENGINES: list[Any] = ["in-memory", "streaming"]


def draw_rows(case: Case) -> pl.LazyFrame:
    """Draw a frame with unique ids, classes and numbers."""
    n = case.rng.choice([5, 40, 1_000, 6_000])
    ids = [f"row {number}" for number in range(n)]
    case.rng.shuffle(ids)
    classes = [case.rng.choice("abc") for _ in range(n)]
    return pl.LazyFrame({"id": ids, "text": classes, "number": range(n)})


def draw_step(case: Case, query: pl.LazyFrame) -> pl.LazyFrame:
    """Draw a step that leaves ids unique."""
    other = query.select("id").unique() if case.rng.random() < 0.5 else query.select("id")
    order = case.rng.choice(["none", "left", "left_right"])
    steps: list[Any] = [
        lambda: query.filter(NUMBER % 3 != 1),
        lambda: query.with_columns(new=NUMBER.rank("ordinal")).drop("new"),
        lambda: query.with_columns(TEXT.str.to_uppercase(), NUMBER + 1),
        lambda: query.with_columns(text=pl.when(NUMBER > 3).then(TEXT).otherwise(pl.lit('"'))),
        lambda: query.with_columns((NUMBER * 7) // 7),
        lambda: query.filter(pl.col("number") <= NUMBER.max()),
        lambda: query.select(ID.unique()).with_columns(text=ID.str.slice(4, 1), number=pl.lit(1)),
        lambda: query.select(ID.unique(maintain_order=True), TEXT.first(), NUMBER.first()),
        lambda: query.select(ID.mode(), TEXT.first(), number=pl.lit(4)),
        lambda: query.select(
            ID.value_counts(name="n").struct.field("id"), TEXT.first(), number=pl.lit(4)
        ),
        lambda: query.select(ID.shuffle(), TEXT.first(), number=pl.lit(4)),
        lambda: query.select(ID.top_k(pl.len()), TEXT.first(), number=pl.lit(4)),
        lambda: query.select(pl.all().sort_by("text")),
        lambda: query.select(pl.all().reverse()),
        lambda: query.unique("id"),
        lambda: query.unique("id", maintain_order=True),
        lambda: query.group_by("id").agg(TEXT.first(), NUMBER.sum()),
        lambda: query.group_by("id", maintain_order=True).agg(TEXT.last(), NUMBER.max()),
        lambda: query.join(other, on="id", maintain_order=order),
        lambda: query.join(other, on="id", how="semi"),
        lambda: query.sort("text"),
        lambda: query.sort("id"),
        # In an order that stays, as a filter by place would else find other ids each time.
        lambda: (
            (query.sort("id") if warns(query) else query)
            .with_row_index("place")
            .with_columns(number="place")
            .drop("place")
        ),
        lambda: pl.concat([query.filter(NUMBER % 2 == 0), query.filter(NUMBER % 2 != 0)]),
        lambda: query.map_batches(lambda rows: rows),
        lambda: query.with_columns(NUMBER.map_batches(lambda values: values, pl.Int64)),
        lambda: query.cache(),
        lambda: query.rename({"text": "class"}).rename({"class": "text"}),
    ]
    return case.rng.choice(steps)().with_columns(NUMBER.cast(pl.Int64))


def collections(case: Case, query: pl.LazyFrame) -> list[pl.DataFrame]:
    """Collect a query with folds in several ways."""
    flags = pl.QueryOptFlags(comm_subplan_elim=case.rng.random() < 0.5)
    engine = case.rng.choice(ENGINES)
    halves = [query.filter(pl.col("fold") == 0), query.filter(pl.col("fold") != 0)]
    return [
        query.collect(engine=engine, optimizations=flags),
        pl.concat(halves).collect(engine=engine, optimizations=flags),
        pl.concat(pl.collect_all(halves, engine=engine, optimizations=flags)),
        pl.concat([half.collect(engine=engine, optimizations=flags) for half in halves]),
    ]


def warns(query: pl.LazyFrame) -> bool:
    """Return whether folds of a query depend on an order that it may not keep."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sf.kfold(query, k=2)
    return bool(caught)


def check(case: Case) -> None:
    """Check the folds of one query."""
    query = draw_rows(case)
    for _ in range(case.rng.randint(0, 4)):
        query = draw_step(case, query)
    rows = query.collect()
    if len(rows) < 2:
        return
    # Classes may go with other ids in each run; ids are the same.
    by = case.rng.choice([None, pl.col("id").str.slice(4, 1).alias("digit")])
    options = {"k": 2, "seed": case.rng.randint(0, 9), "rare": "ignore"}
    whole = case.call(sf.kfold, rows, by, key="id", **options)
    expected = dict(zip(whole["id"], whole["fold"], strict=True))
    for found in collections(case, case.call(sf.kfold, query, by, key="id", **options)):
        assert dict(zip(found["id"], found["fold"], strict=True)) == expected
        assert len(found) == len(rows)
    if not warns(query):
        alone = case.call(sf.kfold, rows, by, **options)
        found = case.call(sf.kfold, query, by, **options).collect()
        assert found["id"].equals(rows["id"])
        assert found["fold"].equals(alone["fold"])


if __name__ == "__main__":
    run(check)
