"""Numbers of rows by their keys, of keys that have one hash, and of groups by their values."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xxhash

from stratframe import frames
from stratframe.core.hashing import hash_keys
from stratframe.core.seeds import StreamTag, random_words
from stratframe.pipeline.random_numbers import Keys, first_of_equal_keys, rank_groups, row_numbers


@pytest.mark.parametrize(
    ("values", "first"), [("xyxz", [0, 1, 0, 3]), ("yxxy", [0, 1, 1, 0]), ("xywz", None)]
)
def test_keys_of_one_hash_are_told_apart(values, first):
    """Keys with equal hashes do not count as repeated unless their values are equal."""
    series = pd.Series([*values])
    keys = Keys([frames.read_key(series)], 0, np.full(4, 7, dtype=np.uint64))
    found = first_of_equal_keys(keys, [series])
    assert first is None if found is None else found.tolist() == first


@pytest.mark.parametrize("dealt", [None, np.array([3, 1, 2])])
@pytest.mark.parametrize("salt", [5, 6])
def test_rows_are_numbered_by_hashes_under_two_salts(dealt, salt):
    """A row's number is the hash of its key, and between equal ones a hash under another salt."""
    columns = [frames.read_key(pd.Series(["x", "y", "x", "z"], name="id"))]
    keys = Keys(columns, salt, hash_keys(columns, salt), dealt)
    rows = np.arange(4) if dealt is None else dealt
    salts = (lambda size, word=word: np.full(size, word, dtype=np.uint64) for word in (5, 9))
    numbers, tie_breaks = row_numbers(keys, len(rows), *salts)
    assert numbers.tolist() == hash_keys(columns, 5)[rows].tolist()
    assert tie_breaks(np.array([0, 2])).tolist() == hash_keys(columns, 9)[rows[[0, 2]]].tolist()


def hash_of(*parts: bytes) -> int:
    """Hash the salt of groups, and then the bytes of each column, one after another."""
    found = 42
    for part in (random_words(0, StreamTag.GROUPS, 1)[0].tobytes(), *parts):
        found = xxhash.xxh64(part, seed=found).intdigest()
    return found


@pytest.mark.parametrize("make", [pd.Series, pl.Series])
def test_groups_are_ranked_by_their_hash(make: Any) -> None:
    """The hash is the XXH64 of the columns, one after another, under the salt of groups."""
    text = [f"Zoë {i}" for i in range(40)]
    number = [i * i % 41 - 7 for i in range(40)]
    words = [(value % 2**64).to_bytes(8, "little") for value in number]
    hashes = [hash_of(each.encode(), word) for each, word in zip(text, words, strict=True)]
    found = rank_groups([make(text), make(number)])
    np.testing.assert_array_equal(np.argsort(found), np.argsort(hashes))


def test_groups_of_one_hash_are_ranked_by_value() -> None:
    """Different groups with the same hash are sorted by value, the first column first."""
    text = pd.Series(["b", "a", "b", "a"])
    number = pd.Series([1, 10, 0, 9])
    ranks = rank_groups([text, number], lambda _: np.zeros(4, dtype=np.uint64))
    assert ranks.tolist() == [3, 1, 2, 0]
