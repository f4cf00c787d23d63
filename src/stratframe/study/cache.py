"""Store the settings and finished samples of a study in a folder, and read the samples back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .. import frames
from ..checks import load_extra
from ..errors import StratError, describe
from .resample import Design, Estimate, run_sample

FORMAT = 3
"""The version of the cache. Increase it if a change gives different numbers for the same call."""

PLAIN = (type(None), bool, int, float, str)
"""The types of the class attributes that are hashed with a class."""

CODE = (
    "co_code",
    "co_consts",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_exceptiontable",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_flags",
)
"""The attributes of a code object that determine what the code does, not where it is defined."""


def run_cached(design: Design, number: int, folder: Path | None) -> list[Estimate]:
    """Return the estimates of a sample from the cache; compute missing and failed estimates."""
    if folder is None:
        return run_sample(design, number)
    path = folder / f"sample_{number:06d}.json"
    try:
        known = read_sample(path, design, number)
        if known and not any(each.error for each in known):
            return known
        estimates = run_sample(design, number, known)
        write_whole(path, json.dumps(estimates))
    except OSError as error:
        msg = f"`cache` must hold files that can be read and written: {error}."
        raise StratError(msg) from error
    return estimates


def write_whole(path: Path, text: str) -> None:
    """Write a temporary file and then rename it so that no partial file has the final name."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def read_sample(path: Path, design: Design, number: int) -> list[Estimate]:
    """Read the estimates of a sample; return an empty list if the file is missing or damaged."""
    try:
        estimates = [Estimate(*each) for each in json.loads(path.read_text(encoding="utf-8"))]
        keys = sorted(each[:5] for each in estimates)
    except (FileNotFoundError, ValueError, TypeError, RecursionError):
        return []
    keys_of_design = product(
        design.strategies, design.estimators, design.ks, [number], range(design.repeats)
    )
    if keys != sorted(keys_of_design) or not all(map(is_sound, estimates)):
        return []
    return estimates


def is_sound(estimate: Estimate) -> bool:
    """Return whether an estimate has the right types and, unless it failed, finite scores."""
    types = [str, str, int, int, int, float, float, float, float, str]
    numbers = estimate[7:9] if estimate.error else estimate[5:9]
    return list(map(type, estimate)) == types and bool(np.isfinite(numbers).all())


def cache_folder(cache: Any, design: Design) -> Path | None:
    """Make the folder of a study, named after a hash of the settings, and write the settings."""
    if cache is None:
        return None
    name, settings = describe_settings(design)
    try:
        folder = Path(cache) / name
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "settings.json", settings)
    except (OSError, TypeError, ValueError) as error:
        msg = f"`cache` must be a writable folder, got {describe(cache)}: {error}"
        raise StratError(msg) from error
    return folder


# Settings -------------------------------------------------------------------------------


def describe_settings(design: Design) -> tuple[str, str]:
    """Return a hash and a JSON description of all settings that affect the samples.

    A frame is identified by its index and by its columns, with their types and categories. An
    error is raised if an object cannot be pickled.
    """
    columns = frames.column_names(design.frame)
    data = [
        (
            repr(name),
            str(values.dtype),
            frames.dtypes.category_values(values),
            frames.to_list(values),
        )
        for name, values in zip(columns, frames.read_columns(design.frame, columns), strict=True)
    ]
    index = list(getattr(design.frame, "index", []))
    frame = {"class": type(design.frame).__name__, "hash": hash_object([data, index])}
    versions = {name: import_module(name).__version__ for name in ("stratframe", "sklearn")}
    settings = {"format": FORMAT, "versions": versions, **design._asdict(), "frame": frame}
    try:
        return hash_object(settings), json.dumps(settings, indent=1, default=show)
    except Exception as error:  # pickling raises errors of many types
        msg = (
            "`cache` needs strategies, estimators and a metric that can be pickled, but got"
            f" {type(error).__name__}: {error}.\nHint: leave out `cache`."
        )
        raise StratError(msg) from error


def show(value: Any) -> dict[str, str]:
    """Return the name of an object that JSON cannot store, and a hash of its contents."""
    is_function = isinstance(value, FunctionType)
    name = full_name(value) if is_function else repr(value)
    return {"object": name, "hash": hash_object(value)}


def hash_object(value: Any) -> str:
    """Hash the contents of an object; functions and classes are hashed by name and code."""

    class Hasher(load_extra("joblib.hashing", "sklearn").NumpyHasher):  # type: ignore[misc]
        """A hasher of pickled objects."""

        def save(self, value: Any) -> None:
            """Save the contents of objects that pickle would save by name or in arbitrary order."""
            if not isinstance(value, FunctionType | type):  # perhaps decorated with `lru_cache`
                value = getattr(value, "__wrapped__", value)
            if isinstance(value, FunctionType):
                around = [cell.cell_contents for cell in value.__closure__ or ()]
                code = [value.__code__, value.__defaults__, value.__kwdefaults__]
                value = [full_name(value), *code, around]
            elif isinstance(value, CodeType):
                value = [getattr(value, name) for name in CODE]
            elif isinstance(value, type):
                value = [full_name(value), *members(value)]
            elif isinstance(value, ModuleType):
                value = value.__name__
            elif isinstance(value, frozenset):
                value = set(value)
            super().save(value)

    hasher = Hasher()
    hasher.fast = True  # without references, so shared objects and copies have equal hashes
    return str(hasher.hash(value)[:16])


def full_name(value: Any) -> str:
    """Return the name of a function or class, with its module."""
    return f"{value.__module__}.{value.__qualname__}"


def members(kind: type) -> Iterator[Any]:
    """Yield the plain attributes of a class and its base classes, and the code of their methods."""
    for base in kind.__mro__:
        for name, member in vars(base).items():
            function = getattr(member, "fget", getattr(member, "__func__", member))
            while isinstance(function, FunctionType):
                yield function.__code__
                function = getattr(function, "__wrapped__", None)
            if type(member) in PLAIN and not name.startswith("__"):
                yield [name, member]
