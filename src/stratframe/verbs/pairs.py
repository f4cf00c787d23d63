"""Choose the training labels for each validation label of a fold column.

The rules use only the labels, which are few, and not the rows, so they are the same for frames of
all libraries and engines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_each_once, check_int, check_one_of
from ..core.types import Flags, Ints
from ..errors import (
    PART_NAME,
    StratError,
    describe,
    list_values,
    plural,
    warn,
    with_full_stop,
)
from ..frames import LabelRows
from .sources import as_list

Nulls: TypeAlias = Literal["error", "train", "drop"]

TRAIN_WORDS = ("rest", "past")
"""The values that `train` can have instead of labels."""

ISO_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")
"""A pattern for dates such as 2024-04-30 and months such as 2024-04."""


class PairRule(NamedTuple):
    """The arguments of a call that determine the training labels of each validation label."""

    verb: str
    train: Any
    """One of `TRAIN_WORDS`, or a list of labels."""
    valid: Any
    """A list of labels, or None if the call names no validation labels."""
    every: str | None
    """The length of the calendar periods into which dates or times are grouped."""
    last: int | None
    """The maximum number of validation labels; the last labels are chosen."""
    gap: int
    """The number of labels, or with `every` of periods, to leave out beside a validation label."""
    window: int | None
    """The maximum number of labels or periods before the gap to train on; None for no limit."""
    apart: Any
    """A list of columns in which training and validation rows must not share a value."""
    nulls: Nulls
    """What happens to rows without a label."""

    @property
    def needs_order(self) -> bool:
        return self.train == "past" or self.gap > 0 or self.last is not None

    @property
    def cause(self) -> str:
        """The arguments that determine the training labels, as messages show them."""
        gap = f"`gap={describe(self.gap)}`"
        if self.train != "past" and not self.gap and self.last is not None:
            return f"`last={describe(self.last)}`"
        if self.train == "rest":
            return gap
        train = f"`train={describe(self.train)}`"
        if self.train == "past":
            train = '`train="past"`'
        return f"{train} with {gap}" if self.gap else train


class Pairs(NamedTuple):
    """The pairs of a column: its validation labels, each with its training labels."""

    rule: PairRule
    rows: LabelRows
    ranks: Ints
    """The rank of each label with rows, -1 for labels without rows; shape (n_labels,)."""
    is_named: Flags
    """Flags for the labels that `train` names, shape (n_labels,)."""
    valid: list[int]
    """The positions of the validation labels, in the order of the pairs."""

    def training_labels(self, place: int) -> Flags:
        """Flag the training labels for the validation label at `place`, shape (n_labels,)."""
        n_labels = len(self.ranks)
        if self.rule.train not in TRAIN_WORDS:
            return np.asarray(self.is_named & (np.arange(n_labels) != place))
        lead = self.ranks[place] - self.ranks
        if self.rule.train == "rest":
            lead = np.abs(lead)
        # No gap or window is longer than all ranks, and larger numbers could overflow.
        most = int(self.ranks.max(initial=0)) + 1
        gap = min(self.rule.gap, most)
        window = min(self.rule.window or most, most)
        return np.asarray((lead > gap) & (lead <= gap + window) & (self.ranks >= 0))

    def training_rows(self, place: int, *, apart: bool = True) -> Flags:
        return frames.labels.flag_labels(
            self.rows,
            self.training_labels(place),
            nulls=self.rule.nulls == "train",
            apart_from=place if apart else None,
        )

    def positions(self) -> Iterator[tuple[Ints, Ints]]:
        for place in self.valid:
            valid = np.flatnonzero(self.rows.codes == place)
            yield np.flatnonzero(self.training_rows(place)), valid


def check_rule(rule: PairRule, *owners: Any) -> PairRule:
    """Check the arguments of a call; the columns of `apart` are in one of the `owners`."""
    check_one_of("nulls", rule.nulls, get_args(Nulls))
    train = rule.train
    if not (isinstance(train, str) and train in TRAIN_WORDS):
        train = list_labels("train", train, '"rest", "past", ')
    valid = rule.valid
    if valid is not None:
        valid = list_labels("valid", valid)
    last = rule.last
    if last is not None:
        last = check_int("last", last, 1)
    if rule.every is not None:
        frames.periods.check_every(rule.every)
    if last is not None and valid is not None:
        msg = "`last` cannot be combined with `valid`, which names the labels to validate on."
        raise StratError(msg)
    gap = check_int("gap", rule.gap, 0)
    window = rule.window
    if window is not None:
        window = check_int("window", window, 1)
    apart = [] if rule.apart is None else as_list(rule.apart, *owners)
    frames.check_names("apart", apart)
    check_each_once("`apart`", "column", apart)
    checked = rule._replace(
        train=train, valid=valid, last=last, gap=gap, window=window, apart=apart
    )
    check_goes_with_train(checked, describe(rule.train))
    if checked.nulls == "train" and checked.needs_order:
        msg = (
            f'`nulls="train"` cannot be combined with {checked.cause}: rows without a label have'
            ' no place in the order.\nHint: `nulls="drop"` leaves them out.'
        )
        raise StratError(msg)
    return checked


def check_goes_with_train(rule: PairRule, shown_train: str) -> None:
    """Raise if `window` or `gap` does not go with `train`, which messages show as in the call."""
    if rule.window is not None and rule.train != "past":
        msg = f'`window` goes with `train="past"` only, got `train={shown_train}`.'
        raise StratError(msg)
    if rule.gap and rule.train not in TRAIN_WORDS:
        msg = (
            f'`gap` goes with `train="rest"` and `train="past"` only, got `train={shown_train}`.'
            "\nHint: leave the neighbours out of `train`."
        )
        raise StratError(msg)


def list_labels(argument: str, value: Any, alternatives: str = "") -> list[Any]:
    labels = as_list(value)
    if not all(label is not None and frames.libraries.is_label(label) for label in labels):
        msg = (
            f"`{argument}` must be {alternatives}a label or a list of labels, got"
            f" {describe(value)}."
        )
        raise StratError(msg)
    check_each_once(f"`{argument}`", "label", labels, frames.folds.label_key)
    return labels


def pair_columns(rule: PairRule, columns: Iterable[LabelRows]) -> list[Pairs]:
    several = [pair_labels(rule, rows) for rows in columns]
    if rule.apart:
        check_apart(rule.apart, several)
    return several


def positions_of(several: Iterable[Pairs]) -> Iterator[tuple[Ints, Ints]]:
    """Return the row positions of the training and validation rows of all pairs in turn."""
    return chain.from_iterable(pairs.positions() for pairs in several)


def pair_labels(rule: PairRule, rows: LabelRows) -> Pairs:
    check_train_is_given(rule, rows)
    check_enough_labels(rule, rows)
    is_named = np.zeros(len(rows.labels.values), dtype=np.bool_)
    if rule.train not in TRAIN_WORDS:
        is_named[find_labels(rule, "train", rule.train, rows)] = True
    valid = find_labels(rule, "valid", rule.valid or [], rows)
    ranks = rank_labels(rule, rows)
    if rule.valid is None:
        order = np.argsort(ranks, kind="stable")
        valid = order[(ranks[order] >= 0) & ~is_named[order]].tolist()
    pairs = Pairs(rule, rows, ranks, is_named, valid)
    alone = labels_alone(pairs)
    if rule.valid is None and (rule.train == "past" or rule.every or rule.last):
        # In an order, the first labels have nothing before them, and are left out in silence.
        valid = [place for place in valid if place not in alone]
        pairs = pairs._replace(valid=valid[-(rule.last or len(valid)) :])
        alone = set()
    check_pairs(pairs, alone)
    return pairs


def labels_alone(pairs: Pairs) -> set[int]:
    """Return the positions of the validation labels that leave no label to train on."""
    if pairs.rule.train == "rest" and not pairs.rule.gap:
        return set()  # `check_enough_labels` has counted the labels
    return {place for place in pairs.valid if not pairs.training_labels(place).any()}


def check_pairs(pairs: Pairs, alone: Collection[int]) -> None:
    """Raise if there are no pairs, or if labels are `alone`, with no other label to train on.

    Rows without a label can be enough to train on.
    """
    rule = pairs.rule
    name = repr(pairs.rows.name)
    labels = pairs.rows.labels
    if labels.present and not pairs.valid:
        msg = f"{rule.cause} must leave labels of {name} to validate on, but leaves none."
        raise StratError(msg)
    if alone and not (rule.nulls == "train" and labels.n_nulls):
        label = describe(labels.values[min(alone)])
        msg = f"Label {label} of {name} must have labels to train on, but {rule.cause} leaves none."
        raise StratError(msg)


def check_train_is_given(rule: PairRule, rows: LabelRows) -> None:
    """Raise if labels look like parts and the call does not say which parts to train on."""
    labels = rows.labels.present
    purposes = frames.purposes_of_column(rows.name, labels)
    has_parts = bool((purposes < len(frames.PURPOSES)).any())
    if rule.train != "rest" or len(labels) < 2 or not has_parts:
        return
    if rule.valid and can_train_on_rest(rule.valid, labels, purposes):
        return
    name = describe(rows.name)
    train, valid = suggest_parts(rule.valid, labels, purposes)
    msg = (
        f"`{rule.verb}` needs `train`, as the labels of {name} look like parts:"
        f" {list_values(labels)}.\nHint: {rule.verb}({name}, train={describe(train)},"
        f" valid={describe(valid)}); or, to validate on each of the parts, list them all in"
        " `valid`."
    )
    raise StratError(msg)


def can_train_on_rest(valid: Sequence[Any], labels: Sequence[Any], purposes: Ints) -> bool:
    """Return whether a call that validates on some parts can mean to train on all others."""
    # Training on a test part is intended only if all parts are listed or there are just two.
    if len(labels) == 2 or len(valid) >= len(labels):
        return True
    last_purpose = purposes[purposes < len(frames.PURPOSES)].max()
    if last_purpose < frames.PURPOSES["test"]:
        return True
    # Nothing that comes after the validated parts is trained on.
    purposes_of_valid = [
        purpose for label, purpose in zip(labels, purposes, strict=True) if label in valid
    ]
    return bool(last_purpose <= min(purposes_of_valid, default=last_purpose))


def suggest_parts(
    valid: Sequence[Any] | None, labels: Sequence[Any], purposes: Ints
) -> tuple[Any, Any]:
    """Return a part to train on, and one or several to validate on."""
    by_purpose = [labels[place] for place in np.argsort(purposes, kind="stable")]
    train = by_purpose[0]
    if purposes.min() > 0 and purposes.max() >= len(frames.PURPOSES):
        train = by_purpose[-1]  # the training part can have any name
    if not valid:
        return train, next(label for label in by_purpose if label != train)
    return train, valid[0] if len(valid) == 1 else valid


def check_enough_labels(rule: PairRule, rows: LabelRows) -> None:
    """Raise if rows lack a fold and `nulls` does not allow it, or if there are no training rows."""
    name = repr(rows.name)
    present = rows.labels.present
    n_nulls = rows.labels.n_nulls
    if n_nulls and rule.nulls == "error":
        keeps = (
            '`nulls="drop"` leaves them out, and `nulls="train"` adds them to every training set.'
        )
        if rule.needs_order:
            keeps = '`nulls="drop"` leaves them out.'
        msg = (
            f"Column {name} must give every row a fold, but {plural(n_nulls, 'row')}"
            f" {'has' if n_nulls == 1 else 'have'} none.\nHint: {keeps}"
        )
        raise StratError(msg)
    if n_nulls and not present:
        msg = f"Column {name} must have at least 2 folds, but no row has one."
        raise StratError(msg)
    if len(present) == 1 and rule.train == "rest" and not (n_nulls and rule.nulls == "train"):
        msg = (
            f"Column {name} must have at least 2 folds, but has only the label"
            f" {describe(present[0])}, whose training set would be empty."
            f"{hint_at_first_argument(rule, rows, hint=True)}"
        )
        raise StratError(msg)


def hint_at_first_argument(rule: PairRule, rows: LabelRows, *, hint: bool = False) -> str:
    """Say that a verb takes the fold column first, unless the column is named like one."""
    if PART_NAME.search(str(rows.name)):
        return ""
    start = "\nHint:" if hint else ""
    return f"{start} `{rule.verb}` takes the fold column first, and has no `by`."


def find_labels(rule: PairRule, argument: str, labels: Sequence[Any], rows: LabelRows) -> list[int]:
    """Return the positions of the labels that an argument names; raise if a label has no rows."""
    sizes = rows.labels.sizes
    places = {
        key: place
        for key, place in frames.folds.places_of(rows.labels.values).items()
        if sizes[place]
    }
    unknown = [label for label in labels if frames.folds.label_key(label) not in places]
    if unknown:
        raise no_such_labels(rule, argument, unknown, rows)
    return [places[frames.folds.label_key(label)] for label in labels]


def no_such_labels(
    rule: PairRule, argument: str, unknown: Sequence[Any], rows: LabelRows
) -> StratError:
    rules = '"rest", "past" or ' if argument == "train" else ""
    fault = f"`{argument}` must be {rules}labels of {rows.name!r}, got {list_values(unknown)}"
    hint = f"Hint: the labels with rows are {list_values(rows.labels.present) or 'none'}"
    return StratError(
        f"{with_full_stop(fault)}\n{with_full_stop(hint)}{hint_at_first_argument(rule, rows)}"
    )


def rank_labels(rule: PairRule, rows: LabelRows) -> Ints:
    """Rank the labels with rows in their order; labels without rows get -1; shape (n_labels,)."""
    if rows.periods is not None:
        numbers = rows.periods.numbers
        return np.asarray(numbers - numbers.min(initial=0))
    places = [place for place, size in enumerate(rows.labels.sizes) if size]
    if rule.needs_order and not rows.has_ordered_categories:
        places = sort_labels(rule, rows, places)
    ranks = np.full(len(rows.labels.values), -1, dtype=np.int64)
    ranks[places] = np.arange(len(places))
    return ranks


def sort_labels(rule: PairRule, rows: LabelRows, places: Sequence[int]) -> list[int]:
    """Sort the positions of labels by the labels; raise if these have no order."""
    values = rows.labels.values
    texts = [values[place] for place in places if isinstance(values[place], str | bytes)]
    if are_times(texts):
        with suppress(TypeError):  # raised for labels that cannot be compared
            return sorted(places, key=values.__getitem__)
    fault = f"got {list_values(rows.labels.present)}"
    msg = (
        f"The labels of {rows.name!r} must have an order for {rule.cause},"
        f" {with_full_stop(fault)}\nHint: make them numbers, dates, ordered categories, or"
        f" ISO dates or months as text, such as '2024-04'.{hint_at_first_argument(rule, rows)}"
    )
    raise StratError(msg)


def are_times(texts: Sequence[str | bytes]) -> bool:
    """Return whether all texts are ISO dates or all are ISO months."""
    if len({len(text) for text in texts}) > 1:
        return False
    return all(isinstance(text, str) and ISO_DATE.fullmatch(text) for text in texts)


def check_apart(apart: Sequence[Any], several: Sequence[Pairs]) -> None:
    """Raise if `apart` leaves a pair no training rows; warn once if it leaves less than half."""
    few = []
    for pairs in several:
        rows = pairs.rows
        for place in pairs.valid:
            label = f"label {describe(rows.labels.values[place])} of {rows.name!r}"
            n_all = rows.count(pairs.training_rows(place, apart=False))
            n_left = rows.count(pairs.training_rows(place))
            if not n_left:
                raise StratError(nothing_left(apart, label, n_all))
            if 2 * n_left < n_all:
                few.append((n_left / n_all, f"{n_left:,} of {plural(n_all, 'row')} for {label}"))
    if few:
        n_pairs = sum(len(pairs.valid) for pairs in several)
        warn(
            f"`apart` leaves less than half of the training rows in {len(few):,} of"
            f" {plural(n_pairs, 'pair')}, and in the worst only {min(few)[1]}."
        )


def nothing_left(apart: Sequence[Any], label: str, n_rows: int) -> str:
    """State that all training rows of a label share values with validation rows."""
    subject = f"all {n_rows:,} rows share"
    if n_rows == 1:
        subject = "the only one shares"
    return (
        f"`apart` must leave rows to train on for {label}, but {subject} a value in"
        f" {' or '.join(map(repr, apart))} with a validation row.\nHint: make a column"
        " that keeps all rows with the same value in one fold, as in"
        f" `kfold(groups={describe(apart[0])})`."
    )
