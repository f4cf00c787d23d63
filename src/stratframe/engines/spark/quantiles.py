"""Quantile bins of Spark frames: the order statistics of each parent stratum, and the bins."""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks import load_extra
from ...core.types import Ints
from ..base import CountedCodes
from .columns import SparkCall, StratumColumn, functions
from .new_columns import count_points, look_up
from .passes import (
    COLLECTED_ROWS,
    HELPER,
    as_polars,
    collect,
    small_frame,
    whole_column,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ACCURACY = 10_000
"""The accuracy of Spark's approximate quantiles: shares are off by at most its inverse."""

MARGIN = 4 / ACCURACY
"""How far from its share a quantile is looked for, on either side."""

MAX_WINDOWS = 1 << 10
"""The most quantiles of all parent strata that are looked for in windows; more take a sort."""


def cut_entry(call: SparkCall, place: int, n: int, parents: CountedCodes) -> SparkCall:
    if n == 1:
        (*before, entry), after = call.strata[: place + 1], call.strata[place + 1 :]
        bins = functions().when(entry.typed.present.isNotNull(), 0)
        return call._replace(strata=(*before, StratumColumn(entry.typed, bins, False), *after))
    n_rows = int(parents.counts.weights[parents.codes >= 0].sum())
    values = values_of(call, place, parents)
    points = order_statistics(values, n, parents.n_strata, n_rows)
    return with_bin_column(call, place, n, parents, points)


def values_of(call: SparkCall, place: int, parents: CountedCodes) -> DataFrame:
    """Select the values of an entry that are not missing, and their parent strata."""
    sf, codes, hashes = functions(), parents.codes, parents.counts.native
    before, dealt = call.before(place), codes >= 0
    rows = before.rows
    known = small_frame(rows, {f"{HELPER}s": hashes.values[dealt], "parent": codes[dealt]})
    values = rows.select(
        before.stratum(hashes.salt).alias(f"{HELPER}t"),
        call.strata[place].typed.present.alias("value"),
    )
    values = values.filter(values.value.isNotNull())
    on = sf.col(f"{HELPER}t") == sf.col(f"{HELPER}s")
    found: DataFrame = values.join(sf.broadcast(known), on).select("parent", "value")
    return found


def order_statistics(values: DataFrame, n: int, n_parents: int, n_rows: int) -> Any:
    """Find the values at the quantiles i / n of every parent stratum, ascending, each value once.

    References
    ----------
    Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    windows = n_parents * (n - 1)
    is_boolean = dict(values.dtypes)["value"] == "boolean"
    if windows > MAX_WINDOWS or n_rows <= COLLECTED_ROWS or is_boolean:
        return sorted_statistics(values, n)
    found, missed = window_statistics(values, n)
    if missed:
        rest = sorted_statistics(values.filter(functions().col("parent").isin(missed)), n)
        found = found.vstack(rest.cast(dict(found.schema)))
    return found.unique().sort("parent", "value")


def sorted_statistics(values: DataFrame, n: int) -> Any:
    """Find the same values as `order_statistics`, by sorting those of each parent stratum."""
    sf, window = functions(), load_extra("pyspark.sql.window", "spark")
    counted = values.groupBy("parent", "value").agg(sf.count(sf.lit(1)).alias("n"))
    of_parent = window.Window.partitionBy("parent")
    counted = counted.withColumns(
        {
            "upto": sf.sum("n").over(of_parent.orderBy("value")),
            "size": sf.sum("n").over(of_parent),
        }
    )
    # A value is at or above as many quantiles as there are ranks ceil(i size / n) <= `upto`.
    upto, before = (f"least(({rows} * {n}) div size, {n - 1})" for rows in ("upto", "(upto - n)"))
    cuts = counted.filter(sf.expr(f"{upto} > {before}"))
    return collect(cuts.select("parent", "value")).sort("parent", "value")


def window_statistics(values: DataFrame, n: int) -> tuple[Any, list[int]]:
    """Find the same values as `order_statistics`, from counts and the values near the quantiles.

    Also lists the parent strata in which a quantile is not where it was expected.

    References
    ----------
    Meng (2013), Scalable simple random sampling and stratified sampling.
    """
    sf = functions()
    shares = [[shifted(i, n, by) for i in range(1, n)] for by in (-MARGIN, MARGIN)]
    windows = values.groupBy(sf.col("parent").alias("of")).agg(
        sf.count("value").alias("size"),
        *(sf.percentile_approx("value", each, ACCURACY) for each in shares),
    )
    table = windows.toDF("of", "size", "lows", "highs").toArrow()
    known = values.sparkSession.createDataFrame(table)
    joined = values.join(sf.broadcast(known), sf.col("parent") == sf.col("of"))
    value = sf.col("value")
    reached = [value >= sf.get("lows", sf.lit(i)) for i in range(n - 1)]
    within = [value <= sf.get("highs", sf.lit(i)) for i in range(n - 1)]
    inside = reduce(or_, map(and_, reached, within))
    above: Any = sum((flag.cast("int") for flag in reached[1:]), reached[0].cast("int"))
    counted = joined.groupBy("parent", above.alias("above"), sf.when(inside, value).alias("value"))
    collected = collect(counted.agg(sf.count(sf.lit(1)).alias("n")))
    near = collected.partition_by("parent", as_dict=True)
    found, missed = collected.clear().select("parent", "value"), []
    for window in as_polars(table).iter_slices(1):
        rows = near[window["of"].item(),]
        places = places_in_windows(rows, window, n)
        if places is None:
            missed.append(window["of"].item())
        else:
            found = found.vstack(rows[places].select("parent", "value"))
    return found, missed


def shifted(i: int, n: int, by: float) -> float:
    """Shift the share i / n by a margin, but keep it between 0 and 1."""
    return min(max(i / n + by, 0.0), 1.0)


def places_in_windows(rows: Any, window: Any, n: int) -> Ints | None:
    """Find the quantiles of one parent stratum among its counted values, None if one is elsewhere.

    The columns of `rows` are `value`, which is null outside all windows; `above`, how many windows
    begin at or below the value; and `n`, the count. The columns of `window` are `size`, and `lows`
    and `highs`, the ends of the windows.
    """
    value, counts = rows["value"], whole_column(rows, "n")
    ends = [window[name].explode().cast(value.dtype) for name in ("lows", "highs")]
    every = value.append(ends[0]).append(ends[1])
    ranks = every.rank("dense").fill_null(0).cast(int).to_numpy()
    ranks, lows, highs = np.split(ranks, [len(rows), len(rows) + n - 1])
    outside = np.bincount(whole_column(rows, "above"), counts * (ranks == 0), n).cumsum()
    order = np.flatnonzero(ranks)[np.argsort(ranks[ranks > 0])]
    upto = np.append(0, counts[order].cumsum())
    first = np.searchsorted(ranks[order], lows)
    # The rows below a window are outside all windows, or in windows before it.
    below = outside[: n - 1] + upto[first]
    wanted = -(-np.arange(1, n) * window["size"].item() // n) - below
    found = np.searchsorted(upto, upto[first] + wanted) - 1
    inside = (wanted > 0) & (found < len(order))
    if not inside.all() or (ranks[order[found]] > highs).any():
        return None
    places: Ints = order[found]
    return places


def with_bin_column(
    call: SparkCall, place: int, n: int, parents: CountedCodes, points: Any
) -> SparkCall:
    """Add the column that counts the points below each value: bins are closed on the right."""
    sf, name, entry = functions(), f"{HELPER}bin{place}", call.strata[place]
    key, own, cuts = f"{HELPER}s", f"{HELPER}t", f"{HELPER}cuts"
    hashes = parents.counts.native
    rows = call.frame.withColumn(own, call.before(place).stratum(hashes.salt))
    joined = look_up(rows, own, {key: hashes.values, cuts: lists_of(points, parents.codes)})
    value = entry.typed.present
    bins = sf.when(value.isNotNull(), count_points(sf.col(cuts), n - 1, value.__gt__))
    frame = joined.withColumn(name, bins).drop(key, own, cuts)
    strata = list(call.strata)
    strata[place] = StratumColumn(entry.typed, sf.col(name), is_value=False)
    return call._replace(frame=frame, strata=tuple(strata), helpers=(*call.helpers, name))


def lists_of(points: Any, codes: Ints) -> tuple[Any, Ints]:
    """List the points of every counted row's parent stratum, and how many there are."""
    parents = points["parent"].to_numpy()
    n_points = np.bincount(parents, minlength=int(codes.max(initial=0)) + 1)
    starts = np.cumsum(n_points) - n_points
    lengths = np.where(codes < 0, 0, n_points[codes])
    first = np.repeat(starts[codes], lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return points["value"].gather(first + within).to_arrow(), lengths
