"""Finished samples in a folder, so that a study can be stopped and resumed."""

from __future__ import annotations

import json
import os
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from .. import frames
from ..checks import load_extra
from ..errors import StratError, describe
from .fingerprint import fingerprint
from .resample import Design, Estimate, run_sample

FORMAT = 2
"""Raised when a study computes other numbers from the same arguments."""


def run_cached(design: Design, number: int, folder: Path | None) -> list[Estimate]:
    """Run a sample; what was estimated before is read, and what failed is tried again."""
    if folder is None:
        return run_sample(design, number)
    path = folder / f"sample_{number:06d}.json"
    known = read_sample(path, design, number)
    if known and not any(each.error for each in known):
        return known
    found = run_sample(design, number, known)
    # Under its name there is only ever a whole file, wherever a run is stopped.
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(json.dumps(found), encoding="utf-8")
    partial.replace(path)
    return found


def read_sample(path: Path, design: Design, number: int) -> list[Estimate]:
    """Read the estimates of a sample; none if there is no file, or it is not whole."""
    try:
        found = [Estimate(*each) for each in json.loads(path.read_text(encoding="utf-8"))]
        keys = {each[:5] for each in found}
    except (FileNotFoundError, ValueError, TypeError):
        return []
    wanted = product(
        design.strategies, design.estimators, design.ks, [number], range(design.repeats)
    )
    return found if keys == set(wanted) else []


def cache_folder(cache: Any, design: Design) -> Path | None:
    """Make the folder of one study: its name is a hash of all that its samples depend on."""
    if cache is None:
        return None
    try:
        folder = Path(cache) / study_key(design)
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, TypeError, ValueError) as error:
        msg = f"`cache` must be a folder that can be written, got {describe(cache)}: {error}"
        raise StratError(msg) from error
    return folder


def study_key(design: Design) -> str:
    """Hash the data, the strategies, the estimators and all other settings of a study."""
    versions = [import_module(name).__version__ for name in ("stratframe", "sklearn")]
    rest = (FORMAT, versions, type(design.frame).__name__)
    return fingerprint([rest, hash_data(design.frame), list(design[1:])])


def hash_data(frame: Any) -> str:
    """Hash the columns of a frame, with their types and categories, and its index."""
    columns = frames.column_names(frame)
    data = [
        (repr(name), str(values.dtype), frames.category_values(values), frames.to_list(values))
        for name, values in zip(columns, frames.read_columns(frame, columns), strict=True)
    ]
    index = list(getattr(frame, "index", []))
    return str(load_extra("joblib", "sklearn").hash((data, index)))
