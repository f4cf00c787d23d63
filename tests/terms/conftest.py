"""Terms are tested on two kinds of frame: what each kind holds is read in `frames`."""

import pytest


@pytest.fixture(params=["pandas", "polars-lazy"])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of frame."""
    return str(request.param)
