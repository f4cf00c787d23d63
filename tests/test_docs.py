"""The README and the pages of docs/ are true: their code runs, their links lead somewhere."""

import doctest
import importlib.util
import inspect
import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import stratframe as sf
from tests.helpers import run_shown, some_slow

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOT_RUN = {"benchmarks.md", "beyond-one-machine.md", "own-engine.md"}
"""Pages whose code takes long, or needs an engine: `tests/engines` runs the latter."""

RUN = [page for page in PAGES if page.name not in NOT_RUN]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
SIGNATURE = re.compile(r"^(?:sf\.)?([\w.]+)(\([^`]*?\*, [^`]*?\))$", re.MULTILINE)
IMPORT = re.compile(r"^(?:>>> )?(?:import|from) (\w+)", re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)

SLOW = {
    "comparing-strategies.md",
    "does-it-matter.md",
    "formulas.md",
    "nested-search.md",
    "paper-study.md",
    "repeated-holdouts.md",
    "scores-by-repeat.md",
    "sources.md",
    "study-choice.md",
    "study-compare.md",
    "study-evidence.md",
}
"""Pages whose code takes many seconds."""

IN_NO_EXTRA = {"anndata", "datasets", "geopandas", "xarray"}
"""Libraries that no extra installs: a block that imports one that is missing is not run."""

DRAWN = {"gallery.md"}
"""Pages whose code `tests/test_site.py` runs, as it draws their pictures."""


def blocks(page: Path) -> Iterator[tuple[str, str, int]]:
    """Yield the language, code and first line of every code block of a page."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        yield block[1], block[2], text.count("\n", 0, block.start(2))


def has_libraries(block: tuple[str, str, int]) -> bool:
    """Whether the libraries that a block imports, and that no extra installs, are installed."""
    _, code, _ = block
    names = set(IMPORT.findall(code)) & IN_NO_EXTRA
    return all(importlib.util.find_spec(name) for name in names)


def check_outputs(code: str, names: dict[str, Any], page: Path, line: int) -> str:
    """Run a block of examples on the names of its page, and say what came out wrong."""
    test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
    test.globs = names
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=failures.append, clear_globs=False)
    return "".join(failures)


def anchors(page: Path) -> set[str]:
    """List the anchors that a page's headings make, as GitHub does."""
    prose = BLOCK.sub("", page.read_text(encoding="utf-8"))
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(prose))
    return {heading.replace(" ", "-") for heading in kept}


EXAMPLES = [page for page in RUN if page.name not in DRAWN]
SLOW_EXAMPLES = [page for page in RUN if page.name in SLOW]


@pytest.mark.parametrize("page", some_slow(EXAMPLES, SLOW_EXAMPLES), ids=lambda page: page.name)
def test_examples(page):
    """The code of a page runs from top to bottom, and gives what the page shows."""
    names: dict[str, Any] = {"__name__": page.stem}
    with pl.Config():
        for language, code, line in filter(has_libraries, blocks(page)):
            if language == "python":
                run_shown("\n" * line + code, str(page), names=names)
            elif language == "pycon":
                failures = check_outputs(code, names, page, line)
                assert not failures, failures


def test_blocks():
    """Every block is code that is run, or a shell command; no page shows a mistake of its own."""
    mistakes = {"AttributeError", "ImportError", "NameError", "TypeError"}
    for page in RUN:
        found = list(blocks(page))
        assert page.read_text(encoding="utf-8").count("```") == 2 * len(found), page.name
        for language, code, line in found:
            where = f"{page.name}:{line}"
            assert language in ("python", "pycon", "sql", ""), where
            assert (">>>" in code) == (language == "pycon"), where
            ends = re.findall(r"^ *([\w.]*(?:Error|Exception))\b", code, re.MULTILINE)
            assert not mistakes & set(ends), where


def test_signatures():
    """A signature in a block of its own is the one of the function."""
    plain = [code for page in PAGES for language, code, _ in blocks(page) if not language]
    found = [shown for code in plain for shown in SIGNATURE.findall(code)]
    assert len(found) == 15
    for name, arguments in found:
        written = inspect.signature(run_shown(f"(lambda {arguments[1:-1]}: None)"))
        parameters = inspect.signature(attrgetter(name)(sf)).parameters
        kept = [
            each.replace(annotation=each.empty)
            for each in parameters.values()
            if each.name != "frame" or "frame" in written.parameters
        ]
        assert written == inspect.Signature(kept)


def leads_there(page: Path, link: str) -> bool:
    """Whether a link to a page or a heading of the project leads to one."""
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return target.is_file() and (not anchor or anchor in anchors(target))


def test_links():
    """Every link to a page or a heading of the project leads there."""
    dead = []
    for page in PAGES:
        links = LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
        own = [link for link in links if not link.startswith("https://")]
        dead += [f"{page.name}: {link}" for link in own if not leads_there(page, link)]
    assert dead == []


def test_commands():
    """The README gives both set-up commands, each in a block; pages name the lowest Python."""
    shown = [code for _, code, _ in blocks(ROOT / "README.md")]
    assert 'pip install ".[all]" && python -m stratframe\n' in shown
    assert 'pip install ".[dev]" && pytest\n' in shown
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lowest = re.search(r'requires-python = ">=(.+)"', project)[1]
    for page in ("README.md", "docs/start.md", "docs/contributing.md"):
        assert f"Python {lowest} or later" in (ROOT / page).read_text(encoding="utf-8")


def test_house():
    """The page on how it works names every module, and no other."""
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^- `([\w/]+\.py)`: ", text, re.MULTILINE))
    home = ROOT / "src" / "stratframe"
    found = {path.relative_to(home).as_posix() for path in home.rglob("*.py")}
    assert named == {path for path in found if not path.endswith("__init__.py")}
