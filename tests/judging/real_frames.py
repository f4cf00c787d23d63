"""Rates of `check` with the label alone, on the frames of a folder: `python -m ... FOLDER`.

Each frame of a folder of Parquet or CSV files gets columns of folds that are good, and columns
that are wrong in one way. A line for each kind has the number of frames, how many columns were
refused, and in how many the fault was told, at least by a note.
"""

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import stratframe as sf

K = 5
COPIED = 0.05
"""The share of rows that are copied into another fold."""
TORN = 3
"""The number of groups that are put into several folds."""
TIME_NAME = re.compile(
    r"(^|[^a-z])(year|date|time|day|month|week|wave|period)s?($|[^a-z])", re.IGNORECASE
)
"""Numbers of other names, such as survival times ("futime") and charges ("monthly"), are none."""


class Case(NamedTuple):
    """A frame with the column `fold`, and the column by which it is judged."""

    frame: pd.DataFrame
    label: str


class Kind(NamedTuple):
    """One way of making folds, and the checks that tell what is wrong with them."""

    make: Callable[[pd.DataFrame, str, np.random.Generator], Case | None]
    is_good: bool
    tells: tuple[str, ...] = ()


def read_frames(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Read the frames of 100 to 100,000 rows and two columns or more, without a column `fold`."""
    for path in sorted(folder.iterdir()):
        read = pd.read_parquet if path.suffix == ".parquet" else pd.read_csv
        frame = read(path)
        if 100 <= len(frame) <= 100_000 and 2 <= frame.shape[1] <= 60 and "fold" not in frame:
            yield path.stem, frame.reset_index(drop=True)


def label_of(frame: pd.DataFrame) -> str | None:
    """Choose the last column of 2 to 20 classes that have 20 rows each and no missing value."""
    for name in reversed(frame.columns):
        column = frame[name]
        has_classes = not column.isna().any() and 2 <= column.nunique() <= 20
        if has_classes and column.value_counts().min() >= 20:
            return str(name)
    return None


def group_of(frame: pd.DataFrame, label: str) -> str | None:
    """Choose the first column without fractions that has 20 groups of 1.5 to 50 rows."""
    for name in frame.columns.drop(label):
        column = frame[name]
        n_values = column.nunique()
        is_float = pd.api.types.is_float_dtype(column) and (column % 1 != 0).any()
        if column.isna().any() or is_float or n_values < 20:
            continue
        if 1.5 * n_values <= len(column) <= 50 * n_values:
            return str(name)
    return None


def site_of(frame: pd.DataFrame, label: str) -> str | None:
    """Choose the first column of 3 to 20 values that have ten rows each.

    Folds that keep each class of the label in one fold, or have one class each, are not good.
    """
    for name in frame.columns.drop(label):
        column = frame[name]
        has_classes = not column.isna().any() and 3 <= column.nunique() <= 20
        if not has_classes or column.value_counts().min() < 10:
            continue
        table = pd.crosstab(column, frame[label]) > 0
        if table.sum(axis=0).max() > 1 and table.sum(axis=1).max() > 1:
            return str(name)
    return None


def time_of(frame: pd.DataFrame, label: str) -> pd.Series | None:
    """Choose the first column of dates, or of numbers whose name says time, of 10 values."""
    for name in frame.columns.drop(label):
        column = frame[name]
        is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        is_time = is_number and TIME_NAME.search(str(name)) is not None
        is_time |= pd.api.types.is_datetime64_any_dtype(column)
        if is_time and not column.isna().any() and column.nunique() >= 10:
            return column
    return None


def shuffled(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case:
    return Case(frame.assign(fold=rng.permutation(len(frame)) % K), label)


def stratified(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case:
    return Case(sf.kfold(frame, label, K, seed=int(rng.integers(1000))), label)


def whole_groups(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case | None:
    group = group_of(frame, label)
    if group is None:
        return None
    values = frame[group].unique()
    fold_of_value = dict(zip(values, rng.permutation(len(values)) % K, strict=True))
    return Case(frame.assign(fold=frame[group].map(fold_of_value).astype(int)), label)


def torn_groups(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case | None:
    whole = whole_groups(frame, label, rng)
    group = group_of(frame, label)
    if whole is None or group is None:
        return None
    sizes = frame[group].value_counts()
    repeated = sizes.index[sizes > 1]
    if len(repeated) < 20 * TORN:
        return None
    folds = whole.frame["fold"].to_numpy().copy()
    for value in rng.choice(repeated.to_numpy(dtype=object), TORN, replace=False):
        row = np.flatnonzero((frame[group] == value).to_numpy())[0]
        folds[row] = (folds[row] + 1) % K
    return Case(frame.assign(fold=folds), label)


def sites(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case | None:
    site = site_of(frame, label)
    if site is None:
        return None
    return Case(frame.assign(fold=pd.factorize(frame[site])[0]), label)


def cut_in_time(frame: pd.DataFrame, label: str, names: tuple[str, str], share: float) -> Any:
    """Cut the frame in two where the times pass a quantile; times that are equal stay together."""
    times = time_of(frame, label)
    if times is None:
        return None
    is_late = (times > times.quantile(share, interpolation="lower")).to_numpy()
    if not 0.05 * len(frame) <= is_late.sum() <= 0.95 * len(frame):
        return None
    return Case(frame.assign(fold=np.where(is_late, names[1], names[0])), label)


def newest_as_test(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Any:
    return cut_in_time(frame, label, ("train", "test"), 0.8)


def oldest_as_test(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Any:
    return cut_in_time(frame, label, ("test", "train"), 0.2)


def add_copies(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case | None:
    """Copy some rows into another fold; the frame must not have equal rows of its own."""
    if frame.duplicated().mean() > 0.002:
        return None
    rows = rng.choice(len(frame), max(int(COPIED * len(frame)), 8), replace=False)
    folds = rng.permutation(len(frame)) % K
    copies = frame.iloc[rows]
    both = pd.concat([frame, copies], ignore_index=True)
    return Case(both.assign(fold=np.append(folds, (folds[rows] + 1) % K)), label)


def hide_by_noise(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case | None:
    case = add_copies(frame, label, rng)
    if case is None:
        return None
    return Case(case.frame.assign(score=rng.normal(size=len(case.frame))), label)


def hide_by_id(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case | None:
    case = add_copies(frame, label, rng)
    if case is None:
        return None
    return Case(case.frame.assign(record=rng.permutation(len(case.frame))), label)


def hide_by_edited_number(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Any:
    """Change a number of each copy by a thousandth of its spread."""
    case = add_copies(frame, label, rng)
    numbers = frame.columns[[pd.api.types.is_float_dtype(dtype) for dtype in frame.dtypes]]
    if case is None or not len(numbers):
        return None
    name = str(rng.choice(numbers))
    changed = case.frame[name].copy()
    n_copies = len(changed) - len(frame)
    changed.iloc[-n_copies:] += np.abs(rng.normal(size=n_copies)) * changed.std() / 1000
    return Case(case.frame.assign(**{name: changed}), label)


def flip_labels(frame: pd.DataFrame, label: str, rng: np.random.Generator) -> Case | None:
    """Give each copy another label."""
    case = add_copies(frame, label, rng)
    if case is None:
        return None
    values = frame[label].unique()
    changed = case.frame[label].to_numpy(dtype=object).copy()
    for row in range(len(frame), len(changed)):
        changed[row] = rng.choice([value for value in values if value != changed[row]])
    return Case(case.frame.assign(**{label: pd.Series(changed).astype(frame[label].dtype)}), label)


KINDS = {
    "shuffled": Kind(shuffled, is_good=True),
    "kfold": Kind(stratified, is_good=True),
    "whole groups": Kind(whole_groups, is_good=True),
    "sites": Kind(sites, is_good=True),
    "newest as test": Kind(newest_as_test, is_good=True),
    "oldest as test": Kind(oldest_as_test, is_good=False, tells=("time",)),
    "torn groups": Kind(torn_groups, is_good=False, tells=("groups",)),
    "copies": Kind(add_copies, is_good=False, tells=("duplicates",)),
    "copies beside noise": Kind(hide_by_noise, is_good=False, tells=("duplicates",)),
    "copies beside an id": Kind(hide_by_id, is_good=False, tells=("duplicates",)),
    "an edited number": Kind(hide_by_edited_number, is_good=False, tells=("duplicates",)),
    "flipped labels": Kind(flip_labels, is_good=False, tells=("duplicates",)),
}


def measure(kind: Kind, frames: list[tuple[str, pd.DataFrame]]) -> tuple[int, int, int, list[str]]:
    """Count the frames, the columns that are refused, and those whose fault is told."""
    n_cases = 0
    n_refused = 0
    n_told = 0
    wrong = []
    for place, (name, frame) in enumerate(frames):
        label = label_of(frame)
        case = None if label is None else kind.make(frame, label, np.random.default_rng(place))
        if case is None:
            continue
        check = sf.check(case.frame, case.label)
        found = check.findings
        is_told = found["check"].isin(kind.tells) & (found["severity"] != "ok") & (found["n"] > 0)
        n_cases += 1
        n_refused += not check.ok
        n_told += bool(is_told.any()) or not check.ok
        if check.ok != kind.is_good:
            wrong.append(name)
    return n_cases, n_refused, n_told, wrong


def main(folder: str, *chosen: str) -> None:
    """Print a line for each kind; with words after the folder, of these kinds only."""
    frames = list(read_frames(Path(folder)))
    for name, kind in KINDS.items():
        if chosen and name not in chosen:
            continue
        n_cases, n_refused, n_told, wrong = measure(kind, frames)
        want = "0 refused" if kind.is_good else "all refused"
        print(f"{name:20} {n_cases:5} frames, {n_refused:5} refused, {n_told:5} told ({want})")
        if chosen:
            print(*wrong)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:])
