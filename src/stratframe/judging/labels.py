"""The words for the labels of a fold column: folds or parts."""

from ..errors import describe
from ..frames import FoldValues


def noun_of(labels: FoldValues) -> str:
    """Return "part" if all labels are text and not all consist of digits, otherwise "fold"."""
    texts = [each for each in labels.values if isinstance(each, str)]
    is_text = 0 < len(texts) == len(labels.values)
    return "part" if is_text and not all(map(str.isdecimal, texts)) else "fold"


def are_numbered(labels: FoldValues) -> bool:
    """Return whether the labels are consecutive fold numbers: 0, 1, 2 or 1, 2, 3."""
    present = labels.present
    if not present or any(type(each) is not int for each in present):
        return False
    return present[0] in (0, 1) and present[-1] - present[0] + 1 == len(present)


def name_label(labels: FoldValues, place: int) -> str:
    """Return a label as text for a line: parts are written as in code, folds as in "fold 2"."""
    value = labels.values[place]
    return describe(value) if noun_of(labels) == "part" else f"fold {value}"
