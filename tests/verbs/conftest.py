"""Verbs are tested on two kinds of frame: what each kind holds is read in `frames`."""

from tests.helpers import two_kinds

__all__ = ["two_kinds"]

CLASSES = {"label": ["a", "b", None, "a", "a", "b", "c", "a"], "size": [1, 1, 2, 2, 1, 1, 2, 1]}
"""Eight rows, of which one has no label."""
