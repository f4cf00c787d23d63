"""Fold columns as a cross-validation splitter of scikit-learn: `FoldSplit`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from inspect import Parameter, signature
from typing import Any

from .. import frames
from ..checks import load_extra
from ..core.types import Ints
from ..errors import StratError, describe, nearest_name
from ..habits import suggest_arguments
from .reading import Nulls, PairRule, Pairs, check_apart, check_pair_rule, pair_labels
from .select import list_names
from .sides import check_rows


class FoldSplit:
    """A splitter of scikit-learn that reads the folds from a column.

    Pass it as `cv=` to `cross_val_score`, `cross_validate`, `GridSearchCV` and the like.
    The column is looked up in each frame that is split, so that the search inside a
    cross-validation finds its own column in every training set. The estimator has to drop
    the column.

    Parameters
    ----------
    name : str or list of str
        The fold column of the frame `X`. If `X` has no such column, as an array has none, it
        is read from `groups`: a frame with the column, or the folds themselves. For a list,
        the folds of each column in turn.
    train, valid, gap, window, nulls
        As for `folds`.
    apart : str or list of str, optional
        As for `folds`. These columns are looked up as the fold column is; an array in `groups`
        does not have them.

    Raises
    ------
    StratError
        When it splits: if a column is not found, and as for `folds`.
    ImportError
        If scikit-learn is not installed.

    See Also
    --------
    cv : The pairs of positions of one frame.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> X = pd.DataFrame({"x": [1, 2, 3], "fold": [0, 1, 0]})
    >>> splitter = sf.FoldSplit("fold")
    >>> splitter
    FoldSplit(name='fold')
    >>> list(splitter.split(X))
    [(array([1]), array([0, 2])), (array([0, 2]), array([1]))]
    >>> splitter.get_n_splits(X)
    2
    >>> sf.FoldSplit("month", train="past", gap=1)
    FoldSplit(name='month', train='past', gap=1)
    """

    groups_request: bool | str | None = True
    """What scikit-learn is told to do with `groups`; of a splitter, only if it was set."""

    @suggest_arguments
    def __init__(
        self,
        name: str | Sequence[str] = "fold",
        *,
        train: Any = "rest",
        valid: Any = None,
        gap: int = 0,
        window: int | None = None,
        apart: str | Sequence[str] | None = None,
        nulls: Nulls = "error",
    ) -> None:
        self.name = name
        self.train = train
        self.valid = valid
        self.gap = gap
        self.window = window
        self.apart = apart
        self.nulls: Nulls = nulls
        self.check_rule()
        frames.check_names("name", list_names(name))
        load_extra("sklearn.model_selection", "sklearn")

    def __repr__(self) -> str:
        """Write the splitter as it is written in code."""
        known = signature(type(self)).parameters.items()
        given = {name: getattr(self, name) for name, _ in known}
        shown = [
            f"{name}={describe(given[name])}" for name, each in known if is_told(each, given[name])
        ]
        return f"FoldSplit({', '.join(shown)})"

    def check_rule(self) -> PairRule:
        """Check which labels train."""
        return check_pair_rule(
            "FoldSplit",
            train=self.train,
            valid=self.valid,
            gap=self.gap,
            window=self.window,
            apart=self.apart,
            nulls=self.nulls,
        )

    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Iterate over the positions of the training and test rows of each fold.

        Parameters
        ----------
        X : pandas.DataFrame, polars.DataFrame or array
            What is split.
        y : object
            Ignored.
        groups : frame or array of folds, optional
            Where the column is if `X` does not have it.

        Yields
        ------
        train, test : ndarray of int64
            Row positions, in increasing order.
        """
        several = self.read_pairs(
            self.check_rule(), X, groups
        )  # now, so that faults are not found later
        check_apart(several)
        return (pair for pairs in several for pair in pairs.positions())

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Count the pairs; the arguments are those of `split`."""
        rule = self.check_rule()._replace(apart=[])  # which leaves every pair
        return sum(len(pairs.valid) for pairs in self.read_pairs(rule, X, groups))

    def get_metadata_routing(self) -> Any:
        """Ask scikit-learn, where it routes metadata, for `groups`, or as was requested."""
        routing = load_extra("sklearn.utils.metadata_routing", "sklearn")
        request = routing.MetadataRequest(owner=self)
        request.split.add_request(param="groups", alias=self.groups_request)
        return request

    def set_split_request(self, *, groups: bool | str | None = True) -> FoldSplit:
        """Say whether scikit-learn, where it routes metadata, passes `groups` to `split`.

        Parameters
        ----------
        groups : bool, str or None
            True, as at first, for yes; False for no; None for an error where it is passed; or
            the name under which it is passed.

        Returns
        -------
        FoldSplit
            The splitter itself.

        Raises
        ------
        RuntimeError
            Unless `sklearn.set_config(enable_metadata_routing=True)` was called, as for the
            splitters of scikit-learn.
        """
        if not load_extra("sklearn", "sklearn").get_config()["enable_metadata_routing"]:
            msg = (
                "`set_split_request` needs metadata routing:"
                " `sklearn.set_config(enable_metadata_routing=True)`."
            )
            raise RuntimeError(msg)
        self.groups_request = groups
        return self

    def read_pairs(self, rule: PairRule, data: Any, groups: Any) -> list[Pairs]:
        """Read the labels of each column, and pair them."""
        apart = [(name, find_apart(data, groups, name)) for name in rule.apart]
        columns = ((name, find_folds(data, groups, name)) for name in list_names(self.name))
        return [
            pair_labels(rule, frames.encode_labels(name, series, apart=apart))
            for name, series in columns
        ]


def is_told(parameter: Parameter, value: Any) -> bool:
    """Return whether an argument is written: the name, and what is not as by default."""
    return parameter.name == "name" or (
        parameter.default is not value
        and (type(value) is not type(parameter.default) or value != parameter.default)
    )


# Registered, not inherited from, so that the class can be named without scikit-learn.
with suppress(ImportError):
    load_extra("sklearn.model_selection", "sklearn").BaseCrossValidator.register(FoldSplit)


def find_folds(data: Any, groups: Any, name: str) -> Any:
    """Read a fold column of the frame that is split, or else of `groups`."""
    check_rows(data, "`FoldSplit` gives positions of rows", "`sf.folds` gives frames")
    if frames.has_column(data, name):
        return read_split_folds(data, name)
    folds = (
        read_split_folds(groups, name)
        if frames.has_column(groups, name)
        else take_groups(data, groups, name)
    )
    check_length(data, folds)
    return folds


def find_apart(data: Any, groups: Any, name: str) -> Any:
    """Read a column of `apart` from the frame that is split, or else from `groups`."""
    for frame in (data, groups):
        if frames.has_column(frame, name):
            frames.check_refs(frame, [name], "apart")
            eager = frames.collect_columns(frame, [name])
            (column,) = frames.read_columns(eager, [frames.label_of(eager, name)])
            check_length(data, column)
            return column
    if frames.is_frame(data):
        frames.check_refs(data, [name], "apart")  # says why it has no such column
    msg = (
        f"`FoldSplit` must find the column {describe(name)} of `apart` in `X` or `groups`, got"
        f" {type(data).__name__} and {type(groups).__name__}.\nHint: pass a frame with the column."
    )
    raise StratError(msg)


def read_split_folds(frame: Any, name: str) -> Any:
    """Read a fold column of a frame."""
    frames.check_refs(frame, [name], "name")
    return frames.read_fold_column(frames.collect_columns(frame, [name]), name)


def take_groups(data: Any, groups: Any, name: str) -> Any:
    """Take `groups` as the folds, or raise if they are none, or another column."""
    if groups is None or frames.is_frame(groups):
        if frames.is_frame(data) and nearest_name(name, frames.column_names(data)):
            frames.check_refs(data, [name], "name")
        msg = (
            f"`FoldSplit` must find the column {describe(name)} in `X` or `groups`, got"
            f" {type(data).__name__} and {type(groups).__name__}.\nHint: pass the folds beside the"
            f" data, as in `cross_val_score(..., params={{'groups': df[{describe(name)}]}})`."
        )
        raise StratError(msg)
    folds = frames.to_fold_column(groups, name)
    if folds.name != name:
        msg = (
            f"`groups` must be the fold column {describe(name)} where `X` does not have it, got"
            f" {describe(folds.name)}."
        )
        raise StratError(msg)
    return folds


def check_length(data: Any, folds: Any) -> None:
    """Raise unless there is one fold for each row that is split."""
    if data is None:
        return
    n_rows = count_rows(data)
    if n_rows != len(folds):
        msg = f"`groups` must have one fold for each of the {n_rows:,} rows, got {len(folds):,}."
        raise StratError(msg)


def count_rows(data: Any) -> int:
    """Count the rows of a frame or an array, or raise if it has none."""
    if frames.is_frame(data):
        return len(frames.collect_columns(data, []))
    try:
        return int(data.shape[0]) if hasattr(data, "shape") else len(data)
    except (TypeError, IndexError, OverflowError) as error:
        msg = f"`X` must be a frame or an array with rows, got {type(data).__name__}."
        raise StratError(msg) from error
