"""Rank names of parts, such as "train" and "test", by the use that they describe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.types import Ints

PURPOSES = {
    "train": 0,
    "training": 0,
    "fit": 0,
    "learn": 0,
    "dev": 1,
    "val": 1,
    "valid": 1,
    "validation": 1,
    "test": 2,
    "testing": 2,
    "eval": 2,
    "hold": 3,
    "holdout": 3,
    "oos": 3,
    "future": 3,
}
"""The ranks of the words that describe the use of a part."""

WHOLE_NAMES = ("train", "valid", "validation", "val", "test", "holdout")
"""The names that describe a use whatever the other labels are. A department can be called "dev"."""

FLAGS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
"""The texts of the labels of a column of flags, in lower case."""

BORDER = re.compile(r"[_.\-\s\d]+|(?<=[a-z])(?=[A-Z])")
"""A pattern for what separates the words of a name, as in "test_2024" and "testSet"."""


def purposes_of(values: Sequence[Any]) -> Ints:
    """Rank part names by the use that they describe; all other names get the last rank.

    The first word of each name counts if all names begin with such a word, as in "Training set" and
    "Test set". Otherwise, only `WHOLE_NAMES` describe a use.
    """
    unknown = len(PURPOSES)
    if all(first_word(value) in PURPOSES for value in values):
        ranks = [PURPOSES[first_word(value)] for value in values]
    else:
        names = [value.strip().lower() if isinstance(value, str) else "" for value in values]
        ranks = [PURPOSES[name] if name in WHOLE_NAMES else unknown for name in names]
    return np.array(ranks, dtype=np.int64)


def purposes_of_column(name: Any, labels: Sequence[Any]) -> Ints:
    """Rank the labels of a column by use; if they are flags, by its name, such as "is_test".

    Of two flags, the other one is the rest: before a test set, or after a training set.
    """
    purpose = purpose_of_flags(name)
    flags = [FLAGS.get(str(label).lower()) for label in labels]
    if purpose is None or None in flags:
        return purposes_of(labels)
    others = PURPOSES["test"] if purpose == PURPOSES["train"] else PURPOSES["train"]
    return np.array([purpose if flag else others for flag in flags], dtype=np.int64)


def purpose_of_flags(name: Any) -> int | None:
    """Return the rank of the use that the name of a column of flags describes, as in "is_test"."""
    words = list(words_of(name))
    if words[:1] == ["is"]:
        words = words[1:]
    return PURPOSES.get(words[0]) if len(words) == 1 else None


def first_word(value: Any) -> str:
    return next(words_of(value), "")


def words_of(value: Any) -> Iterator[str]:
    """Yield the words of a name in lower case; a value that is not text has no words."""
    if isinstance(value, str):
        yield from (word.lower() for word in BORDER.split(value) if word)
