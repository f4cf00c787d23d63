"""Use fold columns as a scikit-learn cross-validation splitter: `FoldSplit`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

from .. import frames
from ..checks import load_extra
from ..core.types import Ints
from ..errors import StratError, describe
from ..habits import suggest_arguments
from .door import frame_in
from .pairs import (
    Nulls,
    PairRule,
    Pairs,
    check_rule,
    label_rows,
    pair_columns,
    positions_of,
)
from .sources import as_list, check_rows, list_names

try:
    from sklearn.model_selection import BaseCrossValidator
except ImportError:  # without scikit-learn, the class exists but cannot be used
    BaseCrossValidator = object


class FoldSplit(BaseCrossValidator):  # type: ignore[misc]
    """A scikit-learn splitter that reads the folds from a column.

    Pass the splitter as `cv=` to `cross_val_score`, `cross_validate`, `GridSearchCV` and similar
    tools. The column is read from each frame that is split, so a search inside a cross-validation
    finds its own fold column in every training set. The estimator must drop the fold columns.

    Parameters
    ----------
    name : str or list of str
        The fold column of the frame `X`. If `X` does not have the column, for example because `X`
        is an array, `groups` must be a frame with the column, or the folds themselves. A list of
        names gives the folds of each column in turn. If there is no column `fold`, "fold" means the
        columns `fold_1`, `fold_2`, ... that `repeats` adds.
    train, valid, every, last, gap, window, horizon, step, nulls
        As for `folds`.
    apart : str or list of str, optional
        As for `folds`. The columns are read like the fold column, but never from an array.

    Raises
    ------
    StratError
        As for `folds`, and if a column is not found during a split.
    ImportError
        If scikit-learn is not installed.

    See Also
    --------
    cv : Return the pairs of row positions for one frame.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> X = pd.DataFrame({"x": [1, 2, 3], "fold": [0, 1, 0]})
    >>> splitter = sf.FoldSplit("fold")
    >>> splitter
    FoldSplit(apart=None, every=None, gap=0, horizon=1, last=None, name='fold',
         nulls='error', step=None, train='rest', valid=None, window=None)
    >>> list(splitter.split(X))
    [(array([1]), array([0, 2])), (array([0, 2]), array([1]))]
    >>> splitter.get_n_splits(X)
    2
    """

    __metadata_request__split: ClassVar = {"groups": True}  # scikit-learn passes groups by default

    @suggest_arguments
    def __init__(
        self,
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
    ) -> None:
        self.name = name
        self.train = train
        self.valid = valid
        self.every = every
        self.last = last
        self.gap = gap
        self.window = window
        self.horizon = horizon
        self.step = step
        self.apart = apart
        self.nulls: Nulls = nulls
        self.check_rule()
        frames.check_names("name", as_list(name))
        load_extra("sklearn.model_selection", "sklearn")

    def check_rule(self, *owners: Any) -> PairRule:
        rule = PairRule(
            "FoldSplit",
            self.train,
            self.valid,
            self.every,
            self.last,
            self.gap,
            self.window,
            self.horizon,
            self.step,
            self.apart,
            self.nulls,
        )
        return check_rule(rule, *owners)

    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Yield, for each fold, the row positions of the training set and of the test set.

        Parameters
        ----------
        X : pandas.DataFrame, polars.DataFrame or array
            The data to split.
        y : object
            Ignored.
        groups : frame or array of folds, optional
            Needed if `X` does not have the fold column: a frame with the column, or the folds.

        Yields
        ------
        train, test : ndarray of int64
            Row positions, in increasing order.
        """
        rule = self.check_rule(X, groups)
        several = self.read_pairs(rule, X, groups)  # raise errors before iteration
        return positions_of(several)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of pairs; the arguments are the same as for `split`."""
        rule = self.check_rule()._replace(apart=[])  # `apart` leaves out rows, but no pairs
        return sum(len(pairs.pairs) for pairs in self.read_pairs(rule, X, groups))

    def read_pairs(self, rule: PairRule, data: Any, groups: Any) -> list[Pairs]:
        check_rows(data, "`FoldSplit` gives positions of rows", "`sf.folds` gives frames")
        data = frame_in(data)
        groups = frame_in(groups)
        apart = [(name, find_column("apart", name, data, groups)) for name in rule.apart]
        names: list[str] = []
        for name in as_list(self.name, data, groups):
            names += repeats_of(name, data, groups) or [name]
        columns = [(name, find_column("name", name, data, groups)) for name in names]
        read = partial(frames.encode_labels, apart=apart, every=rule.period)
        return pair_columns(rule, (label_rows(read, rule, *column) for column in columns))


def repeats_of(name: Any, data: Any, groups: Any) -> list[Any]:
    """List the columns that `repeats` made, if a name means these and no column."""
    if any(frames.libraries.has_column(frame, name) for frame in (data, groups)):
        return []
    if isinstance(groups, frames.libraries.Series) and groups.name == name:
        return []
    for frame in (data, groups):
        if frames.is_frame(frame):
            names = list_names([name], frame)
            if len(names) > 1:
                return names
    return []


def find_column(argument: str, name: str, data: Any, groups: Any) -> Any:
    column = read_column(argument, name, data, groups)
    if data is not None:
        if frames.is_frame(data):
            data = frames.collect_columns(data, [])
        load_extra("sklearn.utils", "sklearn").check_consistent_length(data, column)
    return column


def read_column(argument: str, name: str, data: Any, groups: Any) -> Any:
    """Read a column of the first frame that has it, or take `groups` as the column."""
    for frame in (data, groups):
        if frames.libraries.has_column(frame, name):
            frames.check_refs(frame, {argument: [name]})
            return frames.folds.read_fold_column(frames.collect_columns(frame, [name]), name)
    if argument == "name" and groups is not None and not frames.is_frame(groups):
        return take_groups(name, groups)
    raise column_not_found(argument, name, data, groups)


def take_groups(name: str, groups: Any) -> Any:
    """Take `groups` as the folds; raise if it is a different column."""
    folds = frames.folds.to_fold_column(groups, name)
    if folds.name != name:
        msg = (
            f"`groups` must be the fold column {describe(name)} where `X` does not have it, got"
            f" {describe(folds.name)}.\nHint: pass a frame as `groups` if several splitters read"
            " different columns."
        )
        raise StratError(msg)
    return folds


def column_not_found(argument: str, name: str, data: Any, groups: Any) -> StratError:
    """Make the error for a column that is neither in `X` nor in `groups`."""
    column = f"df[{describe(name)}]"
    call = f'`cross_val_score(..., params={{"groups": {column}}})`'
    if not load_extra("sklearn", "sklearn").get_config()["enable_metadata_routing"]:
        call = f"`cross_val_score(..., groups={column})` or, for a search inside it, as in {call}"
    if frames.is_frame(data) and groups is None:
        try:
            frames.check_refs(data, {argument: [name]})
        except StratError as error:
            if "df.strat" not in str(error):  # the hint already names a column
                raise
            return StratError(f"{error} `FoldSplit` also looks in `groups`, as in {call}.")
    hint = "pass a frame with the column"
    if argument == "name":
        hint += f", or the folds, as in {call}"
    return StratError(
        f"`FoldSplit` must find the column {describe(name)} in `X` or `groups`, got"
        f" {type(data).__name__} and {type(groups).__name__}.\nHint: {hint}."
    )
