"""Use a fold or part column: `folds`, `parts`, `cv`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import Any, Generic, NoReturn

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import StratError, describe, list_values, plural, with_full_stop
from ..frames import AnyFrameT, Frame
from ..habits import suggest_arguments
from .pairs import Nulls, PairRule, Pairs, check_rule, list_labels, pair_columns
from .sources import check_rows, list_names, named_source, source_of


@dataclass(frozen=True, eq=False)
class Fold(Generic[AnyFrameT]):
    """One fold, which unpacks to training and validation frames, with its label and column."""

    fold: Any
    """The label that is validated, as in the column."""
    train: AnyFrameT
    """The rows that are trained on: by default those of all other folds."""
    valid: AnyFrameT
    """The rows of this fold."""
    name: Any
    """The column that has the label."""

    def __repr__(self) -> str:
        """Name the fold, and count the rows of its frames unless they are lazy."""
        text = f"Fold {describe(self.fold)} of {describe(self.name)}"
        sizes = [len(part) for part in self if isinstance(part, frames.libraries.EagerFrame)]
        return f"{text}: {plural(sizes[0], 'row')} train, {sizes[1]:,} valid" if sizes else text

    def __iter__(self) -> Iterator[AnyFrameT]:
        """Unpack as `train, valid`."""
        return iter((self.train, self.valid))


def refuse_frames(*_: object, **__: object) -> NoReturn:
    """Raise when scikit-learn splits by frames, or by a method that was not called."""
    msg = (
        "scikit-learn's `cv` needs row positions, but got frames, or a method without its"
        " parentheses.\nHint: `cv=df.strat.cv()`."
    )
    raise StratError(msg)


class Folds(starmap):  # type: ignore[type-arg]
    """Folds one after another."""

    split = get_n_splits = staticmethod(refuse_frames)


@suggest_arguments
def folds(
    frame: AnyFrameT,
    name: str | Sequence[str] = "fold",
    *,
    train: Any = "rest",
    valid: Any = None,
    every: str | None = None,
    last: int | None = None,
    gap: int = 0,
    window: int | None = None,
    apart: str | Sequence[str] | None = None,
    nulls: Nulls = "error",
) -> Iterator[Fold[AnyFrameT]]:
    """Iterate over the folds of a column, as training and validation frames.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
        A Polars lazy frame runs one small query for the folds, and yields lazy frames.
    name : str or list of str
        The fold column; for a list, all folds of each column in turn. Any column with a few labels
        will do, such as months or sites.
    train : {"rest", "past"}, label or list of labels
        Which labels train for the label that is validated: all others; all before it, in their
        order; or the given ones, except itself. Labels called "rest" or "past" go in a list.
    valid : label or list of labels, optional
        Which labels are validated, each in turn. By default all of them; or where `train` names
        labels, all others; or with "past", all that have labels before them to train on.
    every : str, optional
        Read a column of dates or times by calendar periods, as Polars writes them: "15m", "6h",
        "1d", "1w", "1mo", "1q", "1y", and multiples of these (on Spark only of hours and minutes).
        Hours and minutes must divide a day, and count from midnight by the clock of the times' own
        zone; an hour that the clock shows twice is one hour. The label is the start of the period
        in that zone or, if clocks skip it, the next minute. Periods without rows count for `gap`
        and `window`; periods with nothing to train on are left out. The last period counts even if
        it is incomplete.
    last : int, optional
        Validate at most this many labels: the last ones with rows, and with labels to train on.
    gap : int
        How many labels are left out next to the validated one: before it with "past", on each side
        of it with "rest".
    window : int, optional
        With "past", train on at most this many labels, the latest ones.
    apart : str or list of str, optional
        Columns in which training and validation rows share no value: training rows that share a
        value with a validation row, in any of these columns, are left out. Missing values match
        nothing.
    nulls : {"error", "train", "drop"}
        Rows without a fold raise an error, are in every training frame, or in none.

    Yields
    ------
    Fold
        Unpacks as `train, valid`; the label is its `fold`. Folds come in the order of the labels,
        or of `valid`; rows keep their order.

    Raises
    ------
    StratError
        If the column does not exist, has nulls that `nulls` does not allow, or labels that name
        parts, such as train and test, without `train` or `valid`; if named labels have no rows,
        or have no order where order matters; if a training set would be empty.

    Warns
    -----
    StratWarning
        If `apart` leaves less than half of the training rows in a pair, or a column of a Spark
        frame is not deterministic.

    Notes
    -----
    Numbers, dates, times, durations, periods, ordered categories and Enums have an order, and so
    has text if all labels are ISO dates (2024-04-30) or all are months (2024-04). Only labels
    that have rows count: without `every`, a month without rows is not a gap.

    Labels are compared with each other, and with nothing else in a row. Where months are numbers
    from 1 to 12 and there are two years, "past" trains on January 2024 for February 2023. Make
    labels that grow over the years, such as 2024-01, or read the date with `every="1mo"`.

    On Dask and Spark frames the rows are counted when this is called; the frames are lazy. On
    Spark, periods follow the clock of the session, and their labels have no time zone.

    References
    ----------
    Bergmeir and Benítez (2012), On the use of cross-validation for time series predictor
    evaluation. Pahikkala et al. (2015), Toward more realistic drug-target interaction predictions
    (both axes new).

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [1, 2, 3], "fold": [0, 1, 0]})
    >>> for fold in sf.folds(df):
    ...     print(fold.fold, fold.train["x"].tolist(), fold.valid["x"].tolist())
    0 [2] [1, 3]
    1 [1, 3] [2]
    >>> sales = pd.DataFrame({"month": ["2024-01", "2024-02", "2024-03", "2024-04"]})
    >>> for past, present in sf.folds(sales, "month", train="past", gap=1):
    ...     print(present["month"].tolist(), past["month"].tolist())
    ['2024-03'] ['2024-01']
    ['2024-04'] ['2024-01', '2024-02']
    """
    rule = check_rule(PairRule("folds", train, valid, every, last, gap, window, apart, nulls))
    source, names = named_source(frame, name, rule.apart)
    rows = (source.label_rows(column, rule.apart, rule.every) for column in names)

    def fold_of(pairs: Pairs, place: int) -> Fold[AnyFrameT]:
        keep = partial(source.select, pairs.rows)
        chosen, nulls = pairs.training_labels(place), rule.nulls == "train"
        train = keep(chosen, nulls=nulls, apart_from=place if rule.apart else None)
        valid = keep(np.arange(len(chosen)) == place)
        return Fold(pairs.rows.labels.values[place], train, valid, pairs.rows.name)

    several = pair_columns(rule, rows)
    return Folds(fold_of, ((pairs, place) for pairs in several for place in pairs.valid))


@suggest_arguments
def parts(
    frame: AnyFrameT, name: str = "split", names: Sequence[Any] | None = None
) -> dict[Any, AnyFrameT]:
    """Split a frame into a dict of frames, one per part.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
        A Polars lazy frame runs one small query for the names, and returns lazy frames.
    name : str
        One column: if `repeats` made several, name one of them.
    names : list of part names, optional
        The parts that the column must have, in the order of the result. By default all of them:
        categories in their order, numbers sorted, and text in the order train, valid (validation,
        val, dev), test, holdout, then others by first appearance.

    Returns
    -------
    dict of part name to frame
        In the order of the parts, including empty ones. Rows without a part are in no frame.

    Raises
    ------
    StratError
        If the column does not exist, or `names` has other names than the column.

    Notes
    -----
    On Dask and Spark frames the parts are counted when this is called; their frames are lazy. Spark
    has no categories and no row order: parts without rows are left out, and names other than the
    usual ones come in any order, unless `names` lists them.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": range(10)}).strat.split(parts={"train": 0.7, "test": 0.3})
    >>> {part: len(rows) for part, rows in sf.parts(df).items()}
    {'train': 7, 'test': 3}
    >>> test, train = sf.parts(df, names=["test", "train"]).values()
    >>> len(train)
    7
    """
    source = source_of(frame)
    meant = list_names([name], frame)
    if len(meant) > 1:
        fault = f"`parts` reads one column, but {name!r} means {list_values(meant)}"
        hint = f"Hint: name one of them, as in `df.strat.parts({meant[0]!r})`."
        raise StratError("\n".join([with_full_stop(fault), hint]))
    source.check_names(meant)
    rows = source.label_rows(name, is_part=True)
    values = rows.labels.values
    has_rows, listed = rows.labels.present, values
    if names is not None:
        listed = list_labels("names", names)
    unknown = [each for each in listed if each not in {*values}]
    unlisted = [each for each in has_rows if each not in {*listed}]
    if unknown or unlisted:
        fault = f"Column {name!r} has no part {list_values(unknown)}"
        if not unknown:
            fault = f"`names` must list every part of {name!r}, but lacks {list_values(unlisted)}"
        hint = f"Hint: the parts with rows are {list_values(has_rows)}"
        raise StratError("\n".join(map(with_full_stop, [fault, hint])))
    places = {value: np.arange(len(values)) == place for place, value in enumerate(values)}
    return {value: source.select(rows, places[value]) for value in listed}


@suggest_arguments
def cv(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    train: Any = "rest",
    valid: Any = None,
    every: str | None = None,
    last: int | None = None,
    gap: int = 0,
    window: int | None = None,
    apart: str | Sequence[str] | None = None,
    nulls: Nulls = "error",
) -> list[tuple[Ints, Ints]]:
    """Convert fold columns into the pairs that scikit-learn takes as `cv=`.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        The fold column; for a list, the folds of each column in turn.
    train, valid, every, last, gap, window, apart, nulls
        As for `folds`.

    Returns
    -------
    list of (train, test)
        Arrays of row positions, int64, one pair for each fold that `folds` yields.

    Raises
    ------
    StratError
        As for `folds`, which also says when it warns.

    Warns
    -----
    StratWarning
        If the rows of a lazy frame may come in a different order when it is collected again.

    See Also
    --------
    FoldSplit : The same pairs one by one, which takes less memory if there are many folds.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"fold": [0, 1, 0], "split": ["test", "train", "train"]})
    >>> sf.cv(df)
    [(array([1]), array([0, 2])), (array([0, 2]), array([1]))]
    >>> sf.cv(df, "split", train="train", valid="test")
    [(array([1, 2]), array([0]))]
    """
    check_rows(frame, "`cv` gives positions of rows", "`folds` gives frames")
    frames.check_frame(frame)
    rule = check_rule(PairRule("cv", train, valid, every, last, gap, window, apart, nulls))
    _, names = named_source(frame, name, rule.apart)
    then = "positions may be those of other rows when the query is collected again"
    frames.lazy.warn_row_order(frame, "the positions", then=then)
    eager = frames.collect_columns(frame, [*names, *rule.apart])
    rows = (frames.read_labels(eager, each, rule.apart, rule.every) for each in names)
    return [pair for pairs in pair_columns(rule, rows) for pair in pairs.positions()]


for verb in (folds, cv):  # scikit-learn looks for these on a method without parentheses
    vars(verb).update(split=refuse_frames, get_n_splits=refuse_frames)
