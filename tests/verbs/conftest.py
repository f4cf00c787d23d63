"""Verbs are tested on two kinds of frame: what each kind holds is read in `frames`."""

from tests.helpers import two_kinds

__all__ = ["two_kinds"]
