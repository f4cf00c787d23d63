"""Whether a lazy query gives its rows in the same order each time it is collected.

Steps that warn are `unique`, `group_by`, joins, `pl.union` and `merge_sorted` without
`maintain_order`, and expressions that are not known to leave rows in order, wherever they are in
the query. A later `sort` is no remedy: rows that are equal in its columns stay in any order, and
a plan does not say which columns are unique. The one exception is a `sort` by the keys of a
`group_by` right after it, as these differ in every row.

A plan is looked at as the user wrote it, and again as Polars optimizes it: a `sort` that need
not keep the order of equal rows lets the steps before it drop their `maintain_order`. Nothing is
read but the schemas of files.
"""

import re
from contextlib import suppress
from typing import Any

import polars as pl

from ..errors import warn
from .libraries import Frame
from .plans import reordering_expression

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
UNSTABLE_SORT = re.compile(
    r"^ *SORT BY \[(?!maintain_order: true)|\.sort_by\(.*maintain_order: false", re.MULTILINE
)
JOIN_LINE = re.compile(r"^ *(?!ASOF )[A-Z]+ JOIN:$", re.MULTILINE)

ORDERED = {"left", "right", "left_right", "right_left"}
"""What `maintain_order` of a join may be, but for "none"."""


def warn_row_order(frame: Frame, what: str, hint: str = "") -> None:
    """Warn of a lazy query whose rows may come in another order each time.

    Parameters
    ----------
    what : str
        What depends on the order.
    hint : str
        How the call could do without it.
    """
    if not isinstance(frame, pl.LazyFrame):
        return
    step, remedy = unordered_step(frame), "set `maintain_order` in that step"
    if step is None:
        step, remedy = unordered_expression(frame), "collect the query first"
    if step is None:
        return
    remedies = f"{hint}; or {remedy}" if hint else remedy
    warn(
        f"{step[0].upper()}{step[1:]} may put the rows of this lazy query in another order each"
        f" time it is collected, and {what} depend on the order: train and test"
        f" rows that are collected apart may overlap.\nHint: {remedies}."
    )


def unordered_step(frame: pl.LazyFrame) -> str | None:
    """Name a step of a query that may put the rows in any order; None if there is none."""
    plan = frame.explain(optimized=False)
    found = UNORDERED_LINE.search(SORTED_GROUPS.sub(drop_sorted, plan))
    if found:
        return STEPS[found[1]]
    n_joins = len(JOIN_LINE.findall(plan))
    join = unordered_join(frame, n_joins) if n_joins else None
    if join is None and UNSTABLE_SORT.search(plan) and drops_order(frame):
        return "`sort`"
    return join


def drops_order(frame: pl.LazyFrame) -> bool:
    """Return whether the optimizer drops the order of a step that a query asks for."""
    if UNORDERED_LINE.search(SORTED_GROUPS.sub(drop_sorted, frame.explain())):
        return True
    return any(order not in ORDERED for _, order in join_settings(frame, optimized=True))


def unordered_expression(frame: pl.LazyFrame) -> str | None:
    """Name an expression of a query that may put the rows in any order; None if there is none."""
    name = reordering_expression(frame)
    return None if name is None else f"the expression `{name}`"


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
    joins = join_settings(frame, optimized=False)
    for kind, order in joins:
        if order not in ORDERED:
            return join_name(kind)
    return None if len(joins) >= n_joins else "a join"


def join_settings(frame: pl.LazyFrame, *, optimized: bool) -> list[tuple[str, Any]]:
    """List the kinds of the joins of a query and their `maintain_order`, the last join first.

    The printed plan lacks the setting, and a serialized plan holds the data of all frames in
    memory; so this is the view of the plan that Polars offers to other engines.
    """
    try:
        flags = pl.QueryOptFlags() if optimized else pl.QueryOptFlags.none()
        plan = frame._ldf.with_optimizations(flags._pyoptflags).visit()  # noqa: SLF001
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
