"""Everything that is done with pandas and Polars frames; other packages call it as `frames.x`.

Elsewhere only engines and studies call methods of frames. Frames and columns come in, numpy
arrays go out, and arrays come back as new columns, as rows of the frame, or as a frame of results:

- `threads`: which threads does a forked process lack?
- `libraries`: which library is a frame from, and what are its columns called?
- `dtypes`: how does any column become a Polars series, what does it hold, and what is missing?
- `references`: what may be given for a column, which column is it, and how is it read?
- `lazy`: which lazy queries give the same rows in the same order each time?
- `attach`: how does an array become a column, at once or as a lazy expression?
- `result`: how is a result frame made in the caller's library?
- `rules`: which rows broke a rule?
- `read`: how does a column become codes of classes, numbers, or words of a key?
- `folds`: which folds does a column hold, and which one is each row in?
- `labels`: which rows of a frame do some labels, or a computation, select?
- `joined`: how do frames of one library become one?
- `duplicates`: which rows are equal in several columns, and are they in one fold?
- `files`: how are CSV and Parquet files read and written?

Each module imports only from the modules above it.
"""

from . import files, lazy, threads
from .attach import NewColumn
from .dtypes import is_continuous, is_measured, is_missing, read_flags, with_one_zero
from .duplicates import SharedExample, SharedRows
from .folds import (
    PURPOSES,
    FoldValues,
    declared_parts,
    fold_codes,
    purposes_of,
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
from .read import (
    encode_classes,
    holds_lists,
    read_comparable,
    read_key,
    read_matrix,
    read_numbers,
    read_tags,
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
from .result import float_column, make_frame
from .rules import Rule, RuledColumn, check_rules
