"""The rules of what is even, of equal sizes or totals, or by chance, as a loop would apply them."""

import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, currently_in_test_context, given
from hypothesis import strategies as st
from scipy.stats import hypergeom, ks_2samp, poisson

import stratframe as sf
from tests.helpers import TWO_KINDS, columns_of, make, values
from tests.judging.conftest import findings_on


def crossed(rows: Any, columns: Any) -> np.ndarray:
    codes = [np.unique([*map(str, each)], return_inverse=True)[1] for each in (rows, columns)]
    table = np.zeros([code.max() + 1 for code in codes], dtype=np.int64)
    np.add.at(table, tuple(codes), 1)
    return table


def judge(levels, folds, classes, n_shown, groups, slack=0):
    """Count the cells of each level, how far they are off, and which are even, uneven or lacking.

    The last `n_shown` levels are in tables; the last may be `slack` rows off beyond rounding.
    """
    judged = list[tuple[np.ndarray, ...]]()
    n = len(folds)
    n_cells = sum(crossed(each, folds).size for each in levels)
    for level, are_classes in zip(levels, classes, strict=True):
        table = crossed(level, folds)
        sizes = table.sum(axis=1, keepdims=True)
        totals = table.sum(axis=0)
        expected = sizes * totals / n
        off = np.abs(table - expected)
        near = 1 + sizes / n + slack * (level is levels[-1]) + 1e-9
        beyond = np.maximum(near + (level is not levels[-1] and n_shown == 1), expected / 10 + 1e-9)
        if groups is None:
            with np.errstate(all="ignore"):  # SciPy computes the kurtosis, too
                spread = np.sqrt(np.nan_to_num(hypergeom.var(n, sizes, totals)))
            dealt = hypergeom(n, sizes, totals)
            chance = np.where(table > expected, dealt.sf(table - 1), dealt.cdf(table)) * n_cells
            if currently_in_test_context():  # a bound is compared, 11 % above at most
                assume(not ((chance > 0.0088) & (chance < 0.01)).any())
            is_rare = chance < 0.01
            never = chance < 0.05
        else:
            rows = crossed(level, groups)
            squares = (rows - sizes * rows.sum(axis=0) / n) ** 2
            share = totals / n
            spread = np.sqrt(squares.sum(axis=1, keepdims=True) * share * (1 - share))
            is_rare = off > 4 * spread + 1e-9
            never = is_rare & ((rows > 0).sum(axis=1, keepdims=True) >= 2 * len(totals))
        lacks = (table == 0) & (off > near) & never & are_classes
        is_uneven = lacks | ((expected >= 1) & (off > beyond) & is_rare)
        judged.append((table, off, spread, off <= near, is_uneven, lacks))
    return judged


def findings_of(check: str, frame: Any, **options: Any) -> list[tuple[str, int]]:
    """List the severity and the number of each finding of a check."""
    found = sf.check(frame, **{"duplicates": None, **options})
    return [(severity, n) for severity, n, _ in findings_on(found, check)]


CLASSES = st.sampled_from("aaab"), st.sampled_from(["x", "x", "y", None])
ROW = st.tuples(*CLASSES, st.integers(0, 30), st.sampled_from([0, 0, 1, 2, None]))
ROWS = st.lists(ROW, min_size=2, max_size=40)
ONE_TO_30 = st.sampled_from([1, 2, 30])
KIND = st.sampled_from(TWO_KINDS)
BOOL = st.booleans()
N = st.integers(100, 400)
NUMBERS = st.lists(st.integers(0, 200), min_size=10, max_size=60)
SIZES = st.lists(st.integers(1, 400), min_size=1, max_size=12)
DRIFTING = st.lists(st.integers(0, 12), min_size=12, max_size=60)
COPIED = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=4, max_size=40)
PARENTS = st.sampled_from([1, 1, 3])
SWAPPED = st.sampled_from([0, 0, 1, 3, 20])
NESTED = (["a", "b"], [True, False], 1)
MARGINS = (sf.margins(["a", "b"]), [True, True], 2)


def takes_equally_many(table: np.ndarray) -> bool:
    """Return whether all parts but one have equal counts of large strata, and none of others."""
    for rest in range(table.shape[1]):
        others = np.delete(table, rest, axis=1)
        counts = others.max(axis=0)
        is_large = table.sum(axis=1) > counts.sum()
        are_equal = (others[is_large] == counts).all() and not others[~is_large].any()
        if is_large.sum() > 1 and counts.any() and are_equal:
            return True
    return False


@pytest.mark.parametrize(("by", "classes", "n_shown"), [(["a"], [True], 1), NESTED, MARGINS])
@given(ROWS, ONE_TO_30, KIND, BOOL)
def test_balance_is_judged_by_the_rules(by, classes, n_shown, rows, times, kind, in_groups):
    """The findings on balance are those of the rules, cell by cell."""
    names = ("a", "b", "g", "fold")
    kept = [row for row in rows * times if row[3] is not None]
    assume(kept)
    data = dict(zip(names, map(list, zip(*rows * times, strict=True)), strict=True))
    a, b, groups, folds = map(list, zip(*kept, strict=True))
    levels = [a, b if n_shown == 2 else list(zip(a, b, strict=True))][: len(classes)]
    judged = judge(levels, folds, classes, n_shown, groups if in_groups else None)
    *_, is_even, is_uneven, lacks = (np.concatenate(each) for each in zip(*judged, strict=True))
    frame = make(kind, data)
    options = {"by": by, "groups": "g" if in_groups else False}
    is_each = n_shown == 1 and not in_groups and takes_equally_many(judged[-1][0])
    balance = findings_of("balance", frame, **options)
    strata = [each for each in findings_of("strata", frame, **options) if each[0] == "warning"]
    if is_each and not is_even.all():
        assert (strata, balance) == ([], [("note", 0)])
    elif lacks.any():
        assert (strata, balance) == ([("warning", lacks.any(axis=1).sum())], [])
    elif is_uneven.any():
        assert (strata, balance) == ([], [("warning", is_uneven.sum())])
    else:
        severity = "ok" if is_even.all() else "note"
        assert (strata, balance) == ([], [(severity, (~is_even).sum())])


def order_words(numbers: Any, parents: Any, folds: Any) -> dict[Any, str]:
    """Say of each fold how its running counts are along the numbers, row by row."""
    n = len(folds)
    k = len({*folds})
    off = dict.fromkeys(folds, Fraction(0))
    if n - Fraction(sum(rows**2 for rows in Counter(folds).values()), n) < 100 or n < 7 * k:
        return dict.fromkeys(folds, "too few rows")
    for parent in {*parents}:
        every = zip(numbers, parents, folds, strict=True)
        rows = sorted((number, fold) for number, own, fold in every if own == parent)
        cuts = {rows[-(-cut * len(rows) // 60) - 1][0] for cut in range(1, 60)}
        totals = Counter(fold for _, fold in rows)
        so_far = Counter[Any]()
        for place, (number, fold) in enumerate(rows, 1):
            so_far[fold] += 1
            if number in cuts and (place == len(rows) or rows[place][0] > number):
                for each in off:
                    expected = Fraction(place * totals[each], len(rows))
                    off[each] = max(off[each], abs(so_far[each] - expected))
    return {fold: "even" if off[fold] < 2 else "no less even than a shuffle" for fold in off}


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(N, st.integers(2, 6), st.integers(0, 999), st.integers(0, 4), PARENTS, SWAPPED)
def test_orders_are_judged_by_their_running_counts(kind, n, k, seed, digits, n_parents, n_swapped):
    """A fold whose bins are even is even in order if it is within two rows at every cut."""
    drawn = np.random.default_rng(seed)
    data = {"a": drawn.integers(0, n_parents, n), "x": drawn.normal(size=n).round(digits) + 0.25}
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


@given(NUMBERS, st.integers(2, 5), st.sampled_from([1, 0.5]))
def test_verdicts_of_an_order_agree(numbers: list[int], k: int, scale: float) -> None:
    """`check`, `report` and `compare` agree on random folds of a continuous column."""
    folds = np.random.default_rng(len(numbers)).integers(0, k, len(numbers)).tolist()
    data = make("polars", {"x": [number * scale for number in numbers], "fold": folds})
    for by in ("x", sf.continuous("x")):
        balance, strata = (findings_of(each, data, by=by) for each in ("balance", "strata"))
        said = [severity for severity, _ in balance]
        is_uneven = "warning" in [*said, *(severity for severity, _ in strata)]
        (word,) = values(sf.compare(data, by, "fold"), "verdict")
        assert (word == "uneven") is is_uneven
        assert is_uneven is ("uneven" in values(sf.report(data, by), "verdict"))
        assert (word == "even") is ("ok" in said)


@given(SIZES, st.integers(1, 60), st.integers(0, 2))
def test_sizes_are_judged_by_the_rule(sizes: list[int], n_each: int, start: int) -> None:
    """Sizes are wrong beyond a row, a tenth and four standard deviations of groups."""
    k = len(sizes)
    n = sum(sizes)
    cells = [(fold, row // n_each) for fold, size in enumerate(sizes, start) for row in range(size)]
    groups = Counter(cells)
    off = max(abs(Fraction(size) - Fraction(n, k)) for size in sizes)
    is_off = start < 2 and off > 1 and off > Fraction(n, 10 * k)
    squares = sum(rows**2 for rows in groups.values())
    is_wrong = is_off and k >= 3 and off**2 * k * k > 16 * squares * (k - 1)
    data = {"fold": [fold for fold, _ in cells], "g": [f"{fold} {place}" for fold, place in cells]}
    wrong = "note" if len(groups) == k else "warning"
    severity = wrong if is_wrong else "note" if is_off else "ok"
    assert findings_of("sizes", pd.DataFrame(data), groups="g") == [(severity, k)]


@given(DRIFTING, st.integers(0, 30), st.integers(2, 4))
def test_drift_is_judged_by_the_rule(numbers: list[int], shift: int, k: int) -> None:
    """A distance is wrong beyond twice its level of chance, 0.1, and five rows."""
    folds = [row % k for row in range(len(numbers))]
    x = [number + shift * (fold == 0) for number, fold in zip(numbers, folds, strict=True)]
    data = make("polars", {"x": x, "fold": folds})
    table = columns_of(sf.drift(data, "x"))
    wrong = beyond = 0
    measured = (table[name] for name in ("fold", "distance", "chance"))
    for fold, distance, chance in zip(*measured, strict=True):
        inside = [each for each, of in zip(x, folds, strict=True) if of == fold]
        outside = [each for each, of in zip(x, folds, strict=True) if of != fold]
        assert distance == pytest.approx(ks_2samp(inside, outside).statistic)
        moved = distance * len(inside) * len(outside) / len(x)
        beyond += distance > chance
        wrong += distance > 2 * chance and distance > 0.1 and moved >= 5
    severity = "warning" if wrong else "note" if beyond else "ok"
    assert findings_of("drift", data, features="x") == [(severity, wrong or beyond)]


def are_copies(column: Any) -> bool:
    """Return whether for some j more values occur j times than the numbers beside it explain."""
    times = Counter(Counter(column).values())
    for j in (2, 3, 4, 5):
        limits = [times[each] + 2 * times[each] ** 0.5 + 3 for each in (j - 1, j + 1)]
        if times[j] >= 20 and times[j] ** 2 > 3 * (j + 1) / j * prod(limits):
            return True
    return False


def are_folds(column: Any, folds: list[int]) -> bool:
    """Return whether values and folds are one-to-one."""
    n_folds = len({*folds})
    return n_folds == len({*column}) == len({*zip(column, folds, strict=True)}) > 1


def agreeing(columns: list[Any], folds: list[int], *, across: bool) -> int:
    """Count the pairs of rows that agree in all columns, in other folds only if `across`."""
    pairs = combinations(range(len(folds)), 2)
    compared = [(i, j) for i, j in pairs if not across or folds[i] != folds[j]]
    return sum(all(column[i] == column[j] for column in columns) for i, j in compared)


def is_within(found: int, expected: Fraction, lenient: int = 10) -> bool:
    """Return whether a multiple of the expected pairs, and some more by chance, are as many."""
    mean = float(lenient * expected)
    few = found <= 50 and poisson.sf(found - 1, float(expected)) > 0.001
    return few or found <= mean + 3 * mean**0.5


def counts_explain(columns: list[Any], folds: list[int], *, named: bool) -> bool:
    """Return whether independent columns with these counts give as many equal rows."""
    n = len(folds)
    pairs = list(combinations(range(n), 2))
    equal = agreeing(columns, folds, across=False)
    n_distinct = len({*zip(*columns, strict=True)})
    expected = Fraction(n**2, 2)
    shares = [Fraction(agreeing([column], folds, across=False), len(pairs)) for column in columns]
    for place, column in enumerate(columns):
        others = prod(shares[:place] + shares[place + 1 :])
        near = sum(1 <= abs(column[i] - column[j]) <= 10 for i, j in pairs) / 20
        is_rare = named or (min(near, 1) * float(others)) ** equal < 0.01
        n_values = len({*column})
        is_unique = 2 * n_values > n_distinct
        if not named and n_values == n_distinct and 2 * n_values <= n:
            is_unique = are_copies(column)
        own = equal if is_unique and is_rare else 0
        expected *= shares[place] - Fraction(own, len(pairs))
    return is_within(agreeing(columns, folds, across=True), expected)


def agreement_explains(columns: list[Any], folds: list[int], lenient: int) -> bool:
    """Return whether pairs that agree in all columns but one agree in it as other pairs do."""
    n_pairs = len(folds) * (len(folds) - 1) // 2
    found, equal = (agreeing(columns, folds, across=across) for across in (True, False))
    for place, column in enumerate(columns):
        others = columns[:place] + columns[place + 1 :]
        same, n_others = (agreeing(others, folds, across=across) for across in (True, False))
        alone = agreeing([column], folds, across=False)
        if alone < n_pairs:
            rest = n_pairs - n_others
            alike = Fraction(alone - equal, rest) if rest else Fraction(1)
            mostly = alike * same + Fraction(7, 10) * (same - alike * same)
            if found < mostly and is_within(found, alike * same, lenient):
                return True
    return False


def chance_explains(columns: list[Any], folds: list[int], lenient: int, *, has_ids: bool) -> bool:
    """Return whether the counts or the agreement explain equal rows, or one column alone varies."""
    varied = [column for column in columns if len({*column}) > 1]
    if len(varied) < 2:
        return has_ids or not any(map(are_copies, varied))
    return counts_explain(columns, folds, named=False) or agreement_explains(
        columns, folds, lenient
    )


def without_determined(columns: list[Any]) -> list[Any]:
    """Leave out what a column with at most half as many values as distinct rows determines."""
    n_distinct = len({*zip(*columns, strict=True)})
    numbers = [len({*column}) for column in columns]
    left = {*range(len(columns))}
    for place in sorted(left, key=lambda place: -numbers[place]):
        if place in left and 2 * numbers[place] <= n_distinct:
            for other in left - {place}:
                pairs = {*zip(columns[place], columns[other], strict=True)}
                left -= {other} if len(pairs) == numbers[place] else set()
    return [columns[place] for place in sorted(left)]


@given(COPIED, st.integers(0, 8), BOOL)
def test_equal_rows_are_judged_by_the_rules(rows: list[Any], copies: int, named: bool) -> None:
    """Equal rows are by chance if the counts of columns explain them, or how one goes with others.

    Numbers of which most are in one row are equal by chance if the other columns may be, and if a
    twentieth of the pairs of numbers 1 to 10 apart is enough. Fewer than three columns beside one
    that differs in every row are not judged. The numbers of values that occur 1 to 6 times decide
    if one column alone varies, or if one determines the whole row and has few values. Columns that
    another column determines may be left out.
    """
    rows = [(*row, place // 2) for place, row in enumerate(rows)]
    rows += rows[:copies]
    folds = [place % 2 for place in range(len(rows))]
    every = dict(zip("abcd", zip(*rows, strict=True), strict=True))
    # A column of different values looks like ids, and is compared only if it is named.
    columns = [each for each in every.values() if named or len({*each}) < len(rows)]
    has_ids = len(columns) < len(every)
    if named:
        by_chance = counts_explain(columns, folds, named=True)
    else:  # nor is one compared whose values are the folds
        columns = [each for each in columns if not are_folds(each, folds)]
        others = without_determined(columns)
        by_chance = chance_explains(columns, folds, 5, has_ids=has_ids)
        if len(others) < len(columns):
            by_chance |= chance_explains(others, folds, 2, has_ids=has_ids)
        by_chance |= has_ids and len(columns) < 3  # not judged, which is a note, too
    compared_rows = list(zip(*columns, strict=True))
    held = {*zip(compared_rows, folds, strict=True)}
    n_rows = sum((row, 0) in held and (row, 1) in held for row in compared_rows)
    data = make("polars", {**{name: [*each] for name, each in every.items()}, "fold": folds})
    severity = "ok" if not n_rows else "note" if by_chance else "leak"
    compared = list("abcd") if named else "auto"
    assert findings_of("duplicates", data, duplicates=compared) == [(severity, n_rows)]


def test_names_that_begin_alike_are_told_apart(kind: str) -> None:
    """A line cuts the middle of long names, and the table of findings has them in full."""
    towns = [f"North of the river and the old mill, {end}" for end in ("east", "west\nbank")]
    frame = make(kind, {"town": sorted(towns * 40), "fold": [0, 1, 2, 3] * 10 + [0] * 40})
    found = sf.check(frame, "town", duplicates=None)
    (line,) = (line for line in str(found).splitlines() if "town" in line)
    assert re.search(r"all 40 rows of 'North.*\u2026.*nbank' are in fold 0$", line)
    assert repr(towns[1]) in values(found.findings, "detail")[0]


EIGHT = {"y": ["a", "b"] * 40, "w": [10.0] * 80, "one": [1] * 80}


def line_of(data: dict[str, Any], kind: str = "polars", by: Any = None, **options: Any) -> str:
    """Write the severity of the finding on totals, its number of cells, and its line."""
    by = by or ["y", sf.total("w", "one")]
    frame = make(kind, data)
    found = sf.check(frame, by, duplicates=None, **options)
    ((severity, n, text),) = findings_on(found, "totals")
    return f"{severity} {n} {text}"


EVEN = "ok 0 w, one: totals within 0 % of their shares"
UNEVEN = "warning 2 total of 'w': fold 0 has 20 % more than its share"


def weighed(*heavy: float, **more: Any) -> dict[str, Any]:
    """Make 80 rows in folds 0 and 1; the first rows of fold 0 have other weights."""
    weights = [*heavy, *EIGHT["w"][len(heavy) :]]
    return {**EIGHT, "w": weights, "fold": [0] * 40 + [1] * 40, **more}


@pytest.mark.parametrize(
    ("data", "groups", "line"),
    [
        pytest.param(
            {"y": [*"aab"], "w": [2, 1, 1], "one": [1, 0, 1], "fold": [0, 1, 1]},
            None,
            EVEN,
            id="whole_rows",
        ),
        pytest.param(
            weighed(10.8, 10.8),
            None,
            "ok 0 w, one: totals within 0.2 % of their shares",
            id="a_little_off",
        ),
        pytest.param(
            weighed(30),
            None,
            "note 2 w, one: totals within 2.44 % of their shares",
            id="beyond_a_hundredth",
        ),
        pytest.param(
            weighed(110),
            None,
            "note 2 w, one: totals up to 11 % off their shares, which chance explains",
            id="one_heavy_row",
        ),
        pytest.param(weighed(*[15] * 40), None, UNEVEN, id="uneven"),
        pytest.param(
            weighed(*[1] * 40),
            None,
            "warning 2 total of 'w': fold 0 has 82 % less than its share",
            id="light_rows",
        ),
        pytest.param(weighed(*[0] * 80), None, EVEN, id="nothing_to_share"),
        pytest.param(weighed(*[1e308, -1e308] * 20), None, EVEN, id="sums_of_zero"),
        pytest.param(
            weighed(None, fold=[None] + [0] * 39 + [1] * 40), None, EVEN, id="row_without_a_fold"
        ),
        pytest.param(
            weighed(*[15] * 40, fold=["train"] * 40 + ["test"] * 40),
            None,
            "warning 2 total of 'w': part train has 20 % more than its share",
            id="parts",
        ),
        pytest.param(
            weighed(*[15] * 40, g=[row // 10 for row in range(80)]),
            "g",
            "note 2 w, one: totals up to 20 % off their shares, which chance explains",
            id="uneven_by_chance_of_groups",
        ),
        pytest.param(
            weighed(*[15] * 40, g=range(80)), "g", UNEVEN, id="uneven_whatever_the_groups"
        ),
    ],
)
def test_lines_on_totals(kind: str, data: dict[str, Any], groups: str | None, line: str) -> None:
    """A line says how even totals are, by the worst fold of any column.

    Chance may put four heavy groups of eight into one fold, but not forty heavy rows of eighty.
    """
    assert line_of(data, kind, groups=groups) == line


@pytest.mark.parametrize(
    ("by", "checks"),
    [
        pytest.param(sf.total("w"), ["totals", "sizes"], id="total"),
        pytest.param(sf.chain("w"), ["balance", "sizes"], id="chain"),
        pytest.param(["y", sf.continuous("w")], ["balance", "sizes"], id="order"),
    ],
)
def test_totals_are_judged_only_where_they_are_asked_for(by: Any, checks: list[str]) -> None:
    """Totals are judged only if `by` has `sf.total`, with or without strata."""
    data = make("polars", weighed(*[15] * 40))

    found = sf.check(data, by, duplicates=None)

    assert found.ok == ("totals" not in checks)
    assert found.findings["check"].to_list() == checks


def test_totals_of_a_column_whose_name_is_a_number() -> None:
    """The finding names the column as it is."""
    numbered = make("pandas", {1: [1.0, 9.0] * 40, "fold": [0, 1] * 40})
    assert "total of 1: fold 0 has" in sf.check(numbered, sf.total(1)).text


def test_totals_of_no_rows() -> None:
    """A report on totals of no rows has no rows."""
    assert sf.report(make("polars", weighed()).head(0), sf.total("w")).height == 0


def test_totals_of_computed_numbers() -> None:
    """A computed number is named by its place."""
    computed = sf.total("one", lambda frame: frame["one"].to_numpy() + frame["fold"].to_numpy())

    found = line_of(weighed(), "pandas", by=computed)

    assert found == "warning 2 total of 'column 2': fold 0 has 33 % less than its share"


WEIGHED = st.tuples(st.integers(-20, 200), st.integers(0, 2), st.integers(0, 9))


@given(st.lists(WEIGHED, min_size=2, max_size=60), st.sampled_from([1, 20]), BOOL, KIND)
def test_totals_are_judged_by_the_rules(rows: list[Any], times: int, in_groups: bool, kind: str):
    """Warnings need a tenth of the share, and four standard deviations of a random deal."""
    w, folds, groups = (list(each) for each in zip(*rows * times, strict=True))
    n = len(w)
    scale = sum(map(abs, w))
    mean = Fraction(sum(w), len(w))
    units = groups if in_groups else list(range(n))
    held = defaultdict[int, list[int]](list)
    beyond = Counter[int]()
    for x, fold, unit in zip(w, folds, units, strict=True):
        held[fold].append(x)
        beyond[unit] += x - mean
    squares = sum(each**2 for each in beyond.values())
    squares *= Fraction(len(beyond), max(len(beyond) - 1, 1))
    sizes = {fold: len(own) for fold, own in held.items()}
    is_equal = max(sizes.values()) - min(sizes.values()) <= 1

    def measure(shares: dict[int, Fraction]) -> tuple[dict[int, Fraction], int]:
        far = {}
        flagged = 0
        for fold, share in shares.items():
            off = abs(sum(held[fold]) - mean * n * share)
            far[fold] = off / (scale * share) if scale else Fraction(0)
            part = Fraction(sizes[fold], n)
            by_chance = 16 * squares * part * (1 - part)
            assume(abs(far[fold] - Fraction(1, 10)) > 1e-9)
            assume(not off or abs(off**2 - by_chance) > 1e-9 * off**2)
            flagged += far[fold] > 0.1 and off**2 > by_chance
        return far, flagged

    far, flagged = measure({fold: Fraction(size, n) for fold, size in sizes.items()})
    if is_equal:  # the kinder of two meanings of a share
        equal = measure(dict.fromkeys(sizes, Fraction(1, len(sizes))))
        far, flagged = min((far, flagged), equal, key=lambda each: max(each[0].values()))
    bounds = {f: Fraction(1, 100) + (0 if is_equal else Fraction(1, sizes[f])) for f in sizes}
    assume(all(abs(far[fold] - bounds[fold]) > 1e-9 for fold in far))
    data = {"w": w, "fold": folds, "g": groups}
    own = "g" if in_groups else None
    line = line_of(data, kind, by=sf.total("w"), groups=own)
    severity, n_off, *_ = line.split()
    noted = sum(far[fold] > bounds[fold] for fold in far)
    expected = "warning" if flagged else "note" if noted else "ok"
    assert (severity, int(n_off)) == (expected, flagged or noted)
    if not flagged:
        percent = float(line.partition(" %")[0].split()[-1])
        most = 100 * max(far.values())
        assert percent - (0.5 if percent >= 10 else 0.011) <= most <= percent + 0.5
