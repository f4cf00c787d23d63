"""Parts of whole groups: their shares, and the best of all assignments of a few groups."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import Make, eager, values, warned

THREE = {"train": 0.8, "valid": 0.1, "test": 0.1}
SITES = {"site": ["a"] * 45 + ["b"] * 30 + ["c"] * 25, "row": [*range(100)]}
FAR = (
    "Whole groups do not meet the shares of `parts`: {}\nHint: choose shares that these groups can"
    ' meet, or fewer entries in `by`; `rare="ignore"` silences this warning.'
)


def sizes_of(rows: Counter[Any], where: str = "") -> str:
    """Write the parts of `SITES`, each of which is far from its share."""
    shares = {"train": 80, "valid": 10, "test": 10}
    listed = [
        f"'{part}' has {rows[part]} rows{where} (its share is {shares[part]})" for part in THREE
    ]
    return "; ".join(listed)


def quiet(frame: Any, **options: Any) -> Counter[Any]:
    """Count the rows of each part, where nothing is said."""
    return Counter(values(sf.split(frame, None, THREE, groups="site", rare="ignore"), "split"))


def test_shares_that_groups_cannot_meet(frame: Make) -> None:
    """Each part far from its share is named with its rows, by `split` and by `plan`."""
    df = frame(SITES)
    rows = quiet(df)
    assert rows["train"] == 45

    message = FAR.format(f"{sizes_of(rows)}.")
    warned(message, lambda: sf.split(df, None, THREE, groups="site"))
    warned(message, lambda: sf.plan(df, None, parts=THREE, groups="site"))


def test_shares_of_extended_parts(frame: Make) -> None:
    """`extend` names parts far from their shares, too."""
    df = frame({**SITES, "split": [None] * 45 + ["valid"] * 30 + ["test"] * 25})

    rows = Counter({"train": 45, "valid": 30, "test": 25})
    message = FAR.format(f"{sizes_of(rows)}.")
    call = {"parts": THREE, "groups": "site", "name": "split"}
    out = warned(message, lambda: sf.extend(df, None, **call))
    assert Counter(values(out, "split")) == rows
    sf.extend(df, None, rare="ignore", **call)


def test_shares_of_repeats_are_told_by_column(frame: Make) -> None:
    """One warning lists parts and columns, up to five of them."""
    df = frame(SITES)
    with pytest.warns(sf.StratWarning) as caught:
        eager(sf.split(df, None, THREE, groups="site", repeats=2))

    (message,) = [str(warning.message) for warning in caught]
    assert "'train' has 45 rows in 'split_1' (its share is 80); 'valid' has " in message
    assert message.split("\n")[0].endswith(" (its share is 10) ...")


@pytest.mark.parametrize(
    ("sizes", "parts"),
    [
        pytest.param([80, 10, 10], THREE, id="shares that are met"),
        pytest.param([76, 12, 12], THREE, id="off by less than a tenth of the largest share"),
        pytest.param([1] * 5, {"a": 0.5, "b": 0.5}, id="off by less than a row"),
    ],
)
def test_shares_that_are_nearly_met(sizes: list[int], parts: dict[str, float]) -> None:
    """Parts that are near their shares cause no warning."""
    site = np.repeat(np.arange(len(sizes)), sizes)
    sf.split(pd.DataFrame({"site": site}), None, parts, groups="site")


def test_folds_of_groups_have_no_shares() -> None:
    """`kfold` warns of sizes only where a group is larger than a fold."""
    sf.kfold(pd.DataFrame({"site": [0] * 6 + [1] * 5 + [2] * 3}), None, 2, groups="site")


@given(
    sizes=st.lists(st.integers(1, 9), min_size=3, max_size=6),
    labels=st.lists(st.sampled_from("ab"), min_size=54, max_size=54),
    seed=st.integers(0, 99),
)
def test_few_groups_are_the_best_of_all(sizes: list[int], labels: list[str], seed: int) -> None:
    """The loss of parts of a few groups is that of the best assignment, found by a loop."""
    site = np.repeat(np.arange(len(sizes)), sizes)
    df = pd.DataFrame({"site": site, "y": labels[: len(site)]})
    table = pd.crosstab(df["site"], df["y"]).to_numpy()
    table = np.column_stack([table, sizes])
    shares = np.array([*THREE.values()])

    def loss(parts: Any) -> float:
        held = np.stack([table[np.array(parts) == part].sum(axis=0) for part in range(3)])
        target = shares[:, None] * table.sum(axis=0)
        return float(((held - target) ** 2 / target).sum())

    out = sf.split(df, "y", THREE, groups="site", rare="ignore", seed=seed)
    found = out.groupby("site")["split"].first().cat.codes.tolist()

    every = product(range(3), repeat=len(sizes))
    least = min(loss(parts) for parts in every if len(set(parts)) == 3)
    assert len(set(found)) == 3
    assert loss(found) == pytest.approx(least)
