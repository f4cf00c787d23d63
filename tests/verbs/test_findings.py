"""The rules of what is even, of equal sizes or there by chance, as a loop would apply them."""

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import hypergeom, ks_2samp

import stratframe as sf
from tests.helpers import TWO_KINDS, columns_of, make, values


def dealt(**tables: Sequence[int]) -> dict[str, list[Any]]:
    """Make columns of labels and folds from the rows of each label in each fold."""
    cells = [
        (label, fold)
        for label, table in tables.items()
        for fold, n in enumerate(table)
        for _ in range(n)
    ]
    return {"label": [label for label, _ in cells], "fold": [fold for _, fold in cells]}


# Balance ------------------------------------------------------------------------------------


def judge(
    strata: list[Any],
    folds: list[Any],
    groups: list[Any] | None,
    n_cells: int,
    is_joint: bool,
    is_coarse: bool,
) -> tuple[set[Any], set[Any], set[Any]]:
    """List the cells, (stratum, fold), that are off, uneven, and lacking, one of so many each."""
    n, cells = len(folds), Counter(zip(strata, folds, strict=True))
    sizes, totals = Counter(strata), Counter(folds)
    shared = Counter(zip(strata, groups or range(n), strict=True))
    whole = Counter(groups or range(n))
    off, uneven, lacking = set(), set(), set()
    for stratum in sizes:
        own = [rows for (each, _), rows in shared.items() if each == stratum]
        p = Fraction(sizes[stratum], n)
        squares = sum((shared[stratum, g] - p * whole[g]) ** 2 for g in whole)
        for fold in totals:
            expected = Fraction(sizes[stratum] * totals[fold], n)
            far = abs(cells[stratum, fold] - expected)
            if far <= 1 + Fraction(sizes[stratum], n):
                continue
            off.add((stratum, fold))
            is_far = far > 1 + Fraction(sizes[stratum], n) + is_coarse and far > expected / 10
            if groups is None:
                x = cells[stratum, fold]
                dealt = hypergeom(n, sizes[stratum], totals[fold])
                chance = dealt.sf(x - 1) if x > expected else dealt.cdf(x)
                assume(not 0.0088 < chance * n_cells < 0.01)  # the bound is 11 % above at most
                is_rare, never = chance * n_cells < 0.01, chance * n_cells < 0.05
            else:
                share = Fraction(totals[fold], n)
                is_rare = never = far**2 > 16 * squares * share * (1 - share)
            enough = groups is None or len(own) >= 2 * len(totals)
            if not cells[stratum, fold] and enough and never and not is_joint:
                lacking.add((stratum, fold))
                uneven.add((stratum, fold))
            if expected >= 1 and is_far and is_rare:
                uneven.add((stratum, fold))
    return off, uneven, lacking


ROWS = st.lists(
    st.tuples(
        st.sampled_from("aaab"),
        st.sampled_from(["x", "x", "y", None]),
        st.integers(0, 30),
        st.sampled_from([0, 0, 1, 2, None]),
    ),
    min_size=2,
    max_size=40,
)


@pytest.mark.parametrize("by", [["a"], ["a", "b"], sf.margins(["a", "b"])], ids=str)
@given(
    rows=ROWS,
    times=st.sampled_from([1, 2, 30]),
    kind=st.sampled_from(TWO_KINDS),
    in_groups=st.booleans(),
)
def test_balance_is_judged_by_the_rules(
    by: Any, rows: list[tuple[Any, ...]], times: int, kind: str, in_groups: bool
) -> None:
    """Findings agree with the rules cell by cell."""
    data = dict(
        zip(("a", "b", "g", "fold"), map(list, zip(*rows * times, strict=True)), strict=True)
    )
    kept = [row for row in rows * times if row[3] is not None]
    assume(kept)
    a, b, groups, folds = map(list, zip(*kept, strict=True))
    levels = {"['a']": [a], "['a', 'b']": [a, list(zip(a, b, strict=True))]}.get(str(by), [a, b])
    is_nested = str(by) == "['a', 'b']"
    given = groups if in_groups else None
    n_cells = len({*folds}) * sum(len({*each}) for each in levels)
    judged = [
        judge(each, folds, given, n_cells, is_nested and place > 0, is_nested and place == 0)
        for place, each in enumerate(levels)
    ]
    off, uneven, lacking = (
        [(place, *cell) for place, cells in enumerate(each) for cell in cells]
        for each in zip(*judged, strict=True)
    )

    made, options = make(kind, data), {"groups": "g"} if in_groups else {}
    found = columns_of(sf.check(made, by, duplicates=None, **options).findings)
    about = [
        (severity, check, n)
        for severity, check, n in zip(found["severity"], found["check"], found["n"], strict=True)
        if check == "balance" or (check, severity) == ("strata", "warning")
    ]
    if lacking:
        expected = ("warning", "strata", len({cell[:2] for cell in lacking}))
    elif uneven:
        expected = ("warning", "balance", len(uneven))
    else:
        expected = ("note" if off else "ok", "balance", len(off))
    assert about == [expected]


def order_words(numbers: Sequence[Any], parents: Sequence[Any], folds: Sequence[Any]) -> Any:
    """Say of each fold how its running counts are along the numbers, row by row."""
    n, k, off = len(folds), len({*folds}), dict.fromkeys(folds, Fraction(0))
    if n - Fraction(sum(rows**2 for rows in Counter(folds).values()), n) < 100 or n < 7 * k:
        return dict.fromkeys(folds, "too few rows")
    for parent in {*parents}:
        every = zip(numbers, parents, folds, strict=True)
        rows = sorted((number, fold) for number, own, fold in every if own == parent)
        cuts = {rows[-(-cut * len(rows) // 60) - 1][0] for cut in range(1, 60)}
        totals, so_far = Counter(fold for _, fold in rows), Counter[Any]()
        for place, (number, fold) in enumerate(rows, 1):
            so_far[fold] += 1
            if number in cuts and (place == len(rows) or rows[place][0] > number):
                for each in off:
                    expected = Fraction(place * totals[each], len(rows))
                    off[each] = max(off[each], abs(so_far[each] - expected))
    return {fold: "even" if off[fold] < 2 else "no less even than a shuffle" for fold in off}


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(
    n=st.integers(100, 400),
    k=st.integers(2, 6),
    seed=st.integers(0, 999),
    decimals=st.integers(0, 4),
    n_parents=st.sampled_from([1, 1, 3]),
    n_swapped=st.sampled_from([0, 0, 1, 3, 20]),
)
def test_orders_are_judged_by_their_running_counts(
    kind: str, n: int, k: int, seed: int, decimals: int, n_parents: int, n_swapped: int
) -> None:
    """Of bins that are even, a fold is even within two rows at each cut, if rows suffice."""
    drawn = np.random.default_rng(seed)
    data = {"a": drawn.integers(0, n_parents, n), "x": drawn.normal(size=n).round(decimals) + 0.25}
    frame = pd.DataFrame(data).strat.kfold(["a", sf.continuous("x")], k, seed=seed, rare="ignore")
    folds = frame["fold"].to_numpy(copy=True)
    rows = drawn.permutation(n)[:n_swapped]
    folds[rows] = drawn.permutation(folds[rows])
    data = {name: each.tolist() for name, each in {**data, "fold": folds}.items()}
    words = order_words(data["x"], data["a"], data["fold"])
    report = sf.report(make(kind, data), ["a", "x"])
    found = dict(zip(values(report, "fold"), values(report, "verdict"), strict=True))
    even = [fold for fold in found if found[fold] not in ("uneven", "as even as a shuffle")]
    assert {fold: found[fold] for fold in even} == {fold: words[fold] for fold in even}
    assert n_swapped or len(even) == k
    assert n_swapped or {*found.values()} <= {"even", "too few rows"}


@given(
    numbers=st.lists(st.integers(0, 200), min_size=10, max_size=60),
    k=st.integers(2, 5),
    scale=st.sampled_from([1, 0.5]),
)
def test_verdicts_of_an_order_agree(numbers: list[int], k: int, scale: float) -> None:
    """Of a continuous column and random folds `check`, `report` and `compare` agree."""
    folds = np.random.default_rng(len(numbers)).integers(0, k, len(numbers)).tolist()
    data = make("polars", {"x": [number * scale for number in numbers], "fold": folds})
    for by in ("x", sf.continuous("x")):
        found = columns_of(sf.check(data, by, duplicates=None).findings)
        pairs = set(zip(found["severity"], found["check"], strict=True))
        is_uneven = bool({("warning", "balance"), ("warning", "strata")} & pairs)
        (word,) = values(sf.compare(data, by, "fold"), "verdict")
        assert (
            (word == "uneven") is is_uneven is ("uneven" in values(sf.report(data, by), "verdict"))
        )
        assert (word == "even") is (("ok", "balance") in pairs)


# Sizes --------------------------------------------------------------------------------------


@given(
    sizes=st.lists(st.integers(1, 400), min_size=1, max_size=12),
    n_each=st.integers(1, 60),
    start=st.integers(0, 2),
)
def test_sizes_are_judged_by_the_rule(sizes: list[int], n_each: int, start: int) -> None:
    """Sizes are wrong if they are off by a row, a tenth, and four deviations of whole groups.

    Where each fold is one group, sizes that would be wrong are noted.
    """
    k, n = len(sizes), sum(sizes)
    cells = [(fold, row // n_each) for fold, size in enumerate(sizes, start) for row in range(size)]
    groups = Counter(cells)
    off = max(abs(Fraction(size) - Fraction(n, k)) for size in sizes)
    is_off = start < 2 and off > 1 and off > Fraction(n, 10 * k)
    squares = sum(rows**2 for rows in groups.values())
    is_wrong = is_off and k >= 3 and off**2 * k * k > 16 * squares * (k - 1)
    data = {"fold": [fold for fold, _ in cells], "g": [f"{fold} {place}" for fold, place in cells]}
    found = columns_of(sf.check(pd.DataFrame(data), groups="g", duplicates=None).findings)
    at = found["check"].index("sizes")
    wrong = "note" if len(groups) == k else "warning"
    assert found["severity"][at] == (wrong if is_wrong else "note" if is_off else "ok")
    assert found["n"][at] == k


# Drift --------------------------------------------------------------------------------------


@given(
    numbers=st.lists(st.integers(0, 12), min_size=12, max_size=60),
    shift=st.integers(0, 30),
    k=st.integers(2, 4),
)
def test_drift_is_judged_by_the_rule(numbers: list[int], shift: int, k: int) -> None:
    """A distance is wrong beyond twice its level of chance, 0.1, and five rows."""
    folds = [row % k for row in range(len(numbers))]
    x = [number + shift * (fold == 0) for number, fold in zip(numbers, folds, strict=True)]
    data = make("polars", {"x": x, "fold": folds})
    table = columns_of(sf.drift(data, "x"))
    wrong = beyond = 0
    for fold, distance, chance in zip(
        table["fold"], table["distance"], table["chance"], strict=True
    ):
        inside = [each for each, of in zip(x, folds, strict=True) if of == fold]
        outside = [each for each, of in zip(x, folds, strict=True) if of != fold]
        assert distance == pytest.approx(ks_2samp(inside, outside).statistic)
        moved = distance * len(inside) * len(outside) / len(x)
        beyond += distance > chance
        wrong += distance > 2 * chance and distance > 0.1 and moved >= 5
    found = columns_of(sf.check(data, features="x", duplicates=None).findings)
    at = found["check"].index("drift")
    severity = "warning" if wrong else "note" if beyond else "ok"
    assert (found["severity"][at], found["n"][at]) == (severity, wrong or beyond)


# Equal rows ---------------------------------------------------------------------------------


@given(
    rows=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=4, max_size=40),
    copies=st.integers(0, 8),
    named=st.booleans(),
)
def test_equal_rows_are_judged_by_the_rules(
    rows: list[tuple[int, ...]], copies: int, named: bool
) -> None:
    """Equal rows are by chance if the counts of columns explain them, or how one goes with others.

    Up to 1 % of the rows they are a note, but in columns that are named. Whole numbers of which
    most are in one row are equal by chance if the other columns may be.
    """
    rows = [(*row, place // 2) for place, row in enumerate(rows)]
    rows += rows[:copies]
    folds = [place % 2 for place in range(len(rows))]
    columns = list(zip(*rows, strict=True))
    n, pairs = len(rows), list(combinations(range(len(rows)), 2))

    def agreeing(columns: list[Any], *, across: bool) -> int:
        """Count the pairs of rows that agree in some columns, in all folds or across them."""
        return sum(
            all(column[i] == column[j] for column in columns)
            for i, j in pairs
            if not across or folds[i] != folds[j]
        )

    def is_within(expected: Fraction) -> bool:
        """Return whether ten times the pairs that are expected, and more by chance, are as many."""
        return found <= 10 * expected + 3 * float(10 * expected) ** 0.5

    found, equal = agreeing(columns, across=True), agreeing(columns, across=False)
    by_chance, expected = False, Fraction(n**2, 2)
    shares = [Fraction(agreeing([column], across=False), len(pairs)) for column in columns]
    for place, column in enumerate(columns):
        others = prod(shares[:place] + shares[place + 1 :])
        is_rare = named or float(others) ** equal < 0.01
        own = equal if 2 * len(set(column)) > n and is_rare else 0
        expected *= shares[place] - Fraction(own, len(pairs))
    by_chance = is_within(expected)
    for place, column in enumerate(columns if not named else []):
        others = columns[:place] + columns[place + 1 :]
        same, n_others = agreeing(others, across=True), agreeing(others, across=False)
        alone = agreeing([column], across=False)
        if alone < len(pairs):
            rest = len(pairs) - n_others
            alike = Fraction(alone - equal, rest) if rest else Fraction(1)
            mostly = alike * same + Fraction(7, 10) * (same - alike * same)
            by_chance |= found < mostly and is_within(alike * same)
    keys = Counter(rows)
    n_rows = sum(
        n
        for row, n in keys.items()
        if len({f for r, f in zip(rows, folds, strict=True) if r == row}) > 1
    )
    data = make("polars", dict(zip("abcd", map(list, columns), strict=True)) | {"fold": folds})
    found = sf.check(data, duplicates=list("abcd") if named else "auto").findings
    (row,) = [row for row in found.rows() if row[2] == "duplicates"]
    assert row[1] == ("ok" if not n_rows else "note" if by_chance else "leak")
    assert row[3] == n_rows


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_names_that_begin_alike_are_told_apart(kind: str) -> None:
    """A line cuts the middle of long names, findings have them in full, both in one line."""
    towns = [f"North of the river and the old mill, {end}" for end in ("east", "west\nbank")]
    frame = make(kind, {"town": sorted(towns * 40), "fold": [0, 1, 2, 3] * 10 + [0] * 40})
    found = sf.check(frame, "town", duplicates=None)
    (line,) = (line for line in str(found).splitlines() if "town" in line)
    assert re.search(r"all 40 rows of 'North.*\u2026.*nbank' are in fold 0$", line)
    assert repr(towns[1]) in values(found.findings, "detail")[0]
