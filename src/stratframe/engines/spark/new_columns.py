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
    sf = functions()
    stratum = f"{HELPER}t"
    known: dict[str, Any] = {}
    if counted is not None:
        known[f"{HELPER}s"] = counted.counts.native.values
    columns = {}
    for repeat, (cuts, output) in enumerate(zip(parts, outputs, strict=True)):
        if counted is None:  # all rows have the same points
            first = sf.lit(int(cuts.first[0]))
            points = sf.array(*map(sf.lit, with_sign(cuts.points)[0].tolist()))
        else:
            name = f"{HELPER}{repeat}"
            known |= cuts_of_counted(counted, cuts, name)
            first = sf.col(name)
            points = sf.col(f"{name}_points")
        number = sf.col(f"{HELPER}u{repeat}")
        part = part_column(output, number, first, points, cuts.points.shape[1])
        part = sf.when(sf.col(stratum).isNotNull(), part)
        if fill:
            old_part = call.strata[-1].typed.present
            if not output.labels:
                old_part = old_part.cast("bigint")
            part = sf.coalesce(old_part, part)
        columns[output.name] = part
    # Numbers are added first, as Spark would otherwise compute them again for each cut point.
    numbers = {f"{HELPER}u{repeat}": call.number(salt) for repeat, salt in enumerate(salts)}
    rows = call.frame.withColumns({**numbers, stratum: dealt_strata(call, counted)})
    if known:
        rows = look_up(rows, stratum, known)
    return rows.withColumns(columns).drop(*known, *numbers, stratum, *call.helpers)


def cuts_of_counted(counted: CountedCodes, cuts: PartsByNumber, name: str) -> dict[str, Any]:
    """List the first part of each counted row, and the points between its numbers, if any.

    The result has columns in the form that `small_frame` takes.
    """
    is_dealt = counted.codes >= 0
    strata = counted.codes[is_dealt]
    firsts = np.full(len(is_dealt), -1)
    firsts[is_dealt] = cuts.first[strata]
    n_points = cuts.points.shape[1]
    if not n_points:  # groups have no points
        return {name: firsts}
    points = with_sign(cuts.points)[strata].ravel()
    return {name: firsts, f"{name}_points": (points, is_dealt * n_points)}


def part_column(output: NewColumn, number: Any, first: Any, points: Any, n_points: int) -> Any:
    """Compute the part of each row from its number and the cut points of its stratum."""
    sf = functions()
    part = first
    if n_points:
        part = first + count_points(points, n_points, number.__ge__)
    part = sf.when(first >= 0, part).cast("bigint")
    if output.labels is not None:
        part = sf.get(sf.array(*map(sf.lit, output.labels)), part.cast("int"))
    return sf.when(first.isNull(), sf.raise_error(sf.lit(CHANGED))).otherwise(part)


def dealt_strata(call: SparkCall, counted: CountedCodes | None) -> Any:
    """Compute the hash of the stratum of each dealt row, or check rows that were not counted."""
    sf = functions()
    stratum = sf.lit(0)
    if counted is not None:
        stratum = call.stratum(counted.counts.native.salt)
    if call.where is not None:
        stratum = sf.when(call.where, stratum)
    if counted is None:
        for message, is_fault in faults(call):
            stratum = sf.when(is_fault, sf.raise_error(sf.lit(message))).otherwise(stratum)
    return stratum


def faults(call: SparkCall) -> Iterator[tuple[str, Any]]:
    """Yield the message for each possible fault, and a column that flags the faulty rows."""
    sf = functions()
    is_dealt = sf.lit(True) if call.where is None else call.where
    for each in call.key:
        yield f"Column {each.name!r} {HAS_MISSING}.", is_dealt & each.present.isNull()
        if each.is_decimal:
            message = (
                f"A decimal key must hold whole numbers of 64 bits, but {each.name!r} has other"
                " values."
            )
            yield message, is_dealt & each.present.isNotNull() & whole_numbers(each).isNull()
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
