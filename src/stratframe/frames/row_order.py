"""Whether a lazy query gives its rows in the same order each time it is collected.

Steps that warn are `unique`, `group_by`, joins, `pl.union` and `merge_sorted` without
`maintain_order`, and expressions that are not known to leave rows in order, wherever they are in
the query. A later `sort` is no remedy: rows that are equal in its columns stay in any order, and
a plan does not say which columns are unique. The one exception is a `sort` by the keys of a
`group_by` right after it, as these differ in every row. Where rows are chosen by their place after
such a step they are others each time, and then a key or groups are no remedy either.

A plan is looked at as the user wrote it, and again as Polars optimizes it: a `sort` that need
not keep the order of equal rows lets the steps before it drop their `maintain_order`. Nothing is
read but the schemas of files.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import polars as pl

from ..errors import warn
from .lazy import expression_names, names, reordering_expressions
from .libraries import Frame

STEPS = {
    "UNIQUE": "`unique`",
    "AGGREGATE": "`group_by`",
    "UNION": "`pl.union`",
    "MERGE SORTED": "`merge_sorted`",
}
"""What Polars calls the steps whose lines say whether they keep the order, and what users do."""

UNORDERED_LINE = re.compile(rf"^ *({'|'.join(STEPS)})\[maintain_order: false\b", re.MULTILINE)
PLACE_LINE = re.compile(r"^ *(?:SLICE\[|ROW[ _]INDEX)")
PLACES = names("slice head tail limit gather gather_every sample")
"""Lines and expressions that choose rows by their place, or number them."""

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

HOLDS_EXPRESSIONS = names(
    "arguments by expr falsy function idx input left length offset order_by partition_by predicate"
    " right truthy"
)
"""Where the view of an expression holds others."""

REMEDY = "set `maintain_order` in that step"


class Unordered(NamedTuple):
    """Something in a query that may put its rows in any order."""

    line: int
    """The line of the printed plan."""
    name: str
    """What users call it."""
    of_expression: bool = False
    """Whether it is no step, but an expression."""


def warn_row_order(frame: Frame, what: str | None, hint: str = "") -> None:
    """Warn of a lazy query whose rows may come in another order, or be others, each time.

    Parameters
    ----------
    what : str, optional
        What depends on the order; None if only the rows themselves matter.
    hint : str
        How the call could do without it.
    """
    if not isinstance(frame, pl.LazyFrame):
        return
    plan = SORTED_GROUPS.sub(drop_sorted, frame.explain(optimized=False)).splitlines()
    steps = unordered_steps(frame, plan)
    chosen = chosen_steps(plan, steps)
    if not steps or (what is None and not chosen):
        return
    # A step says more than an expression, wherever it is.
    step = (chosen or sorted(steps, key=lambda step: step.of_expression))[0]
    remedy = "collect the query first" if step.of_expression else REMEDY
    rows = f"{step.name[0].upper()}{step.name[1:]} may put the rows of this lazy query in another"
    overlap = "train and test rows that are collected apart may overlap"
    if chosen:
        warn(
            f"{rows} order each time it is collected, and `head`, `tail`, `slice`, `gather`,"
            f" `sample` or a row index after it then choose other rows: {overlap}.\nHint: {remedy}."
        )
    else:
        remedies = f"{hint}; or {remedy}" if hint else remedy
        warn(
            f"{rows} order each time it is collected, and {what} depend on the order: {overlap}."
            f"\nHint: {remedies}."
        )


def unordered_steps(frame: pl.LazyFrame, plan: Sequence[str]) -> list[Unordered]:
    """List what may put the rows of a query in any order, from its printed plan."""
    joins = [line for line, text in enumerate(plan) if JOIN_LINE.match(text)]
    settings = join_settings(frame, optimized=False) if joins else []
    found = [
        Unordered(line, join_name(kind))
        for line, (kind, order) in zip(joins, settings, strict=False)
        if order not in ORDERED
    ]
    found += [Unordered(line, "a join") for line in joins[len(settings) :]]
    found += [
        Unordered(line, STEPS[match[1]])
        for line, text in enumerate(plan)
        if (match := UNORDERED_LINE.match(text))
    ]
    sorts = [line for line, text in enumerate(plan) if UNSTABLE_SORT.search(text)]
    if sorts and not found and drops_order(frame):
        found = [Unordered(line, "`sort`") for line in sorts]
    found += [
        Unordered(line, f"the expression `{name}`", of_expression=True)
        for line, name in reordering_expressions(plan)
        if name != "rank" or ranks_at_random(frame)
    ]
    return sorted(found, key=lambda step: step.line)


def chosen_steps(plan: Sequence[str], steps: Sequence[Unordered]) -> list[Unordered]:
    """List the steps after which some rows are chosen by their place."""
    chosen = []
    for line in (line for line, text in enumerate(plan) if chooses_by_place(text)):
        end = line + 1
        while end < len(plan) and indent_of(plan[end]) >= indent_of(plan[line]):
            end += 1
        # What a step is applied to is printed below it, further to the right.
        chosen += [step for step in steps if line <= step.line < end]
    return chosen


def chooses_by_place(text: str) -> bool:
    """Return whether a line of a plan chooses rows by their place, or numbers them."""
    return bool(PLACE_LINE.match(text)) or not PLACES.isdisjoint(expression_names(text))


def indent_of(text: str) -> int:
    """Count the spaces that a line starts with."""
    return len(text) - len(text.lstrip())


def drops_order(frame: pl.LazyFrame) -> bool:
    """Return whether the optimizer drops the order of a step that a query asks for."""
    if UNORDERED_LINE.search(SORTED_GROUPS.sub(drop_sorted, frame.explain())):
        return True
    return any(order not in ORDERED for _, order in join_settings(frame, optimized=True))


def drop_sorted(groups: re.Match[str]) -> str:
    """Drop a sorted `group_by` from a plan if the sort has all of its keys."""
    keys = set(COLUMN.findall(groups["keys"]))
    are_plain = not COLUMN.sub("", groups["keys"]).strip(", ")
    # An expression that mentions a column, such as a remainder, does not sort by it.
    items = groups["sorted"].split(", ")
    by = {match[1] for item in items if (match := COLUMN.fullmatch(item))}
    return "" if are_plain and keys <= by else groups[0]


def join_settings(frame: pl.LazyFrame, *, optimized: bool) -> list[tuple[str, Any]]:
    """List the kinds of the joins of a query and their `maintain_order`, the last join first.

    The printed plan lacks the setting, and a serialized plan holds the data of all frames in
    memory; so this is the view of the plan that Polars offers to other engines.
    """
    joins = []
    for plan in view_nodes(frame, optimized=optimized):
        with suppress(NotImplementedError):  # Python functions, and in Polars 1 `join_asof`
            node = plan.view_current_node()
            if type(node).__name__ == "Join":
                kind = node.options[0]
                joins.append((kind[0] if isinstance(kind, tuple) else kind, node.options[-1]))
    return [(kind, order) for kind, order in joins if kind != "AsOf"]


def ranks_at_random(frame: pl.LazyFrame) -> bool:
    """Return whether a query that ranks values breaks ties at random, or may do so."""
    # The printed plan lacks the method, too.
    for plan in view_nodes(frame, optimized=False):
        expressions = [each.node for each in plan.get_exprs()]
        while expressions:
            try:
                view = plan.view_expression(expressions.pop())
            except Exception:  # an expression that cannot be seen may hold a rank
                return True
            function = list(getattr(view, "function_data", ()))
            if function[:2] == ["rank", "random"] and function[-1] is None:
                return True
            for name in HOLDS_EXPRESSIONS:
                held = getattr(view, name, None)
                expressions += (
                    held if isinstance(held, list) else [held] if held is not None else []
                )
    return False


def view_nodes(frame: pl.LazyFrame, *, optimized: bool) -> Iterator[Any]:
    """Go through the steps of a query, the last one first; through none if Polars shows none."""
    try:
        flags = pl.QueryOptFlags() if optimized else pl.QueryOptFlags.none()
        plan = frame._ldf.with_optimizations(flags._pyoptflags).visit()  # noqa: SLF001
    except Exception:  # Polars does not promise this view.
        return
    nodes = [plan.get_node()]
    while nodes:
        plan.set_node(nodes.pop())
        nodes += reversed(plan.get_inputs())
        yield plan


def join_name(kind: str) -> str:
    """Name a join as users do."""
    if kind in ("Cross", "IEJoin"):
        return "a cross join or `join_where`"
    return f"{'an' if kind in ('Inner', 'Anti') else 'a'} {kind.lower()} join"
