"""Columns are judged on lazy frames, and in the slow run on pandas frames, too.

A test of what depends on the kind of frame names its kinds.
"""

import stratframe as sf
from tests.helpers import columns_of, fixture_of_kinds, some_slow

kind = fixture_of_kinds(some_slow(["polars-lazy", "pandas"], ["pandas"]))
"""`tests/test_calls.py` compares what is said of columns of all kinds of frame."""


def lines_of(found: sf.Check) -> list[str]:
    """List the lines of a check, with single spaces."""
    return [" ".join(line.split()) for line in str(found).splitlines()]


def findings_on(found: sf.Check, check: str) -> list[tuple[str, int, str]]:
    """List the severity, the number and the text of each finding of one check."""
    table = columns_of(found.findings)
    rows = zip(table["check"], table["severity"], table["n"], table["detail"], strict=True)
    return [(severity, n, text) for of, severity, n, text in rows if of == check]
