"""The term `sf.linked`: groups of rows that share a value in any of several columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .. import frames
from ..checks import load_extra
from ..core.hashing import HashedWords, hash_groups
from ..core.strata import distinct_values, first_occurrence, lowest_words
from ..core.types import Flags, Ints, Words
from ..errors import StratError, plural_name
from ..frames import Rule
from .base import BoundTerm, ColumnRef, Missing, Substrata, Term

CSGRAPH = "scipy.sparse.csgraph"


@dataclass(frozen=True, eq=False, repr=False)
class Linked(Term):
    """Groups of rows that are linked by shared values, directly or through other rows."""

    function: ClassVar[str] = "sf.linked"
    group_noun: ClassVar[str] = "groups of linked rows"
    only_groups: ClassVar[bool] = True

    def read(self, series: Sequence[Any]) -> BoundTerm:
        """Encode the values of each column; missing values are allowed, and link no rows."""
        codes = np.array([frames.encode_classes(each)[0] for each in series])
        return BoundTerm(self, series, codes, np.zeros(codes.shape[1], dtype=np.bool_))

    def rules(self, missing: Missing) -> list[Rule]:
        return [Rule(complete=False)] * len(self.columns)

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        codes = connected_rows(np.asarray(entry.data))
        return Substrata(codes, int(codes.max(initial=-1)) + 1)

    def number_groups(self, entry: BoundTerm, codes: Ints) -> Ints:
        """Number groups by the lowest hash of their rows; rows without any value come last."""
        hashes = row_hashes(entry)
        if hashes is None:
            return codes
        return rank_by_hash(codes, hashes, np.all(entry.data < 0, axis=0))

    def explain_group(self, entry: BoundTerm, rows: Ints) -> str:
        """State what share of all rows is in a group, and which column links the group's rows."""
        counts = [len(distinct_values(codes[codes >= 0])) for codes in entry.data[:, rows]]
        fewest = int(np.argmin(counts))
        most = int(np.argmax(counts))
        if fewest == most:
            return ""
        link = entry.names[fewest].name
        name = entry.names[most].name
        values = plural_name(name, f"values of {name!r}")
        return f"{group_share(entry, rows)}: {link!r} links {counts[most]:,} {values}."


def linked(*columns: ColumnRef) -> Linked:
    """Keep together rows that share a value in any of several columns.

    Rows can be linked directly or through other rows. With "patient" and "device", two patients
    who were ever measured with the same device are in the same fold. Use this term in `groups`.

    Parameters
    ----------
    *columns : column
        At least two columns, in any form that `groups` accepts. A missing value links no rows. A
        row without any value forms a group of its own.

    Returns
    -------
    Linked

    Raises
    ------
    StratError
        If there are fewer than two columns, or a column is given twice.
    ImportError
        If SciPy is not installed.

    Notes
    -----
    The groups are the connected components of the graph of rows and values. The folds of the groups
    do not depend on the order of the rows or columns, except for rows without any value and for
    columns of mixed types.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"who": ["ann", "ann", "bob", "eve"], "device": [1, 2, 2, 3]})
    >>> folded = df.strat.split(parts={"train": 3, "test": 1}, groups=sf.linked("who", "device"))
    >>> folded["split"].tolist()
    ['train', 'train', 'train', 'test']
    """
    load_extra(CSGRAPH, "sklearn")
    if len(columns) < 2:
        names = ", ".join(map(frames.format_reference, columns)) or "none"
        msg = (
            f"`sf.linked` must have at least two columns, got {names}.\nHint: pass one column as"
            ' `groups="patient"`, and several without a list: `sf.linked("patient", "device")`.'
        )
        raise StratError(msg)
    check_given_columns("sf.linked", columns)
    return Linked(columns)


def check_given_columns(function: str, columns: Sequence[ColumnRef]) -> None:
    for ref in columns:
        frames.references.check_not_data("columns", ref)
        if isinstance(ref, Term | list):
            msg = f"`{function}` must be given columns, got {frames.format_reference(ref)}."
            raise StratError(msg)
    frames.references.check_each_column_once(f"`{function}`", columns)


def connected_rows(codes: Ints) -> Ints:
    """Return the component of each row; -1 in the codes (n_columns, n_rows) means missing."""
    n_values = codes.max(axis=1, initial=-1) + 1
    n_rows = codes.shape[1]
    starts = n_rows + np.cumsum(n_values) - n_values
    column, row = np.nonzero(codes >= 0)
    n_nodes = n_rows + int(n_values.sum())
    return connected_nodes(n_nodes, row, codes[column, row] + starts[column])[:n_rows]


def connected_nodes(n_nodes: int, ends: Ints, others: Ints) -> Ints:
    """Return the connected component of each node of a graph, given the two ends of each edge."""
    sparse = load_extra("scipy.sparse", "sklearn")
    csgraph = load_extra(CSGRAPH, "sklearn")
    is_edge = np.ones(len(ends), dtype=np.bool_)
    graph = sparse.coo_matrix((is_edge, (ends, others)), (n_nodes, n_nodes))
    components: Ints = csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
    return components


def rank_by_hash(codes: Ints, hashes: Words, is_last: Flags | None = None) -> Ints:
    """Number groups by the lowest hash of their rows; groups of flagged rows come last."""
    n_groups = int(codes.max(initial=-1)) + 1
    first = first_occurrence(codes, n_groups)
    columns: list[Any] = [first, lowest_words(codes, n_groups, hashes)]
    order = np.lexsort(columns if is_last is None else [*columns, is_last[first]])
    return np.argsort(order)[codes]


def group_share(entry: BoundTerm, rows: Ints) -> str:
    return f" The largest has {100 * len(rows) / len(entry.missing):.0f} % of the rows"


def row_hashes(entry: BoundTerm) -> Words | None:
    """Hash each row, with columns sorted by name; return None if a column cannot be hashed."""
    names = [str(series.name) for series in entry.series]
    order = np.argsort(names, kind="stable")
    present = entry.data[order] >= 0
    # Also hash which values are present, because the same value can occur in several columns.
    places = np.left_shift(np.uint64(1), np.arange(len(order), dtype=np.uint64) % np.uint64(64))
    words = (present * places[:, None]).sum(axis=0, dtype=np.uint64)
    hashes = hash_groups([HashedWords(words)])
    for flags, place in zip(present, order, strict=True):
        known = np.flatnonzero(flags)
        rows = known if entry.rows is None else entry.rows[known]
        column = frames.read.read_group_key(frames.take(entry.series[place], rows))
        if column is None:
            return None
        hashes[known] = column.hash(hashes[known])
    return hashes
