"""Terms are tested on two kinds of frame: what each kind holds is read in `frames`."""

from tests.helpers import TWO_KINDS, fixture_of_kinds

kind = fixture_of_kinds(TWO_KINDS)
