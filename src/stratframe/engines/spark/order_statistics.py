"""Find the quantiles of an entry in each parent stratum of a Spark frame, and add its bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import load_extra
from ..base import EngineFrame
from ..counts import CountedCodes
from .arrow import collect, places_in_lists, small_frame, whole_column
from .call import SparkCall, count_points
from .columns import HELPER, functions
from .new_columns import look_up
from .windows import count_in_windows

SORTED_ROWS = 1 << 20
"""The maximum number of rows for which all values are sorted, without using windows."""

ACCURACY = 10_000
"""The accuracy of approximate quantiles. A rank is wrong by at most 1 / ACCURACY of the rows."""

MARGIN = 4 / ACCURACY
"""The half-width of the window around a quantile, as a share of the rows."""

MAX_WINDOWS = 1 << 10
"""The maximum number of windows in all strata. If more are needed, all values are sorted."""


def cut_entry(call: SparkCall, place: int, n: int, parents: CountedCodes) -> SparkCall:
    """Add the column of bins. The bin of a value is the number of quantiles below the value."""
    sf, entry, hashes = functions(), call.strata[place], parents.counts.native
    value, frame, helpers = entry.typed.present, call.frame, call.helpers
    code = sf.lit(0)
    if n > 1:
        points = order_statistics(call, place, n, parents)
        code, key, own, cuts = (f"{HELPER}{name}" for name in (f"bin{place}", "s", "t", "cuts"))
        places, lengths = places_in_lists(parents.codes, points["stratum"].to_numpy())
        lists = points["value"].gather(places).to_arrow(), lengths
        rows = frame.withColumn(own, call.before(place).stratum(hashes.salt))
        joined = look_up(rows, own, {key: hashes.values, cuts: lists})
        bins = sf.when(value.isNotNull(), count_points(sf.col(cuts), n - 1, value.__gt__))
        frame = joined.withColumn(code, bins).drop(key, own, cuts)
        code, helpers = sf.col(code), (*helpers, code)
    strata = list(call.strata)
    strata[place] = entry._replace(code=sf.when(value.isNotNull(), code), is_value=False)
    return call._replace(frame=frame, strata=tuple(strata), helpers=helpers)


def order_statistics(call: SparkCall, place: int, n: int, parents: CountedCodes) -> Any:
    """Find the distinct quantiles of every parent stratum at i / n, in ascending order.

    References
    ----------
    Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    sf, codes, hashes = functions(), parents.codes, parents.counts.native
    before, dealt = call.before(place), codes >= 0
    rows = before.rows.select(
        before.stratum(hashes.salt).alias("s"), call.strata[place].typed.present.alias("value")
    )
    known = small_frame(rows, {"s": hashes.values[dealt], "stratum": codes[dealt]})
    values = rows.filter("value is not null").join(sf.broadcast(known), "s").drop("s")
    n_rows, n_windows = parents.sizes.sum(), parents.n_strata * (n - 1)
    is_boolean = dict(values.dtypes)["value"] == "boolean"
    if n_windows > MAX_WINDOWS or n_rows <= SORTED_ROWS or is_boolean:
        return sorted_statistics(values, n)
    found, missed = window_statistics(values, n)
    if missed:
        rest = sorted_statistics(values.filter(sf.col("stratum").isin(missed)), n)
        found = found.vstack(rest.cast(dict(found.schema)))
    return found.unique().sort("stratum", "value")


def sorted_statistics(values: EngineFrame, n: int) -> Any:
    """Find the distinct quantiles by sorting the distinct values of each parent stratum."""
    sf, window = functions(), load_extra("pyspark.sql.window", "spark")
    counted = values.groupBy("stratum", "value").agg(sf.count(sf.lit(1)).alias("n"))
    of_parent, n_rows = window.Window.partitionBy("stratum"), sf.sum("n")
    ranked = {"upto": n_rows.over(of_parent.orderBy("value")), "size": n_rows.over(of_parent)}
    counted = counted.withColumns(ranked)
    # The number of quantiles up to a value is the number of ranks ceil(i * size / n) <= `upto`.
    upto, before = (f"least(({rows} * {n}) div size, {n - 1})" for rows in ("upto", "(upto - n)"))
    cuts = counted.filter(sf.expr(f"{upto} > {before}"))
    return collect(cuts.select("stratum", "value")).sort("stratum", "value")


def window_statistics(values: EngineFrame, n: int) -> tuple[Any, list[int]]:
    """Find the quantiles from counts of rows and from the values in windows around the quantiles.

    Also returns the parent strata in which a quantile is outside its window.

    References
    ----------
    Meng (2013), Scalable simple random sampling and stratified sampling.
    """
    sf = functions()
    shares = [np.clip(np.arange(1, n) / n + by, 0, 1).tolist() for by in (-MARGIN, MARGIN)]
    ends = (sf.percentile_approx("value", each, ACCURACY) for each in shares)
    windows = values.groupBy("stratum").agg(*ends).toDF("of", "lows", "highs")
    # The windows are collected, because Spark would otherwise compute them again.
    known = values.sparkSession.createDataFrame(windows.toArrow())
    joined = values.join(sf.broadcast(known), sf.col("stratum") == sf.col("of"))
    table = count_in_windows(joined.withColumn("near_only", sf.lit(False)), n - 1)
    strata, starts = np.unique(whole_column(table, "stratum"), return_index=True)
    upto = np.append(0, np.cumsum(whole_column(table, "n")))
    before, stops = upto[starts], np.append(upto[starts[1:]], upto[-1])
    # The rank of a row is the number of rows before it.
    ranks = -(-np.arange(1, n) * (stops - before)[:, None] // n) - 1
    found = np.searchsorted(upto, before[:, None] + ranks, side="right") - 1
    is_missed = table["value"].is_null().to_numpy()[found].any(axis=1)
    kept = table[found[~is_missed].ravel()].select("stratum", "value")
    return kept, strata[is_missed].tolist()
