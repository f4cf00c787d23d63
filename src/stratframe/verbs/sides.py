"""Which side a frame is on: its rows are all here, or elsewhere, so that they are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, cast

from ..core.types import Flags, StratumTable
from ..engines.base import engine_of
from ..engines.deal import CountedFrame
from ..errors import StratError
from ..frames import LabelRows, is_frame
from ..pipeline.local import LocalFrame
from ..pipeline.options import Options, Target
from ..pipeline.sample import SampleSize
from ..pipeline.strata import Strata
from ..pipeline.tables import FoldCounts
from ..terms.base import By, Term

FrameT = TypeVar("FrameT")
T_co = TypeVar("T_co", covariant=True)


class Side(Protocol[T_co]):
    """What verbs ask of a frame, whichever library or engine it is of."""

    @property
    def frame(self) -> T_co:
        """The frame itself."""
        ...

    @property
    def library(self) -> str:
        """The library of tables."""
        ...

    def assign(self, options: Options, *, overwrite: bool) -> T_co:
        """Add the columns that a call makes."""
        ...

    def extend(self, options: Options, target: Target, names: Sequence[Any], k: int | None) -> T_co:
        """Fill columns of folds or parts in the rows that have none."""
        ...

    def sample(self, options: Options, wanted: SampleSize) -> Any:
        """Keep the rows of a stratified sample."""
        ...

    def collect(self, by: By, groups: tuple[Term, ...], refs: Sequence[Any]) -> Side[T_co]:
        """Collect the columns that tables need, where that saves queries."""
        ...

    def strata(self, by: By, groups: tuple[Term, ...] = ()) -> Strata:
        """Nest the rows for a table, which shows bins of a continuous entry."""
        ...

    def plan(self, options: Options) -> tuple[Strata, Callable[[Strata], StratumTable]]:
        """Find the strata of a call, and how many rows of each it would deal to each part."""
        ...

    def count_folds(self, by: By, name: str, groups: tuple[Term, ...] = ()) -> FoldCounts:
        """Count the strata of the rows that have a fold, in every fold."""
        ...

    def check_names(self, names: Sequence[Any], apart: Sequence[Any] = ()) -> None:
        """Raise unless columns of folds are there, and those that labels share no value of."""

    def label_rows(
        self, name: str, apart: Sequence[str] = (), *, is_part: bool = False
    ) -> LabelRows:
        """Encode the rows, or counts of equal rows, by the labels of a fold or part column."""
        ...

    def select(
        self,
        rows: LabelRows,
        chosen: Flags,
        *,
        nulls: bool = False,
        apart_from: int | None = None,
    ) -> T_co:
        """Keep the rows of chosen labels, with or without those of none.

        With `apart_from`, without those that share a value of `rows.apart` with this label.
        """
        ...


def side_of(frame: FrameT) -> Side[FrameT]:
    """Choose the side that a frame is on, or raise if it is no frame."""
    engine = engine_of(frame)
    if engine is None and not is_frame(frame):
        name = type(frame).__name__
        msg = f"`frame` must be a pandas, Polars, Dask or Spark frame, got {name}."
        raise StratError(msg)
    return cast("Side[FrameT]", LocalFrame(frame) if engine is None else CountedFrame(engine))


def check_rows(frame: object, needs: str, instead: str) -> None:
    """Raise if a verb needs the rows themselves, and the frame has them elsewhere."""
    engine = engine_of(frame)
    if engine is not None:
        msg = f"{needs}, which a {engine.name} frame does not have.\nHint: {instead}."
        raise StratError(msg)
