"""Rows that are counts are dealt, and compared, as the rows that they stand for."""

from collections import defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe import StratError
from stratframe.engines.base import Counts, check_n_strata
from stratframe.engines.shared import shared_values
from stratframe.frames import SharedRows

cells = st.tuples(
    st.sampled_from(["a", "b", None]),
    st.sampled_from([1.0, 2.0, None]),
    st.sampled_from([0, 1, 2, None]),
)
"""Two values and a fold, any of them missing."""


def brute_force(rows, *, nulls_alike):
    """Compare all rows with each other; without a fold they are in one more."""
    folds = defaultdict(list)
    for *values, fold in rows:
        if nulls_alike or None not in values:
            folds[tuple(values)].append(fold)
    split = [each for each in folds.values() if len(set(each)) > 1]
    repeated = [each for each in folds.values() if len(each) > 1]
    pairs = [pair for each in folds.values() for pair in combinations(each, 2)]
    n_apart = sum(one != other for one, other in pairs)
    n_rows = sum(map(len, split))
    return SharedRows(len(folds), len(repeated), len(split), n_rows, None, len(pairs), n_apart)


@given(st.lists(st.tuples(cells, st.integers(0, 3)), min_size=1, max_size=25), st.booleans())
def test_what_counted_rows_share_is_what_the_rows_share(counted, nulls_alike):
    """Values, those that repeat and those in several folds are counted as row by row."""
    rows = [row for row, weight in counted for _ in range(weight)]
    first, second, fold = zip(*(row for row, _ in counted), strict=True)
    columns = {
        "by": [pd.Series(first, dtype=object), pd.Series(second, dtype=float)],
        "name": [pd.Series(pd.Categorical(fold, range(4)))],
    }
    weights = np.array([weight for _, weight in counted])
    found = shared_values(Counts(columns, weights), nulls_alike=nulls_alike)
    assert found._replace(example=None) == brute_force(rows, nulls_alike=nulls_alike)
    assert (found.example is None) == (not found.n_split)
    if found.example is not None:
        assert len({*found.example.folds}) == 2
        assert {(*found.example.values, fold) for fold in found.example.folds} <= {*rows}


def test_the_driver_holds_the_counts_of_so_many_strata():
    """The largest number of strata is allowed, and one more is an error that says what to do."""
    check_n_strata(2**22)
    with pytest.raises(StratError) as caught:
        check_n_strata(2**22 + 1)
    assert str(caught.value) == (
        "`by` must make at most 4,194,304 strata, because the driver holds their counts, got"
        " 4,194,305.\n"
        "Hint: `sf.quantiles` and `sf.bins` make few strata of many numbers."
    )
