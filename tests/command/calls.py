"""The data of the tests, and ways to call the command."""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stratframe.__main__ import main

ID = pl.col("id")
DATA = pl.DataFrame(
    {"id": range(40), "label": ["a", "b"] * 20, "sex": ["m", "m", "f", "f"] * 10}
).with_columns(price=ID / 7, pair=ID // 4, old=ID < 30)
CSV = DATA.write_csv()


def call(command: str) -> int:
    """Run what follows `stratframe` in this process, and return the exit code."""
    return main(shlex.split(command))


def check_error(command: str, message: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that a command fails with one line, and changes no file."""
    files = {each: each.is_file() and each.read_bytes() for each in home.rglob("*")}

    assert call(command) == 2

    assert capsys.readouterr() == ("", f"stratframe: {message}\n")
    assert {each: each.is_file() and each.read_bytes() for each in home.rglob("*")} == files


def run(command: str, stdin: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    args = [sys.executable, "-m", "stratframe", *shlex.split(command)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(args, input=stdin, text=True, check=False, **streams)
