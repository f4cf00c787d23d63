"""A study that is stopped goes on from its folder, and never with the samples of another."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import stratframe as sf
from tests.study import samples
from tests.study.samples import CALLS, FEATURES, STOP_AT, population, results, to_library


def counted(frame: Any, k: int, seed: int) -> Any:
    """Count a call, and stop the run at some."""
    samples.CALLS.append(seed)
    if len(samples.CALLS) in samples.STOP_AT:
        raise KeyboardInterrupt
    return sf.kfold(frame, k=k, seed=seed)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Run a study of one strategy in a folder, and count its calls."""
    CALLS.clear()
    STOP_AT.clear()

    def study(**changes: Any) -> Any:
        arguments = {
            "frame": population(),
            "target": "label",
            "features": FEATURES,
            "strategies": {"mine": counted},
            "estimators": GaussianNB(),
            "k": 2,
            "sample": 40,
            "samples": 6,
            "repeats": 1,
            "cache": tmp_path / "cache",
        }
        return sf.study.estimates(**(arguments | changes))

    return study


def test_a_stopped_study_goes_on(run: Callable[..., Any]) -> None:
    """After a stop in the third sample, two are read from the folder, and four are run."""
    STOP_AT.append(3)
    with pytest.raises(KeyboardInterrupt):
        run()
    assert len(CALLS) == 3
    resumed = run()
    assert len(CALLS) == 3 + 4
    assert_frame_equal(run(), resumed)
    assert len(CALLS) == 7
    assert_frame_equal(results(run(cache=None)), results(resumed))


def test_more_samples_keep_those_that_are_done(run: Callable[..., Any]) -> None:
    """A larger study reads the samples of a smaller one."""
    few = run(samples=2)
    more = run(samples=5)
    assert len(CALLS) == 5
    kept = more[more["sample"] < 2].reset_index(drop=True)
    assert_frame_equal(few, kept)


def test_failures_are_tried_again(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What failed is run once more, and what did not fail keeps its times."""

    def offline(frame: Any, k: int, seed: int) -> Any:
        if not os.environ.get("ONLINE"):
            raise ConnectionError
        return sf.kfold(frame, k=k, seed=seed)

    strategies = {"mine": counted, "offline": offline}
    with pytest.warns(sf.StratWarning, match="6 of 18 estimates failed"):
        first = run(strategies=strategies)
    with pytest.warns(sf.StratWarning, match="6 of 18 estimates failed"):
        again = run(strategies=strategies)
    assert_frame_equal(results(again), results(first))
    monkeypatch.setenv("ONLINE", "yes")
    third = run(strategies=strategies)
    assert not third["estimate"].isna().any()
    is_kept = third["strategy"] != "offline"
    assert_frame_equal(third[is_kept], first[is_kept])
    assert len(CALLS) == 6
    assert_frame_equal(run(strategies=strategies), third)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"[", b"[]", b"{}", b"3", b'[["mine"]]', b"\xff\xfe\x00"),
        b'[[["mine"], 0, 0, 0, 0, 0, 0, 0, 0, ""]]',
    ],
)
def test_a_broken_file_is_run_again(
    run: Callable[..., Any], tmp_path: Path, content: bytes
) -> None:
    """A file that is empty, cut off, no text or of another form counts as none, and is replaced."""
    whole = run(samples=2)
    (folder,) = (tmp_path / "cache").iterdir()
    (folder / "sample_000001.json").write_bytes(content)
    assert_frame_equal(results(run(samples=2)), results(whole))
    assert len(CALLS) == 3
    run(samples=2)
    assert len(CALLS) == 3


CHANGES: dict[str, dict[str, Any]] = {
    "other rows": {"frame": population(seed=1)},
    "library": {"frame": to_library(population(), "polars")},
    "dtype": {"frame": population().astype({"x": "float32"})},
    "target": {"target": "town"},
    "fewer features": {"features": ["x"]},
    "order of features": {"features": ["y", "x"]},
    "name of a strategy": {"strategies": {"yours": counted}},
    "another baseline": {"strategies": {"mine": counted, "SCV": None}},
    "estimator": {"estimators": DummyClassifier()},
    "setting of an estimator": {"estimators": GaussianNB(var_smoothing=1e-3)},
    "name of an estimator": {"estimators": {"other": GaussianNB()}},
    "k": {"k": 3},
    "sample": {"sample": 41},
    "repeats": {"repeats": 2},
    "metric": {"metric": "balanced_accuracy"},
    "seed": {"seed": 1},
    "index": {"frame": population().set_index(np.arange(120)[::-1])},
    "categories": {"frame": population().astype({"label": pd.CategoricalDtype(["yes", "no"])})},
}
"""What changes the numbers of a study."""


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_another_study_has_a_folder_of_its_own(
    run: Callable[..., Any], tmp_path: Path, changes: dict[str, Any]
) -> None:
    """Whatever changes the numbers changes the folder."""
    frame = population().assign(town=["a", "b", "c"] * 40)
    run(frame=frame, samples=1)
    run(**{"frame": frame, "samples": 1, **changes})
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_the_order_of_many_categories_counts(run: Callable[..., Any], tmp_path: Path) -> None:
    """Categories whose order an abbreviated list does not show are other data."""
    numbers = list(range(300))
    for categories in (numbers, [*numbers[:100], *numbers[199:99:-1], *numbers[200:]]):
        town = pd.Categorical(numbers[:120], categories=categories)
        run(frame=population().assign(town=town), samples=1)
    assert len(list((tmp_path / "cache").iterdir())) == 2


SCRIPT = """
import pandas as pd
import stratframe as sf
from sklearn.dummy import DummyClassifier

frame = pd.DataFrame({"label": ["a", "b"] * 30, "town": ["x", "x", "y"] * 20, "x": range(60)})
TOWNS = {"x", "y", "z"}

def mine(frame, k, seed):
    by = "BY" if "z" in TOWNS and "y" in {"v", "w", "x", "y"} else None
    return sf.kfold(frame, by, k, seed=seed)

sf.study.estimates(
    frame, "label", ["x"], {"mine": mine, "lambda": lambda *given: mine(*given)},
    DummyClassifier(), k=2, samples=1, repeats=1, cache=CACHE
)
"""


@pytest.mark.slow
def test_a_script_on_standard_input_is_known_by_its_code(tmp_path: Path) -> None:
    """It finds its samples again, whatever the lines above or the hash seed; another does not."""

    def count_folders(code: str, hash_seed: int) -> int:
        code = code.replace("CACHE", repr(str(tmp_path / "cache")))
        environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
        subprocess.run([sys.executable], input=code, text=True, env=environment, check=True)
        return len(list((tmp_path / "cache").iterdir()))

    by_label = SCRIPT.replace("BY", "label")
    assert count_folders(by_label, 1) == 1
    assert count_folders(f"\n# A line above.\n{by_label}", 2) == 1
    assert count_folders(SCRIPT.replace("BY", "town"), 1) == 2


def test_functions_are_told_apart_by_their_code(run: Callable[..., Any], tmp_path: Path) -> None:
    """Functions of one name but other code, or other values around them, are other strategies."""
    folder = tmp_path / "cache"
    for by in ("label", "town"):
        for _ in range(2):
            run(
                frame=population().assign(town=["a", "b", "c"] * 40),
                strategies={"mine": lambda frame, k, seed, by=by: sf.kfold(frame, by, k)},
                samples=1,
            )
    assert len(list(folder.iterdir())) == 2
    run(strategies={"mine": lambda frame, k, seed: sf.kfold(frame, None, k)}, samples=1)
    assert len(list(folder.iterdir())) == 3


@pytest.mark.slow
def test_terms_are_the_same_when_made_again(run: Callable[..., Any], tmp_path: Path) -> None:
    """Equal entries, and the default strategies, find their folder again."""
    for _ in range(2):
        run(strategies={"mine": ["label", sf.clusters(FEATURES, 3)]}, samples=1)
        run(strategies=None, samples=1, n_jobs=2)
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_half_a_file_is_never_read(run: Callable[..., Any], tmp_path: Path) -> None:
    """Files are written beside their place, and moved there when they are whole."""
    run(samples=1)
    (folder,) = (tmp_path / "cache").iterdir()
    assert [each.name for each in folder.iterdir()] == ["sample_000000.json"]
    (folder / "sample_000001.partial").write_text('[["mine"')
    assert len(run(samples=2)) == 4


@pytest.mark.parametrize("cache", [3, b"folder", "a\0b"])
def test_what_is_no_folder(run: Callable[..., Any], cache: Any) -> None:
    """What cannot be a folder is refused before anything is fitted."""
    with pytest.raises(sf.StratError, match="`cache` must be a folder that can be written, got "):
        run(cache=cache)
    assert not CALLS
