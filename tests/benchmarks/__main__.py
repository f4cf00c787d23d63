"""Measure everything, and write the figures into the page *Benchmarks*.

Usage: python -m tests.benchmarks [pytest's arguments]
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from .page import write_figures


def main() -> int:
    """Run all benchmarks in one process; a missed bar fails its test, and is in the page."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "figures.json"
        options = ["-s", "-p", "no:cacheprovider", f"--benchmark-json={path}"]
        status = pytest.main(["tests/benchmarks", *options, *sys.argv[1:]])
        write_figures(json.loads(path.read_text(encoding="utf-8")))
    return int(status)


sys.exit(main())
