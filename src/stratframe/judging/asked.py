"""The arguments of the verbs that judge, read once: what a call compares and what it judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..terms.base import By, Term
from ..terms.by import columns_of, parse_columns, parse_groups, require_by

AUTO = "auto"


class Asked(NamedTuple):
    """What a call asks to compare and to judge."""

    by: By | None
    entries: tuple[Term, ...]
    """The entries of `by`."""
    groups: Any
    terms: tuple[Term, ...]
    """The entries of `groups`."""
    looks_for_groups: bool
    """Whether to look for groups that the call does not name."""
    key: Any
    features: Any
    time: Sequence[Any]
    looks_for_time: bool
    """Whether to look for times that the call does not name."""
    refs: dict[str, list[Any]]
    """The columns that `groups`, `key` and `duplicates` name."""
    is_auto: bool
    """Whether rows are compared in all suitable columns."""

    @property
    def named(self) -> dict[str, list[Any]]:
        """The columns that each argument names."""
        features = list(parse_columns("features", self.features))
        others = {"by": columns_of(self.entries), "time": list(self.time), "features": features}
        return self.refs | others

    def without(self, *arguments: str) -> Asked:
        """Leave out some of `key` and `duplicates`."""
        refs = self.refs | {argument: [] for argument in arguments}
        return self._replace(refs=refs, is_auto=self.is_auto and "duplicates" not in arguments)


def read_arguments(
    *,
    by: By | None = None,
    groups: Any = None,
    key: Any = None,
    duplicates: Any = AUTO,
    features: Any = None,
    time: Any = False,
) -> Asked:
    terms = () if groups is False else parse_groups(groups)
    entries = () if by is None else require_by(by).terms
    is_auto = isinstance(duplicates, str) and duplicates == AUTO
    refs = {
        "groups": columns_of(terms),
        "key": list(parse_columns("key", key)),
        "duplicates": list(parse_columns("duplicates", None if is_auto else duplicates)),
    }
    of_time = () if time is False else parse_columns("time", time)
    return Asked(
        by=by,
        entries=entries,
        groups=groups,
        terms=terms,
        looks_for_groups=groups is None,
        key=key,
        features=features,
        time=of_time,
        looks_for_time=time is None,
        refs=refs,
        is_auto=is_auto,
    )
