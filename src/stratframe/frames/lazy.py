"""Which lazy queries give the same rows in the same order each time that they are collected.

A plan is read as Polars prints it. What is not listed here is not known: Polars adds functions
in every version, and plugins and Python functions may do anything. A query of few steps, which
surely give the same rows each time, streams.

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
from fnmatch import fnmatchcase
from itertools import chain, repeat, takewhile
from typing import Any, NamedTuple

import polars as pl

from ..errors import warn
from .libraries import Frame


def names(text: str) -> frozenset[str]:
    """Read a list of names."""
    return frozenset(text.split())


STREAMING_LINE = re.compile(
    r"^ *(?:(?:Parquet|Csv|CSV|NDJSON|IPC) SCAN |DF \[|PROJECT |ESTIMATED ROWS: |SELECTION: "
    r"|FILTER |FROM$|SELECT \[|WITH_COLUMNS:$|\[|SLICE\[|ROW[ _]INDEX|simple π )"
)
"""Lines of a plan whose step gives the same rows in the same order each time."""

STREAMING = names(
    """
    col alias cast strict_cast when then otherwise not abs round fill_null
    is_null is_not_null is_nan is_not_nan is_in is_between
    str.contains str.starts_with str.slice str.lowercase str.uppercase
    str.to_lowercase str.to_uppercase
    dt.date dt.month dt.truncate dt.year
    """
)
"""Expressions that give the same values each time, as Polars prints them.

Only a query of these steps and expressions streams; any other is held while its folds are made,
which is right whatever it does.
"""

IN_ORDER = names(
    """
    col element len when then otherwise alias cast strict_cast as_struct to_physical rechunk
    reinterpret set_sorted over agg filter slice gather gather_every get first last item explode
    implode reverse shift sort sort_by unique_stable unique_counts drop_nulls drop_nans append
    concat_expr extend_constant reshape repeat repeat_by *_range *_ranges linear_space*
    rle rle_id arg_where arg_sort arg_min arg_max index_of search_sorted hist

    abs negate sign not pow sqrt cbrt exp log log1p sin cos tan cot sinh cosh tanh arc*
    degrees radians erf erfc floor ceil round round_sig_figs truncate clip lower_bound upper_bound
    bitwise_* hash fill_null* coalesce replace replace_strict interpolate* diff pct_change cut qcut
    peak_min peak_max dot is_* has_nulls add_business_days business_day_count
    cum_* cumulative_eval rolling* ewm_* *_horizontal

    min max nan_min nan_max min_by max_by median quantile count null_count n_unique any all
    any_ignore_nulls all_ignore_nulls sum mean std var product skew kurtosis entropy approx_*
    covariance pearson_correlation spearman_rank_correlation

    arr.* bin.* dt.* list.* str.* struct.* cat.ends_with cat.len_* cat.physical cat.slice
    cat.starts_with eval with_fields python_udf fold reduce
    """
)
"""Expressions that leave the rows in order, though not every value surely is the same.

Sums of floats depend on how threads share the rows; ties of `sort` and `sort_by` may go either
way. Of a Python function nothing is known, but fold columns are Python functions themselves,
and verbs in a chain should not warn of each other.
"""

EXPRESSION_LINE = re.compile(r"^ *(?:SELECTION: |FILTER |SELECT \[|SORT BY \[|\[)")
"""Lines that hold expressions; others hold names and paths."""

QUOTED = re.compile(r'(?<![\w)\]"])"[^"]*"(?![\w(\["])')
"""Text and names of columns. Polars prints no escapes: a quote inside leaves a quote behind."""

CALL = re.compile(r"(?:\b(?:arr|bin|cat|dt|list|name|str|struct)\.)?\b[a-z_]\w*(?=\()")


def expressions(line: str) -> str:
    """Return the expressions in a line of a plan without text and names of columns, if any."""
    return QUOTED.sub("", line) if EXPRESSION_LINE.match(line) else ""


def is_repeatable(frame: pl.LazyFrame) -> bool:
    """Return whether a query surely gives the same rows in the same order each time."""
    lines = frame.explain(optimized=False).splitlines()
    text = "\n".join(map(expressions, lines))
    are_known = '"' not in text and STREAMING.issuperset(CALL.findall(text))
    return are_known and all(map(STREAMING_LINE.match, lines))


# What may reorder rows -------------------------------------------------------------------

STEPS = {
    "UNIQUE": "`unique`",
    "AGGREGATE": "`group_by`",
    "UNION": "`pl.union`",
    "MERGE SORTED": "`merge_sorted`",
}
"""What Polars calls the steps whose lines say whether they keep the order, and what users do."""

UNORDERED_LINE = re.compile(rf"^ *({'|'.join(STEPS)})\[maintain_order: false\b", re.MULTILINE)
PLACE_LINE = re.compile(r"^ *(?:SLICE\[|ROW[ _]INDEX)")
PLACES = {"slice", "head", "tail", "limit", "gather", "gather_every", "sample"}
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
CHOOSING = "`head`, `tail`, `slice`, `gather`, `sample` or a row index"


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

    `what` depends on the order, if anything does; the hint says how the call could do without it.
    """
    if not isinstance(frame, pl.LazyFrame):
        return
    plan = SORTED_GROUPS.sub(drop_sorted, frame.explain(optimized=False)).splitlines()
    steps = unordered_steps(frame, plan)
    chosen = chosen_steps(plan, steps) if steps else []
    if not steps or (what is None and not chosen):
        return
    # A step says more than an expression, wherever it is.
    step = (chosen or sorted(steps, key=lambda step: step.of_expression))[0]
    remedy = "collect the query first" if step.of_expression else REMEDY
    then = f"{what} depend on the order"
    if chosen:
        hint, then = "", f"{CHOOSING} after it then choose other rows"
    name = f"{step.name[0].upper()}{step.name[1:]}"
    warn(
        f"{name} may put the rows of this lazy query in another order each time it is collected,"
        f" and {then}: train and test rows that are collected apart may overlap."
        f"\nHint: {f'{hint}; or {remedy}' if hint else remedy}."
    )


def unordered_steps(frame: pl.LazyFrame, plan: Sequence[str]) -> list[Unordered]:
    """List what may put the rows of a query in any order, from its printed plan."""
    joins = [line for line, text in enumerate(plan) if JOIN_LINE.match(text)]
    settings = chain(join_settings(frame, optimized=False), repeat(("", None))) if joins else ()
    found = [
        Unordered(line, join_name(kind))
        for line, (kind, order) in zip(joins, settings, strict=False)
        if order not in ORDERED
    ]
    for line, text in enumerate(plan):
        if match := UNORDERED_LINE.match(text):
            found.append(Unordered(line, STEPS[match[1]]))
        found += [
            Unordered(line, f"the expression `{name}`", of_expression=True)
            for name in CALL.findall(expressions(text))
            if not any(fnmatchcase(name, known) for known in IN_ORDER)
            and (name != "rank" or ranks_at_random(frame))
        ]
    if all(step.of_expression for step in found):
        sorts = [line for line, text in enumerate(plan) if UNSTABLE_SORT.search(text)]
        if sorts and drops_order(frame):
            found += [Unordered(line, "`sort`") for line in sorts]
    return sorted(found, key=lambda step: step.line)


def chosen_steps(plan: Sequence[str], steps: Sequence[Unordered]) -> list[Unordered]:
    """List the steps after which some rows are chosen by their place, or numbered."""
    chosen, indents = [], [len(text) - len(text.lstrip()) for text in plan]
    for line, text in enumerate(plan):
        if PLACE_LINE.match(text) or not PLACES.isdisjoint(CALL.findall(expressions(text))):
            # What a step is applied to is printed below it, further to the right.
            below = takewhile(indents[line].__le__, indents[line + 1 :])
            end = line + 1 + len(list(below))
            chosen += [step for step in steps if line <= step.line < end]
    return chosen


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


def join_settings(frame: pl.LazyFrame, *, optimized: bool) -> Iterator[tuple[str, Any]]:
    """Find the kinds of the joins of a query and their `maintain_order`, the last join first.

    The printed plan lacks the setting, and a serialized plan holds the data of all frames in
    memory; so this is the view of the plan that Polars offers to other engines.
    """
    for plan in view_nodes(frame, optimized=optimized):
        with suppress(NotImplementedError):  # Python functions, and in Polars 1 `join_asof`
            node = plan.view_current_node()
            if type(node).__name__ == "Join":
                kind = node.options[0]
                kind = kind[0] if isinstance(kind, tuple) else kind
                if kind != "AsOf":
                    yield kind, node.options[-1]


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
    article = "an" if kind in ("Inner", "Anti") else "a"
    return f"{article} {kind.lower()} join" if kind else "a join"
