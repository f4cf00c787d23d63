"""Compute the numbers that rank the rows: random bits or hashes of the row keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.deal import TieBreaks
from ..core.groups.local_search import Stream
from ..core.hashing import KeyColumn, are_dense_and_unique, hash_groups, hash_keys, repeated_words
from ..core.order import rank
from ..core.seeds import StreamTag, position_bits, word_stream
from ..core.strata import first_occurrence
from ..core.types import Ints, RandomNumbers, Words
from ..errors import StratError
from .options import Options


class Keys(NamedTuple):
    """The keys of the rows of a frame, with their hashes."""

    columns: Sequence[KeyColumn]
    salt: int
    hashes: Words
    """The hashes of the keys with `salt`, shape (n_keys,)."""
    dealt: Ints | None = None
    """The positions of the keys of the dealt rows, shape (n_dealt,); None for all keys in order."""

    def select(self, rows: Ints) -> Keys:
        return self._replace(dealt=rows if self.dealt is None else self.dealt[rows])

    def hash(self, salt: int) -> Words:
        hashes = self.hashes
        if salt != self.salt:
            hashes = hash_keys(self.columns, salt)
        return hashes if self.dealt is None else hashes[self.dealt]


def column_stream(options: Options, *tags: StreamTag, repeat: int = 0) -> Stream:
    """Make the random stream of a new column. Folds use the first tag, and parts the last tag."""
    tag = tags[0] if options.target.kind == "fold" else tags[-1]
    name = options.name
    if isinstance(name, tuple):  # the label of a pandas column with several levels
        name = " ".join(str(level) for level in name if level)
    # The default names of the verbs are not part of the seed.
    name = "" if name in ("fold", "split") else name
    return word_stream(options.seed, tag, options.target.n, repeat, name)


def row_streams(options: Options, repeat: int = 0) -> tuple[Stream, Stream]:
    """Make two streams of random 64-bit words, for the first and the second number of each row."""

    def second(size: int) -> Words:
        # Most deals need no second number, so its stream is made only when words are drawn.
        tags = StreamTag.FOLD_BLOCKS, StreamTag.PART_SPREAD
        return column_stream(options, *tags, repeat=repeat)(size)

    return column_stream(options, StreamTag.FOLD_ROWS, StreamTag.PART_ROWS, repeat=repeat), second


def row_numbers(
    keys: Keys | None, n_dealt: int, first: Stream, second: Stream
) -> tuple[RandomNumbers, TieBreaks]:
    """Compute a number for each dealt row from its key or, without keys, from its position.

    Also return a function that computes a second number for the rows that are tied.
    """
    if keys is not None:
        salt = int(first(1)[0])
        second_salt = int(second(1)[0])
        return keys.hash(salt), lambda tied: keys.hash(second_salt)[tied]
    return position_bits(first, n_dealt), lambda tied: second(len(tied))


def read_keys(options: Options, key: Sequence[Any]) -> Keys:
    columns = [frames.read_key(series) for series in key]
    salt = int(row_streams(options)[0](1)[0])
    return Keys(columns, salt, hash_keys(columns, salt))


def rank_groups(
    key: Sequence[Any], hash_rows: Callable[[Sequence[KeyColumn]], Words] = hash_groups
) -> Ints:
    """Rank distinct groups by the hash of their values, and groups with equal hashes by value.

    If a column of the groups cannot be hashed, all groups keep the order in which they are given.
    """
    columns = [frames.read.read_group_key(series) for series in key]
    hashable = [column for column in columns if column is not None]
    if len(hashable) < len(columns):
        return np.arange(len(key[0]))
    hashes = hash_rows(hashable)
    if not len(repeated_words(hashes)):
        return rank(hashes)
    values = []
    with suppress(StratError):  # times with and without a zone cannot be compared
        values = [key_order(key)[1]]
    numbers = np.empty(len(hashes), dtype=np.int64)
    numbers[np.lexsort([*values, hashes])] = np.arange(len(hashes))
    return numbers


def first_of_equal_keys(keys: Keys, key: Sequence[Any]) -> Ints | None:
    """Find, for each row, the first row with the same key; return None if all keys differ."""
    if len(keys.columns) == 1 and are_dense_and_unique(keys.columns[0]):
        return None
    rows = repeated_words(keys.hashes)
    if not len(rows):
        return None
    ranks = key_order([frames.take(series, rows) for series in key])[1]
    first = np.arange(len(keys.hashes))
    first[rows] = rows[first_occurrence(ranks, len(rows))[ranks]]
    return None if (first == np.arange(len(first))).all() else first


def key_order(key: Sequence[Any], *, by_category: bool = False) -> tuple[Ints, Ints]:
    """Return the rows sorted by key, first column first, and the dense rank of each row's key.

    With `by_category`, ordered categories are sorted in their order, and otherwise by value.
    """
    columns = [frames.read.rank_key(series, by_category=by_category) for series in key]
    rows = np.lexsort(columns[::-1])
    is_repeat = np.logical_and.reduce([np.diff(column[rows]) == 0 for column in columns])
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[rows] = np.cumsum(np.append(False, ~is_repeat)[: len(rows)])
    return rows, ranks
