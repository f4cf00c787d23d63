"""`sf.margins`: every entry balanced on its own, with even sizes."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

import stratframe as sf
from tests.helpers import Make, columns_of, eager, spread, values

TAGS = [f"tag_{i}" for i in range(6)]


def tagged(n: int = 300, seed: int = 0) -> dict[str, Any]:
    """Rows with six sparse tags, a site, a patient and a price."""
    drawn = np.random.default_rng(seed)
    rates = drawn.beta(0.5, 5, len(TAGS)) + 0.02
    tags = {tag: (drawn.random(n) < rate).tolist() for tag, rate in zip(TAGS, rates, strict=True)}
    return {
        **tags,
        "site": drawn.choice(list("abc"), n).tolist(),
        "patient": drawn.integers(0, n // 4, n).tolist(),
        "price": drawn.normal(size=n).round(3).tolist(),
    }


@given(
    rows=st.lists(st.tuples(*[st.booleans()] * 3), min_size=12, max_size=60),
    k=st.integers(2, 5),
    seed=st.integers(0, 2**32),
)
def test_sizes_are_within_one(rows: list[tuple[bool, ...]], k: int, seed: int) -> None:
    """Every row has a fold, and sizes differ by at most 1."""
    data = pd.DataFrame(rows, columns=["a", "b", "c"])
    sizes = np.bincount(sf.kfold(data, sf.margins(["a", "b", "c"]), k, seed=seed)["fold"])
    assert sizes.sum() == len(rows)
    assert np.ptp(sizes) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_no_worse_than_iterative_stratification(frame: Make, seed: int) -> None:
    """Each entry is within 1 of even, and no further from it than by iterative stratification."""
    data = tagged(seed=seed)
    folds = values(sf.kfold(frame(data), sf.margins([*TAGS, "site"]), 5), "fold")
    assert max(spread(data[name], folds, 5) for name in [*TAGS, "site"]) <= 1
    folds = values(sf.kfold(frame(data), sf.margins(TAGS), 5), "fold")
    labels = np.column_stack([data[tag] for tag in TAGS]).astype(int)
    peer = np.empty(300, dtype=int)
    stratifier = MultilabelStratifiedKFold(5, shuffle=True, random_state=0)
    for fold, (_, test) in enumerate(stratifier.split(labels, labels)):
        peer[test] = fold
    ours = [spread(data[tag], folds, 5) for tag in TAGS]
    theirs = [spread(data[tag], peer.tolist(), 5) for tag in TAGS]
    assert max(ours) <= min(1, max(theirs))
    assert sum(ours) <= sum(theirs)


def test_key_and_missing(frame: Make) -> None:
    """With a key a permuted frame gets the permuted folds; missing values follow `missing`."""
    data = tagged(60)
    data["id"] = list(range(60))
    data["site"] = [None if row % 20 == 3 else site for row, site in enumerate(data["site"])]
    order = np.random.default_rng(1).permutation(60).tolist()
    turned = {name: [column[row] for row in order] for name, column in data.items()}
    call = {"by": sf.margins(["site", "tag_0"]), "k": 3, "key": "id", "missing": "stratum"}
    here, there = (values(sf.kfold(frame(each), **call), "fold") for each in (data, turned))
    assert there == [here[row] for row in order]
    nulled = values(sf.kfold(frame(data), **call | {"missing": "null"}), "fold")
    assert [fold is None for fold in nulled] == [site is None for site in data["site"]]


def test_tables_list_one_entry_after_another(frame: Make) -> None:
    """Tables have a row for each entry and value, named in two columns."""
    data = {"a": [1, 1, 0, 0], "b": ["x", None, "x", "y"], "fold": [0, 1, 0, 1]}
    by = sf.margins(["a", "b"])
    found = columns_of(sf.balance(frame(data), by))
    assert list(found) == ["fold", "entry", "value", "n", "share", "expected", "deviation"]
    assert found["fold"] == [0, 0, 1, 1, 0, 0, 0, 1, 1, 1]
    assert found["entry"] == ["a"] * 4 + ["b"] * 6
    assert [value and value[0] for value in found["value"]] == [*"0101", *("x", "y", None) * 2]
    assert found["n"] == [1, 1, 1, 1, 2, 0, 0, 0, 1, 1]


def test_plan_counts_what_is_dealt(frame: Make) -> None:
    """A plan of margins counts, for each entry and value, what the call deals."""
    data = tagged(90)
    by = sf.margins(["site", "tag_0"])
    plan = eager(sf.plan(frame(data), by, 4))
    folds = values(sf.kfold(frame(data), by, 4), "fold")
    held = Counter(zip(data["site"], folds, strict=True))
    rows = zip(plan["entry"], plan["value"], plan["fold"], plan["n"], strict=True)
    assert all(held[value, fold] == n for entry, value, fold, n in rows if entry == "site")
    empty = sf.plan(frame({name: [] for name in data}), by, 4)
    assert list(empty.columns) == ["entry", "value", "fold", "n"]
    assert len(empty) == 0
