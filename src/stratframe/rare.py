"""Rare classes: found, put into words, refused or left out."""

import numpy as np

from . import frames
from .core.strata import first_rows
from .core.types import Flags, Ints
from .entries import Entry, children, rules_of
from .errors import SHOWN, StratError, ended, plural, some, warn
from .naming import values_at


def frequent(entry: Entry, rare: str, parts: tuple[int, str]) -> Flags:
    """Flag the rows whose class is dealt: with `rare="null"` those of no rare class.

    Returns
    -------
    ndarray of bool, shape (n_dealt,)
    """
    codes, n_codes = children(entry, entry.data)
    sizes = np.bincount(codes, minlength=n_codes)
    few = (sizes > 0) & (sizes < parts[0])
    if rare == "null":
        return ~few[codes]
    if few.any():
        text = rare_classes(entry, codes, sizes, np.flatnonzero(few), f"{parts[0]} {parts[1]}")
        if rare == "error":
            places = np.flatnonzero(few[codes])
            places = np.sort(places if entry.rows is None else entry.rows[places])
            shown = {rules_of(entry, "error")[0].name: entry.series[0]}
            failures = frames.rows_at(frames.library(entry.series[0]), shown, places)
            msg = f'`rare="error"` allows no rare strata, but {text}'
            raise StratError(msg, failures)
        warn(text)
    return np.ones(len(codes), dtype=np.bool_)


def rare_classes(entry: Entry, codes: Ints, sizes: Ints, few: Ints, parts: str) -> str:
    """Put the rare classes of an entry into words, the smallest first."""
    few = few[np.argsort(sizes[few], kind="stable")]
    first = first_rows(codes, len(sizes))[few[:SHOWN]]
    named = [
        f"{value!r} ({plural(size, 'row')})"
        for value, size in zip(
            frames.listed(values_at(entry, first)), sizes[few].tolist(), strict=False
        )
    ]
    strata = "1 stratum" if len(few) == 1 else f"{len(few):,} strata"
    have = "has" if len(few) == 1 else "have"
    listed = some(named, len(few))
    text = ended(f"{strata} of {entry.text} {have} fewer rows than the {parts}: {listed}")
    if 2 * int(sizes[few].sum()) > len(codes):
        text += (
            f" More than half of the rows are in such strata: {entry.text} looks continuous, or"
            f" like an id.\nHint: `sf.quantiles({entry.code}, 10)` or"
            f" `sf.continuous({entry.code})`."
        )
    return text
