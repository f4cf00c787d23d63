"""The boundary: the only package that knows pandas and Polars.

`refs` checks and reads columns, `columns` turns one into arrays, `attach` puts arrays
back as new columns, `rows` takes rows, `alike` compares them, `tables` makes small frames
and reads files.
"""

from .attach import (
    NewColumn,
    attach_columns,
    column_expression,
    filter_rows,
    polars_dtype,
    struct_fields,
)
from .classes import check_objects, encode_classes
from .dtypes import is_continuous, is_float, is_measured, is_missing, to_floats
from .duplicates import SharedRows, all_unique, count_across_folds, count_unique_rows
from .folds import (
    filter_equal,
    filter_other,
    fold_codes,
    fold_values,
    read_fold_column,
    read_fold_numbers,
)
from .library import (
    Frame,
    FrameT,
    check_frame,
    column_names,
    is_lazy,
    label_of,
    library_of,
    take,
    to_list,
)
from .numeric import rank_key, read_comparable, read_interval, read_matrix
from .numeric import read_ordinal as read_ordinal
from .references import (
    check_all_refs,
    check_new,
    check_refs,
    collect_columns,
    empty_columns,
    format_reference,
    is_computed,
    read_columns,
    result_name,
    result_names,
    root_names,
    same_column,
)
from .tables import add_columns_of, float_column, make_frame, read_file, to_dicts, write_file
from .validate import (
    Rule,
    RuledColumn,
    broken_rows,
    category_list,
    check_rules,
    failing_rows,
    flags_check,
    pandera_column,
    pandera_module,
)

__all__ = [
    "Frame",
    "FrameT",
    "NewColumn",
    "Rule",
    "RuledColumn",
    "SharedRows",
    "add_columns_of",
    "all_unique",
    "attach_columns",
    "broken_rows",
    "category_list",
    "check_all_refs",
    "check_frame",
    "check_new",
    "check_objects",
    "check_refs",
    "check_rules",
    "collect_columns",
    "column_expression",
    "column_names",
    "count_across_folds",
    "count_unique_rows",
    "empty_columns",
    "encode_classes",
    "failing_rows",
    "filter_equal",
    "filter_other",
    "filter_rows",
    "flags_check",
    "float_column",
    "fold_codes",
    "fold_values",
    "format_reference",
    "is_computed",
    "is_continuous",
    "is_float",
    "is_lazy",
    "is_measured",
    "is_missing",
    "label_of",
    "library_of",
    "make_frame",
    "pandera_column",
    "pandera_module",
    "polars_dtype",
    "rank_key",
    "read_columns",
    "read_comparable",
    "read_file",
    "read_fold_column",
    "read_fold_numbers",
    "read_interval",
    "read_matrix",
    "read_ordinal",
    "result_name",
    "result_names",
    "root_names",
    "same_column",
    "struct_fields",
    "take",
    "to_dicts",
    "to_floats",
    "to_list",
    "write_file",
]
