"""Columns are judged on two kinds of frame: what each kind holds is read in `frames`."""

import stratframe as sf
from tests.helpers import two_kinds

__all__ = ["two_kinds"]


def lines_of(found: sf.Check) -> list[str]:
    """List the lines of a check, with single spaces."""
    return [" ".join(line.split()) for line in str(found).splitlines()]
