"""The page *Benchmarks*: what its tables are made of."""

from pathlib import Path
from typing import Any

from tests.benchmarks.page import END, START, write_figures

INFO = {
    "cpu": {"brand_raw": "A processor", "count": 2},
    "system": "Linux",
    "python_version": "3.11.7",
    "polars_threads": 2,
    "versions": {"numpy": "2.4.6"},
}


def run(library: str, figure: float, met: bool) -> dict[str, Any]:
    """Make what pytest-benchmark writes of one figure."""
    measured = {"figure": figure, "unit": "s", "at_least": None, "at_most": 8, "met": met}
    return {
        "fullname": "tests/benchmarks/test_extend.py::test_many_strata",
        "param": f"{library}-3 parts",
        "extra_info": {"figures": [measured]},
    }


def test_figures_of_a_case_stand_in_one_row(tmp_path: Path) -> None:
    """A row has the figures of all libraries, a missed one in bold; the old table goes."""
    page = tmp_path / "benchmarks.md"
    page.write_text(f"# Benchmarks\n\n{START}an old table\n{END}")
    benchmarks = [run("pandas", 3.1, True), run("polars", 9.234, False)]
    found = {"datetime": "2026-11-29T06", "machine_info": INFO, "benchmarks": benchmarks}

    write_figures(found, page)

    text = page.read_text()
    assert "an old table" not in text
    assert "Measured on 2026-11-29: A processor, 2 cores" in text
    assert "| 3 parts | 8 s | pandas 3.1 s; Polars **9.23 s** |" in text
