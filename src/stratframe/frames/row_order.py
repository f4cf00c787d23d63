"""Whether a lazy query gives its rows in the same order each time it is collected.

Steps that warn are `unique`, `group_by`, joins, `pl.union` and `merge_sorted` without
`maintain_order`, wherever they are in the query. A later `sort` is no remedy: rows that are
equal in its columns stay in any order, and a plan does not say which columns are unique. The one
exception is a `sort` by the keys of a `group_by` right after it, as these differ in every row.

A plan is looked at as the user wrote it: the optimizer drops the order where a later sort
hides it. Nothing is read but the schemas of files.
"""

import re
from contextlib import suppress
from typing import Any

import polars as pl

from ..errors import warn
from .which_library import Frame

STEPS = {
    "UNIQUE": "`unique`",
    "AGGREGATE": "`group_by`",
    "UNION": "`pl.union`",
    "MERGE SORTED": "`merge_sorted`",
}
"""What Polars calls the steps whose lines say whether they keep the order, and what users do."""

UNORDERED_LINE = re.compile(rf"^ *({'|'.join(STEPS)})\[maintain_order: false\b", re.MULTILINE)
SORTED_GROUPS = re.compile(
    r"^( *)SORT BY \[(?P<sorted>.*)\].*\n"
    r"\1  AGGREGATE\[maintain_order: false\]\n"
    r".* BY \[(?P<keys>.*)\]$",
    re.MULTILINE,
)
COLUMN = re.compile(r'col\("([^"]*)"\)')
JOIN_LINE = re.compile(r"^ *(?!ASOF )[A-Z]+ JOIN:$", re.MULTILINE)

ORDERED = {"left", "right", "left_right", "right_left"}
"""What `maintain_order` of a join may be, but for "none"."""


REPEATABLE_LINE = re.compile(
    r"^ *(?:(?:Parquet|Csv|CSV|NDJSON|IPC) SCAN |DF \[|PROJECT |ESTIMATED ROWS: |SELECTION: "
    r"|FILTER |FROM$|SELECT \[|WITH_COLUMNS:$|\[|SLICE\[|ROW[ _]INDEX|simple π )"
)
"""Lines of a plan whose step gives the same rows in the same order each time."""

VARIABLE_TEXT = re.compile("shuffle|sample|random|python|opaque|anonymous", re.IGNORECASE)
"""Expressions that may give other values each time."""


def is_repeatable(frame: pl.LazyFrame) -> bool:
    """Return whether a query surely gives the same rows in the same order each time."""
    plan = frame.explain(optimized=False)
    lines_are_known = all(REPEATABLE_LINE.match(line) for line in plan.splitlines())
    return lines_are_known and not VARIABLE_TEXT.search(plan)


def warn_row_order(frame: Frame, *, takes_key: bool) -> None:
    """Warn of a lazy query whose rows may come in another order each time.

    Parameters
    ----------
    takes_key : bool
        Whether the call could be given a `key`.
    """
    step = unordered_step(frame) if isinstance(frame, pl.LazyFrame) else None
    if step is None:
        return
    key = '`key="id"` names columns that identify the rows; or set' if takes_key else "set"
    warn(
        f"{step[0].upper()}{step[1:]} may put the rows of this lazy query in another order each"
        " time it is collected, and without `key=` the folds depend on the order: train and test"
        f" rows that are collected apart may overlap.\nHint: {key} `maintain_order` in that step."
    )


def unordered_step(frame: pl.LazyFrame) -> str | None:
    """Name a step of a query that may put the rows in any order; None if there is none."""
    plan = frame.explain(optimized=False)
    found = UNORDERED_LINE.search(SORTED_GROUPS.sub(drop_sorted, plan))
    if found:
        return STEPS[found[1]]
    n_joins = len(JOIN_LINE.findall(plan))
    return unordered_join(frame, n_joins) if n_joins else None


def drop_sorted(groups: re.Match[str]) -> str:
    """Drop a sorted `group_by` from a plan if the sort has all of its keys."""
    keys = set(COLUMN.findall(groups["keys"]))
    are_plain = not COLUMN.sub("", groups["keys"]).strip(", ")
    # An expression that mentions a column, such as a remainder, does not sort by it.
    items = groups["sorted"].split(", ")
    by = {match[1] for item in items if (match := COLUMN.fullmatch(item))}
    return "" if are_plain and keys <= by else groups[0]


def unordered_join(frame: pl.LazyFrame, n_joins: int) -> str | None:
    """Name a join that does not keep an order, or has settings that cannot be seen."""
    joins = join_settings(frame)
    for kind, order in joins:
        if order not in ORDERED:
            return join_name(kind)
    return None if len(joins) >= n_joins else "a join"


def join_settings(frame: pl.LazyFrame) -> list[tuple[str, Any]]:
    """List the kinds of the joins of a query and their `maintain_order`, the last join first.

    The printed plan lacks the setting, and a serialized plan holds the data of all frames in
    memory; so this is the view of the plan that Polars offers to other engines.
    """
    try:
        flags = pl.QueryOptFlags.none()._pyoptflags  # noqa: SLF001
        plan = frame._ldf.with_optimizations(flags).visit()  # noqa: SLF001
    except Exception:  # Polars does not promise this view.
        return []
    nodes, joins = [plan.get_node()], []
    while nodes:
        plan.set_node(nodes.pop())
        nodes += reversed(plan.get_inputs())
        with suppress(NotImplementedError):  # Python functions, and in Polars 1 `join_asof`
            node = plan.view_current_node()
            if type(node).__name__ == "Join":
                kind = node.options[0]
                joins.append((kind[0] if isinstance(kind, tuple) else kind, node.options[-1]))
    return [(kind, order) for kind, order in joins if kind != "AsOf"]


def join_name(kind: str) -> str:
    """Name a join as users do."""
    if kind in ("Cross", "IEJoin"):
        return "a cross join or `join_where`"
    return f"{'an' if kind in ('Inner', 'Anti') else 'a'} {kind.lower()} join"
