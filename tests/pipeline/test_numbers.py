"""Numbers of rows: by their keys, and of keys that have one hash."""

import numpy as np
import pandas as pd
import pytest

from stratframe import frames
from stratframe.core.hashing import hash_keys
from stratframe.pipeline.numbers import Keys, first_of_equal_keys, row_numbers

TEXT = pd.Series(["x", "y", "x", "z"], name="id")


def constant(word):
    """Make a stream that draws one word again and again."""
    return lambda size: np.full(size, word, dtype=np.uint64)


@pytest.mark.parametrize(
    ("values", "first"),
    [
        (["x", "y", "x", "z"], [0, 1, 0, 3]),
        (["y", "x", "x", "y"], [0, 1, 1, 0]),
        (["x", "y", "w", "z"], None),
    ],
)
def test_keys_of_one_hash_are_told_apart(values, first):
    """Keys repeat if their values do, and not because their hashes happen to be equal."""
    series = pd.Series(values)
    keys = Keys([frames.read_key(series)], 0, np.full(4, 7, dtype=np.uint64))
    found = first_of_equal_keys(keys, [series])
    assert first is None if found is None else found.tolist() == first


@pytest.mark.parametrize("dealt", [None, np.array([3, 1, 2])])
@pytest.mark.parametrize("salt", [5, 6])
def test_rows_are_numbered_by_hashes_under_two_salts(dealt, salt):
    """A row's number is the hash of its key, and between equal ones a hash under another salt."""
    columns = [frames.read_key(TEXT)]
    keys = Keys(columns, salt, hash_keys(columns, salt), dealt)
    rows = np.arange(4) if dealt is None else dealt
    numbers, tie_breaks = row_numbers(keys, len(rows), constant(5), constant(9))
    assert numbers.tolist() == hash_keys(columns, 5)[rows].tolist()
    assert tie_breaks(np.array([0, 2])).tolist() == hash_keys(columns, 9)[rows[[0, 2]]].tolist()
