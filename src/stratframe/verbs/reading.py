"""Which labels of a fold column train, for each label that is validated.

All rules work on the labels in their order, of which there are few, so that frames of every
library and engine share them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_each_once, check_int, check_one_of
from ..core.types import Flags, Ints
from ..errors import (
    FOLD_NAME,
    StratError,
    at_least_one,
    describe,
    plural,
    preview,
    warn,
    with_full_stop,
)
from ..frames import LabelRows

Nulls: TypeAlias = Literal["error", "train", "drop"]
"""How rows without a fold are treated."""

RULES = ("rest", "past")
"""What `train` may be but for labels."""

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
ISO_MONTH = re.compile(r"\d{4}-\d{2}")


class PairRule(NamedTuple):
    """How a call pairs labels that train with labels that are validated."""

    verb: str
    train: Any
    """One of `RULES`, or a list of labels."""
    valid: list[Any] | None
    gap: int
    window: int | None
    apart: list[Any]
    nulls: Nulls

    @property
    def needs_order(self) -> bool:
        """Whether the labels must have an order."""
        return self.train == "past" or self.gap > 0

    @property
    def names_train(self) -> bool:
        """Whether `train` names labels."""
        return isinstance(self.train, list)

    @property
    def cause(self) -> str:
        """What of the call makes the order of labels matter."""
        return '`train="past"`' if self.train == "past" else f"`gap={describe(self.gap)}`"


class Pairs(NamedTuple):
    """The pairs of a column: the labels that are validated, and what trains for each."""

    rule: PairRule
    rows: LabelRows
    ranks: Ints
    """The place of each label among those with rows; -1 for those without; shape (n_labels,)."""
    trained: Flags
    """The labels that `train` names, shape (n_labels,)."""
    valid: list[int]
    """The places of the labels that are validated, in the order of the pairs."""

    def training_labels(self, place: int) -> Flags:
        """Flag the labels that train for one, shape (n_labels,)."""
        gap, window = self.rule.gap, self.rule.window
        if self.rule.names_train:
            flags = self.trained.copy()
            flags[place] = False
            return flags
        lead = self.ranks[place] - self.ranks
        if self.rule.train == "rest":
            return np.asarray((np.abs(lead) > gap) | (self.ranks < 0))
        latest = len(self.ranks) if window is None else gap + window
        return np.asarray((lead > gap) & (lead <= latest) & (self.ranks >= 0))

    def training_rows(self, place: int, *, apart: bool = True) -> Flags:
        """Flag the rows that train for a label."""
        chosen, nulls = self.training_labels(place), self.rule.nulls == "train"
        return frames.flag_labels(
            self.rows, chosen, nulls=nulls, apart_from=place if apart else None
        )

    def positions(self) -> Iterator[tuple[Ints, Ints]]:
        """Find the positions of the training and validation rows of one pair after another."""
        for place in self.valid:
            held = np.flatnonzero(self.rows.codes == place)
            yield np.flatnonzero(self.training_rows(place)), held


# Arguments -------------------------------------------------------------------------------


def check_pair_rule(
    verb: str,
    *,
    train: object,
    valid: object,
    gap: object,
    window: object,
    apart: object,
    nulls: Any,
) -> PairRule:
    """Check the arguments of a call, all but the name of the column."""
    check_one_of("nulls", nulls, get_args(Nulls))
    is_rule = isinstance(train, str) and train in RULES
    rule = PairRule(
        verb,
        train if is_rule else list_labels("train", train, '"rest", "past", '),
        None if valid is None else list_labels("valid", valid),
        check_int("gap", gap, 0),
        None if window is None else check_int("window", window, 1),
        list_apart(apart),
        nulls,
    )
    check_readings(rule, train)
    return rule


def list_labels(argument: str, given: Any, rules: str = "") -> list[Any]:
    """List one or more labels, each once."""
    labels = list(given) if isinstance(given, list | tuple) else [given]
    if not labels:
        raise StratError(at_least_one(f"`{argument}`", "label", given))
    if not all(label is not None and frames.is_label(label) for label in labels):
        msg = f"`{argument}` must be {rules}a label or a list of labels, got {describe(given)}."
        raise StratError(msg)
    check_each_once(f"`{argument}`", "label", labels)
    return labels


def list_apart(apart: object) -> list[Any]:
    """List the columns of `apart`, each once."""
    if apart is None:
        return []
    names = list(apart) if isinstance(apart, list | tuple) and apart else [apart]
    frames.check_names("apart", names)
    check_each_once("`apart`", "column", names)
    return names


def check_readings(rule: PairRule, train: object) -> None:
    """Raise if arguments cannot be combined."""
    if rule.window is not None and rule.train != "past":
        msg = f'`window` goes with `train="past"` only, got `train={describe(train)}`.'
        raise StratError(msg)
    if rule.gap and rule.names_train:
        msg = (
            '`gap` goes with `train="rest"` and `train="past"` only, got'
            f" `train={describe(train)}`.\nHint: leave the neighbours out of `train`."
        )
        raise StratError(msg)
    if rule.nulls == "train" and rule.needs_order:
        msg = (
            f'`nulls="train"` cannot be combined with {rule.cause}: rows without a label have no'
            ' place in the order.\nHint: `nulls="drop"` leaves them out.'
        )
        raise StratError(msg)


# Pairs -----------------------------------------------------------------------------------


def pair_labels(rule: PairRule, rows: LabelRows) -> Pairs:
    """Pair the labels of a column, and check that each pair has something to train on."""
    check_no_parts(rule, rows)
    check_nulls(rule, rows)
    check_several(rule, rows)
    trained = find_labels("train", rule.train if rule.names_train else [], rows)
    named = find_labels("valid", rule.valid or [], rows)
    ranks = rank_labels(rule, rows)
    order = [int(place) for place in np.argsort(ranks, kind="stable") if ranks[place] >= 0]
    is_trained = flag_places(trained, len(ranks))
    valid = named if rule.valid else [place for place in order if not is_trained[place]]
    pairs = Pairs(rule, rows, ranks, is_trained, valid)
    return check_training(pairs, n_present=len(order))


def check_no_parts(rule: PairRule, rows: LabelRows) -> None:
    """Raise if labels look like parts, one of which would train for another without being told."""
    present = rows.labels.present
    purposes = frames.purposes_of(present)
    known = purposes < len(frames.PURPOSES)
    if rule.train != "rest" or len(present) < 2 or not known.any():
        return
    if rule.valid and not trains_on_test(rule.valid, present, purposes):
        return
    first, second, *_ = (present[place] for place in np.argsort(purposes, kind="stable"))
    if purposes.min() > 0 and not known.all():  # what trains is called otherwise
        first, second = present[int(purposes.argmax())], first
    if rule.valid:
        second = rule.valid[0] if len(rule.valid) == 1 else rule.valid
    name = describe(rows.name)
    msg = (
        f"`{rule.verb}` needs `train`, as the labels of {name} look like parts:"
        f" {list_values(present)}.\nHint: {rule.verb}({name}, train={describe(first)},"
        f" valid={describe(second)}); or to validate each of them, list them all in `valid`."
    )
    raise StratError(msg)


def trains_on_test(valid: Sequence[Any], present: Sequence[Any], purposes: Ints) -> bool:
    """Return whether a test set would train for an earlier part, which only a list of all asks for.

    To train on train and valid for a last test is fine, and so is any choice between two parts.
    """
    if len(present) == 2 or len(valid) >= len(present):
        return False
    named = [rank for label, rank in zip(present, purposes, strict=True) if label in valid]
    tests = purposes[(purposes >= frames.PURPOSES["test"]) & (purposes < len(frames.PURPOSES))]
    return bool(named) and tests.max(initial=0) > min(named)


def check_nulls(rule: PairRule, rows: LabelRows) -> None:
    """Raise if rows without a fold are not allowed."""
    n_nulls = rows.labels.n_nulls
    if n_nulls and rule.nulls == "error":
        keeps = '`nulls="train"` keeps them in every training set, `nulls="drop"` in none.'
        if rule.needs_order:
            keeps = '`nulls="drop"` leaves them out.'
        msg = (
            f"Column {rows.name!r} must give every row a fold, but {plural(n_nulls, 'row')}"
            f" {'has' if n_nulls == 1 else 'have'} none.\nHint: {keeps}"
        )
        raise StratError(msg)


def check_several(rule: PairRule, rows: LabelRows) -> None:
    """Raise if no row has a fold, or if there is a single fold, with nothing to train on."""
    present, n_nulls = rows.labels.present, rows.labels.n_nulls
    if n_nulls and not present:
        msg = f"Column {rows.name!r} must have at least 2 folds, but no row has one."
        raise StratError(msg)
    if rule.train != "rest":
        return
    if len(present) == 1 and not (n_nulls and rule.nulls == "train"):
        msg = (
            f"Column {rows.name!r} must have at least 2 folds, got {describe(present[0])} alone:"
            " its training set would be empty."
        )
        if n_nulls and not rule.needs_order:
            msg += '\nHint: `nulls="train"` trains on the rows without a fold.'
        raise StratError(msg)


def find_labels(argument: str, labels: Sequence[Any], rows: LabelRows) -> list[int]:
    """Find the places of labels that an argument names, all of which must have rows."""
    values, sizes = rows.labels.values, rows.labels.sizes
    # True equals 1, but is no label of folds.
    places = {(value, is_flag(value)): place for place, value in enumerate(values) if sizes[place]}
    found = [places.get((label, is_flag(label))) for label in labels]
    unknown = [label for label, place in zip(labels, found, strict=True) if place is None]
    if unknown:
        kinds = '"rest", "past" or ' if argument == "train" else ""
        present = rows.labels.present
        has = f"Hint: the labels with rows are {list_values(present)}" if present else ""
        msg = (
            f"`{argument}` must be {kinds}labels of {rows.name!r}, got {list_values(unknown)}"
            f"{'' if present else ', but it has none'}"
        )
        raise StratError("\n".join(map(with_full_stop, filter(None, [msg, has]))))
    return [place for place in found if place is not None]


def is_flag(value: object) -> bool:
    """Return whether a value is True or False, of Python or of numpy."""
    return isinstance(value, bool | np.bool_)


def rank_labels(rule: PairRule, rows: LabelRows) -> Ints:
    """Rank the labels with rows by their order, -1 for those without; shape (n_labels,)."""
    has_rows = np.array(rows.labels.sizes, dtype=np.int64) > 0
    places = [int(place) for place in np.flatnonzero(has_rows)]
    if rule.needs_order and not rows.has_ordered_categories:
        check_order(rule, rows)
        try:
            places.sort(key=rows.labels.values.__getitem__)
        except TypeError as error:
            raise unordered_labels(rule, rows, "they mix types") from error
    ranks = np.full(len(has_rows), -1, dtype=np.int64)
    ranks[places] = np.arange(len(places))
    return ranks


def check_order(rule: PairRule, rows: LabelRows) -> None:
    """Raise if labels are text whose order is not that of time."""
    texts = [value for value in rows.labels.present if isinstance(value, str | bytes)]
    if texts and not (all(map(is_iso_date, texts)) or all(map(is_iso_month, texts))):
        raise unordered_labels(rule, rows, f"they are text: {list_values(texts)}")


def unordered_labels(rule: PairRule, rows: LabelRows, why: str) -> StratError:
    """Build the error for labels that have no order where it matters."""
    fault = with_full_stop(f"but {why}")
    return StratError(
        f"The labels of {rows.name!r} must have an order for {rule.cause}, {fault}\nHint: make them"
        " numbers, dates, ordered categories, or text of ISO dates or months such as '2024-04'."
    )


def is_iso_date(text: str | bytes) -> bool:
    """Return whether text is a date such as 2024-04-30."""
    if not isinstance(text, str) or not ISO_DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_iso_month(text: str | bytes) -> bool:
    """Return whether text is a month such as 2024-04."""
    is_short = isinstance(text, str) and ISO_MONTH.fullmatch(text) is not None
    return is_short and is_iso_date(f"{text!s}-01")


def flag_places(places: Sequence[int], n: int) -> Flags:
    """Flag some of n places."""
    flags = np.zeros(n, dtype=np.bool_)
    flags[list(places)] = True
    return flags


# What is left to train on ----------------------------------------------------------------


def check_training(pairs: Pairs, n_present: int) -> Pairs:
    """Skip the labels before which none trains, and raise where any other has nothing to train."""
    rule, rows = pairs.rule, pairs.rows
    n_early = n_present if rule.gap >= n_present else rule.gap + 1
    if rule.train == "past":
        early = [place for place in pairs.valid if pairs.ranks[place] < n_early]
        if rule.valid and early:
            raise too_early(pairs, early, n_present)
        valid = [place for place in pairs.valid if pairs.ranks[place] >= n_early]
        if n_present and not valid:
            msg = (
                f'`train="past"` must leave labels to validate, but with `gap={describe(rule.gap)}`'
                f" none of the {plural(n_present, 'label')} of {rows.name!r} has one before it to"
                " train on."
            )
            raise StratError(msg)
        return pairs._replace(valid=valid)
    if rule.names_train and not pairs.valid:
        msg = f"`train` must leave labels of {rows.name!r} to validate, but it names all of them."
        raise StratError(msg)
    if rule.gap or rule.names_train:
        check_not_empty(pairs)
    return pairs


def check_not_empty(pairs: Pairs) -> None:
    """Raise if a label has none that trains for it."""
    rule, rows = pairs.rule, pairs.rows
    if rule.nulls == "train" and rows.labels.n_nulls:
        return
    has_rows = pairs.ranks >= 0
    for place in pairs.valid:
        if not (pairs.training_labels(place) & has_rows).any():
            label = describe(rows.labels.values[place])
            why = "`train` names no other" if rule.names_train else f"{rule.cause} leaves none"
            msg = f"{label} of {rows.name!r} must have other labels to train on, but {why}."
            raise StratError(msg)


def too_early(pairs: Pairs, early: Sequence[int], n_present: int) -> StratError:
    """Build the error for labels that `valid` names, and before which none trains."""
    values, gap = pairs.rows.labels.values, pairs.rule.gap
    listed = list_values([values[place] for place in early])
    msg = (
        f'`valid` must name labels with others before them to train on, as `train="past"` with'
        f" `gap={describe(gap)}` asks, got {listed}"
    )
    if gap + 1 >= n_present:
        return StratError(with_full_stop(msg))
    first = values[int(np.flatnonzero(pairs.ranks == gap + 1)[0])]
    return StratError(f"{with_full_stop(msg)}\nHint: the first such label is {describe(first)}.")


def check_apart(several: Sequence[Pairs]) -> None:
    """Raise if `apart` leaves no training rows, and warn once if it leaves few."""
    fewest, n_few = (1.0, 0, 0, ""), 0
    for pairs in several:
        if not pairs.rule.apart:
            return
        for place in pairs.valid:
            label = f"{describe(pairs.rows.labels.values[place])} of {pairs.rows.name!r}"
            n_all, n_left = (
                pairs.rows.count(pairs.training_rows(place, apart=apart)) for apart in (False, True)
            )
            if not n_left:
                raise nothing_left(pairs, label, n_all)
            n_few += 2 * n_left < n_all
            fewest = min(fewest, (n_left / n_all, n_left, n_all, label))
    if n_few:
        _, n_left, n_all, label = fewest
        n_pairs = sum(len(pairs.valid) for pairs in several)
        warn(
            f"`apart` leaves less than half of the training rows in {n_few:,} of"
            f" {plural(n_pairs, 'pair')}: for {label}, {n_left:,} of {plural(n_all, 'row')}."
        )


def nothing_left(pairs: Pairs, label: str, n_all: int) -> StratError:
    """Build the error for a pair that `apart` leaves without training rows."""
    names = pairs.rule.apart
    *first, last = map(repr, names)
    listed = f"{', '.join(first)} or {last}" if first else last
    hint = (
        "make a coarser column, whose folds hold whole values, as in"
        f" `kfold(groups={describe(names[0])})`"
    )
    if FOLD_NAME.search(str(names[0])):
        hint = "`apart` names what rows may share, such as a patient, and not their folds"
    return StratError(
        f"`apart` must leave rows to train on for {label}, but all {plural(n_all, 'row')} share"
        f" a value of {listed} with a row to validate.\nHint: {hint}."
    )


def list_values(values: Sequence[Any]) -> str:
    """List a few values as in code."""
    return preview(map(describe, values), len(values))
