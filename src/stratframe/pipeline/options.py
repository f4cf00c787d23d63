"""Check the arguments of a call, and store them in `Options` and `Target`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeGuard, get_args

import numpy as np

from ..checks import (
    check_encodable,
    check_int,
    check_name,
    check_one_of,
    check_seed,
    plain_share,
)
from ..errors import StratError, above_limit, describe, describe_count, plural, warn
from ..frames import format_reference
from ..terms.base import By, ColumnRef, Missing, Term
from ..terms.by import columns_of, parse_by, parse_columns, parse_groups

PartShares: TypeAlias = Mapping[str, float | None] | float
"""The share or the number of rows of each part, by name; one value can be None, which stands for
all remaining rows. A single number is the share of `test`."""

PartCounts: TypeAlias = int | Mapping[str, int | None]
"""The number of rows of each stratum in each part, by name; one value is None, which stands for all
remaining rows. A single number is that of `test`."""

Deal: TypeAlias = Literal["random", "circular", "contiguous", "hash"]
"""The method by which rows are dealt to folds or parts."""

Rare: TypeAlias = Literal["warn", "error", "null", "pool", "ignore"]
"""The treatment of classes that have fewer rows than there are folds."""


@dataclass(frozen=True)
class Target:
    """The folds or parts to which rows are dealt."""

    n: int = 0
    """The number of folds or parts; 0 if no rows are dealt, or if the data determine the number."""
    kind: Literal["fold", "part"] = "fold"
    """The kind of the target, on which random numbers and the wording of messages depend."""
    names: tuple[str, ...] | None = None
    """The names of the parts; None for folds, which are numbered."""
    shares: tuple[Fraction | int | None, ...] | None = None
    """The fraction or count of rows in each part, where None is the rest; None for equal folds."""
    each: tuple[int | None, ...] | None = None
    """The count of rows of each joint stratum in each part, where None is the rest; else None."""

    @property
    def argument(self) -> str:
        """The text with which messages refer to the number of folds or parts."""
        return "`k`" if self.kind == "fold" else "The number of `parts`"

    def fractions(self, n_rows: int) -> list[Fraction]:
        """Convert shares and counts to fractions of the rows that get a part."""
        if self.shares is None:
            return [Fraction(1, self.n)] * self.n
        shares = [Fraction(share) for share in self.shares if share is not None]
        if any(isinstance(share, Fraction) for share in self.shares):
            rest = 1 - sum(shares, Fraction(0))
            return [rest if share is None else Fraction(share) for share in self.shares]
        total = int(sum(shares))
        if total > n_rows or (total == n_rows) == (None in self.shares):
            msg = (
                "The counts in `parts` must sum to the number of rows that get a part, got"
                f" {describe_count(total)} for {plural(n_rows, 'row')}.\nHint: one count may be"
                f" None, which stands for the remaining rows (at least 1).{self.hint_at_shares()}"
            )
            raise StratError(msg)
        counts = [n_rows - total if share is None else int(share) for share in self.shares]
        return [Fraction(count, n_rows) for count in counts]

    def hint_at_shares(self) -> str:
        """Suggest the shares of counts that are meant as percentages or ratios; maybe nothing."""
        counts = [share for share in self.shares or () if isinstance(share, int)]
        names = self.names or ()
        if len(counts) < len(names):
            return ""
        total = sum(counts)
        shares = [round(count / total, 3) for count in counts]
        if [Fraction(str(share)) * total for share in shares] != counts:
            return ""
        parts = dict(zip(names, shares, strict=True))
        return f"\nShares are below 1: `parts={show_parts(parts)}`."


MAX_PARTS_SHOWN = 12
"""The maximum number of parts that a message lists."""

MAX_REPEATS = 10_000
"""The maximum number of fold columns that one call can add."""

MISSING_OF: dict[str, tuple[Missing, ...]] = {
    "fold": get_args(Missing),
    "part": get_args(Missing)[:2],
}
"""The values of `missing` by the kind of the target; every row gets a part."""

NO_TARGET = Target()
"""The target of a call that deals no rows. With 0 parts, no stratum is too small."""


@dataclass(frozen=True)
class Options:
    """The checked arguments of one call."""

    terms: tuple[Term, ...] = ()
    marginal: bool = False
    """Whether each term is balanced on its own instead of nested in the terms before it."""
    groups: tuple[Term, ...] = ()
    key: tuple[ColumnRef, ...] = ()
    where: ColumnRef | None = None
    target: Target = NO_TARGET
    deal: Deal = "random"
    missing: Missing = "stratum"
    rare: Rare = "ignore"
    repeats: int = 1
    seed: int = 0
    name: str = "fold"

    def columns(self) -> dict[str, list[ColumnRef]]:
        return {
            "by": columns_of(self.terms),
            "groups": columns_of(self.groups),
            "key": list(self.key),
            "where": [] if self.where is None else [self.where],
        }


def check_options(
    by: By | None,
    target: Target,
    *,
    groups: Any = None,
    where: Any = None,
    deal: Deal = "random",
    key: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    repeats: int = 1,
    seed: SupportsIndex | None = 0,
    name: Any = "fold",
) -> Options:
    """Check the arguments of a verb; `target` is made from `k` or `parts`."""
    terms, marginal = parse_by(by)
    check_one_of("deal", deal, get_args(Deal))
    check_one_of("missing", missing, MISSING_OF[target.kind])
    check_one_of("rare", rare, get_args(Rare))
    repeats = check_int("repeats", repeats, 1)
    if repeats > MAX_REPEATS:
        raise StratError(above_limit("`repeats`", MAX_REPEATS, "column", repeats))
    options = Options(
        terms=terms,
        marginal=marginal,
        groups=parse_groups(groups),
        key=parse_columns("key", key),
        where=where,
        target=target,
        deal=deal,
        missing=missing,
        rare=rare,
        repeats=repeats,
        seed=check_seed(seed),
        name=name,
    )
    check_combination(options)
    if not isinstance(options.name, tuple) or repeats > 1:  # a tuple can name a pandas column
        check_name(options.name)
    return options


def check_combination(options: Options) -> None:
    """Raise an error if arguments that are valid on their own cannot be combined."""
    target = options.target
    if target.kind == "fold" and target.n:
        for term in options.terms:
            term.check_k(target.n)
    if options.deal == "hash" and target.n > MAX_HASHED:
        raise StratError(above_limit(target.argument, MAX_HASHED, "fold", target.n))
    for is_broken, rule, hint in clashes(options):
        if is_broken:
            raise StratError(f"{rule}.\nHint: {hint}" if hint else f"{rule}.")


def clashes(options: Options) -> Iterator[tuple[object, str, str]]:
    """Yield, for each rule on combined arguments, whether it is broken, the rule, and a hint."""
    target = options.target
    deal = f'`deal="{options.deal}"`'
    in_order = options.deal in ("circular", "contiguous")
    rule = f"`sf.margins` cannot be combined with {deal}: margins have no row order"
    yield options.marginal and in_order, rule, ""
    rule = f"`sf.total` cannot be combined with {deal}: it swaps rows at random"
    yield in_order and any(term.evens_totals for term in options.terms), rule, "leave out `deal`."
    if options.deal == "contiguous":
        for term in options.terms:
            orders_by_value = term.orders_rows and term.without_order() is not None
            is_cut = orders_by_value or not term.uses_row_order
            rule = f"{deal} cannot be combined with `{term.function}`, which does not sort by value"
            yield not is_cut, rule, BY_VALUE
        rule = f"{deal} cannot be combined with `repeats={options.repeats}`: nothing is drawn"
        yield options.repeats > 1, rule, "leave out `repeats`, as all columns would be equal."
    if target.each is not None:
        yield from clashes_with_each(options)
    if options.deal == "hash":
        yield from clashes_with_hash(options)
    if options.groups:
        yield from clashes_with_groups(options)


def clashes_with_each(options: Options) -> Iterator[tuple[object, str, str]]:
    """Yield the rules on `each`, as above."""
    deal = f'`deal="{options.deal}"`'
    excluded: list[tuple[str, object, str]] = [
        ("`groups`", options.groups, "use shares in `parts`, which whole groups meet nearly."),
        ("`sf.margins`", options.marginal, "name the entries in a list, so that they nest."),
        (deal, options.deal in ("circular", "hash"), 'leave out `deal`, or use "contiguous".'),
        (f"`rare={options.rare!r}`", options.rare in ("null", "pool"), SMALL_STRATA),
    ]
    for term in options.terms:
        excluded.append((f"`{term.function}`", term.evens_totals, "use shares in `parts`."))
    for argument, is_broken, hint in excluded:
        rule = f"`each` cannot be combined with {argument}: it counts rows of each stratum"
        yield is_broken, rule, hint


def clashes_with_hash(options: Options) -> Iterator[tuple[object, str, str]]:
    """Yield the rules on `deal="hash"`, as above."""
    deal = '`deal="hash"`'
    alone = "a row's key alone decides where the row goes"
    excluded: list[tuple[str, object, str]] = [
        ("`by`", options.terms, hint_for_even_strata(options.key)),
        ("`groups`", options.groups, hint_for_hashed_groups(options.groups)),
        (f"`missing={options.missing!r}`", options.missing != "error", NO_MISSING_KEY),
        (f"`rare={options.rare!r}`", options.rare != "warn", NO_CLASSES),
    ]
    for argument, is_broken, hint in excluded:
        yield is_broken, f"{deal} cannot be combined with {argument}: {alone}", hint
    rule = f"{deal} needs a `key`, whose hash decides where a row goes"
    yield not options.key, rule, IDENTIFIED
    rule = f"{deal} takes shares in `parts`, not counts of rows: {alone}"
    has_counts = any(isinstance(share, int) for share in options.target.shares or ())
    yield has_counts, rule, UP_TO_CHANCE


def clashes_with_groups(options: Options) -> Iterator[tuple[object, str, str]]:
    """Yield the rules on `groups`, as above."""
    in_order = options.deal in ("circular", "contiguous")
    excluded: list[tuple[str, object, str]] = [
        (f'`deal="{options.deal}"`', in_order, "leave out `deal`."),
        ("`key`", options.key, hint_for_keyed_groups(options.groups)),
    ]
    for term in options.terms:
        excluded.append((f"`{term.function}`", term.without_order() is None, CLUSTERED))
    for argument, is_broken, hint in excluded:
        rule = f"`groups` cannot be combined with {argument}: whole groups are not assigned"
        yield is_broken, f"{rule} in row order", hint


MAX_HASHED = 1_000_000
"""The maximum number of folds with `deal="hash"`; every partition stores all cut points."""

SMALL_STRATA = "strata that are too small stay whole in the part that is None."
NO_MISSING_KEY = "`where` can leave out the rows without a key."
NO_CLASSES = "there are no classes without `by`."
IDENTIFIED = (
    "name the columns that identify a row or a unit, as in"
    ' `df.strat.kfold(key="user", deal="hash")`.'
)
UP_TO_CHANCE = 'shares, as in `parts={"train": 0.8, "test": 0.2}`, are met approximately.'
BY_VALUE = "`sf.continuous` orders rows by a column."
CLUSTERED = "`sf.clusters` with the same features defines strata."


def hint_for_even_strata(key: Sequence[ColumnRef]) -> str:
    """For a hash deal with `by`, suggest groups in place of the key, which balance strata."""
    if not key:
        return 'leave out `by`; or, for even strata, leave out `deal` and use `groups="user"`.'
    texts = list(map(format_reference, key))
    columns = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return f"leave out `by`; or, for even strata, write `groups={columns}` for `deal` and `key`."


def hint_for_hashed_groups(groups: Sequence[Term]) -> str:
    """For a hash deal with groups, suggest the columns of the groups as the key."""
    if not groups:
        return ""
    if any(term.uses_row_order or term.only_groups for term in groups):
        return "leave out `deal` and `key`."
    return f"`key={write_groups(groups)}` keeps the rows of a group together."


def hint_for_keyed_groups(groups: Sequence[Term]) -> str:
    """For a call with groups and a key, suggest omitting `key` or using the groups as the key."""
    if any(term.uses_row_order for term in groups):
        return "leave out `key`."
    hint = "leave out `key`, as folds of groups do not depend on the order of rows"
    if groups[0].only_groups:
        return f"{hint}."
    return (
        f"{hint}; or deal by a hash of the group, as in"
        f' `kfold(key={write_groups(groups)}, deal="hash")`.'
    )


def write_groups(groups: Sequence[Term]) -> str:
    """Write the groups of a call as code, with `...` for the arguments of clusters."""
    if groups[0].only_groups:
        return str(groups[0])
    texts = []
    for term in groups:
        if term.uses_row_order:
            texts.append(f"{term.function}(...)")
        else:
            texts.append(term.arguments())
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def fold_target(k: object) -> Target:
    return Target(check_int("k", k, 2))


def part_target(parts: object) -> Target:
    """Check `parts`, which is the share of `test`, or maps names to fractions or counts of rows."""
    if isinstance(parts, Real | Decimal | np.bool_) and not is_count(parts):
        share = plain_share(parts)
        if not 0 < share < 1 or isinstance(parts, bool | np.bool_):
            msg = f"`parts` must be a share between 0 and 1, got {describe(parts)}."
            raise StratError(msg)
        warn_large_test(share)
        return part_target({"train": None, "test": share})
    if not isinstance(parts, Mapping) or len(parts) < 2:
        msg = (
            "`parts` must map at least 2 names to their shares, got"
            f" {show_parts(parts)}.{part_hint(parts)}"
        )
        raise StratError(msg)
    if not all(isinstance(part, str) for part in parts):
        msg = f"The names of `parts` must be strings, got {show_parts(list(parts))}."
        raise StratError(msg)
    for part in parts:
        check_encodable("The names of `parts`", part)
    shares = read_shares({part: plain_share(share) for part, share in parts.items()})
    return Target(len(parts), "part", tuple(parts), shares)


PARTS = {"train": 0.8, "test": 0.2}
"""The default of `parts`, which is compared by identity, and is never changed."""


def each_target(each: object) -> Target:
    """Check `each`, the count of rows of each stratum in `test`, or a mapping of names to counts.

    Exactly one part has None, which stands for the rest.
    """
    if is_count(each):
        check_int("each", each, 1)
        return each_target({"train": None, "test": each})
    if not isinstance(each, Mapping) or not all(isinstance(part, str) for part in each):
        msg = (
            "`each` must be a number of rows of each stratum, or map names of parts to such"
            f" numbers, got {describe(each)}.{hint_at_each(each)}"
        )
        raise StratError(msg)
    for part in each:
        check_encodable("The names of `each`", part)
    counts = [count for count in each.values() if count is not None]
    if not counts or len(counts) != len(each) - 1:
        msg = (
            "`each` must map one part to None, which gets the rest, and the others to numbers of"
            f' rows of each stratum, got {show_parts(each)}.\nHint: `each={{"train": None, "valid":'
            ' 1, "test": 1}`.'
        )
        raise StratError(msg)
    if not all(is_count(count) for count in counts):
        msg = (
            f"`each` must hold numbers of rows, got {show_parts(each)}.\nHint: `parts` takes"
            " shares of each stratum."
        )
        raise StratError(msg)
    if not all(0 < count <= MAX_EACH for count in counts):
        msg = f"`each` must hold numbers from 1 to {MAX_EACH:,}, got {show_parts(each)}."
        raise StratError(msg)
    plain = tuple(None if count is None else int(count) for count in each.values())
    return Target(len(each), "part", tuple(each), each=plain)


MAX_EACH = 2**53
"""The maximum number of rows of each stratum, beyond which their sums could overflow."""


def hint_at_each(each: Any) -> str:
    """Suggest a share of the test part in `parts`, if `each` is one."""
    if isinstance(each, float) and 0 < each < 1:
        return f"\nHint: `parts={each}` is a share of each stratum."
    return ""


def either_target(parts: Any, each: Any) -> Target:
    """Check `parts` or, if it is given, `each`, which goes in its place."""
    if each is None:
        return part_target(parts)
    if parts is not None and parts is not PARTS:
        msg = "`each` goes in place of `parts`, got both."
        raise StratError(msg)
    return each_target(each)


def read_shares(parts: dict[str, Any]) -> tuple[Fraction | int | None, ...]:
    """Read the shares of named parts, which are all fractions or all counts, but for one None."""
    sizes = [share for share in parts.values() if share is not None]
    are_counts = all(is_count(size) for size in sizes)
    are_fractions = all(isinstance(size, Real) and not isinstance(size, Integral) for size in sizes)
    if len(sizes) < len(parts) - 1 or not (are_counts or are_fractions):
        msg = (
            "`parts` must be all fractions or all counts, with at most one None,"
            f" got {show_parts(parts)}."
        )
        raise StratError(msg)
    if not all(0 < size < math.inf for size in sizes):
        msg = f"`parts` must be finite and above zero, got {show_parts(parts)}."
        raise StratError(msg)
    if are_counts:
        return tuple(None if share is None else int(share) for share in parts.values())
    return exact_shares(parts)


def is_count(share: Any) -> TypeGuard[int]:
    """Return whether a share is a whole number, and therefore a count of rows."""
    return isinstance(share, Integral) and not isinstance(share, bool)


def warn_large_test(share: float) -> None:
    """Warn if the share of `test` exceeds one half, because it might be meant for `train`."""
    if share > 0.5:
        share = float(share)
        rest = round(1 - share, 12)
        warn(
            f"`parts={share}` is the share of `test`, and leaves {rest} for `train`.\nHint:"
            f' `parts={rest}`, or `parts={{"train": {share}, "test": {rest}}}`, trains on {share};'
            f' `parts={{"train": {rest}, "test": {share}}}` states that this is intended.'
        )


def show_parts(parts: object) -> str:
    return describe(parts, MAX_PARTS_SHOWN)


def part_hint(parts: Any) -> str:
    """Suggest a mapping for parts that are given as a list of shares or as a number of rows."""
    names = {2: ["train", "test"], 3: ["train", "valid", "test"]}
    if isinstance(parts, list | tuple) and len(parts) in names:
        if all(isinstance(share, Real) for share in parts):
            return f"\nHint: pass {show_parts(dict(zip(names[len(parts)], parts, strict=True)))}"
        return ""
    if is_count(parts):
        shown = f'{{"train": None, "test": {describe(int(parts))}}}'
        return f"\nHint: pass {shown} to test on that many rows, or pass a share below 1."
    return ""


SUM_ROUNDING = Fraction(1, 10**9)
"""The maximum difference between the sum of the shares and 1."""


def exact_shares(parts: dict[str, Any]) -> tuple[Fraction | None, ...]:
    """Convert shares to exact fractions that sum to 1, or to less if one part takes the rest.

    Each share is replaced with the nearest fraction that has a denominator of at most 10**6. If
    these fractions do not sum to 1, the given shares are divided by their sum instead.
    """
    exact = {
        part: Fraction(share if isinstance(share, Fraction) else float(share))
        for part, share in parts.items()
        if share is not None
    }
    if min(exact.values()) < Fraction(999_999, 10**12):  # 1e-6, with a tolerance for rounding
        msg = f"Each share in `parts` must be at least one millionth, got {show_parts(parts)}."
        raise StratError(msg)
    shares = {part: share.limit_denominator(10**6) for part, share in exact.items()}
    total = Fraction(sum(shares.values()))
    has_rest = len(exact) < len(parts)
    if not has_rest and total != 1:
        total = Fraction(sum(exact.values()))
        if abs(total - 1) <= SUM_ROUNDING:
            shares = {part: share / total for part, share in exact.items()}
            total = Fraction(1)
    if total > 1 or (total == 1) == has_rest:
        rule = "sum to 1"
        if has_rest:
            rule = "sum to less than 1, to leave a remainder"
        shown = "more than a billion"
        if total < 10**9:
            shown = f"{float(total):.12g}"
        msg = (
            f"`parts` must be fractions that {rule}, got {show_parts(parts)}, which sum to {shown}."
        )
        raise StratError(msg)
    return tuple(shares.get(part) for part in parts)
