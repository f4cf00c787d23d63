"""A study that is stopped goes on from its folder, and never with the samples of another."""

import functools
import json
import os
import subprocess
import sys
import threading
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
from stratframe.study.cache import hash_object
from tests.helpers import refuse
from tests.study import samples
from tests.study.samples import CALLS, FEATURES, STOP_AT, population, results, to_library


def counted(frame: Any, k: int, seed: int) -> Any:
    samples.CALLS.append(seed)
    if len(samples.CALLS) in samples.STOP_AT:
        raise KeyboardInterrupt
    return sf.kfold(frame, k=k, seed=seed)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
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
            "cache": tmp_path,
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
    assert_frame_equal(run(), resumed)
    assert len(CALLS) == 7
    assert_frame_equal(results(run(cache=None)), results(resumed))


def test_more_samples_keep_those_that_are_done(run: Callable[..., Any]) -> None:
    """A larger study reads the samples of a smaller one."""
    few = run(samples=2)
    more = run(samples=5)
    assert len(CALLS) == 5
    assert_frame_equal(few, more[more["sample"] < 2].reset_index(drop=True))


def test_failures_are_tried_again(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed estimates are run again, and the others keep their times."""

    def offline(frame: Any, k: int, seed: int) -> Any:
        if "ONLINE" not in os.environ:
            raise ConnectionError
        return sf.kfold(frame, k=k, seed=seed)

    strategies = {"mine": counted, "offline": offline}
    with pytest.warns(sf.StratWarning, match="6 of 18 estimates failed") as caught:
        first, again = (run(strategies=strategies) for _ in range(2))
    assert len(caught) == 2
    assert_frame_equal(results(again), results(first))
    monkeypatch.setenv("ONLINE", "yes")
    third = run(strategies=strategies)
    assert not third["estimate"].isna().any()
    is_kept = third["strategy"] != "offline"
    assert_frame_equal(third[is_kept], first[is_kept])
    assert len(CALLS) == 6
    assert_frame_equal(run(strategies=strategies), third)


def check_that_samples_are_run_again(run: Any, path: Path, text: bytes) -> None:
    """Check that a file of this text counts as none, and is replaced."""
    whole = run(samples=1)
    n_runs = len(CALLS)
    path.write_bytes(text)

    for _ in range(2):
        assert_frame_equal(results(run(samples=1)), results(whole))
        assert len(CALLS) == n_runs + 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"[", id="cut"),
        pytest.param(b"[]", id="no_rows"),
        pytest.param(b"3", id="number"),
        pytest.param(b'[["mine"]]', id="short_row"),
        pytest.param(b'[[["mine"], 0, 0, 0, 0, 0, 0, 0, 0, ""]]', id="list_for_a_name"),
        pytest.param(b"\xff\xfe\x00", id="no_text"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="deep"),
    ],
)
def test_what_no_study_writes_is_run_again(run: Any, tmp_path: Path, text: bytes) -> None:
    """A file that no study can have written counts as none, and is replaced."""
    run(samples=1)
    (path,) = tmp_path.glob("*/sample_000000.json")

    check_that_samples_are_run_again(run, path, text)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        pytest.param(5, float("nan"), id="estimate_that_is_nan"),
        pytest.param(5, "0.5", id="estimate_as_text"),
        pytest.param(6, float("inf"), id="infinite_truth"),
        pytest.param(3, False, id="number_of_folds_as_a_flag"),
    ],
)
def test_estimates_that_no_study_writes(run: Any, tmp_path: Path, place: int, value: Any) -> None:
    """A file in which one value is of another type, or not finite, counts as none."""
    run(samples=1)
    (path,) = tmp_path.glob("*/sample_000000.json")
    rows = json.loads(path.read_text())
    rows[0][place] = value

    check_that_samples_are_run_again(run, path, json.dumps(rows).encode())


def test_an_estimate_too_many(run: Any, tmp_path: Path) -> None:
    """A file that holds an estimate twice counts as none."""
    run(samples=1)
    (path,) = tmp_path.glob("*/sample_000000.json")
    rows = json.loads(path.read_text())

    check_that_samples_are_run_again(run, path, json.dumps([rows[0], *rows]).encode())


def test_what_is_no_file(run: Callable[..., Any], tmp_path: Path) -> None:
    """A file that cannot be read is named before a sample is run."""
    run(samples=1)
    (path,) = tmp_path.glob("*/sample_000000.json")
    path.unlink()
    path.mkdir()
    message = f"`cache` must hold files that can be read and written: .*{path.name}"
    with pytest.raises(sf.StratError, match=message):
        run(samples=1)
    assert len(CALLS) == 1


CHANGES: dict[str, dict[str, Any]] = {
    "other rows": {"frame": population(seed=1)},
    "library": {"frame": to_library(population(), "polars")},
    "dtype": {"frame": population().astype({"x": "float32"})},
    "target": {"target": "town"},
    "fewer features": {"features": ["x"]},
    "order of features": {"features": ["y", "x"]},
    "name of a strategy": {"strategies": {"yours": counted}},
    "code of a strategy": {"strategies": {"mine": lambda frame, k, seed: sf.kfold(frame, k=k)}},
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


def test_another_study_has_a_folder_of_its_own(run: Callable[..., Any], tmp_path: Path) -> None:
    """Each change of the data or the arguments gives a study another folder."""
    frame = population().assign(town=["a", "b", "c"] * 40)
    run(frame=frame, samples=1)
    for count, (name, changes) in enumerate(CHANGES.items(), 2):
        run(**{"frame": frame, "samples": 1, **changes})
        assert len(list(tmp_path.iterdir())) == count, name


SCRIPT = """
import pandas as pd
import stratframe as sf
from sklearn.dummy import DummyClassifier

frame = pd.DataFrame({"label": ["a", "b"] * 30, "town": ["x", "x", "y"] * 20, "x": range(60)})
def mine(frame, k, seed):
    by = [each for each in ["BY"] if each in {"label", "town", "v", "w"}]
    return sf.kfold(frame, by, k, seed=seed)

sf.study.estimates(
    frame, "label", ["x"], {"mine": mine, "lambda": lambda *given: [mine(*given) for _ in "1"][0]},
    DummyClassifier(), k=2, samples=1, repeats=1, cache=CACHE
)
"""


@pytest.mark.slow
def test_a_script_on_standard_input_is_known_by_its_code(tmp_path: Path) -> None:
    """A script finds its samples again after new lines above it, and under another hash seed."""
    script = SCRIPT.replace("CACHE", repr(str(tmp_path)))
    later = f"\n# A line above.\n{script}"
    runs = (script, "label", 1, 1), (later, "label", 2, 1), (script, "town", 1, 2)
    for code, by, seed, n in runs:
        code = code.replace("BY", by)
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        subprocess.run([sys.executable], input=code, text=True, env=environment, check=True)
        assert len(list(tmp_path.iterdir())) == n


def add(number: int) -> Callable[[int], int]:
    """Make a function that holds the number in its closure."""
    return lambda x: x + number


def make_object(*bases: type, **members: Any) -> Any:
    """Make an object of a class of its own, which no module has."""
    return type("C", bases, members)()


def with_attribute(value: Any) -> Any:
    """Make an object that has a value, which its class has not."""
    made = make_object()
    made.a = value
    return made


def wraps(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method in a function of other code."""

    @functools.wraps(function)
    def call(*given: Any) -> Any:
        return function(*given)

    return call


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(lambda x: x + 1, lambda x: x + 2, id="constant"),
        pytest.param(lambda x: x * 1, lambda x: x * 1.0, id="constant_of_another_type"),
        pytest.param(lambda x: x.a, lambda x: x.b, id="attribute"),
        pytest.param(lambda x, y=1: y, lambda x, y=2: y, id="default"),
        pytest.param(lambda x, *, y=1: y, lambda x, *, y=2: y, id="default_by_keyword"),
        pytest.param(lambda x, y: 1, lambda x, *, y: 1, id="kinds_of_arguments"),
        pytest.param(
            lambda x: sorted(x, key=lambda y: y + 1),
            lambda x: sorted(x, key=lambda y: y + 2),
            id="nested_function",
        ),
        pytest.param(add(1), add(2), id="closure"),
        pytest.param(
            functools.cache(lambda x: 1), functools.cache(lambda x: 2), id="cached_function"
        ),
        pytest.param(functools.partial(add, 1), functools.partial(add, 2), id="partial"),
        pytest.param(
            make_object(m=lambda self: 1).m, make_object(m=lambda self: 2).m, id="bound_method"
        ),
        pytest.param(with_attribute(1), with_attribute(2), id="object"),
        pytest.param(make_object(fit=lambda self: 1), make_object(fit=lambda self: 2), id="class"),
        pytest.param(
            make_object(type("B", (), {"m": lambda self: 1})),
            make_object(type("B", (), {"m": lambda self: 2})),
            id="base_class",
        ),
        pytest.param(
            make_object(a=property(lambda self: 1)),
            make_object(a=property(lambda self: 2)),
            id="property",
        ),
        pytest.param(
            make_object(a=staticmethod(lambda: 1)),
            make_object(a=staticmethod(lambda: 2)),
            id="static_method",
        ),
        pytest.param(make_object(a=1), make_object(a=2), id="value_of_a_class"),
        pytest.param(
            make_object(m=wraps(lambda self: 1)),
            make_object(m=wraps(lambda self: 2)),
            id="wrapped_method",
        ),
        pytest.param(np.array([1, 2]), np.array([[1, 2]]), id="shape"),
        pytest.param(np.array([None, "a"]), np.array([None, "b"]), id="objects_in_an_array"),
    ],
)
def test_other_content_has_another_hash(one: Any, other: Any) -> None:
    """Another content of a function, an object or a class gives another hash."""
    assert hash_object(one) != hash_object(other)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: add(1), id="closure"),
        pytest.param(lambda: functools.cache(add(1)), id="cached_function"),
        pytest.param(lambda: make_object(fit=add(1)), id="object"),
        pytest.param(lambda: make_object(fit=add(1)).fit, id="method"),
        pytest.param(lambda: {"a", "b", "c"}, id="set"),
    ],
)
def test_content_that_is_made_again_has_the_same_hash(make: Callable[[], Any]) -> None:
    """An object that is made again has the same hash."""
    assert hash_object(make()) == hash_object(make())


def test_code_on_another_line_has_the_same_hash() -> None:
    """Lines above a function do not matter."""
    here, there = [
        lambda x: sorted(x, key=lambda y: y + 1),
        lambda x: sorted(x, key=lambda y: y + 1),
    ]

    assert here.__code__.co_firstlineno != there.__code__.co_firstlineno
    assert hash_object(here) == hash_object(there)


def test_the_folder_says_what_it_holds(run: Callable[..., Any], tmp_path: Path) -> None:
    """The settings can be read; a function is shown by its name and a hash of its code."""
    run(samples=1, seed=7)
    (folder,) = tmp_path.iterdir()
    settings = json.loads((folder / "settings.json").read_text())
    assert (settings["size"], settings["seed"], settings["features"]) == (40, 7, FEATURES)
    known = settings["strategies"]["mine"]
    assert (known["object"], len(known["hash"])) == ("tests.study.test_cache.counted", 16)
    assert settings["versions"]["stratframe"] == sf.__version__


def test_what_cannot_be_pickled_is_refused(run: Callable[..., Any]) -> None:
    """Strategies that cannot be pickled are refused."""
    lock = threading.Lock()
    message = (
        "`cache` needs strategies, estimators and a metric that can be pickled, but got"
        " TypeError: cannot pickle '_thread.lock' object.\nHint: leave out `cache`."
    )
    refuse(message, lambda: run(strategies={"mine": lambda frame, k, seed: lock}))


@pytest.mark.slow
def test_terms_are_the_same_when_made_again(run: Callable[..., Any], tmp_path: Path) -> None:
    """Terms that are made again, and the default strategies, find their folder again."""
    for _ in range(2):
        run(strategies={"mine": ["label", sf.clusters(FEATURES, 3)]}, samples=1)
        run(strategies=None, samples=1, n_jobs=2)
    assert len(list(tmp_path.iterdir())) == 2


def test_half_a_file_is_never_read(run: Callable[..., Any], tmp_path: Path) -> None:
    """Files are written beside their place, and moved there when they are whole."""
    run(samples=1)
    (folder,) = tmp_path.iterdir()
    assert {each.name for each in folder.iterdir()} == {"sample_000000.json", "settings.json"}
    (folder / "sample_000001.partial").write_text('[["mine"')
    assert len(run(samples=2)) == 4


@pytest.mark.parametrize("cache", [3, "a\0b"])
def test_what_is_no_folder(run: Callable[..., Any], cache: Any) -> None:
    """A `cache` that cannot be a folder is an error before anything is fitted."""
    with pytest.raises(sf.StratError, match="`cache` must be a writable folder, got "):
        run(cache=cache)
    assert not CALLS
