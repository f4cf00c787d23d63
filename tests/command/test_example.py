"""The example that the command shows without arguments."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import stratframe as sf
from stratframe.__main__ import main
from tests.command.calls import run

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
    """Without matplotlib the example has no picture, but is whole."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)

    assert main([]) == 0

    out = capsys.readouterr().out
    assert "picture" not in out
    assert out.endswith('df.strat.check("label")\n')
    assert list(home.iterdir()) == [home / "in.csv"]


def test_example_compares_the_libraries(monkeypatch: Patch, capsys: Capture) -> None:
    """The example fails if the libraries do not agree."""
    split = sf.split

    def split_by_library(frame: Any, *args: Any) -> Any:
        return split(frame, *args, seed=len(type(frame).__module__))

    monkeypatch.setattr("stratframe.split", split_by_library)

    assert main([]) == 2

    assert capsys.readouterr().err == (
        "stratframe: pandas and Polars must get the same column 'split', but did not.\n"
    )


def test_example_needs_scikit_learn(monkeypatch: Patch, capsys: Capture) -> None:
    """Without scikit-learn one line says what to install."""
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)

    assert main([]) == 2

    assert capsys.readouterr().err == (
        'stratframe: sklearn is not installed: pip install "stratframe[sklearn]"\n'
    )
