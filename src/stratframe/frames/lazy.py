"""Warn about lazy queries that can give different rows or a different order each time they run.

The functions read the plan of a query as Polars prints it. A step or an expression is *sure* if it
is listed here: it gives the same rows in the same order each time. All others are unsure, because
Polars adds functions in every version, and plugins and Python functions can do anything.

If the folds depend on the order of the rows, any unsure part of the plan causes a warning. If a key
or groups decide the folds, an unsure part causes a warning in two cases:

1. It can do more than put the rows in another order. Joins, for example, cannot, but expressions
   can: a column that comes in another order puts its values into other rows.
2. The plan also uses the positions of rows: it selects rows, numbers rows, or joins rows by them.

Only the schemas of files are read.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

import polars as pl

from ..errors import warn
from .libraries import Frame


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


OWN_COLUMN = "rows of stratframe"
"""The name of the rows that a verb reads, which tells its function from those of users."""

OWN_FUNCTION = f'.alias("{OWN_COLUMN}").python_udf'
"""A function of a verb as Polars prints it, which gives the same folds for the same rows."""

SURE_STEP = re.compile(
    r" *(?:"
    r"(?:Parquet|Csv|CSV|NDJSON|NDJson|IPC|Ipc|Lines) SCAN |DF \[|PROJECT |ESTIMATED ROWS: "
    r"|FILTER |SELECT \[|WITH_COLUMNS:$|simple π |SLICE\[|ROW[ _]INDEX|GATHER\[|EXPLODE|UNPIVOT"
    r"|UNNEST by:\[|HCONCAT$|UNION$|ASOF JOIN:$|CACHE\[|SINK |SORT BY \[maintain_order: true"
    r"|hint\.sorted\(|(?:AGGREGATE|UNION|MERGE SORTED)\[maintain_order: true"
    r"|UNIQUE\[maintain_order: true(?!.*: Any\] BY Some\b)"
    # Expressions and inputs of steps
    r"|\[|FROM$|PLAN \d+:$|(?:LEFT|RIGHT) PLAN(?: ON: \[|:$)|END )"
)
"""A pattern for the lines of sure steps. A line break in a name or text starts an unsure line."""

REORDERING_STEP = re.compile(
    r" *(?:[A-Z]+ JOIN:$|SORT BY \[|AGGREGATE\[|UNION\[|MERGE SORTED|PYTHON SCAN "
    r"|UNIQUE\[(?!.*: Any\] BY Some\b))"
)
"""A pattern for the lines of unsure steps that give the same rows, but in any order."""

STEP_NAME = re.compile(r" *([A-Z]+(?:[ _][A-Z]+)*)\b")
KNOWN_AS = {"AGGREGATE": "group_by", "OPAQUE_PYTHON": "map_batches", "SORT BY": "sort"}
"""The names under which users know some of the steps that Polars prints."""

SURE = names(
    """
    col element field len when then otherwise alias cast strict_cast reinterpret to_physical
    as_struct struct.* rechunk set_sorted over agg eval rolling filter slice get first last item
    gather gather_every explode implode reverse shift* sort sort_by append concat concat_arr
    concat_expr extend_constant reshape repeat repeat_by drop_nulls drop_nans
    unique_stable unique_counts rle rle_id arg_where arg_sort arg_min arg_max index_of search_sorted
    hist *_range *_ranges linear_space*

    abs negate sign not pow sqrt cbrt exp log log1p sin cos tan cot sinh cosh tanh arc*
    degrees radians erf erfc floor ceil round round_sig_figs trunc* clip lower_bound upper_bound
    bitwise_* hash fill_null* coalesce replace replace_strict interpolate* diff pct_change cut qcut
    peak_min peak_max dot is_* has_nulls add_business_days business_day_count *_horizontal
    cum_sum cum_prod cum_min cum_max cum_count cumulative_eval ewm_* rolling_mean* rolling_sum*
    rolling_min* rolling_max* rolling_std* rolling_var* rolling_median* rolling_quantile*
    rolling_skew rolling_kurtosis rolling_cov rolling_corr

    min max nan_min nan_max median quantile count null_count n_unique any all
    any_ignore_nulls all_ignore_nulls sum mean std var product skew kurtosis entropy approx_*
    cov covariance corr pearson_correlation spearman_rank_correlation

    length contains count_matches join union intersection difference symmetric_difference
    to_array to_list to_struct

    bin.* dt.* str.* with_fields cat.ends_with cat.len_* cat.physical cat.slice cat.starts_with
    """
)
"""The sure expressions. The functions of lists and arrays have the names of those of columns.

Sums of floats differ in their last bits if the rows are distributed among threads in another way.
"""

BY_PLACE = names(
    """
    slice get first last item gather gather_every implode reverse shift* sort sort_by append
    extend_constant reshape concat_expr *_range rle rle_id arg_* index_of search_sorted
    unique_stable unique_counts drop_nulls drop_nans fill_null_with_strategy interpolate* diff
    pct_change peak_* cum_* cumulative_eval rolling* ewm_* is_first_distinct is_last_distinct
    str.concat_vertical str.join
    """
)
"""The sure expressions whose values depend on the positions of rows, at least if there are ties."""

STEP_BY_PLACE = re.compile(
    r" *(?:(SLICE|GATHER|ROW[ _]INDEX|HCONCAT|ASOF JOIN|UNIQUE(?=\[.*: (?:First|Last)\] BY Some))"
    # Polars 1 does not print that columns of a `group_by` are collected in lists.
    r"|\[(?:.*, )?(?:col\([^()]*\)|\[.*\])(?:\.alias\([^()]*\))?(?:, .*)?\] BY \[)"
)
"""A pattern for the lines of steps that use the positions of rows."""

STREAMING_LINE = re.compile(
    r" *(?:(?:Parquet|Csv|CSV|NDJSON|NDJson|IPC|Ipc) SCAN |DF \[|PROJECT |ESTIMATED ROWS: |FILTER "
    r"|SELECT \[|WITH_COLUMNS:$|simple π |SLICE\[|ROW[ _]INDEX|\[|FROM$)"
)
STREAMING = names(
    """
    col alias cast strict_cast when then otherwise not abs round fill_null
    is_null is_not_null is_nan is_not_nan is_in is_between
    str.contains str.starts_with str.slice str.lowercase str.uppercase
    str.to_lowercase str.to_uppercase
    dt.date dt.month dt.truncate dt.year
    """
)
"""The steps and expressions of queries that are streamed, a shorter list than that of sure ones.

The rows of any other query are held in memory while the folds are computed, which is right whatever
the query does.
"""

EXPRESSION_LINE = re.compile(r" *(?:FILTER |SELECT \[|SORT BY \[|(?:LEFT|RIGHT) PLAN ON: \[|\[)")
"""A pattern for the lines that contain expressions; other lines contain names and paths."""

QUOTED = re.compile(r'(?<![\w)\]"])"[^"]*"(?![\w(\["])')
"""A pattern for quoted text and column names. Polars does not escape quotes inside them."""

CALL = re.compile(r"(?:\b(?:bin|cat|dt|name|str|struct)\.)?\b[a-z_]\w*(?=[(\[])")


def expressions(line: str) -> str:
    """Return the expressions in a line of a plan without quoted text and column names."""
    return QUOTED.sub("", line) if EXPRESSION_LINE.match(line) else ""


@lru_cache(1 << 12)
def is_listed(name: str, listed: frozenset[str]) -> bool:
    """Return whether the name of a function matches a name or a pattern in a list."""
    return any(fnmatchcase(name, known) for known in listed)


def is_repeatable(frame: pl.LazyFrame) -> bool:
    lines = frame.explain(optimized=False).splitlines()
    text = "\n".join(map(expressions, lines))
    are_known = '"' not in text and STREAMING.issuperset(CALL.findall(text))
    return are_known and all(map(STREAMING_LINE.match, lines))


def changes(line: str) -> list[str]:
    """List the unsure parts of a line that can do more than put the rows in another order."""
    text = expressions(line)
    found = [f"The expression `{name}`" for name in CALL.findall(text) if not is_listed(name, SURE)]
    if "maintain_order: false" in text:
        found.append("The expression `sort_by`")
    if '"' in text:
        found.append("An expression with a quote or a line break in its text")
    if not (SURE_STEP.match(line) or REORDERING_STEP.match(line)):
        found.append(step_name(line))
    return found


def reorders(line: str) -> bool:
    return bool(REORDERING_STEP.match(line)) and not SURE_STEP.match(line)


def step_name(line: str) -> str:
    step = STEP_NAME.match(line)
    if step is None:
        return "A step that stratframe does not know"
    return f"The step `{KNOWN_AS.get(step[1], step[1].lower())}`"


def uses_of_places(line: str) -> list[str]:
    """List the steps and expressions in a line that use the positions of rows."""
    text = expressions(line)
    found = [f"`{name}`" for name in CALL.findall(text) if is_listed(name, BY_PLACE)]
    step = STEP_BY_PLACE.match(text or line)
    if step:
        found.append(f"`{(step[1] or 'group_by').lower()}`")
    if re.search(r"\bSeries\b", text):
        found.append("a Series")
    return found


def warn_row_order(
    frame: Frame,
    what: str | None,
    hint: str = "",
    then: str = "train and test rows that are collected separately may overlap",
    refs: Sequence[Any] = (),
) -> None:
    """Warn if a lazy query can give different rows, or the rows in another order, each time.

    `what` names the result of the call that depends on the order, if there is one. `hint` says how
    the call can avoid the dependence, and `then` describes the possible consequence. The
    expressions among the references of the call are a part of the query.
    """
    if not isinstance(frame, pl.LazyFrame):
        return
    computed = [pl.struct(ref) for ref in refs if isinstance(ref, pl.Expr)]
    query = frame.select(ref.alias(str(i)) for i, ref in enumerate(computed)) if computed else frame
    plan = query.explain(optimized=False).replace(OWN_FUNCTION, "").splitlines()
    changing = [name for line in plan for name in changes(line)]
    reordering = [place for place, line in enumerate(plan) if reorders(line)]
    if changing:
        effect = "give different rows or values each time this lazy query is collected"
        warn_of(changing[0], effect, then)
    elif reordering:
        name = step_name(plan[reordering[0]])
        effect = "put the rows of this lazy query in a different order each time it is collected"
        # Polars may ignore the order of rows below a slice if a later step does not keep it.
        below = [line for line in plan[reordering[-1] :] if line.lstrip().startswith("SLICE[")]
        uses = [use for line in plan[: reordering[-1]] + below for use in uses_of_places(line)]
        if uses:
            warn_of(name, f"{effect}, and {uses[0]} then gives different rows or values", then)
        elif what is not None:
            warn_of(name, f"{effect}, and {what} depend on the order", then, hint)


def warn_of(name: str, effect: str, then: str, hint: str = "") -> None:
    remedy = f"{hint}. Alternatively, collect" if hint else "collect"
    warn(f"{name} may {effect}: {then}.\nHint: {remedy} the query first.")
