"""Draw a stratified sample: `sample`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, SupportsIndex, get_args

from ..checks import check_int, check_one_of, check_seed, plain_share
from ..errors import StratError, describe
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.options import MAX_EACH, Options, Target
from ..pipeline.sample_sizes import Allocation, SampleSize
from ..terms.base import By
from ..terms.by import parse_columns, require_by
from .door import any_frame
from .result_tables import table_verb
from .sources import source_of


@table_verb
@suggest_arguments
@any_frame("rows", in_order="the rows of the sample")
def sample(
    frame: AnyFrame,
    by: By,
    *,
    n: int | None = None,
    frac: float | None = None,
    each: int | None = None,
    allocation: Allocation = "proportional",
    key: Any = None,
    seed: SupportsIndex | None = 0,
) -> Any:
    """Draw a stratified sample, whose rows keep their original order.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by : entry or list of entries
        As for `kfold`. Missing values form a stratum of their own.
    n : int, optional
        Number of rows in the sample. Give exactly one of `n`, `frac` and `each`.
    frac : float, optional
        Share of the rows, from 0 to 1; the sample has `round(frac * n_rows)` rows.
    each : int, optional
        Number of rows of each joint stratum; smaller strata are in the sample as a whole. With the
        same key and seed, a sample of 10 rows of each stratum is part of one of 20, unless an entry
        orders the rows.
    allocation : {"proportional", "equal"}
        Whether the number of rows from each stratum is proportional to the size of the stratum
        (rounded by largest remainder) or equal for all strata. If a stratum has fewer rows than the
        equal number, the other strata supply the rest.
    key : column or list of columns, optional
        Columns that together identify each row; rows are ranked by the hash of these columns, as in
        `kfold`.
    seed : int or None
        The same seed gives the same sample. None draws a new seed.

    Returns
    -------
    frame of the same kind
        The rows of the sample. For a Polars lazy frame, the sample is collected.

    Warns
    -----
    StratWarning
        If `frac` is too small for the sample to have any rows.

    Notes
    -----
    On Dask and Spark frames, the rows are counted when the function is called, and the sample is
    lazy. `key` is required.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a"] * 8 + ["b"] * 4})
    >>> sf.sample(df, "label", n=3)["label"].tolist()
    ['a', 'a', 'b']
    >>> sf.sample(df, "label", each=2)["label"].tolist()
    ['a', 'a', 'b', 'b']
    """
    if (
        n is None
        and frac is None
        and each is None
        and isinstance(by, Real)
        and not isinstance(by, bool)
    ):
        share = "n" if isinstance(by, Integral) else "frac"
        msg = f"`by` must hold entries, got {describe(by)}.\nHint: `sample(by, {share}={by!r})`."
        raise StratError(msg)
    entries = require_by(by)
    check_one_size(n=n, frac=frac, each=each)
    if entries.marginal:
        msg = "`sample` does not support `sf.margins` in `by`."
        raise StratError(msg)
    for term in entries.terms:
        if term.evens_totals:
            msg = (
                f"`sample` does not support `{term.function}` in `by`.\nHint: `sf.continuous`"
                " spreads the sample over the values of a column."
            )
            raise StratError(msg)
    check_one_of("allocation", allocation, get_args(Allocation))
    if each is not None and allocation != "proportional":
        msg = (
            f"`each` cannot be combined with `allocation={allocation!r}`: it is the number of rows"
            " of every stratum."
        )
        raise StratError(msg)
    options = Options(entries.terms, key=parse_columns("key", key), seed=check_seed(seed))
    size: int | Fraction | None = None
    if each is not None:
        target = Target(each=(min(check_int("each", each, 1), MAX_EACH), None))
        options = replace(options, target=target)
    elif n is not None:
        size = check_int("n", n, 0)
    else:
        size = check_frac(frac)
    return source_of(frame).sample(options, SampleSize(size, allocation))


def check_one_size(**sizes: object) -> None:
    """Raise an error unless exactly one argument says how many rows are drawn."""
    if sum(size is not None for size in sizes.values()) != 1:
        got = ", ".join(f"{argument}={describe(size)}" for argument, size in sizes.items())
        msg = f"Exactly one of `n`, `frac` and `each` must be given, got {got}."
        raise StratError(msg)


def check_frac(frac: Any) -> Fraction:
    frac = plain_share(frac)
    is_number = issubclass(type(frac), Real) and not isinstance(frac, bool)
    if not is_number or not 0 <= frac <= 1:
        msg = f"`frac` must be a number from 0 to 1, got {describe(frac)}."
        raise StratError(msg)
    exact = frac if isinstance(frac, int | Fraction) else float(frac)
    return Fraction(exact).limit_denominator(10**12)
