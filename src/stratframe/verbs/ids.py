"""Columns that are called as ids are, and may tell apart groups that a call does not name."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import FOLD_NAME, StratError, describe
from ..frames import FoldValues
from .findings import is_or_are, noun_of
from .leaks import compared_columns
from .lines import Finding, write_finding

ENTITIES = (
    "animal|author|brood|case|chick|child|client|company|contestant|cow|customer|doctor|donor"
    "|employee|family|firm|hh|household|idcode|individual|litter|member|mother|mrn|panelist"
    "|participant|patient|person|pig|plate|player|prof|resp|respondent|school|session|speaker"
    "|subj|subject|teacher|tree|user|volunteer|worker"
)
"""Whose rows may belong together; not students, as each school may number its own."""

KINDS = "category|country|genre|kind|language|region|species|status|topic|type"
"""What is a class rather than a group, though its codes are called ids."""

NO_IDS = (
    "acid|aid|avid|bid|candid|covid|fluid|grid|humid|hybrid|kid|laid|l[ai]pid|liquid|mid"
    "|orchid|(over|pre|re|un)?paid|pyramid|raid|rapid|rigid|said|solid|(in)?valid|vivid|(?!ge).*oid"
)
"""Words that end in id."""

ID_NAME = re.compile(
    rf"(?!.*\b({KINDS}) id)(?!(.* )?({NO_IDS})s?$).*ids?"
    rf"|(id )?({ENTITIES})( (code|key|no|nr|num|number))?"
)
"""What ids are called, in words of small letters."""

LEAST_VALUES, LEAST_ROWS, MOST_LINES = 20, 1.5, 2
"""Values that an id has, rows of each on average, and ids that are noted."""

SAMPLE = 1 << 16
"""Rows of which some are equal in an id: of 20,000,000 rows about 70 pairs at least."""


def is_id(label: Any) -> bool:
    """Return whether a column is called as an id; of a label of column levels the last name."""
    parts = label if isinstance(label, tuple) else (label,)
    *_, name = ("", *(each for each in parts if isinstance(each, str) and each))
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", name)
    words = " ".join(re.findall(r"[^\W\d_]+", spaced.lower()))
    return bool(ID_NAME.fullmatch(words)) and not FOLD_NAME.search(name)


def named_ids(
    frame: Any, names: Sequence[Any], key: Sequence[Any], skipped: Sequence[Any]
) -> list[Any]:
    """List the columns that are called as ids, but for the folds and what a call names."""
    skipped = [*skipped, *(key if len(key) == 1 else ())]  # one of several may be that of groups
    return list(filter(is_id, compared_columns(frame, names, skipped)[0]))


def read_ids(frame: Any, labels: Sequence[Any]) -> list[tuple[Any, Ints]]:
    """Encode the columns that have the values of ids, and are not one-to-one with one before."""
    found: list[tuple[Any, Ints]] = []
    n = len(frame)
    some = np.unique(np.random.default_rng(0).integers(max(n, 1), size=SAMPLE))[:n]
    for label, series in zip(labels, frames.read_columns(frame, labels), strict=True):
        with suppress(StratError):  # of lists and the like
            if frames.duplicates.all_unique(frames.take(series, some)):
                continue
            codes, n_values = frames.encode_classes(series)
            n_rows = int((codes >= 0).sum())
            if n_values < LEAST_VALUES or n_rows < LEAST_ROWS * n_values:
                continue
            # The subject of a mail or a course has no digits, and is no group.
            value = str(frames.libraries.value_at(series, int(np.argmax(codes >= 0))))
            is_title = str(label).lower() == "subject" and not re.search(r"\d", value)
            is_known = any(np.array_equal(codes, own) for _, own in found)
            if not (is_title or is_known or frames.is_continuous(series)):
                found.append((label, codes.astype(np.int32)))
    return found


def find_ids(ids: Sequence[tuple[Any, Ints]], labels: FoldValues, folds: Ints) -> list[Finding]:
    """Note how many values of the first ids are in several folds, if any are."""
    found = []
    for label, codes in ids:
        rows = (codes >= 0) & (folds >= 0)
        own = codes[rows].astype(np.int64)
        n_folds = np.bincount(frames.duplicates.count_folds_of_sets(own, folds[rows])[0])
        if n := int((n_folds > 1).sum()):
            counts = f"{n:,} of {np.count_nonzero(n_folds):,} {is_or_are(n)}"
            text = f"{{id}}: {counts} in several {noun_of(labels)}s"
            tails = "; if their rows belong together: groups={id}", "; groups={id}?"
            found.append(write_finding("note", "groups", n, text, *tails, id=describe(label)))
    return found[:MOST_LINES]
