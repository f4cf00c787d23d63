"""Small tables."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

small = hnp.arrays(
    np.int64,
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    elements=st.integers(0, 3),
)
