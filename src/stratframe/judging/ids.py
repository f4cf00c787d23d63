"""Look for groups that a call does not name, in columns whose names suggest ids."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from .. import frames
from ..core.strata import distinct_values
from ..core.types import Ints
from ..errors import FOLD_NAME, StratError, describe
from ..frames import ComparedColumn, FoldValues
from .compared import compared_columns
from .labels import noun_of
from .lines import Finding, is_or_are, write_finding

ENTITIES = (
    "animal|author|brood|case|chick|child|client|company|contestant|cow|customer|doctor|donor"
    "|employee|family|firm|hh|household|idcode|individual|litter|member|mother|mrn|panelist"
    "|participant|patient|person|pig|plate|player|prof|resp|respondent|school|session|speaker"
    "|subj|subject|teacher|tree|user|volunteer|worker"
)
"""Words for entities that can have several rows; "student" is left out, because each school can
number its students from 1."""

KINDS = "category|country|genre|kind|language|region|species|status|topic|type"
"""Words for classes; an id such as "country id" does not identify rows that belong together."""

NO_IDS = (
    "acid|aid|avid|bid|candid|covid|fluid|grid|humid|hybrid|kid|laid|l[ai]pid|liquid|mid"
    "|orchid|(over|pre|re|un)?paid|pyramid|raid|rapid|rigid|said|solid|(in)?valid|vivid|(?!ge).*oid"
)
"""Words that end in "id" but do not mean an id."""

ID_NAME = re.compile(
    rf"(?!.*\b({KINDS}) id)(?!(.* )?({NO_IDS})s?$).*ids?"
    rf"|(id )?({ENTITIES})( (code|key|no|nr|num|number))?"
)
"""A pattern for the names of ids, written as words in lower case."""

LEAST_VALUES, ROWS_EACH, MOST_LINES = 20, 1.5, 2
"""The minimum number of different values of an id column, the minimum mean number of rows per
value, and the maximum number of id columns that get a note."""

SAMPLED = 1 << 16
"""The number of rows that are sampled to look for repeated ids. With 20,000,000 rows and 1.5 rows
per id, the sample is expected to contain at least 70 pairs of equal ids."""


def is_id(label: Any) -> bool:
    levels = label if isinstance(label, tuple) else (label,)
    *_, name = ("", *(each for each in levels if isinstance(each, str) and each))
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", name)
    words = " ".join(re.findall(r"[^\W\d_]+", spaced.lower()))
    return bool(ID_NAME.fullmatch(words)) and not FOLD_NAME.search(name)


def named_ids(
    frame: Any, names: Sequence[Any], key: Sequence[Any], skipped: Sequence[Any]
) -> list[Any]:
    """List the columns whose names suggest ids, except folds and columns that the call names."""
    skipped = [*skipped, *(key if len(key) == 1 else ())]  # part of a key can be a group
    return list(filter(is_id, compared_columns(frame, names, skipped)[0]))


def read_ids(frame: Any, labels: Sequence[Any]) -> list[tuple[Any, Ints]]:
    """Encode columns that can hold ids, except columns with the same codes as an earlier column."""
    found: list[tuple[Any, Ints]] = []
    n = len(frame)
    some = distinct_values(np.random.default_rng(0).integers(max(n, 1), size=SAMPLED))[:n]
    for label, series in zip(labels, frames.read_columns(frame, labels), strict=True):
        with suppress(StratError):  # raised for columns of lists, for example
            if frames.duplicates.all_unique(ComparedColumn(frames.take(series, some))):
                continue
            codes, n_values = frames.encode_classes(series)
            n_rows = int((codes >= 0).sum())
            if n_values < LEAST_VALUES or n_rows < ROWS_EACH * n_values:
                continue
            # A "subject" without digits is the topic of an email or a course, not a person.
            value = str(frames.libraries.value_at(series, int(np.argmax(codes >= 0))))
            is_title = str(label).lower() == "subject" and not re.search(r"\d", value)
            is_known = any(np.array_equal(codes, own) for _, own in found)
            if not (is_title or is_known or frames.is_continuous(series)):
                found.append((label, codes.astype(np.int32)))
    return found


def find_ids(ids: Sequence[tuple[Any, Ints]], labels: FoldValues, folds: Ints) -> list[Finding]:
    found = []
    for label, codes in ids:
        rows = (codes >= 0) & (folds >= 0)
        own = codes[rows].astype(np.int64)
        n_folds = np.bincount(frames.duplicates.count_folds_of_sets(own, folds[rows])[0])
        if n := int((n_folds > 1).sum()):
            counts = f"{n:,} of {np.count_nonzero(n_folds):,} {is_or_are(n)}"
            text = f"{{id}}: {counts} in several {noun_of(labels)}s"
            tails = "; if their rows belong together, pass groups={id}", "; groups={id}?"
            finding = write_finding("note", "groups", n, text, *tails, id=describe(label))
            found.append(finding.as_question())
    return found[:MOST_LINES]
