"""Claims of pages that no code on the page shows."""

import inspect
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import StratifiedKFold

import stratframe as sf
from stratframe.engines.base import Engine

DOCS = Path(__file__).parents[1] / "docs"
N = 60
ROWS = pd.DataFrame(
    {
        "id": range(N),
        "label": ["cat", "cat", "dog"] * 20,
        "patient": [row // 3 for row in range(N)],
        "x1": [7 * row % N for row in range(N)],
        "x2": [11 * row % N for row in range(N)],
    }
)
WEIGHTED = ["label", sf.total("x1")]


def folds_of(**options: Any) -> list[int]:
    folds: list[int] = sf.kfold(ROWS, k=5, **options)["fold"].tolist()
    return folds


@pytest.mark.parametrize("deal", ["contiguous", "circular"])
@pytest.mark.parametrize(
    "by",
    [
        pytest.param(None, id="no_strata"),
        pytest.param("label", id="strata"),
        pytest.param(["label", sf.continuous("x1")], id="an_order"),
    ],
)
def test_another_seed_changes_nothing_of_deals_in_order(deal: str, by: Any) -> None:
    """`not-promised.md`: with these deals the seed changes nothing."""
    assert folds_of(by=by, deal=deal, seed=0) == folds_of(by=by, deal=deal, seed=1)


@pytest.mark.parametrize("term", [sf.chain(["x1", "x2"]), sf.nearest(["x1", "x2"])], ids=str)
def test_another_seed_starts_neighbours_elsewhere(term: Any) -> None:
    """`not-promised.md` and `make.md`: the start of these terms is drawn by the seed."""
    drawn = [folds_of(by=term, deal="circular", seed=seed) for seed in range(5)]
    assert any(folds != drawn[0] for folds in drawn)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"groups": "patient"}, id="groups"),
        pytest.param({"by": sf.clusters(["x1", "x2"])}, id="clusters"),
        pytest.param({"by": sf.chain(["x1", "x2"])}, id="chain"),
        pytest.param({"by": sf.nearest(["x1", "x2"])}, id="nearest"),
        pytest.param({"by": sf.margins(["label", "patient"])}, id="margins"),
        pytest.param({"by": WEIGHTED}, id="total"),
        pytest.param({"repeats": 2}, id="repeats"),
    ],
)
def test_contiguous_excludes_what_the_page_lists(options: dict[str, Any]) -> None:
    """`make.md`: these are errors with `deal="contiguous"`."""
    with pytest.raises(sf.StratError, match="cannot be combined with"):
        folds_of(deal="contiguous", **options)


@pytest.mark.parametrize("options", [{"key": "id"}, {"where": lambda rows: rows["id"] > 5}])
def test_contiguous_takes_a_key_and_a_choice_of_rows(options: dict[str, Any]) -> None:
    """`make.md` lists neither among the errors of `deal="contiguous"`."""
    assert len(folds_of(by="label", deal="contiguous", **options)) == N


def test_totals_exclude_what_the_page_lists() -> None:
    """`make.md`: `sf.total` is an error with these terms, deals, arguments and verbs."""
    total = sf.total("x1")
    others = [
        sf.continuous("x2"),
        sf.chain(["x1", "x2"]),
        sf.nearest(["x1", "x2"]),
        sf.margins(["label", "patient"]),
    ]
    for other in others:
        with pytest.raises(sf.StratError, match="must"):
            folds_of(by=[other, total])
    for deal in ("circular", "contiguous", "hash"):
        with pytest.raises(sf.StratError, match="cannot be combined with"):
            folds_of(by=WEIGHTED, deal=deal, key="id")
    with pytest.raises(sf.StratError, match="cannot be combined with"):
        sf.split(ROWS, WEIGHTED, each=2)
    with pytest.raises(sf.StratError, match="does not support"):
        sf.sample(ROWS, WEIGHTED, n=10)
    gaps = sf.kfold(ROWS, "label", k=5).astype({"fold": "Int64"})
    gaps.loc[::7, "fold"] = pd.NA
    with pytest.raises(sf.StratError, match="does not support"):
        sf.extend(gaps, WEIGHTED)


def test_totals_take_all_else() -> None:
    """`make.md` names neither groups, keys, repeats nor bins among what `sf.total` excludes."""
    binned = [sf.quantiles("x2", 3), sf.total("x1")]
    for options in ({"groups": "patient"}, {"key": "id"}, {}):
        assert len(folds_of(by=WEIGHTED, **options)) == N
        assert len(folds_of(by=binned, **options)) == N
    assert "fold_2" in sf.kfold(ROWS, WEIGHTED, k=5, repeats=2)


def test_an_engine_is_a_subclass() -> None:
    """`contributing.md`: an engine writes the abstract methods of the base class."""
    assert inspect.isabstract(Engine)
    assert "subclass of `Engine`" in (DOCS / "contributing.md").read_text(encoding="utf-8")


def test_scikit_learn_is_quoted() -> None:
    """`does-it-matter.md` quotes a sentence of scikit-learn as it stands in that version."""
    page = (DOCS / "does-it-matter.md").read_text(encoding="utf-8")
    quotation = re.search(r'"([^"]+)", says scikit-learn ([\d.]+)', page)
    assert quotation is not None
    sentence, version = quotation.groups()
    if not sklearn.__version__.startswith(f"{version}."):
        pytest.skip(f"needs scikit-learn {version}")
    assert sentence in " ".join((StratifiedKFold.__doc__ or "").split())
