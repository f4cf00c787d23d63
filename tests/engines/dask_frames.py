"""Frames of Dask; tests that import this are skipped without it."""

from uuid import uuid4

import numpy as np
import pytest

from tests.engines.frames import cut

dask = pytest.importorskip("dask", reason='needs pip install "stratframe[dask]"')
dd = pytest.importorskip("dask.dataframe", reason='needs pip install "stratframe[dask]"')

import stratframe.dask as sf_dask  # noqa: E402 - registers .strat on Dask frames

__all__ = ["ONE_THREAD", "Source", "dask", "dd", "of_parts", "sf_dask"]
ONE_THREAD = {"scheduler": "synchronous", "dataframe.convert-string": False}
"""How Dask computes in tests: without threads and processes, with text as pandas has it."""


def of_parts(parts, meta=None):
    """Make a frame of partitions, which has the types of the first one if no others are given."""
    meta = parts[0].iloc[:0] if meta is None else meta
    return dd.from_map(lambda place: parts[place], range(len(parts)), meta=meta)


class Source:
    """A frame that lists the columns of each partition that is read, and whose rows may change."""

    def __init__(self, rows, npartitions=3):
        self.parts = cut(rows, np.linspace(0, len(rows), npartitions + 1).astype(int)[1:-1])
        # Dask takes equal objects for one, and would read the rows of another test.
        self.read, self.token, self.change = [], uuid4(), lambda part: part
        self.frame = dd.from_map(self.part, range(npartitions), meta=rows[:0])

    def part(self, place, columns=None):
        """Read a partition."""
        rows = self.change(self.parts[place])
        rows = rows if columns is None else rows[columns]
        self.read.append(list(rows.columns))
        return rows

    def passes(self):
        """Count the passes since the last time."""
        n_passes, rest = divmod(len(self.read), len(self.parts))
        assert not rest
        self.read.clear()
        return n_passes
