"""The boundary: the only package that knows pandas and Polars.

`refs` checks and reads columns, `columns` turns one into arrays, `attach` puts arrays
back as new columns, `rows` takes rows, `alike` compares them, `tables` makes small frames
and reads files.
"""

from .attach import Dealt, assign, expression, fields, polars_type, sample
from .classes import check_objects, encode
from .dtypes import floats, is_continuous, is_float, is_measured, missing
from .duplicates import Spans, all_different, condensed, spans
from .folds import fold_codes, fold_column, folds_of, part_values, where, where_not
from .library import Frame, FrameT, check_frame, is_lazy, label_of, library, listed, names, take
from .numeric import distances, features, measures, ranks
from .numeric import numbers as read_ordinal
from .references import (
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
from .tables import beside, like, numbers, read_file, records, write_file
from .validate import categories, faults, pandera_module, rows_at

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
    "check_objects",
    "check_refs",
    "collected",
    "condensed",
    "distances",
    "encode",
    "expression",
    "faults",
    "features",
    "fields",
    "floats",
    "fold_codes",
    "fold_column",
    "folds_of",
    "is_computed",
    "is_continuous",
    "is_float",
    "is_lazy",
    "is_measured",
    "label_of",
    "library",
    "like",
    "listed",
    "measures",
    "missing",
    "names",
    "numbers",
    "pandera_module",
    "part_values",
    "polars_type",
    "ranks",
    "read",
    "read_file",
    "read_ordinal",
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
