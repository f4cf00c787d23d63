"""Whether a column of folds or parts is fit for use: `check`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np

from .. import frames
from ..engines.deal import CountedFrame
from ..errors import StratError, plural, plural_name
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.local import LocalFrame
from ..pipeline.options import Options
from ..pipeline.tables import check_not_itself, text_array
from ..terms.base import By, Term
from ..terms.by import columns_of, parse_columns, parse_groups, require_by
from .drift import DRIFT_HINT, check_features, measure_drift
from .findings import (
    WORST_FIRST,
    Duplicates,
    Finding,
    Labels,
    Shared,
    find_balance,
    find_drift,
    find_duplicates,
    find_rows,
    find_shared,
    find_sizes,
    is_or_are,
    sum_squares,
    worst_first,
    write_line,
)
from .leaks import (
    AUTO,
    count_duplicates,
    count_shared,
    find_twin,
    is_auto,
    is_chance,
    read_compared,
)
from .select import named_source
from .sources import check_rows

MARKS = {"leak": "LEAK", "warning": "WARNING", "note": "note", "ok": "ok"}
"""Severities as a line starts with them."""

MARK_COLOURS = {"leak": "#c62828", "warning": "#b26a00", "note": "gray", "ok": "#2e7d32"}
"""Of severities in a notebook, readable on white and on black."""


@dataclass(frozen=True, repr=False, eq=False)
class Check:
    """What `check` found: true if a column is fit for use, and as text a line for each finding.

    Attributes
    ----------
    ok : bool
        Whether no finding is a leak or a warning.
    findings : pandas.DataFrame or polars.DataFrame
        One row per finding, in the caller's library, the worst first: `name`, the column;
        `severity`, "leak", "warning", "note" or "ok"; `check`, one of "groups", "keys",
        "duplicates", "balance", "strata", "sizes", "drift" and "rows"; `n`, how many groups, keys,
        rows, cells, strata, folds or comparisons it is about; and `detail`, a line.
    text : str
        The answer, then a line for each finding; of several columns a block for each.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> found = sf.check(pd.DataFrame({"x": [1.5, 2.5, 1.5, 2.5], "fold": [0, 1, 1, 0]}))
    >>> found.ok
    True
    >>> found.raise_if_wrong()
    """

    ok: bool
    findings: Any
    text: str

    def __bool__(self) -> bool:
        """Return `ok`, so that a check can be asserted."""
        return self.ok

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    __repr__ = __str__

    def raise_if_wrong(self) -> None:
        """Raise if the column is not fit for use.

        Raises
        ------
        StratError
            With the text.
        """
        if not self.ok:
            raise StratError(self.text)

    def _repr_html_(self) -> str:
        """Show the lines in a notebook, in the colours of their severities."""
        marks = {mark: MARK_COLOURS[severity] for severity, mark in MARKS.items()}
        lines = []
        for line in self.text.splitlines():
            mark, _, rest = line.strip().partition(" ")
            colour = marks.get(mark) if line.startswith("  ") else None
            shown = f'<b style="color: {colour}">{mark}</b> {escape(rest.strip())}'
            lines.append(f"<b>{escape(line)}</b>" if colour is None else shown)
        edge = MARK_COLOURS["ok" if self.ok else "leak"]
        style = f"border-left: 4px solid {edge}; padding: 2px 10px; max-width: 45em"
        return f'<div style="{style}">{"<br>".join(lines)}</div>'


@suggest_arguments
def check(
    frame: AnyFrame,
    by: By | None = None,
    name: str | Sequence[str] = "fold",
    *,
    groups: Any = None,
    key: Any = None,
    features: Any = None,
    duplicates: Any = AUTO,
) -> Check:
    """Say whether a column of folds or parts is fit for use.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by : entry or list of entries, optional
        What the column should be even in; as for `report`.
    name : str or list of str
        A fold or part column from any source; of a list, each column.
    groups : column, list of columns or `sf.clusters`, optional
        Groups that should be in one fold each. Of a list, combinations of values; each column by
        itself is noted too.
    key : column or list of columns, optional
        What identifies each row.
    features : column or list of columns, optional
        What should not differ from fold to fold; as for `drift`.
    duplicates : {"auto"}, column, list of columns or None
        Columns in which no row should equal a row of another fold; as for `leaks`. On Dask and
        Spark frames none by default.

    Returns
    -------
    Check
        True in a condition if the column is fit for use: no finding is a leak or a warning.
        As text, the answer and a line for each finding, the worst first; `findings` has them as a
        frame; `raise_if_wrong()` raises if it is not fit.

    Raises
    ------
    StratError
        If an argument breaks a rule.

    See Also
    --------
    report : How even each fold is.
    leaks : The rows that leak.
    plot : The same in pictures.

    Notes
    -----
    A column is *even* if each stratum, at every level of `by`, is in each fold within a row of what
    the sizes of both say, p rows more for a share p of all rows, as the fold's own size is rounded
    too. It is *uneven* if a cell of which a row or more is expected is further off than that, and
    off by more than a tenth; with `groups` or `sf.clusters` also by more than 3.5 standard
    deviations of whole groups, or rows, at random. Between, it is *as even as a shuffle*. A float
    column with fractions, or whole numbers of more than ten values, most of whose rows are in rare
    ones, is judged in up to five bins.

    Equal rows are a leak unless chance explains them: ten times the pairs that columns of these
    values would have if they were independent, or a column that says little more than the others
    do. Of columns that the call names, the first of these alone counts; of a single one, neither.

    Rows without a fold are left out, but noted. On Dask and Spark frames rows without a group are
    an error, `features` cannot be given, and no example is named of rows.

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
    source, names = named_source(frame, name)
    terms = parse_groups(groups)
    asked = Asked(by, terms, groups, key, features, duplicates)
    look_at = (
        look_at_counts(source, asked)
        if isinstance(source, CountedFrame)
        else look_at_rows(source, names, asked)
    )
    found = [(str(each), worst_first(look_at(each))) for each in names]
    found.sort(key=lambda each: count_worst(each[1]))
    return make_check(source.library, found)


@dataclass(frozen=True)
class Asked:
    """What a check is asked for."""

    by: By | None
    terms: tuple[Term, ...]
    """Those of the groups."""
    groups: Any
    key: Any
    features: Any
    duplicates: Any


def count_worst(findings: Sequence[Finding]) -> tuple[int, ...]:
    """Count the findings of each severity, as negative numbers: the lowest are the worst."""
    severities = [finding.severity for finding in findings]
    return tuple(-severities.count(severity) for severity in WORST_FIRST)


# What is found --------------------------------------------------------------------------


def look_at_rows(
    source: LocalFrame, names: Sequence[Any], asked: Asked
) -> Callable[[Any], list[Finding]]:
    """Collect what a check needs of a frame on this machine, and look at one column at a time."""
    by, features = asked.by, asked.features
    features = () if features is None else check_features(source.frame, features)
    of_by = [] if by is None else columns_of(require_by(by).terms)
    frames.check_refs(source.frame, of_by, "by")
    for name in names:
        check_not_itself("by", of_by, frames.label_of(source.frame, name))
    eager, compared = read_compared(
        source.frame, names, asked.groups, asked.key, asked.duplicates, [*of_by, *features]
    )
    local = LocalFrame(eager)

    def look_at(name: Any) -> list[Finding]:
        """Find what there is to say of one column."""
        values, folds = frames.fold_codes(frames.folds.read_fold_column(eager, name))
        labels = Labels(frames.count_values(values, folds))
        shared = [
            count_shared(each, values, folds) for each in compared if each.check != "duplicates"
        ]
        rows = [count_duplicates(each, folds) for each in compared if each.check == "duplicates"]
        drifts = measure_drift(eager, list(features), name) if features else None
        twin = partial(find_twin, source.frame, names, folds)
        findings = find_all(local, asked, name, labels, shared, rows, twin)
        return findings + ([] if drifts is None else find_drift(drifts, labels))

    return look_at


def look_at_counts(source: CountedFrame, asked: Asked) -> Callable[[Any], list[Finding]]:
    """Check the arguments on a frame whose rows are counted, and look at one column at a time."""
    keys, named = parse_columns("key", asked.key), asked.duplicates
    if asked.features is not None:
        check_rows(
            source.frame, "`check` looks at the values of `features` in all rows", DRIFT_HINT
        )
    refs = () if named is None or is_auto(named) else parse_columns("duplicates", named)
    group_refs = columns_of(asked.terms)
    given = {"groups": group_refs, "key": list(keys), "columns": list(refs)}
    source.check_shared(Options(groups=asked.terms), given)

    def share(argument: str, name: Any, labels: Labels) -> Any:
        """Count what rows share across folds, and what only those without a fold share."""
        counted = source.shared_rows(given[argument], argument, name, drop=True)[0]
        if not labels.values.n_nulls:
            return counted, 0
        every = source.shared_rows(given[argument], argument, name, drop=False)[0]
        return counted, every.n_split - counted.n_split

    def look_at(name: Any) -> list[Finding]:
        """Find what there is to say of one column."""
        labels = Labels(source.label_rows(name).labels)
        shared = []
        if labels.values.present and group_refs:
            counted = share("groups", name, labels)
            shared.append(Shared("groups", plural_name(asked.groups), *counted))
        if labels.values.present and keys:
            counted = share("key", name, labels)
            shared.append(Shared("keys", plural_name(asked.key, "keys"), *counted))
        rows = []
        if refs and labels.values.present:
            rows = [count_alike(source, refs, name, sum(labels.values.sizes))]
        elif is_auto(named):
            rows = [Duplicates(None, why_not=f"not looked for on {source.kind} frames")]
        return find_all(source, asked, name, labels, shared, rows, lambda: None)

    return look_at


def count_alike(source: CountedFrame, refs: Sequence[Any], name: Any, n_rows: int) -> Duplicates:
    """Count the rows that equal a row of another fold, and judge whether chance explains them."""
    shared = source.shared_rows(refs, "columns", name, drop=True)[0]
    if not shared.n_split or len(refs) == 1:
        return Duplicates(shared)
    alone = [source.shared_rows([ref], "columns", name, drop=True)[0] for ref in refs]
    counted = [(each.n_values, each.n_pairs) for each in alone]
    return Duplicates(shared, is_chance(shared, counted, n_rows))


def find_all(
    source: Any,
    asked: Asked,
    name: Any,
    labels: Labels,
    shared: Sequence[Shared],
    rows: Sequence[Duplicates],
    twin: Callable[[], str | None],
) -> list[Finding]:
    """Find what there is to say of one column, but for drift, in the order of its lines."""
    found = find_rows(labels)
    if not labels.values.present:
        return found
    findings = [finding for each in shared for finding in find_shared(each, labels)]
    if asked.by is not None:
        counts = source.count_folds(asked.by, name, asked.terms)
        findings += find_balance(counts, counts.judge(), labels)
    findings += find_sizes(labels, sum_squares(labels, shared), twin)
    findings += [finding for each in rows for finding in find_duplicates(each, labels)]
    return findings + found


# Text -----------------------------------------------------------------------------------


def make_check(library: str, found: Sequence[tuple[str, list[Finding]]]) -> Check:
    """Put the findings of columns, the worst column first, into text and a frame."""
    n_fit = sum(all(is_fine(each) for each in findings) for _, findings in found)
    lines = []
    if len(found) > 1:
        lines.append(f"{n_fit} of {len(found)} fold columns {is_or_are(n_fit)} fit for use")
    for name, findings in found:
        lines.append(answer(name, findings))
        lines += [f"  {MARKS[each.severity]:8} {each.detail}" for each in findings]
    rows = [(name, finding) for name, findings in found for finding in findings]
    rows.sort(key=lambda row: WORST_FIRST.index(row[1].severity))
    table: dict[Hashable, Any] = {
        "name": text_array([name for name, _ in rows]),
        "severity": text_array([each.severity for _, each in rows]),
        "check": text_array([each.check for _, each in rows]),
        "n": np.array([each.n for _, each in rows], dtype=np.int64),
        "detail": text_array([each.detail for _, each in rows]),
    }
    return Check(n_fit == len(found), frames.make_frame(library, table), "\n".join(lines))


def is_fine(finding: Finding) -> bool:
    """Return whether a finding leaves a column fit for use."""
    return finding.severity in ("note", "ok")


def answer(name: str, findings: Sequence[Finding]) -> str:
    """Say whether a column is fit for use, and if not, for how many leaks and warnings."""
    severities = [finding.severity for finding in findings]
    wrong = [
        plural(severities.count(severity), severity)
        for severity in WORST_FIRST[:2]
        if severity in severities
    ]
    fit = f"not fit for use: {', '.join(wrong)}" if wrong else "fit for use"
    return write_line(f"{{name}} is {fit}", name=name)
