"""Tell from the name of a column whether it holds folds or times."""

import re
from typing import Any

from ..errors import PART_NAME

FOLD_LIKE_NAME = re.compile(
    rf"{PART_NAME.pattern}|(?<![a-z])(sets?|subset|partition|usage|holdout|train\w*|test\w*"
    r"|valid\w*|is ?train|is ?test|chunk|batch|cv|k)(?![a-z])"
)
"""A pattern for the names of columns of folds or parts, more of them than `PART_NAME` matches."""

TIME_NAME = re.compile(
    r"(?<![a-z])(years?|yr|jahr|date|datum|time|timestamp|epoch|days?|weeks?|months?|quarter"
    r"|wave|period|season|round)(?![a-z])"
)
"""A pattern for the names of numbers that are times."""


def spaced_name(label: Any) -> str:
    """Write the name of a column as words in lower case, as in "is test" for `isTest`."""
    levels = label if isinstance(label, tuple) else (label,)
    name = " ".join(str(level) for level in levels)
    apart = re.sub(r"(?<=[a-z])(?=[A-Z\d])|(?<=\d)(?=[A-Za-z])|_", " ", name)
    return apart.lower()


def says_folds(label: Any) -> bool:
    return FOLD_LIKE_NAME.search(spaced_name(label)) is not None


def says_time(label: Any) -> bool:
    return TIME_NAME.search(spaced_name(label)) is not None
