"""Sum up who is in which fold as 16 hex digits: `fingerprint`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import frames
from ..core.hashing import HashedBytes, HashedWords, KeyColumn, hash_keys
from ..core.types import Words
from ..errors import StratError
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.check_data import ruled_keys
from ..terms.by import parse_columns
from .door import any_frame
from .sources import check_rows, join_given, named_source

NO_LABEL = np.array([0xFF], dtype=np.uint8)
"""The byte that is hashed if a row lacks one of several labels; no text in UTF-8 contains it."""


@suggest_arguments
@any_frame(in_order="the positions of rows")
def fingerprint(
    frame: AnyFrame | Mapping[str, AnyFrame],
    name: str | Sequence[str] = "fold",
    *,
    key: Any = None,
) -> str:
    """Return 16 hex digits that change if any row changes its fold.

    Two frames have the same fingerprint if they have the same pairs of key and label, in any order
    of the rows, any library and any data type. Print it in a paper, or assert it in a test, to say
    exactly which split was used.

    Parameters
    ----------
    frame : pandas or Polars (eager or lazy) frame, or mapping of names to frames
        A mapping of names to frames, such as `{"train": a, "test": b}`, is read as in `check`.
    name : str or list of str
        The fold or part column. Several columns are summed up together, in their order.
    key : column or list of columns, optional
        The columns that identify the rows. Keys may repeat. Without a key, the position of a row
        identifies it, so the fingerprint then depends on the order of the rows.

    Returns
    -------
    str
        The sum of the hashes of all rows that have a label, modulo 2**64, in 16 hex digits. The
        names of the columns do not count.

    Raises
    ------
    StratError
        If a column does not exist, if a row with a label lacks a key, or if values have no hash. On
        Dask and Spark frames, always: take the columns of the key and the folds out first.

    Warns
    -----
    StratWarning
        If a lazy frame can return other rows or, without a key, its rows in a different order each
        time.

    Notes
    -----
    The hash of a row is XXH64, chained over the values of the key and then over the labels, as
    Spark's `xxhash64(0, key, label)` computes it. Whole floats count as integers, and categories as
    text. Of several labels, a missing one counts as the byte FF, which no text contains.

    See Also
    --------
    kfold : With `key`, gives the same folds in any order of the rows.
    check : Check whether the column is fit for use.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"id": [7, 8, 9], "fold": [0, 1, 0]})
    >>> sf.fingerprint(df, key="id")
    'ed15fb190eb21fc8'
    >>> sf.fingerprint(df[::-1], key="id") == sf.fingerprint(df, key="id")
    True
    """
    refs = list(parse_columns("key", key))
    hint = "take the columns of keys and folds out, as a pandas or Polars frame"
    check_rows(frame, "`fingerprint` reads the keys and folds of all rows", hint)
    rows, name, _ = join_given(frame, name, {"key": refs})
    _, names = named_source(rows, name)
    frames.check_refs(rows, {"key": refs})
    if not refs:
        what = "without `key=` the positions of rows"
        hint = '`key="id"` names columns that identify the rows'
        then = "the fingerprint may be another one each time"
        frames.lazy.warn_row_order(rows, what, hint, then)
    eager = frames.collect_columns(rows, [*refs, *names])
    key_columns = frames.read_columns(eager, refs)
    labels = frames.read_columns(eager, names)
    hashes = hash_rows(key_columns, labels, len(eager))
    return f"{int(hashes.sum(dtype=np.uint64)):016x}"


def hash_rows(key: Sequence[Any], labels: Sequence[Any], n_rows: int) -> Words:
    """Hash the key and then the labels of every row that has a label."""
    for series in labels:
        check_labels(series)
    has_label = np.logical_or.reduce([~frames.is_missing(series) for series in labels])
    rows = None if has_label.all() else np.flatnonzero(has_label)
    frames.check_rules(ruled_keys(key, rows))
    if rows is not None:
        key = [frames.take(series, rows) for series in key]
        labels = [frames.take(series, rows) for series in labels]
    if key:
        key_columns = [frames.read_key(series) for series in key]
    else:
        positions = np.arange(n_rows) if rows is None else rows
        key_columns = [HashedWords(positions.astype(np.uint64))]
    hashes = hash_keys(key_columns, 0)
    for series in labels:
        hashes = hash_labels(series, hashes)
    return hashes


def check_labels(series: Any) -> None:
    """Raise if a column has -1 for rows without a fold."""
    present, _ = frames.folds.encode_values(series)
    frames.folds.check_never_tested(series, present, then="the fingerprint leaves them out")


def hash_labels(series: Any, seeds: Words) -> Words:
    """Hash the label of each row with the hash of the row so far as the seed."""
    is_missing = frames.is_missing(series)
    if not is_missing.any():
        return read_label(series).hash(seeds)
    known = np.flatnonzero(~is_missing)
    missing = np.flatnonzero(is_missing)
    no_labels = HashedBytes(np.repeat(NO_LABEL, len(missing)), np.arange(len(missing) + 1))
    hashes = np.empty_like(seeds)
    hashes[known] = read_label(frames.take(series, known)).hash(seeds[known])
    hashes[missing] = no_labels.hash(seeds[missing])
    return hashes


def read_label(series: Any) -> KeyColumn:
    """Read labels as words or bytes to hash; raise if their types cannot be told apart."""
    column = frames.read.read_group_key(series)
    if column is None:
        msg = (
            "A column of `name` must hold labels of one type for a fingerprint, but"
            f" {series.name!r} is {series.dtype}.\nHint: cast it to text."
        )
        raise StratError(msg)
    return column
