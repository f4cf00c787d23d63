"""Groups ranked by the hash of their values."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xxhash

from stratframe.core.seeds import StreamTag, random_words
from stratframe.pipeline import numbers
from stratframe.pipeline.numbers import rank_groups


def hash_of(*parts: bytes) -> int:
    """Hash the salt of groups, and then the bytes of each column, one after another."""
    found = 42
    for part in (random_words(0, StreamTag.GROUPS, 1)[0].tobytes(), *parts):
        found = xxhash.xxh64(part, seed=found).intdigest()
    return found


@pytest.mark.parametrize("make", [pd.Series, pl.Series])
def test_groups_are_ranked_by_their_hash(make: Any) -> None:
    """The hash is the XXH64 of the columns, one after another, under the salt of groups."""
    text, number = [f"Zoë {i}" for i in range(40)], [i * i % 41 - 7 for i in range(40)]
    hashes = [
        hash_of(each.encode(), (value % 2**64).to_bytes(8, "little"))
        for each, value in zip(text, number, strict=True)
    ]
    found = rank_groups([make(text), make(number)])
    np.testing.assert_array_equal(np.argsort(found), np.argsort(hashes))


def test_groups_of_one_hash_are_ranked_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Different groups of the same hash come by value, the first column first."""
    monkeypatch.setattr(numbers, "hash_keys", lambda columns, salt: np.zeros(4, dtype=np.uint64))
    text, number = pd.Series(["b", "a", "b", "a"]), pd.Series([1, 10, 0, 9])
    assert rank_groups([text, number]).tolist() == [3, 1, 2, 0]
