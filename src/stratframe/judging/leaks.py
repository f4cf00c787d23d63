"""List rows that share a group, a key or all values with a row of another fold: `leaks`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from .. import frames
from ..core.types import Ints
from ..engines.engine_source import EngineSource
from ..errors import StratError
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.fold_counts import check_not_itself
from ..pipeline.nest import place_rows
from ..pipeline.options import Options
from ..verbs.door import any_frame
from ..verbs.result_tables import fold_table, table_verb, text_array
from ..verbs.sources import join_given, named_source
from .asked import AUTO, Asked, read_arguments
from .compared import read_compared
from .copies import ComparedRows
from .duplicates import leave_out_twins
from .groups import ComparedUnits


@table_verb
@suggest_arguments
@any_frame()
def leaks(
    frame: AnyFrame,
    *,
    groups: Any = None,
    key: Any = None,
    duplicates: Any = AUTO,
    name: str | Sequence[str] = "fold",
) -> Any:
    """List rows that leak: they share a group, a key or all values with a row of another fold.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame, or mapping
        A mapping of names to frames is read as in `check`; `row` is then the position in the row's
        own frame. For Dask and Spark frames, give only one of `groups`, `key` and `duplicates`.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        List the rows of groups that are in several folds. With a list of columns, each combination
        of values is a group. Rows without a group are not listed.
    key : column or list of columns, optional
        List the rows with a key that is in several folds.
    duplicates : {"auto"}, column, list of columns or None
        List the rows that equal a row of another fold in all of these columns. "auto" takes all
        columns except fold columns, `key`, nested columns such as lists, columns that share a name,
        columns whose values match the folds one-to-one, and columns without fractions in which all
        values differ. Missing values count as equal.
        With None, rows are not compared.
    name : str or list of str
        One or more fold or part columns from any source. Rows without a fold are left out.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row for each row that leaks and each check that finds it. The columns are `check`, which
        is "groups", "keys" or "duplicates"; `set`, the number of the set of rows with the same
        group, the same key or equal values, counted from 0 in each check; `row`, the position of
        the row in the frame; and the fold, under the name of the fold column (`fold` if that name
        is taken). With several fold columns, the first column is `column`. Rows of Dask and Spark
        frames have no positions: the result is a lazy frame of the rows that leak, with `check` and
        `set` added.

    Raises
    ------
    StratError
        If an argument names a column that does not exist or that cannot be compared.

    See Also
    --------
    check : Count the rows that leak, and judge whether chance can explain them.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"who": ["ann", "bob", "ann", "eve"], "fold": [0, 1, 1, 0]})
    >>> sf.leaks(df, groups="who", duplicates="who")
            check  set  row  fold
    0      groups    0    0     0
    1      groups    0    2     1
    2  duplicates    0    0     0
    3  duplicates    0    2     1
    """
    asked = read_arguments(groups=groups, key=key, duplicates=duplicates)
    frame, name, aside = join_given(frame, name, asked.named)
    source, names = named_source(frame, name)
    if isinstance(source, EngineSource):
        return keep_leaks(source, names, asked)
    eager, compared = read_compared(source.frame, names, asked)

    def table_of(column: str, label: str) -> Any:
        series = frames.folds.read_fold_column(eager, column)
        _, folds = frames.fold_codes(series)
        none = np.zeros(0, dtype=np.int64)
        found = [(none, none), *(shared_sets(each, folds) for each in compared)]
        rows, sets = map(np.concatenate, zip(*found, strict=True))
        sizes = [len(own) for own, _ in found[1:]]
        first = np.searchsorted(folds, folds[rows]) if aside is not None else 0
        table: dict[Hashable, Any] = {
            "check": np.repeat(text_array([each.check for each in compared]), sizes),
            "set": sets,
            "row": rows - first,
            label: frames.take(series, rows),
        }
        return frames.make_frame(frames.library_of(eager), table)

    return fold_table(names, table_of, ("check", "set", "row"))


def keep_leaks(source: EngineSource, names: Sequence[Any], asked: Asked) -> Any:
    refs = asked.refs
    given = [argument for argument in refs if refs[argument]]
    if len(given) != 1 or len(names) != 1:
        shown = ", ".join(f"`{each}`" for each in given) if given else "none of them"
        got = shown if len(names) == 1 else f"{len(names)} columns"
        msg = (
            f"`leaks` on {source.kind} frames takes one of `groups`, `key` and `duplicates`, and"
            f" one column of folds, got {got}.\nHint: call `leaks` once for each argument and each"
            " column; `check` takes several of each."
        )
        raise StratError(msg)
    source.check_shared(Options(groups=asked.terms), refs, ("check", "set"))
    for argument in ("key", "duplicates"):
        check_not_itself(argument, refs[argument], names[0])
    return source.engine.leaking_rows(refs[given[0]], given[0], names[0])


def shared_sets(compared: ComparedUnits | ComparedRows, folds: Ints) -> tuple[Ints, Ints]:
    """Return the rows that share values with a row of another fold, and the set of each."""
    is_compared = folds >= 0
    if isinstance(compared, ComparedUnits):
        is_compared &= compared.known
    else:
        compared = leave_out_twins(compared, folds)
        is_compared &= not compared.unique
    if not compared.columns:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(is_compared)
    found, sets = frames.duplicates.rows_across_folds(compared.columns, folds, rows)
    if isinstance(compared, ComparedUnits) and compared.nearest and len(found):
        ranks = compared.nearest(place_rows(folds[found], found, len(folds)))
        if ranks is not None:
            sets = np.unique(ranks[compared.columns[0].series[found]], return_inverse=True)[1]
            order = np.argsort(sets, kind="stable")
            found, sets = found[order], sets[order]
    return found, sets
