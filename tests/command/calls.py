"""The data of the tests, and ways to call the command."""

import shlex
import subprocess
import sys
from typing import Any

import polars as pl

from stratframe.__main__ import main

ID = pl.col("id")
DATA = pl.DataFrame(
    {"id": range(40), "label": ["a", "b"] * 20, "sex": ["m", "m", "f", "f"] * 10}
).with_columns(price=ID / 7, pair=ID // 4, old=ID < 30)
CSV = DATA.write_csv()


def call(command: str) -> int:
    """Run what follows `stratframe` in this process, and return the exit code."""
    return main(shlex.split(command))


def run(command: str, stdin: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    args = [sys.executable, "-m", "stratframe", *shlex.split(command)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(args, input=stdin, text=True, check=False, **streams)
