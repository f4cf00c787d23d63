"""Finished samples in a folder that says what it holds, so that a study can be resumed."""

from __future__ import annotations

import copyreg
import json
import os
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from itertools import product
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .. import frames
from ..checks import load_extra
from ..errors import StratError, describe
from .resample import Design, Estimate, run_sample

FORMAT = 3
"""Raised when a study computes other numbers from the same arguments."""

PLAIN = (type(None), bool, int, float, str)
"""Types that JSON has."""

CODE = (
    *("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_exceptiontable"),
    *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags"),
)
"""What code does; not where it stands."""

NEW = vars(copyreg)["__newobj__"]
"""The call that makes most objects again, which says nothing of them."""


def run_cached(design: Design, number: int, folder: Path | None) -> list[Estimate]:
    """Run a sample; what was estimated before is read, and what failed is tried again."""
    if folder is None:
        return run_sample(design, number)
    path = folder / f"sample_{number:06d}.json"
    known = read_sample(path, design, number)
    if known and not any(each.error for each in known):
        return known
    found = run_sample(design, number, known)
    write_whole(path, json.dumps(found))
    return found


def write_whole(path: Path, text: str) -> None:
    """Write a file, so that under its name there is only ever a whole one."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


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
    """Make the folder of one study, named by a hash of its settings, which it holds as JSON."""
    if cache is None:
        return None
    settings = list_settings(design)
    try:
        folder = Path(cache) / hash_json(settings)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "settings.json", json.dumps(settings, indent=1))
    except (OSError, TypeError, ValueError) as error:
        msg = f"`cache` must be a folder that can be written, got {describe(cache)}: {error}"
        raise StratError(msg) from error
    return folder


# Settings -------------------------------------------------------------------------------


def list_settings(design: Design) -> dict[str, Any]:
    """List all that the samples of a study depend on, or raise for what has no content."""
    names = ("stratframe", "sklearn")
    settings: dict[str, Any] = {
        "format": FORMAT,
        "versions": {name: import_module(name).__version__ for name in names},
        "frame": {"class": type(design.frame).__name__, "hash": hash_data(design.frame)},
    }
    try:
        rest = dict(zip(design._fields[1:], map(to_json, design[1:]), strict=True))
    except Exception as error:  # what pickle uses raises errors of many types
        msg = (
            "`cache` needs strategies, estimators and a metric that can be pickled, but got"
            f" {type(error).__name__}: {error}.\nHint: leave out `cache`."
        )
        raise StratError(msg) from error
    return settings | rest


def hash_data(frame: Any) -> str:
    """Hash the columns of a frame, with their types and categories, and its index."""
    columns = frames.column_names(frame)
    data = [
        (repr(name), str(values.dtype), frames.door.category_values(values), frames.to_list(values))
        for name, values in zip(columns, frames.read_columns(frame, columns), strict=True)
    ]
    index = list(getattr(frame, "index", []))
    return str(load_extra("joblib", "sklearn").hash((data, index)))


def to_json(value: Any) -> Any:
    """Say what an object is made of: functions and classes by their names and their code."""
    if type(value) in PLAIN:
        return value
    if type(value) is list:
        return [to_json(each) for each in value]
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: to_json(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return {"set": sorted(map(to_json, value), key=json.dumps)}
    if isinstance(value, bytes | bytearray):
        return sha256(value).hexdigest()
    if isinstance(value, CodeType):
        return hash_json([getattr(value, name) for name in CODE])
    if isinstance(value, FunctionType):
        around = [cell.cell_contents for cell in value.__closure__ or ()]
        values = to_json([value.__defaults__, value.__kwdefaults__, around])
        return {"function": full_name(value), "code": to_json(value.__code__), "values": values}
    if isinstance(value, type):
        return {"class": full_name(value), "code": hash_json([*members(value)])}
    return {type(value).__name__: to_json(reduced(value))}


def hash_json(value: Any) -> str:
    """Hash what an object is made of."""
    return sha256(json.dumps(to_json(value)).encode()).hexdigest()[:16]


def full_name(value: Any) -> str:
    """Name a function or a class with its module."""
    return f"{value.__module__}.{value.__qualname__}"


def members(given: type) -> Iterator[Any]:
    """List the code of the methods of a class and its bases, and plain values of theirs."""
    for name, member in (each for base in given.__mro__ for each in vars(base).items()):
        function = getattr(member, "fget", getattr(member, "__func__", member))
        while isinstance(function, FunctionType):
            yield function.__code__
            function = getattr(function, "__wrapped__", None)
        if type(member) in PLAIN and not name.startswith("__"):
            yield [name, member]


def reduced(value: Any) -> list[Any]:
    """Divide an object as pickle does: into the call that makes it again, and its state."""
    if isinstance(value, ModuleType):
        return [value.__name__]
    if type(value) in (tuple, dict):
        return [list(each) for each in value.items()] if type(value) is dict else list(value)
    reduce = copyreg.dispatch_table.get(type(value))
    found = value.__reduce_ex__(4) if reduce is None else reduce(value)
    if isinstance(found, str):  # the name of what a module holds, as of a cached function
        return [getattr(value, "__module__", ""), found, getattr(value, "__wrapped__", None)]
    parts = [each for each in found if each is not None and each is not NEW]
    return [list(each) if isinstance(each, tuple | Iterator) else each for each in parts]
