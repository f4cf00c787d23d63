"""Count what folds share, groups, keys and equal rows alike, and list the findings on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ..core.types import Ints
from ..frames import FoldValues
from .copies import ComparedRows
from .duplicates import EqualRows, count_equal_rows, find_duplicates
from .groups import ComparedUnits, SharedUnits, count_units, find_units
from .lines import Finding

Shared: TypeAlias = SharedUnits | EqualRows


def count_shared(compared: ComparedUnits | ComparedRows, values: list[Any], folds: Ints) -> Shared:
    """Count the groups, keys or rows that several folds share; fold -1 means no fold."""
    if isinstance(compared, ComparedUnits):
        return count_units(compared, values, folds)
    return count_equal_rows(compared, values, folds)


def find_shared(shared: Shared, labels: FoldValues) -> list[Finding]:
    if isinstance(shared, SharedUnits):
        return find_units(shared, labels)
    return find_duplicates(shared, labels)


def count_group_pairs(shared: Sequence[Shared]) -> int:
    """Count the pairs of rows of the same group."""
    return sum(
        each.rows.n_pairs
        for each in shared
        if isinstance(each, SharedUnits) and each.compared.check == "groups"
    )
