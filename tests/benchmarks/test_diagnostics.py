"""Tables against what the frame's own library does with the same columns."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import stratframe as sf

from .data import LIBRARIES, ROWS, frame_of, labels, texts
from .measure import interleaved, reach

KINDS = [*LIBRARIES, "lazy"]

LABELS = {
    "3 classes": lambda: labels(3),
    "text": lambda: texts(3),
    "100,000 classes": lambda: labels(100_000),
}

COLUMNS: dict[str, list[Any]] = {
    "few values": [labels(10, seed=seed) for seed in range(5)],
    "many values": [labels(1_000_000, seed=seed) for seed in range(5)],
}


def mixed() -> list[Any]:
    """Draw five columns as frames have them: measures, codes, an amount, and a text."""
    drawn = np.random.default_rng(0)
    measure, amount = drawn.normal(size=ROWS), drawn.normal(size=ROWS).round(2)
    return [measure, labels(100), labels(1_000_000), amount, texts(4)]


def kind_of(kind: str, **columns: Any) -> Any:
    """Make a frame of a library, or a lazy one."""
    return frame_of("polars", **columns).lazy() if kind == "lazy" else frame_of(kind, **columns)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("kind", KINDS)
def test_report_against_counts(benchmark: Any, kind: str, label: str) -> None:
    """A report costs at most twice a count of the same two columns in the library."""
    frame = kind_of(kind, label=LABELS[label](), fold=labels(5, seed=2))
    names = ["label", "fold"]

    def count() -> object:
        if kind == "pandas":
            return frame.groupby(names).size()
        return frame.lazy().group_by(names).len().collect()

    ratio = interleaved(benchmark, lambda: sf.report(frame, "label"), count)
    reach(benchmark, ratio, "x the count", at_most=2)


@pytest.mark.parametrize("columns", ["few values", "many values", "mixed"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_audit_against_duplicates(benchmark: Any, library: str, columns: str) -> None:
    """An audit of five columns takes at most 1.5 times as long as the library's own search."""
    found = mixed() if columns == "mixed" else COLUMNS[columns]
    data = dict(zip("abcde", found, strict=True))
    frame = frame_of(library, **data, fold=labels(5, seed=9))
    rows = frame[list(data)]

    def search() -> object:
        return rows.is_duplicated() if isinstance(rows, pl.DataFrame) else rows.duplicated()

    ratio = interleaved(benchmark, lambda: sf.audit(frame), search)
    reach(benchmark, ratio, "x the search", at_most=1.5)
