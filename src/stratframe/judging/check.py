"""Judge whether a column of folds or parts is fit for use: `check`."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import check_flag
from ..core.strata import factorize_codes
from ..core.types import Ints
from ..engines.engine_source import EngineSource
from ..errors import StratError, describe, plural
from ..frames import AnyFrame, ComparedColumn, FoldValues
from ..habits import suggest_arguments
from ..pipeline.fold_counts import check_not_itself
from ..pipeline.local_source import LocalSource
from ..pipeline.options import Options
from ..progress import track
from ..terms.base import By, Term
from ..terms.by import columns_of
from ..verbs.door import any_frame
from ..verbs.result_tables import text_array
from ..verbs.sources import check_rows, join_given, named_source
from .asked import AUTO, Asked, read_arguments
from .balance import find_balance, find_totals
from .candidates import read_candidates
from .chronology import find_on, find_time
from .compared import find_twin, read_beside, read_compared
from .copies import ComparedRows
from .drift import DRIFT_HINT, check_features, find_drift, measure_drift
from .duplicates import EqualRows, count_equal_rows, worse_of
from .engine_counts import count_on_engine
from .groups import ComparedUnits
from .ids import named_ids
from .lines import (
    WORST_FIRST,
    Finding,
    fit_line,
    is_or_are,
    keep_questions,
    printable,
    worst_first,
    write_finding,
)
from .sequences import TimeColumn, list_time_columns, list_time_labels, look_for_time, names_time
from .shared import Shared, count_group_pairs, count_shared, find_shared
from .sizes import find_aside, find_rows, find_same, find_sizes
from .unasked_groups import FrameColumns, list_group_labels, look_for_groups, read_frame_columns

MARKS = {"leak": "LEAK", "warning": "WARNING", "note": "note", "ok": "ok"}
"""The word at the start of a finding's line, for each severity."""

MAY_CHANGE = ("balance", "totals", "strata", "sizes", "drift")
"""The checks whose warnings become notes if parts follow each other in time, because data can
change over time."""

MARK_COLOURS = {"leak": "#c62828", "warning": "#b26a00", "note": "gray", "ok": "#2e7d32"}
"""The colour of each severity in a notebook, legible on white and on black backgrounds."""

MOST_CROSSED = 3
"""The maximum number of fold columns that are compared with each other on Dask and Spark frames."""


@dataclass(frozen=True, repr=False, eq=False)
class Check:
    """The result of `check`; it counts as true if every fold column is fit for use.

    Attributes
    ----------
    ok : bool
        Whether no finding is a leak or a warning or, with `strict`, a question.
    findings : pandas.DataFrame or polars.DataFrame
        One row per finding, worst first. The columns are `name`, the fold column; `severity`,
        "leak", "warning", "note" or "ok"; `check`, one of "groups", "keys", "time", "duplicates",
        "balance", "totals", "strata", "sizes", "drift" and "rows"; `n`, the number of groups, keys,
        rows, strata, cells (strata in folds), folds or comparisons concerned; `fold` and `level`,
        the label and the class or value concerned as text, missing if the finding is not on one of
        them; and `detail`, the text of the finding.
    text : str
        A line that says whether the column is fit for use, then a line for each finding. With
        several fold columns, a line with the number of fit columns comes before all these lines.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> found = sf.check(pd.DataFrame({"x": [1.5, 2.5, 1.5, 2.5], "fold": [0, 1, 1, 0]}))
    >>> found.ok
    True
    >>> found.raise_if_wrong()
    """

    ok: bool
    text: str
    _full_text: str
    """The lines of `text` with all names and endings in full."""
    _library: str
    """The library of the frame, and of the frame of findings."""
    _rows: Sequence[tuple[str, Finding]]
    """The fold column and the finding of each row of the frame of findings."""

    @cached_property
    def findings(self) -> Any:
        # A frame takes much of the time of a small check, and `ok` and `text` do not need it.
        return make_table(self._library, self._rows)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return self.text

    def raise_if_wrong(self) -> None:
        """Raise a `StratError`, whose message is `text`, if a fold column is not fit for use."""
        if not self.ok:
            raise StratError(self.text)

    def _repr_html_(self) -> str:
        # `html` is slow to import, and only notebooks need it.
        text = import_module("html").escape(self._full_text)
        for severity, mark in MARKS.items():
            shown = f'<b style="color: {MARK_COLOURS[severity]}">{mark}</b>'
            text = re.sub(rf"^  {mark}\b", f"  {shown}", text, flags=re.MULTILINE)
        edge = MARK_COLOURS["ok" if self.ok else "leak"]
        style = f"border-left: 4px solid {edge}; padding: 2px 10px; white-space: pre-wrap"
        return f'<pre dir="ltr" style="{style}">{text}</pre>'


@suggest_arguments
@any_frame()
def check(  # noqa: PLR0913 - what users ask for
    frame: AnyFrame | Mapping[str, AnyFrame],
    by: By | None = None,
    name: str | Sequence[str] = "fold",
    *,
    groups: Any = None,
    key: Any = None,
    features: Any = None,
    duplicates: Any = AUTO,
    time: Any = None,
    strict: bool = False,
) -> Check:
    """Check whether a column of folds or parts is fit for use.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame, or mapping of names to frames
        The pandas or Polars frames of a mapping such as `{"train": a, "test": b}` are stacked; only
        columns that all frames have are kept. The names of the frames become the parts, and `name`
        must be left out.
    by : entry or list of entries, optional
        The columns or terms whose values should be spread evenly over the folds, as for `report`.
    name : str or list of str
        One or more fold or part columns from any source.
    groups : column, list of columns, `sf.clusters`, `sf.linked`, `sf.similar` or False, optional
        The columns or term that identify groups; each group should be in one fold. With a list of
        columns, each combination of values is a group; a value of a single column in several folds
        gives a note, not a leak. By default, `check` looks for columns whose values the folds keep
        whole, and for ids. With False, it does not.
    key : column or list of columns, optional
        The columns that together identify each row.
    features : column or list of columns, optional
        Columns that should have the same distribution in all folds, as for `drift`.
    duplicates : {"auto"}, column, list of columns or None
        Columns in which no row should equal a row of another fold, as for `leaks`.
    time : column, list of columns or False, optional
        The column with the time of each row: dates, numbers, or text in ISO format; each part
        should end before the next part starts. In a list, the last column has the times, and parts
        are compared within each combination of values of the other columns, for example within each
        user. By default, `check` looks for a column of times by which the parts follow each other.
        With False, it does not.
    strict : bool
        Whether a fold column is unfit for use while a finding asks a question: whether the rows of
        an id belong together, for example. The arguments that the finding names answer it.

    Returns
    -------
    Check
        A result that counts as true if no finding is a leak, a warning or, with `strict`, a
        question. Its text has a line
        for each finding, worst first; `findings` is a frame with a row for each finding; and
        `raise_if_wrong()` raises an error if a fold column is not fit for use.

    See Also
    --------
    report : Report how even each fold is.
    leaks : List the rows that leak.
    plot : Plot shares, balance, drift and leaks.

    Notes
    -----
    A stratum is *even* if each fold has its share of the stratum's rows, within about a row. It is
    *uneven* if a fold deviates by more than this, by more than a tenth of its share, and by more
    than chance can explain in a shuffle of the rows or, with `groups`, of whole groups. Otherwise,
    it is *as even as a shuffle*. The order of a continuous entry is even if, at each of 60 quantile
    cuts of each stratum, the number of rows up to the cut in each fold is within two rows of the
    fold's share. Equal rows in different folds are a leak, unless chance can explain them or, if
    `duplicates` names no columns, they make up at most 1 % of the rows or agree in fewer than three
    columns beside a column that differs in every row. So are rows that are equal in all columns
    but one that has fractions or is in `by`, if they make up more than 1 % of the rows. With
    several fold columns, rows are compared with and without the other columns of `name`, unless
    their names suggest folds.

    Without `groups`, folds that keep each value of a column whole are judged as if it were named, a
    few torn values among whole ones are a leak, and folds that are sites may be uneven. The page
    *How good is a fold column?* has the exact rules.

    Rows without a fold are left out, and a note gives their number. On Dask and Spark frames, rows
    without a group raise an error, `features` cannot be given, equal rows are looked for only in
    columns that `duplicates` names, neither groups nor times are looked for, more than three fold
    columns are not compared with each other, and no rows are shown as examples.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> who = [f"p{row // 2}" for row in range(14)]
    >>> df = pd.DataFrame({"label": ["a", "b"] * 7, "patient": who}).strat.kfold("label", k=3)
    >>> sf.check(df, "label")
    fold is fit for use
      ok       label: even, each class within a row of its share
      ok       sizes: 3 folds of 4 to 5 rows
      ok       duplicates: no row equals a row of another fold
    >>> found = sf.check(df, "label", groups="patient")
    >>> found.ok, found.findings["severity"][0]
    (False, 'leak')
    """
    check_flag("strict", strict)
    asked = read_arguments(
        by=by, groups=groups, key=key, duplicates=duplicates, features=features, time=time
    )
    frames.references.check_each_column_once("`time`", asked.time)
    frame, name, aside = join_given(frame, name, asked.named)
    source, names = named_source(frame, name)
    if isinstance(source, EngineSource):
        looked = look_at_counts(source, names, asked)
    else:
        looked = look_at_rows(source, names, asked, aside)
    found = list(zip(map(str, names), looked, strict=True))
    found.sort(key=lambda each: count_worst(each[1]))
    return make_check(source.library, found, strict=strict)


def count_worst(found: Sequence[Finding]) -> tuple[int, ...]:
    """Return minus the number of findings of each severity; the worst column then sorts first."""
    severities = [finding.severity for finding in found]
    return tuple(-severities.count(severity) for severity in WORST_FIRST)


class RowsRead(NamedTuple):
    """What a call reads of a frame whose rows can be read, before it looks at each fold column."""

    frame: Any
    """The frame of the call, which may be lazy."""
    eager: Any
    compared: Sequence[ComparedUnits | ComparedRows]
    features: Sequence[Any]
    time_columns: Sequence[TimeColumn]
    """The columns among which a time is looked for."""
    predicted: Any
    """The first column of `by`, or None."""
    group_columns: FrameColumns
    """The columns among which groups are looked for."""
    has_places: bool
    """Whether the positions of rows are meaningful to the user."""


def look_at_rows(
    source: LocalSource, names: Sequence[Any], asked: Asked, aside: list[Any] | None
) -> Iterator[list[Finding]]:
    """List the findings on each fold column of a frame whose rows can be read."""
    # Users do not know the row numbers of stacked frames.
    read = read_rows(source, names, asked, has_places=aside is None)
    unread = frames.arrow.unread_columns(source.frame)
    same = dict[Hashable, Any]()
    for name in track(names, "Columns of folds"):
        series = frames.folds.read_fold_column(read.eager, name)
        labels, folds = frames.fold_codes(series)
        found = find_rows(labels, name)
        found += find_aside(aside or (), "folds, not once in each frame")
        found += find_aside(unread, "Polars cannot read their types")
        if read.features:
            found.append(find_drift(*measure_drift(read.eager, read.features, name)))
        if labels.present and len(names) > 1:
            found += find_same(same, name, blake2b(number_folds(folds).tobytes()).digest())
        may_change = bool(asked.time)
        if labels.present:
            shared = share_rows(read, asked, names, name, labels, folds)
            for each in shared:
                found += find_shared(each, labels)
            if asked.time:
                found += find_time(frames.read_columns(read.eager, asked.time), asked.time, series)
            by_time = look_for_time(read.time_columns, series, labels, folds, read.predicted)
            by_groups = look_for_groups(read.group_columns, name, labels, folds, by_time.follows)
            found += [*by_time.findings, *by_groups.findings]
            may_change |= by_time.follows is not None or by_groups.are_sites
            groups = by_groups.terms or asked.terms
            found += find_counts(LocalSource(read.eager), asked, groups, name, labels)
            whole = read.eager if asked.is_auto else read.frame
            n_group_pairs = count_group_pairs(shared) + by_groups.n_pairs
            found += find_sizes(labels, n_group_pairs, partial(find_twin, whole, names, folds))
        yield sort_findings(found, may_change=may_change)


def read_rows(
    source: LocalSource, names: Sequence[Any], asked: Asked, *, has_places: bool
) -> RowsRead:
    """Check the columns of a call, and read them together with those in which it looks unasked."""
    frame = source.frame
    features = () if asked.features is None else check_features(frame, asked.features)
    of_by = columns_of(asked.entries)
    frames.check_refs(frame, {"by": of_by, "key": asked.refs["key"], "time": asked.time})
    for name in names:
        check_not_itself("by", of_by, name, frame)
        check_not_itself("time", asked.time, name, frame)
    times = list_time_labels(frame, names, asked)
    groups = list_group_labels(frame, names, asked)
    others = [*of_by, *asked.time, *features, *times, *groups.candidates, *groups.ids]
    eager, compared = read_compared(frame, names, asked, others)
    known = dict[Any, ComparedColumn]()
    for each in compared:
        if isinstance(each, ComparedRows):
            known |= each.by_label
    return RowsRead(
        frame=frame,
        eager=eager,
        compared=compared,
        features=features,
        time_columns=list_time_columns(read_candidates(eager, times, known)),
        predicted=frames.read_columns(eager, of_by[:1])[0] if of_by else None,
        group_columns=read_frame_columns(eager, groups, asked, known),
        has_places=has_places,
    )


def share_rows(
    read: RowsRead,
    asked: Asked,
    names: Sequence[Any],
    name: Any,
    labels: FoldValues,
    folds: Ints,
) -> list[Shared]:
    """Count what the folds share; rows are compared with and without other columns of `names`."""
    found: list[Shared] = []
    for compared in track(read.compared, "What folds share", ""):
        shared = count_shared(compared, labels.values, folds)
        if isinstance(shared, EqualRows):
            wider = read_beside(read.frame, read.eager, names, name, asked)
            if wider is not None:
                wide = count_equal_rows(wider, labels.values, folds)
                shared = worse_of(shared, wide, labels)
            shared = shared._replace(has_places=read.has_places)
        found.append(shared)
    return found


def number_folds(folds: Ints) -> Ints:
    """Number folds by first appearance, so that relabelled folds are equal; -1 means no fold."""
    numbers = np.full(len(folds), -1, dtype=np.int64)
    dealt = folds >= 0
    numbers[dealt] = factorize_codes(folds[dealt], int(folds.max(initial=-1)) + 1)[0]
    return numbers


def look_at_counts(
    source: EngineSource, names: Sequence[Any], asked: Asked
) -> Iterator[list[Finding]]:
    """List the findings on each fold column of a frame whose rows an engine counts."""
    if asked.features is not None:
        needs = "`check` looks at the values of `features` in all rows"
        check_rows(source.frame, needs, DRIFT_HINT)
    refs = asked.refs
    source.check_shared(Options(groups=asked.terms), refs | {"time": list(asked.time)})
    for name in names:
        check_not_itself("time", asked.time, name)
    known = [*columns_of(asked.entries), *asked.time]
    ids = named_ids(source.frame, names, refs["key"], known) if asked.looks_for_groups else []
    times = list(filter(names_time, list_time_labels(source.frame, names, asked)))
    few, same = 1 < len(names) <= MOST_CROSSED, dict[Hashable, Any]()
    rows = source.label_rows(names[0], names[1:]) if few else None
    crossed = [rows.series, *(column.series for column in rows.apart)] if rows else []
    for place, name in enumerate(track(names, "Columns of folds")):
        labels = source.label_rows(name).labels
        found = find_rows(labels, name)
        if labels.present:
            shared = list(count_on_engine(source, asked, name, labels))
            for each in shared:
                found += find_shared(each, labels)
            digest = None
            if rows:  # one for each combination of labels of the columns
                digest = number_folds(frames.encode_classes(crossed[place])[0]).tobytes()
            found += find_same(same, name, digest)
            found += find_on(source, asked.time, name) if asked.time else []
            found += find_omitted(source.kind, asked, ids, times)
            found += find_counts(source, asked, asked.terms, name, labels)
            found += find_sizes(labels, count_group_pairs(shared), lambda: None)
        yield sort_findings(found, may_change=bool(asked.time))


def find_omitted(
    kind: str, asked: Asked, ids: Sequence[Any], times: Sequence[Any]
) -> list[Finding]:
    """Say what is not looked for on Dask and Spark frames, although the call does not name it."""
    found = []
    if asked.is_auto:
        text = f"duplicates: not looked for on {kind} frames"
        found.append(write_finding("note", "duplicates", 0, text).as_question())
    if ids:
        text = f"groups: not looked for in {{id}} on {kind} frames"
        finding = write_finding("note", "groups", 0, text, id=describe(ids[0]))
        found.append(finding.as_question())
    if times:
        text = f"time: not looked for in {{column}} on {kind} frames"
        finding = write_finding("note", "time", 0, text, column=describe(times[0]))
        found.append(finding.as_question())
    return found


def find_counts(
    source: LocalSource | EngineSource,
    asked: Asked,
    groups: tuple[Term, ...],
    name: Any,
    labels: FoldValues,
) -> list[Finding]:
    """List the findings on the strata and totals of `by` in each fold."""
    if asked.by is None:
        return []
    counts = source.count_folds(asked.by, name, groups)
    found = find_balance(counts, counts.judge())
    if counts.totals is not None:
        found.append(find_totals(labels, counts.totals()))
    last = asked.entries[-1]
    if last.orders_rows and last.without_order() is None:
        text = "{order}: its order is not judged"
        found.append(write_finding("note", "balance", 0, text, order=str(last)))
    return found


def sort_findings(found: Sequence[Finding], *, may_change: bool) -> list[Finding]:
    """Sort findings, worst first; in parts of different times, what may change becomes a note."""
    found = keep_questions(found)
    if not may_change:
        return worst_first(found)
    return worst_first(
        each._replace(severity="note")
        if each.severity == "warning" and each.check in MAY_CHANGE
        else each
        for each in found
    )


def count_wrong(found: Sequence[Finding], *, strict: bool) -> dict[str, int]:
    """Count the findings that make a fold column unfit for use, by what they are."""
    severities = [finding.severity for finding in found]
    numbers = {severity: severities.count(severity) for severity in ("leak", "warning")}
    if strict:
        numbers["question"] = sum(finding.is_question for finding in found)
    return {kind: n for kind, n in numbers.items() if n}


def make_check(
    library: str, columns: Sequence[tuple[str, list[Finding]]], *, strict: bool
) -> Check:
    """Make a `Check` from the findings on each fold column; the worst column comes first."""
    wrongs = [count_wrong(found, strict=strict) for _, found in columns]
    n_fit = wrongs.count({})
    lines = []
    if len(columns) > 1:
        are = is_or_are(n_fit)
        lines.append(f"{n_fit} of {len(columns)} fold columns {are} fit for use")
    full_lines = [*lines]
    for (name, found), numbers in zip(columns, wrongs, strict=True):
        wrong = ", ".join(plural(n, kind) for kind, n in numbers.items())
        fit = f"not fit for use: {wrong}" if wrong else "fit for use"
        lines.append(fit_line(f"{{name}} is {fit}", name=printable(name)))
        full_lines.append(f"{printable(name)} is {fit}")
        for each in found:
            mark = f"  {MARKS[each.severity]:8} "
            lines.append(mark + each.line)
            full_lines.append(mark + each.detail)
    rows = [(name, each) for name, found in columns for each in found]
    rows.sort(key=lambda row: WORST_FIRST.index(row[1].severity))
    return Check(
        ok=n_fit == len(columns),
        text="\n".join(lines),
        _full_text="\n".join(full_lines),
        _library=library,
        _rows=rows,
    )


def make_table(library: str, rows: Sequence[tuple[str, Finding]]) -> Any:
    """Make a frame of findings from the fold column and the finding of each row."""
    found = [each for _, each in rows]
    table: dict[Hashable, Any] = {
        "name": text_array([name for name, _ in rows]),
        "severity": text_array([each.severity for each in found]),
        "check": text_array([each.check for each in found]),
        "n": np.array([each.n for each in found], dtype=np.int64),
        "fold": frames.text_column(library, [each.fold for each in found]),
        "level": frames.text_column(library, [each.level for each in found]),
        "detail": text_array([each.detail for each in found]),
    }
    return frames.make_frame(library, table)
