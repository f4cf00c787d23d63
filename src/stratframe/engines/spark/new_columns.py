"""The pass over a Spark frame that adds columns: the part of each row, by its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...frames import NewColumn
from ...frames.rules import HAS_MISSING
from ..base import EngineFrame
from ..counts import CountedCodes, PartsByNumber
from .arrow import small_frame, with_sign
from .call import SparkCall, count_points
from .columns import HELPER, functions
from .hashes import whole_numbers

CHANGED = (
    "The frame must give the same rows each time that it is computed, but has a stratum that it"
    " did not have when its folds were made. Write it to a table first, or use `localCheckpoint()`."
)
"""The message that Spark raises if a row is in no stratum that was counted."""


def attach(
    call: SparkCall,
    counted: CountedCodes | None,
    outputs: Sequence[NewColumn],
    parts: Sequence[PartsByNumber],
    salts: Sequence[int] = (),
    *,
    fill: bool = False,
) -> EngineFrame:
    sf, own = functions(), f"{HELPER}t"
    codes = np.zeros(1, dtype=np.int64) if counted is None else counted.codes
    dealt = codes >= 0
    known: dict[str, Any] = {} if counted is None else {f"{HELPER}s": counted.counts.native.values}
    columns = {}
    for repeat, (each, output) in enumerate(zip(parts, outputs, strict=True)):
        name, n_points = f"{HELPER}{repeat}", each.points.shape[1]
        firsts = np.full(len(codes), -1)
        firsts[dealt] = each.first[codes[dealt]]
        values = with_sign(each.points)[codes[dealt]].ravel()
        if counted is None:  # all rows have the same points
            first, points = sf.lit(int(firsts[0])), sf.array(*map(sf.lit, values.tolist()))
        else:
            first, points = sf.col(name), sf.col(f"{name}_points")
            known[name] = firsts
        part = first
        if n_points:  # groups have none
            known |= {} if counted is None else {f"{name}_points": (values, dealt * n_points)}
            part = first + count_points(points, n_points, sf.col(f"{HELPER}u{repeat}").__ge__)
        part = sf.when(first >= 0, part).cast("bigint")
        if output.labels is not None:
            part = sf.get(sf.array(*map(sf.lit, output.labels)), part.cast("int"))
        part = sf.when(first.isNull(), sf.raise_error(sf.lit(CHANGED))).otherwise(part)
        columns[output.name] = sf.when(sf.col(own).isNotNull(), part)
        if fill:
            given = call.strata[-1].typed.present
            given = given if output.labels else given.cast("bigint")
            columns[output.name] = sf.coalesce(given, columns[output.name])
    # In a separate projection, numbers are computed once, not again for each cut point.
    numbers = {f"{HELPER}u{repeat}": call.number(salt) for repeat, salt in enumerate(salts)}
    stratum = sf.lit(0) if counted is None else call.stratum(counted.counts.native.salt)
    if call.where is not None:
        stratum = sf.when(call.where, stratum)
    for message, is_fault in faults(call) if counted is None else ():
        stratum = sf.when(is_fault, sf.raise_error(sf.lit(message))).otherwise(stratum)
    rows = call.frame.withColumns({**numbers, own: stratum})
    rows = look_up(rows, own, known) if known else rows
    return rows.withColumns(columns).drop(*known, *numbers, own, *call.helpers)


def faults(call: SparkCall) -> Iterator[tuple[str, Any]]:
    """Yield the message of each possible fault, and the column that flags the rows with it."""
    sf = functions()
    dealt = sf.lit(True) if call.where is None else call.where
    for each in call.key:
        yield f"Column {each.name!r} {HAS_MISSING}.", dealt & each.present.isNull()
        if each.is_decimal:
            message = f"A decimal key must hold whole numbers, but {each.name!r} has others."
            yield message, dealt & each.present.isNotNull() & whole_numbers(each).isNull()
    if call.where is not None:
        yield f"The column of `where` {HAS_MISSING}.", call.where.isNull()


def look_up(rows: EngineFrame, stratum: str, known: dict[str, Any]) -> EngineFrame:
    """Join what is known about each stratum to its rows, by the column with the stratum's hash.

    `known` has columns as `small_frame` takes them. The first one holds the hashes, each once.
    """
    sf = functions()
    name = next(iter(known))
    # If hashes cannot repeat, Spark leaves the join out of plans that read none of its columns. In
    # a single partition, nothing need be sent to make sure of that.
    unique = small_frame(rows, known).coalesce(1).dropDuplicates([name])
    return rows.join(sf.broadcast(unique), sf.col(stratum) == sf.col(name), "left")
