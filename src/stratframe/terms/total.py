"""The term `sf.total`: columns of numbers, such as exposure, whose totals are balanced."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..core.types import Values
from ..errors import StratError, at_least_one
from ..frames import Rule
from .base import BoundTerm, ColumnRef, Missing, RowOrder, Term, value_order
from .features import finite_numbers, read_points
from .together import check_given_columns


@dataclass(frozen=True, eq=False, repr=False)
class Total(Term):
    """Columns whose totals are balanced across the parts by swapping rows after the deal."""

    function: ClassVar[str] = "sf.total"
    orders_rows: ClassVar[bool] = True
    evens_totals: ClassVar[bool] = True
    has_features: ClassVar[bool] = True

    def read(self, series: Sequence[Any]) -> BoundTerm:
        return read_points(self, series)

    def rules(self, missing: Missing) -> list[Rule]:
        return [finite_numbers(missing)] * len(self.columns)

    def row_order(self, data: Values) -> RowOrder | None:
        """Order rows by the column if there is only one, so that its total is nearly balanced."""
        return value_order(data[0]) if len(data) == 1 else None


def total(*columns: ColumnRef, name: Hashable | None = None) -> Total:
    """Give each part its share of the column totals, without changing the counts of rows.

    Use this term for weights or exposure. It must come last in `by`, and can occur only once.

    Parameters
    ----------
    *columns : column name, Polars expression, or callable that takes a pandas frame
        Numbers, without missing or infinite values.
    name : hashable, optional
        Not used, because totals have no column in result frames; every term accepts a name.

    Returns
    -------
    Total

    Raises
    ------
    StratError
        If no column is given, or a column is given twice.

    Notes
    -----
    Two rows of a stratum, or two groups with equal counts, are swapped as long as a swap reduces
    the sum of (total - target)**2 / target over all parts and columns.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"claim": [0, 0, 0, 0, 1, 1], "exposure": [9, 5, 4, 2, 7, 1]})
    >>> folded = df.strat.kfold(["claim", sf.total("exposure")], k=2)
    >>> folded.groupby("fold")[["claim", "exposure"]].sum().values.tolist()
    [[1, 14], [1, 14]]
    """
    if not columns:
        raise StratError(at_least_one("`sf.total`", "column", []))
    check_given_columns("sf.total", columns)
    return Total(columns, name=name)
