"""Columns are judged on two kinds of frame: what each kind holds is read in `frames`."""

import stratframe as sf
from tests.helpers import two_kinds

__all__ = ["two_kinds"]


def cases(table: str) -> dict[str, list[str]]:
    """Read cases, a line each, and what is expected of each in the indented lines below it."""
    found, expected = dict[str, list[str]](), list[str]()
    for line in table.strip().splitlines():
        if line.startswith(" "):
            expected.append(line.strip())
        else:
            expected = found.setdefault(line, [])
    return found


def lines_of(found: sf.Check) -> list[str]:
    """List the lines of a check, with single spaces."""
    return [" ".join(line.split()) for line in str(found).splitlines()]
