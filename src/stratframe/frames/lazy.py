"""Which lazy queries surely give the same rows in the same order each time, and which stream.

A plan is read as Polars prints it. What is not listed here is not known: Polars adds functions
in every version, and plugins and Python functions may do anything.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

import polars as pl


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
    str.contains str.starts_with str.slice str.to_lowercase str.to_uppercase
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


def is_repeatable(frame: pl.LazyFrame) -> bool:
    """Return whether a query surely gives the same rows in the same order each time."""
    lines = frame.explain(optimized=False).splitlines()
    text = "\n".join(map(expressions, lines))
    are_known = '"' not in text and STREAMING.issuperset(CALL.findall(text))
    return are_known and all(map(STREAMING_LINE.match, lines))


def reordering_expressions(plan: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Name expressions that may not leave rows in order, each with its line of a printed plan."""
    for line, text in enumerate(plan):
        for name in expression_names(text):
            if not any(fnmatchcase(name, known) for known in IN_ORDER):
                yield line, name


def expression_names(line: str) -> list[str]:
    """List the functions in a line of a plan, if it holds expressions."""
    return CALL.findall(expressions(line))


def expressions(line: str) -> str:
    """Return the expressions in a line of a plan without text and names of columns, if any."""
    return QUOTED.sub("", line) if EXPRESSION_LINE.match(line) else ""
