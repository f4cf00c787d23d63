"""The pass over a Spark frame that adds columns: the part of each row, by its number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...frames import NewColumn
from ...frames.rules import HAS_MISSING
from ..base import CountedCodes, PartsByNumber
from .columns import SparkCall, functions, whole_numbers
from .passes import HELPER, UNROLLED, Hashes, small_frame, with_sign

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def attach(
    call: SparkCall,
    counted: CountedCodes | None,
    outputs: Sequence[NewColumn],
    parts: Sequence[PartsByNumber],
    salts: Sequence[int] = (),
) -> DataFrame:
    if counted is None:
        return attach_uncounted(call, outputs, parts, salts)
    sf, codes = functions(), counted.codes
    lists: dict[str, Any] = {}
    columns, numbers = {}, {}
    for repeat, (own, output) in enumerate(zip(parts, outputs, strict=True)):
        name, number = f"{HELPER}{repeat}", f"{HELPER}u{repeat}"
        n_points, first = own.points.shape[1], sf.col(name)
        dealt = codes >= 0
        lists[name] = np.full(len(codes), -1)
        lists[name][dealt] = own.first[codes[dealt]]
        part = first
        if n_points:  # groups have none
            numbers[number] = call.number(call.salts[repeat])
            of_rows = with_sign(own.points)[codes[dealt]].ravel()
            lists[f"{name}_points"] = (of_rows, dealt * n_points)
            known = sf.col(f"{name}_points")
            part = first + count_points(known, n_points, sf.col(number).__ge__)
        columns[output.name] = new_column(first, sf.when(first >= 0, part), output)
        if call.filled is not None:
            given = call.filled.present
            given = given if output.labels else given.cast("bigint")
            columns[output.name] = sf.coalesce(given, columns[output.name])
    # In a projection of their own, numbers are computed once, not again for each cut point.
    return join_columns(call, counted.counts.native, lists, columns, numbers)


def attach_uncounted(
    call: SparkCall,
    outputs: Sequence[NewColumn],
    parts: Sequence[PartsByNumber],
    salts: Sequence[int],
) -> DataFrame:
    """Add the columns if all rows are one stratum, by expressions and without a pass."""
    sf = functions()
    numbers, columns, dealt = {}, {}, sf.lit(True)
    for message, is_fault in faults(call):
        dealt = sf.when(is_fault, sf.raise_error(sf.lit(message))).otherwise(dealt)
    if call.where is not None:
        dealt = dealt & call.where
    for repeat, (salt, own, output) in enumerate(zip(salts, parts, outputs, strict=True)):
        points = with_sign(own.points[0])
        known, number = sf.array(*map(sf.lit, points.tolist())), sf.col(f"{HELPER}u{repeat}")
        numbers[f"{HELPER}u{repeat}"] = sf.when(dealt, call.number(salt))
        part = sf.when(number.isNotNull(), count_points(known, len(points), number.__ge__))
        columns[output.name] = part_column(part, output)
    # In a projection of their own, numbers are computed once, not again for each cut point.
    added = call.frame.withColumns(numbers).withColumns(columns)
    result: DataFrame = added.drop(*numbers)
    return result


def faults(call: SparkCall) -> Iterator[tuple[str, Any]]:
    """Yield the message of each possible fault, and the column that flags the rows with it."""
    sf = functions()
    dealt = sf.lit(True) if call.where is None else call.where
    for each in call.key:
        yield f"Column {each.name!r} {HAS_MISSING}.", dealt & each.present.isNull()
        if each.is_decimal:
            message = f"A key of decimals must hold whole numbers, but {each.name!r} has others."
            yield message, dealt & each.present.isNotNull() & whole_numbers(each).isNull()
    if call.where is not None:
        yield f"The column of `where` {HAS_MISSING}.", call.where.isNull()


def join_columns(
    call: SparkCall,
    hashes: Hashes,
    lists: dict[str, Any],
    columns: dict[str, Any],
    numbers: dict[str, Any],
) -> DataFrame:
    """Join what is known of each stratum to its rows, and add the columns computed from it."""
    sf = functions()
    known = {f"{HELPER}s": hashes.values, **lists}
    stratum = call.stratum(hashes.salt)
    if call.where is not None:
        stratum = sf.when(call.where, stratum)
    rows = call.frame.withColumns({**numbers, f"{HELPER}t": stratum})
    joined = look_up(rows, f"{HELPER}t", known)
    drops = [*known, *numbers, f"{HELPER}t", *call.helpers]
    result: DataFrame = joined.withColumns(columns).drop(*drops)
    return result


def look_up(rows: DataFrame, stratum: str, known: dict[str, Any]) -> DataFrame:
    """Join what is known of each stratum to its rows, by the column with the hash of the stratum.

    `known` has columns as `small_frame` takes them. The first one holds the hashes, each once.
    """
    sf = functions()
    name = next(iter(known))
    # If hashes cannot repeat, Spark leaves the join out of plans that read none of its columns. In
    # a single partition, nothing need be sent to make sure of that.
    unique = small_frame(rows, known).coalesce(1).dropDuplicates([name])
    return rows.join(sf.broadcast(unique), sf.col(stratum) == sf.col(name), "left")


def new_column(known: Any, part: Any, output: NewColumn) -> Any:
    """Turn the part of each row into a column, null where the row is not dealt."""
    sf = functions()
    changed = sf.raise_error(sf.lit(CHANGED))
    of_known = sf.when(known.isNull(), changed).otherwise(part_column(part, output))
    return sf.when(sf.col(f"{HELPER}t").isNotNull(), of_known)


def part_column(part: Any, output: NewColumn) -> Any:
    """Turn numbers of parts into folds, or into the names of parts."""
    sf = functions()
    if output.labels is None:
        return part.cast("bigint")
    return sf.get(sf.array(*map(sf.lit, output.labels)), part.cast("int"))


CHANGED = (
    "The frame must give the same rows each time that it is computed, but has a stratum that it"
    " did not have when its folds were made. Write it to a table first, or use `localCheckpoint()`."
)
"""What Spark raises if a row is in no stratum that was counted."""


def count_points(points: Any, n_points: int, is_reached: Callable[[Any], Any]) -> Any:
    """Count the points of a list that meet a condition; the list has at most `n_points`."""
    sf = functions()
    if n_points > UNROLLED:
        return sf.size(sf.filter(points, is_reached))
    flags = [is_reached(sf.get(points, sf.lit(place))) for place in range(n_points)]
    ones = [sf.when(flag, 1).otherwise(0) for flag in flags]
    return sum(ones[1:], ones[0])
