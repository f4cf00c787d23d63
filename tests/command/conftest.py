"""A folder of its own for each test, which holds the data as in.csv."""

import sys
from pathlib import Path

import pytest

from tests.command.calls import CSV


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["stratframe"])
    Path("in.csv").write_text(CSV)
    return tmp_path
