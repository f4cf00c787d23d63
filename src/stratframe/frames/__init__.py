"""The boundary: the only package that knows pandas and Polars.

`refs` checks and reads columns, `columns` turns one into arrays, `attach` puts arrays
back as new columns, `rows` takes rows, `alike` compares them, `tables` makes small frames
and reads files.
"""

from .alike import Spans, all_different, condensed, spans
from .attach import Dealt, assign, expression, fields, polars_type
from .folds import folds_of
from .kinds import Frame, FrameT, check_frame, is_lazy, label_of, library, names
from .refs import (
    blank,
    check_new,
    check_refs,
    collected,
    is_computed,
    read,
    ref_name,
    roots,
    same,
    shown,
)
from .rows import fold_codes, fold_column, listed, part_values, sample, take, where, where_not
from .tables import (
    beside,
    categories,
    faults,
    like,
    numbers,
    pandera_module,
    read_file,
    records,
    rows_at,
    write_file,
)

__all__ = [
    "Dealt",
    "Frame",
    "FrameT",
    "Spans",
    "all_different",
    "assign",
    "beside",
    "blank",
    "categories",
    "check_frame",
    "check_new",
    "check_refs",
    "collected",
    "condensed",
    "expression",
    "faults",
    "fields",
    "fold_codes",
    "fold_column",
    "folds_of",
    "is_computed",
    "is_lazy",
    "label_of",
    "library",
    "like",
    "listed",
    "names",
    "numbers",
    "pandera_module",
    "part_values",
    "polars_type",
    "read",
    "read_file",
    "records",
    "ref_name",
    "roots",
    "rows_at",
    "same",
    "sample",
    "shown",
    "spans",
    "take",
    "where",
    "where_not",
    "write_file",
]
