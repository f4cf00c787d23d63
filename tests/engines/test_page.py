"""The pages on engines are true: their code runs, and gives what they show."""

from typing import Any

import pytest

from tests.helpers import run_shown
from tests.test_docs import ROOT, blocks, check_outputs

PAGE = ROOT / "docs" / "beyond-one-machine.md"
RECIPE = ROOT / "docs" / "recipes" / "own-engine.md"


def code_of(language: str) -> list[Any]:
    return [(code, line) for each, code, line in blocks(PAGE) if each == language]


@pytest.mark.dask
def test_the_code_for_dask_gives_what_it_shows():
    """The examples of the page run from top to bottom."""
    from tests.engines.dask_frames import dask

    names: dict[str, Any] = {}
    assert code_of("pycon")
    with dask.config.set(scheduler="synchronous"):
        for code, line in code_of("pycon"):
            failures = check_outputs(code, names, PAGE, line)
            assert not failures, failures


def test_the_code_of_the_recipe_gives_what_it_shows(monkeypatch):
    """The examples run beside the file that they import."""
    pytest.importorskip("duckdb", reason="needs pip install duckdb")
    monkeypatch.syspath_prepend(RECIPE.parent)
    names: dict[str, Any] = {}
    for language, code, line in blocks(RECIPE):
        assert language == "pycon"
        failures = check_outputs(code, names, RECIPE, line)
        assert not failures, failures


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_the_code_for_spark_runs(capsys):
    """The example makes a frame, deals it, judges it, and reads its folds."""
    ((code, _),) = code_of("python")
    run_shown(code, str(PAGE), names={})
    assert capsys.readouterr().out.split() == ["0", "12", "6", "1", "12", "6", "2", "12", "6"]
