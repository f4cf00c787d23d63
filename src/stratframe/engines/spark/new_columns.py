"""Add columns with the part of each row to a Spark frame."""

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
    " did not have when its folds were made. First write it to a table or use `localCheckpoint()`."
)
"""The message of the Spark error for a row with a stratum that was not counted."""


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
        if n_points:  # groups have no points
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
    # Numbers are added first, as Spark would otherwise compute them again for each cut point.
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
    """Yield the message for each possible fault, and a column that flags the faulty rows."""
    sf = functions()
    dealt = sf.lit(True) if call.where is None else call.where
    for each in call.key:
        yield f"Column {each.name!r} {HAS_MISSING}.", dealt & each.present.isNull()
        if each.is_decimal:
            message = f"A decimal key must hold whole numbers, but {each.name!r} has other values."
            yield message, dealt & each.present.isNotNull() & whole_numbers(each).isNull()
    if call.where is not None:
        yield f"The column of `where` {HAS_MISSING}.", call.where.isNull()


def look_up(rows: EngineFrame, stratum: str, known: dict[str, Any]) -> EngineFrame:
    """Join a table of strata to the rows by the hashes in their column `stratum`.

    `known` has columns in the form that `small_frame` takes. Its first column has distinct hashes.
    """
    sf = functions()
    name = next(iter(known))
    # If hashes are known to be distinct, Spark omits the join from plans that do not read the
    # joined columns. In a single partition, `dropDuplicates` needs no shuffle.
    unique = small_frame(rows, known).coalesce(1).dropDuplicates([name])
    return rows.join(sf.broadcast(unique), sf.col(stratum) == sf.col(name), "left")
