"""The example that the command shows without arguments."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import stratframe as sf
from tests.command.calls import call, check_error, run

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


def test_example_is_run_by_the_module(home: Path) -> None:
    """`python -m stratframe` prints the folds, what a check says, and what to type next."""
    done = run("")

    assert (done.returncode, done.stderr) == (0, "")
    (counts,) = re.findall(r"class_0((?:  [0-9]{2}){5})\n", done.stdout)
    assert sorted(counts.split()) == ["11", "12", "12", "12", "12"]
    assert "   class    train  valid  test\n" in done.stdout
    assert '>>> df.strat.check("class")\nfold is fit for use\n' in done.stdout
    assert '>>> df.strat.check("class", "split")\nsplit is fit for use\n' in done.stdout
    assert "\npandas and Polars got the same columns.\n" in done.stdout
    assert "\nA picture of the folds: stratframe-example.png\n" in done.stdout
    assert "\n  python -m stratframe check folded.csv --by label\n" in done.stdout
    assert done.stdout.endswith('\n  df.strat.check("label")\n')
    assert (home / "stratframe-example.png").read_bytes().startswith(b"\x89PNG")


def test_example_needs_no_picture(home: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """Without matplotlib, the example lacks only the picture."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)

    assert call("") == 0

    out = capsys.readouterr().out
    assert "picture" not in out
    assert out.endswith('df.strat.check("label")\n')
    assert list(home.iterdir()) == [home / "in.csv"]


def test_example_compares_the_libraries(home: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """The example fails if the libraries do not agree."""
    split = sf.split

    def split_by_library(frame: Any, *args: Any) -> Any:
        return split(frame, *args, seed=len(type(frame).__module__))

    monkeypatch.setattr("stratframe.split", split_by_library)

    message = "pandas and Polars must get the same column 'split', but did not."
    check_error("", message, home, capsys)


def test_example_needs_scikit_learn(home: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """Without scikit-learn one line says what to install."""
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)

    message = 'sklearn is not installed: pip install "stratframe[sklearn]"'
    check_error("", message, home, capsys)
