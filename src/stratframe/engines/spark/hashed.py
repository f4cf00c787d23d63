"""Columns of Spark that the key of each row decides alone: expressions, and no pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.types import Words
from ...frames import NewColumn
from .columns import SparkCall, functions, whole_numbers
from .passes import HELPER, count_points, part_column, with_sign


def attach_by_number(
    call: SparkCall, outputs: Sequence[NewColumn], salts: Sequence[int], points: Words
) -> Any:
    """Add a column for each salt: the number of points that are at most the number of each row."""
    sf = functions()
    known = sf.array(*map(sf.lit, with_sign(points).tolist()))
    numbers, columns, dealt = {}, {}, sf.lit(True)
    for message, is_fault in faults(call):
        dealt = sf.when(is_fault, sf.raise_error(sf.lit(message))).otherwise(dealt)
    if call.where is not None:
        dealt = dealt & call.where
    for repeat, (salt, output) in enumerate(zip(salts, outputs, strict=True)):
        number = sf.col(f"{HELPER}u{repeat}")
        numbers[f"{HELPER}u{repeat}"] = sf.when(dealt, call.number(salt))
        part = sf.when(number.isNotNull(), count_points(known, len(points), number.__ge__))
        columns[output.name] = part_column(part, output)
    # A projection of their own lets each number be computed once, not for each point.
    return call.frame.withColumns(numbers).withColumns(columns).drop(*numbers)


def faults(call: SparkCall) -> Iterator[tuple[str, Any]]:
    """List what is wrong with rows that are not to be dealt in silence, and which these are."""
    sf = functions()
    dealt = sf.lit(True) if call.where is None else call.where
    for each in call.key:
        yield f"Column {each.name!r} has missing values.", dealt & each.present.isNull()
        if each.is_decimal:
            message = f"A key of decimals must hold whole numbers, but {each.name!r} has others."
            yield message, dealt & each.present.isNotNull() & whole_numbers(each).isNull()
    if call.where is not None:
        yield "The column of `where` has missing values.", call.where.isNull()
