"""Whole groups: none is parted, and strata and sizes are close to even."""

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedGroupKFold

import stratframe as sf

from .conftest import KINDS, eager, make, values
from .test_bad_input import Make, at_fault, refuse, refuse_now

seeds = st.integers(0, 2**32)


def patients(n: int = 240, n_groups: int = 40, seed: int = 0) -> dict[str, Any]:
    """Visits of patients at sites; a patient has more of one label than of others."""
    drawn = np.random.default_rng(seed)
    patient = np.sort(drawn.integers(0, n_groups, n))
    label = (drawn.integers(0, 3, n_groups)[patient] + drawn.integers(0, 2, n)) % 3
    order = drawn.permutation(n)
    return {
        "patient": [f"p{code}" for code in patient[order]],
        "label": ["abc"[code] for code in label[order]],
        "site": drawn.integers(0, 2, n).tolist(),
        "x": drawn.normal(size=n).tolist(),
        "y": drawn.normal(size=n).tolist(),
    }


def chi(strata: list[Any], folds: list[int], k: int) -> float:
    """The loss of promise 8: strata plus sizes."""
    found = 0.0
    for column in (strata, [0] * len(strata)):
        for value, n in Counter(column).items():
            for fold in range(k):
                held = sum(
                    f == fold and each == value for f, each in zip(folds, column, strict=True)
                )
                found += (held - n / k) ** 2 / (n / k)
    return found


def scikit_learn(data: dict[str, Any], k: int) -> list[int]:
    """The folds of scikit-learn's `StratifiedGroupKFold`."""
    folds = np.empty(len(data["label"]), dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = StratifiedGroupKFold(k).split(folds, data["label"], data["patient"])
        for fold, (_, test) in enumerate(peer):
            folds[test] = fold
    return folds.tolist()


def parted(groups: list[Any], folds: list[Any]) -> list[Any]:
    """The groups that are in two folds."""
    held: dict[Any, set[Any]] = {}
    for group, fold in zip(groups, folds, strict=True):
        held.setdefault(group, set()).add(fold)
    return [group for group, found in held.items() if len(found) > 1]


@pytest.mark.parametrize("kind", KINDS)
@given(
    labels=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=12, max_size=60),
    k=st.integers(2, 4),
    seed=seeds,
)
@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
def test_no_group_is_parted(kind: str, labels: list[tuple[int, int]], k: int, seed: int) -> None:
    """No group is in two folds, and the loss is not above that of scikit-learn."""
    data = {"patient": [each[0] for each in labels], "label": [each[1] for each in labels]}
    if len(set(data["patient"])) < k:
        return
    out = sf.kfold(make(kind, data), "label", k, groups="patient", rare="ignore", seed=seed)
    folds = values(out, "fold")
    assert not parted(data["patient"], folds)
    assert set(folds) <= set(range(k))
    ours, peer = (chi(data["label"], each, k) for each in (folds, scikit_learn(data, k)))
    assert ours <= peer + 1e-6


BY: dict[str, Any] = {
    "none": None,
    "class": "label",
    "two columns": ["label", "site"],
    "quantiles": ["label", sf.quantiles("x", 3)],
    "bins": sf.bins("x", [-9, 0, 9]),
    "clusters": ["label", sf.clusters(["x", "y"], 2)],
    "continuous": "x",
    "class, continuous": ["label", sf.continuous("x")],
}


@pytest.mark.parametrize("by", BY)
def test_all_strata_take_groups(by: str) -> None:
    """Every kind of strata works, and gives the same folds and parts on every kind of frame."""
    data = patients()
    parts = {"train": 0.6, "valid": 0.2, "test": 0.2}
    folds = {
        tuple(values(sf.kfold(make(kind, data), BY[by], groups="patient"), "fold"))
        for kind in KINDS
    }
    split = {
        tuple(values(sf.split(make(kind, data), BY[by], parts, groups="patient"), "split"))
        for kind in KINDS
    }
    assert len(folds) == len(split) == 1
    for found in (folds.pop(), split.pop()):
        assert not parted(data["patient"], list(found))
        assert len(set(found)) > 2


def test_strata_are_close_to_even(frame: Make) -> None:
    """Forty groups come out within a row or two of even, in every label and in all."""
    data = patients()
    folds = values(sf.kfold(frame(data), "label", groups="patient"), "fold")
    sizes = Counter(folds)
    assert max(sizes.values()) - min(sizes.values()) <= 2
    held = Counter(zip(data["label"], folds, strict=True))
    for label, n in Counter(data["label"]).items():
        assert all(abs(held[label, fold] - n / 5) <= 2 for fold in range(5))


def test_several_columns_name_a_group(frame: Make) -> None:
    """A group is what is alike in all columns of `groups`."""
    data = patients()
    folds = values(sf.kfold(frame(data), "label", groups=["patient", "site"]), "fold")
    pairs = list(zip(data["patient"], data["site"], strict=True))
    assert not parted(pairs, folds)
    assert parted(data["patient"], folds)


def test_clusters_are_left_out_whole(frame: Make) -> None:
    """`groups=sf.clusters(...)` leaves whole clusters out."""
    data = patients()
    term = sf.clusters(["x", "y"], 12)
    folds = values(sf.kfold(frame(data), "label", k=4, groups=term), "fold")
    table = eager(sf.kfold(frame(data), [term], k=4))
    assert len(table) == len(folds)
    # Of the clusters as a stratum, each is in one fold only.
    out = sf.kfold(frame(data), "label", k=4, groups=term)
    counts = sf.balance(out, term)
    filled = Counter(
        cluster
        for cluster, n in zip(values(counts, "cluster"), values(counts, "n"), strict=True)
        if n
    )
    assert set(filled.values()) == {1}


def test_groups_may_be_computed() -> None:
    """Groups are expressions on Polars frames and callables on pandas frames, too."""
    data = {"id": list(range(40)), "label": list("ab") * 20}
    one = sf.kfold(pd.DataFrame(data), "label", 4, groups=lambda df: df["id"] // 4)
    two = sf.kfold(pl.LazyFrame(data), "label", 4, groups=pl.col("id") // 4).collect()
    assert one["fold"].tolist() == two["fold"].to_list()
    assert not parted([row // 4 for row in range(40)], two["fold"].to_list())


def test_names_of_groups_do_not_matter(frame: Make) -> None:
    """Renaming groups, or recoding them, changes no fold."""
    data = patients()
    numbers = {**data, "patient": [1000 - int(name[1:]) for name in data["patient"]]}
    here, there = (
        values(sf.kfold(frame(each), "label", groups="patient"), "fold") for each in (data, numbers)
    )
    assert here == there


@pytest.mark.parametrize("test", [0.1, 0.2, 0.5])
def test_shares_are_met_within_a_group(frame: Make, test: float) -> None:
    """The test part is within one median group of its share."""
    data = patients(600, 100)
    parts = {"train": 1 - test, "test": test}
    found = Counter(values(sf.split(frame(data), "label", parts, groups="patient"), "split"))
    median = np.median(list(Counter(data["patient"]).values()))
    assert abs(found["test"] - test * 600) <= median


def test_counts_of_rows_are_met_as_groups_allow(frame: Make) -> None:
    """Whole numbers are counts of rows; groups of four meet them exactly where they can."""
    data = {"patient": [row // 4 for row in range(80)], "label": list("ab") * 40}
    parts = {"train": None, "test": 20}
    found = Counter(values(sf.split(frame(data), "label", parts, groups="patient"), "split"))
    assert found == {"train": 60, "test": 20}


def test_seeds_search_differently(frame: Make) -> None:
    """Different seeds give different columns of much the same loss, and one seed the same."""
    data = patients()
    found = {
        tuple(values(sf.kfold(frame(data), "label", groups="patient", seed=seed), "fold"))
        for seed in (0, 1, 2, 0)
    }
    assert len(found) == 3


def test_repeats_of_groups(frame: Make) -> None:
    """Repeated columns differ, and the first is that of one repeat."""
    data = patients()
    out = sf.kfold(frame(data), "label", groups="patient", repeats=3)
    columns = [values(out, f"fold_{i}") for i in (1, 2, 3)]
    assert columns[0] == values(sf.kfold(frame(data), "label", groups="patient"), "fold")
    assert len(set(map(tuple, columns))) == 3
    assert not any(parted(data["patient"], column) for column in columns)


def test_plan_of_groups(frame: Make) -> None:
    """A plan counts what the call deals."""
    data = patients()
    plan = eager(sf.plan(frame(data), "label", groups="patient"))
    folds = values(sf.kfold(frame(data), "label", groups="patient"), "fold")
    held = Counter(zip(data["label"], folds, strict=True))
    for label, fold, n in zip(plan["label"], plan["fold"], plan["n"], strict=True):
        assert held[label, fold] == n
    shares = eager(sf.plan(frame(data), "label", groups="patient", parts={"a": 0.5, "b": 0.5}))
    assert sum(shares["n"]) == 240
    empty = {name: [] for name in data}
    assert len(sf.plan(frame(empty), "label", groups="patient")) == 0


# Bad input --------------------------------------------------------------------------------

GAPS = {"patient": [1, None, 1, 2, None, 3, 2, 3], "label": list("abababab")}


def test_rows_without_a_group_are_refused(frame: Make, kind: str) -> None:
    """A null group is an error by default, with the rows."""
    error = refuse(
        "'patient' must not be missing, but is in 2 rows (1, 4).\n"
        'Hint: `missing="stratum"` makes each of these rows a group of its own; in `kfold`,'
        ' `missing="null"` leaves their fold null.',
        lambda: sf.kfold(frame(GAPS), "label", 2, groups="patient"),
    )
    assert at_fault(error, kind)["row"] == [1, 4]


def test_rows_without_a_group_have_no_fold(frame: Make) -> None:
    """With `missing="null"` the rows without a group, and no others, have no fold."""
    folds = values(sf.kfold(frame(GAPS), "label", 2, groups="patient", missing="null"), "fold")
    assert [fold is None for fold in folds] == [value is None for value in GAPS["patient"]]


def test_rows_without_a_group_stand_alone(frame: Make) -> None:
    """With `missing="stratum"` each row without a group is a group of its own."""
    data = {"patient": [None] * 6 + [1.0, 1.0, 2.0, 2.0], "label": list("ab") * 5}
    out = sf.kfold(frame(data), "label", 5, groups="patient", missing="stratum", rare="ignore")
    folds = values(out, "fold")
    assert Counter(folds) == dict.fromkeys(range(5), 2)
    assert folds[6] == folds[7] != folds[8] == folds[9]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([], "`groups` must hold at least one column, got []."),
        (["patient", "patient"], "`groups` must hold each column once, got 'patient' twice."),
        (
            sf.quantiles("x", 3),
            "`groups` must be a column, a list of columns or one `sf.clusters`,"
            " got sf.quantiles('x', 3).",
        ),
        (
            ["patient", sf.clusters("x", 3)],
            "`groups` must be a column, a list of columns or one `sf.clusters`,"
            " got sf.clusters(['x']).",
        ),
        (5, "`groups` must hold column names, expressions, or one `sf.clusters`, got 5."),
        (
            "patients",
            "`groups` names the column 'patients', which the frame does not have.\n"
            "Hint: did you mean 'patient'?",
        ),
    ],
)
def test_groups_that_are_none(frame: Make, groups: Any, message: str) -> None:
    """What names no groups is refused at the call, on lazy frames too."""
    refuse_now(message, lambda: sf.kfold(frame(patients(20)), "label", 2, groups=groups))


@pytest.mark.parametrize(
    ("arguments", "clash"),
    [
        ({"deal": "circular"}, '`deal="circular"`'),
        ({"key": "x"}, "`key`"),
        ({"by": sf.chain("x")}, "`sf.chain`"),
        ({"by": ["label", sf.nearest("x")]}, "`sf.nearest`"),
    ],
)
def test_what_groups_exclude(frame: Make, arguments: dict[str, Any], clash: str) -> None:
    """Groups stand without what orders rows."""
    refuse_now(
        f"`groups` must stand without {clash}: whole groups are dealt in no order.",
        lambda: sf.kfold(frame(patients(20)), groups="patient", **arguments),
    )


def test_fewer_groups_than_folds(frame: Make) -> None:
    """More folds or parts than groups are refused."""
    data = {"site": [0, 1, 2] * 10, "label": list("ab") * 15}
    refuse(
        "`k` must be at most the number of groups, got 5 for 3 groups.",
        lambda: sf.kfold(frame(data), "label", groups="site"),
    )
    refuse(
        "The number of `parts` must be at most the number of groups, got 2 for 1 group.",
        lambda: sf.split(frame({"site": [0] * 9}), groups="site"),
    )


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_group_larger_than_a_fold(kind: str, repeats: int) -> None:
    """One group larger than a fold is told, with the best that can be had, and is so dealt."""
    data = {"site": [0] * 50 + list(range(1, 51)), "label": list("ab") * 50}
    with pytest.warns(sf.StratWarning) as caught:
        out = eager(sf.kfold(make(kind, data), "label", groups="site", repeats=repeats))
    assert [str(each.message) for each in caught] == [
        "The largest group has 50 rows, more than the 20 of the largest fold: at best one fold"
        " has 30 too many."
    ]
    sizes = sorted(Counter(values(out, "fold" if repeats == 1 else "fold_1")).values())
    assert sizes == [12, 12, 13, 13, 50]


def test_fractions_of_parts_are_exact() -> None:
    """A group as large as its part is no surprise."""
    data = {"site": [0] * 8 + [1, 2], "label": list("ab") * 5}
    shares = {"train": 0.8, "test": 0.2}
    out = sf.split(pl.DataFrame(data), "label", shares, groups="site")
    assert Counter(out["split"].to_list()) == {"train": 8, "test": 2}
