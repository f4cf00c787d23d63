"""Find the values that rows in several folds share, using counted rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.strata import count_pairs
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
    columns = counts.columns["by"]
    weights = counts.weights
    terms = tuple(Classes((place,)) for place in range(len(columns)))
    strata = stratify(Options(terms), {"by": columns}, len(weights), weights)
    lacks_value = np.logical_or.reduce([frames.is_missing(series) for series in columns])
    is_alone = lacks_value & (not nulls_alike)
    dealt = replace(strata.dealt, weights=np.where(is_alone, 0, weights))
    labels, codes = frames.fold_codes(counts.columns["name"][0], weights=weights)
    n_folds = len(labels.values) + 1
    folds = codes % n_folds  # -1 becomes the last fold
    return CountedSets(
        sets=np.where(is_alone, -1, strata.codes),
        labels=labels.values,
        folds=folds,
        table=strata._replace(dealt=dealt).crosstab(folds, n_folds),
    )


def leaking_sets(counts: Counts, *, nulls_alike: bool) -> Ints:
    """Return the code of the values in each counted row, or -1 if they occur in only one fold."""
    counted = sets_of(counts, nulls_alike=nulls_alike)
    is_leaking = np.append(counted.is_split, False)[counted.sets]  # the last flag is for -1
    return np.where(is_leaking, counted.sets, -1)


def shared_values(counts: Counts, *, nulls_alike: bool) -> SharedRows:
    """Count the combinations of values, those that are repeated, and those in several folds."""
    counted = sets_of(counts, nulls_alike=nulls_alike)
    n_rows = counted.table.sum(axis=1)
    n_pairs = count_pairs(n_rows)
    n_within = count_pairs(counted.table)
    return SharedRows(
        n_values=int((n_rows > 0).sum()),
        n_repeated=int((n_rows > 1).sum()),
        n_split=int(counted.is_split.sum()),
        n_rows=int(n_rows[counted.is_split].sum()),
        example=example_of_split(counts, counted),
        n_pairs=n_pairs,
        n_split_pairs=n_pairs - n_within,
        largest=int(n_rows.max(initial=0)),
    )


def example_of_split(counts: Counts, counted: CountedSets) -> SharedExample | None:
    """Find the first values that occur in several folds, with the first and last of the folds."""
    is_split = counted.is_split
    if not is_split.any():
        return None
    rows = np.flatnonzero((counted.sets == np.argmax(is_split)) & (counts.weights > 0))
    folds = counted.folds[rows]
    row = int(rows[np.argmin(folds)])
    values = tuple(frames.libraries.value_at(series, row) for series in counts.columns["by"])
    labels = [*counted.labels, None]
    return SharedExample(None, values, (labels[folds.min()], labels[folds.max()]))
