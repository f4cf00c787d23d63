"""Which steps and expressions of a lazy query are known to give the same rows each time.

A plan is read as Polars prints it. What is not listed here is not known: Polars adds functions
in every version, plugins and Python functions may do anything, and some that are listed under
`IN_ORDER` print no trace of the argument that decides.
"""

import re
from collections.abc import Iterator, Sequence

import polars as pl


def names(text: str) -> frozenset[str]:
    """Read a list of names."""
    return frozenset(text.split())


REPEATABLE_LINE = re.compile(
    r"^ *(?:(?:Parquet|Csv|CSV|NDJSON|IPC) SCAN |DF \[|PROJECT |ESTIMATED ROWS: |SELECTION: "
    r"|FILTER |FROM$|SELECT \[|WITH_COLUMNS:$|\[|SLICE\[|ROW[ _]INDEX|simple π )"
)
"""Lines of a plan whose step gives the same rows in the same order each time."""

EXPRESSION_LINE = re.compile(r"^ *(?:SELECTION: |FILTER |SELECT \[|SORT BY \[|\[)")
"""Lines that hold expressions; others hold names and paths."""

QUOTED = re.compile(r'(?<![\w)\]"])"[^"]*"(?![\w(\["])')
"""Text and names of columns. Polars prints no escapes: a quote inside leaves a quote behind."""

ANY_QUOTED = re.compile(r'"[^"]*"')
CALL = re.compile(r"(?:\b(arr|bin|cat|dt|list|name|str|struct)\.)?\b([a-z_]\w*)\(")

REPEATABLE = names(
    """
    col element len when then otherwise alias cast strict_cast as_struct to_physical rechunk
    reinterpret set_sorted over filter slice gather gather_every get first last item explode
    reverse shift sort unique_stable drop_nulls drop_nans append concat_expr extend_constant
    reshape repeat repeat_by int_range int_ranges date_range date_ranges datetime_range
    datetime_ranges time_range time_ranges rle rle_id arg_where index_of unique_counts

    abs negate sign not pow sqrt cbrt exp log log1p sin cos tan cot sinh cosh tanh arcsin arccos
    arctan arctan2 arcsinh arccosh arctanh degrees radians erf erfc floor ceil round
    round_sig_figs truncate clip lower_bound upper_bound
    bitwise_count_ones bitwise_count_zeros bitwise_leading_ones bitwise_leading_zeros
    bitwise_trailing_ones bitwise_trailing_zeros hash fill_null fill_null_with_strategy coalesce
    replace replace_strict interpolate diff pct_change cut qcut peak_min peak_max cum_count
    cum_min cum_max rolling_min rolling_max max_horizontal min_horizontal sum_horizontal
    mean_horizontal any_horizontal all_horizontal

    is_null is_not_null is_nan is_not_nan is_finite is_infinite is_in is_between is_close
    is_duplicated is_unique is_first_distinct is_last_distinct is_sorted is_empty has_nulls
    is_business_day add_business_days business_day_count

    min max nan_min nan_max median quantile count null_count n_unique
    any any_ignore_nulls all all_ignore_nulls

    str.concat_horizontal str.contains str.contains_any str.count_matches str.ends_with
    str.escape_regex str.extract str.extract_all str.extract_groups str.extract_many str.find
    str.format str.head str.json_decode str.json_path_match str.len_bytes str.len_chars
    str.lowercase str.normalize str.pad_end str.pad_start str.replace str.replace_all
    str.replace_many str.reverse str.slice str.split str.split_exact str.splitn str.starts_with
    str.strip_chars str.strip_chars_end str.strip_chars_start str.strip_prefix str.strip_suffix
    str.strptime str.tail str.titlecase str.to_integer str.to_lowercase str.to_titlecase
    str.to_uppercase str.to_decimal str.uppercase str.zfill
    str.base64_decode str.base64_encode str.hex_decode str.hex_encode

    dt.base_utc_offset dt.cast_time_unit dt.century dt.combine dt.convert_time_zone dt.date
    dt.datetime dt.day dt.days_in_month dt.dst_offset dt.duration dt.hour dt.is_leap_year
    dt.iso_year dt.microsecond dt.millennium dt.millisecond dt.minute dt.month dt.month_end
    dt.month_start dt.nanosecond dt.offset_by dt.ordinal_day dt.quarter dt.replace
    dt.replace_time_zone dt.round dt.second dt.time dt.timestamp dt.to_string dt.total_days
    dt.total_hours dt.total_microseconds dt.total_milliseconds dt.total_minutes
    dt.total_nanoseconds dt.total_seconds dt.truncate dt.week dt.weekday dt.with_time_unit dt.year

    bin.base64_decode bin.base64_encode bin.hex_decode bin.hex_encode
    bin.contains bin.ends_with bin.get bin.head bin.size_bytes bin.slice bin.starts_with bin.tail
    cat.ends_with cat.len_bytes cat.len_chars cat.physical cat.slice cat.starts_with
    struct.field_by_name struct.rename_fields struct.to_json

    list.concat list.contains list.count_matches list.diff list.drop_nulls list.gather
    list.gather_every list.get list.join list.length list.max list.min list.reverse list.shift
    list.slice list.sort list.to_array list.to_struct
    arr.concat arr.contains arr.count_matches arr.explode arr.get arr.join arr.length arr.max
    arr.min arr.shift arr.sort arr.to_list arr.to_struct
    """
)
"""Expressions that give the same rows in the same order each time, as Polars prints them."""

IN_ORDER = names(
    """
    bitwise_and bitwise_or bitwise_xor sum mean std var product skew kurtosis entropy
    approx_n_unique approx_quantile_sketch approx_quantile_estimate implode agg covariance
    pearson_correlation spearman_rank_correlation cum_sum cum_prod cum_fold rolling
    rolling_kurtosis rolling_max_by rolling_mean rolling_mean_by rolling_min_by rolling_quantile
    rolling_quantile_by rolling_rank rolling_rank_by rolling_rsum rolling_skew rolling_std
    rolling_std_by rolling_sum rolling_sum_by rolling_var rolling_var_by rolling_corr rolling_cov
    ewm_mean ewm_mean_by ewm_std ewm_sum ewm_sum_by ewm_var linear_space linear_spaces

    rank sort_by arg_sort arg_min arg_max min_by max_by search_sorted interpolate_by hist dot

    eval cumulative_eval with_fields struct.with_fields struct.eval
    list.agg list.all list.any list.arg_max list.arg_min list.difference list.eval
    list.filter list.intersection list.mean list.median list.n_unique list.sample_fraction
    list.sample_n list.std list.sum
    list.symmetric_difference list.union list.unique list.var
    arr.all arr.any arr.arg_max arr.arg_min arr.dot arr.mean arr.median arr.n_unique arr.reverse
    arr.std arr.sum arr.unique arr.var
    str.concat_vertical

    python_udf fold reduce rolling_map
    """
)
"""Expressions that leave the rows in order, though not every value surely is the same.

Sums of floats depend on how threads share the rows; ties, `sort_by` as `sort`, may go either
way; `rank` may be told to break ties at random. Of a Python function nothing is known, but fold
columns are Python functions themselves, and verbs in a chain should not warn of each other.
"""


def is_repeatable(frame: pl.LazyFrame) -> bool:
    """Return whether a query surely gives the same rows in the same order each time."""
    lines = frame.explain(optimized=False).splitlines()
    return all(REPEATABLE_LINE.match(line) for line in lines) and all(
        found is not None and found <= REPEATABLE for found in map(read_names, expressions(lines))
    )


def reordering_expressions(plan: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Name expressions that may not leave rows in order, each with its line of a printed plan."""
    known = (REPEATABLE | IN_ORDER) - {"rank"}
    for line, text in enumerate(plan):
        yield from ((line, name) for name in expression_names(text) if name not in known)


def expression_names(text: str) -> list[str]:
    """List the functions in a line of a plan, if it holds expressions."""
    return call_names(ANY_QUOTED.sub("", text)) if EXPRESSION_LINE.match(text) else []


def expressions(lines: list[str]) -> Iterator[str]:
    """List the lines of a plan that hold expressions."""
    return (line for line in lines if EXPRESSION_LINE.match(line))


def read_names(line: str) -> set[str] | None:
    """Name the functions in a line of a plan; None if it cannot be read for sure."""
    unquoted = QUOTED.sub("", line)
    return None if '"' in unquoted else set(call_names(unquoted))


def call_names(text: str) -> list[str]:
    """List the functions in a text without names of columns."""
    return [f"{space}.{name}" if space else name for space, name in CALL.findall(text)]
