"""Exchange small tables between the driver and Spark through Arrow."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ...checks import load_extra
from ...core.types import Ints, Words
from ..base import EngineFrame, file_is_gone

GONE = re.compile(r"file (\S+?)\.? File does not exist")
"""A sentence of the error of Spark for a file that was removed."""


def collect(frame: EngineFrame) -> Any:
    return load_extra("polars", "spark").from_arrow(run(frame.toArrow))


def run(action: Callable[[], Any]) -> Any:
    """Run a job of Spark; raise an error of ours if a file was removed after the frame was made."""
    try:
        return action()
    except Exception as error:
        gone = GONE.search(str(error))
        if gone is None:
            raise
        raise file_is_gone(gone[1]) from error


def whole_column(table: Any, name: str) -> Ints:
    """Return a column as integers, with 0 for nulls."""
    values: Ints = table[name].fill_null(0).cast(int).to_numpy()
    return values


def unsigned(values: Ints) -> Words:
    """Turn signed integers into words that have the same order."""
    return values.astype(np.int64).view(np.uint64) ^ np.uint64(2**63)


def with_sign(words: Words) -> Ints:
    """Turn words into signed integers that have the same order."""
    return (words ^ np.uint64(2**63)).view(np.int64)


def small_frame(frame: EngineFrame, columns: dict[str, Any]) -> EngineFrame:
    """Make a Spark frame from columns; a pair of values and lengths becomes a column of lists."""
    arrow = load_extra("pyarrow", "spark")
    arrays = {}
    for name, values in columns.items():
        if isinstance(values, tuple):
            offsets = np.append(0, np.cumsum(values[1])).astype(np.int32)
            arrays[name] = arrow.ListArray.from_arrays(offsets, values[0])
        else:
            arrays[name] = arrow.array(values)
    return frame.sparkSession.createDataFrame(arrow.table(arrays))


def places_in_lists(codes: Ints, of: Ints) -> tuple[Ints, Ints]:
    """Find the places of the values that belong to each of `codes`, and the number for each code.

    `of` has the codes of the values, in ascending order. The code -1 has no values.
    """
    n_values = np.bincount(of, minlength=int(codes.max(initial=0)) + 1)
    starts = np.cumsum(n_values) - n_values
    lengths = np.where(codes < 0, 0, n_values[codes])
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(starts[codes], lengths) + within, lengths
