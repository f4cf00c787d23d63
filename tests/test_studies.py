"""The studies behind the pages of docs/ run, and measure what they say."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import energy_distance
from sklearn.datasets import load_wine

STUDIES = Path(__file__).parents[1] / "docs" / "studies"


@pytest.fixture(scope="module")
def quality() -> dict[str, Any]:
    """The names of the study of quality."""
    return runpy.run_path(str(STUDIES / "quality.py"))


def test_energy_distance_is_scipys(quality: dict[str, Any]) -> None:
    """The distance of a fold to the rest is SciPy's, squared, averaged over the folds."""
    drawn = np.random.default_rng(0)
    points, folds = drawn.normal(size=90), drawn.integers(0, 3, 90)
    expected = [energy_distance(points[folds == i], points[folds != i]) ** 2 for i in range(3)]
    apart = cdist(points[:, None], points[:, None])
    found = quality["energy_distance"](apart, folds, 3)
    assert found == pytest.approx(np.mean(expected))


def test_quality_of_wine(quality: dict[str, Any], tmp_path: Path) -> None:
    """Strategies that look at the features beat plain k-fold; the table and the plot are made."""
    found = quality["measure"](load_wine(as_frame=True).frame, range(3))
    shares = found.div(found["k-fold"], axis=0)
    assert (shares[["SCBCV", "DB-SCV", "DOB-SCV"]] < 0.9).all(axis=None)
    named = quality["pd"].concat({"wine": found}, names=["data set"])
    assert quality["table"](named).count("| wine |") == 3
    quality["draw"].__globals__["IMAGE"] = tmp_path / "quality.png"
    quality["draw"](named)
    assert (tmp_path / "quality.png").stat().st_size > 10_000


def test_bias_of_the_circular_deal() -> None:
    """Fold 0 is nearest to the centres and the last fold farthest, unless blocks are shuffled."""
    study = runpy.run_path(str(STUDIES / "bias.py"))
    frame = study["blobs"]()
    circular = study["mean_places"](frame, "circular", 2)
    assert (np.diff(circular[0]) > 0.01).all()
    np.testing.assert_array_equal(circular[0], circular[1])
    drawn = study["mean_places"](frame, "random", 200).mean(axis=0)
    assert np.ptp(drawn) < 0.01


def test_pictures_of_diagnostics(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pictures of the page show its folds: the stratified ones are near the optimum."""
    monkeypatch.setattr("sys.argv", ["diagnostics.py"])
    study = runpy.run_path(str(STUDIES / "diagnostics.py"))
    plain, stratified = (
        max(np.abs(each.get_offsets()[:, 0]).max() for each in ax.collections)
        for ax in study["balance"]().axes
    )
    assert stratified < 0.2 * plain
    assert study["strata"]().axes[0].get_yticklabels()[40].get_text() == "10 more"
    assert len(study["repeats"]().axes[0].get_legend().get_texts()) == 6
    assert len(study["drift"]().axes) == 1
    assert study["sizes"]().axes[0].get_ylabel() == "rows"
