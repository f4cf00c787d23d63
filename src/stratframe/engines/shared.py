"""Find the values that rows in several folds share, using counted rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.types import Flags, Ints, StratumTable
from ..frames import SharedExample, SharedRows
from ..pipeline.options import Options
from ..pipeline.stratify import stratify
from ..terms.classes import Classes
from .counts import Counts


class CountedSets(NamedTuple):
    """The fold of every counted row, and its combination of values."""

    sets: Ints
    """The code of the values in each counted row, or -1 if a value is missing and missing values
    are not equal to each other."""
    labels: list[Any]
    folds: Ints
    """The fold of every counted row; rows without a fold form one more fold."""
    table: StratumTable
    """The number of rows with each combination of values in each fold."""

    @property
    def is_split(self) -> Flags:
        """Whether each combination of values occurs in several folds."""
        flags: Flags = (self.table > 0).sum(axis=1) > 1
        return flags


def sets_of(counts: Counts, *, nulls_alike: bool) -> CountedSets:
    """Find counted rows with equal values; missing values are equal only if `nulls_alike`."""
    columns, weights = counts.columns["by"], counts.weights
    terms = tuple(Classes((place,)) for place in range(len(columns)))
    strata = stratify(Options(terms), {"by": columns}, len(weights), weights)
    lacks = np.logical_or.reduce([frames.is_missing(series) for series in columns])
    alone = lacks & (not nulls_alike)
    dealt = replace(strata.dealt, weights=np.where(alone, 0, weights))
    strata = strata._replace(dealt=dealt)
    labels, folds = frames.fold_codes(counts.columns["name"][0], weights=weights)
    n_folds = len(labels.values) + 1
    table = strata.crosstab(folds % n_folds, n_folds)
    return CountedSets(np.where(alone, -1, strata.codes), labels.values, folds % n_folds, table)


def leaking_sets(counts: Counts, *, nulls_alike: bool) -> Ints:
    """Return the code of the values in each counted row, or -1 if they occur in only one fold."""
    found = sets_of(counts, nulls_alike=nulls_alike)
    leaks = np.append(found.is_split, False)[found.sets]  # the last flag is for -1
    return np.where(leaks, found.sets, -1)


def shared_values(counts: Counts, *, nulls_alike: bool) -> SharedRows:
    """Count the combinations of values, those that are repeated, and those in several folds."""
    sets, labels, folds, table = found = sets_of(counts, nulls_alike=nulls_alike)
    n_rows, is_split = table.sum(axis=1), found.is_split
    n_values = int((n_rows > 0).sum())
    n_repeated, n_split = int((n_rows > 1).sum()), int(is_split.sum())
    example = None
    if n_split:
        counted = np.flatnonzero((sets == np.argmax(is_split)) & (counts.weights > 0))
        ends = [counted[pick(folds[counted])] for pick in (np.argmin, np.argmax)]
        values = (
            frames.libraries.value_at(series, int(ends[0])) for series in counts.columns["by"]
        )
        example = SharedExample(
            None, (*values,), tuple([*labels, None][folds[end]] for end in ends)
        )
    n_pairs = int((n_rows * (n_rows - 1)).sum()) // 2
    n_within = int((table * (table - 1)).sum()) // 2
    n_leaking = int(n_rows[is_split].sum())
    return SharedRows(
        n_values, n_repeated, n_split, n_leaking, example, n_pairs, n_pairs - n_within
    )
