"""Quantile bins of Spark frames: the order statistics of each parent stratum, and the bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks import load_extra
from ..counts import CountedCodes
from .arrow import collect, places_in_lists, small_frame, whole_column
from .call import SparkCall, StratumColumn, count_points
from .columns import HELPER, functions
from .new_columns import look_up
from .windows import count_in_windows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SORTED_ROWS = 1 << 20
"""The most rows that are sorted rather than looked for in windows."""

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
    known = small_frame(rows, {f"{HELPER}s": hashes.values[dealt], "stratum": codes[dealt]})
    values = rows.select(
        before.stratum(hashes.salt).alias(f"{HELPER}t"),
        call.strata[place].typed.present.alias("value"),
    )
    values = values.filter(values.value.isNotNull())
    on = sf.col(f"{HELPER}t") == sf.col(f"{HELPER}s")
    found: DataFrame = values.join(sf.broadcast(known), on).select("stratum", "value")
    return found


def order_statistics(values: DataFrame, n: int, n_parents: int, n_rows: int) -> Any:
    """Find the values at the quantiles i / n of every parent stratum, ascending, each value once.

    References
    ----------
    Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    windows = n_parents * (n - 1)
    is_boolean = dict(values.dtypes)["value"] == "boolean"
    if windows > MAX_WINDOWS or n_rows <= SORTED_ROWS or is_boolean:
        return sorted_statistics(values, n)
    found, missed = window_statistics(values, n)
    if missed:
        rest = sorted_statistics(values.filter(functions().col("stratum").isin(missed)), n)
        found = found.vstack(rest.cast(dict(found.schema)))
    return found.unique().sort("stratum", "value")


def sorted_statistics(values: DataFrame, n: int) -> Any:
    """Find the same values as `order_statistics`, by sorting those of each parent stratum."""
    sf, window = functions(), load_extra("pyspark.sql.window", "spark")
    counted = values.groupBy("stratum", "value").agg(sf.count(sf.lit(1)).alias("n"))
    of_parent = window.Window.partitionBy("stratum")
    counted = counted.withColumns(
        {
            "upto": sf.sum("n").over(of_parent.orderBy("value")),
            "size": sf.sum("n").over(of_parent),
        }
    )
    # A value is at or above as many quantiles as there are ranks ceil(i size / n) <= `upto`.
    upto, before = (f"least(({rows} * {n}) div size, {n - 1})" for rows in ("upto", "(upto - n)"))
    cuts = counted.filter(sf.expr(f"{upto} > {before}"))
    return collect(cuts.select("stratum", "value")).sort("stratum", "value")


def window_statistics(values: DataFrame, n: int) -> tuple[Any, list[int]]:
    """Find the same values as `order_statistics`, from counts and the values near the quantiles.

    Also lists the parent strata in which a quantile is not where it was expected.

    References
    ----------
    Meng (2013), Scalable simple random sampling and stratified sampling.
    """
    sf = functions()
    shares = [np.clip(np.arange(1, n) / n + by, 0, 1).tolist() for by in (-MARGIN, MARGIN)]
    ends = (sf.percentile_approx("value", each, ACCURACY) for each in shares)
    windows = values.groupBy("stratum").agg(*ends).toDF("of", "lows", "highs")
    # Collected, because Spark would compute them again.
    known = values.sparkSession.createDataFrame(windows.toArrow())
    joined = values.join(sf.broadcast(known), sf.col("stratum") == sf.col("of"))
    table = count_in_windows(joined.withColumn("near_only", sf.lit(False)), n - 1)
    strata, starts = np.unique(whole_column(table, "stratum"), return_index=True)
    upto = np.append(0, np.cumsum(whole_column(table, "n")))
    before, stops = upto[starts], np.append(upto[starts[1:]], upto[-1])
    # A rank counts the rows before it.
    ranks = -(-np.arange(1, n) * (stops - before)[:, None] // n) - 1
    found = np.searchsorted(upto, before[:, None] + ranks, side="right") - 1
    is_missed = table["value"].is_null().to_numpy()[found].any(axis=1)
    kept = table[found[~is_missed].ravel()].select("stratum", "value")
    return kept, strata[is_missed].tolist()


def with_bin_column(
    call: SparkCall, place: int, n: int, parents: CountedCodes, points: Any
) -> SparkCall:
    """Add the column that counts the points below each value: bins are closed on the right."""
    sf, name, entry = functions(), f"{HELPER}bin{place}", call.strata[place]
    key, own, cuts = f"{HELPER}s", f"{HELPER}t", f"{HELPER}cuts"
    hashes = parents.counts.native
    places, lengths = places_in_lists(parents.codes, points["stratum"].to_numpy())
    lists = points["value"].gather(places).to_arrow(), lengths
    rows = call.frame.withColumn(own, call.before(place).stratum(hashes.salt))
    joined = look_up(rows, own, {key: hashes.values, cuts: lists})
    value = entry.typed.present
    bins = sf.when(value.isNotNull(), count_points(sf.col(cuts), n - 1, value.__gt__))
    frame = joined.withColumn(name, bins).drop(key, own, cuts)
    strata = list(call.strata)
    strata[place] = StratumColumn(entry.typed, sf.col(name), is_value=False)
    return call._replace(frame=frame, strata=tuple(strata), helpers=(*call.helpers, name))
