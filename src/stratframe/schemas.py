"""pandera schemas of the frames that `kfold` accepts, and of frames with folds or parts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from . import frames
from .checks import check_encodable, check_flag, check_int, check_name, check_one_of
from .core.types import Flags
from .errors import StratError
from .frames import Rule
from .habits import suggest_arguments
from .pipeline.options import NO_TARGET, PartShares, check_options, part_target
from .terms.base import By, ColumnRef, Missing, Term
from .terms.by import columns_of
from .terms.entry import read_entry, ruled_columns

__all__ = ["folded", "needed", "parted"]

Library: TypeAlias = Literal["pandas", "polars"]
"""The library of the frames that a schema validates."""


@suggest_arguments
def needed(
    by: By | None,
    groups: Any = None,
    key: Any = None,
    missing: Missing = "error",
    library: Library = "pandas",
) -> Any:
    """Make a schema that checks the columns of a call as `kfold` does.

    A pipeline can validate its frame with the schema before the call. Validation finds all failing
    rows that the call would report. On a lazy frame, pandera checks only names and types.

    Parameters
    ----------
    by, groups, key, missing
        As for `kfold`. Computed columns (expressions and callables) are left out, because they
        have no name in the frame.
    library : {"pandas", "polars"}
        The library of the frames that are validated.

    Returns
    -------
    pandera.DataFrameSchema
        A schema of the named columns only; the frame can have other columns.

    Raises
    ------
    StratError
        If an argument is invalid.

    Examples
    --------
    >>> import pandas as pd
    >>> schema = needed(["label", "price"], key="id")
    >>> list(schema.columns)
    ['label', 'price', 'id']
    >>> df = pd.DataFrame({"label": ["a", "b"], "price": [1.5, 2.5], "id": [1, 2]})
    >>> schema.validate(df).shape
    (2, 3)
    """
    pandera = pandera_for(library)
    entries = check_options(by, NO_TARGET, groups=groups, key=key, missing=missing)
    check_labels("by", columns_of(entries.terms), library)
    check_labels("groups", columns_of(entries.groups), library)
    check_labels("key", entries.key, library)
    last = entries.terms[-1:] if not entries.marginal else ()
    needs: dict[Hashable, list[tuple[Rule, Any]]] = {}
    for term in (*entries.terms, *entries.groups):
        for ref, rule in zip(term.columns, term.rules(missing), strict=True):
            if not frames.is_computed(ref):
                may_order = any(term is each for each in last)
                keeps = partial(keeps_rule, term, ref, missing, may_order)
                rule_name = f"kfold takes {term}"
                # If the column must be complete, pandera itself reports nulls.
                check = frames.rules.flags_check(
                    pandera, library, keeps, rule_name, skip_nulls=rule.complete
                )
                needs.setdefault(ref, []).append((rule, check))
    keys = list({frames.references.column_key(ref): ref for ref in entries.key}.values())
    named_keys = [ref for ref in keys if not frames.is_computed(ref)]
    for ref in named_keys:
        needs.setdefault(ref, []).append((Rule(unique=len(keys) == 1), None))
    columns = {
        name: pandera.Column(
            checks=[check for _, check in needed if check is not None],
            nullable=not any(rule.complete for rule, _ in needed),
            unique=any(rule.unique for rule, _ in needed),
        )
        for name, needed in needs.items()
    }
    # The list is nested, because pandera takes a label that is not text for a list of labels.
    together = [named_keys] if len(keys) == len(named_keys) > 1 else None
    return frames.rules.make_schema(library, columns, unique=together)


def check_labels(argument: str, refs: Sequence[ColumnRef], library: Library) -> None:
    """Raise an error unless every reference is computed or can be a column name in the library."""
    for ref in refs:
        if not frames.is_computed(ref):
            frames.check_names(argument, [ref])
            is_label = isinstance(ref, str) if library == "polars" else is_written(ref)
            if isinstance(ref, Term) or not is_label:
                raise frames.references.not_a_reference(argument, ref)
            if isinstance(ref, str):
                check_encodable(f"`{argument}`", ref)


def is_written(label: object) -> bool:
    """Return whether a label can be converted to text and hashed, as pandera requires."""
    try:
        return isinstance(str(label), str) and isinstance(hash(label), int)
    except Exception:
        return False


def keeps_rule(
    term: Term, ref: ColumnRef, missing: Missing, may_order: bool, series: Any
) -> Flags | bool:
    """Flag the rows of a column that a term accepts; return False if the type is wrong."""
    try:
        entry = read_entry(replace(term, columns=(ref,)), [series], 1)
    except StratError:
        return False
    if entry.term.orders_rows and not may_order:
        return False
    (column,) = ruled_columns(entry, missing)
    return np.logical_not(frames.rules.broken_rows(column))


@suggest_arguments
def folded(
    k: int = 5,
    name: str = "fold",
    library: Library = "pandas",
    *,
    nulls: bool = False,
    complete: bool = False,
) -> Any:
    """Make a schema of a frame with a fold column.

    Parameters
    ----------
    k : int
        Number of folds.
    name : str
        Name of the fold column.
    library : {"pandas", "polars"}
        The library of the frames. On a lazy frame, pandera checks only names and types.
    nulls : bool
        Whether rows can be without a fold, as after `missing="null"` or `rare="null"`. In
        pandas, the column can then also be Int64, or float64 with whole numbers and NaN, as
        returned by `read_csv` and `concat`.
    complete : bool
        Whether every fold must have at least one row.

    Returns
    -------
    pandera.DataFrameSchema

    Raises
    ------
    StratError
        If an argument is invalid.

    Examples
    --------
    >>> import pandas as pd
    >>> folded(k=3).validate(pd.DataFrame({"fold": [0, 2, 1]})).shape
    (3, 1)
    """
    check_int("k", k, 1)
    nulls, complete = check_flag("nulls", nulls), check_flag("complete", complete)
    check_name(name)
    pandera = pandera_for(library)
    if library == "pandas" and nulls:
        keeps = partial(frames.folds.are_folds, k=k)
        rule = f"folds 0..{k - 1} or missing, as int64, Int64 or float64"
        dtype, checks = None, [frames.rules.flags_check(pandera, library, keeps, rule)]
    else:
        dtype = "int64" if library == "pandas" else frames.attach.polars_dtype(None)
        checks = [pandera.Check.in_range(0, k - 1)]
    if complete:
        keeps_all, rule = partial(frames.folds.has_all_folds, k=k), f"every fold 0..{k - 1}"
        checks.append(frames.rules.flags_check(pandera, library, keeps_all, rule))
    column = pandera.Column(dtype, checks, nullable=nulls)
    return frames.rules.make_schema(library, {name: column})


@suggest_arguments
def parted(
    parts: PartShares,
    name: str = "split",
    library: Library = "pandas",
    *,
    nulls: bool = False,
    text: bool = False,
) -> Any:
    """Make a schema of a frame with a part column.

    The schema accepts the column that `split` adds, even after the other library has written it to
    a Parquet file. In pandas, the column is a categorical, ordered or unordered, and its categories
    are the part names in the given order. In Polars, it is an Enum or a Categorical of part names.

    Parameters
    ----------
    parts : float, or mapping of part name to share
        As for `split`; only the names are used.
    name, library
        As for `folded`.
    nulls : bool
        Whether rows can be without a part.
    text : bool
        Whether the column can also be text, for instance from a CSV file, or a categorical with
        other or differently ordered categories, for instance a Categorical that Polars has written
        and pandas reads. All values must still be part names. The order of the parts can then
        differ; `parts(names=[...])` sets the order.

    Returns
    -------
    pandera.DataFrameSchema

    Raises
    ------
    StratError
        If an argument is invalid.

    Examples
    --------
    >>> import polars as pl
    >>> split = pl.Series("split", ["test"], dtype=pl.Enum(["train", "test"]))
    >>> parted({"train": 0.8, "test": 0.2}, library="polars").validate(split.to_frame()).shape
    (1, 1)
    """
    nulls, text = check_flag("nulls", nulls), check_flag("text", text)
    names = list(part_target(parts).names or ())
    check_name(name)
    pandera = pandera_for(library)
    dtype = frames.rules.part_type(names, text=text) if library == "polars" else None
    keeps = partial(frames.folds.are_parts, names=names, text=text)
    check = frames.rules.flags_check(pandera, library, keeps, f"parts {', '.join(names)}")
    column = pandera.Column(dtype, check, nullable=nulls)
    return frames.rules.make_schema(library, {name: column})


def pandera_for(library: str) -> Any:
    """Check the name of a library, and import pandera for it."""
    check_one_of("library", library, get_args(Library))
    return frames.rules.pandera_module(library)
