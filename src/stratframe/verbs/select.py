"""Select rows by a fold or part column: `folds`, `parts` and `cv`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from typing import Any, Generic, NoReturn

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import StratError, describe, list_values, plural, with_full_stop
from ..frames import AnyFrameT, FoldValues, Frame
from ..habits import suggest_arguments
from .door import any_frame
from .pairs import (
    Nulls,
    Pair,
    PairRule,
    Pairs,
    check_rule,
    label_rows,
    list_labels,
    pair_columns,
    positions_of,
)
from .sources import Source, check_rows, list_names, named_source, source_of


@dataclass(frozen=True, eq=False)
class Fold(Generic[AnyFrameT]):
    """One fold with its training and validation frames; it unpacks as `train, valid`."""

    fold: Any
    """The label of the fold, as it appears in the column."""
    train: AnyFrameT
    """The training rows: by default, the rows of all other folds."""
    valid: AnyFrameT
    """The validation rows: the rows of this fold."""
    name: Any
    """The name of the fold column."""

    def __repr__(self) -> str:
        text = f"Fold {describe(self.fold)} of {describe(self.name)}"
        sizes = [len(part) for part in self if isinstance(part, frames.libraries.EagerFrame)]
        if not sizes:  # counting the rows of a lazy frame can take long
            return text
        return f"{text}: {plural(sizes[0], 'row')} train, {sizes[1]:,} valid"

    def __iter__(self) -> Iterator[AnyFrameT]:
        return iter((self.train, self.valid))


def refuse_frames(*_: object, **__: object) -> NoReturn:
    """Raise an error that says what scikit-learn needs as `cv` instead of frames or a method."""
    msg = (
        "scikit-learn's `cv` needs row positions, but got frames, or a method without its"
        " parentheses.\nHint: `cv=df.strat.cv()`."
    )
    raise StratError(msg)


class Folds(starmap):  # type: ignore[type-arg]
    """An iterator over folds that raises an error if it is used as `cv` in scikit-learn."""

    split = get_n_splits = staticmethod(refuse_frames)

    def give_rows(self, give: Callable[[Any], Any]) -> Folds:
        """Return the folds with their frames as `give` gives them back."""
        return Folds(partial(give_fold, give), zip(self, strict=True))


def give_fold(give: Callable[[Any], Any], fold: Fold[Any]) -> Fold[Any]:
    return replace(fold, train=give(fold.train), valid=give(fold.valid))


@suggest_arguments
@any_frame("rows")
def folds(
    frame: AnyFrameT,
    name: str | Sequence[str] = "fold",
    *,
    train: Any = "rest",
    valid: Any = None,
    every: str | None = None,
    last: int | None = None,
    gap: int | str = 0,
    window: int | None = None,
    horizon: int = 1,
    step: int | None = None,
    apart: str | Sequence[str] | None = None,
    nulls: Nulls = "error",
) -> Iterator[Fold[AnyFrameT]]:
    """Iterate over the folds of a column as pairs of training and validation frames.

    The first argument is the fold column, not `by`: `folds("label")` trains on all other classes
    to validate on one.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
        For a Polars lazy frame, one small query reads the labels, and the folds have lazy frames.
    name : str or list of str
        The fold column; a list gives all folds of each column in turn. Any column with few
        different values can be used, such as a column of months or sites.
    train : {"rest", "past"}, label or list of labels
        The training labels for each validation label. "rest" means all other labels, and "past"
        means all labels that come before the validation label. If labels are given, they are
        the training labels, except the validation label itself. Labels called "rest" or "past"
        must be given in a list.
    valid : label or list of labels, optional
        The labels to validate on, in turn; by default, all labels or, if `train` names labels, all
        other labels. With "past", the default leaves out labels without earlier labels to train on.
    every : str, optional
        Group a column of dates or times into calendar periods, in the notation of Polars: "15m",
        "6h", "1d", "1w", "1mo", "1q", "1y", and multiples of these. Hours and minutes must divide
        a day, and are counted from midnight in the time zone of the column; an hour that the clock
        shows twice is two hours, but a day or a longer period stays one. A label is the start of a
        period or, if the clock skips the start, the first time that it shows after it. Periods
        without rows count towards `gap` and `window`; periods with nothing to train on are left
        out. The last period is used even if it is incomplete.
    last : int, optional
        The maximum number of pairs; the last pairs that have labels to train on are used.
    gap : int or str
        The number of labels to leave out next to the validation labels: before them with "past", on
        each side of them with "rest". With `every`, also a duration in the same notation: "10d"
        leaves out the rows of the ten days before the first period that is validated (and after the
        last one with "rest"). Days and longer are those of the calendar; hours and minutes pass.
    window : int, optional
        With "past", the maximum number of training labels, counted back from where the gap begins;
        the latest labels are used.
    horizon : int
        The number of labels that are validated together: 3 months of `every="1mo"`, say. Needs
        "past" or `every`, and excludes `valid`. Pairs are counted back from the newest label, which
        may be an incomplete period; the oldest labels that do not fill a horizon are only trained
        on, and a horizon without rows is left out.
    step : int, optional
        The number of labels between the starts of two pairs; by default, the horizon.
    apart : str or list of str, optional
        Columns in which training and validation rows must not share a value. Training rows that
        share a value with a validation row in any of these columns are left out. Missing values
        never match.
    nulls : {"error", "train", "drop"}
        Rows without a fold raise an error, are in every training frame, or are left out.

    Yields
    ------
    Fold
        An object that unpacks as `train, valid` and has the label in its attribute `fold`; with
        `horizon`, this is the first label or, with `every`, the start of the first period, with
        rows or without. Folds come in the order of the labels or, if `valid` is given, of `valid`.
        Rows keep their order.

    Raises
    ------
    StratError
        If the column does not exist or has nulls that `nulls` does not allow; if its labels look
        like parts, such as train and test, without `train` or a clear `valid`; if a given label has
        no rows; if the labels lack an order that the call needs; or if a training set would be
        empty.

    Warns
    -----
    StratWarning
        If `apart` leaves less than half of the training rows of a fold, or if a column of a Spark
        frame is not deterministic.

    Notes
    -----
    Numbers, dates, times, durations, periods, ordered categories and Enums have an order. Text has
    an order if all labels are ISO dates (2024-04-30) or all labels are months (2024-04). Only
    labels with rows count: without `every`, a month without rows does not count towards `gap`.

    Only the labels determine the order. If months are numbers from 1 to 12 and the data cover two
    years, "past" trains on January 2024 to validate on February 2023. Use labels that increase over
    the years, such as 2024-01, or read the date with `every="1mo"`. In a column that `kfold` dealt
    at random, "past" compares fold numbers, and no times.

    Times with a time zone are compared as instants, also with labels in other time zones. Their
    labels are pandas timestamps, as Python takes the two times of a repeated hour for equal.

    On Dask and Spark frames, the rows are counted when the function is called, and the folds have
    lazy frames. On Spark, the periods and labels of timestamps are in the time zone of the session.

    References
    ----------
    Bergmeir and Benítez (2012), On the use of cross-validation for time series predictor
    evaluation. Pahikkala et al. (2015), Toward more realistic drug-target interaction predictions
    (the setting with new drugs and new targets, for `apart` with two columns).

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
    rule = PairRule("folds", train, valid, every, last, gap, window, horizon, step, apart, nulls)
    rule = check_rule(rule, frame)
    source, names = named_source(frame, name, rule.apart)
    several = read_pairs(source, names, rule)
    listed = ((pairs, pair) for pairs in several for pair in pairs.pairs)
    return Folds(partial(select_fold, source), listed)


def read_pairs(source: Source, names: Sequence[Any], rule: PairRule) -> list[Pairs]:
    read = partial(source.label_rows, apart=rule.apart, every=rule.period)
    return pair_columns(rule, (label_rows(read, rule, name) for name in names))


def select_fold(source: Source, pairs: Pairs, pair: Pair) -> Fold[Any]:
    """Select the training and validation rows of a pair."""
    rows = pairs.rows
    is_valid = pairs.validation_labels(pair)
    train = source.select(
        rows,
        pairs.training_labels(pair),
        nulls=pairs.rule.nulls == "train",
        apart_from=is_valid if pairs.rule.apart else None,
    )
    valid = source.select(rows, is_valid)
    return Fold(pair.label, train, valid, rows.name)


@suggest_arguments
@any_frame("rows")
def parts(
    frame: AnyFrameT, name: str = "split", names: Sequence[Any] | None = None
) -> dict[Any, AnyFrameT]:
    """Split a frame into a dict of frames, one per part.

    The first argument is the part column, not `by`.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
        For a Polars lazy frame, one small query reads the names, and the parts are lazy frames.
    name : str
        The part column. If `repeats` made several columns, give the name of one column.
    names : list of part names, optional
        The parts of the column, in the order in which to return them; every part with rows must be
        listed. By default, categories keep their order, numbers are sorted, and text has the order
        train, valid (validation, val, dev), test, holdout, followed by other names in order of
        first appearance.

    Returns
    -------
    dict of part name to frame
        The frames in the order of the parts, including empty parts. Rows without a part are in no
        frame.

    Raises
    ------
    StratError
        If the column does not exist, or if `names` does not match the parts of the column.

    Notes
    -----
    On Dask and Spark frames, the parts are counted when the function is called, and the frames are
    lazy. Spark has no categories and no row order: parts without rows are left out, and names other
    than those above come in any order unless `names` is given.

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
    check_one_column(name, frame)
    source.check_names([name])
    rows = source.label_rows(name, is_part=True)
    labels = rows.labels.values
    if names is not None:
        labels = list_labels("names", names)
        check_parts(name, labels, rows.labels)
    places = frames.folds.places_of(rows.labels.values)
    numbers = np.arange(len(rows.labels.values))
    return {
        label: source.select(rows, numbers == places[frames.folds.label_key(label)])
        for label in frames.folds.tell_apart(labels)
    }


def check_one_column(name: object, frame: Any) -> None:
    """Raise if a name means the several columns that `repeats` made."""
    columns = list_names([name], frame)
    if len(columns) > 1:
        fault = f"`parts` reads one column, but {name!r} means {list_values(columns)}"
        hint = f"Hint: name one of them, as in `df.strat.parts({columns[0]!r})`."
        msg = f"{with_full_stop(fault)}\n{hint}"
        raise StratError(msg)


def check_parts(name: str, names: Sequence[Any], labels: FoldValues) -> None:
    """Raise if `names` has a part that the column lacks, or lacks a part that has rows."""
    places = frames.folds.places_of(labels.values)
    keys = {frames.folds.label_key(each) for each in names}
    unknown = [each for each in names if frames.folds.label_key(each) not in places]
    unlisted = [each for each in labels.present if frames.folds.label_key(each) not in keys]
    if unknown:
        fault = f"Column {name!r} has no part {list_values(unknown)}"
    elif unlisted:
        fault = f"`names` must list every part of {name!r}, but lacks {list_values(unlisted)}"
    else:
        return
    hint = f"Hint: the parts with rows are {list_values(labels.present)}"
    msg = f"{with_full_stop(fault)}\n{with_full_stop(hint)}"
    raise StratError(msg)


@suggest_arguments
@any_frame(in_order="the positions")
def cv(
    frame: Frame,
    name: str | Sequence[str] = "fold",
    *,
    train: Any = "rest",
    valid: Any = None,
    every: str | None = None,
    last: int | None = None,
    gap: int | str = 0,
    window: int | None = None,
    horizon: int = 1,
    step: int | None = None,
    apart: str | Sequence[str] | None = None,
    nulls: Nulls = "error",
) -> list[tuple[Ints, Ints]]:
    """Convert fold columns into the pairs of row positions that scikit-learn takes as `cv=`.

    The first argument is the fold column, not `by`: `cv("label")` trains on all other classes to
    validate on one.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    name : str or list of str
        The fold column; a list gives the folds of each column in turn.
    train, valid, every, last, gap, window, horizon, step, apart, nulls
        As for `folds`.

    Returns
    -------
    list of (train, test)
        One pair of int64 arrays of row positions for each fold that `folds` yields.

    Raises
    ------
    StratError
        As for `folds`.

    Warns
    -----
    StratWarning
        As for `folds`, and if a lazy frame can return its rows in a different order each time.

    See Also
    --------
    FoldSplit : Yield the same pairs one by one, which needs less memory if there are many folds.

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
    rule = PairRule("cv", train, valid, every, last, gap, window, horizon, step, apart, nulls)
    rule = check_rule(rule, frame)
    _, names = named_source(frame, name, rule.apart)
    then = "positions may refer to other rows when the query is collected again"
    frames.lazy.warn_row_order(frame, "the positions", then=then)
    eager = frames.collect_columns(frame, [*names, *rule.apart])
    return list(positions_of(read_pairs(source_of(eager), names, rule)))


for verb in (folds, cv):  # scikit-learn looks up these methods on its `cv`
    vars(verb).update(split=refuse_frames, get_n_splits=refuse_frames)
