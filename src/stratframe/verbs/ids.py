"""Columns with names of ids, which may tell apart groups that a call does not name."""

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
"""Things whose rows may belong together; not students, whom each school may number anew."""

KINDS = "category|country|genre|kind|language|region|species|status|topic|type"
"""Things that are classes rather than groups, even if their codes are called ids."""

NO_IDS = (
    "acid|aid|avid|bid|candid|covid|fluid|grid|humid|hybrid|kid|laid|l[ai]pid|liquid|mid"
    "|orchid|(over|pre|re|un)?paid|pyramid|raid|rapid|rigid|said|solid|(in)?valid|vivid|(?!ge).*oid"
)
"""Words that end in id, but mean none."""

ID_NAME = re.compile(
    rf"(?!.*\b({KINDS}) id)(?!(.* )?({NO_IDS})s?$).*ids?"
    rf"|(id )?({ENTITIES})( (code|key|no|nr|num|number))?"
)
"""Names of ids, as words in small letters."""

LEAST_VALUES, ROWS_EACH, MOST_LINES = 20, 1.5, 2
"""The fewest values of an id, the fewest rows of each on average, and the most ids noted."""

SAMPLED = 1 << 16
"""So many sampled rows hold equal ids: at least about 70 pairs out of 20,000,000 rows."""


def is_id(label: Any) -> bool:
    """Return whether a column has the name of an id; with column levels, the last name counts."""
    levels = label if isinstance(label, tuple) else (label,)
    *_, name = ("", *(each for each in levels if isinstance(each, str) and each))
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", name)
    words = " ".join(re.findall(r"[^\W\d_]+", spaced.lower()))
    return bool(ID_NAME.fullmatch(words)) and not FOLD_NAME.search(name)


def named_ids(
    frame: Any, names: Sequence[Any], key: Sequence[Any], skipped: Sequence[Any]
) -> list[Any]:
    """List the columns with names of ids, except the folds and columns that the call names."""
    skipped = [*skipped, *(key if len(key) == 1 else ())]  # one of several keys may be a group
    return list(filter(is_id, compared_columns(frame, names, skipped)[0]))


def read_ids(frame: Any, labels: Sequence[Any]) -> list[tuple[Any, Ints]]:
    """Encode the columns with values of ids, except those one-to-one with an earlier one."""
    found: list[tuple[Any, Ints]] = []
    n = len(frame)
    some = np.unique(np.random.default_rng(0).integers(max(n, 1), size=SAMPLED))[:n]
    for label, series in zip(labels, frames.read_columns(frame, labels), strict=True):
        with suppress(StratError):  # of lists and the like
            if frames.duplicates.all_unique(frames.take(series, some)):
                continue
            codes, n_values = frames.encode_classes(series)
            n_rows = int((codes >= 0).sum())
            if n_values < LEAST_VALUES or n_rows < ROWS_EACH * n_values:
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
