"""What `extend` needs of counted rows: the folds they have, and how many new ones each gets."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from .. import frames
from ..core.groups.local_search import Stream
from ..core.strata import crosstab
from ..core.types import Ints, Table
from ..errors import StratError, plural
from ..pipeline.extend import fill_target, target_of_counts
from ..pipeline.options import Options, Target, fold_target
from .driver import CountedStrata, sum_by


def read_parts(options: Options, folds: Any, sizes: Ints, k: int | None) -> tuple[Options, Ints]:
    """Read the folds or parts of counted rows, and aim at as many.

    Returns
    -------
    options : Options
    parts : ndarray of int64, shape (n_counted,), range -1..k-1
    """
    target, column = options.target, frames.make_frame("pandas", {options.name: folds})
    if target.names is None and k is None:
        names = frames.declared_parts(column, options.name)
        target = target if names is None else Target(len(names), "part", names)
    if target.names is None:
        try:
            parts, k = frames.read_fold_numbers(folds, k)
        except StratError as error:
            raise count_failures(error, sizes) from None
        return replace(options, target=fold_target(k)), parts
    parts = frames.read_part_codes(folds, target.names)
    counts = sum_by(parts[parts >= 0], sizes[parts >= 0], target.n)
    return replace(options, target=target_of_counts(target, counts)), parts


def count_failures(error: StratError, sizes: Ints) -> StratError:
    """Let an error about counted rows state how many rows these stand for."""
    if error.failures is None:
        return error
    n_rows = int(sizes[error.failures["row"].to_numpy()].sum())
    text = re.sub(r" in [\d,]+ rows? \(.*\)\.", f" in {plural(n_rows, 'row')}.", str(error))
    return StratError(text)


def quota_of_new(
    options: Options, found: CountedStrata, parts: Ints, sizes: Ints, stream: Stream
) -> Table:
    """Compute how many new rows of each stratum go to each part."""
    codes, n_strata = found.codes, len(found.strata.sizes)
    shares = np.array([float(share) for share in options.target.fractions(found.n_dealt)])
    given, new = (parts >= 0) & (codes >= 0), (parts < 0) & (codes >= 0)
    held = crosstab(codes[given], n_strata, parts[given], len(shares), sizes[given])
    wanted = sum_by(codes[new], sizes[new], n_strata)
    return fill_target(options, shares, stream, held, wanted)
