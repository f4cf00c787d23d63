"""Look for groups that the call does not name: what folds keep whole, tear, or may have to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.types import Ints
from ..errors import describe
from ..frames import FoldValues, Frame
from ..terms.base import Term
from ..terms.by import columns_of, parse_groups
from .asked import Asked
from .behaviour import find_acting_ids
from .candidates import Candidate, candidate_labels, read_candidates
from .compared import name_of
from .ids import find_ids, named_ids, read_ids
from .lines import Finding
from .whole_columns import find_grouping, find_whole_columns, write_grouping


class FrameColumns(NamedTuple):
    """The columns of a frame, among which groups are looked for."""

    candidates: Sequence[Candidate] = ()
    ids: Sequence[tuple[Any, Ints]] = ()
    """The columns whose names suggest ids, and their codes."""
    entries: Sequence[Candidate] = ()
    """The columns of `by`."""


class FoundGroups(NamedTuple):
    """What was found of groups for which the call does not ask."""

    findings: Sequence[Finding] = ()
    terms: tuple[Term, ...] = ()
    """The groups that the folds keep whole."""
    n_pairs: int = 0
    """The number of pairs of rows of the same group."""
    are_sites: bool = False
    """Whether each fold is a site, so that folds may differ from each other."""


def list_group_labels(frame: Frame, names: Sequence[Any], asked: Asked) -> list[Any]:
    """List the columns in which to look for groups: candidates, and ids by their names."""
    if not asked.looks_for_groups:
        return []
    return [*list_candidates(frame, names, asked), *list_ids(frame, names, asked)]


def list_candidates(frame: Frame, names: Sequence[Any], asked: Asked) -> list[Any]:
    """List the columns that may be groups; features should not be, as they should not differ."""
    named = asked.named
    key = named["key"] if len(named["key"]) == 1 else []  # part of a key can be a group
    skipped = [*named["by"], *named["time"], *named["features"], *key]
    return candidate_labels(frame, names, skipped)


def list_ids(frame: Frame, names: Sequence[Any], asked: Asked) -> list[Any]:
    named = asked.named
    return named_ids(frame, names, named["key"], [*named["by"], *named["time"]])


def read_frame_columns(frame: Any, names: Sequence[Any], asked: Asked) -> FrameColumns:
    """Read the columns of an eager frame in which to look for groups."""
    if not asked.looks_for_groups:
        return FrameColumns()
    ids = list_ids(frame, names, asked)
    return FrameColumns(
        candidates=read_candidates(frame, list_candidates(frame, names, asked)),
        ids=read_ids(frame, ids) if ids else [],
        entries=read_candidates(frame, columns_of(asked.entries)),
    )


def look_for_groups(
    columns: FrameColumns, name: Any, labels: FoldValues, folds: Ints, follows: str | None
) -> FoundGroups:
    """Look for groups that explain the folds or, if there are none, for ids that folds split.

    `follows` is the column by whose times the parts follow each other, if any. It is no group.
    """
    if not columns.candidates:
        return FoundGroups()
    whole = find_whole_columns(columns.candidates, columns.entries, folds, np.array(labels.sizes))
    whole = [each for each in whole if describe(name_of(each.candidate.label)) != follows]
    grouping = find_grouping(whole, name, labels, is_ordered=follows is not None)
    findings = write_grouping(grouping, labels, folds)
    ids = columns.ids
    if grouping.torn is not None:
        torn = grouping.torn.candidate.label
        ids = [each for each in ids if each[0] != torn]
    of_ids = find_ids(ids, labels, folds)
    if not (of_ids or whole or grouping.is_known or follows):
        acting = find_acting_ids(columns.candidates, columns.candidates, folds >= 0)
        coded = [(each.label, each.classes[0]) for each in acting if each.classes is not None]
        of_ids = find_ids(coded, labels, folds)
    findings += of_ids
    if grouping.whole is None:
        return FoundGroups(findings, are_sites=grouping.site is not None)
    terms = parse_groups(grouping.whole.candidate.label)
    return FoundGroups(findings, terms, grouping.whole.n_pairs)
