"""Terms that order rows by nearest neighbours: in a chain (DB-SCV) or in blocks (DOB-SCV)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ..checks import check_int
from ..core.neighbour_order import nearest_order
from ..core.points import feature_scaling
from ..core.types import Ints, Values, Words
from ..errors import StratError, describe
from ..progress import progress_bar
from .base import ColumnRef, RowOrder
from .features import FeatureTerm, Scale, feature_refs


@dataclass(frozen=True, eq=False, repr=False)
class Chain(FeatureTerm):
    """Features that order the rows of each stratum in a chain of nearest neighbours."""

    function: ClassVar[str] = "sf.chain"
    orders_rows: ClassVar[bool] = True

    def without_order(self) -> None:
        """Return None, because no other term can replace the order."""

    def rows_per_block(self, share: Fraction) -> int | None:
        """Return the number of rows in a block; None if all rows form a chain."""
        return None

    def row_order(self, data: Values) -> RowOrder:
        def sort(codes: Ints, n_codes: int, words: Words, share: Fraction) -> Ints:
            block = self.rows_per_block(share)
            with progress_bar(len(codes), "Nearest rows") as progress:
                features = feature_scaling(data, self.scale)
                return nearest_order(codes, n_codes, features, block, words, progress)

        return RowOrder(sort, starts_at_random=True)


@dataclass(frozen=True, eq=False, repr=False)
class Nearest(Chain):
    """Features that order the rows of each stratum in blocks of nearest neighbours."""

    function: ClassVar[str] = "sf.nearest"

    block: int | None

    def check_k(self, k: int) -> None:
        if self.block not in (None, k):
            msg = (
                f"`block` of `sf.nearest` must equal `k`, got {describe(self.block)} for"
                f" {describe(k)} folds."
                "\nHint: leave out `block`, which is meant for `split` and `sample`."
            )
            raise StratError(msg)

    def rows_per_block(self, share: Fraction) -> int:
        """Return `block` if it is given; otherwise 1 / share, rounded, but at least 2."""
        return self.block or max(round(1 / share), 2)

    def row_order(self, data: Values) -> RowOrder:
        """Order the rows block by block; only the last block can be incomplete."""
        return super().row_order(data)._replace(spread_leftover=False)


def chain(
    features: ColumnRef | Sequence[ColumnRef],
    *,
    scale: Scale = "standard",
    name: Hashable | None = None,
) -> Chain:
    """Order rows by a chain of nearest neighbours so that neighbours go to different folds.

    Within each stratum, the chain starts from a random row, and always continues with the nearest
    row that is not yet in the chain. This is the order of distribution-balanced stratified
    cross-validation (DB-SCV). The term must come last in `by`, and can occur only once.

    Parameters
    ----------
    features, scale
        As for `sf.clusters`.
    name : hashable, optional
        Not used, because an order has no column in result frames; every term accepts a name.

    Returns
    -------
    Chain

    Raises
    ------
    StratError
        If an argument is invalid.

    References
    ----------
    Zeng and Martinez (2000), Distribution-balanced stratified cross-validation for
    accuracy estimation.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [0, 10, 1, 11, 2, 12]})
    >>> df.strat.kfold(sf.chain("x"), k=3, deal="circular")["fold"].tolist()
    [2, 0, 1, 1, 0, 2]
    """
    return Chain(feature_refs("sf.chain", features), scale, name=name)


def nearest(
    features: ColumnRef | Sequence[ColumnRef],
    block: int | None = None,
    *,
    scale: Scale = "standard",
    name: Hashable | None = None,
) -> Nearest:
    """Order rows by blocks of nearest neighbours so that neighbours go to different folds.

    Within each stratum, a random row and the rows nearest to it form a block, with one row for each
    fold. The next block is formed in the same way from the remaining rows. This is the order of
    distribution optimally balanced stratified cross-validation (DOB-SCV). The term must come last
    in `by`, and can occur only once.

    Parameters
    ----------
    features, scale
        As for `sf.clusters`.
    block : int, optional
        Number of rows in a block, at least 2. The default is `k`; in `split` and `sample`, it is
        the inverse of the smallest share of a part, rounded to a whole number.
    name : hashable, optional
        Not used, because an order has no column in result frames; every term accepts a name.

    Returns
    -------
    Nearest

    Raises
    ------
    StratError
        If an argument is invalid.

    References
    ----------
    Moreno-Torres, Saez and Herrera (2012), Study on the impact of partition-induced
    dataset shift on k-fold cross-validation.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [0, 10, 1, 11, 20, 21]})
    >>> df.strat.kfold(sf.nearest("x"), k=2)["fold"].tolist()
    [1, 1, 0, 0, 0, 1]
    """
    size = None if block is None else check_int("block", block, 2)
    return Nearest(feature_refs("sf.nearest", features), scale, size, name=name)
