"""Look for groups that the call does not name: what folds keep whole, tear, or may have to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.types import Ints
from ..errors import describe
from ..frames import ComparedColumn, FoldValues, Frame
from ..terms.base import Term
from ..terms.by import columns_of, parse_groups
from .asked import Asked
from .behaviour import find_acting_ids
from .candidates import Candidate, candidate_labels, read_candidates
from .compared import name_of
from .ids import find_ids, named_ids, read_ids
from .lines import Finding
from .whole_columns import find_grouping, find_whole_columns, write_grouping


class GroupLabels(NamedTuple):
    """The labels of the columns in which groups are looked for."""

    candidates: Sequence[Any] = ()
    ids: Sequence[Any] = ()
    """The columns whose names suggest ids."""


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


def list_group_labels(frame: Frame, names: Sequence[Any], asked: Asked) -> GroupLabels:
    """List the columns in which to look for groups: candidates, and ids by their names.

    Features are no candidates, as they should not differ between folds.
    """
    if not asked.looks_for_groups:
        return GroupLabels()
    named = asked.named
    used = [*named["by"], *named["time"]]
    key = named["key"] if len(named["key"]) == 1 else []  # part of a key can be a group
    return GroupLabels(
        candidates=candidate_labels(frame, names, [*used, *named["features"], *key]),
        ids=named_ids(frame, names, named["key"], used),
    )


def read_frame_columns(
    frame: Any, labels: GroupLabels, asked: Asked, known: Mapping[Any, ComparedColumn]
) -> FrameColumns:
    """Read the columns in which to look for groups; the compared ones are `known` already."""
    if not labels.candidates:
        return FrameColumns()
    return FrameColumns(
        candidates=read_candidates(frame, labels.candidates, known),
        ids=read_ids(frame, labels.ids) if labels.ids else [],
        entries=read_candidates(frame, columns_of(asked.entries), known),
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
