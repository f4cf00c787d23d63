"""Verbs are tested on two kinds of frame: what each kind holds is read in `frames`."""

from tests.helpers import TWO_KINDS, fixture_of_kinds

kind = fixture_of_kinds(TWO_KINDS)

CLASSES = {"label": ["a", "b", None, "a", "a", "b", "c", "a"], "size": [1, 1, 2, 2, 1, 1, 2, 1]}
"""Eight rows, of which one has no label."""
