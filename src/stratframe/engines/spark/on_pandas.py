"""Frames of the pandas API on Spark: the Spark frame below, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import StratError


def to_spark(frame: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Take the Spark frame below a pandas-on-Spark frame, and the way back to its index."""
    names = list(frame.columns)
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        msg = (
            f"Columns of a pandas-on-Spark frame must have text as names, got {odd[0]!r}. Rename "
            "them: `df.columns = df.columns.map(str)`."
        )
        raise StratError(msg)
    index = [f"__index_{level}__" for level in range(frame.index.nlevels)]
    levels = list(frame.index.names)

    def back(rows: Any) -> Any:
        """Make a pandas-on-Spark frame, with the index that was."""
        made = rows.pandas_api(index_col=index)
        made.index.names = levels
        return made

    return frame.spark.frame(index_col=index), back
