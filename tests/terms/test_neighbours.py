"""Orders by nearness, against the papers, and features of every kind."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from stratframe.core.order import by_value
from stratframe.core.seeds import StreamTag, random_words
from tests.helpers import values
from tests.terms.clouds import FEATURES, cloud, points_of, round_robin

TERMS = [sf.clusters, sf.chain, sf.nearest]


def drawn_rows(data: dict[str, Any], k: int) -> list[list[int]]:
    classes = pd.factorize(np.array(data["label"]))[0]
    draws = random_words(0, StreamTag.FOLD_ROWS, len(classes), k)
    rows = by_value(classes, 3, np.zeros(len(classes)), draws)
    return [rows[classes[rows] == code].tolist() for code in range(3)]


def test_db_scv() -> None:
    """A chain goes from a drawn row of each class to the nearest, as Zeng and Martinez say."""
    data = cloud()
    by = ["label", sf.chain(FEATURES, scale=None)]
    rows = list[int]()
    points = points_of(data)
    for own in drawn_rows(data, 5):
        here = own[0]
        left = set(own)
        while left:
            near = np.linalg.norm(points - points[here], axis=1)
            here = min(left, key=lambda row: near[row])
            left.remove(here)
            rows.append(here)
    assert values(sf.kfold(pl.DataFrame(data), by, 5, deal="circular"), "fold") == round_robin(
        rows, 5
    )


@pytest.mark.parametrize("k", [2, 4])
def test_dob_scv(k: int) -> None:
    """A drawn row and its k - 1 nearest are in k folds, as Moreno-Torres et al. say."""
    data = cloud()
    df = pl.DataFrame(data)
    by = ["label", sf.nearest(FEATURES, scale=None)]
    blocks = list[list[int]]()
    points = points_of(data)
    for left in drawn_rows(data, k):
        while left:
            near = np.linalg.norm(points - points[left[0]], axis=1)
            blocks.append(sorted(left, key=lambda row: near[row])[:k])
            left = [row for row in left if row not in blocks[-1]]
    folds = values(sf.kfold(df, by, k), "fold")
    of_size = ["label", sf.nearest(FEATURES, k, scale=None)]
    assert values(sf.kfold(df, of_size, k), "fold") == folds
    assert all(len({folds[row] for row in block}) == len(block) for block in blocks)
    assert any(folds[block[0]] != 0 for block in blocks)
    circular = values(sf.kfold(df, by, k, deal="circular"), "fold")
    assert circular == round_robin([row for block in blocks for row in block], k)


@pytest.mark.parametrize("scale", ["standard", "minmax"])
@pytest.mark.parametrize("term", TERMS)
def test_scales_make_units_alike(scale: str, term: Any) -> None:
    """Scaled features count alike, whatever their units; a constant one does not count."""
    data = cloud(60) | {"one": [0.1] * 60}
    moved = pl.DataFrame({**data, "y": [1024 * y for y in data["y"]]})
    here = values(sf.kfold(pl.DataFrame(data), term(FEATURES, scale=scale), 4), "fold")
    assert here == values(sf.kfold(moved, term([*FEATURES, "one"], scale=scale), 4), "fold")
    assert here != values(sf.kfold(moved, term(FEATURES, scale=None), 4), "fold")


def test_seeds() -> None:
    """A term's own seed starts clusters, whatever that of the call, which starts chains."""
    data = cloud()
    noise = np.random.default_rng(5).normal(size=(200, 3))
    data |= {name: noise[:, place].tolist() for place, name in enumerate(FEATURES)}

    def sizes(seed: int, own: int) -> list[int]:
        term = sf.clusters(FEATURES, 5, seed=own)
        return [n // 4 for n in values(sf.plan(pl.DataFrame(data), term, k=4, seed=seed), "n")]

    assert len({tuple(sorted(sizes(0, own))) for own in range(5)}) > 1
    assert len({tuple(sorted(sizes(seed, 1))) for seed in range(5)}) == 1
    chained = {"by": sf.chain("x"), "deal": "circular"}
    chains = (
        values(sf.kfold(pl.DataFrame(data), **chained, seed=seed), "fold") for seed in range(5)
    )
    assert len(set(map(tuple, chains))) == 5


@pytest.mark.parametrize("term", TERMS)
def test_samples_along_orders(term: Any) -> None:
    """A sample or a part along an order has the size that was asked for."""
    df = pl.DataFrame(cloud(100))
    by = ["label", term(FEATURES)]
    for deal in ("random", "circular"):
        assert values(sf.split(df, by, 0.2, deal=deal), "split").count("test") == 20
    assert [len(sf.sample(df, by, n=n)) for n in (7, 0)] == [7, 0]


@pytest.mark.parametrize("deal", ["random", "circular"])
def test_blocks_of_a_split(deal: str) -> None:
    """A tenth of ten distant groups of ten rows has one row of each group."""
    x = [1_000.0 * (row % 10) + row / 100 for row in range(100)]
    for block in (None, 10):
        by = sf.nearest("x", block)
        out = sf.split(pl.DataFrame({"x": x}), by, {"train": 0.9, "test": 0.1}, deal=deal)
        parts = values(out, "split")
        assert len({row % 10 for row in range(100) if parts[row] == "test"}) >= 8


def test_orders_need_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains and blocks work without scikit-learn and tqdm."""
    for module in ("sklearn", "tqdm", "kneed"):
        monkeypatch.setitem(sys.modules, module, None)
    for term in (sf.chain(FEATURES), sf.nearest(FEATURES)):
        assert set(sf.kfold(pl.DataFrame(cloud(50)), term)["fold"]) == set(range(5))
