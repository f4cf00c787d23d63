"""Whether a column of folds or parts is fit for use, in a sentence: `check`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from ..errors import plural_name
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.strata import Strata
from ..terms.base import By
from ..terms.by import parse_groups
from .audit import Examined, Question, examine
from .check_findings import (
    Severity,
    Told,
    describe_balance,
    describe_folds,
    describe_no_leaks,
    find_empty,
    find_leaks,
    find_missing,
    find_repeated,
    find_unassigned,
    find_unclear,
    name_folds,
    without_nulls,
)

WORST_FIRST: tuple[Severity, ...] = ("error", "warning", "note")

SEVERITY_COLOURS: dict[Severity, str] = {"error": "#c62828", "warning": "#b26a00", "note": "gray"}
"""Of findings in a notebook, readable on white and on black."""

CERTAIN = ("optimal", "even", "between", "skewed")
"""Verdicts that mean what they say even of bins that only show an order."""


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
