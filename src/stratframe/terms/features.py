"""What terms of several numeric columns share: their reading, their rules, their checks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from .. import frames
from ..core.features import SCALES
from ..errors import StratError, at_least_one, given_twice, one_of, preview
from ..frames import Rule
from .base import LEFT_NULL, ColumnRef, EncodedColumns, Missing, check_entry_name, is_term

Scale: TypeAlias = Literal["standard", "minmax"] | None
"""What makes features comparable: their standard deviation, their range, or nothing."""

MAX_FEATURES_SHOWN = 12
"""Features that a message lists."""

MAX_UNSCALED = 1e145
"""Up to this a feature needs no scale for its squares to be floats."""


class FeatureTerm:
    """What terms of features share."""

    function: ClassVar[str] = ""
    is_nominal: ClassVar[bool] = False
    orders_rows: ClassVar[bool] = False
    uses_row_order: ClassVar[bool] = True
    columns: tuple[ColumnRef, ...]
    scale: Scale
    name: Hashable | None

    def __str__(self) -> str:
        """Write the term as it is written in code."""
        shown = map(frames.format_reference, self.columns)
        return f"{self.function}([{preview(shown, len(self.columns), MAX_FEATURES_SHOWN)}])"

    def __post_init__(self) -> None:
        """Check the name."""
        check_entry_name(self.function, self.name)

    def check_k(self, k: int) -> None:
        """Any number of folds will do."""

    def resolve(self, _: Sequence[Any], /) -> Any:
        """Stay this term, whatever the columns hold."""
        return self

    def counted_by(self) -> None:
        """Need all rows at once, as their distances do."""
        return

    def without_order(self) -> Any:
        """Stay this term, which orders rows only beside the strata that it makes."""
        return self

    def read(self, series: Sequence[Any], /) -> EncodedColumns:
        """Read numbers or booleans; a row lacks all of them if it lacks one."""
        points = frames.read_matrix(series, str(self))
        return EncodedColumns(points, np.logical_or.reduce(np.isnan(points)))

    def rules(self, missing: Missing, /) -> list[Rule]:
        """Need finite numbers, without a scale of squares that are finite, too."""
        within = None if self.scale else (-MAX_UNSCALED, MAX_UNSCALED)
        hint = f"drop these rows, or fill the gaps first; {LEFT_NULL}"
        rule = Rule(missing != "null", finite=True, within=within, hint=hint)
        return [rule] * len(self.columns)


def feature_refs(function: str, features: Any) -> tuple[ColumnRef, ...]:
    """Check a column or list of columns."""
    refs = tuple(features) if isinstance(features, list) else (features,)
    if not refs:
        raise StratError(at_least_one(f"`features` of `{function}`", "column", []))
    for ref in refs:
        if not is_ref(ref):
            msg = (
                f"`features` of `{function}` must be a column or a list of columns,"
                f" got {ref if is_term(ref) else frames.format_reference(ref)}."
                "\nHint: several columns go in a list, as in `list(df.columns)`."
            )
            raise StratError(msg)
    for ref in frames.repeated(refs):
        subject, shown = f"`features` of `{function}`", frames.format_reference(ref)
        raise StratError(given_twice(subject, "column", shown))
    return refs


def is_ref(ref: Any) -> bool:
    """Say whether a value may name or compute a column."""
    if frames.is_computed(ref):
        return True
    return frames.is_label(ref) and ref is not None and not is_term(ref)


def check_scale(function: str, scale: object) -> None:
    """Check how features are scaled."""
    if scale is not None and (not isinstance(scale, str) or scale not in SCALES):
        choices = (*SCALES, None)
        raise StratError(one_of(f"`scale` of `{function}`", choices, scale))
