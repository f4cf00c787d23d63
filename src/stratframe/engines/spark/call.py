"""The columns that a call reads from a Spark frame, and the columns by which rows are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...terms.base import ByEdges, Term
from .columns import INTEGERS, Typed, functions
from .hashes import number_column, stratum_column

UNROLLED = 64
"""The maximum number of cut points that are compared in separate expressions."""


class StratumColumn(NamedTuple):
    """The column by which rows are counted for an entry."""

    typed: Typed
    code: Any
    """A column with the value itself or the number of its bin, by which rows are counted."""
    is_value: bool = True


class SparkCall(NamedTuple):
    """The columns that a call reads from a frame."""

    frame: Any
    """The frame, with helper columns that the call has added."""
    strata: tuple[StratumColumn, ...]
    """The columns for the entries of `by` and `groups`, and for the column of folds, if any."""
    n_by: int
    n_groups: int
    key: tuple[Typed, ...]
    where: Any | None
    needs_values: bool
    """Whether rows with a missing value in an entry of `by` or `groups` are not dealt."""
    seed: int
    """The seed from which the salts for the hashes of strata are drawn."""
    helpers: tuple[str, ...] = ()
    """The names of the helper columns that the call has added."""

    @property
    def rows(self) -> Any:
        """The rows for which `where` is true."""
        if self.where is None:
            return self.frame
        return self.frame.filter(self.where)

    def stratum(self, salt: int) -> Any:
        return stratum_column([each.code for each in self.strata], salt)

    def number(self, salt: int) -> Any:
        return number_column(self.key, salt)

    def before(self, place: int) -> SparkCall:
        """Restrict the call to its first `place` entries, and to dealt rows."""
        rows = self.frame
        if self.needs_values:
            for each in self.strata[: self.n_by + self.n_groups]:
                rows = rows.filter(each.typed.present.isNotNull())
        strata = self.strata[:place]
        return self._replace(frame=rows, strata=strata, n_by=place, n_groups=0, key=())


def stratum_of_term(term: Term, typed: Typed) -> StratumColumn:
    """Choose the column by which rows are counted for an entry: its values or its bin numbers."""
    alike = term.counted_by()
    if not isinstance(alike, ByEdges):
        return StratumColumn(typed, typed.present)
    value = typed.present.cast("double")
    edges = list(map(float, alike.edges))
    if typed.dtype in INTEGERS:
        value = typed.present.cast("bigint")
        edges = list(map(edge_of_integers, alike.edges))
    first, *inner, last = map(functions().lit, edges)
    if alike.closed == "right":
        is_above = [value > edge for edge in inner]
    else:
        is_above = [value >= edge for edge in inner]
    # The outermost edges are closed, and values beyond these edges fall into two extra bins.
    flags = [flag.cast("int") for flag in (value >= first, *is_above, value > last)]
    return StratumColumn(typed, sum(flags[1:], flags[0]), is_value=False)


def edge_of_integers(edge: float) -> float:
    """Return an edge as an integer, with which Spark compares integers exactly, if it is one."""
    if abs(edge) < 2**63 and edge == int(edge):
        return int(edge)
    return float(edge)


def count_points(points: Any, n_points: int, is_reached: Callable[[Any], Any]) -> Any:
    """Count the cut points of a list that meet a condition; a list has at most `n_points`."""
    sf = functions()
    if n_points > UNROLLED:
        return sf.size(sf.filter(points, is_reached))
    flags = [is_reached(sf.get(points, sf.lit(place))) for place in range(n_points)]
    ones = [sf.when(flag, 1).otherwise(0) for flag in flags]
    return sum(ones[1:], ones[0])
