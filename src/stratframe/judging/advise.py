"""Compare numbers of folds before any fold is made: `advise`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .. import frames, theory
from ..checks import check_flag, check_ks
from ..core.evenness import group_rows, tells_order
from ..core.types import Flags, Ints, Values
from ..errors import StratError, describe
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.nest import Strata
from ..terms.base import By
from ..terms.by import parse_groups
from ..theory.arguments import MAX_EXACT
from ..verbs.door import any_frame
from ..verbs.result_tables import rounded_column, stratum_names, table_order, table_verb, text_array
from ..verbs.sources import source_of
from .balance import Verdict

MOST_FOLDS = 10
"""The number of folds beyond which more folds cost time and hardly change a score."""


@table_verb
@suggest_arguments
@any_frame()
def advise(
    frame: AnyFrame,
    by: By,
    ks: int | Iterable[int] = range(2, 21),
    *,
    groups: Any = None,
    full: bool = False,
) -> Any:
    """Report how even folds would be for each k, and how many folds must lack the rarest stratum.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by : entry or list of entries
        As for `report`. Missing values form a stratum of their own. A continuous entry is cut
        into the bins that `report` uses for two folds.
    ks : int or iterable of int
        Numbers of folds, each at least 2.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        As for `kfold`. The rarest stratum is then the one that occurs in the fewest groups. A row
        without a group forms a group of its own; on Dask and Spark frames, it raises an error.
    full : bool
        Whether to add the columns from `fold_size` to `ratio`.

    Returns
    -------
    pandas.DataFrame (also for Dask and Spark frames) or polars.DataFrame
        One row per k. `verdict` is the verdict that `report` would give on the folds of `kfold`:
        "empty" if there are fewer rows or groups than folds; "not judged" if `by` has only
        `sf.chain`, `sf.nearest` or `sf.total`; "too few rows" if there are too few rows to tell how
        evenly a continuous entry is spread; "as even as a shuffle" (or better) with groups or
        margins; otherwise "even". `rarest` is the stratum with the fewest rows; `per_fold` is its
        mean number of rows per fold; `lacking` is the number of folds that must lack this stratum;
        `choice` is True for the k to choose: the largest k of at most 10 at which `lacking` is 0
        or, without any, the k that lacks least, of equals the smallest; a k whose verdict is
        "empty" is never chosen. The columns that `full` adds are `fold_size`, the mean number of
        rows in a fold; `probability_any_missing`, the probability that a plain k-fold split of rows
        or whole groups leaves at least one fold without the rarest stratum; `variance_random` and
        `variance_stratified`, the variances of the rarest stratum's share of the rows in a fold,
        with a plain k-fold split and with `kfold` without a key; and `ratio`, the second variance
        divided by the first. All figures but `lacking` are missing if the verdict is "empty". Both
        variances are missing with groups; `variance_stratified` is also missing with margins, with
        continuous entries, and on Dask and Spark frames, where `kfold` needs a key.

    Raises
    ------
    StratError
        If `by` or `groups` is invalid, or if a k is not a whole number from 2 to 2**53.

    See Also
    --------
    stratframe.theory : The formulas for these figures.

    References
    ----------
    Kohavi (1995), A study of cross-validation and bootstrap for accuracy estimation and model
    selection, recommends ten stratified folds.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a"] * 90 + ["b"] * 10})
    >>> sf.advise(df, "label", [5, 20])
        k verdict rarest  per_fold  lacking  choice
    0   5    even      b       2.0        0    True
    1  20    even      b       0.5       10   False
    """
    wanted = check_ks("ks", ks)
    in_full = check_flag("full", full)
    if max(wanted, default=0) > MAX_EXACT:
        msg = f"`ks` must be at most 2**53, got {describe(max(wanted))}."
        raise StratError(msg)
    source = source_of(frame)
    library = source.library
    strata = source.strata(by, parse_groups(groups))
    k = np.array(wanted if strata.n_rows else [], dtype=np.int64)
    n_units = count_units(strata)
    suffices = k <= n_units
    rarest = find_rarest(strata)
    lacking = np.maximum(k - rarest.n_units, 0)
    table: dict[Hashable, Any] = {
        "k": k,
        "verdict": text_array(list_verdicts(strata, k, suffices)),
        "rarest": text_array([rarest.name] * len(k)),
        "per_fold": rounded_column(library, np.where(suffices, rarest.n_rows / k, np.nan)),
        "lacking": lacking,
        "choice": choose_k(k, lacking, suffices),
    }
    if in_full:
        fold_size = np.where(suffices, strata.n_rows / k, np.nan)
        table["fold_size"] = rounded_column(library, fold_size)
        chances = compute_chances(strata, rarest, k[suffices], n_units, source.ranks_by_position)
        for name, figures in chances.items():
            of_all = np.full(len(k), np.nan)
            of_all[suffices] = figures
            table[name] = frames.float_column(library, of_all)
    return frames.make_frame(library, table)


class Rarest(NamedTuple):
    """The stratum that occurs in the fewest units. A unit is a group, or a row without groups."""

    name: str
    n_rows: int
    n_units: int
    n_before: int
    """The number of rows in all earlier strata."""


def has_bins(strata: Strata) -> bool:
    """Return whether an entry cuts the order of a column."""
    return any(level.cells is not None for level in strata.levels)


def count_units(strata: Strata) -> int:
    """Count the units that are dealt whole: the groups, or the rows without groups."""
    groups = strata.dealt.group
    return strata.n_rows if groups is None else int(groups.max(initial=-1)) + 1


def list_verdicts(strata: Strata, k: Ints, suffices: Flags) -> list[str]:
    """List the verdicts that `report` would give on folds of each k."""
    has_groups = strata.dealt.group is not None
    dealt: Verdict = "even"
    if has_groups or strata.margins:
        dealt = "as even as a shuffle"
    if not (strata.levels or strata.margins):
        dealt = "not judged"
    verdicts = np.where(suffices, dealt, "empty").astype(object)
    if has_bins(strata) and not has_groups:
        n_rows = strata.n_rows
        verdicts[suffices & ~tells_order(n_rows, k, n_rows**2 / k)] = "too few rows"
    found: list[str] = verdicts.tolist()
    return found


def compute_chances(
    strata: Strata, rarest: Rarest, k: Ints, n_units: int, ranks_by_position: bool
) -> dict[str, Values]:
    """Compute the columns from `probability_any_missing` on, each of shape (n_ks,)."""
    n_rows = strata.n_rows
    has_groups = strata.dealt.group is not None
    unknown = np.full(len(k), np.nan)
    missing = random = dealt = unknown
    if len(k):
        missing = theory.probability_any_missing(n_units, rarest.n_units, k)
    if len(k) and not has_groups:
        random = theory.variance_random(n_rows, k, rarest.n_rows / n_rows)
    if not has_groups and ranks_by_position and not (has_bins(strata) or strata.margins):
        dealt = np.array([variance_dealt(n_rows, rarest, each) for each in k.tolist()])
    ratio = np.divide(dealt, random, out=unknown.copy(), where=random > 0)
    return {
        "probability_any_missing": missing,
        "variance_random": random,
        "variance_stratified": dealt,
        "ratio": ratio,
    }


def choose_k(k: Ints, lacking: Ints, suffices: Flags) -> Flags:
    """Flag the k to choose, if any k has enough rows or groups; shape (n_ks,)."""
    is_choice = np.zeros(len(k), dtype=np.bool_)
    whole = np.flatnonzero(suffices & (lacking == 0) & (k <= MOST_FOLDS))
    if len(whole):
        is_choice[whole[np.argmax(k[whole])]] = True
        return is_choice
    possible = np.flatnonzero(suffices)
    if len(possible):
        is_choice[possible[np.lexsort((k[possible], lacking[possible]))[0]]] = True
    return is_choice


def find_rarest(strata: Strata) -> Rarest:
    """Find the stratum that occurs in the fewest units; ties are broken by the number of rows."""
    if not strata.n_rows:
        return Rarest("", 0, 0, 0)
    levels = strata.margins or [strata]
    found = [rarest_of_level(level, strata.dealt.group, len(levels) > 1) for level in levels]
    return min(found, key=lambda each: (each.n_units, each.n_rows))


def rarest_of_level(level: Strata, groups: Ints | None, with_entry: bool) -> Rarest:
    """Find the rarest stratum of one margin, or of all entries together."""
    n_units = level.sizes
    if groups is not None:
        n_units = group_rows(level.codes, groups, None, len(level.sizes)).n
    order = table_order(level)
    place = order[np.lexsort((level.sizes[order], n_units[order]))[:1]]
    (name,) = stratum_names(level, place, with_entry=with_entry)
    stratum = int(place[0])
    n_before = int(level.sizes[:stratum].sum())
    return Rarest(name, int(level.sizes[stratum]), int(n_units[stratum]), n_before)


def variance_dealt(n_rows: int, rarest: Rarest, k: int) -> float:
    """Compute the variance, over folds, of a stratum's share of a fold if rows are dealt in turn.

    The rows of one stratum after another go to folds 0, ..., k - 1, 0, ..., as in `equal_quota`.
    """
    size, larger = divmod(n_rows, k)
    rows, more = divmod(rarest.n_rows, k)
    start = rarest.n_before % k
    # A fold can get an extra row of the stratum, an extra row in total, both or neither.
    both = max(min(start + more, larger) - start, 0) + max(min(start + more - k, larger), 0)
    seats = np.array([both, more - both, larger - both, k - more - larger + both])
    shares = np.array(
        [(rows + 1) / (size + 1), (rows + 1) / max(size, 1), rows / (size + 1), rows / max(size, 1)]
    )
    mean = seats @ shares / k
    return float(seats @ (shares - mean) ** 2 / k)
