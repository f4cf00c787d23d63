"""Shared code for the terms that use numeric features: reading, rules and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from .. import frames
from ..core.points import SCALES
from ..errors import StratError, at_least_one, one_of
from ..frames import Rule
from .base import LEFT_NULL, BoundTerm, ColumnRef, Missing, Term, list_arguments

Scale: TypeAlias = Literal["standard", "minmax"] | None
"""How features are scaled: by their standard deviation, by their range, or (None) not at all."""

MAX_UNSCALED = 1e145
"""The maximum absolute value of a feature that is not scaled, chosen so that its square is
finite."""


@dataclass(frozen=True, eq=False, repr=False)
class FeatureTerm(Term):
    """A term that uses numeric features."""

    uses_row_order: ClassVar[bool] = True
    has_features: ClassVar[bool] = True

    scale: Scale

    def __post_init__(self) -> None:
        super().__post_init__()
        scale = self.scale
        if scale is not None and (not isinstance(scale, str) or scale not in SCALES):
            raise StratError(one_of(f"`scale` of `{self.function}`", (*SCALES, None), scale))

    def arguments(self) -> str:
        return list_arguments([frames.format_reference(column) for column in self.columns])

    def read(self, series: Sequence[Any]) -> BoundTerm:
        return read_points(self, series)

    def rules(self, missing: Missing) -> list[Rule]:
        """Require finite numbers; without a scale, the squares must be finite, too."""
        within = None if self.scale else (-MAX_UNSCALED, MAX_UNSCALED)
        return [finite_numbers(missing, within)] * len(self.columns)


def read_points(term: Term, series: Sequence[Any]) -> BoundTerm:
    """Read numbers, booleans or vectors; a single missing value makes the whole row missing."""
    points, widths = frames.read_matrix(series, str(term))
    missing = np.logical_or.reduce(np.isnan(points))
    return BoundTerm(term, series, points, missing, widths=widths)


def finite_numbers(missing: Missing, within: tuple[float, float] | None = None) -> Rule:
    """Require finite numbers; missing values are allowed only if `missing` is "null"."""
    hint = f"drop these rows, or fill the missing values first; {LEFT_NULL}"
    return Rule(missing != "null", finite=True, within=within, hint=hint)


def feature_refs(function: str, features: Any) -> tuple[ColumnRef, ...]:
    subject = f"`features` of `{function}`"
    columns = features if isinstance(features, list) else [features]
    refs = tuple(columns)
    if not refs:
        raise StratError(at_least_one(subject, "column", []))
    for ref in refs:
        is_column = frames.libraries.is_label(ref) and ref is not None and not isinstance(ref, Term)
        if not (is_column or frames.is_computed(ref)):
            msg = (
                f"{subject} must be a column or a list of columns, got"
                f" {frames.format_reference(ref)}."
                "\nHint: several columns go in a list, as in `list(df.columns)`."
            )
            raise StratError(msg)
    frames.references.check_each_column_once(subject, refs)
    return refs
