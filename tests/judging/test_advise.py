"""`advise`: against `sf.theory`, the folds of `kfold`, and those of scikit-learn."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import stratframe as sf
from stratframe import theory
from tests.helpers import FOLDED, TWO_KINDS, Make, columns_of, make, values

ADVISED = ["k", "verdict", "rarest", "per_fold", "lacking", "choice"]
OF_ROWS = ["variance_random", "variance_stratified", "ratio"]
IN_FULL = ["fold_size", "probability_any_missing", *OF_ROWS]
SHUFFLED = "as even as a shuffle"


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_advise_gives_the_formulas(frame: Make, kind: str) -> None:
    """The figures are those of `sf.theory`, for the rarest stratum."""
    data = frame({"label": ["a"] * 23 + ["b"] * 7 + ["c"] * 3})
    ks = [2, 3, 10, 11, 34]
    table = sf.advise(data, "label", ks, full=True)
    assert isinstance(table, pd.DataFrame if kind.startswith("pandas") else pl.DataFrame)
    found = columns_of(table)
    few = ks[:4]
    assert list(found) == ADVISED + IN_FULL
    assert columns_of(sf.advise(data, "label", ks)) == {name: found[name] for name in ADVISED}
    assert {name: found[name] for name in [*ADVISED, *IN_FULL[:3]]} == {
        "k": ks,
        "verdict": ["even"] * 4 + ["empty"],
        "rarest": ["c"] * 5,
        "per_fold": [*(round(3 / k, 2) for k in few), None],
        "lacking": [0, 0, 7, 8, 31],
        "choice": [False, True, False, False, False],
        "fold_size": [*(round(33 / k, 2) for k in few), None],
        "probability_any_missing": [*(theory.probability_any_missing(33, 3, k) for k in few), None],
        "variance_random": [*(theory.variance_random(33, k, 3 / 33) for k in few), None],
    }
    stratified = found["variance_stratified"]
    for place in (1, 3):  # 3 and 11 folds are of one size
        expected = theory.variance_stratified(33, ks[place], 3)
        assert stratified[place] == pytest.approx(expected)
    both = zip(stratified[:4], found["variance_random"][:4], strict=True)
    assert found["ratio"] == [*(one / other for one, other in both), None]
    alone = sf.advise(frame({"x": ["a"] * 30}), "x", [7], full=True)
    assert [values(alone, name) for name in OF_ROWS] == [[0], [0], [None]]


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_advise_counts_groups(frame: Make) -> None:
    """With groups, the rarest stratum is the one in the fewest groups."""
    label = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    who = [row // 3 for row in range(60)] + [row // 10 for row in range(30)] + list(range(90, 100))
    data = frame({"label": label, "who": who})
    found = columns_of(sf.advise(data, "label", [3, 5, 40], groups="who", full=True))
    # 20 groups of `a`, 0..2 of which are groups of `b`, too, and 10 of `c`
    assert {name: found[name] for name in ADVISED[1:]} == {
        "verdict": [SHUFFLED, SHUFFLED, "empty"],
        "rarest": ["b"] * 3,
        "per_fold": [10, 6, None],
        "lacking": [0, 2, 37],
        "choice": [True, False, False],
    }
    assert found["probability_any_missing"][1] == theory.probability_any_missing(30, 3, 5)
    assert [found[name] for name in OF_ROWS] == [[None] * 3] * 3
    data = frame({"x": [1] * 6, "a": [1, 1, None, None, 2, 2], "b": list("xyxyzz")})
    for groups, n in (("a", 4), (["a", "b"], 5)):
        words = values(sf.advise(data, "x", [n, n + 1], groups=groups), "verdict")
        assert words == [SHUFFLED, "empty"]


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
@given(st.lists(st.tuples(st.sampled_from("aab"), st.integers(0, 8)), min_size=12, max_size=40))
@settings(max_examples=10)
def test_no_fold_has_what_advise_says_it_lacks(kind: str, rows: list[tuple[str, int]]) -> None:
    """`kfold` by whole groups leaves at least so many folds without a stratum."""
    label, who = map(list, zip(*rows, strict=True))
    assume(len({*who}) > 4)
    data = make(kind, {"label": label, "who": who})
    lacking = values(sf.advise(data, "label", [4], groups="who"), "lacking")[0]
    folded = sf.kfold(data, "label", 4, groups="who")
    assert sum(absent > 0 for absent in values(sf.report(folded, "label"), "absent")) >= lacking


RAREST = [
    ("a", "missing", 0.5, True),
    (["b", "a"], "(2, missing)", 0.5, True),
    (sf.quantiles("id", 2), "(4, 8]", 2, True),
    ("price", "(0.5, 1]", 2, False),
    (sf.margins(["b", "a"]), "a: missing", 0.5, False),
    (["a", "price"], "(missing, [1, 1])", 0.5, False),
]


@pytest.mark.parametrize(("by", "rarest", "per_fold", "has_variance"), RAREST, ids=str)
def test_advise_names_the_rarest_stratum(frame, by, rarest, per_fold, has_variance):
    """Missing values are a stratum; variances of margins and orders depend on the rows."""
    data: dict[str, list[Any]] = {
        "a": [*"xxyyxxyy", None],
        "b": [1] * 4 + [2] * 5,
        "id": list(range(9)),
        "price": [row / 8 for row in range(9)],
    }
    found = columns_of(sf.advise(frame(data), by, 2, full=True))
    assert (found["rarest"], found["per_fold"]) == ([rarest], [per_fold])
    assert [found[name] != [None] for name in OF_ROWS] == [True, has_variance, has_variance]
    least = SHUFFLED if isinstance(by, type(sf.margins(["a"]))) else "even"
    assert found["verdict"] == ["too few rows" if "price" in str(by) else least]


@pytest.mark.parametrize("n", [125, 200, 201])
def test_advice_on_an_order_is_what_report_says(frame: Make, n: int) -> None:
    """`advise` and `report` agree from how many rows on an order can be told from a shuffle."""
    data = frame({"price": [row / 8 for row in range(n)]})
    ks = [2, 3, 5, 18, 28, 29, 30, 42, 60]
    made = [sf.kfold(data, sf.continuous("price"), k) for k in ks]
    found = [values(sf.compare(each, "price", "fold"), "verdict") for each in made]
    assert values(sf.advise(data, "price", ks), "verdict") == [word for (word,) in found]
    assert {word for (word,) in found} == {"even", "too few rows"}


@pytest.mark.parametrize("by", [sf.nearest("price"), sf.chain("price"), sf.total("price")], ids=str)
def test_orders_alone_are_one_stratum_that_is_not_judged(frame: Make, by: Any) -> None:
    """Entries that only order the rows make one stratum, which no verb calls even."""
    data = frame(FOLDED)
    found = [sf.advise(data, by, [2]), sf.report(data, by), sf.compare(data, by, "fold")]
    assert [values(each, "verdict")[0] for each in found] == ["not judged"] * 3
    assert (values(found[0], "rarest"), values(found[0], "per_fold")) == (["all rows"], [5])


@pytest.mark.parametrize("by", ["label", ["label", "sex"], sf.quantiles("age", 3)], ids=str)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
@given(seed=st.integers(0, 2**32))
def test_advised_variance_is_that_of_kfold(by: Any, seed: int) -> None:
    """The advised variance is that of the rarest stratum's share over the folds of `kfold`."""
    drawn = np.random.default_rng(seed)
    n = int(drawn.integers(9, 60))
    k = int(drawn.integers(2, 9))
    label = drawn.choice(list("abc"), n, p=[0.6, 0.3, 0.1])
    sex = drawn.integers(0, 2, n)
    age = drawn.integers(0, 90, n)
    data = pl.DataFrame({"label": label, "sex": sex, "age": age})
    advised = sf.advise(data, by, k, full=True)["variance_stratified"].item()
    table = sf.balance(sf.kfold(data, by, k, rare="ignore", seed=seed), by)
    strata = [name for name in table.columns if name in data.columns]
    found = table.group_by(strata).agg(pl.col("n").sum(), pl.col("share").var(ddof=0))
    rarest = found.filter(pl.col("n") == pl.col("n").min())["share"]
    assert min(abs(variance - advised) for variance in rarest) < 1e-12


def choose(ks: list[int], count: int, n_rows: int) -> int | None:
    """Choose a number of folds by the words of the rule, one k at a time."""
    best = None
    for k in sorted(ks):
        if k <= 10 and count >= k:
            best = k
    if best is not None:
        return best
    possible = [k for k in ks if k <= n_rows]
    return min(possible, key=lambda k: (max(k - count, 0), k), default=None)


@given(
    ks=st.lists(st.integers(2, 30), min_size=1, max_size=8, unique=True),
    count=st.integers(1, 40),
    others=st.integers(0, 40),
)
def test_one_k_is_the_choice(ks: list[int], count: int, others: int) -> None:
    """The choice is the largest k up to 10 that every class fills, or else that of least loss."""
    data = pl.DataFrame({"label": ["a"] * count + ["b"] * (count + others)})

    table = sf.advise(data, "label", ks)

    chosen = table.filter(pl.col("choice"))["k"].to_list()
    expected = choose(ks, count, len(data))
    assert chosen == ([] if expected is None else [expected])


def test_a_k_that_is_listed_twice_is_chosen_once() -> None:
    """The first of equal numbers of folds is the choice."""
    data = pl.DataFrame({"label": ["a", "b"] * 20})

    assert values(sf.advise(data, "label", [5, 10, 10]), "choice") == [False, True, False]
