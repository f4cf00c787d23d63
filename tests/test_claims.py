"""Claims of pages that no code on the page shows."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import StratifiedKFold

import stratframe as sf

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


@pytest.mark.parametrize("deal", ["contiguous", "circular"])
@pytest.mark.parametrize("by", [None, ["label", sf.continuous("x1")]], ids=["no_strata", "order"])
def test_another_seed_changes_nothing_of_deals_in_order(deal: str, by: Any) -> None:
    """`not-promised.md`: with these deals the seed changes nothing."""
    first, second = (sf.kfold(ROWS, by, k=5, deal=deal, seed=seed) for seed in (0, 1))
    assert first.equals(second)


def test_totals_exclude_contiguous_parts() -> None:
    """`make.md`: `sf.total` is an error with `deal="contiguous"`."""
    with pytest.raises(sf.StratError, match="cannot be combined with"):
        sf.kfold(ROWS, ["label", sf.total("x1")], k=5, deal="contiguous")


@pytest.mark.parametrize("term", [sf.chain(["x1", "x2"]), sf.nearest(["x1", "x2"])], ids=str)
def test_totals_exclude_orders(term: Any) -> None:
    """`make.md`: `sf.total` is an error after a term that orders rows."""
    with pytest.raises(sf.StratError, match="must"):
        sf.kfold(ROWS, [term, sf.total("x1")], k=5)


@pytest.mark.parametrize("options", [{"groups": "patient"}, {"key": "id"}])
def test_totals_inside_bins(options: dict[str, Any]) -> None:
    """`make.md` does not exclude `sf.total` after bins, with groups or with a key."""
    folds = sf.kfold(ROWS, [sf.quantiles("x2", 3), sf.total("x1")], k=5, **options)["fold"]
    assert folds.nunique() == 5


def test_scikit_learn_is_quoted() -> None:
    """`does-it-matter.md` quotes a sentence of scikit-learn as it stands in that version."""
    page = (DOCS / "does-it-matter.md").read_text(encoding="utf-8")
    quotation = re.search(r'"([^"]+)", says scikit-learn ([\d.]+)', page)
    assert quotation is not None
    sentence, version = quotation.groups()
    if not sklearn.__version__.startswith(f"{version}."):
        pytest.skip(f"needs scikit-learn {version}")
    assert sentence in " ".join((StratifiedKFold.__doc__ or "").split())
