"""One vocabulary: what verbs and pages call a verdict, and what they do not say any more."""

import re
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


@pytest.mark.parametrize("word", RETIRED)
def test_retired_words(word: str) -> None:
    """Neither the verbs nor the pages use a word of judgement that is gone."""
    assert min(len(VERBS), len(PAGES)) > 10
    found = [
        f"{path.name}:{number}: {line}"
        for path in VERBS + PAGES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(RETIRED[word], line.strip())
    ]
    assert found == []
