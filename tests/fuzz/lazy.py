"""Deal random lazy queries of a file, and find those that overlap without a warning.

A query that does not warn must give each row the same fold however often it is collected, by both
engines, and a filter of one fold the rows that the whole query has there.

    python tests/fuzz/lazy.py --seconds 600
"""

from running import Case, run

import warnings
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import polars as pl

import stratframe as sf

N_ROWS = 20_000
ID, DAY, TEXT, NUMBER = (pl.col(name) for name in ("id", "day", "text", "number"))


@cache
def read_rows() -> pl.LazyFrame:
    """Scan a file of many row groups, whose ids differ and whose days have ties."""
    rng = np.random.default_rng(0)
    columns = {"id": rng.permutation(N_ROWS), "day": rng.integers(0, 40, N_ROWS)}
    columns["text"] = rng.choice(["a", "b", "c"], N_ROWS)
    columns["number"] = rng.integers(0, 1_000, N_ROWS)
    path = Path(mkdtemp()) / "rows.parquet"
    pl.DataFrame(columns).write_parquet(path, row_group_size=250)
    return pl.scan_parquet(path)


def shuffle(rows: Any) -> Any:
    """Put the rows of a frame or a series in another order each time."""
    return rows.sample(fraction=1.0, shuffle=True)


PLACE = pl.int_range(pl.len())
FILTERS = [
    NUMBER % 3 > 0,
    PLACE % 5 > 0,
    PLACE.shuffle() < 6_000,
    NUMBER.rank("random") < 9_000,
    DAY.rank("ordinal") < 9_000,
    DAY.rank("dense") < 30,
    NUMBER.is_first_distinct() | (DAY > 3),
    NUMBER.map_batches(shuffle, pl.Int64) < 600,
]
NUMBERS = [
    ID.cum_sum(),
    ID.first().over("day"),
    ID.shift(1, fill_value=0).over("day"),
    ID.unique(maintain_order=True),
    DAY.mode().first(),
    DAY.max().over("number"),
    ID.sort_by("day").get(7),
    NUMBER.shuffle(),
    NUMBER.map_batches(shuffle, pl.Int64),
    NUMBER.strat.kfold(k=3, rare="ignore"),
]
STEPS: list[Any] = [
    lambda rows: rows.sort("day"),
    lambda rows: rows.sort("day", maintain_order=True),
    lambda rows: rows.sort("day", "id"),
    lambda rows: rows.sort("id", descending=True),
    lambda rows: rows.top_k(9_000, by="day"),
    lambda rows: rows.bottom_k(9_000, by=["day", "text"]),
    lambda rows: rows.head(9_000),
    lambda rows: rows.tail(9_000),
    lambda rows: rows.gather_every(2),
    lambda rows: rows.reverse(),
    lambda rows: rows.map_batches(shuffle),
    lambda rows: sf.kfold(rows, "day", k=2, name="earlier", rare="ignore", overwrite=True),
    lambda rows: sf.kfold(rows, k=2, key="id", name="earlier", rare="ignore", overwrite=True),
    *(lambda rows, chosen=chosen: rows.filter(chosen) for chosen in FILTERS),
    lambda rows: rows.unique(),
    lambda rows: rows.unique("number"),
    lambda rows: rows.unique("number", keep="first"),
    lambda rows: rows.unique("number", keep="last", maintain_order=True),
    lambda rows: rows.unique("number", maintain_order=True),
    lambda rows: rows.unique("id", keep="none"),
    lambda rows: rows.group_by("number").agg(ID.min(), DAY.max(), TEXT.min()),
    lambda rows: rows.group_by("number").agg(ID.first(), DAY.last(), TEXT.first()),
    lambda rows: rows.group_by("id", maintain_order=True).agg(pl.all().first()),
    lambda rows: rows.group_by("day").agg(pl.all().sort_by("text")).explode("id", "text", "number"),
    lambda rows: rows.join(rows.select("id"), on="id"),
    lambda rows: rows.join(rows.select("id", other="day"), on="id", how="left").drop("other"),
    lambda rows: rows.join(rows.select("id"), on="id", how="semi", maintain_order="left"),
    lambda rows: rows.join(rows.select("id"), on="id", maintain_order="left_right"),
    lambda rows: rows.group_by("day").agg(pl.all()).explode("id", "text", "number"),
    lambda rows: pl.concat([rows.filter(DAY < 20), rows.filter(DAY >= 20)]),
    lambda rows: rows.with_row_index("row").with_columns(text=pl.col("row") % 3).drop("row"),
    *(lambda rows, number=number: rows.with_columns(text=number % 3) for number in NUMBERS),
    lambda rows: rows.select(pl.all().sort_by("day")),
    lambda rows: rows.select(pl.all().sort_by("day", maintain_order=True)),
    lambda rows: rows.select(pl.all().top_k_by("day", 9_000)),
    lambda rows: rows.select(pl.all().sample(fraction=0.5, seed=1)),
]
"""Steps that leave a column of ids that differ."""


def check(case: Case) -> None:
    """Deal a random query, and collect it several times if it does not warn."""
    rng = case.rng
    query = read_rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.StratWarning)
        for step in rng.choices(STEPS, k=rng.randint(1, 3)):
            query = step(query)
    by = rng.choice([None, "text", "day", sf.continuous("day")])
    given = rng.choice([{}, {"key": "id"}, {"key": "id"}, {"groups": "number"}])
    given |= {"by": None if "groups" in given else by, "k": 3, "rare": "ignore"}
    case.calls.append((sf.kfold, (query,), given))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        folded = sf.kfold(query, **given)
    if caught:
        return
    engines: list[Any] = rng.choices(["in-memory", "streaming"], k=3)
    try:
        first, *others = [folded.select("id", "fold").collect(engine=each) for each in engines]
        apart = [folded.filter(pl.col("fold") == fold).select("id").collect() for fold in range(3)]
    except sf.StratError:  # too few rows are left
        return
    for other in others:
        assert first.sort("id").equals(other.sort("id")), "a row has another fold"
    assert pl.concat(apart)["id"].is_unique().all(), "two folds share a row"


if __name__ == "__main__":
    run(check)
