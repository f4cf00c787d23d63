"""`report`, `compare` and `advise`: against brute force, SciPy, `sf.theory` and scikit-learn."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, currently_in_test_context, given
from hypothesis import strategies as st
from scipy.stats import hypergeom

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, columns_of, evaluate, make, refuse_now, values
from tests.verbs.test_findings import order_words

DATA: dict[str, Any] = {
    "label": ["a", "b", None, "a", "a", "b", "c", "a"],
    "size": [1, 1, 2, 2, 1, 1, 2, 1],
    "fold": [0, 0, 1, 2, 0, None, 1, 2],
}

REPORT = ["fold", "n", "rows_off", "absent", "verdict"]
IN_FULL = ["rms_deviation", "random", "ratio", "tv_distance"]
SHUFFLED = "as even as a shuffle"
WORST_FIRST = ["uneven", SHUFFLED, "no less even than a shuffle", "too few rows", "even"]


def crossed(rows: Sequence[Any], columns: Sequence[Any]) -> np.ndarray:
    """Count each value of the one beside each value of the other."""
    codes = [np.unique([*map(str, each)], return_inverse=True)[1] for each in (rows, columns)]
    table = np.zeros([code.max() + 1 for code in codes], dtype=np.int64)
    np.add.at(table, tuple(codes), 1)
    return table


def by_hand(
    levels: Sequence[Sequence[Any]],
    folds: Sequence[Any],
    classes: Sequence[bool],
    n_shown: int = 1,
    groups: Sequence[Any] | None = None,
    slack: int = 0,
    ordered: tuple[Sequence[Any], Sequence[Any]] | None = None,
) -> list[dict[str, Any]]:
    """Measure each fold by its counts, with the variance of SciPy, and judge it by the rules.

    `levels` have the stratum of every row, or the class, of which the last `n_shown` are in tables,
    and the last may be `slack` rows off beyond rounding. Rows may be ordered by numbers in parents.
    """
    known = [row for row, fold in enumerate(folds) if fold is not None]
    levels, own = [[level[row] for row in known] for level in levels], [folds[row] for row in known]
    off, spread, tv, is_even, is_uneven = [], [], [], [], []
    for level, are_classes in zip(levels, classes, strict=True):
        table = crossed(level, own)
        sizes, totals, n = table.sum(axis=1, keepdims=True), table.sum(axis=0), len(known)
        expected = sizes * totals / n
        off.append(np.abs(table - expected))
        tv.append(off[-1].sum(axis=0) / totals / 2)
        if groups is None:
            with np.errstate(all="ignore"):  # SciPy computes the kurtosis, too
                spread.append(np.sqrt(np.nan_to_num(hypergeom.var(n, sizes, totals))))
        else:
            rows = crossed(level, [groups[row] for row in known])
            squares = (rows - sizes * rows.sum(axis=0) / n) ** 2
            share = totals / n
            spread.append(np.sqrt(squares.sum(axis=1, keepdims=True) * share * (1 - share)))
        near = 1 + sizes / n + slack * (level is levels[-1]) + 1e-9
        far = np.maximum(expected / 10, 0 if groups is None else 4 * spread[-1]) + 1e-9
        beyond = near + (level is not levels[-1] and n_shown == 1)
        is_even.append(off[-1] <= near)
        is_uneven.append((expected >= 1) & (off[-1] > np.maximum(beyond, far)))
        if groups is None:
            n_cells = sum(crossed(each, own).size for each in levels)
            dealt = hypergeom(n, sizes, totals)
            chance = np.where(table > expected, dealt.sf(table - 1), dealt.cdf(table)) * n_cells
            if currently_in_test_context():  # a bound is compared, 11 % above at most
                assume(not ((chance > 0.0088) & (chance < 0.01)).any())
            lacks = (table == 0) & (chance < 0.05) & are_classes
            is_uneven[-1] = (is_uneven[-1] & (chance < 0.01)) | lacks
    shown = slice(len(levels) - n_shown, None)
    joint = np.concatenate([crossed(level, own) for level in levels[shown]])
    rms, random = (np.sqrt((np.concatenate(x[shown]) ** 2).mean(axis=0)) for x in (off, spread))
    even, uneven = (np.concatenate(flags) for flags in (is_even, is_uneven))
    words = order_words(*ordered, own) if ordered else dict.fromkeys(own, "even")
    good = [WORST_FIRST.index(words[fold]) for fold in sorted(words)]
    rank = np.where(even.all(axis=0), good, np.where(uneven.any(axis=0), 0, 1))
    figures = {
        "n": totals,
        "rows_off": np.concatenate(off).max(axis=0),
        "absent": (joint == 0).sum(axis=0),
        "verdict": [WORST_FIRST[place] for place in rank],
        "rms_deviation": rms,
        "random": random,
        "ratio": np.divide(rms, random, out=np.zeros(len(rms)), where=random > 0),
        "tv_distance": np.max(tv[shown], axis=0),
    }
    return [dict(zip(figures, row, strict=True)) for row in zip(*figures.values(), strict=True)]


def pooled(folds: list[dict[str, Any]]) -> dict[str, Any]:
    """Put the figures of folds together, as `compare` does."""
    each = {name: [fold[name] for fold in folds] for name in folds[0]}
    rms, random = (np.sqrt(np.mean(np.square(each[name]))) for name in IN_FULL[:2])
    return {
        "rows_off": max(each["rows_off"]),
        "verdict": min(each["verdict"], key=WORST_FIRST.index),
        "rms_deviation": rms,
        "random": random,
        "ratio": rms / random if random else 0.0,
        "tv_distance": max(each["tv_distance"]),
    }


def is_same(table: Any, expected: Sequence[dict[str, Any]]) -> None:
    """Compare words, and figures, those of two decimals up to rounding."""
    assert values(table, "verdict") == [row["verdict"] for row in expected]
    for name in expected[0].keys() - {"verdict"}:
        atol = 0.005 + 1e-9 if name in ("rows_off", "ratio") else 1e-9
        wanted = [row[name] for row in expected]
        np.testing.assert_allclose(values(table, name), wanted, rtol=1e-9, atol=atol)


# Figures and verdicts ---------------------------------------------------------------------

CELL = st.tuples(
    st.sampled_from([None, "a", "b", "c"]), st.integers(0, 1), st.sampled_from([None, 0, 1, 3])
)


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize("groups", [None, "who"])
@given(rows=st.lists(CELL, min_size=1, max_size=40), copies=st.integers(1, 4))
def test_figures_are_those_of_counting(
    kind: str, groups: str | None, rows: list[Any], copies: int
) -> None:
    """All levels, margins and groups of the rows with a fold are measured and judged by rules."""
    a, b, folds = map(list, zip(*[row for row in rows for _ in range(copies)], strict=True))
    assume(set(folds) != {None})
    who = [row // copies // 2 for row in range(len(a))]
    data, own = make(kind, {"a": a, "b": b, "who": who, "fold": folds}), who if groups else None
    for by, levels, classes, n_shown in (
        ("a", [a], [True], 1),
        (["a", "b"], [a, list(zip(a, b, strict=True))], [True, False], 1),
        (sf.margins(["a", "b"]), [a, b], [True, True], 2),
    ):
        expected = by_hand(levels, folds, classes, n_shown, own)
        found = sf.report(data, by, groups=groups, full=True)
        assert values(found, "fold") == sorted({*folds} - {None})
        is_same(found, expected)
        is_same(sf.compare(data, by, "fold", groups=groups, full=True), [pooled(expected)])


def bins_of(column: list[Any], parents: list[Any], k: int) -> list[int]:
    """Cut each parent stratum at quantiles of NumPy, into up to five bins of 2 k rows or more."""
    numbers, found = np.array(column, dtype=float), np.zeros(len(column), dtype=int)
    for parent in set(parents):
        rows = [row for row, own in enumerate(parents) if own == parent]
        n_bins = min(5, max(1, len(rows) // (2 * k)))
        shares = np.arange(1, n_bins) / n_bins
        cuts = np.unique(np.quantile(numbers[rows], shares, method="inverted_cdf"))
        found[rows] = np.searchsorted(cuts, numbers[rows])
    return found.tolist()


def are_dealt(classes: Sequence[int], folds: Sequence[int]) -> bool:
    """Return whether all classes are even, and fewer of their pairs in one fold than by chance."""
    table, pairs = crossed(classes, folds), [*combinations(zip(classes, folds, strict=True), 2)]
    off = table - table.sum(axis=1, keepdims=True) * table.sum(axis=0) / len(folds)
    share = np.square(table.sum(axis=0) / len(folds)).sum()
    alike = sum(one[0] == other[0] for one, other in pairs)
    both = sum(one == other for one, other in pairs)
    is_rare = both < alike * share - 2.33 * np.sqrt(alike * share)
    return bool(
        is_rare and (np.abs(off) <= 1 + table.sum(axis=1, keepdims=True) / len(folds)).all()
    )


ORDERS: dict[str, tuple[Any, int]] = {
    "fractions": ("half", 2),
    "named": (sf.continuous("wide"), 2),
    "inside": (["label", "half"], 2),
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
    """An order, named or guessed, is shown in up to five bins, which may be off where cut."""
    drawn, (by, slack) = np.random.default_rng(0), ORDERS[case]
    wide = drawn.integers(0, 60, n)
    data = {"wide": wide, "half": wide / 2 + 0.25, "few": wide % 7, "month": np.arange(n) % 11}
    data |= {"label": drawn.choice(["a", "b"], n, p=[0.7, 0.3]), "all": np.zeros(n)}
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
        ordered, own = (data[name], above) if is_cut else None, slack
        if case == "rare values" and are_dealt(data[name], folds):
            ordered, own = None, n
        is_same(found, by_hand(levels, folds, classes, slack=own, ordered=ordered))


KFOLD_BY = ["label", ["label", "size"], "price", ["label", "price"], sf.quantiles("price", 3)]


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize("by", [*KFOLD_BY, sf.continuous("size")], ids=str)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("aaaaaaabbcde"), st.integers(0, 99), st.integers(0, 9)),
        min_size=10,
        max_size=80,
    ),
    k=st.integers(2, 5),
    seed=st.integers(0, 9),
    times=st.sampled_from([1, 9]),
)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_columns_of_kfold_are_even(
    kind: str, by: Any, rows: list[tuple[Any, ...]], k: int, seed: int, times: int
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


# The tables -------------------------------------------------------------------------------


def test_columns_of_the_tables(frame: Make, kind: str) -> None:
    """The folds are under the name of their column, unless the table has that name itself."""
    data = frame({**DATA, "inner": [0, 1] * 4, "ratio": [1, 0] * 4})
    compared, each = ["column", "rows_off", "drift", "verdict"], REPORT[1:]
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
    """Each column has its own figures, and the largest ratio of the drift of its folds."""
    rows, names = range(40), ["sorted", "even"]
    data = {"label": ["a", "a", "b", "b"] * 10, "x": list(rows), "even": [i // 4 % 5 for i in rows]}
    df = frame(data | {"sorted": [i // 10 for i in rows]})
    found = columns_of(sf.compare(df, "label", names, ["x"]))
    drifts = [max(values(sf.drift(df, "x", name, full=True), "ratio")) for name in names]
    assert found == {"column": names, "rows_off": [1, 0], "drift": drifts, "verdict": ["even"] * 2}
    assert drifts[1] <= 1 < drifts[0]


def test_parts_and_those_without_rows(frame: Make) -> None:
    """Parts are in their order; one without rows is empty, and lacks all strata."""
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


# Arguments in each other's place ----------------------------------------------------------

MEASURES = ["report", "balance", "compare", "check", "plot"]

PATIENTS = {
    "y": [0, 0, 0, 1] * 15,
    "label": list("aab") * 20,
    "sick": [True, False, False] * 20,
    "price": [place / 8 for place in range(60)],
    "fold": [0, 1, 2, 3, 4] * 12,
    "split": ["train", "train", "test"] * 20,
    "inner": [1, 0, 2, 1, 0, 2, 1, 1, 0, 2] * 6,
    "purpose": ["test", "dev", "train"] * 20,
    "one": list(range(60)),
    "id": [f"p{place}" for place in range(60)],
    "dose": [place / 8 for place in range(30)] * 2,
    "manifold": list("xyz") * 20,
}


@pytest.mark.parametrize("verb", MEASURES)
@pytest.mark.parametrize("by", ["fold", ["y", "fold"], sf.classes("fold"), sf.margins(["fold"])])
def test_folds_compared_by_themselves(frame: Make, verb: str, by: Any) -> None:
    """The fold column as what the folds are compared by is an error that says what is wanted."""
    refuse_now(
        "`by` must be columns other than the folds, but both are 'fold'.\n"
        'Hint: name what the folds are compared by, as in `by="label"`.',
        lambda: getattr(sf, verb)(frame(PATIENTS), by, "fold"),
    )


def test_other_forms_of_the_fold_column() -> None:
    """A Polars column, a column under levels and a feature may be the folds as well."""
    message, plain = "must be columns other than the folds, but both are", pd.DataFrame(PATIENTS)
    deep = plain.set_axis(pd.MultiIndex.from_product([plain.columns, [""]]), axis=1)
    for argument, call in {
        "by": lambda: sf.report(pl.DataFrame(PATIENTS), pl.col("fold")),
        "`by": lambda: sf.report(deep, [("fold", "")]),
        "features": lambda: sf.drift(plain, "fold"),
    }.items():
        with pytest.raises(sf.StratError, match=f"{argument}` {message}"):
            call()
    assert len(sf.drift(plain, ["fold", "y"])) == 10
    assert len(sf.report(pl.DataFrame(PATIENTS), pl.col("fold") > 2)) == 5


@pytest.mark.parametrize("verb", MEASURES)
@pytest.mark.parametrize("by", ["fold", "split"])
@pytest.mark.parametrize("name", ["y", "label", "sick"])
def test_swapped_arguments(frame: Make, verb: str, by: str, name: str) -> None:
    """Folds as what to compare by, and labels as folds, are told to swap."""
    refuse_now(
        f"`by` must be what folds are compared by, but {by!r} looks like the folds, and"
        f' {name!r} does not.\nHint: swap them, `by="{name}"` and "{by}" as the fold column; or if'
        f' this is meant, `by=sf.classes("{by}")`.',
        lambda: getattr(sf, verb)(frame(PATIENTS), by, name),
    )


@pytest.mark.parametrize(
    ("by", "name"),
    [
        *(("fold", "inner"), ("fold", "purpose"), ("fold", "split"), (["fold"], "label")),
        *((sf.classes("fold"), "label"), ("y", "label"), ("label", "fold"), ("manifold", "y")),
    ],
)
def test_arguments_that_are_not_swapped(frame: Make, by: Any, name: str) -> None:
    """Folds may be compared by other folds, by sites, and by what is said to be meant."""
    assert len(sf.report(frame(PATIENTS), by, name)) > 1


READS = [
    *("sf.report(df, 'label', 'price')", "sf.balance(df, 'label', 'price')"),
    *("sf.cv(df, 'price')", "sf.folds(df, 'price')", "sf.parts(df, 'price')"),
    *("sf.drift(df, 'y', 'price')", "sf.check(df, name='price')", "sf.leaks(df, name='price')"),
    *("sf.FoldSplit('price').split(df)", "sf.compare(df, 'label', ['fold', 'price'])"),
]


@pytest.mark.parametrize("call", READS)
def test_measurements_are_no_folds(frame: Make, call: str) -> None:
    """A column of fractions, nearly as many as rows, is refused as a fold column everywhere."""
    refuse_now(
        "Column 'price' must hold folds, but it has 60 different fractions in 60 rows.\n"
        "Hint: name the fold column, such as 'fold'; several columns to stratify by go in a list,"
        " as in `['label', 'price']`.",
        lambda: evaluate(call, df=frame(PATIENTS)),
    )


@pytest.mark.parametrize(("name", "n"), [("one", 60), ("id", 60), ("dose", 30)])
def test_many_folds_that_are_folds(frame: Make, name: str, n: int) -> None:
    """Leave-one-out folds, ids, and fractions of several rows each are what they are."""
    df = frame(PATIENTS)
    assert len(sf.report(df, "label", name)) == len(sf.cv(df, name)) == n
