"""Deal rows with `deal="hash"`, so that the part of a row depends on its key alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil
from typing import Any

import numpy as np

from .. import frames
from ..core.hashing import hash_keys
from ..core.seeds import StreamTag
from ..core.types import Words
from ..frames import NewColumn
from .check_data import rows_where, ruled_keys
from .nest import Columns, place_rows
from .options import Options, Target
from .parts import empty_outputs
from .random_numbers import column_stream


def hash_salts(options: Options) -> list[int]:
    """Draw a hash salt for each repeat; salts do not depend on the number of folds or parts."""
    of_any_number = replace(options, target=Target(kind=options.target.kind))
    tags = StreamTag.FOLD_HASH, StreamTag.PART_HASH
    return [
        int(column_stream(of_any_number, *tags, repeat=repeat)(1)[0])
        for repeat in range(options.repeats)
    ]


def hash_points(options: Options) -> Words:
    """Return the lowest hash of each part except the first.

    The lowest hash of a part is 2**64 times the total share of the earlier parts, rounded up. With
    k equal parts, a row with the hash u therefore goes to part floor(u k / 2**64).
    """
    shares_before = list(accumulate(options.target.fractions(0)))[:-1]
    return np.array([ceil(share * 2**64) for share in shares_before], dtype=np.uint64)


def hashed_columns(
    options: Options, columns: Columns, n_rows: int, *, in_batch: bool = False
) -> list[NewColumn]:
    """Deal rows, which can be a batch of a lazy frame, only by the hashes of their keys."""
    keys: Sequence[Any] = columns["key"]
    rows = None
    if columns.get("where"):
        rows = rows_where(columns["where"][0], in_batch=in_batch)
    frames.check_rules(ruled_keys(keys, rows), in_batch=in_batch)
    if rows is not None:
        keys = [frames.take(series, rows) for series in keys]
    key_columns = [frames.read_key(series) for series in keys]
    points = hash_points(options)
    outputs = []
    for output, salt in zip(empty_outputs(options), hash_salts(options), strict=True):
        parts = np.searchsorted(points, hash_keys(key_columns, salt), side="right")
        outputs.append(output._replace(parts=place_rows(parts, rows, n_rows)))
    return outputs
