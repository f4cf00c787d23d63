"""Distances of groups from all others, against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import ks_2samp, wasserstein_distance

from stratframe.core.distances import fold_distances

VALUES = {
    "ties": st.integers(0, 4).map(lambda value: value / 4),
    "fractions": st.integers(0, 1000).map(lambda value: value / 1000),
    "any": st.floats(0, 1),
}


def by_scipy(values: np.ndarray, groups: np.ndarray, n_groups: int) -> np.ndarray:
    """The distances of each group, by SciPy and the formula of the first."""
    found = np.full((n_groups, 3), np.nan)
    for group in range(n_groups):
        own = values[groups == group]
        others = values[groups != group]
        if not len(own) or not len(others):
            continue
        with np.errstate(all="ignore"):
            found[group, 1] = ks_2samp(own, others, method="asymp").statistic
        spread = values.std(ddof=1)
        moved = wasserstein_distance(own, others)
        found[group, 2] = moved / spread if spread else 0.0
        if len(own) > 1 and len(others) > 1:
            apart = own.mean() - others.mean()
            spread = np.sqrt((own.var(ddof=1) + others.var(ddof=1)) / 2)
            found[group, 0] = apart / spread if spread else np.sign(apart) * np.inf if apart else 0
    return found


def distances_of(values: np.ndarray, groups: np.ndarray, n_groups: int) -> np.ndarray:
    order = np.argsort(values)
    return fold_distances(values[order], groups[order], n_groups)


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
def test_any_groups_against_scipy(kind: str, data: st.DataObject) -> None:
    """Whatever the ties, and the empty groups, the distances are those of SciPy."""
    n = data.draw(st.integers(1, 30))
    values = data.draw(hnp.arrays(np.float64, n, elements=VALUES[kind]))
    groups = data.draw(hnp.arrays(np.int64, n, elements=st.integers(-1, 4)))
    found = distances_of(values, groups, 6).T
    expected = by_scipy(values, groups, 6)
    # A spread that is nothing but rounding may be 0 in one and not in the other.
    certain = np.isfinite(expected) & (np.abs(expected) < 1e6) & (np.ptp(values) > 1e-6)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found[certain], expected[certain], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_groups", [2, 20])
@pytest.mark.parametrize("shape", ["normal", "lognormal", "rounded", "two far ends"])
def test_many_values_against_scipy(n_groups: int, shape: str) -> None:
    """The distances of many values are those of SciPy to twelve digits of the spread."""
    drawn = np.random.default_rng(n_groups)
    values = drawn.normal(size=50_000)
    shapes = {"normal": values, "lognormal": np.exp(3 * values), "rounded": values.round(1)}
    shapes["two far ends"] = np.append([-1e6, 1e6], values[2:])
    values = shapes[shape] - shapes[shape].min()
    values /= values.max()
    groups = drawn.integers(-1, n_groups, len(values))
    few = min(n_groups, 5)
    expected = by_scipy(values, np.where(groups < 5, groups, -1), few)
    found = distances_of(values, groups, n_groups).T[:few]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


def test_last_digits() -> None:
    """Groups that are mirror images have the same statistic to the last digit."""
    values = np.arange(6) / 5
    groups = np.array([0, 0, 1, 1, 2, 2])
    found = distances_of(values, groups, 3)[1]
    assert found[0] == found[2] == 1
    # Values without spread have a variance of exactly 0, however rounded their sum is.
    values = np.array([0.1 / 3] * 7 + [0.9 / 7] * 13)
    groups = np.repeat([0, 1], [7, 13])
    assert distances_of(values, groups, 2)[0].tolist() == [-np.inf, np.inf]
