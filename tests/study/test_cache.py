"""A study that is stopped goes on from its folder, and never with the samples of another."""

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
        arguments = {"frame": population(), "target": "label", "features": FEATURES}
        arguments |= {"strategies": {"mine": counted}, "estimators": GaussianNB(), "k": 2}
        arguments |= {"sample": 40, "samples": 6, "repeats": 1, "cache": tmp_path}
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
    assert len(CALLS) == 3 + 4
    assert_frame_equal(results(run(cache=None)), results(resumed))


def test_more_samples_keep_those_that_are_done(run: Callable[..., Any]) -> None:
    """A larger study reads the samples of a smaller one."""
    few, more = run(samples=2), run(samples=5)
    assert len(CALLS) == 5
    assert_frame_equal(few, more[more["sample"] < 2].reset_index(drop=True))


def test_failures_are_tried_again(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is run once more, and what did not fail keeps its times."""

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


PLANTED: dict[str, Callable[[list[Any]], Any]] = {
    **{
        str(content[:20]): lambda _, content=content: content
        for content in (b"", b"[", b"[]", b"{}", b"3", b'[["mine"]]', b"\xff\xfe\x00")
    },
    "other columns": lambda _: b'[[["mine"], 0, 0, 0, 0, 0, 0, 0, 0, ""]]',
    "deep": lambda _: b"[" * 100_000 + b"]" * 100_000,
    "NaN": lambda row: [[*row[:5], float("nan"), *row[6:]]],
    "an infinite truth": lambda row: [[*row[:6], float("inf"), *row[7:]]],
    "no number": lambda row: [[*row[:5], "0.5", *row[6:]]],
    "a flag": lambda row: [[*row[:5], True, *row[6:]]],
    "a flag for a number of folds": lambda row: [[*row[:3], False, *row[4:]]],
    "no message": lambda row: [[*row[:9], None]],
    "a row more": lambda row: [row, row],
}
"""What takes the place of the first row in a file: bytes for the whole file, or rows."""


@pytest.mark.parametrize("case", PLANTED)
def test_what_no_study_writes_is_run_again(run: Any, tmp_path: Path, case: str) -> None:
    """A file without estimates as a study writes them counts as none, and is replaced."""
    whole = run(samples=1)
    (path,) = tmp_path.glob("*/sample_000000.json")
    row, *others = json.loads(path.read_text())
    planted = PLANTED[case](row)
    is_whole = isinstance(planted, bytes)
    path.write_bytes(planted if is_whole else json.dumps([*planted, *others]).encode())
    for _ in range(2):
        assert_frame_equal(results(run(samples=1)), results(whole))
        assert len(CALLS) == 2


def test_what_is_no_file(run: Callable[..., Any], tmp_path: Path) -> None:
    """What cannot be read is named, before a sample is run."""
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
    """Whatever changes the numbers changes the folder."""
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
    """It finds its samples again, whatever the lines above or the hash seed; another does not."""
    script = SCRIPT.replace("CACHE", repr(str(tmp_path)))
    later = f"\n# A line above.\n{script}"
    runs = (script, "label", 1, 1), (later, "label", 2, 1), (script, "town", 1, 2)
    for code, by, seed, n in runs:
        code, environment = code.replace("BY", by), {**os.environ, "PYTHONHASHSEED": str(seed)}
        subprocess.run([sys.executable], input=code, text=True, env=environment, check=True)
        assert len(list(tmp_path.iterdir())) == n


WRAPPED = "import functools\ndef g(x): return 1\nclass C:\n    @functools.wraps(g)\n"
OTHER = {
    "a constant": ("f = lambda x: x + {}", "1", "2"),
    "a constant of another type": ("f = lambda x: x * {}", "1", "1.0"),
    "an attribute": ("f = lambda x: x.{}", "a", "b"),
    "a default": ("f = lambda x, y={}: y", "1", "2"),
    "a default by keyword": ("f = lambda x, *, y={}: y", "1", "2"),
    "kinds of arguments": ("f = lambda x, {}: 1", "y", "*, y"),
    "a nested function": ("f = lambda x: [(lambda y: y + {})(z) for z in x]", "1", "2"),
    "a closure": ("f = (lambda k: lambda x: x + k)({})", "1", "2"),
    "what is cached": ("import functools\nf = functools.cache(lambda x: {})", "1", "2"),
    "a partial": ("import functools\nf = functools.partial(lambda x, y: y, y={})", "1", "2"),
    "a method": ("class C:\n    def m(self): return {}\nf = C().m", "1", "2"),
    "an object": ("class C: pass\nf = C()\nf.a = {}", "1", "2"),
    "its class": ("class C:\n    def fit(self): return {}\nf = C()", "1", "2"),
    "a base": ("class B:\n    def m(self): return {}\nclass C(B): pass\nf = C()", "1", "2"),
    "a property": ("class C:\n    a = property(lambda self: {})\nf = C()", "1", "2"),
    "a static method": ("class C:\n    a = staticmethod(lambda: {})\nf = C()", "1", "2"),
    "a value of a class": ("class C:\n    a = {}\nf = C()", "1", "2"),
    "a wrapped function": (f"{WRAPPED}    def m(self): return {{}}\nf = C()", "1", "2"),
    "an array": ("import numpy as np\nf = np.array({})", "[1, 2]", "[[1, 2]]"),
    "objects in an array": ("import numpy as np\nf = np.array([None, {}])", "'a'", "'b'"),
    "a tuple": ("f = {}", "[1]", "(1,)"),
    "nesting": ("f = {}", "[[1], 2]", "[[1, 2]]"),
    "keys": ("f = {}", "{1: 2}", "{'1': 2}"),
    "a set": ("f = {}", "{1, 2}", "{1, 3}"),
}
"""Code, and two ways to fill it in that define what may compute something else."""


def test_other_code_is_another_study(run: Callable[..., Any], tmp_path: Path) -> None:
    """Functions, with the values around them, and objects, with their classes, are compared."""

    def hashes(place: int, n_lines: int) -> dict[str, Any]:
        """Run code as a kernel does, without a file, and take the hash of the `f` it defines."""
        strategies = {}
        for name, (code, *ways) in OTHER.items():
            space: dict[str, Any] = {"__name__": "__main__"}
            code = "\n" * n_lines + code.replace("{}", ways[place])
            exec(compile(code, "<stdin>", "exec"), space)
            strategies[name] = lambda frame, k, seed, _=space["f"]: sf.kfold(frame, k=k)
        run(strategies=strategies, samples=1)
        newest = max(tmp_path.glob("*/settings.json"), key=lambda path: path.stat().st_mtime_ns)
        found: dict[str, Any] = json.loads(newest.read_text())["strategies"]
        return found

    first, second = hashes(0, 1), hashes(0, 2)
    assert first == second
    assert len(list(tmp_path.iterdir())) == 1
    third = hashes(1, 2)
    assert [name for name in OTHER if third[name] == first[name]] == []


def test_the_folder_says_what_it_holds(run: Callable[..., Any], tmp_path: Path) -> None:
    """Settings are there to be read, functions as their names and a hash of their code."""
    run(samples=1, seed=7)
    (folder,) = tmp_path.iterdir()
    settings = json.loads((folder / "settings.json").read_text())
    assert (settings["size"], settings["seed"], settings["features"]) == (40, 7, FEATURES)
    known = settings["strategies"]["mine"]
    assert (known["object"], len(known["hash"])) == ("tests.study.test_cache.counted", 16)
    assert settings["versions"]["stratframe"] == sf.__version__


def test_what_cannot_be_pickled_is_refused(run: Callable[..., Any]) -> None:
    """An object without content cannot be told from another."""
    lock = threading.Lock()
    message = "`cache` needs strategies, estimators and a metric that can be pickled, but got"
    message += " TypeError: cannot pickle '_thread.lock' object.\nHint: leave out `cache`."
    refuse(message, lambda: run(strategies={"mine": lambda frame, k, seed: lock}))


@pytest.mark.slow
def test_terms_are_the_same_when_made_again(run: Callable[..., Any], tmp_path: Path) -> None:
    """Equal entries, and the default strategies, find their folder again."""
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


@pytest.mark.parametrize("cache", [3, b"folder", "a\0b"])
def test_what_is_no_folder(run: Callable[..., Any], cache: Any) -> None:
    """What cannot be a folder is refused before anything is fitted."""
    with pytest.raises(sf.StratError, match="`cache` must be a writable folder, got "):
        run(cache=cache)
    assert not CALLS
