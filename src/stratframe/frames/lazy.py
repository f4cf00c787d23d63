"""Warn about lazy queries that can give different rows or a different order each time they run.

The functions parse the plan of a query as Polars prints it. Steps and expressions that are not
listed in this module count as unknown, because Polars adds functions in every version, and plugins
and Python functions can do anything. A query is streamed only if all its steps are known to give
the same rows each time.

A query causes a warning in three cases; `key` or `groups` alone can prevent only the third.

1. An expression can draw values at random or choose among ties, a `unique` keeps any of several
   rows, or a step is unknown.
2. A step or an expression can change the order of the rows, and a later operation depends on the
   positions of the rows: it selects rows, numbers rows, or joins rows by their positions.
3. A step or an expression can change the order of the rows, and the folds depend on the order.

The steps that can change the order are `unique`, `group_by`, joins, `pl.union`, `merge_sorted`, and
`sort` and `top_k` with ties, unless the argument `maintain_order` is set. A join of rows with
several matches must maintain the order of both sides. Expressions are assumed to change the order
unless they are known to keep it. A plan does not show which columns are unique. Therefore, a `sort`
is assumed to determine the order only if it sorts by all keys of a `group_by` just before it, or if
it sorts by all columns of `key` and no row is dropped later.

Only the schemas of files are read.
"""

import re
from collections.abc import Collection, Iterator, Sequence, Set
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

import polars as pl

from ..errors import warn
from .libraries import Frame


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


STREAMING_LINE = re.compile(
    r"^ *(?:(?:Parquet|Csv|CSV|NDJSON|IPC) SCAN |DF \[|PROJECT |ESTIMATED ROWS: |SELECTION: "
    r"|FILTER |FROM$|SELECT \[|WITH_COLUMNS:$|\[|SLICE\[|ROW[ _]INDEX|simple π )"
)
"""A pattern for the lines of steps that give the same rows in the same order each time."""

STREAMING = names(
    """
    col alias cast strict_cast when then otherwise not abs round fill_null
    is_null is_not_null is_nan is_not_nan is_in is_between
    str.contains str.starts_with str.slice str.lowercase str.uppercase
    str.to_lowercase str.to_uppercase
    dt.date dt.month dt.truncate dt.year
    """
)
"""The printed names of the expressions that give the same values each time.

A query is streamed only if it consists of these expressions and the steps in `STREAMING_LINE`. The
rows of any other query are held in memory while the folds are computed.
"""

IN_ORDER = names(
    """
    col element len when then otherwise alias cast strict_cast as_struct to_physical rechunk
    reinterpret set_sorted over agg filter slice gather gather_every get first last item explode
    implode reverse shift* sort sort_by unique_stable unique_counts drop_nulls drop_nans append
    concat_arr concat_expr extend_constant reshape repeat repeat_by *_range *_ranges linear_space*
    rle rle_id arg_where arg_sort arg_min arg_max index_of search_sorted hist

    abs negate sign not pow sqrt cbrt exp log log1p sin cos tan cot sinh cosh tanh arc*
    degrees radians erf erfc floor ceil round round_sig_figs trunc* clip lower_bound upper_bound
    bitwise_* hash fill_null* coalesce replace replace_strict interpolate* diff pct_change cut qcut
    peak_min peak_max dot is_* has_nulls add_business_days business_day_count
    cum_* cumulative_eval rolling* ewm_* *_horizontal

    min max nan_min nan_max median quantile count null_count n_unique any all
    any_ignore_nulls all_ignore_nulls sum mean std var product skew kurtosis entropy approx_*
    cov covariance corr pearson_correlation spearman_rank_correlation

    arr.* bin.* dt.* list.* str.* struct.* cat.ends_with cat.len_* cat.physical cat.slice
    cat.starts_with eval field with_fields python_udf fold reduce rank sample shuffle
    """
)
"""The expressions that keep the rows in order, even if some of their values differ each time.

Sums of floats, for example, depend on how rows are distributed among threads. Python functions are
included although their effect is unknown, because fold columns are computed by Python functions,
and a chain of verbs should not cause a warning.
"""

BY_PLACE = names(
    """
    slice get first last gather gather_every implode reverse shift* sort sort_by append
    extend_constant reshape concat_expr *_range rle rle_id arg_* index_of search_sorted
    unique_stable unique_counts drop_nulls drop_nans fill_null_with_strategy interpolate* diff
    pct_change peak_* cum_* cumulative_eval rolling* ewm_* is_first_distinct
    is_last_distinct str.concat_vertical str.join rank sample shuffle
    """
)
"""The expressions whose values depend on the positions of rows, at least if there are ties."""

MAY_DRAW = names("rank sample shuffle")
"""The expressions that can draw at random; a printed plan does not show their seeds."""

CHOOSES = names("arr.sample* list.sample* top_k_by min_by max_by")
"""The expressions that draw or choose among ties; plans show `sort_by(...).first()` as `min_by`."""

EXPRESSION_LINE = re.compile(
    r"^ *(?:SELECTION: |FILTER |SELECT \[|SORT BY \[|(?:LEFT|RIGHT) PLAN ON: \[|\[)"
)
"""A pattern for the lines that contain expressions; other lines contain names and paths."""

QUOTED = re.compile(r'(?<![\w)\]"])"[^"]*"(?![\w(\["])')
"""A pattern for quoted text and column names. Polars does not escape quotes inside them."""

CALL = re.compile(r"(?:\b(?:arr|bin|cat|dt|list|name|str|struct)\.)?\b[a-z_]\w*(?=[(\[])")


def expressions(line: str) -> str:
    """Return the expressions in a line of a plan without quoted text and column names."""
    return QUOTED.sub("", line) if EXPRESSION_LINE.match(line) else ""


def calls(line: str) -> list[str]:
    return CALL.findall(expressions(line))


@lru_cache(1 << 12)
def is_listed(name: str, listed: frozenset[str]) -> bool:
    """Return whether the name of a function matches a name or a pattern in a list."""
    return any(fnmatchcase(name, known) for known in listed)


def is_repeatable(frame: pl.LazyFrame) -> bool:
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
"""The printed names of steps that show whether they keep the order, and the names in messages."""

STEP_LINE = re.compile(rf"^ *({'|'.join(STEPS)})\[maintain_order: (true|false)\b")
KNOWN_LINE = re.compile(
    r"^ *(?:\S+ SCAN\b|DF \[|PROJECT |ESTIMATED ROWS: |SELECTION: |FILTER |FROM$|SELECT \[|\["
    r"|WITH_COLUMNS:$|SLICE|ROW[ _]INDEX|simple π |SORT BY \[|UNIQUE\[|AGGREGATE\[|UNION|HCONCAT$"
    r"|PLAN \d+:$|END |[A-Z]+ JOIN:$|(?:LEFT|RIGHT) PLAN(?: ON: \[|:$)|MERGE SORTED|EXPLODE|UNPIVOT"
    r"|UNNEST by:\[|MAP_GROUPS BY |hint\.sorted\(|CACHE\[|OPAQUE_PYTHON$|SINK )"
)
"""A pattern for lines of known steps; a line break in a name or literal starts an unknown line."""

KEEPS_ROWS = re.compile(r"^ *(?:SLICE\[|SORT BY \[|ROW INDEX name: |WITH_COLUMNS:$|SELECT \[|\[)")
"""A pattern for the lines of steps that drop no rows except at the start or the end."""

ANY_ROW = re.compile(r"^ *UNIQUE\[.*keep_strategy: Any\] BY Some\b")
KEYS_LINE = re.compile(r"^ *\[.*\] BY \[(?P<columns>.*)\]$")
SORT_LINE = re.compile(
    r"^ *SORT BY (?:\[(?:\w+: (?:\w+|\[[^\]]*\])(?:, )?)+\] )?\[(?P<columns>.*)\]$"
)
JOIN_LINE = re.compile(r"^ *(?!ASOF )[A-Z]+ JOIN:$")
VIEWED_LINES = {"Join": (JOIN_LINE, "a join"), "Sort": (SORT_LINE, "`sort`")}
"""Patterns for the lines that do not always show whether a step keeps the order, and the name of
such a step in messages if the view of the plan does not show this either."""

SLICES = "`head`, `slice` or `top_k`"
PLACE_LINES = {
    SLICES: re.compile(r"^ *SLICE\["),
    "a row index": re.compile(r"^ *ROW[ _]INDEX"),
    "`unique`": re.compile(r"^ *UNIQUE\[.*keep_strategy: (?:First|Last|Any)\] BY Some"),
    "`join_asof`": re.compile(r"^ *ASOF JOIN:$"),
    "a horizontal `pl.concat`": re.compile(r"^ *HCONCAT$"),
}
"""Names of the steps that depend on the positions of rows, with patterns for their lines."""

PLAIN_COLUMN = re.compile(r"(?<=[\[ ])col\([^()]*\)(?=[,\]])")
"""A pattern for a column that a step selects or sorts by without changing it."""

BARE_COLUMN = re.compile(r"(?:\[|, )col\([^()]*\)(?:\.alias\([^()]*\))?(?=, |\] BY )")
"""A pattern for a column that `group_by` collects in lists without a printed `implode`."""

COLUMN = re.compile(r'col\("([^"]*)"\)')

BOTH = {"left_right", "right_left"}
JOIN_ORDERS = {
    "Inner": BOTH,
    "Left": {"left_right"},
    "Right": {"right_left"},
    "Full": BOTH if pl.__version__ >= "2" else set(),
    "Semi": {"left", *BOTH},
    "Anti": {"left", *BOTH},
}
"""The values of `maintain_order` with which each kind of join always keeps the order."""

HOLDS_EXPRESSIONS = names(
    "arguments by expr falsy function idx input left length offset order_by partition_by predicate"
    " right truthy"
)
"""The attributes of the view of an expression that can hold other expressions."""

SET_ORDER = "set `maintain_order` in that step"
REMEDIES = {
    "`sort`": "write `sort(..., maintain_order=True)`, or also sort by the `key`",
    "`unique`": 'set `keep="first"` and `maintain_order` in that step',
    **dict.fromkeys(
        ("an inner join", "a left join", "a full join"),
        'set `maintain_order="left_right"` in that step',
    ),
    "a right join": 'set `maintain_order="right_left"` in that step',
    **dict.fromkeys(
        ("the expression `min_by`", "the expression `max_by`"),
        "write `sort_by(..., maintain_order=True).first()`",
    ),
    **{
        f"the expression `{name}`": "give it a `seed`, or collect the query first"
        for name in ("rank", "sample", "shuffle")
    },
    "the expression `sort_by`": SET_ORDER.replace("step", "expression"),
}
"""The advice for steps and expressions for which `SET_ORDER` is wrong or incomplete."""


class Unordered(NamedTuple):
    """A step or an expression that can change the order of the rows of a query."""

    line: int
    """The index of the line in the printed plan."""
    name: str
    """The name of the step or expression in messages."""
    of_expression: bool = False
    """True for an expression, for `map_groups` and for an unknown step; False for other steps."""
    draws: bool = False
    """Whether the rows or values can also be different each time."""

    def warn(self, effect: str, then: str, hint: str = "") -> None:
        """Warn about an effect on a lazy query and its consequence, and name a remedy."""
        remedy = "collect the query first" if self.of_expression else SET_ORDER
        remedy = REMEDIES.get(self.name, remedy)
        warn(
            f"{self.name[0].upper()}{self.name[1:]} may {effect}: {then}."
            f"\nHint: {f'{hint}. Alternatively, {remedy}' if hint else remedy}."
        )


def warn_row_order(
    frame: Frame,
    what: str | None,
    hint: str = "",
    key: Collection[Any] = (),
    then: str = "train and test rows that are collected separately may overlap",
) -> None:
    """Warn if a lazy query can give different rows, or the rows in another order, each time.

    `what` names the result of the call that depends on the order, if there is one. `hint` says how
    the call can avoid the dependence, and `then` describes the possible consequence.
    """
    if not isinstance(frame, pl.LazyFrame):
        return
    plan = frame.explain(optimized=False).splitlines()
    may_draw = any(MAY_DRAW.intersection(calls(text)) for text in plan)
    functions = view_functions(frame) if may_draw else []
    steps = unordered_steps(frame, plan, functions)
    if not steps:
        return
    for step in steps:
        if step.draws:
            effect = "give different rows or values each time this lazy query is collected"
            step.warn(effect, then)
            return
    reorder = "put the rows of this lazy query in a different order each time it is collected, and"
    total = total_sorts(plan, set(map(str, key)))
    for line, text in enumerate(plan):
        for user, is_known in users_of_places(text, functions):
            for step in steps_before(plan, line, steps, total):
                is_itself = step.line == line and step.name.endswith(user)
                if not is_itself and (is_known or not step.of_expression):
                    step.warn(f"{reorder} {user} then gives different rows or values", then)
                    return
    left = steps_before(plan, None, steps, total)
    if what is not None and left:
        # A step is named rather than an expression, because users recognize steps more easily.
        step = min(left, key=lambda step: step.of_expression)
        step.warn(f"{reorder} {what} depend on the order", then, hint)


def unordered_steps(
    frame: pl.LazyFrame, plan: Sequence[str], functions: Sequence[Any]
) -> list[Unordered]:
    viewed = viewed_steps(frame, plan)
    is_drawn = any(map(draws_at_random, functions))
    found: list[Unordered] = []
    for line, text in enumerate(plan):
        match = STEP_LINE.match(text)
        if match and match[2] == "false":
            found.append(Unordered(line, STEPS[match[1]], draws=bool(ANY_ROW.match(text))))
        if line in viewed:
            found.append(Unordered(line, viewed[line]))
        if not KNOWN_LINE.match(text):
            found.append(Unordered(line, "a step that stratframe does not know", True, True))
        elif "MAP_GROUPS BY " in text:
            found.append(Unordered(line, "`map_groups`", of_expression=True))
        for name in calls(text):
            draws = is_listed(name, CHOOSES) or (name in MAY_DRAW and is_drawn)
            has_ties = name == "sort_by" and "maintain_order: false" in text
            if draws or has_ties or not is_listed(name, IN_ORDER):
                found.append(Unordered(line, f"the expression `{name}`", True, draws))
    return [*found, *dropped_orders(plan, found)]


def dropped_orders(plan: Sequence[str], steps: Sequence[Unordered]) -> Iterator[Unordered]:
    """Yield the steps in which Polars can ignore the order because a later step does not keep it.

    Only two kinds of steps are affected: a `unique` that keeps any of several rows, and a step
    below a `head`, because the `head` then selects different rows.
    """
    known = {step.line for step in steps}
    slices = [line for line, text in enumerate(plan) if PLACE_LINES[SLICES].match(text)]
    for line, text in enumerate(plan):
        keeps_order = STEP_LINE.match(text) or JOIN_LINE.match(text)
        if line in known or not keeps_order:
            continue
        if ANY_ROW.match(text) and steps_after(plan, line, steps):
            yield Unordered(line, "`unique`", draws=True)
        chosen = [each for each in slices if line in lines_below(plan, each)]
        later = [step for each in chosen for step in steps_after(plan, each, steps)]
        if later:
            yield later[0]._replace(line=line, draws=False)


def steps_after(plan: Sequence[str], line: int, steps: Sequence[Unordered]) -> list[Unordered]:
    return [step for step in steps if step.line < line and line in lines_below(plan, step.line)]


def steps_before(
    plan: Sequence[str], line: int | None, steps: Sequence[Unordered], total: Sequence[int]
) -> list[Unordered]:
    """List steps before a line or the end that can change the order, except below total sorts."""
    within = range(len(plan)) if line is None else lines_below(plan, line)
    hidden = {each for sort in total if sort in within for each in lines_below(plan, sort)[1:]}
    return [
        step
        for step in steps
        if step.line in within and step.line not in hidden and step.line not in total
    ]


def lines_below(plan: Sequence[str], line: int) -> range:
    """Return the lines of a step and of its inputs, which are indented further."""
    indents = (len(text) - len(text.lstrip()) for text in plan[line:])
    indent = next(indents)
    return range(line, line + 1 + len(list(takewhile(indent.__le__, indents))))


def users_of_places(text: str, functions: Sequence[Any]) -> list[tuple[str, bool]]:
    """List the operations in a line that depend on row positions, and whether this is certain."""
    found = [(name, True) for name, pattern in PLACE_LINES.items() if pattern.match(text)]
    for name in calls(text):
        is_known = is_listed(name, BY_PLACE)
        if name == "rank" and not any(map(ranks_by_place, functions)):
            continue
        if is_known or not is_listed(name, IN_ORDER):
            found.append((f"`{'head` or `slice' if name == 'slice' else name}`", is_known))
    if re.search(r"\bSeries\b", expressions(text)):
        found.append(("a Series", True))
    if KEYS_LINE.match(text) and BARE_COLUMN.search(text):
        found.append(("`implode`", True))
    return found


def total_sorts(plan: Sequence[str], key: Set[str]) -> list[int]:
    """List the lines that sort by all columns of the key, or by all keys of the `group_by` below.

    The key is unique in the rows of the frame, but may repeat before a later step drops rows.
    """
    found = []
    for line, text in enumerate(plan):
        sort = SORT_LINE.match(text)
        by = plain_columns(sort["columns"]) if sort else set()
        if not by:
            continue
        below = [each for each in plan[line + 1 :] if not re.match(" *(FILTER |FROM$)", each)]
        # A `group_by` over time windows has further keys, and is printed as maintaining the order.
        is_grouped = "AGGREGATE[maintain_order: false]" in below[0]
        grouped = KEYS_LINE.match(below[1]) if is_grouped else None
        keys = plain_columns(grouped["columns"]) if grouped else set()
        above = [PLAIN_COLUMN.sub("", each) for each in plan[:line]]
        is_kept = all(map(KEEPS_ROWS.match, above)) and not any(
            f'"{name}"' in each or f"INDEX name: {name}," in each for each in above for name in key
        )
        if (keys and by >= keys) or (key and by >= key and is_kept):
            found.append(line)
    return found


def plain_columns(text: str) -> set[str]:
    """Return the columns that a step sorts or groups by, or none if it uses an expression."""
    return set() if COLUMN.sub("", text).strip(", ") else set(COLUMN.findall(text))


# The view of a plan that Polars offers to other engines ----------------------------------
#
# The printed plan does not show the settings of joins, the seeds of random draws or, in Polars 1,
# the settings of sorts. A serialized plan would contain the data of all in-memory frames.


def viewed_steps(frame: pl.LazyFrame, plan: Sequence[str]) -> dict[int, str]:
    """Return the names of joins and sorts that do not keep the order, with their lines as keys."""
    shown: dict[str, list[str | None]] = {"Join": [], "Sort": []}
    for view in view_nodes(frame):  # the last step first, as in the plan
        with suppress(NotImplementedError):  # for Python functions; in Polars 1, `join_asof`
            node = view.view_current_node()
            if type(node).__name__ == "Sort":
                shown["Sort"].append(None if node.sort_options[0] else "`sort`")
            elif type(node).__name__ == "Join":
                kind = node.options[0]
                kind = kind[0] if isinstance(kind, tuple) else kind
                if kind != "AsOf":
                    is_ordered = node.options[-1] in JOIN_ORDERS.get(kind, ())
                    shown["Join"].append(None if is_ordered else join_name(kind))
    found: dict[int, str] = {}
    for step, (pattern, unknown) in VIEWED_LINES.items():
        lines = [line for line, text in enumerate(plan) if pattern.match(text)]
        is_seen = len(shown[step]) == len(lines)  # Polars does not guarantee this view
        each = zip(lines, shown[step] if is_seen else [unknown] * len(lines), strict=True)
        found |= {line: name for line, name in each if name}
    return found


def view_functions(frame: pl.LazyFrame) -> list[tuple[Any, ...]]:
    """List the functions of a query with their settings; an unknown function is an empty tuple."""
    found = []
    for plan in view_nodes(frame):
        expressions = [each.node for each in plan.get_exprs()]
        while expressions:
            try:
                view = plan.view_expression(expressions.pop())
            except Exception:
                found.append(())
                continue
            found.append(tuple(getattr(view, "function_data", ("none",))))
            for name in HOLDS_EXPRESSIONS:
                held = getattr(view, name, None)
                expressions += (
                    held if isinstance(held, list) else [held] if held is not None else []
                )
    return found or [()]


def draws_at_random(function: Sequence[Any]) -> bool:
    """Return whether a function draws at random without a seed or is unknown."""
    draws = function[:1] in (("sample",), ("shuffle",)) or function[:2] == ("rank", "random")
    return not function or (draws and function[-1] is None)


def ranks_by_place(function: Sequence[Any]) -> bool:
    """Return whether a function ranks equal values by their positions or is unknown."""
    return not function or function[:2] in (("rank", "ordinal"), ("rank", "random"))


def view_nodes(frame: pl.LazyFrame) -> Iterator[Any]:
    """Yield the steps of a query from last to first, or no steps if Polars does not show them."""
    try:
        flags = pl.QueryOptFlags.none()
        plan = frame._ldf.with_optimizations(flags._pyoptflags).visit()  # noqa: SLF001
    except Exception:  # Polars does not guarantee this view
        return
    nodes = [plan.get_node()]
    while nodes:
        plan.set_node(nodes.pop())
        nodes += reversed(plan.get_inputs())
        yield plan


def join_name(kind: str) -> str:
    if kind in ("Cross", "IEJoin"):
        return "a cross join or `join_where`"
    article = "an" if kind in ("Inner", "Anti") else "a"
    return f"{article} {kind.lower()} join"
