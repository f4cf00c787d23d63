"""A frame as the source of what verbs ask for, whether its rows are here or counted elsewhere."""

from __future__ import annotations

from typing import TypeAlias

from ..engines.base import engine_of
from ..engines.deal import CountedFrame
from ..errors import StratError
from ..frames import is_frame
from ..pipeline.local import LocalFrame

Source: TypeAlias = LocalFrame | CountedFrame
"""Columns, strata, counts and rows of labels: the methods that both have are what a verb needs."""


def source_of(frame: object) -> Source:
    """Take a frame as a source, or raise if it is no frame."""
    engine = engine_of(frame)
    if engine is not None:
        return CountedFrame(engine)
    if not is_frame(frame):
        msg = f"`frame` must be a pandas, Polars, Dask or Spark frame, got {type(frame).__name__}."
        raise StratError(msg)
    return LocalFrame(frame)


def check_rows(frame: object, needs: str, instead: str) -> None:
    """Raise if a verb needs the rows themselves, and the frame has them elsewhere."""
    engine = engine_of(frame)
    if engine is not None:
        msg = f"{needs}, which a {engine.name} frame does not have.\nHint: {instead}."
        raise StratError(msg)
