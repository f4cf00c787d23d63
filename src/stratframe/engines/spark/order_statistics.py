"""Find the quantiles of an entry in each parent stratum of a Spark frame, and add its bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import load_extra
from ..base import EngineFrame
from ..counts import CountedCodes
from .arrow import collect, places_in_lists, run, small_frame, whole_column
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
    """Count rows by the bins of an entry from here on."""
    sf = functions()
    code = sf.lit(0)
    if n > 1:
        call = with_bins(call, place, n, parents)
        code = sf.col(call.helpers[-1])
    entry = call.strata[place]
    code = sf.when(entry.typed.present.isNotNull(), code)
    strata = list(call.strata)
    strata[place] = entry._replace(code=code, is_value=False)
    return call._replace(strata=tuple(strata))


def with_bins(call: SparkCall, place: int, n: int, parents: CountedCodes) -> SparkCall:
    """Add the column of bins. The bin of a value is the number of quantiles below the value."""
    sf = functions()
    key = f"{HELPER}s"
    stratum = f"{HELPER}t"
    cuts = f"{HELPER}cuts"
    hashes = parents.counts.native
    points = order_statistics(call, place, n, parents)
    places, lengths = places_in_lists(parents.codes, points["stratum"].to_numpy())
    lists = (points["value"].gather(places).to_arrow(), lengths)
    rows = call.frame.withColumn(stratum, call.before(place).stratum(hashes.salt))
    rows = look_up(rows, stratum, {key: hashes.values, cuts: lists})
    value = call.strata[place].typed.present
    bins = sf.when(value.isNotNull(), count_points(sf.col(cuts), n - 1, value.__gt__))
    name = f"{HELPER}bin{place}"
    frame = rows.withColumn(name, bins).drop(key, stratum, cuts)
    return call._replace(frame=frame, helpers=(*call.helpers, name))


def order_statistics(call: SparkCall, place: int, n: int, parents: CountedCodes) -> Any:
    """Find the distinct quantiles of every parent stratum at i / n, in ascending order.

    References
    ----------
    Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    values = values_in_parents(call, place, parents)
    n_windows = parents.n_strata * (n - 1)
    is_boolean = dict(values.dtypes)["value"] == "boolean"
    if n_windows > MAX_WINDOWS or parents.sizes.sum() <= SORTED_ROWS or is_boolean:
        return sorted_statistics(values, n)
    quantiles, missed = window_statistics(values, n)
    if missed:
        rest = sorted_statistics(values.filter(functions().col("stratum").isin(missed)), n)
        quantiles = quantiles.vstack(rest.cast(dict(quantiles.schema)))
    return quantiles.unique().sort("stratum", "value")


def values_in_parents(call: SparkCall, place: int, parents: CountedCodes) -> EngineFrame:
    """Select the values of an entry, and the parent stratum of each."""
    hashes = parents.counts.native
    before = call.before(place)
    rows = before.rows.select(
        before.stratum(hashes.salt).alias("s"), call.strata[place].typed.present.alias("value")
    )
    is_dealt = parents.codes >= 0
    known = small_frame(rows, {"s": hashes.values[is_dealt], "stratum": parents.codes[is_dealt]})
    return rows.filter("value is not null").join(functions().broadcast(known), "s").drop("s")


def sorted_statistics(values: EngineFrame, n: int) -> Any:
    """Find the distinct quantiles by sorting the distinct values of each parent stratum."""
    sf = functions()
    window = load_extra("pyspark.sql.window", "spark")
    counted = values.groupBy("stratum", "value").agg(sf.count(sf.lit(1)).alias("n"))
    of_parent = window.Window.partitionBy("stratum")
    n_rows = sf.sum("n")
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
    known = values.sparkSession.createDataFrame(run(windows.toArrow))
    joined = values.join(sf.broadcast(known), sf.col("stratum") == sf.col("of"))
    table = count_in_windows(joined.withColumn("near_only", sf.lit(False)), n - 1)
    strata, starts = np.unique(whole_column(table, "stratum"), return_index=True)
    upto = np.append(0, np.cumsum(whole_column(table, "n")))
    before = upto[starts]
    sizes = np.append(before[1:], upto[-1]) - before
    # The rank of a row is the number of rows before it.
    ranks = -(-np.arange(1, n) * sizes[:, None] // n) - 1
    places = np.searchsorted(upto, before[:, None] + ranks, side="right") - 1
    is_missed = table["value"].is_null().to_numpy()[places].any(axis=1)
    quantiles = table[places[~is_missed].ravel()].select("stratum", "value")
    return quantiles, strata[is_missed].tolist()
