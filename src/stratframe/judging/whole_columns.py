"""Find columns whose values folds keep whole, although the call does not name groups.

Each value of such a column is in one fold, which chance cannot explain. Either the folds are made
of whole groups, or each fold is one value of the column: a site. If nearly all values are whole,
the others are torn groups, which leak.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from math import log
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import frames
from ..core.chance import log_factorial
from ..core.strata import count_pairs
from ..core.types import Ints, Values
from ..errors import StratError, describe
from ..frames import FoldValues
from .candidates import LEAST_REPEATED, Candidate, names_folds, words_of
from .ids import is_id
from .labels import are_numbered, noun_of
from .lines import Finding, is_or_are, write_finding
from .sizes import look_dealt

Wholeness: TypeAlias = Literal["whole", "torn"]

LOG_RARELY = log(1e-6)
"""The logarithm of the chance below which a shuffle does not explain that values are whole."""

RARELY_AT_BORDERS = 0.01
"""The chance below which luck does not explain that the borders of blocks cut no value."""

BLOCK_CHANGES = 3
"""The folds lie in blocks if the fold changes at most this many times per fold in file order."""

MOSTLY_WHOLE = 0.95
"""The least share of the repeated values that are whole where the others are torn groups."""

OFTEN_SPLIT = 0.25
"""If more than this share of the repeated values of a sample, and more than one, are split, the
column is neither whole nor torn."""

MANY_SPLIT = 10
"""The same holds if more than this number and twice the share of torn values are split."""

MANY_TORN = 0.1
"""Few rows show that a column is neither whole nor torn if split values have more of them."""

ALIKE = 0.02
"""Sites have sizes that differ from their mean by more than this; those of dealt folds do not."""

ARM_NAME = re.compile(
    r"(?<![a-z])(arms?|treat\w*|trt|groups?|variants?|assign\w*|conditions?|cohort)(?![a-z])",
    re.IGNORECASE,
)
"""A pattern for the names of the arms of an experiment, which should be balanced, unlike sites."""


class SplitValues(NamedTuple):
    """The values of a column in the rows that have a fold; each array has the shape (n_values,)."""

    sizes: Ints
    """The number of rows with each value; values without rows are left out."""
    n_folds: Ints
    """The number of folds that hold each value."""

    @property
    def n_split(self) -> int:
        return int((self.n_folds > 1).sum())

    @property
    def n_repeated(self) -> int:
        return int((self.sizes > 1).sum())


# Chance -----------------------------------------------------------------------------------


def count_split(codes: Ints, folds: Ints) -> SplitValues:
    """Count the rows and the folds of each value, without the rows whose code or fold is -1."""
    rows = (codes >= 0) & (folds >= 0)
    sets, cell_sizes = frames.duplicates.count_folds_of_sets(codes[rows], folds[rows])
    sizes = np.bincount(sets, cell_sizes).astype(np.int64)
    n_folds = np.bincount(sets)
    return SplitValues(sizes[sizes > 0], n_folds[sizes > 0])


def log_chances_whole(sizes: Ints, fold_sizes: Ints) -> Values:
    """Return the logarithms of the chances that g rows are in one fold, for each g of `sizes`.

    In a shuffle, all g rows are in fold f with the hypergeometric probability C(n_f, g) / C(n, g).
    """
    totals = fold_sizes[fold_sizes > 0][:, None]
    n = fold_sizes.sum()
    fits = sizes <= totals
    rest = np.maximum(totals - sizes, 0)
    logs = log_factorial(totals) - log_factorial(rest) - log_factorial(n) + log_factorial(n - sizes)
    logs = np.where(fits, logs, -np.inf)
    highest = logs.max(axis=0)
    shifted = np.where(fits, logs - np.where(np.isfinite(highest), highest, 0), -np.inf)
    with np.errstate(divide="ignore"):
        chances: Values = highest + np.log(np.exp(shifted).sum(axis=0))
    return chances


def log_chance_of_whole(sizes: Ints, fold_sizes: Ints) -> float:
    """Return the logarithm of the chance that a shuffle keeps all values of these sizes whole.

    Values are taken to be independent of each other.
    """
    distinct, times = np.unique(sizes[sizes > 1], return_counts=True)
    return float(np.sum(times * log_chances_whole(distinct, fold_sizes)))


def log_chance_of_torn(split: SplitValues, fold_sizes: Ints) -> float:
    """Bound the chance that a shuffle keeps as many of the repeated values whole.

    Source: Chernoff (1952); for a sum of indicators with mean e, the chance of w > e or more is at
    most exp(w - e - w log(w / e)).
    """
    distinct, times = np.unique(split.sizes[split.sizes > 1], return_counts=True)
    expected = float(np.sum(times * np.exp(log_chances_whole(distinct, fold_sizes))))
    n_whole = split.n_repeated - split.n_split
    if n_whole <= expected:
        return 0.0
    if not expected:
        return -np.inf
    return n_whole - expected - n_whole * log(n_whole / expected)


def count_changes(codes: Ints) -> int:
    return int(np.count_nonzero(codes[1:] != codes[:-1]))


def lie_in_blocks(folds: Ints) -> bool:
    """Return whether the rows of each fold lie in few stretches of the file; -1 means no fold."""
    own = folds[folds >= 0]
    k = int(np.count_nonzero(np.bincount(own)))
    return count_changes(own) <= BLOCK_CHANGES * k


def chance_at_borders(codes: Ints, folds: Ints) -> float:
    """Return the chance that all changes of fold are where the value changes, too, by luck."""
    rows = (codes >= 0) & (folds >= 0)
    n_pairs = np.count_nonzero(rows) - 1
    if n_pairs < 1:
        return 1.0
    share = count_changes(codes[rows]) / n_pairs
    return float(share ** count_changes(folds[rows]))


def judge_values(
    codes: Ints, folds: Ints, fold_sizes: Ints
) -> tuple[Wholeness | None, SplitValues]:
    """Judge whether folds keep the values of a column whole, all or nearly all of them.

    Sorted values look whole if folds are blocks of rows, so that the borders count there.
    """
    split = count_split(codes, folds)
    n_values = len(split.sizes)
    k = int(np.count_nonzero(fold_sizes))
    if n_values < max(k, 2) or not split.n_repeated:
        return None, split
    if split.n_split > (1 - MOSTLY_WHOLE) * split.n_repeated:
        return None, split
    if split.n_split:
        is_torn = log_chance_of_torn(split, fold_sizes) < LOG_RARELY
        return "torn" if is_torn else None, split
    is_whole = log_chance_of_whole(split.sizes, fold_sizes) < LOG_RARELY
    if is_whole and lie_in_blocks(folds):
        is_whole = chance_at_borders(codes, folds) < RARELY_AT_BORDERS
    return "whole" if is_whole else None, split


def rule_out(split: SplitValues) -> bool:
    """Return whether a sample of rows shows that a column is neither whole nor torn."""
    n_values = len(split.sizes)
    if n_values < LEAST_REPEATED:  # two large values can be whole
        return split.n_split == n_values
    if split.n_repeated < LEAST_REPEATED:
        return True
    is_often_split = split.n_split > max(1, OFTEN_SPLIT * split.n_repeated)
    most_torn = MANY_SPLIT + 2 * (1 - MOSTLY_WHOLE) * split.n_repeated
    return is_often_split or split.n_split > most_torn


def are_mostly_split(split: SplitValues) -> bool:
    """Return whether few rows already show that a column is neither whole nor torn.

    More than half of its repeated values are split, which are all values or have many rows: a few
    torn groups can be so large that nearly all repeated values of few rows are theirs.
    """
    if 2 * split.n_split <= split.n_repeated:
        return False
    has_many_rows = split.sizes[split.n_folds > 1].sum() > MANY_TORN * split.sizes.sum()
    is_enough = split.n_split > LEAST_REPEATED and has_many_rows
    return bool(is_enough or split.n_split == len(split.sizes))


def determines(codes: Ints, others: Ints) -> bool:
    """Return whether all rows with the same code have the same other code; -1 is left out."""
    known = codes >= 0
    return not count_split(codes[known], others[known] + 1).n_split


def cuts_once(values: Values, folds: Ints) -> bool:
    """Return whether the folds are intervals of the values, which share at most their ends."""
    own = folds[folds >= 0]
    order = np.lexsort((own, values[folds >= 0]))
    n_intervals = count_changes(own[order]) + 1
    return n_intervals == np.count_nonzero(np.bincount(own))


# Columns ----------------------------------------------------------------------------------


class WholeColumn(NamedTuple):
    """A candidate whose values folds keep whole, all or nearly all of them."""

    candidate: Candidate
    split: SplitValues
    wholeness: Wholeness

    @property
    def n_values(self) -> int:
        return len(self.split.sizes)

    @property
    def n_pairs(self) -> int:
        """The number of pairs of rows with the same value."""
        return count_pairs(self.split.sizes)


def find_whole_columns(
    candidates: Sequence[Candidate], coarser: Sequence[Candidate], folds: Ints, fold_sizes: Ints
) -> list[WholeColumn]:
    """List the candidates that folds keep whole or nearly whole.

    Functions of the columns `coarser`, the entries of `by`, are left out: rows that `by` spreads
    over the folds cannot belong together.
    """
    n = int(fold_sizes.sum())
    dealt = folds >= 0
    found = []
    for candidate in candidates:
        if is_ruled_out(candidate, folds) or not candidate.is_known_in(dealt):
            continue
        if candidate.classes is None:
            continue
        codes, n_values = candidate.classes
        if n_values < 2:
            continue
        wholeness, split = judge_values(codes, folds, fold_sizes)
        if wholeness is None or (wholeness == "torn" and candidate.has_fractions):
            continue
        if not any(is_function(candidate, each, n) for each in coarser):
            found.append(WholeColumn(candidate, split, wholeness))
    return found


def is_ruled_out(candidate: Candidate, folds: Ints) -> bool:
    """Return whether few rows of a candidate show that folds do not keep its values whole."""
    if candidate.sample.has_all:
        return candidate.classes is None
    if candidate.hardly_repeats or candidate.first_codes is None:
        return True
    if are_mostly_split(count_split(candidate.first_codes, folds[candidate.sample.first_rows])):
        return True
    codes = candidate.sampled_codes
    return codes is None or rule_out(count_split(codes, folds[candidate.sample.rows]))


def is_function(candidate: Candidate, entry: Candidate, n: int) -> bool:
    """Return whether each value of an entry of `by`, of which rows share some, gives the value."""
    if candidate.classes is None or entry.classes is None:
        return False
    codes, n_values = entry.classes
    return n_values <= n / 2 and determines(codes, candidate.classes[0])


# Sites ------------------------------------------------------------------------------------


def are_sites(name: Any, labels: FoldValues) -> bool:
    """Return whether a fold column is a column of values, such as sites, by its name and labels."""
    if len(labels.present) < 3 or names_folds(name) or ARM_NAME.search(words_of(name)):
        return False
    if has_purposes(labels):
        return False
    sizes = np.array([size for size in labels.sizes if size])
    return not are_numbered(labels) or is_id(name) or not look_dealt(sizes)


def has_purposes(labels: FoldValues) -> bool:
    return bool((frames.purposes_of(labels.present) < len(frames.PURPOSES)).any())


def is_site(column: WholeColumn, labels: FoldValues) -> bool:
    """Return whether each fold is one value of a whole column, and no deal made its size."""
    if column.wholeness != "whole" or column.n_values != len(labels.present):
        return False
    if column.n_values < 3 or has_purposes(labels):
        return False
    sizes = [size for size in labels.sizes if size]
    return max(sizes) - min(sizes) > max(1, ALIKE * sum(sizes) / len(sizes))


# Findings ---------------------------------------------------------------------------------


class Grouping(NamedTuple):
    """What the columns of a frame tell of the groups from which folds were made."""

    site: Any = None
    """The column of which each fold is one value, if any."""
    whole: WholeColumn | None = None
    """The column whose values are kept whole, if any."""
    torn: WholeColumn | None = None
    """The column of which nearly all values are kept whole, if any."""

    @property
    def is_known(self) -> bool:
        return self != Grouping()


def find_grouping(
    columns: Sequence[WholeColumn], name: Any, labels: FoldValues, *, is_ordered: bool
) -> Grouping:
    """Choose the column that explains the folds: sites first, then the coarsest whole column.

    Where `is_ordered`, the parts follow each other in time, and that explains what they keep whole.
    """
    if are_sites(name, labels):
        return Grouping(site=name)
    for column in columns:
        if is_site(column, labels):
            return Grouping(site=column.candidate.label)
    k = len(labels.present)
    whole = [each for each in columns if each.wholeness == "whole" and each.n_values > k]
    if whole:
        return Grouping(whole=min(whole, key=lambda each: each.n_values))
    torn = [each for each in columns if each.wholeness == "torn"]
    if torn and not is_ordered:
        return Grouping(torn=min(torn, key=lambda each: (each.split.n_split, each.n_values)))
    return Grouping()


def write_grouping(grouping: Grouping, labels: FoldValues, folds: Ints) -> list[Finding]:
    if grouping.site is not None:
        return [write_site(grouping.site, labels)]
    if grouping.whole is not None:
        return [write_whole(grouping.whole, labels)]
    if grouping.torn is not None:
        return [write_torn(grouping.torn, labels, folds)]
    return []


def write_site(label: Any, labels: FoldValues) -> Finding:
    text = "groups: each fold is one {site}"
    return write_finding("ok", "groups", len(labels.present), text, site=describe(label))


def write_whole(column: WholeColumn, labels: FoldValues) -> Finding:
    n, fold = column.n_values, noun_of(labels)
    text = f"groups: {fold}s keep {{id}} whole ({n:,} values)"
    tail = ", judged as groups={id}"
    return write_finding("ok", "groups", n, text, tail, id=describe(column.candidate.label))


def write_torn(column: WholeColumn, labels: FoldValues, folds: Ints) -> Finding:
    n, fold = column.split.n_split, noun_of(labels)
    counts = f"{n:,} of {column.n_values:,} values of {{id}} {is_or_are(n)}"
    id_ = describe(column.candidate.label)
    if lie_in_blocks(folds) or is_cut_once(column, labels, folds):
        text = f"{counts} cut at borders of {fold}s"
        tails = "; if their rows belong together, pass groups={id}", "; groups={id}?"
        return write_finding("note", "groups", n, text, *tails, id=id_).as_question()
    text = f"{counts} in several {fold}s, all others in one"
    tail = "; if their rows do not belong together, pass groups=False"
    return write_finding("leak", "groups", n, text, tail, "; or groups=False", id=id_)


def is_cut_once(column: WholeColumn, labels: FoldValues, folds: Ints) -> bool:
    """Return whether the folds are intervals of the column's numbers or times."""
    series = column.candidate.series
    if column.split.n_split >= len(labels.present) or not frames.is_measured(series):
        return False
    with suppress(StratError):  # raised for times of several zones, for example
        values, is_missing = frames.read_times(series)
        return cuts_once(values, np.where(is_missing, -1, folds))
    return False
