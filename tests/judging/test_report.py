"""`report`, `compare` and `advise`: against brute force, SciPy, `sf.theory` and scikit-learn."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, columns_of, make, refuse_now, refuse_rule, values
from tests.judging.test_findings import crossed, judge, order_words
from tests.verbs.conftest import CLASSES

DATA = CLASSES | {"fold": [0, 0, 1, 2, 0, None, 1, 2]}
REPORT = ["fold", "n", "rows_off", "absent", "verdict"]
IN_FULL = ["rms_deviation", "random", "ratio", "tv_distance"]
SHUFFLED = "as even as a shuffle"
WORST_FIRST = ["uneven", SHUFFLED, "no less even than a shuffle", "too few rows", "even"]


def by_hand(levels, folds, classes, n_shown=1, groups=None, slack=0, ordered=None):
    """Measure each fold and judge it by the rules; `ordered` has numbers and their parents."""
    known = [row for row, fold in enumerate(folds) if fold is not None]
    levels = [[level[row] for row in known] for level in levels]
    own = [folds[row] for row in known]
    groups = groups and [groups[row] for row in known]
    judged = judge(levels, own, classes, n_shown, groups, slack)
    tables, off, spread, is_even, is_uneven, _ = zip(*judged, strict=True)
    totals = tables[0].sum(axis=0)
    shown = slice(len(levels) - n_shown, None)
    rms, random = (np.sqrt((np.concatenate(x[shown]) ** 2).mean(axis=0)) for x in (off, spread))
    words = order_words(*ordered, own) if ordered else dict.fromkeys(own, "even")
    good = [WORST_FIRST.index(words[fold]) for fold in sorted(words)]
    even, uneven = (np.concatenate(flags) for flags in (is_even, is_uneven))
    rank = np.where(even.all(axis=0), good, np.where(uneven.any(axis=0), 0, 1))
    figures = {
        "n": totals,
        "rows_off": np.concatenate(off).max(axis=0),
        "absent": (np.concatenate(tables[shown]) == 0).sum(axis=0),
        "verdict": [WORST_FIRST[place] for place in rank],
        "rms_deviation": rms,
        "random": random,
        "ratio": np.divide(rms, random, out=np.zeros(len(rms)), where=random > 0),
        "tv_distance": np.max([each.sum(axis=0) / totals / 2 for each in off[shown]], axis=0),
    }
    return [dict(zip(figures, row, strict=True)) for row in zip(*figures.values(), strict=True)]


def pooled(folds: list[dict[str, Any]]) -> dict[str, Any]:
    each = {name: [fold[name] for fold in folds] for name in folds[0]}
    rms, random = (np.sqrt(np.mean(np.square(each[name]))) for name in IN_FULL[:2])
    most = {name: max(each[name]) for name in ("rows_off", "tv_distance")}
    figures = {"rms_deviation": rms, "random": random, "ratio": rms / random if random else 0.0}
    return {"verdict": min(each["verdict"], key=WORST_FIRST.index), **most, **figures}


def is_same(table: Any, expected: list[dict[str, Any]]) -> None:
    """Compare words, and figures, those of two decimals up to rounding."""
    assert values(table, "verdict") == [row["verdict"] for row in expected]
    for name in expected[0].keys() - {"verdict"}:
        atol = 0.005 + 1e-9 if name in ("rows_off", "ratio") else 1e-9
        wanted = [row[name] for row in expected]
        np.testing.assert_allclose(values(table, name), wanted, rtol=1e-9, atol=atol)


FOLDS = st.sampled_from([None, 0, 1, 3])
CELL = st.tuples(st.sampled_from([None, "a", "b", "c"]), st.integers(0, 1), FOLDS)


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize("groups", [None, "who"])
@given(rows=st.lists(CELL, min_size=1, max_size=40), copies=st.integers(1, 4))
def test_figures_are_those_of_counting(kind: str, groups: Any, rows: list[Any], copies: int):
    """All levels, margins and groups of the rows with a fold are measured and judged by rules."""
    a, b, folds = map(list, zip(*[row for row in rows for _ in range(copies)], strict=True))
    assume(set(folds) != {None})
    who = [row // copies // 2 for row in range(len(a))]
    data = make(kind, {"a": a, "b": b, "who": who, "fold": folds})
    own = who if groups else None
    nested = (["a", "b"], [a, list(zip(a, b, strict=True))], [True, False], 1)
    margins = (sf.margins(["a", "b"]), [a, b], [True, True], 2)
    for by, levels, classes, n_shown in (("a", [a], [True], 1), nested, margins):
        expected = by_hand(levels, folds, classes, n_shown, own)
        found = sf.report(data, by, groups=groups, full=True)
        assert values(found, "fold") == sorted({*folds} - {None})
        is_same(found, expected)
        is_same(sf.compare(data, by, "fold", groups=groups, full=True), [pooled(expected)])


def bins_of(column: list[Any], parents: list[Any], k: int) -> list[int]:
    """Cut each parent stratum at quantiles of NumPy, into up to five bins of 2 k rows or more."""
    numbers = np.array(column, dtype=float)
    found = np.zeros(len(column), dtype=int)
    for parent in set(parents):
        rows = [row for row, own in enumerate(parents) if own == parent]
        n_bins = min(5, max(1, len(rows) // (2 * k)))
        shares = np.arange(1, n_bins) / n_bins
        cuts = np.unique(np.quantile(numbers[rows], shares, method="inverted_cdf"))
        found[rows] = np.searchsorted(cuts, numbers[rows])
    return found.tolist()


def are_dealt(classes: list[int], folds: list[int]) -> bool:
    """Return whether all classes are even, and fewer of their pairs in one fold than by chance."""
    table = crossed(classes, folds)
    pairs = [*combinations(zip(classes, folds, strict=True), 2)]
    rows = table.sum(axis=1, keepdims=True)
    totals = table.sum(axis=0)
    is_even = (np.abs(table - rows * totals / len(folds)) <= 1 + rows / len(folds)).all()
    share = np.square(totals / len(folds)).sum()
    alike = sum(one[0] == other[0] for one, other in pairs)
    both = sum(one == other for one, other in pairs)
    return bool(is_even and both < alike * share - 2.33 * np.sqrt(alike * share))


ORDERS: dict[str, tuple[Any, int]] = {
    "fractions": ("half", 2),
    "inside": (["label", "half"], 2),
    "named": (sf.continuous("wide"), 2),
    "guessed": ("wide", 2),
    "guessed inside": (["label", "wide"], 2),
    "rare values": ("month", 2),
    "classes of many numbers": (sf.classes("wide"), 2),
    "classes of few numbers": ("few", 0),
}
"""Entries, and the rows that a bin or class may be off beyond rounding."""


@pytest.mark.parametrize("case", ORDERS)
@pytest.mark.parametrize(("n", "k"), [(120, 4), (30, 5), (14, 3)])
def test_orders_are_judged_in_bins(frame: Make, case: str, n: int, k: int) -> None:
    """An order is judged in up to five bins, which may be off by a row at each cut."""
    drawn = np.random.default_rng(0)
    by, slack = ORDERS[case]
    wide = drawn.integers(0, 60, n)
    data = {
        "wide": wide,
        "half": wide / 2 + 0.25,
        "few": wide % 7,
        "month": np.arange(n) % 11,
        "label": drawn.choice(["a", "b"], n, p=[0.7, 0.3]),
        "all": np.zeros(n),
    }
    data = {column: each.tolist() for column, each in data.items()}
    *parents, last = by if isinstance(by, list) else [by]
    name = last if isinstance(last, str) else "wide"
    above = data["label"] if parents else data["all"]
    # With 11 rows of each month for four folds, months are classes.
    is_cut = not case.startswith("classes") and (case != "rare values" or n < 100)
    strata = list(zip(above, bins_of(data[name], above, k) if is_cut else data[name], strict=True))
    levels = [*(data[parent] for parent in parents), strata]
    classes = [True, False] if parents else [not is_cut]
    for folds in (drawn.integers(0, k, n).tolist(), [place * k // n for place in range(n)]):
        found = sf.report(frame(data | {"fold": folds}), by, full=True)
        ordered = (data[name], above) if is_cut else None
        own = slack
        if case == "rare values" and are_dealt(data[name], folds):
            ordered = None
            own = n
        is_same(found, by_hand(levels, folds, classes, slack=own, ordered=ordered))


ROW = st.tuples(st.sampled_from("aaaaaaabbcde"), st.integers(0, 99), st.integers(0, 9))
KFOLD_BY = ["label", ["label", "size"], "price", ["label", "price"], sf.quantiles("price", 3)]


@pytest.mark.parametrize("by", [*KFOLD_BY, sf.continuous("size")], ids=str)
@given(
    kind=st.sampled_from(TWO_KINDS),
    rows=st.lists(ROW, min_size=10, max_size=80),
    k=st.integers(2, 5),
    seed=st.integers(0, 9),
    times=st.sampled_from([1, 9]),
)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_columns_of_kfold_are_even(
    by: Any, kind: str, rows: list[Any], k: int, seed: int, times: int
) -> None:
    """Whatever the strata, all folds of `kfold` are even, as `advise` says they will be."""
    label, number, size = map(list, zip(*rows * times, strict=True))
    price = [(each + place * (times > 1)) / 8 for place, each in enumerate(number)]
    data = make(kind, {"label": label, "price": price, "size": size})
    folded = sf.kfold(data, by, k, rare="ignore", seed=seed)
    last = by[-1] if isinstance(by, list) else by
    is_order = "continuous" in str(by) or (last == "price" and any(x % 1 for x in price))
    words = order_words(price, price, values(folded, "fold")).values()
    even = "too few rows" if is_order and "too few rows" in words else "even"
    assert set(values(sf.report(folded, by), "verdict")) == {even}
    assert values(sf.compare(folded, by, "fold"), "verdict") == [even]
    assert values(sf.advise(data, by, k), "verdict") == [even]


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_columns_of_the_tables(frame: Make, kind: str) -> None:
    """Folds are listed under the name of their column, unless the table has this name."""
    data = frame({**DATA, "inner": [0, 1] * 4, "ratio": [1, 0] * 4})
    compared = ["column", "rows_off", "drift", "verdict"]
    each = REPORT[1:]
    for found, columns in (
        (sf.report(data, "label", full=True), REPORT + IN_FULL),
        (sf.report(data, "label", ["inner"]), ["inner", *each]),
        (sf.report(data, "label", "ratio"), REPORT),
        (sf.report(data, "label", ["inner", "fold"]), ["column", *REPORT]),
        (sf.compare(data, "label", "fold", "size"), compared),
        (sf.compare(data, "label", "fold", "size", full=True), compared + IN_FULL),
    ):
        assert list(found.columns) == columns
        assert isinstance(found, pd.DataFrame if kind.startswith("pandas") else pl.DataFrame)


def test_compare_has_a_row_for_each_column(frame: Make) -> None:
    """`compare` lists the figures of each column, and its largest drift."""
    rows = range(40)
    names = ["sorted", "even"]
    data = {"label": ["a", "a", "b", "b"] * 10, "x": list(rows), "even": [i // 4 % 5 for i in rows]}
    df = frame(data | {"sorted": [i // 10 for i in rows]})
    found = columns_of(sf.compare(df, "label", names, ["x"]))
    drifts = [max(values(sf.drift(df, "x", name, full=True), "ratio")) for name in names]
    assert found == {"column": names, "rows_off": [1, 0], "drift": drifts, "verdict": ["even"] * 2}
    assert drifts[1] <= 1 < drifts[0]


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_parts_and_those_without_rows(frame: Make) -> None:
    """Parts are listed in their order; one without rows is empty."""
    data = sf.split(frame(DATA), parts={"train": 6, "test": 2})
    assert values(sf.report(data, "size", "split"), "split") == ["train", "test"]
    parts = pd.DataFrame({"x": [1, 2], "p": pd.Categorical(["a", "a"], ["a", "b"])})
    found = columns_of(sf.report(parts, "x", "p", full=True))
    figures = [[0, 0], [0, 2], ["even", "empty"], [0, 0], [0, 0], [0, None], [0, None]]
    assert list(found.values()) == [["a", "b"], [2, 0], *figures]
    assert values(sf.compare(parts, "x", "p"), "verdict") == ["even"]
    empty = frame({**DATA, "x": [1] * 8}).head(0)
    found = columns_of(sf.compare(empty, "label", "fold", "x", full=True))
    assert list(found.values()) == [["fold"], [0], [None], ["empty"], [0], [0], [None], [0]]


PATIENTS = {
    "y": [0, 0, 0, 1] * 15,
    "label": list("aab") * 20,
    "sick": [True, False, False] * 20,
    "price": [place / 8 for place in range(60)],
    "fold": [0, 1, 2, 3, 4] * 12,
    "split": ["train", "train", "test"] * 20,
    "purpose": ["test", "dev", "train"] * 20,
    "inner": [1, 0, 2, 1, 0, 2, 1, 1, 0, 2] * 6,
    "one": list(range(60)),
    "id": [f"p{place}" for place in range(60)],
    "manifold": list("xyz") * 20,
    "dose": [place / 8 for place in range(30)] * 2,
}

MEASURES = [sf.report, sf.balance, sf.compare, sf.check, sf.plot]
"""The verbs that take `by`, and then the name of the fold column."""

FOLD_IN_BY = "`by` must name columns other than the fold column, but includes 'fold'."


@pytest.mark.parametrize("verb", MEASURES)
def test_by_is_the_fold_column(frame: Make, verb: Any) -> None:
    """Every verb refuses to compare folds by the folds themselves."""
    refuse_rule(FOLD_IN_BY, lambda: verb(frame(PATIENTS), "fold", "fold"))


LEVELS = pd.DataFrame(PATIENTS)
LEVELS.columns = pd.MultiIndex.from_product([LEVELS.columns, [""]])


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda df: sf.report(df, ["y", "fold"]), id="list"),
        pytest.param(lambda df: sf.report(df, sf.classes("fold")), id="term"),
        pytest.param(lambda df: sf.report(df, sf.margins(["fold"])), id="margins"),
        pytest.param(lambda _: sf.report(pl.DataFrame(PATIENTS), pl.col("fold")), id="expression"),
        pytest.param(lambda _: sf.report(LEVELS, [("fold", "")]), id="levels"),
    ],
)
def test_by_includes_the_fold_column(frame: Make, call: Callable[[Any], Any]) -> None:
    """The fold column is refused in whatever form `by` includes it."""
    refuse_rule(FOLD_IN_BY, lambda: call(frame(PATIENTS)))


def test_the_fold_column_is_no_feature() -> None:
    """The fold column alone is refused as a feature."""
    df = pd.DataFrame(PATIENTS)
    with pytest.raises(sf.StratError, match="`features` must name columns other than the fold"):
        sf.drift(df, "fold")


SWAPPED = (
    "`by` must be a column by which to compare folds, but {by!r} looks like folds, and {name!r}"
    " does not.\n"
    'Hint: swap them: pass `by="{name}"`, and "{by}" as the fold column. If {by!r} is meant, pass'
    ' `by=sf.classes("{by}")`.'
)


@pytest.mark.parametrize("verb", MEASURES)
def test_by_and_name_are_swapped(frame: Make, verb: Any) -> None:
    """Folds as `by`, and a label as their name, are refused with the call that is meant."""
    message = SWAPPED.format(by="fold", name="y")
    refuse_now(message, lambda: verb(frame(PATIENTS), "fold", "y"))


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize(("by", "name"), [("split", "y"), ("fold", "label"), ("fold", "sick")])
def test_columns_that_are_swapped(frame: Make, by: str, name: str) -> None:
    """Numbers, text and flags are labels if their names are no names of folds."""
    message = SWAPPED.format(by=by, name=name)
    refuse_now(message, lambda: sf.report(frame(PATIENTS), by, name))


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda df: sf.report(df, "label", "price"), id="report"),
        pytest.param(lambda df: sf.balance(df, "label", "price"), id="balance"),
        pytest.param(lambda df: sf.cv(df, "price"), id="cv"),
        pytest.param(lambda df: sf.folds(df, "price"), id="folds"),
        pytest.param(lambda df: sf.parts(df, "price"), id="parts"),
        pytest.param(lambda df: sf.drift(df, "y", "price"), id="drift"),
        pytest.param(lambda df: sf.check(df, name="price"), id="check"),
        pytest.param(lambda df: sf.leaks(df, name="price"), id="leaks"),
        pytest.param(lambda df: sf.FoldSplit("price").split(df), id="FoldSplit"),
        pytest.param(lambda df: sf.compare(df, "label", ["fold", "price"]), id="compare"),
    ],
)
def test_numbers_with_fractions_are_no_folds(frame: Make, call: Callable[[Any], Any]) -> None:
    """A column of many fractions was meant as another argument."""
    refuse_now(
        "Column 'price' must hold folds, but it has 60 different fractions in 60 rows.\n"
        "Hint: name the fold column, such as 'fold'; several columns to stratify by go in a list,"
        " as in `['label', 'price']`.",
        lambda: call(frame(PATIENTS)),
    )


@pytest.mark.parametrize(
    ("by", "name"),
    [
        pytest.param("fold", "inner", id="other_folds"),
        pytest.param("fold", "purpose", id="parts_of_another_name"),
        pytest.param("fold", "split", id="parts"),
        pytest.param(["fold"], "label", id="in_a_list"),
        pytest.param(sf.classes("fold"), "label", id="as_a_term"),
        pytest.param("y", "label", id="labels"),
        pytest.param("label", "fold", id="in_their_places"),
        pytest.param("manifold", "y", id="name_that_ends_as_folds"),
    ],
)
def test_arguments_that_are_not_swapped(frame: Make, by: Any, name: str) -> None:
    """Folds may be compared by other folds, by sites, and by what is said to be meant."""
    assert len(sf.report(frame(PATIENTS), by, name)) > 1


def test_the_fold_column_among_features() -> None:
    """Drift may list the fold column among other features."""
    assert len(sf.drift(pd.DataFrame(PATIENTS), ["fold", "y"])) == 10


def test_conditions_on_the_fold_column() -> None:
    """A condition on the folds is a column other than the folds."""
    assert len(sf.report(pl.DataFrame(PATIENTS), pl.col("fold") > 2)) == 5


@pytest.mark.parametrize(("name", "n"), [("one", 60), ("id", 60), ("dose", 30)])
def test_many_folds_that_are_folds(frame: Make, name: str, n: int) -> None:
    """Leave-one-out folds, ids, and fractions of several rows each may be folds."""
    df = frame(PATIENTS)
    assert len(sf.report(df, "label", name)) == len(sf.cv(df, name)) == n
