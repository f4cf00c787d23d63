"""Whether a column of folds or parts is fit for use, in a sentence: `check`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..core.evenness import group_squares, grouped_variance, promised_deviation
from ..core.types import Ints, Values
from ..errors import describe, plural, plural_name, preview
from ..frames import AnyFrame, FoldValues, SharedRows
from ..habits import suggest_arguments
from ..pipeline.strata import Strata
from ..pipeline.tables import FoldCounts, stratum_names, table_order
from ..terms.base import By
from ..terms.by import parse_groups
from .advise import units_of_strata
from .audit import Examined, Question, examine
from .audit_checks import empty_folds
from .report import describe_evenness, measure_folds

Severity: TypeAlias = Literal["error", "warning", "note"]

WORST_FIRST: tuple[Severity, ...] = ("error", "warning", "note")

SEVERITY_COLOURS: dict[Severity, str] = {"error": "#c62828", "warning": "#b26a00", "note": "gray"}
"""Of findings in a notebook, readable on white and on black."""

CERTAIN = ("optimal", "even", "between", "skewed")
"""Verdicts that mean what they say even of bins that only show an order."""

ENOUGH = 2
"""Groups for each fold above which none should lack their stratum."""

Told: TypeAlias = tuple[Severity, str, str]
"""A finding without the column."""


class Finding(NamedTuple):
    """One thing that a check found."""

    severity: Severity
    """"error" for rows that leak, "warning" for what else is wrong, "note" for what need not be."""
    check: str
    """"balance", or the check of `audit`."""
    text: str
    name: str
    """The column of folds or parts."""


@dataclass(frozen=True, repr=False)
class CheckResult:
    """What `check` found: true if nothing is wrong, and as text a sentence for each column.

    Attributes
    ----------
    text : str
        A line for each column.
    findings : tuple of Finding
        What was found, the worst first: `severity`, "error" for rows that leak, "warning" for what
        else is wrong, and "note" for what need not be wrong; `check`, "balance" or the check of
        `audit`; `text`; and `name`, the column.
    """

    text: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong: there are no findings but notes."""
        return all(finding.severity == "note" for finding in self.findings)

    def __bool__(self) -> bool:
        """Return `ok`, so that a check can be asserted."""
        return self.ok

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show the lines of the text in a notebook, with a mark that says if all is well."""
        worst = self.findings[0].severity if self.findings else "note"
        colour, mark = ("#2e7d32", "&#10003;") if self.ok else (SEVERITY_COLOURS[worst], "&#10007;")
        lines = "<br>".join(map(escape, self.text.splitlines()))
        return (
            f'<div style="border-left: 4px solid {colour}; padding: 2px 10px; max-width: 45em">'
            f'<b style="color: {colour}">{mark}</b> {lines}</div>'
        )


@suggest_arguments
def check(
    frame: AnyFrame,
    by: By | None = None,
    name: str | Sequence[str] = "fold",
    *,
    groups: Any = None,
    key: Any = None,
    columns: Any = None,
) -> CheckResult:
    """Say in a sentence whether a column of folds or parts is fit for use.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask, Spark or pandas-on-Spark frame
    by : entry or list of entries, optional
        What the column should be even in; as for `report`. Without it, only sizes are told.
    name : str or list of str
        A fold or part column from any source; of a list, each column.
    groups : column, list of columns or `sf.clusters`, optional
        Groups that should be in one fold each; as for `audit`.
    key : column or list of columns, optional
        What identifies each row; as for `audit`.
    columns : column or list of columns, optional
        Columns by which rows are compared; as for `audit`, by default all but the fold columns
        and `key`, and on Dask and Spark frames none. Of few columns of few values rows may be
        equal by chance: [] compares none.

    Returns
    -------
    CheckResult
        True in a condition if nothing is wrong: no rows leak, all folds have rows, and with `by`
        the column is better than a random one. `findings` lists what was found, the worst first;
        as text it is a sentence for each column.

    Raises
    ------
    StratError
        If an argument breaks a rule.

    See Also
    --------
    report : How even each fold is.
    audit : All checks for leaks, with counts.
    leaks : The rows that leak.

    Notes
    -----
    A column is *even* if every stratum is within one row of its share of every fold, as `kfold` and
    `split` promise; the other verdicts are those of `report`. Rows without a fold do not count
    here, and are only noted; but as for `audit`, they count as training rows where groups, keys or
    rows are in several folds. With `groups` the column is compared with whole groups that are
    assigned at random, and being no better than these is not wrong: few groups may allow no more.
    A stratum that a fold lacks is wrong only if it has enough rows, or groups, for every fold. A
    continuous entry is shown as bins, of which a column that is no better than random is not
    wrong. Sizes and labels of `deal="hash"` are left to chance, so that they are no better.

    On Dask and Spark frames `by` is as for `strata`, and rows without a group are an error if there
    are both `by` and `groups`. No example is named of rows, nor of keys of a Dask frame.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> who = [f"p{row // 2}" for row in range(14)]
    >>> df = pd.DataFrame({"label": ["a", "b"] * 7, "patient": who}).strat.kfold("label", k=3)
    >>> sf.check(df, "label")
    fold: even (at most 1 row off). No row equals a row of another fold.
    >>> found = sf.check(df, "label", groups="patient")
    >>> found.ok, found.findings[0].severity
    (False, 'error')
    >>> print(found.findings[0].text)
    LEAK: 3 of 7 patients are in several folds, for instance 'p4' in folds 0 and 2
    """
    asked = Question(by, groups, key, columns, with_examples=True)
    side, names, examined = examine(frame, name, asked)
    terms = parse_groups(groups)
    of_groups = side.strata(by, terms) if by is not None and terms else None
    called = {"split_groups": plural_name(groups), "repeated_keys": plural_name(key, "keys")}
    are_named = columns is not None
    told = [
        tell(str(each), examined(each), of_groups, called, are_named=are_named) for each in names
    ]
    findings = [finding for column in told for finding in column.findings]
    findings.sort(key=lambda finding: WORST_FIRST.index(finding.severity))
    return CheckResult("\n".join(column.text for column in told), tuple(findings))


# One column -----------------------------------------------------------------------------


def tell(
    name: str,
    found: Examined,
    of_groups: Strata | None,
    called: dict[str, str],
    *,
    are_named: bool,
) -> CheckResult:
    """Say in a sentence what was found in one column.

    Parameters
    ----------
    of_groups : Strata, optional
        The strata of all rows with their groups, if both were asked for.
    called : dict of str
        What the groups and the keys are called.
    are_named : bool
        Whether the call names the columns by which rows are compared.
    """
    counts = found.counts and without_nulls(found.counts)
    fold = name_folds(found.folds)
    headline = describe_folds(found.folds, fold)
    balance: Told | None = None
    if not found.folds.present:
        return CheckResult(
            f"{name}: {headline}.", (Finding("warning", "empty_folds", headline, name),)
        )
    if counts is not None:
        verdict, text = describe_balance(counts, of_groups)
        if verdict in CERTAIN or not counts.of_order:
            headline = text
        if verdict == "skewed" or (verdict == "as random" and not (of_groups or counts.of_order)):
            balance = ("warning", "balance", text)
    listed = [
        *find_leaks(found, called, fold, are_named=are_named),
        balance,
        find_empty(found.folds, fold),
        None if counts is None else find_missing(counts, fold, of_groups),
        find_repeated(found, called["repeated_keys"], fold),
        find_unclear(found),
        find_unassigned(found.folds, fold),
    ]
    findings = [
        Finding(severity, kind, text, name) for severity, kind, text in filter(None, listed)
    ]
    findings.sort(key=lambda finding: WORST_FIRST.index(finding.severity))
    texts = [finding.text for finding in findings if finding.check != "balance"]
    if not any(finding.severity == "error" for finding in findings):
        texts += describe_no_leaks(found, called, fold)
    sentences = " ".join(f"{text[0].upper()}{text[1:]}." for text in texts)
    return CheckResult(f"{name}: {headline}. {sentences}".rstrip(), tuple(findings))


def name_folds(folds: FoldValues) -> str:
    """Choose what the labels of a column are: folds, or parts if they are text."""
    texts = [value for value in folds.values if isinstance(value, str) and not value.isdecimal()]
    return "part" if texts and len(texts) == len(folds.values) else "fold"


def describe_folds(folds: FoldValues, fold: str) -> str:
    """Describe how many rows there are in each fold."""
    sizes = [size for size in folds.sizes if size]
    if not sizes:
        return f"no row has a {fold}" if folds.n_nulls else "there are no rows"
    low, high = min(sizes), max(sizes)
    rows = plural(low, "row") if low == high else f"{low:,} to {high:,} rows"
    return f"{plural(len(sizes), fold)} of {rows}"


# Leaks ----------------------------------------------------------------------------------


def find_leaks(
    found: Examined, called: dict[str, str], fold: str, *, are_named: bool
) -> list[Told]:
    """Say which groups, keys and rows are in several folds."""
    leaks: list[Told] = []
    shared = {"split_groups": found.groups, "repeated_keys": found.keys and found.keys[0]}
    for check_name, rows in shared.items():
        if rows is not None and rows.n_split:
            verb = "is" if rows.n_split == 1 else "are"
            subject = f"{rows.n_split:,} of {rows.n_values:,} {called[check_name]}"
            text = f"LEAK: {subject} {verb} in several {fold}s{give_example(rows, fold)}"
            leaks.append(("error", check_name, text))
    audited, rows = found.rows or (None, None)
    if audited is not None and rows is not None and rows.n_split:
        verb = "equals" if rows.n_rows == 1 else "equal"
        text = f"LEAK: {plural(rows.n_rows, 'row')} {verb} a row of another {fold}"
        if rows.example is not None and rows.example.rows is not None:
            first, second = sorted(rows.example.rows)
            text += f", for instance rows {first:,} and {second:,}"
        if not are_named:
            text += " (`columns=[]` compares none)"
        leaks.append(("error", audited.check, text))
    return leaks


def give_example(shared: SharedRows, fold: str) -> str:
    """Name a value that is in several folds, and two of these; nothing if none is known."""
    if shared.example is None or not shared.example.values:
        return ""
    values, (low, high) = shared.example.values, shared.example.folds
    shown = describe(values[0] if len(values) == 1 else values)
    where = f"in {fold}s {low} and {high}"
    return f", for instance {shown} {where if high is not None else f'in {fold} {low} and in none'}"


def describe_no_leaks(found: Examined, called: dict[str, str], fold: str) -> list[str]:
    """Say what was looked at and does not leak."""
    clean = []
    if found.groups is not None and found.groups.n_values:
        noun = called["split_groups"]
        clean.append(f"each of {found.groups.n_values:,} {noun} is in one {fold}")
    if found.keys is not None and found.keys[0].n_values and not found.keys[0].n_repeated:
        clean.append(f"each of {found.keys[0].n_values:,} {called['repeated_keys']} is unique")
    if found.rows is not None and found.rows[0].severity == "ok":
        clean.append(f"no row equals a row of another {fold}")
    return [", and ".join(clean)] if clean else []


# Balance --------------------------------------------------------------------------------


def without_nulls(counts: FoldCounts) -> FoldCounts:
    """Leave out the rows without a fold, which are counted in the last column of each table."""
    dealt = np.append(np.ones(len(counts.folds), dtype=np.int64), 0)
    return counts._replace(tables=[table * dealt for table in counts.tables])


def describe_balance(counts: FoldCounts, of_groups: Strata | None) -> tuple[str, str]:
    """Say how even a column is, by a verdict of `report` and in words."""
    folds = measure_folds(counts)
    if of_groups is not None and not folds.is_even.all():
        folds = folds._replace(random=random_groups(of_groups, folds.n))
    pooled = folds.pooled()
    (verdict,) = pooled.verdicts()
    word, off = describe_evenness(pooled)
    return verdict, f"{word} ({off})"


def random_groups(strata: Strata, totals: Ints) -> Values:
    """Compute the deviation to expect of each fold if whole groups were assigned at random."""
    assert strata.groups is not None
    squares = np.concatenate(
        [
            group_squares(each.codes, strata.groups, strata.weights, len(each.sizes))
            for each in strata.margins or [strata]
        ]
    )
    # Of all groups only a share may have folds.
    squares = squares * (totals.sum() / max(strata.n_rows, 1))
    expected: Values = np.sqrt(grouped_variance(squares, totals).mean(axis=0))
    return expected


def find_empty(folds: FoldValues, fold: str) -> Told | None:
    """Say which folds have no rows, or that there are too few."""
    audited = empty_folds(folds)
    if audited.severity == "ok":
        return None
    return "warning", "empty_folds", audited.detail.replace("fold", fold, 1) + "".join(audited.more)


def find_missing(counts: FoldCounts, fold: str, of_groups: Strata | None) -> Told | None:
    """Say which strata some fold lacks: wrong if there are enough rows, or groups, for all.

    Joint strata, and bins of an order, are too many to be told of if they are only too rare.
    """
    levels = [] if of_groups is None else of_groups.margins or [of_groups]
    is_joint = counts.of_order or any(len(strata.levels) > 1 for strata in counts.strata)
    rare: list[str] = []
    wrong: list[str] = []
    for place, (table, strata) in enumerate(zip(counts.tables, counts.strata, strict=True)):
        sizes, totals = table.sum(axis=1), table.sum(axis=0)
        expected = sizes[:, None] * totals / max(int(sizes.sum()), 1)
        lacks = (table == 0) & (totals > 0)
        order, with_entry = table_order(strata), len(counts.tables) > 1
        # Any 2 k neighbours of an order hold a whole block, which has a row for each fold.
        could = expected > promised_deviation(sizes)[:, None] + counts.of_order
        if of_groups is not None and lacks.any():
            n_groups = count_groups(strata, levels[place], of_groups.groups)[:, None]
            could &= n_groups * totals > ENOUGH * max(int(sizes.sum()), 1)
        for names, missed in ((wrong, lacks & could), (rare, lacks & ~could)):
            rows = order[(missed.any(axis=1) & (sizes > 0))[order]]
            names += map(repr, stratum_names(strata, rows, with_entry=with_entry))
    if wrong:
        return "warning", "missing_strata", f"not in every {fold}: {preview(wrong, len(wrong))}"
    if rare and not is_joint:
        return "note", "missing_strata", f"too rare for every {fold}: {preview(rare, len(rare))}"
    return None


def count_groups(strata: Strata, of_groups: Strata, groups: Ints | None) -> Ints:
    """Count the groups in each stratum, by its name: with groups strata are numbered otherwise."""
    assert groups is not None
    names, own_names = (
        stratum_names(each, np.arange(len(each.sizes)), with_entry=False)
        for each in (of_groups, strata)
    )
    counts = dict(zip(names, units_of_strata(of_groups, groups).tolist(), strict=True))
    return np.array([counts.get(name, 0) for name in own_names])


# Rows -----------------------------------------------------------------------------------


def find_repeated(found: Examined, keys: str, fold: str) -> Told | None:
    """Say if keys repeat, though in one fold."""
    if found.keys is None or found.keys[0].n_split or not found.keys[0].n_repeated:
        return None
    n_repeated, n_values = found.keys[0].n_repeated, found.keys[0].n_values
    verb = "repeats" if n_repeated == 1 else "repeat"
    text = f"{n_repeated:,} of {n_values:,} {keys} {verb} within a {fold} (`groups` may repeat)"
    return "warning", "repeated_keys", text


def find_unclear(found: Examined) -> Told | None:
    """Say which columns differ in every row, so that none can equal another."""
    audited, rows = found.rows or (None, None)
    if audited is None or rows is not None or ":" not in audited.detail or audited.n:
        return None
    return "note", audited.check, f"equal rows may be {audited.detail}"


def find_unassigned(folds: FoldValues, fold: str) -> Told | None:
    """Say how many rows have no fold."""
    if not folds.n_nulls:
        return None
    verb = "has" if folds.n_nulls == 1 else "have"
    return "note", "unassigned_rows", f"{plural(folds.n_nulls, 'row')} {verb} no {fold}"
