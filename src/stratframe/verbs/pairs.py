"""Choose the validation labels and the training labels of each pair of a fold column.

The rules use only the labels, which are few, and not the rows, so they are the same for frames of
all libraries and engines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_each_once, check_int, check_one_of
from ..core.strata import distinct_values
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
from ..frames.calendars import Calendar, GapBounds
from .sources import as_list

Nulls: TypeAlias = Literal["error", "train", "drop"]

TRAIN_WORDS = ("rest", "past")
"""The values that `train` can have instead of labels."""

NEVER = np.iinfo(np.int64).max
"""A place after all labels."""

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
    """The maximum number of pairs; the last pairs are chosen."""
    gap: int | str
    """The number of labels, or with `every` of periods, to leave out beside validation labels; or
    a duration such as "10d"."""
    window: int | None
    """The maximum number of labels or periods before the gap to train on; None for no limit."""
    horizon: int
    """The number of labels, or with `every` of periods, that are validated together."""
    step: int | None
    """The number of labels or periods between the starts of two pairs; None for the horizon."""
    apart: Any
    """A list of columns in which training and validation rows must not share a value."""
    nulls: Nulls
    """What happens to rows without a label."""

    @property
    def needs_order(self) -> bool:
        return self.train == "past" or self.gap != 0 or self.last is not None or self.has_horizon

    @property
    def has_horizon(self) -> bool:
        return self.horizon > 1 or self.step is not None

    @property
    def period(self) -> str | None:
        """The length of the periods to read, finer than `every` if the gap is a duration."""
        if self.every is None or not isinstance(self.gap, str):
            return self.every
        return frames.calendars.finer_period(self.every, self.gap)

    @property
    def cause(self) -> str:
        """The arguments that determine the training labels, as messages show them."""
        gap = f"`gap={describe(self.gap)}`"
        if self.train != "past" and not self.gap and self.last is not None:
            return f"`last={describe(self.last)}`"
        if self.train == "rest" and not self.gap and self.has_horizon:
            return f"`{self.horizon_argument}`"
        if self.train == "rest":
            return gap
        train = f"`train={describe(self.train)}`"
        if self.train == "past":
            train = '`train="past"`'
        return f"{train} with {gap}" if self.gap else train

    @property
    def horizon_argument(self) -> str:
        """The argument that makes pairs of several labels, or leaves some out, as in the call."""
        if self.horizon > 1:
            return f"horizon={describe(self.horizon)}"
        return f"step={describe(self.step)}"


class Pair(NamedTuple):
    """A pair of training and validation labels."""

    start: int
    """The rank of the first validation label."""
    label: Any
    """The first validation label or, with `every`, the start of the first period."""
    gap: GapBounds | None = None
    """The bounds of the gap if it is a duration."""


class Pairs(NamedTuple):
    """The pairs of a column."""

    rule: PairRule
    rows: LabelRows
    ranks: Ints
    """The rank of each label with rows, -1 for labels without rows; shape (n_labels,)."""
    is_named: Flags
    """Flags for the labels that `train` names, shape (n_labels,)."""
    pairs: list[Pair]

    def validation_labels(self, pair: Pair) -> Flags:
        """Flag the validation labels of a pair, shape (n_labels,)."""
        end = pair.start + self.rule.horizon
        return np.asarray((self.ranks >= pair.start) & (self.ranks < end))

    def training_labels(self, pair: Pair) -> Flags:
        """Flag the training labels of a pair, shape (n_labels,)."""
        if self.rule.train not in TRAIN_WORDS:
            return np.asarray(self.is_named & ~self.validation_labels(pair))
        places = self.places
        flags = np.zeros(len(places), dtype=np.bool_)
        for low, high in self.training_spans(pair):
            flags |= (places >= low) & (places < high)
        return flags

    @property
    def places(self) -> Ints:
        """The place of each label in the order: its rank or, for a gap of a duration, an instant.

        The places of labels without rows are negative, shape (n_labels,).
        """
        if self.rows.periods is not None and isinstance(self.rule.gap, str):
            return self.rows.periods.starts
        return self.ranks

    def training_spans(self, pair: Pair) -> list[tuple[int, int]]:
        """List the spans of places to train on, each from its first place to before its last."""
        rule = self.rule
        if pair.gap is not None:
            spans = [(pair.gap.earliest, pair.gap.before), (pair.gap.after, NEVER)]
        else:
            # No gap or window is longer than all ranks, and larger numbers could overflow.
            most = len(self.ranks) + int(self.ranks.max(initial=0))
            gap = min(int(rule.gap), most)
            before = pair.start - gap
            earliest = max(before - min(rule.window or most, most), 0)
            spans = [(earliest, before), (pair.start + rule.horizon + gap, NEVER)]
        return spans[:1] if rule.train == "past" else spans

    def training_rows(self, pair: Pair, *, apart: bool = True) -> Flags:
        return frames.labels.flag_labels(
            self.rows,
            self.training_labels(pair),
            nulls=self.rule.nulls == "train",
            apart_from=self.validation_labels(pair) if apart else None,
        )

    def positions(self) -> Iterator[tuple[Ints, Ints]]:
        for pair in self.pairs:
            is_valid = frames.labels.flag_labels(self.rows, self.validation_labels(pair))
            yield np.flatnonzero(self.training_rows(pair)), np.flatnonzero(is_valid)


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
    horizon = check_int("horizon", rule.horizon, 1)
    step = rule.step
    if step is not None:
        step = check_int("step", step, 1)
    if last is not None and valid is not None:
        msg = "`last` cannot be combined with `valid`, which names the labels to validate on."
        raise StratError(msg)
    gap = check_gap(rule)
    window = rule.window
    if window is not None:
        window = check_int("window", window, 1)
    apart = [] if rule.apart is None else as_list(rule.apart, *owners)
    frames.check_names("apart", apart)
    check_each_once("`apart`", "column", apart)
    checked = rule._replace(
        train=train,
        valid=valid,
        last=last,
        gap=gap,
        window=window,
        horizon=horizon,
        step=step,
        apart=apart,
    )
    check_goes_with_train(checked, describe(rule.train))
    check_horizon(checked, describe(rule.train))
    if checked.nulls == "train" and checked.needs_order:
        msg = (
            f'`nulls="train"` cannot be combined with {checked.cause}: rows without a label have'
            ' no place in the order.\nHint: `nulls="drop"` leaves them out.'
        )
        raise StratError(msg)
    return checked


def check_gap(rule: PairRule) -> int | str:
    if isinstance(rule.gap, str):
        frames.calendars.check_duration(rule.gap, rule.every)
        return rule.gap
    if isinstance(rule.gap, timedelta):
        msg = (
            f'`gap` must be a whole number of labels, or a duration such as "10d" or "6h", got'
            f" {describe(rule.gap)}."
        )
        raise StratError(msg)
    return check_int("gap", rule.gap, 0)


def check_horizon(rule: PairRule, shown_train: str) -> None:
    """Raise if a horizon or a step does not go with the labels that a call names or leaves out."""
    if not rule.has_horizon:
        return
    argument = f"`{rule.horizon_argument}`"
    if rule.valid is not None:
        msg = f"{argument} cannot be combined with `valid`: it counts labels back from the newest."
        raise StratError(msg)
    if rule.train not in TRAIN_WORDS:
        msg = f'{argument} goes with `train="past"` and `every` only, got `train={shown_train}`.'
        raise StratError(msg)
    if rule.train == "rest" and rule.every is None:
        msg = (
            f'{argument} needs `train="past"` or `every`, as folds that are dealt at random have no'
            ' order.\nHint: `every="1mo"` reads a column of dates by months.'
        )
        raise StratError(msg)


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


def label_rows(read: Callable[..., LabelRows], rule: PairRule, *column: Any) -> LabelRows:
    """Read the labels of a column; an error on the periods that a gap needs names the gap."""
    try:
        return read(*column)
    except StratError as error:
        if rule.period == rule.every:
            raise
        msg = str(error).replace(f"`every={rule.period!r}`", f"`gap={rule.gap!r}`")
        raise StratError(msg, error.failures) from error.__cause__


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
    if rule.every is None or rows.periods is None:
        ranks = rank_labels(rule, rows)
        listed = list_pairs(rule, rows, ranks, is_named)
    else:
        calendar = frames.calendars.calendar_of(rows.periods, rule.every)
        ranks = calendar.numbers
        listed = list_periods(rule, rows, calendar, is_named)
    pairs = Pairs(rule, rows, ranks, is_named, listed)
    alone = pairs_alone(pairs)
    if rule.valid is None and (rule.train == "past" or rule.every or rule.last):
        # In an order, the first labels have nothing before them, and are left out in silence.
        starts_alone = {pair.start for pair in alone}
        listed = [pair for pair in listed if pair.start not in starts_alone]
        pairs = pairs._replace(pairs=listed[-(rule.last or len(listed)) :])
        alone = []
    check_pairs(pairs, alone)
    return pairs


def list_pairs(rule: PairRule, rows: LabelRows, ranks: Ints, is_named: Flags) -> list[Pair]:
    """List the pairs that start with labels."""
    values = rows.labels.values
    if rule.valid is not None:
        named = find_labels(rule, "valid", rule.valid, rows)
        return [Pair(int(ranks[place]), values[place]) for place in named]
    places = np.argsort(ranks, kind="stable")[np.sum(ranks < 0) :]
    starts = first_ranks(rule, ranks, is_named)
    return [Pair(start, values[places[start]]) for start in starts.tolist()]


def list_periods(
    rule: PairRule, rows: LabelRows, calendar: Calendar, is_named: Flags
) -> list[Pair]:
    """List the pairs that start with periods, which need not have rows."""
    if rule.valid is None:
        starts = first_ranks(rule, calendar.numbers, is_named)
    else:
        rows = rows._replace(labels=calendar.coarser_labels(rows.labels))
        starts = distinct_values(calendar.numbers)[find_labels(rule, "valid", rule.valid, rows)]
    labels = calendar.labels(starts)
    if not isinstance(rule.gap, str) or not len(starts):
        return [Pair(*each) for each in zip(starts.tolist(), labels, strict=True)]
    gaps = calendar.gaps(starts, rule.horizon, rule.gap, rule.window)
    return [Pair(*each) for each in zip(starts.tolist(), labels, gaps, strict=True)]


def first_ranks(rule: PairRule, ranks: Ints, is_named: Flags) -> Ints:
    """List the ranks with which pairs start, counted back from the newest label.

    The oldest labels that do not fill a horizon are left out, as are horizons without rows.
    """
    present = distinct_values(ranks[(ranks >= 0) & ~is_named])
    if not rule.has_horizon or not len(present):
        return present
    newest = int(present[-1]) - rule.horizon + 1
    starts = np.arange(newest, -1, -(rule.step or rule.horizon))[::-1]
    first = np.searchsorted(present, starts)
    end = np.searchsorted(present, starts + rule.horizon)
    return np.asarray(starts[first < end])


def pairs_alone(pairs: Pairs) -> list[Pair]:
    """List the pairs that leave no label to train on."""
    rule = pairs.rule
    if rule.train == "rest" and not rule.gap and not rule.has_horizon:
        return []  # `check_enough_labels` has counted the labels
    if rule.train not in TRAIN_WORDS:
        return [pair for pair in pairs.pairs if not pairs.training_labels(pair).any()]
    # There may be many labels and as many pairs, so that flags for each pair would take too long.
    places = np.sort(pairs.places)
    alone = []
    for pair in pairs.pairs:
        ends = np.searchsorted(places, pairs.training_spans(pair))
        if (ends[:, 0] >= ends[:, 1]).all():
            alone.append(pair)
    return alone


def check_pairs(pairs: Pairs, alone: Sequence[Pair]) -> None:
    """Raise if there are no pairs, or if pairs are `alone`, with no label to train on.

    Rows without a label can be enough to train on.
    """
    rule = pairs.rule
    name = repr(pairs.rows.name)
    labels = pairs.rows.labels
    if labels.present and not pairs.pairs:
        msg = f"{rule.cause} must leave labels of {name} to validate on, but leaves none."
        raise StratError(msg)
    if alone and not (rule.nulls == "train" and labels.n_nulls):
        label = describe(min(alone).label)
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
        for pair in pairs.pairs:
            label = f"label {describe(pair.label)} of {rows.name!r}"
            n_all = rows.count(pairs.training_rows(pair, apart=False))
            n_left = rows.count(pairs.training_rows(pair))
            if not n_left:
                raise StratError(nothing_left(apart, label, n_all))
            if 2 * n_left < n_all:
                few.append((n_left / n_all, f"{n_left:,} of {plural(n_all, 'row')} for {label}"))
    if few:
        n_pairs = sum(len(pairs.pairs) for pairs in several)
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
