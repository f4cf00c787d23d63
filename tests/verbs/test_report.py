"""`report` and `advise`: against the balance table, SciPy, scikit-learn and simulations."""

import string
import warnings
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

import stratframe as sf
from stratframe import theory
from stratframe.verbs.report import describe_evenness, measure_folds
from stratframe.verbs.sides import side_of
from tests.helpers import KINDS, Make, columns_of, eager, evaluate, make, refuse_now, values

DATA: dict[str, Any] = {
    "label": ["a", "b", None, "a", "a", "b", "c", "a"],
    "size": [1, 1, 2, 2, 1, 1, 2, 1],
    "fold": [0, 0, 1, 2, 0, None, 1, 2],
}

COMPARED = ["rows_off", "optimum", "ratio"]
REPORT = ["fold", "n", *COMPARED, "missing", "verdict"]
ROUNDING = 0.005 + 1e-9
IN_FULL = ["rms_deviation", "random", "tv_distance"]


def test_report_measures_the_deviations_from_the_whole(frame: Make, kind: str) -> None:
    """The measures are those of the counts; rows without a fold are part of the whole."""
    found = columns_of(table := sf.report(frame(DATA), "label", full=True))
    assert isinstance(table, pd.DataFrame if kind.startswith("pandas") else pl.DataFrame)
    assert list(found) == [*REPORT[:-1], *IN_FULL, "verdict"]
    counts = np.array([[2, 1, 0, 0], [0, 0, 1, 1], [2, 0, 0, 0]])
    whole = np.array([4, 2, 1, 1])
    off = counts - counts.sum(axis=1, keepdims=True) * whole / 8
    assert found["fold"] == [0, 1, 2]
    assert found["n"] == [3, 2, 2]
    assert found["missing"] == [2, 2, 3]
    np.testing.assert_allclose(found["rows_off"], np.abs(off).max(axis=1).round(2))
    np.testing.assert_allclose(found["rms_deviation"], np.sqrt((off**2).mean(axis=1)))
    ratio = np.divide(found["rms_deviation"], found["random"])
    np.testing.assert_allclose(found["ratio"], ratio.round(2))
    shares = np.abs(counts / counts.sum(axis=1, keepdims=True) - whole / 8)
    np.testing.assert_allclose(found["tv_distance"], shares.sum(axis=1) / 2)


@pytest.mark.parametrize("kind", KINDS)
@given(
    label=st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=6, max_size=40),
    k=st.integers(2, 4),
    seed=st.integers(0, 9),
)
def test_report_is_the_worst_of_balance(kind: str, label: list[Any], k: int, seed: int) -> None:
    """Of a full column the deviations are the largest and the mean square of those of `balance`."""
    fold = np.random.default_rng(seed).integers(k, size=len(label)).tolist()
    data = make(kind, {"label": label, "fold": fold})
    found, table = sf.report(data, "label", full=True), sf.balance(data, "label")
    off = np.array(values(table, "deviation")).reshape(len(set(fold)), -1)
    worst = np.abs(off).max(axis=1)
    np.testing.assert_allclose(values(found, "rows_off"), worst, atol=ROUNDING)
    np.testing.assert_allclose(values(found, "rms_deviation"), np.sqrt((off**2).mean(axis=1)))
    assert max(values(found, "optimum")) <= worst.max() + ROUNDING


@pytest.mark.parametrize("kind", KINDS)
@given(label=st.lists(st.sampled_from("aaabbcde"), min_size=10, max_size=60), k=st.integers(2, 5))
def test_equal_folds_reach_the_optimum(kind: str, label: list[str], k: int) -> None:
    """A column of `kfold` with folds of one size is as good as it gets."""
    label = label[: len(label) // k * k]
    data = sf.kfold(make(kind, {"label": label}), "label", k, rare="ignore")
    found = sf.report(data, "label")
    assert max(values(found, "rows_off")) == values(found, "optimum")[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("aab"), st.sampled_from([0, 1, None])), min_size=2, max_size=7
    )
)
def test_optimum_is_that_of_all_columns_of_these_sizes(
    kind: str, rows: list[tuple[str, int | None]]
) -> None:
    """No column with as many rows in each fold, and without one, is better than the optimum."""
    label, fold = [row[0] for row in rows], [row[1] for row in rows]
    data = make(kind, {"label": label, "fold": fold})
    if set(fold) == {None}:
        return
    best = min(largest_deviation(label, other) for other in set(permutations(fold)))
    found = columns_of(sf.report(data, "label"))
    assert found["optimum"] == pytest.approx([best] * len(found["optimum"]), abs=ROUNDING)
    (compared,) = values(sf.compare(data, "label", "fold"), "optimum")
    assert compared == pytest.approx(best, abs=ROUNDING)


def largest_deviation(label: list[str], fold: Sequence[int | None]) -> float:
    """The largest difference of the rows of a class in a fold and those expected, one by one."""
    pairs = list(zip(label, fold, strict=True))
    return max(
        abs(pairs.count((each, one)) - label.count(each) * fold.count(one) / len(label))
        for each in set(label)
        for one in {*fold} - {None}
    )


def test_a_class_without_folds_is_not_optimal(frame: Make) -> None:
    """If all rows of a class lack a fold, other rows could: the folds are not optimal."""
    data = frame({"label": ["a"] * 40 + ["b"] * 40, "fold": [0, 1] * 20 + [None] * 40})
    report = columns_of(sf.report(data, "label"))
    assert report["rows_off"] == [10, 10]
    assert report["optimum"] == [0, 0]
    assert report["verdict"] == ["skewed", "skewed"]
    assert values(sf.compare(data, "label", "fold"), "verdict") == ["skewed"]


@pytest.mark.slow
def test_random_is_what_random_columns_have() -> None:
    """Over many shuffles the mean square deviation is that of the reference."""
    drawn = np.random.default_rng(0)
    label = np.repeat(["a", "b", "c"], [60, 30, 10])
    fold = np.repeat([0, 1, -1], [20, 50, 30])
    squares = []
    for _ in range(1500):
        table = pd.crosstab(drawn.permutation(fold), label).to_numpy()[1:]
        squares.append(((table - np.outer([20, 50], [0.6, 0.3, 0.1])) ** 2).mean(axis=1))
    data = pd.DataFrame({"label": label, "fold": np.where(fold < 0, np.nan, fold)})
    reference = sf.report(data, "label", full=True)["random"]
    np.testing.assert_allclose(np.sqrt(np.mean(squares, axis=0)), reference, rtol=0.03)


def test_report_of_parts_and_of_empty_parts(frame: Make) -> None:
    """Parts are in their order; one without rows has no distance or ratio, and no stratum."""
    data = sf.split(frame(DATA), parts={"train": 6, "test": 2})
    assert values(sf.report(data, "size", "split"), "split") == ["train", "test"]
    kinds = pd.CategoricalDtype(["a", "b"])
    found = sf.report(
        pd.DataFrame({"x": [1, 2], "p": pd.Series(["a", "a"], dtype=kinds)}), "x", "p", full=True
    )
    assert found.columns.tolist() == ["p", *REPORT[1:-1], *IN_FULL, "verdict"]
    assert found["n"].tolist() == [2, 0]
    assert found["verdict"].tolist() == ["optimal", "empty"]
    assert found["missing"].tolist() == [0, 2]
    assert found["tv_distance"].isna().tolist() == [False, True]
    assert found["ratio"].isna().tolist() == [False, True]


def test_nothing_deviates_from_one_class(frame: Make) -> None:
    """Where neither the folds nor random ones can deviate, the ratio is 0."""
    found = columns_of(sf.report(frame({"x": ["a"] * 5, "fold": [0, 0, 1, 1, 1]}), "x"))
    assert found["ratio"] == [0, 0]
    assert found["verdict"] == ["optimal"] * 2


def test_report_of_margins_takes_the_worst_entry(frame: Make) -> None:
    """The values of all margins count one by one; the distance is that of the worst entry."""
    data = frame({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "fold": [0, 0, 1, 1]})
    found = columns_of(sf.report(data, sf.margins(["x", "y"]), full=True))
    assert found["tv_distance"] == [0.5, 0.5]
    assert found["rows_off"] == [1, 1]
    assert found["rms_deviation"] == [pytest.approx(np.sqrt(0.5))] * 2
    assert found["missing"] == [1, 1]
    assert found["optimum"] == [0, 0]


@pytest.mark.parametrize(
    "by",
    [["label", "size"], sf.quantiles("id", 4), "price", ["label", sf.bins("id", [0, 9, 99])]],
    ids=str,
)
def test_report_takes_every_entry(frame: Make, by: Any) -> None:
    """Nested entries, bins and continuous entries make the strata that `balance` shows."""
    drawn = np.random.default_rng(0)
    data = frame(
        {
            "label": drawn.choice(list("abc"), 60).tolist(),
            "size": drawn.integers(2, size=60).tolist(),
            "id": list(range(60)),
            "price": drawn.normal(size=60).tolist(),
            "fold": drawn.integers(4, size=60).tolist(),
        }
    )
    off = np.array(values(sf.balance(data, by), "deviation")).reshape(4, -1)
    worst = np.abs(off).max(axis=1)
    np.testing.assert_allclose(values(sf.report(data, by), "rows_off"), worst, atol=ROUNDING)


def test_an_expression_may_read_the_fold_column() -> None:
    """An entry may be called as the fold column, if it is not that column."""
    data = pl.DataFrame({"a": [0, 1, 0, 1]})
    assert sf.report(data, pl.col("a") > 0, "a")["missing"].to_list() == [1, 1]


# Arguments in each other's place ----------------------------------------------------------

MEASURES = {
    "report": lambda df, by, name: sf.report(df, by, name),
    "balance": lambda df, by, name: sf.balance(df, by, name),
    "compare": lambda df, by, name: sf.compare(df, by, name),
    "audit": lambda df, by, name: sf.audit(df, name, by=by),
    "plot": lambda df, by, name: sf.plot(df, by, name),
}
PATIENTS = {
    "y": [0, 0, 0, 1] * 15,
    "label": list("aab") * 20,
    "sick": [True, False, False] * 20,
    "price": [place / 8 for place in range(60)],
    "fold": [0, 1, 2, 3, 4] * 12,
    "split": ["train", "train", "test"] * 20,
    "inner": [1, 0, 2, 1, 0, 2, 1, 1, 0, 2] * 6,
    "purpose": ["test", "dev", "train"] * 20,
}


@pytest.mark.parametrize("verb", MEASURES)
@pytest.mark.parametrize("by", ["fold", ["y", "fold"], sf.classes("fold"), sf.margins(["fold"])])
def test_folds_compared_by_themselves(frame: Make, verb: str, by: Any) -> None:
    """The fold column as what the folds are compared by is an error that says what is wanted."""
    refuse_now(
        "`by` must be other columns than the folds, but both are 'fold'.\n"
        'Hint: name what the folds are compared by, as in `by="label"`.',
        lambda: MEASURES[verb](frame(PATIENTS), by, "fold"),
    )


def test_other_forms_of_the_fold_column() -> None:
    """A Polars column, a column under levels and a feature are the folds as well."""
    message = "must be other columns than the folds, but both are"
    with pytest.raises(sf.StratError, match=message):
        sf.report(pl.DataFrame(PATIENTS), pl.col("fold"))
    deep = pd.DataFrame(PATIENTS)
    deep.columns = pd.MultiIndex.from_product([deep.columns, [""]])
    with pytest.raises(sf.StratError, match=message):
        sf.report(deep, [("fold", "")])
    with pytest.raises(sf.StratError, match=f"`features` {message}"):
        sf.drift(pd.DataFrame(PATIENTS), "fold")
    assert len(sf.drift(pd.DataFrame(PATIENTS), ["fold", "y"])) == 10


@pytest.mark.parametrize("verb", MEASURES)
@pytest.mark.parametrize("by", ["fold", "split"])
@pytest.mark.parametrize("name", ["y", "label", "sick"])
def test_swapped_arguments(frame: Make, verb: str, by: str, name: str) -> None:
    """Folds as what to compare by, and labels as folds, are told to swap."""
    refuse_now(
        f"`by` must be what folds are compared by, but {by!r} looks like the folds, and"
        f' {name!r} does not.\nHint: swap them, `by="{name}"` and "{by}" as the fold column; or if'
        f' this is meant, `by=sf.classes("{by}")`.',
        lambda: MEASURES[verb](frame(PATIENTS), by, name),
    )


@pytest.mark.parametrize(
    ("by", "name"),
    [
        ("fold", "inner"),
        ("fold", "purpose"),
        ("fold", "split"),
        (["fold"], "label"),
        (sf.classes("fold"), "label"),
        ("y", "label"),
        ("label", "fold"),
    ],
)
def test_arguments_that_are_not_swapped(frame: Make, by: Any, name: str) -> None:
    """Folds may be compared by other folds, by sites, and by what is said to be meant."""
    assert len(sf.report(frame(PATIENTS), by, name)) > 1


def test_a_column_that_is_only_called_fold(frame: Make) -> None:
    """A column of other values than folds may be called so."""
    data = {"manifold": list("xyz") * 4, "site": list("abcd") * 3}
    assert len(sf.report(frame(data), "manifold", "site")) == 4


READS = [
    *("sf.report(df, 'label', 'price')", "sf.balance(df, 'label', 'price')"),
    *("sf.cv(df, 'price')", "sf.folds(df, 'price')", "sf.parts(df, 'price')"),
    *("sf.drift(df, 'y', 'price')", "sf.audit(df, 'price')", "sf.leaks(df, 'price')"),
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


def test_many_folds_that_are_folds(frame: Make) -> None:
    """Leave-one-out folds, ids, and fractions of several rows each are what they are."""
    data = {
        "label": list("ab") * 20,
        "one": list(range(40)),
        "late": list(range(1, 41)),
        "id": [f"p{place}" for place in range(40)],
        "dose": [place / 8 for place in range(20)] * 2,
    }
    for name in ("one", "late", "id", "dose"):
        assert len(sf.report(frame(data), "label", name)) == len(sf.cv(frame(data), name)) >= 20


def test_report_is_the_same_everywhere() -> None:
    """All kinds of frame, and every run, give the same figures to the last digit."""
    drawn = np.random.default_rng(0)
    data = {
        "label": drawn.integers(0, 900, 9_000).tolist(),
        "fold": drawn.integers(0, 7, 9_000).tolist(),
    }
    tables = [columns_of(sf.report(make(kind, data), "label", full=True)) for kind in KINDS * 2]
    assert all(table == tables[0] for table in tables)


def test_report_of_folds_that_are_fractions(frame: Make) -> None:
    """Folds may be any numbers; whole ones are listed as such only if all are."""
    data = frame({"x": [1, 1, 1], "fold": [0.0, 0.5, 1.0]})
    assert values(sf.report(data, "x"), "fold") == [0.0, 0.5, 1.0]


def test_advise_of_one_stratum_has_no_variance(frame: Make) -> None:
    """The share of all rows in a fold is 1, whatever the fold."""
    found = sf.advise(frame({"x": ["a"] * 30}), "x", [7], full=True)
    assert values(found, "variance_stratified") == [0]
    assert values(found, "variance_random") == [0]


def verdicts(label: list[Any], fold: list[Any]) -> list[str]:
    """The words of the report of a column."""
    return values(sf.report(pd.DataFrame({"label": label, "fold": fold}), "label"), "verdict")


def test_verdicts_compare_with_the_optimum_and_with_chance() -> None:
    """Each word has a definition by the figures of the table."""
    label = ["a"] * 600 + ["b"] * 400
    shuffled = np.random.default_rng(2).permutation(1000) % 4
    dealt = sf.kfold(pd.DataFrame({"label": label}), "label", 4)["fold"].to_numpy().copy()
    assert verdicts(label, dealt) == ["optimal"] * 4

    def swapped(n: int) -> list[str]:
        """Swap n rows of `a` in fold 0 with as many of `b` in fold 1."""
        fold = dealt.copy()
        ones, others = np.flatnonzero(fold[:600] == 0), 600 + np.flatnonzero(fold[600:] == 1)
        fold[ones[:n]], fold[others[:n]] = 1, 0
        return verdicts(label, fold)

    assert swapped(1) == ["even", "even", "optimal", "optimal"]
    assert swapped(3) == ["between", "between", "optimal", "optimal"]
    assert swapped(9) == ["as random", "as random", "optimal", "optimal"]
    assert swapped(40) == ["skewed", "skewed", "optimal", "optimal"]
    assert set(verdicts(label, shuffled)) <= {"optimal", "even", "between", "as random"}
    assert set(verdicts(label, [row // 250 for row in range(1000)])) == {"skewed"}


@pytest.mark.parametrize("kind", KINDS)
@given(
    label=st.lists(st.sampled_from("aaaaaaabbcde"), min_size=10, max_size=80),
    k=st.integers(2, 5),
    seed=st.integers(0, 9),
)
def test_columns_of_kfold_are_even(kind: str, label: list[str], k: int, seed: int) -> None:
    """Whatever the strata, all folds of `kfold` are optimal or even, and so is the column."""
    data = sf.kfold(make(kind, {"label": label}), "label", k, rare="ignore", seed=seed)
    assert set(values(sf.report(data, "label"), "verdict")) <= {"optimal", "even"}
    assert values(sf.compare(data, "label", "fold"), "verdict")[0] in {"optimal", "even"}


def test_first_column_is_called_as_the_fold_column(frame: Make) -> None:
    """The folds are under the name of their column, unless the table has that name itself."""
    data = frame({"label": ["a", "b"] * 2, "inner": [0, 0, 1, 1], "ratio": [0, 1, 0, 1]})
    assert list(sf.report(data, "label", "inner").columns) == ["inner", *REPORT[1:]]
    assert list(sf.report(data, "label", "ratio").columns) == REPORT
    assert list(sf.report(data, "label", ["inner"]).columns) == ["inner", *REPORT[1:]]


def test_folds_of_several_types_are_text(frame: Make) -> None:
    """Numbers and names of folds go below each other as text; numbers alone stay numbers."""
    data = frame({"a": [1, 1], "n": [0, 1], "half": [0.5, 1.5], "part": ["p", "q"]})
    assert values(sf.report(data, "a", ["n", "part"]), "fold") == ["0", "1", "p", "q"]
    assert values(sf.report(data, "a", ["n", "half"]), "fold") == [0, 1, 0.5, 1.5]


def test_compare_has_a_row_for_each_column(frame: Make, kind: str) -> None:
    """The figures are the worst, and the root mean squares, of those of the folds."""
    data: dict[str, Any] = {"label": ["a", "a", "b", "b"] * 10, "x": list(range(40))}
    data["sorted"] = [row // 10 for row in range(40)]
    data["plain"] = np.random.default_rng(0).permutation(40) % 4
    dealt = sf.kfold(frame(data), "label", 4)
    names = ["sorted", "plain", "fold"]
    found = sf.compare(dealt, "label", names, ["x"], full=True)
    assert isinstance(found, pd.DataFrame if kind.startswith("pandas") else pl.DataFrame)
    assert list(found.columns) == ["column", *COMPARED, "drift", *IN_FULL[:2], "verdict"]
    assert values(found, "column") == names
    for place, name in enumerate(names):
        report, drift = sf.report(dealt, "label", name, full=True), sf.drift(dealt, "x", name)
        assert values(found, "rows_off")[place] == max(values(report, "rows_off"))
        means = [np.sqrt(np.mean(np.square(values(report, each)))) for each in IN_FULL[:2]]
        for figure, expected in zip(IN_FULL[:2], means, strict=True):
            assert values(found, figure)[place] == pytest.approx(expected)
        assert values(found, "ratio")[place] == round(means[0] / means[1], 2)
        assert values(found, "drift")[place] == pytest.approx(max(values(drift, "ratio")))
    assert values(found, "verdict")[2] == "optimal"
    assert values(found, "drift")[0] > 1.5
    assert list(sf.compare(dealt, "label", "fold").columns) == ["column", *COMPARED, "verdict"]


def test_compare_of_nothing(frame: Make) -> None:
    """A frame without rows has columns without folds."""
    found = sf.compare(frame({"label": ["a"], "fold": [0], "x": [1]}).head(0), "label", "fold", "x")
    assert columns_of(found) == {
        "column": ["fold"],
        "rows_off": [0],
        "optimum": [0],
        "ratio": [None],
        "drift": [None],
        "verdict": ["empty"],
    }


def test_advise_in_full_adds_columns(frame: Make, kind: str) -> None:
    """A table has five columns, of the library of the frame, and in full five more after them."""
    data = frame({"label": ["a"] * 20 + ["b"] * 9})
    found, in_full = sf.advise(data, "label", [2, 3]), sf.advise(data, "label", [2, 3], full=True)
    assert isinstance(found, pd.DataFrame if kind.startswith("pandas") else pl.DataFrame)
    assert list(found.columns) == ["k", "verdict", "rarest", "per_fold", "lacking"]
    assert list(in_full.columns) == [
        *found.columns,
        "fold_size",
        "probability_any_missing",
        "variance_random",
        "variance_stratified",
        "ratio",
    ]
    assert columns_of(in_full[list(found.columns)]) == columns_of(found)
    assert values(found, "per_fold") == [4.5, 3]


def test_advise_counts_groups(frame: Make) -> None:
    """A class in fewer groups than folds is short, however many rows it has."""
    label = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    who = [row // 3 for row in range(60)] + [row // 10 for row in range(30)] + list(range(90, 100))
    data = frame({"label": label, "who": who})
    found = columns_of(sf.advise(data, "label", [3, 5, 40]))
    assert found["rarest"] == ["c"] * 3
    assert found["verdict"][1] == "thin: 2 rows/fold"
    found = columns_of(sf.advise(data, "label", [3, 5, 40], groups="who", full=True))
    assert found["rarest"] == ["b"] * 3
    # 20 groups of `a`, 0..2 of which are groups of `b`, too, and 10 of `c`
    assert found["verdict"] == [
        "thin: 1 group/fold",
        "short for 2 folds",
        "impossible: 30 groups",
    ]
    assert found["lacking"] == [0, 2, 37]
    assert found["per_fold"] == [10, 6, None]
    assert found["probability_any_missing"][1] == theory.probability_any_missing(30, 3, 5)
    for name in ("variance_random", "variance_stratified", "ratio"):
        assert found[name] == [None] * 3


def test_advise_counts_rows_without_a_group_as_groups(frame: Make) -> None:
    """A row without a group is a group by itself; groups may be several columns."""
    data = frame({"x": [1] * 6, "a": [1, 1, None, None, 2, 2], "b": list("xyxyzz")})
    assert values(sf.advise(data, "x", [6], groups="a"), "verdict") == ["impossible: 4 groups"]
    found = sf.advise(data, "x", [5], groups=["a", "b"])
    assert values(found, "verdict") == ["thin: 1 group/fold"]


@pytest.mark.parametrize("kind", KINDS)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("aab"), st.integers(0, 8)), min_size=12, max_size=40
    ).filter(lambda rows: len({group for _, group in rows}) > 4)
)
def test_no_fold_has_what_advise_says_it_lacks(kind: str, rows: list[tuple[str, int]]) -> None:
    """`kfold` by whole groups leaves at least so many folds without a stratum."""
    label, who = map(list, zip(*rows, strict=True))
    data = make(kind, {"label": label, "who": who})
    lacking = values(sf.advise(data, "label", [4], groups="who"), "lacking")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.StratWarning)
        folded = eager(sf.kfold(data, "label", 4, groups="who"))
    assert sum(missing > 0 for missing in values(sf.report(folded, "label"), "missing")) >= lacking


def test_advise_names_the_rarest_stratum(frame: Make) -> None:
    """The rarest stratum has its name: of joint strata, of margins, of missing values."""
    data = frame({"a": ["x", "x", "x", None], "b": [1, 1, 2, 2]})
    assert values(sf.advise(data, "a", 2), "rarest") == ["missing"]
    assert values(sf.advise(data, ["b", "a"], 2), "rarest") == ["(2, x)"]
    assert values(sf.advise(data, sf.margins(["b", "a"]), 2), "rarest") == ["a: missing"]


BAD_CALLS = {
    "sf.report(df, 'label', ['fold', 'flod'])": (
        "`name` names the column 'flod', which the frame does not have.\n"
        "Hint: did you mean 'fold'? If not, add it first, as in"
        " `df.strat.kfold(..., name='flod')` or `split`."
    ),
    "sf.compare(df, 'label', 'fold', 'sizes')": (
        "`features` names the column 'sizes', which the frame does not have.\n"
        "Hint: did you mean 'size'?"
    ),
    "sf.advise(df, 'label', groups='sizes')": (
        "`groups` names the column 'sizes', which the frame does not have.\n"
        "Hint: did you mean 'size'?"
    ),
    "sf.report(df, 'label', full='all')": "`full` must be True or False, got 'all'.",
    "sf.compare(df, 'label', 'fold', full=1)": "`full` must be True or False, got 1.",
    "sf.advise(df, 'label', full=None)": "`full` must be True or False, got None.",
    "sf.report(df, None)": "`by` must hold at least one entry, got None.",
    "sf.advise(df, 'label', [2, 1])": "`ks` must be at least 2, got 1.",
    "sf.advise(df, 'label', [2.5])": "`ks` must be a whole number, got 2.5.",
    "sf.advise(df, 'label', [10**20])": "`ks` must be at most 2**53, got 100000000000000000000.",
}


@pytest.mark.parametrize("call", BAD_CALLS)
def test_bad_input(call: str) -> None:
    """What is wrong is said word for word."""
    refuse_now(BAD_CALLS[call], lambda: evaluate(call, df=pd.DataFrame(DATA)))


def test_advise_gives_the_formulas(frame: Make) -> None:
    """The figures are those of `sf.theory`, for the rarest stratum."""
    data = frame({"label": ["a"] * 23 + ["b"] * 7 + ["c"] * 3})
    found = columns_of(sf.advise(data, "label", range(2, 12), full=True))
    ks = found["k"]
    assert ks == list(range(2, 12))
    assert found["fold_size"] == [round(33 / k, 2) for k in ks]
    assert found["per_fold"] == [round(3 / k, 2) for k in ks]
    assert found["lacking"] == [max(k - 3, 0) for k in ks]
    assert found["probability_any_missing"] == [
        theory.probability_any_missing(33, 3, k) for k in ks
    ]
    assert found["variance_random"] == [theory.variance_random(33, k, 3 / 33) for k in ks]
    for k in (3, 11):  # which divide 33
        expected = theory.variance_stratified(33, k, 3)
        assert found["variance_stratified"][ks.index(k)] == pytest.approx(expected)
    assert found["ratio"][0] == found["variance_stratified"][0] / found["variance_random"][0]
    assert found["verdict"][:3] == ["thin: 1-2 rows/fold", "thin: 1 row/fold", "short for 1 fold"]


RESERVED = {"fold", "n", "share", "expected", "deviation"}


@pytest.mark.parametrize("by", ["label", ["label", "sex"], sf.quantiles("age", 3)], ids=str)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
@given(seed=st.integers(0, 2**32))
def test_advised_variance_is_that_of_kfold(by: Any, seed: int) -> None:
    """The rarest stratum's share varies so much over the folds of `kfold`, for any k."""
    drawn = np.random.default_rng(seed)
    n, k = int(drawn.integers(9, 60)), int(drawn.integers(2, 9))
    data = pl.DataFrame(
        {
            "label": drawn.choice(list("abc"), n, p=[0.6, 0.3, 0.1]),
            "sex": drawn.integers(0, 2, n),
            "age": drawn.integers(0, 90, n),
        }
    )
    found = sf.advise(data, by, k, full=True).to_dicts()[0]
    dealt = sf.kfold(data, by, k, rare="ignore", seed=seed)
    table = sf.balance(dealt, by)
    strata = [name for name in table.columns if name not in RESERVED]
    sizes = dict(dealt.group_by("fold").len().iter_rows())
    shares = {
        key: (
            int(rows["n"].sum()),
            np.var([n / sizes[f] for f, n in rows["fold", "n"].iter_rows()]),
        )
        for key, rows in table.partition_by(strata, as_dict=True).items()
    }
    fewest = min(n for n, _ in shares.values())
    variances = [variance for n, variance in shares.values() if n == fewest]
    assert min(abs(each - found["variance_stratified"]) for each in variances) < 1e-12


def test_advised_figures_of_orders_and_margins_are_missing(frame: Make) -> None:
    """The folds of a continuous entry and of margins depend on the rows, not on counts alone."""
    data = frame({"x": [i / 8 for i in range(40)], "a": [0, 1] * 20})
    for by in ("x", ["a", "x"], sf.margins(["a"])):
        found = columns_of(sf.advise(data, by, 3, full=True))
        assert found["variance_stratified"] == found["ratio"] == [None]
        assert found["variance_random"] != [None]


def test_advised_probability_is_that_of_plain_kfold() -> None:
    """So many shuffles of scikit-learn's KFold leave some fold without the rarest class."""
    label = np.repeat([0, 1], [26, 7])
    lacking = [
        any(
            not label[test].any()
            for _, test in KFold(4, shuffle=True, random_state=seed).split(label)
        )
        for seed in range(3000)
    ]
    table = sf.advise(pd.DataFrame({"label": label}), "label", 4, full=True)
    found = table["probability_any_missing"].item()
    assert np.mean(lacking) == pytest.approx(found, abs=4 * np.sqrt(found * (1 - found) / 3000))


def test_advise_says_what_cannot_be(frame: Make) -> None:
    """Where there are fewer rows than folds, there are no figures but a verdict."""
    data = frame({"label": ["a", "a", "b"]})
    found = columns_of(sf.advise(data, "label", [3, 4], full=True))
    assert found["verdict"] == ["short for 2 folds", "impossible: 3 rows"]
    assert found["fold_size"] == [1, None]
    assert found["ratio"][1] is None
    assert found["lacking"] == [2, 3]


def test_advise_takes_missing_values_margins_and_bins(frame: Make) -> None:
    """Missing values are a stratum; of margins and bins the rarest of all counts."""
    data = frame(DATA | {"id": list(range(8))})
    assert values(sf.advise(data, "label", [2]), "per_fold") == [0.5]
    assert values(sf.advise(data, sf.margins(["label", "size"]), [2]), "lacking") == [1]
    assert values(sf.advise(data, sf.quantiles("id", 2), [2]), "per_fold") == [2]
    one = values(sf.advise(frame({"x": [1, 1, 1]}), "x", [3], full=True), "ratio")
    assert one == [None]


def test_report_of_many_classes(frame: Make) -> None:
    """Thousands of strata, which are numbered and not grouped, give what the counts are."""
    label = [i // 2 for i in range(20_000)]
    data = frame({"label": label, "fold": [i % 2 for i in range(20_000)]})
    found = columns_of(sf.report(data, "label"))
    assert found["n"] == [10_000, 10_000]
    assert found["rows_off"] == [0, 0]
    assert found["ratio"] == [0, 0]
    assert found["missing"] == [0, 0]
    data = frame({"label": label, "fold": [i // 10_000 for i in range(20_000)]})
    assert columns_of(sf.report(data, "label"))["missing"] == [5_000, 5_000]


def words_of(label: Sequence[Any], fold: Sequence[Any]) -> str:
    """A column in words."""
    rows = pd.DataFrame({"label": label, "fold": fold})
    counts = side_of(rows).collect("label", ["fold"]).folded("label", "fold").crossed()
    return ", ".join(describe_evenness(measure_folds(counts).pooled()))


@pytest.mark.parametrize(
    ("label", "fold", "words"),
    [
        ("aabbbb", [0, 1] * 3, "exactly even, no row off"),
        ("aaabbb", [0, 1] * 3, "even, at most 1 row off"),
        (
            "aaaabbbb" + string.ascii_letters[2:] * 4,
            [0, 0, 0, 0, 1, 1, 1, 1] + [0] * 100 + [1] * 100,
            "better than random, up to 2 rows off",
        ),
        ("aaaaaaabbbbbbb", [0, 0, 1, 1, 1, 1, 1] * 2, "exactly even, no row off"),
        (
            "a" * 9 + "b" * 9,
            [0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1],
            "no better than random, up to 3 rows off",
        ),
        ("a" * 50 + "b" * 50, [0] * 50 + [1] * 50, "SKEWED, up to 25 rows off"),
        ("ab", [None, None], "empty, no row has a fold"),
    ],
    ids=["exact", "even", "between", "sizes", "random", "skewed", "empty"],
)
def test_evenness_in_words(label: str, fold: list[Any], words: str) -> None:
    """A verdict in plain words, and the rows by which the worst stratum is off, rounded up."""
    assert words_of(list(label), fold) == words
