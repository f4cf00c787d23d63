"""One vocabulary: what verbs and pages call a verdict, and what they do not say any more."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import stratframe

HOME = Path(__file__).parents[1]
VERBS = sorted((Path(stratframe.__file__).parent / "verbs").glob("*.py"))
PAGES = [HOME / "README.md", *sorted((HOME / "docs").rglob("*.md"))]

RETIRED = {
    "skewed, as a verdict": r"\bSKEWED\b|[\"'`]skewed[\"'`]|\bskewed$",
    "no better than random": r"\b(no )?better than random\b",
    "as random, as a verdict": r"[\"'`]as random[\"'`]",
    "optimal, as a verdict": r"[\"'`]optimal[\"'`]|\boptimal$",
    "between, as a verdict": r"[\"'`]between[\"'`]",
    "exactly even": r"\bexactly even\b",
    "CheckResult": r"\bCheckResult\b",
    "the verb audit": r"`audit`|\bsf\.audit\b|\.strat\.audit\b|`stratframe\.audit`",
    "the verb strata": r"\bsf\.strata\b|\.strat\.strata\b|`strata` verb|`stratframe\.strata`",
    "kind=sizes": r"kind=[\"']sizes[\"']",
    "columns= of judging verbs": r"\b(check|leaks)\([^()]*\bcolumns=",
    "checks of audit": r"\b(split_groups|repeated_keys|duplicate_rows|missing_strata)\b",
}
"""Words of earlier versions, as regular expressions."""


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """List the lines of all text in a module, docstrings included, with their numbers."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for place, line in enumerate(node.value.splitlines()):
                yield node.lineno + place, line.rstrip()


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """List the lines of a page, with their numbers."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        yield number, line.rstrip()


@pytest.mark.parametrize("word", RETIRED)
def test_retired_words(word: str) -> None:
    """Neither the verbs nor the pages use a word of judgement that is gone."""
    pattern = re.compile(RETIRED[word])
    read = [(path, strings_of(path)) for path in VERBS] + [(path, lines_of(path)) for path in PAGES]
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path, lines in read
        for number, line in lines
        if pattern.search(line)
    ]
    assert found == []


def test_pages_are_read() -> None:
    """There are verbs and pages to look at."""
    assert len(VERBS) > 10
    assert len(PAGES) > 10
