"""The only package that knows pandas and Polars; the others call it as `frames.x`.

Frames and series come in, numpy arrays go out, and arrays come back as new columns:

- `libraries`: which library is a frame from, and what are its columns called?
- `door`: how does any column become a Polars series, what does it hold, and what is missing?
- `references`: what may be given for a column, which column is it, and how is it read?
- `read`: which codes of classes, numbers, or words of a key does a column give?
- `lazy`: which lazy queries surely give the same rows each time, and so stream?
- `row_order`: does a lazy query give its rows in the same order each time?
- `attach`: how does an array become a column, at once or as a lazy expression?
- `tables`: how is a result frame made in the caller's library?
- `validate`: which rows broke a rule?
- `folds`: which folds does a column hold, and which one is each row in?
- `select`: which rows of a frame do some labels, or a computation, select?
- `duplicates`: which rows are equal in several columns, and are they in one fold?
- `files`: how are CSV and Parquet files read and written?

A module imports only from those above it.
"""

from .attach import (
    NewColumn,
    attach_columns,
    column_expression,
    polars_dtype,
    struct_fields,
)
from .door import (
    category_values,
    is_continuous,
    is_measured,
    is_missing,
    is_text,
    may_hold_fractions,
    read_flags,
)
from .duplicates import (
    SharedExample,
    SharedRows,
    all_unique,
    count_across_folds,
    count_equal,
    count_unique_rows,
    groupable,
    rows_across_folds,
)
from .files import (
    PIPE,
    check_path,
    is_text_file,
    read_file,
    read_folds,
    update_csv,
    write_file,
)
from .folds import (
    PURPOSES,
    FoldValues,
    are_folds,
    are_parts,
    count_values,
    declared_parts,
    fold_codes,
    has_all_folds,
    purposes_of,
    read_fold_column,
    read_fold_numbers,
    read_part_codes,
    to_fold_column,
)
from .libraries import (
    AnyFrame,
    AnyFrameT,
    Frame,
    FrameT,
    PandasFrame,
    PolarsFrame,
    PolarsTable,
    check_frame,
    column_names,
    is_frame,
    is_lazy,
    label_of,
    library_of,
    take,
    to_list,
    value_at,
)
from .read import (
    encode_classes,
    rank_key,
    read_comparable,
    read_group_key,
    read_key,
    read_matrix,
    read_numbers,
)
from .references import (
    ResultName,
    check_all_refs,
    check_names,
    check_not_data,
    check_refs,
    collect_columns,
    column_key,
    empty_columns,
    format_reference,
    has_column,
    is_column,
    is_computed,
    is_label,
    not_a_reference,
    read_columns,
    read_named,
    repeated,
    result_name,
    result_names,
    root_names,
    same_column,
    split_named,
)
from .row_order import warn_row_order
from .select import (
    LabelRows,
    drop_values,
    encode_labels,
    filter_labels,
    filter_rows,
    filter_values,
    flag_labels,
    read_labels,
    shorter_list,
    values_apart,
)
from .tables import (
    float_column,
    make_frame,
    rank_values,
    stack_frames,
    to_dicts,
)
from .validate import (
    Rule,
    RuledColumn,
    broken_rows,
    check_rules,
    failing_rows,
    flags_check,
    pandera_module,
    part_type,
)
