"""`kfold` and `split`: the column that they add, and whole groups."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

import stratframe as sf
from tests.helpers import (
    HALVES,
    ROWS,
    Make,
    eager,
    folds_of,
    peer_folds,
    refuse,
    refuse_now,
    values,
)

# The column -----------------------------------------------------------------------------

LAZY = [(sf.kfold, (2,)), (sf.split, (HALVES,))]


def test_output_is_there_already(frame: Make, kind: str) -> None:
    """Columns that are there already are an error whose hint can be pasted."""
    columns = "" if "polars" in kind else "columns="
    for verb in (sf.kfold, sf.split):
        refuse_now(
            "The frame has a column 'id' already. `overwrite=True` replaces it.\n"
            f"Hint: df = df.drop({columns}'id')",
            lambda verb=verb: verb(frame(ROWS), "label", name="id"),
        )
    df, drop = sf.kfold(frame(ROWS), "label", repeats=2), f"df.drop({columns}['fold_1', 'fold_2'])"
    refuse_now(
        "The frame has columns 'fold_1', 'fold_2' already. `overwrite=True` replaces them.\n"
        f"Hint: df = {drop}",
        lambda: sf.kfold(df, "label", repeats=3),
    )
    assert "fold_3" in eager(sf.kfold(eval(drop, {"df": df}), "label", repeats=3)).columns


@pytest.mark.parametrize(("verb", "arguments"), LAZY)
@pytest.mark.parametrize("by", [None, "label", sf.quantiles("label", 3), sf.continuous("label")])
def test_no_rows_to_deal(frame: Make, verb: Callable[..., Any], arguments: Any, by: Any) -> None:
    """A verb that adds a column refuses an empty frame."""
    message = "`k` must be at most the number of rows that get a fold, got 2 for 0 rows."
    if verb is sf.split:
        message = message.replace("`k`", "The number of `parts`").replace("a fold", "a part")
    refuse(message, lambda: verb(frame({"label": []}), by, *arguments))


def test_many_repeats_fragment_no_frame() -> None:
    """More columns than pandas likes to insert one by one come without a warning."""
    frame = pd.DataFrame({"a": [1, 2] * 4}, index=[1, 1, 2, 2, 3, 3, 4, 4])
    frame.attrs = {"source": "here"}
    out = sf.kfold(frame, "a", 2, repeats=120)
    assert out.shape == (8, 121)
    assert out.attrs == frame.attrs
    assert out["fold_1"].tolist() == sf.kfold(frame, "a", 2)["fold"].tolist()


# Groups: each is in one fold, and strata and sizes are close to even --------------------


def patients() -> dict[str, Any]:
    """Visits of patients at sites; a patient has more of one label than of others."""
    drawn, n = np.random.default_rng(0), 240
    patient = np.sort(drawn.integers(0, 40, n))
    label = (drawn.integers(0, 3, 40)[patient] + drawn.integers(0, 2, n)) % 3
    order = drawn.permutation(n)
    return {
        "patient": [f"p{code}" for code in patient[order]],
        "label": ["abc"[code] for code in label[order]],
        "site": drawn.integers(0, 2, n).tolist(),
        "x": drawn.normal(size=n).tolist(),
        "y": drawn.normal(size=n).tolist(),
    }


def test_clusters_are_left_out_whole(frame: Make) -> None:
    """`groups=sf.clusters(...)` leaves whole clusters out."""
    data = patients()
    term = sf.clusters(["x", "y"], 12)
    out = sf.kfold(frame(data), "label", k=4, groups=term)
    counts = sf.balance(out, term)  # in which the clusters are strata
    held = zip(values(counts, "cluster"), values(counts, "n"), strict=True)
    filled = Counter(cluster for cluster, n in held if n)
    assert set(filled.values()) == {1}


def test_two_columns_of_groups_are_hashed_one_after_another(frame: Make) -> None:
    """Columns in another order are other groups, and one column of their text is, too."""
    data = patients()
    data["pair"] = [f"{who}{site}" for who, site in zip(data["patient"], data["site"], strict=True)]
    found = {
        tuple(values(sf.kfold(frame(data), "label", groups=groups), "fold"))
        for groups in (["patient", "site"], ["site", "patient"], "pair")
    }
    assert len(found) == 3


def test_clusters_are_ordered_by_their_points(frame: Make) -> None:
    """Clusters that are the same in every order of the rows get the same folds."""
    data: dict[str, list[Any]] = {"x": [100.0 * (i * 7 % 12) + i % 5 for i in range(96)]}
    turned = {"x": data["x"][::-1]}
    groups = sf.clusters("x", 12, algorithm="agglomerative", scale=None)
    here, there = (
        values(sf.kfold(frame(each), k=4, groups=groups), "fold") for each in (data, turned)
    )
    assert there == here[::-1]


@pytest.mark.parametrize(
    ("order", "is_drawn"),
    [
        (sf.continuous("x"), False),
        (sf.clusters(["x", "y"], 3), False),
        (sf.chain(["x", "y"]), True),
        (sf.nearest(["x", "y"]), True),
    ],
)
def test_what_a_circular_deal_draws(order: Any, is_drawn: bool) -> None:
    """With `deal="circular"` the orders of neighbours depend on the seed, and nothing else does."""
    x, y = np.random.default_rng(0).normal(size=(2, 60))
    df = pd.DataFrame({"x": x, "y": y})
    folds = {str(folds_of(df, order, deal="circular", seed=seed)) for seed in range(3)}
    assert (len(folds) > 1) == is_drawn


@given(
    labels=st.lists(st.sampled_from("abcd"), min_size=12, max_size=60),
    k=st.integers(2, 7),
    seed=st.integers(0, 9),
)
def test_contiguous_folds_are_those_of_scikit_learn(labels: list[str], k: int, seed: int) -> None:
    """Contiguous folds are those of `KFold` and `StratifiedKFold` that do not shuffle.

    Along a column they are pieces of the sorted rows, as `np.array_split` cuts them.
    """
    order = np.random.default_rng(seed).permutation(len(labels))
    frame = pl.DataFrame({"label": labels, "x": order})
    in_turn = folds_of(frame, None, k, deal="contiguous", seed=seed)
    assert in_turn == peer_folds(KFold(k), labels, None)
    pieces = enumerate(np.array_split(np.argsort(order), k))
    assert folds_of(frame, sf.continuous("x"), k, deal="contiguous") == [
        fold for _, fold in sorted((row, fold) for fold, rows in pieces for row in rows)
    ]
    if max(map(labels.count, labels)) >= k:
        theirs = peer_folds(StratifiedKFold(k), labels, None)
        assert folds_of(frame, "label", k, deal="contiguous") == theirs


@pytest.mark.parametrize(
    ("n", "parts", "sizes"),
    [
        (9, [0.8, 0.2], [8, 1]),
        (9, [0.2, 0.8], [2, 7]),
        (14, [0.7, 0.2, 0.1], [10, 3, 1]),
        (18, [0.7, 0.2, 0.1], [13, 4, 1]),
        (10, [3, None, 2], [3, 5, 2]),
    ],
)
def test_left_over_rows_of_stretches(
    frame: Make, n: int, parts: list[float | None], sizes: list[int]
) -> None:
    """The first parts take what is left over of a contiguous deal, and the order is theirs."""
    names = "abc"[: len(parts)]
    options: dict[str, Any] = {"parts": dict(zip(names, parts, strict=True)), "seed": None}
    dealt = sf.split(frame({"x": [*range(n)]}), deal="contiguous", **options)
    expected = [name for name, size in zip(names, sizes, strict=True) for _ in range(size)]
    assert values(dealt, "split") == expected


class Place:
    """An object that equals another of the same name, and has no other value."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@pytest.mark.parametrize(
    "groups",
    [
        [1, "one", 2, "two", 3, "three"],
        [Place(name) for name in "abcdef"],
        [frozenset(name) for name in "abcdef"],
        [complex(i, 1) for i in range(6)],
        ["\ud800", *"abcde"],
    ],
    ids=["mixed", "objects", "sets", "complex", "surrogates"],
)
def test_groups_that_cannot_be_hashed_come_in_order(groups: list[Any]) -> None:
    """Groups of values that no key can have are dealt as they come."""
    rows = [i * i % 6 for i in range(36)] + list(range(6))
    frame = pd.DataFrame(
        {"who": pd.Series([groups[row] for row in rows], dtype=object), "row": rows}
    )
    folds = sf.kfold(frame, k=3, groups="who")["fold"]
    assert folds.groupby(frame["row"]).nunique().max() == 1
    renamed = pd.DataFrame({"who": [Place(f"other {row}") for row in rows]})
    assert folds.tolist() == sf.kfold(renamed, k=3, groups="who")["fold"].tolist()


def test_intervals_are_groups_by_their_text() -> None:
    """Intervals of pandas have the folds of their text, and so those of every row order."""
    frame = pd.DataFrame({"x": [i * 37 % 101 for i in range(90)]})
    frame["cut"] = pd.cut(frame["x"], 9)
    frame["plain"] = frame["cut"].astype("interval[float64, right]")
    frame["text"] = frame["cut"].astype(str)
    by_text = sf.kfold(frame, k=3, groups="text")["fold"]
    assert sf.kfold(frame, k=3, groups="plain")["fold"].tolist() == by_text.tolist()
    turned = sf.kfold(frame[::-1], k=3, groups="cut")["fold"]
    assert turned[::-1].tolist() == by_text.tolist()


def test_repeats_of_parts_round_anew() -> None:
    """Where a stratum's share is no whole number, its rows in a part average to it."""
    df = pd.DataFrame({"label": list("aaabbbbbbb")})
    out = sf.split(df, "label", {"train": 0.5, "test": 0.5}, rare="ignore", repeats=400)
    counts = [int((out[name][:3] == "test").sum()) for name in out.columns if name != "label"]
    assert set(counts) == {1, 2}
    assert abs(np.mean(counts) - 1.5) < 4 * 0.5 / 400**0.5
