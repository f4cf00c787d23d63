"""pandera schemas of the frames that `kfold` accepts, and of frames with folds or parts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from . import frames
from .checks import check_encodable, check_flag, check_int, check_name, check_one_of
from .core.types import Flags
from .errors import StratError
from .frames import Rule
from .habits import suggest_arguments
from .pipeline.options import NO_TARGET, Options, PartShares, check_options, part_target
from .terms.base import By, ColumnRef, Missing, Term
from .terms.by import columns_of
from .terms.entry import read_entry, ruled_columns

__all__ = ["folded", "needed", "parted"]

Library: TypeAlias = Literal["pandas", "polars"]
"""The library of the frames that a schema validates."""


class Need(NamedTuple):
    """What one argument of a call needs of a column."""

    rule: Rule
    check: Any = None
    """A pandera check of the rows, or None if the rule says all."""


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
    options = check_options(by, NO_TARGET, groups=groups, key=key, missing=missing)
    check_labels("by", columns_of(options.terms), library)
    check_labels("groups", columns_of(options.groups), library)
    check_labels("key", options.key, library)
    needs = needs_of_terms(options, pandera, library)
    keys = list({frames.references.column_key(ref): ref for ref in options.key}.values())
    named_keys = [ref for ref in keys if not frames.is_computed(ref)]
    for ref in named_keys:
        needs.setdefault(ref, []).append(Need(Rule(unique=len(keys) == 1)))
    columns = {name: make_column(pandera, needs[name]) for name in needs}
    # The list is nested, because pandera takes a label that is not text for a list of labels.
    together = [named_keys] if len(keys) == len(named_keys) > 1 else None
    return frames.rules.make_schema(library, columns, unique=together)


def needs_of_terms(options: Options, pandera: Any, library: Library) -> dict[Hashable, list[Need]]:
    """List what the terms need of each named column."""
    needs: dict[Hashable, list[Need]] = {}
    # Only the last of nested terms can order the rows.
    ordering = () if options.marginal else options.terms[-1:]
    for term in (*options.terms, *options.groups):
        may_order = any(term is each for each in ordering)
        for ref, rule in zip(term.columns, term.rules(options.missing), strict=True):
            if frames.is_computed(ref):
                continue
            check = frames.rules.flags_check(
                pandera,
                library,
                partial(keeps_rule, term, ref, options.missing, may_order),
                f"kfold takes {term}",
                # If the column must be complete, pandera itself reports nulls.
                skip_nulls=rule.complete,
            )
            needs.setdefault(ref, []).append(Need(rule, check))
    return needs


def make_column(pandera: Any, needs: Sequence[Need]) -> Any:
    """Make a pandera column that meets all needs."""
    return pandera.Column(
        checks=[need.check for need in needs if need.check is not None],
        nullable=not any(need.rule.complete for need in needs),
        unique=any(need.rule.unique for need in needs),
    )


def check_labels(argument: str, refs: Sequence[ColumnRef], library: Library) -> None:
    """Raise an error unless every reference is computed or can be a column name in the library."""
    for ref in refs:
        if frames.is_computed(ref):
            continue
        frames.check_names(argument, [ref])
        if isinstance(ref, Term) or not is_label(ref, library):
            raise frames.references.not_a_reference(argument, ref)
        if isinstance(ref, str):
            check_encodable(f"`{argument}`", ref)


def is_label(label: object, library: Library) -> bool:
    """Return whether a schema can name a column by a label.

    The labels of Polars are text. pandera converts those of pandas to text and hashes them.
    """
    if library == "polars":
        return isinstance(label, str)
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
    nulls = check_flag("nulls", nulls)
    complete = check_flag("complete", complete)
    check_name(name)
    pandera = pandera_for(library)
    dtype: Any = None
    if library == "pandas" and nulls:
        keeps = partial(frames.folds.are_folds, k=k)
        rule = f"folds 0..{k - 1} or missing, as int64, Int64 or float64"
        checks = [frames.rules.flags_check(pandera, library, keeps, rule)]
    else:
        dtype = frames.attach.polars_dtype(None) if library == "polars" else "int64"
        checks = [pandera.Check.in_range(0, k - 1)]
    if complete:
        has_all = partial(frames.folds.has_all_folds, k=k)
        checks.append(frames.rules.flags_check(pandera, library, has_all, f"every fold 0..{k - 1}"))
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
    nulls = check_flag("nulls", nulls)
    text = check_flag("text", text)
    names = list(part_target(parts).names or ())
    check_name(name)
    pandera = pandera_for(library)
    dtype: Any = None
    if library == "polars":
        dtype = frames.rules.part_type(names, text=text)
    keeps = partial(frames.folds.are_parts, names=names, text=text)
    check = frames.rules.flags_check(pandera, library, keeps, f"parts {', '.join(names)}")
    column = pandera.Column(dtype, check, nullable=nulls)
    return frames.rules.make_schema(library, {name: column})


def pandera_for(library: str) -> Any:
    """Check the name of a library, and import pandera for it."""
    check_one_of("library", library, get_args(Library))
    return frames.rules.pandera_module(library)
