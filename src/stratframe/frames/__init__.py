"""The operations on pandas and Polars frames; other packages call them as `frames.x`.

Outside this package, only the engines and the studies call methods of frames. The functions here
convert columns to numpy arrays, and make new columns, selections of rows and tables from arrays.

- `threads`: check whether a forked process lacks the threads of Polars
- `libraries`: recognize the library of a frame, and list its column names
- `dtypes`: convert columns to Polars series, and find their dtypes and their missing values
- `references`: check the references to columns in arguments, and read the columns
- `lazy`: warn about lazy queries that can return different rows or a different order each time
- `attach`: add arrays to a frame as new columns, at once or as a lazy expression
- `result`: make a table of results in the frame library of the caller
- `polars_schemas`: the pandera classes for Polars frames, imported when first needed
- `rules`: find the rows that break a rule
- `read`: read a column as codes of classes, as numbers, or as a key to be hashed
- `compared_column`: encode and hash a column in which rows are compared
- `times`: read dates, also those written as text in ISO format
- `lists`: read a column of lists as tags, or as vectors of classes
- `purposes`: rank the names of parts by the use that they describe
- `folds`: read the folds that a column holds, and the fold of each row
- `periods`: divide dates and times into calendar periods
- `calendars`: count calendar periods, and find gaps of a duration beside them
- `labels`: select the rows with certain labels, or the rows that a function flags
- `joined`: concatenate several frames of the same library
- `duplicates`: count and find rows with equal values, within folds and across folds
- `arrow`: read frames of other libraries, and give results back as these
- `files`: read and write CSV and Parquet files

Each module imports only from the modules above it.
"""

from . import arrow, calendars, files, lazy, periods, threads
from .attach import NewColumn
from .compared_column import ComparedColumn, columns_to_compare
from .dtypes import (
    is_continuous,
    is_measured,
    is_missing,
    is_of_numbers,
    numbers_at,
    read_flags,
    with_one_zero,
)
from .duplicates import SharedExample, SharedRows
from .folds import (
    FoldValues,
    declared_parts,
    fold_codes,
    read_fold_numbers,
    read_part_codes,
)
from .joined import PART, join_frames
from .labels import LabelRows, encode_labels, filter_rows, read_labels
from .libraries import (
    AnyFrame,
    AnyFrameT,
    Frame,
    check_frame,
    column_names,
    is_frame,
    label_of,
    library_of,
    take,
    to_list,
)
from .lists import (
    component_values,
    encode_components,
    holds_lists,
    kind_of_lists,
    read_tags,
)
from .purposes import PURPOSES, purposes_of, purposes_of_column
from .read import (
    encode_classes,
    encode_numbers,
    read_comparable,
    read_key,
    read_matrix,
    read_numbers,
    read_times,
)
from .references import (
    ResultName,
    check_names,
    check_refs,
    collect_columns,
    format_reference,
    is_computed,
    read_columns,
)
from .result import float_column, make_frame, text_column
from .rules import Rule, RuledColumn, check_rules
from .times import (
    list_possible_times,
    read_dates,
    read_given_times,
    read_numbered_times,
    spread_rows,
)
