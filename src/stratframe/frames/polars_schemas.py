"""pandera classes for Polars frames, in a module of their own because pandera imports slowly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandera.polars as pandera
import polars as pl
from pandera.engines import polars_engine

from .threads import check_threads


class PolarsSchema(pandera.DataFrameSchema):
    """A schema that raises an error in a forked process without threads, and does not hang."""

    @classmethod
    def get_backend(cls, check_obj: Any = None, check_type: Any = None) -> Any:
        """Return what validates an object; pandera asks for it before it reads any data."""
        if isinstance(check_obj, pl.DataFrame):
            check_threads()
        return pandera.DataFrameSchema.get_backend(check_obj, check_type)


class PartType(polars_engine.Enum):
    """The types of a part column: `pl.Enum(names)`, Categorical or, with `text`, any text."""

    text: bool

    def __init__(self, names: Sequence[str], *, text: bool) -> None:
        super().__init__(pl.Series(names, dtype=pl.String))
        object.__setattr__(self, "text", text)

    def check(self, pandera_dtype: Any, data_container: Any = None) -> bool:  # noqa: ARG002
        dtype = getattr(pandera_dtype, "type", pandera_dtype)
        if dtype in (pl.Categorical, self.type):
            return True
        return bool(self.text and dtype in (pl.String, pl.Enum))
