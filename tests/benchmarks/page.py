"""The tables of the page *Benchmarks*: what one run has measured, and nothing else."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from .measure import rounded

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"

START, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
"""What stands between these lines is made by `write_figures`."""

LIBRARIES = {
    "pandas": "pandas",
    "polars": "Polars",
    "lazy": "Polars lazy",
    "dask": "Dask",
    "spark": "Spark",
}

HEAD = "| what | case | bar | measured | details |\n|---|---|---|---|---|\n"

SECTIONS = (
    "test_speed",
    "test_groups",
    "test_margins",
    "test_extend",
    "test_diagnostics",
    "test_clusters",
    "test_growth",
    "test_memory",
    "test_engines",
)


def quantity(number: float, unit: str, digits: int = 2) -> str:
    """Write a number with its unit; a small part of a time says how much faster that is."""
    if unit == "x the time" and number < 0.2:
        return f"{rounded(1 / number, digits)}x faster"
    if unit == "s" and number < 0.1:
        return f"{rounded(1_000 * number, digits)} ms"
    written = rounded(number, digits)
    return written + unit if unit.startswith("x") else f"{written} {unit}"


def bar_of(figure: dict[str, Any]) -> str:
    """Write the bar of a figure."""
    bars = [each for each in (figure["at_least"], figure["at_most"]) if each is not None]
    return quantity(bars[0], figure["unit"]) if bars else ""


def measured(figure: dict[str, Any]) -> str:
    """Write a figure, in bold and with more digits where it misses its bar."""
    if figure["met"]:
        return quantity(figure["figure"], figure["unit"])
    return f"**{quantity(figure['figure'], figure['unit'], digits=3)}**"


def split_case(param: str | None) -> tuple[str, str]:
    """Split what pytest calls a case into the library and the rest."""
    parts = (param or "").split("-")
    library = next((LIBRARIES[part] for part in parts if part in LIBRARIES), "")
    return library, ", ".join(part for part in parts if part not in LIBRARIES)


def sentence_of(fullname: str) -> str:
    """Find the first sentence of a test, which is a paragraph."""
    path, test = fullname.split("::")
    module = import_module("tests.benchmarks." + Path(path).stem)
    function = getattr(module, test.partition("[")[0])
    first = (inspect.getdoc(function) or "").partition("\n\n")[0]
    return " ".join(first.split()).rstrip(".")


def case_of(benchmark: dict[str, Any]) -> tuple[str, str]:
    """Name what a figure is of: the sentence of its test and the case, without the library."""
    return sentence_of(benchmark["fullname"]), split_case(benchmark["param"])[1]


def with_library(benchmark: dict[str, Any], text: str) -> str:
    """Write the library before what was measured on it."""
    library = split_case(benchmark["param"])[0]
    return f"{library} {text}".strip()


def cells_of(found: list[dict[str, Any]]) -> list[str]:
    """Write the bar, the figures and the details of a case on all libraries."""
    bars: dict[str, None] = {}
    figures = []
    details = []
    for benchmark in found:
        info = benchmark["extra_info"]
        bars |= dict.fromkeys(bar_of(each) for each in info["figures"])
        told = ", ".join(measured(each) for each in info["figures"])
        figures.append(with_library(benchmark, told))
        if "details" in info:
            details.append(with_library(benchmark, info["details"]))
    return [", ".join(filter(None, bars)), "; ".join(figures), "; ".join(details)]


def rows_of(benchmarks: list[dict[str, Any]]) -> Iterator[str]:
    """Write a line for each case of each test; the sentence of a test stands at its first."""
    cases: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for each in benchmarks:
        cases.setdefault(case_of(each), []).append(each)
    before = ""
    for (sentence, case), found in cases.items():
        cells = ["" if sentence == before else sentence, case, *cells_of(found)]
        before = sentence
        yield "| " + " | ".join(cells) + " |\n"


def machine_of(found: dict[str, Any]) -> str:
    """Name the day, the machine, and the versions of all that took part."""
    info = found["machine_info"]
    versions = ", ".join(f"{name} {version}" for name, version in info["versions"].items())
    return (
        f"Measured on {found['datetime'][:10]}: {info['cpu']['brand_raw']}, "
        f"{info['cpu']['count']} cores, {info['system']}; Polars with {info['polars_threads']} "
        f"threads; Python {info['python_version']}, {versions}.\n"
    )


def sections(found: dict[str, Any]) -> Iterator[str]:
    """Write the machine, and a section for each module of benchmarks."""
    yield machine_of(found)
    for name in SECTIONS:
        own = [each for each in found["benchmarks"] if f"/{name}.py" in each["fullname"]]
        if not own:
            continue
        documented = inspect.getdoc(import_module(f"tests.benchmarks.{name}")) or ""
        title, _, rest = documented.partition("\n\n")
        text = f"{rest}\n\n" if rest else ""
        yield f"\n## {title.rstrip('.')}\n\n{text}{HEAD}{''.join(rows_of(own))}"


def write_figures(found: dict[str, Any], page: Path = PAGE) -> None:
    """Put the figures of a run, as pytest-benchmark writes them, into the page."""
    text = page.read_text(encoding="utf-8")
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    assert start, f"{page} has no line {START!r}"
    assert end, f"{page} has no line {END!r}"
    page.write_text(before + start + "".join(sections(found)) + end + after, encoding="utf-8")
