"""Lazy queries of one expression each: all methods of expressions that Polars has."""

import warnings
from collections.abc import Iterator
from datetime import time
from typing import Any

import polars as pl

ROWS = 4_000

COLUMN = object()
"""Stands for the column itself among arguments."""

ARGUMENTS: list[tuple[Any, ...]] = [
    (),
    (2,),
    (COLUMN,),
    ("1",),
    ("1h",),
    ("%Y",),
    (0.5,),
    ([2, 5],),
    (pl.Float64,),
    (0, 2),
    ("1", "2"),
    (COLUMN, 2),
    (COLUMN, COLUMN),
    ({1: 2},),
    (["1", "2"],),
    (["1", "2"], ["3", "4"]),
    (pl.element() * 2,),
    (lambda values: values,),
]
"""What methods are called with; the first that makes a query counts."""

BY_ROW = {"by": "row", "window_size": "2i"}

OPTIONS: dict[str, dict[str, Any]] = {
    "cast_time_unit": {"time_unit": "ms"},
    "combine": {"time": time(1)},
    "convert_time_zone": {"time_zone": "UTC"},
    "cumulative_eval": {"expr": pl.element().max()},
    "decode": {"encoding": "hex", "strict": False},
    "encode": {"encoding": "hex"},
    "ewm_mean": {"com": 1},
    "ewm_mean_by": {"by": "time", "half_life": "1h"},
    "ewm_std": {"com": 1},
    "ewm_sum": {"com": 1},
    "ewm_sum_by": {"by": "time", "half_life": "1h"},
    "ewm_var": {"com": 1},
    "field": {"name": "x"},
    "json_path_match": {"json_path": "$.a"},
    "map_batches": {"function": lambda values: values, "return_dtype": pl.Int64},
    "map_elements": {"function": lambda value: value, "return_dtype": pl.Int64},
    "reinterpret": {"signed": True},
    "replace_strict": {"default": 1},
    "replace_time_zone": {"time_zone": "UTC"},
    "rolling": {"index_column": "row", "period": "2i"},
    "rolling_map": {"function": lambda values: values.max(), "window_size": 2},
    "rolling_max_by": BY_ROW,
    "rolling_mean_by": BY_ROW,
    "rolling_median_by": BY_ROW,
    "rolling_min_by": BY_ROW,
    "rolling_quantile": {"window_size": 2},
    "rolling_quantile_by": {**BY_ROW, "quantile": 0.5},
    "rolling_rank_by": BY_ROW,
    "rolling_std_by": BY_ROW,
    "rolling_sum_by": BY_ROW,
    "rolling_var_by": BY_ROW,
    "sample": {"fraction": 0.5},
    "strptime": {"dtype": pl.Date, "format": "%Y", "strict": False},
    "to_date": {"format": "%Y", "strict": False},
    "to_datetime": {"format": "%Y", "strict": False},
    "to_decimal": {"scale": 2},
    "to_integer": {"strict": False},
    "to_time": {"format": "%H", "strict": False},
}
"""Arguments that some methods need."""

COLUMNS = {
    "": ["whole", "text", "number", "flag", "time"],
    "arr": ["pair"],
    "bin": ["binary"],
    "cat": ["category"],
    "dt": ["time", "span"],
    "list": ["list"],
    "str": ["text"],
    "struct": ["struct"],
}
"""The columns that the methods of each namespace are called on."""

APART = {"deserialize", "from_json", "inspect", "pipe", "pipe_with_dtype", "strat"}
"""Methods that make no expression of a column."""

SORTED = {"set_sorted"}
"""Methods that are true of sorted columns only, which these are not."""


SKIPPED = {*APART, *SORTED, *COLUMNS, "meta", "name", "ext"}


def table() -> pl.DataFrame:
    """Make rows of every kind of value, with repeats."""
    whole = pl.col("whole")
    return pl.DataFrame({"whole": [row * 7919 % (ROWS // 4) for row in range(ROWS)]}).with_columns(
        row=pl.int_range(pl.len()),
        text=pl.format("row {}", "whole"),
        number=whole / 7,
        flag=whole % 3 == 0,
        time=pl.datetime(2020, 1, 1) + pl.duration(minutes="whole"),
        span=pl.duration(minutes="whole"),
        binary=pl.format("{}", "whole").cast(pl.Binary),
        list=pl.concat_list("whole", whole % 5),
        pair=pl.concat_list("whole", whole % 5).list.to_array(2),
        struct=pl.struct("whole", x=whole % 5),
        category=pl.format("{}", whole % 50).cast(pl.Categorical),
    )


def methods() -> Iterator[tuple[str, str]]:
    """List the namespaces and the methods of expressions."""
    for space in COLUMNS:
        owner = getattr(pl.col("whole"), space) if space else pl.col("whole")
        for name in dir(owner):
            if not name.startswith("_") and name not in SKIPPED:
                yield space, name


def queries(rows: pl.DataFrame, space: str, name: str) -> dict[str, pl.LazyFrame]:
    """Make a query of a method for each column that it takes, with the result as `out`."""
    found = {column: query_of(rows, space, name, column) for column in COLUMNS[space]}
    return {column: query for column, query in found.items() if query is not None}


def query_of(rows: pl.DataFrame, space: str, name: str, column: str) -> pl.LazyFrame | None:
    """Make a query that can be collected of a method of a column; None if no arguments do."""
    owner = getattr(pl.col(column), space) if space else pl.col(column)
    for arguments in ARGUMENTS:
        given = [pl.col(column) if value is COLUMN else value for value in arguments]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = getattr(owner, name)(*given, **OPTIONS.get(name, {}))
                query = rows.lazy().select(made.alias("out"))
                query.collect()
        except (Exception, pl.exceptions.PanicException):  # Polars refuses in many ways
            continue
        return query
    return None
