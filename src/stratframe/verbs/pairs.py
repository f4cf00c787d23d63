"""Choose the training labels for each validation label of a fold column.

The rules use only the labels, which are few, and not the rows, so they are the same for frames of
all libraries and engines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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

RULES = ("rest", "past")
"""The values that `train` can have instead of labels."""

ISO_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")
"""A pattern for dates such as 2024-04-30 and months such as 2024-04."""


class PairRule(NamedTuple):
    """The arguments of a call that determine the training labels of each validation label."""

    verb: str
    train: Any
    """One of `RULES`, or a list of labels."""
    valid: Any
    """A list of labels, or None if the call names no validation labels."""
    every: str | None
    """The length of the calendar periods into which dates or times are grouped."""
    last: int | None
    """The maximum number of validation labels; the last labels are chosen."""
    gap: int
    window: int | None
    apart: Any
    """A list of columns in which training and validation rows must not share a value."""
    nulls: Nulls

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
        train = '`train="past"`' if self.train == "past" else f"`train={describe(self.train)}`"
        return f"{train} with {gap}" if self.gap else train


class Pairs(NamedTuple):
    """The pairs of a column: its validation labels, each with its training labels."""

    rule: PairRule
    rows: LabelRows
    ranks: Ints
    """The rank of each label with rows, -1 for labels without rows; shape (n_labels,)."""
    trained: Flags
    """Flags for the labels that `train` names, shape (n_labels,)."""
    valid: list[int]
    """The positions of the validation labels, in the order of the pairs."""

    def training_labels(self, place: int) -> Flags:
        """Flag the training labels for the validation label at `place`, shape (n_labels,)."""
        n_labels = len(self.ranks)
        if self.rule.train not in RULES:
            return np.asarray(self.trained & (np.arange(n_labels) != place))
        lead, most = self.ranks[place] - self.ranks, int(self.ranks.max(initial=0)) + 1
        gap, window = min(self.rule.gap, most), min(self.rule.window or most, most)
        if self.rule.train == "rest":
            lead = np.abs(lead)
        return np.asarray((lead > gap) & (lead <= gap + window) & (self.ranks >= 0))

    def training_rows(self, place: int, *, apart: bool = True) -> Flags:
        chosen, nulls = self.training_labels(place), self.rule.nulls == "train"
        apart_from = place if apart else None
        return frames.labels.flag_labels(self.rows, chosen, nulls=nulls, apart_from=apart_from)

    def positions(self) -> Iterator[tuple[Ints, Ints]]:
        for place in self.valid:
            held = np.flatnonzero(self.rows.codes == place)
            yield np.flatnonzero(self.training_rows(place)), held


def check_rule(rule: PairRule, *having: Any) -> PairRule:
    """Check the arguments of a call; the columns of `apart` are in one of the given frames."""
    verb, train, valid, every, last, gap, window, apart, nulls = rule
    check_one_of("nulls", nulls, get_args(Nulls))
    if not (isinstance(train, str) and train in RULES):
        train = list_labels("train", train, '"rest", "past", ')
    valid = None if valid is None else list_labels("valid", valid)
    last = None if last is None else check_int("last", last, 1)
    if every is not None:
        frames.periods.check_every(every)
    if last is not None and valid is not None:
        msg = "`last` cannot be combined with `valid`, which names the labels to validate on."
        raise StratError(msg)
    gap = check_int("gap", gap, 0)
    window = None if window is None else check_int("window", window, 1)
    apart = [] if apart is None else as_list(apart, *having)
    frames.check_names("apart", apart)
    check_each_once("`apart`", "column", apart)
    given = f"got `train={describe(rule.train)}`."
    if window is not None and train != "past":
        msg = f'`window` goes with `train="past"` only, {given}'
        raise StratError(msg)
    if gap and train not in RULES:
        msg = (
            f'`gap` goes with `train="rest"` and `train="past"` only, {given}'
            "\nHint: leave the neighbours out of `train`."
        )
        raise StratError(msg)
    checked = PairRule(verb, train, valid, every, last, gap, window, apart, nulls)
    if nulls == "train" and checked.needs_order:
        msg = (
            f'`nulls="train"` cannot be combined with {checked.cause}: rows without a label have'
            ' no place in the order.\nHint: `nulls="drop"` leaves them out.'
        )
        raise StratError(msg)
    return checked


def list_labels(argument: str, given: Any, rules: str = "") -> list[Any]:
    labels = as_list(given)
    if not all(label is not None and frames.libraries.is_label(label) for label in labels):
        msg = f"`{argument}` must be {rules}a label or a list of labels, got {describe(given)}."
        raise StratError(msg)
    check_each_once(f"`{argument}`", "label", labels, frames.folds.label_key)
    return labels


def pair_columns(rule: PairRule, columns: Iterable[LabelRows]) -> list[Pairs]:
    several = [pair_labels(rule, rows) for rows in columns]
    check_apart(several)
    return several


def pair_labels(rule: PairRule, rows: LabelRows) -> Pairs:
    check_no_parts(rule, rows)
    check_several(rule, rows)
    trained = np.zeros(len(rows.labels.values), dtype=np.bool_)
    trained[find_labels(rule, "train", [] if rule.train in RULES else rule.train, rows)] = True
    named, ranks = find_labels(rule, "valid", rule.valid or [], rows), rank_labels(rule, rows)
    order = np.argsort(ranks, kind="stable")
    valid = named or order[(ranks[order] >= 0) & ~trained[order]].tolist()
    pairs = Pairs(rule, rows, ranks, trained, valid)
    alone = set()
    if rule.gap or rule.train != "rest":
        alone = {place for place in valid if not pairs.training_labels(place).any()}
    if not named and (rule.train == "past" or rule.every or rule.last):
        valid = [place for place in valid if place not in alone]
        pairs, alone = pairs._replace(valid=valid[-(rule.last or len(valid)) :]), set()
    name, labels = repr(rows.name), rows.labels
    if labels.present and not pairs.valid:
        msg = f"{rule.cause} must leave labels of {name} to validate on, but leaves none."
        raise StratError(msg)
    if alone and not (rule.nulls == "train" and labels.n_nulls):
        label = describe(labels.values[min(alone)])
        msg = f"Label {label} of {name} must have labels to train on, but {rule.cause} leaves none."
        raise StratError(msg)
    return pairs


def check_no_parts(rule: PairRule, rows: LabelRows) -> None:
    """Raise if labels look like parts and the call does not say which parts to train on."""
    present = rows.labels.present
    ranks = frames.purposes_of(present)
    is_part = ranks < len(frames.PURPOSES)
    if rule.train != "rest" or len(present) < 2 or not is_part.any():
        return
    by_purpose = [present[place] for place in np.argsort(ranks, kind="stable")]
    # The training part can have any name.
    first = by_purpose[-1 if ranks.min() > 0 and not is_part.all() else 0]
    second = next(label for label in by_purpose if label != first)
    if rule.valid:
        # Training on a test part is intended only if all parts are listed or there are just two.
        named = [rank for label, rank in zip(present, ranks, strict=True) if label in rule.valid]
        is_meant = len(present) == 2 or len(rule.valid) >= len(present)
        last = ranks[is_part].max()
        if is_meant or last < frames.PURPOSES["test"] or last <= min(named, default=last):
            return
        second = rule.valid[0] if len(rule.valid) == 1 else rule.valid
    name = describe(rows.name)
    msg = (
        f"`{rule.verb}` needs `train`, as the labels of {name} look like parts:"
        f" {list_values(present)}.\nHint: {rule.verb}({name}, train={describe(first)},"
        f" valid={describe(second)}); or, to validate on each of the parts, list them all in"
        " `valid`."
    )
    raise StratError(msg)


def check_several(rule: PairRule, rows: LabelRows) -> None:
    """Raise if rows lack a fold and `nulls` does not allow it, or if there are no training rows."""
    name, present, n_nulls = repr(rows.name), rows.labels.present, rows.labels.n_nulls
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
            f"{name_is_first(rule, rows, hint=True)}"
        )
        raise StratError(msg)


def name_is_first(rule: PairRule, rows: LabelRows, *, hint: bool = False) -> str:
    """Say that a verb takes the fold column first, if the name of the column is unlike one."""
    if PART_NAME.search(str(rows.name)):
        return ""
    start = "\nHint:" if hint else ""
    return f"{start} `{rule.verb}` takes the fold column first, and has no `by`."


def find_labels(rule: PairRule, argument: str, labels: Sequence[Any], rows: LabelRows) -> list[int]:
    """Return the positions of the labels that an argument names; raise if a label has no rows."""
    values, sizes = rows.labels.values, rows.labels.sizes
    places = {key: place for key, place in frames.folds.places_of(values).items() if sizes[place]}
    keys = list(map(frames.folds.label_key, labels))
    unknown = [label for label, key in zip(labels, keys, strict=True) if key not in places]
    if unknown:
        rules = '"rest", "past" or ' if argument == "train" else ""
        fault = f"`{argument}` must be {rules}labels of {rows.name!r}, got {list_values(unknown)}"
        hint = f"Hint: the labels with rows are {list_values(rows.labels.present) or 'none'}"
        msg = "\n".join(map(with_full_stop, [fault, hint])) + name_is_first(rule, rows)
        raise StratError(msg)
    return [places[key] for key in keys]


def rank_labels(rule: PairRule, rows: LabelRows) -> Ints:
    """Rank the labels with rows in their order; labels without rows get -1; shape (n_labels,)."""
    values, sizes = rows.labels.values, rows.labels.sizes
    places = [place for place, size in enumerate(sizes) if size]
    if rule.needs_order and not rows.has_ordered_categories:
        texts = [values[place] for place in places if isinstance(values[place], str | bytes)]
        is_time = all(isinstance(text, str) and ISO_DATE.fullmatch(text) for text in texts)
        try:
            places.sort(key=values.__getitem__)
        except TypeError:
            is_time = False
        if not is_time or len({*map(len, texts)}) > 1:
            fault = f"got {list_values(rows.labels.present)}"
            msg = (
                f"The labels of {rows.name!r} must have an order for {rule.cause},"
                f" {with_full_stop(fault)}\nHint: make them numbers, dates, ordered categories, or"
                f" ISO dates or months as text, such as '2024-04'.{name_is_first(rule, rows)}"
            )
            raise StratError(msg)
    ranks = np.full(len(values), -1, dtype=np.int64)
    ranks[places] = np.arange(len(places))
    if rows.periods is not None:
        ranks = rows.periods.numbers - rows.periods.numbers.min(initial=0)
    return ranks


def check_apart(several: Sequence[Pairs]) -> None:
    """Raise if `apart` leaves a pair no training rows; warn once if it leaves less than half."""
    few = []
    checked = [(pairs, place) for pairs in several if pairs.rule.apart for place in pairs.valid]
    for pairs, place in checked:
        rows, apart = pairs.rows, pairs.rule.apart
        label = f"label {describe(rows.labels.values[place])} of {rows.name!r}"
        n_all = rows.count(pairs.training_rows(place, apart=False))
        n_left = rows.count(pairs.training_rows(place))
        if not n_left:
            share = "the only one shares" if n_all == 1 else f"all {n_all:,} rows share"
            msg = (
                f"`apart` must leave rows to train on for {label}, but {share} a value in"
                f" {' or '.join(map(repr, apart))} with a validation row.\nHint: make a column"
                " that keeps all rows with the same value in one fold, as in"
                f" `kfold(groups={describe(apart[0])})`."
            )
            raise StratError(msg)
        if 2 * n_left < n_all:
            few.append((n_left / n_all, f"{n_left:,} of {plural(n_all, 'row')} for {label}"))
    if few:
        warn(
            f"`apart` leaves less than half of the training rows in {len(few):,} of"
            f" {plural(len(checked), 'pair')}, and in the worst only {min(few)[1]}."
        )
