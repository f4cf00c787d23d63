"""Columns that folds keep whole: the chance of it, and how sites and torn groups are told."""

from itertools import pairwise, permutations
from math import comb, exp, inf, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

import stratframe as sf
from stratframe.frames import ComparedColumn, FoldValues
from stratframe.frames.result import make_frame
from stratframe.judging.candidates import FEW_ROWS, Candidate
from stratframe.judging.whole_columns import (
    Grouping,
    SplitValues,
    WholeColumn,
    are_mostly_split,
    are_sites,
    chance_at_borders,
    count_split,
    cuts_once,
    determines,
    find_grouping,
    is_site,
    judge_values,
    lie_in_blocks,
    log_chance_of_torn,
    log_chance_of_whole,
    log_chances_whole,
    rule_out,
)

codes_of_rows = st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 3)), min_size=1, max_size=40)
fold_sizes = st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any)


def rows_in(codes: list[int], folds: list[int]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(codes), np.array(folds)


def labels_of(sizes: list[int], values: list[object] | None = None) -> FoldValues:
    return FoldValues(values or list(range(len(sizes))), sizes, 0)


def column_of(label: str, sizes: list[int], n_split: int = 0) -> WholeColumn:
    n_folds = np.array([2] * n_split + [1] * (len(sizes) - n_split))
    split = SplitValues(np.array(sizes), n_folds)
    candidate = Candidate(label, ComparedColumn(pd.Series(["a"] * 100)))
    return WholeColumn(candidate, split, "torn" if n_split else "whole")


# Chance -----------------------------------------------------------------------------------


@given(codes_of_rows)
def test_rows_and_folds_of_each_value_are_counted_as_in_a_loop(rows: list[tuple[int, int]]) -> None:
    """Values are counted in the rows with a value and a fold."""
    known = [(code, fold) for code, fold in rows if code >= 0 and fold >= 0]
    present = sorted({code for code, _ in known})
    own = [[fold for code, fold in known if code == each] for each in present]
    split = count_split(*rows_in(*map(list, zip(*rows, strict=True))))
    assert split.sizes.tolist() == list(map(len, own))
    assert split.n_folds.tolist() == [len({*folds}) for folds in own]
    assert split.n_split == sum(len({*folds}) > 1 for folds in own)
    assert split.n_repeated == sum(len(folds) > 1 for folds in own)


@given(fold_sizes, st.integers(1, 12))
def test_chance_that_rows_are_in_one_fold(sizes: list[int], n_rows: int) -> None:
    """The chance is the sum of the hypergeometric chances that one fold takes all of the rows."""
    n = sum(sizes)
    n_rows = min(n_rows, n)
    chances = [hypergeom(n, n_rows, size).pmf(n_rows) for size in sizes]
    formula = sum(comb(size, n_rows) / comb(n, n_rows) for size in sizes)
    found = log_chances_whole(np.array([n_rows]), np.array(sizes))[0]
    assert sum(chances) == pytest.approx(formula)
    assert exp(found) == pytest.approx(formula, rel=1e-6)


def test_chance_that_a_permutation_keeps_two_values_whole() -> None:
    """The product over values is close to the share of all permutations of six rows."""
    values = [0, 0, 1, 1, 2, 3]
    folds = [0, 0, 0, 1, 1, 1]
    deals = list(permutations(folds))
    whole = [deal for deal in deals if deal[0] == deal[1]]
    both = [deal for deal in whole if deal[2] == deal[3]]
    sizes = np.bincount(values)
    one = exp(log_chances_whole(np.array([2]), np.array([3, 3]))[0])
    assert one == pytest.approx(len(whole) / len(deals))
    assert exp(log_chance_of_whole(sizes, np.array([3, 3]))) == pytest.approx(one**2)
    assert one**2 == pytest.approx(len(both) / len(deals), rel=0.5)


def test_rows_that_fit_in_no_fold_are_never_whole() -> None:
    """A value with more rows than the largest fold has no chance to be whole."""
    assert log_chance_of_whole(np.array([4]), np.array([3, 3])) == -inf
    assert log_chance_of_whole(np.array([1, 1]), np.array([3, 3])) == 0


@given(st.integers(5, 60), st.integers(0, 60))
def test_chance_of_torn_groups_is_a_bound(n_values: int, n_split: int) -> None:
    """The bound is at least the binomial chance that as many pairs of rows are whole."""
    n_split = min(n_split, n_values)
    n_folds = np.array([2] * n_split + [1] * (n_values - n_split))
    split = SplitValues(np.full(n_values, 2), n_folds)
    sizes = np.full(5, 2 * n_values)
    share = exp(log_chances_whole(np.array([2]), sizes)[0])
    bound = log_chance_of_torn(split, sizes)
    assert exp(bound) >= binom(n_values, share).sf(n_values - n_split - 1) * (1 - 1e-9)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_folds_in_blocks(folds: list[int]) -> None:
    """Folds lie in blocks if the fold changes at most three times per fold; nulls are left out."""
    n_changes = sum(first != second for first, second in pairwise(folds))
    with_nulls = np.repeat(folds, 2)
    with_nulls[1::2] = -1
    assert lie_in_blocks(with_nulls) == (n_changes <= 3 * len({*folds}))


def test_chance_that_borders_cut_no_value() -> None:
    """The chance is the share of neighbours that differ, to the power of the changes of fold."""
    codes, folds = rows_in([0, 0, 1, 1, 2, 2, 3], [0, 0, 0, 0, 1, 1, 2])
    assert chance_at_borders(codes, folds) == pytest.approx((3 / 6) ** 2)
    assert chance_at_borders(codes[:1], folds[:1]) == 1


# Values -----------------------------------------------------------------------------------


GROUPS = np.repeat(np.arange(50), 4)
"""Fifty values of four rows."""


def dealt(*, torn: int = 0, is_sorted: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Deal whole values to five folds, and move a row of some of them to the next fold."""
    rng = np.random.default_rng(0)
    order = np.arange(50) if is_sorted else rng.permutation(50)
    folds = np.repeat(order * 5 // 50, 4)
    folds[: 4 * torn : 4] = (folds[: 4 * torn : 4] + 1) % 5
    return GROUPS, folds, np.bincount(folds)


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        pytest.param(dealt(), "whole", id="whole_values"),
        pytest.param(dealt(torn=2), "torn", id="two_of_fifty_torn"),
        pytest.param(dealt(torn=3), None, id="six_percent_torn"),
        pytest.param(dealt(is_sorted=True), "whole", id="blocks_that_cut_no_value_of_many"),
    ],
)
def test_values_are_judged(
    arrays: tuple[np.ndarray, np.ndarray, np.ndarray], expected: str | None
) -> None:
    """Values are whole, or at most one in twenty of them is torn."""
    assert judge_values(*arrays)[0] == expected


def test_sorted_pairs_in_blocks_are_not_whole() -> None:
    """Four borders that cut no pair of sorted rows are luck: one time in sixteen."""
    codes = np.repeat(np.arange(100), 2)
    folds = np.arange(200) * 5 // 200
    assert judge_values(codes, folds, np.bincount(folds))[0] is None


def test_a_shuffle_keeps_no_column_whole() -> None:
    """Of 200 shuffles of columns of any number of values, none is judged whole or torn."""
    rng = np.random.default_rng(0)
    for n_values in np.repeat([2, 5, 20, 60, 100, 150, 190, 198, 199, 200], 20):
        codes = np.unique(rng.permutation(np.arange(200) % n_values), return_inverse=True)[1]
        folds = rng.permutation(200) % 5
        assert judge_values(codes, folds, np.bincount(folds))[0] is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 3)), min_size=1, max_size=20))
def test_one_column_determines_another(pairs: list[tuple[int, int]]) -> None:
    """Each value has one other value, of which a missing value is one more."""
    first, second = rows_in(*map(list, zip(*pairs, strict=True)))
    assert determines(first, second) == (len({*pairs}) == len({code for code, _ in pairs}))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=20))
def test_folds_that_are_intervals_of_values(rows: list[tuple[int, int]]) -> None:
    """Folds are intervals of numbers if no value of one fold lies within another fold."""
    values, folds = rows_in(*map(list, zip(*rows, strict=True)))
    spans = sorted((min(own), max(own)) for own in (values[folds == f] for f in np.unique(folds)))
    apart = all(low[1] <= high[0] for low, high in pairwise(spans))
    if cuts_once(values.astype(float), folds):
        assert apart
    elif len({*spans}) == len(spans) and all(low < high for low, high in spans):
        assert not apart


@pytest.mark.parametrize(
    ("sizes", "n_split", "expected"),
    [
        pytest.param([2] * 8, 3, True, id="more_than_a_quarter_are_split"),
        pytest.param([2] * 8, 2, False, id="a_quarter_is_split"),
        pytest.param([2] * 8, 0, False, id="none_is_split"),
        pytest.param([2] * 200, 31, True, id="more_than_ten_and_a_tenth_are_split"),
        pytest.param([2] * 200, 30, False, id="ten_and_a_tenth_are_split"),
        pytest.param([1] * 99, 0, True, id="no_value_is_repeated"),
        pytest.param([90, 9], 2, True, id="both_of_two_values_are_split"),
        pytest.param([90, 9], 1, False, id="one_of_two_values_is_split"),
    ],
)
def test_a_sample_that_rules_a_column_out(sizes: list[int], n_split: int, expected: bool) -> None:
    """A sample rules a column out if it splits values often, or if it repeats hardly any."""
    assert rule_out(column_of("x", sizes, n_split).split) is expected


@pytest.mark.parametrize(
    ("sizes", "n_split", "expected"),
    [
        pytest.param([2] * 8, 5, True, id="more_than_half_are_split"),
        pytest.param([2] * 8, 4, False, id="half_are_split"),
        pytest.param([50, 50, 50], 3, True, id="all_of_few_values_are_split"),
        pytest.param([50, 50, 50, 1], 3, False, id="few_of_few_values_are_split"),
        pytest.param([4] * 5 + [1] * 195, 5, False, id="a_tenth_of_the_rows_are_split"),
        pytest.param([4] * 6 + [1] * 195, 6, True, id="over_a_tenth_of_the_rows_are_split"),
        pytest.param([1] * 99, 0, False, id="no_value_is_repeated"),
        pytest.param([], 0, False, id="no_row_has_a_value"),
    ],
)
def test_few_rows_that_rule_a_column_out(sizes: list[int], n_split: int, expected: bool) -> None:
    """A few rows rule a column out only if they split most repeated values."""
    n_folds = np.ones(len(sizes), dtype=np.int64)
    n_folds[:n_split] = 2
    split = SplitValues(np.array(sizes, dtype=np.int64), n_folds)
    assert are_mostly_split(split) is expected


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_large_torn_groups_among_many_small_ones(library: str) -> None:
    """In a few rows of a large frame, nearly all repeated values are those of large groups."""
    rng = np.random.default_rng(0)
    small = np.repeat(np.arange(200_000), 2)
    large = np.repeat(np.arange(200_000, 200_005), 1600)
    fold = np.append(rng.integers(0, 5, 200_000)[small], rng.integers(0, 5, len(large)))
    rows = make_frame(library, {"nr": np.append(small, large), "fold": fold})

    found = sf.check(rows, duplicates=None)

    assert "LEAK     5 of 200,005 values of 'nr' are in several folds" in found.text


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_whole_and_torn_groups_of_large_frames(library: str) -> None:
    """Samples of a large frame rule out neither whole columns nor torn ones."""
    n = 2 * FEW_ROWS
    rng = np.random.default_rng(0)
    ids = rng.integers(0, n // 8, n)
    folds = rng.integers(0, 5, n // 8)[ids]
    torn = folds.copy()
    torn[:3] = (torn[:3] + 1) % 5
    data = {"measure": rng.normal(size=n), "class": rng.integers(0, 4, n), "nr": ids}

    whole = sf.check(make_frame(library, data | {"fold": folds}))
    leak = sf.check(make_frame(library, data | {"fold": torn}))

    assert "folds keep 'nr' whole" in whole.text
    assert "values of 'nr' are in several folds, all others in one" in leak.text


# Sites and groups -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sizes", "values", "expected"),
    [
        pytest.param("dept", [9, 30, 12], ["a", "b", "c"], True, id="text"),
        pytest.param("year", [9, 30, 12], [2001, 2002, 2004], True, id="years"),
        pytest.param("fold", [9, 30, 12], ["a", "b", "c"], False, id="name_of_folds"),
        pytest.param("treatment", [9, 30, 12], ["a", "b", "c"], False, id="arms"),
        pytest.param("dept", [9, 30], ["a", "b"], False, id="two_values"),
        pytest.param("dept", [9, 30, 12], ["train", "valid", "test"], False, id="purposes"),
        pytest.param("z", [100, 101, 99], [0, 1, 2], False, id="sizes_of_a_deal"),
        pytest.param("z", [100, 300, 99], [0, 1, 2], True, id="sizes_of_no_deal"),
        pytest.param("site_id", [100, 101, 99], [0, 1, 2], True, id="name_of_ids"),
    ],
)
def test_columns_of_sites(
    name: str, sizes: list[int], values: list[object], expected: bool
) -> None:
    """A fold column is one of sites if neither its name nor its sizes are those of folds."""
    assert are_sites(name, labels_of(sizes, values)) is expected


@pytest.mark.parametrize(
    ("sizes", "values", "expected"),
    [
        pytest.param([9, 30, 12], [0, 1, 2], True, id="sites"),
        pytest.param([100, 101, 100], [0, 1, 2], False, id="a_copy_of_dealt_folds"),
        pytest.param([9, 30], [0, 1], False, id="two_folds"),
        pytest.param([9, 30, 12], ["train", "valid", "test"], False, id="a_copy_of_parts"),
    ],
)
def test_columns_of_which_each_fold_is_one_value(
    sizes: list[int], values: list[object], expected: bool
) -> None:
    """Each fold is one value of a column if sizes are no deal's and labels are no parts."""
    assert is_site(column_of("dept", sizes), labels_of(sizes, values)) is expected
    assert not is_site(column_of("dept", [*sizes, 1]), labels_of(sizes, values))


LABELS = labels_of([60, 20, 20])


def test_the_coarsest_whole_column_is_chosen() -> None:
    """Of several whole columns, the one with the fewest values explains the folds."""
    columns = [column_of("nr", [5] * 20), column_of("family", [10] * 10)]
    grouping = find_grouping(columns, "fold", LABELS, is_ordered=False)
    assert grouping.whole is columns[1]


def test_sites_come_first() -> None:
    """A column of which each fold is one value explains the folds before finer columns do."""
    columns = [column_of("nr", [5] * 20), column_of("site", [60, 20, 20])]
    assert find_grouping(columns, "fold", LABELS, is_ordered=False) == Grouping(site="site")
    assert find_grouping(columns, "town", LABELS, is_ordered=False) == Grouping(site="town")


def test_torn_groups_are_told_where_nothing_is_whole() -> None:
    """Torn groups are told, those with the fewest torn values, unless another column is whole."""
    torn = [column_of("nr", [5] * 20, 2), column_of("code", [5] * 20, 1)]
    assert find_grouping(torn, "fold", LABELS, is_ordered=False) == Grouping(torn=torn[1])
    assert not find_grouping(torn, "fold", LABELS, is_ordered=True).is_known
    whole = column_of("id", [5] * 20)
    assert find_grouping([*torn, whole], "fold", LABELS, is_ordered=False).torn is None


def test_chance_below_which_values_are_whole() -> None:
    """A column of pairs is whole from the number of pairs on that a shuffle keeps once in 10^6."""
    sizes = np.array([40, 40, 40, 40, 40])
    n_pairs = next(
        n for n in range(1, 40) if n * log_chances_whole(np.array([2]), sizes)[0] < log(1e-6)
    )
    for n, expected in ((n_pairs - 1, None), (n_pairs, "whole")):
        codes = np.append(np.repeat(np.arange(n), 2), np.arange(n, 200 - n))
        folds = np.append(np.repeat(np.arange(n) % 5, 2), np.zeros(200 - 2 * n, dtype=int))
        rest = np.repeat(np.arange(5), 40 - np.bincount(folds[: 2 * n], minlength=5))
        folds[2 * n :] = np.random.default_rng(0).permutation(rest)
        assert judge_values(codes, folds, sizes)[0] == expected
