"""The arguments of a call, checked: strata and keys, folds or parts, policies, seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from ..checks import check_one_of, check_seed, check_int
from ..errors import StratError, plural
from ..frames import NewColumn
from ..terms.base import By, Chain, Nearest, Term
from ..terms.by import all_refs, margins_of, parse, parse_columns, parse_groups

Parts: TypeAlias = Mapping[str, float | None]


@dataclass(frozen=True)
class Deal:
    """The checked arguments of one call, all but the frame."""

    terms: tuple[Term, ...]
    groups: tuple[Term, ...]
    key: tuple[Any, ...]
    k: int
    """Folds, or parts."""
    parts: dict[str, Fraction | int | None] | None
    """Fractions or counts of rows by name; None for folds."""
    circular: bool
    missing: str
    rare: str
    repeats: int
    seed: int
    name: str

    @property
    def columns(self) -> list[Any]:
        """The columns of the terms."""
        return all_refs(self.terms)

    @property
    def group_columns(self) -> list[Any]:
        """The columns of the groups."""
        return all_refs(self.groups)

    @property
    def strata_columns(self) -> list[Any]:
        """The columns of the terms, then those of the groups."""
        return [*self.columns, *self.group_columns]

    @property
    def refs(self) -> list[Any]:
        """The columns that the deal reads: strata, groups, then keys."""
        return [*self.strata_columns, *self.key]

    @property
    def outputs(self) -> list[NewColumn]:
        """The columns that the deal makes, yet without rows."""
        nullable = "null" in (self.missing, self.rare)
        labels = None if self.parts is None else tuple(self.parts)
        names = [f"{self.name}_{i + 1}" for i in range(self.repeats)]
        return [
            NewColumn(name, np.empty(0, dtype=np.int64), labels, nullable)
            for name in (names if self.repeats > 1 else [self.name])
        ]


def shares_of(parts: Mapping[str, Fraction | int | None], n_rows: int) -> list[Fraction]:
    """Turn parts into fractions of the rows dealt."""
    given = [Fraction(share) for share in parts.values() if share is not None]
    if any(isinstance(share, Fraction) for share in parts.values()):
        rest = 1 - sum(given, Fraction(0))
        return [rest if share is None else Fraction(share) for share in parts.values()]
    total = int(sum(given))
    if total > n_rows or (total == n_rows) == (None in parts.values()):
        msg = (
            f"`parts` must count the rows dealt, got {total:,} for {plural(n_rows, 'row')}."
            "\nHint: one part may be None, which takes the rest; it must be at least 1 row."
        )
        raise StratError(msg)
    counts = [n_rows - total if share is None else int(share) for share in parts.values()]
    return [Fraction(count, n_rows) for count in counts]


def deal_of(
    by: By | None,
    k: object,
    parts: dict[str, Fraction | int | None] | None,
    *,
    groups: Any = None,
    deal: str = "random",
    key: Any = None,
    missing: str = "error",
    rare: str = "warn",
    repeats: object = 1,
    seed: object = 0,
    name: object = "fold",
) -> Deal:
    """Check the arguments of a call."""
    terms, together = parse(by), parse_groups(groups)
    keys = parse_columns("key", key)
    folds = check_int("k", k, 2) if parts is None else len(parts)
    may_be_missing = ("error", "stratum", "null") if parts is None else ("error", "stratum")
    check_blocks(terms, folds if parts is None else None)
    check_one_of("deal", deal, ("random", "circular"))
    check_whole(terms, together, keys, deal)
    if margins_of(terms) and deal == "circular":
        msg = '`sf.margins` must stand without `deal="circular"`: it follows no order.'
        raise StratError(msg)
    check_one_of("missing", missing, may_be_missing)
    check_one_of("rare", rare, ("warn", "error", "null", "ignore"))
    if not isinstance(name, str) or not name:
        msg = f"`name` must be a string that is not empty, got {name!r}."
        raise StratError(msg)
    return Deal(
        terms=terms,
        groups=together,
        key=keys,
        k=folds,
        parts=parts,
        circular=deal == "circular",
        missing=missing,
        rare=rare,
        repeats=check_int("repeats", repeats, 1),
        seed=check_seed(seed),
        name=name,
    )


def check_whole(
    terms: Sequence[Term], groups: Sequence[Term], keys: Sequence[Any], deal: str
) -> None:
    """Refuse what whole groups cannot be combined with."""
    if not groups:
        return
    clash = {
        '`deal="circular"`': deal == "circular",
        "`key`": bool(keys),
        "`sf.chain`": any(isinstance(term, Chain) for term in terms),
        "`sf.nearest`": any(isinstance(term, Nearest) for term in terms),
    }
    for argument, given in clash.items():
        if given:
            msg = f"`groups` must stand without {argument}: whole groups are dealt in no order."
            raise StratError(msg)


def check_blocks(terms: Sequence[Term], k: int | None) -> None:
    """Refuse blocks of neighbours of another size than the number of folds."""
    for term in terms:
        if k is not None and isinstance(term, Nearest) and term.block not in (None, k):
            msg = (
                f"`block` of `sf.nearest` must be `k` in folds, got {term.block} for {k} folds."
                "\nHint: leave it out; it is for `split` and `sample`."
            )
            raise StratError(msg)


def fraction_of(share: Any) -> Fraction:
    """Turn a share into the simple fraction that it stands for."""
    exact = share if isinstance(share, int | Fraction) else float(share)
    return Fraction(exact).limit_denominator(10**6)


def check_parts(parts: object) -> dict[str, Fraction | int | None]:
    """Check the parts of a split: fractions that sum to 1, or counts."""
    if not isinstance(parts, Mapping) or len(parts) < 2:
        msg = f"`parts` must map at least 2 names to their shares, got {parts!r}."
        raise StratError(msg)
    if not all(isinstance(part, str) for part in parts):
        msg = f"The names of `parts` must be strings, got {list(parts)!r}."
        raise StratError(msg)
    given = [share for share in parts.values() if share is not None]
    counts = [isinstance(share, Integral) and not isinstance(share, bool) for share in given]
    reals = [isinstance(share, Real) and not isinstance(share, Integral) for share in given]
    if len(given) < len(parts) - 1 or not (all(counts) or all(reals)):
        msg = (
            "`parts` must be all fractions or all counts, with at most one None,"
            f" got {dict(parts)!r}."
        )
        raise StratError(msg)
    if not all(isfinite(share) and share > 0 for share in given):
        msg = f"`parts` must be finite and above zero, got {dict(parts)!r}."
        raise StratError(msg)
    if all(counts):
        return {part: None if n is None else int(n) for part, n in parts.items()}
    shares: dict[str, Fraction | int | None] = {
        part: None if share is None else fraction_of(share) for part, share in parts.items()
    }
    if 0 in shares.values():
        msg = f"`parts` must be at least one millionth, got {dict(parts)!r}."
        raise StratError(msg)
    total = sum(share for share in shares.values() if share is not None)
    if total > 1 or (total == 1) == (None in shares.values()):
        msg = (
            f"`parts` must be fractions that sum to 1, got {dict(parts)!r},"
            f" which sum to {float(total):.12g}."
        )
        raise StratError(msg)
    return shares
