"""Quantile bins of Spark frames: the order statistics of each parent stratum, and the bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import load_extra
from ..core.types import Ints
from ..pipeline.options import Options
from ..terms.bins import Quantiles
from .driver import parents_only
from .spark_columns import Call, StratumColumn, functions
from .spark_passes import HELPER, UNROLLED, CountedCall, collect, count_rows, small_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def cut_quantiles(call: Call, options: Options) -> Call:
    """Add columns with the bins of the quantiles in `by`, each inside the entries before it."""
    for place, term in enumerate(options.terms):
        if isinstance(term, Quantiles):
            call = cut_entry(call, options, place, term)
    return call


def cut_entry(call: Call, options: Options, place: int, term: Quantiles) -> Call:
    """Add the column of the bins of one entry."""
    rows, entry = call.rows, call.strata[place]
    if options.missing == "null":
        for each in call.strata:
            rows = rows.filter(each.typed.present.isNotNull())
    parents = count_rows(call.parents(place), rows, parents_only(options, place))
    points = order_statistics(values_of(parents, rows, entry), term.n)
    return with_bin_column(call, place, term, parents, points)


def values_of(parents: CountedCall, rows: DataFrame, entry: StratumColumn) -> DataFrame:
    """Select the values of an entry that are there, and their parent strata."""
    sf, codes = functions(), parents.found.codes
    dealt = codes >= 0
    known = small_frame(rows, {f"{HELPER}s": parents.hashes[dealt], "parent": codes[dealt]})
    values = rows.select(
        parents.call.stratum(parents.salt).alias(f"{HELPER}t"), entry.typed.present.alias("value")
    )
    values = values.filter(values.value.isNotNull())
    on = sf.col(f"{HELPER}t") == sf.col(f"{HELPER}s")
    return values.join(sf.broadcast(known), on).select("parent", "value")


def order_statistics(values: DataFrame, n: int) -> Any:
    """Find the values at the quantiles i / n of every parent stratum, each value once.

    Returns
    -------
    polars.DataFrame
        `parent` and `value`, in ascending order.

    References
    ----------
    Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    sf, window = functions(), load_extra("pyspark.sql.window", "spark")
    counted = values.groupBy("parent", "value").agg(sf.count(sf.lit(1)).alias("n"))
    of_parent = window.Window.partitionBy("parent")
    counted = counted.withColumns(
        {
            "upto": sf.sum("n").over(of_parent.orderBy("value")),
            "size": sf.sum("n").over(of_parent),
        }
    )
    # As many quantiles as ranks ceil(i size / n) are at most the rows up to a value.
    upto, before = (f"least(({rows} * {n}) div size, {n - 1})" for rows in ("upto", "(upto - n)"))
    cuts = counted.filter(sf.expr(f"{upto} > {before}"))
    return collect(cuts.select("parent", "value")).sort("parent", "value")


def with_bin_column(
    call: Call, place: int, term: Quantiles, parents: CountedCall, points: Any
) -> Call:
    """Add the column that counts the points below each value, as bins are closed on the right."""
    sf, name, entry = functions(), f"{HELPER}bin{place}", call.strata[place]
    key, own, cuts = f"{HELPER}s", f"{HELPER}t", f"{HELPER}cuts"
    codes = parents.found.codes
    lists = lists_of(points, codes)
    known = small_frame(call.frame, {key: parents.hashes, cuts: lists})
    joined = call.frame.withColumn(own, parents.call.stratum(parents.salt)).join(
        sf.broadcast(known), sf.col(own) == sf.col(key), "left"
    )
    value = entry.typed.present
    bins = sf.when(value.isNotNull(), count_below(sf.col(cuts), value, term.n - 1))
    frame = joined.withColumn(name, bins).drop(key, own, cuts)
    strata = list(call.strata)
    strata[place] = StratumColumn(entry.typed, sf.col(name), is_value=False)
    return call._replace(frame=frame, strata=tuple(strata), helpers=(*call.helpers, name))


def lists_of(points: Any, codes: Ints) -> tuple[Any, Ints]:
    """Give every counted row the points of its parent stratum, none if it is not dealt.

    Returns
    -------
    values : pyarrow.Array
    lengths : ndarray of int64, shape (n_counted,)
    """
    parents = points["parent"].to_numpy()
    n_points = np.bincount(parents, minlength=int(codes.max(initial=0)) + 1)
    starts = np.cumsum(n_points) - n_points
    lengths = np.where(codes < 0, 0, n_points[codes])
    first = np.repeat(starts[codes], lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return points["value"].gather(first + within).to_arrow(), lengths


def count_below(points: Any, value: Any, n_points: int) -> Any:
    """Count the points that are below a value."""
    sf = functions()
    if n_points > UNROLLED:
        return sf.size(sf.filter(points, lambda point: point < value))
    flags = [
        sf.coalesce((value > sf.get(points, sf.lit(i))).cast("int"), sf.lit(0))
        for i in range(n_points)
    ]
    return sum(flags[1:], flags[0])
