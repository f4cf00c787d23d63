"""Margins: several entries, each balanced on its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from .. import frames
from ..errors import StratError
from .base import Term, list_arguments


@dataclass(frozen=True, eq=False, repr=False)
class Margins(Term):
    """Entries that are balanced each on its own; its columns are these entries."""

    function: ClassVar[str] = "sf.margins"

    def arguments(self) -> str:
        """Write the entries."""
        return list_arguments([frames.format_reference(entry) for entry in self.columns])


def margins(entries: Sequence[Hashable | Term]) -> Margins:
    """Balance each of several entries on its own, not their joint strata.

    For multi-label indicators, and for many columns whose joint strata are too sparse. It
    must be the only entry of `by`. Sizes stay within 1 row of even.

    Parameters
    ----------
    entries : list of entries
        Columns of classes, and terms: `sf.classes`, `sf.quantiles`, `sf.bins`,
        `sf.clusters`. A continuous column raises an error: cut it.

    Returns
    -------
    Margins

    Raises
    ------
    StratError
        If there are no entries, or one of them orders rows.

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"sun": [1, 0, 1, 0, 1, 0], "sea": [1, 1, 0, 0, 0, 0]})
    >>> folded = df.strat.kfold(sf.margins(["sun", "sea"]), k=2)
    >>> folded.groupby("fold")["sea"].sum().tolist()
    [1, 1]
    """
    given = list(entries) if isinstance(entries, list | tuple) else []
    if not given:
        msg = f"`sf.margins` must hold a list of entries, got {frames.format_reference(entries)}."
        raise StratError(msg)
    for entry in given:
        if isinstance(entry, Margins) or (isinstance(entry, Term) and entry.orders_rows):
            msg = (
                f"`sf.margins` must hold entries that make strata, got `{entry.function}`."
                "\nHint: `sf.quantiles` cuts a continuous column."
            )
            raise StratError(msg)
    return Margins(tuple(given))
