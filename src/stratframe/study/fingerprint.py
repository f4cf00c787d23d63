"""One hash for objects that compute the same: data by content, functions by their code.

What a library offers is hashed by its name and the library's version. The code of all other
functions and classes counts, with the values that it reaches: constants, defaults, closures and
globals. Files, lines and modules do not, so that a function keeps its hash when it is moved,
or defined again in another process.
"""

from __future__ import annotations

import copyreg
import dis
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import sha256
from inspect import CO_NESTED
from operator import attrgetter
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..errors import StratError

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))
"""Types whose `repr` says all."""

MEMBERS = (FunctionType, classmethod, staticmethod, property)
"""What counts of a class under names such as `__init__`; all else there is made by Python."""

PLACED = ("__firstlineno__", "__qualname__", "__static_attributes__")
"""What the code of a class says of its place, or in an order that hash seeds change."""

GLOBAL_STEPS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
"""Instructions that read global names: of functions, and of classes inside them."""

LIBRARIES = {
    os.path.realpath(folder)
    for folder in (
        *(sysconfig.get_path(each) for each in ("stdlib", "platstdlib", "purelib", "platlib")),
        *site.getsitepackages(),
        site.getusersitepackages(),
    )
}
"""The folders of installed packages."""


def fingerprint(value: Any) -> str:
    """Hash an object, or raise if it has no content that Python can copy."""
    try:
        return Hasher().digest(value).hex()
    except Exception as error:  # pickle raises errors of many types
        msg = (
            "`cache` needs strategies, estimators and a metric that can be pickled, but got"
            f" {type(error).__name__}: {error}.\nHint: leave out `cache`."
        )
        raise StratError(msg) from error


class Hasher:
    """Digests of objects, each computed once."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[bytes, Any]] = {}
        """By `id`; with the object, so that no other one gets its `id`."""
        self.depths: dict[int, int] = {}
        """Of the objects that the current one is part of."""

    def digest(self, value: Any) -> bytes:
        """Digest an object; inside itself it is the number of steps up."""
        if type(value) in PLAIN:
            return combine(f"{type(value).__name__} {value!r}")
        place = id(value)
        if place in self.depths:
            return combine(f"up {len(self.depths) - self.depths[place]}")
        if place not in self.known:
            self.depths[place] = len(self.depths)
            try:
                label, digests = self.content(value)
                self.known[place] = combine(label, digests), value
            finally:
                del self.depths[place]
        return self.known[place][0]

    def each(self, values: Iterable[Any]) -> list[bytes]:
        """Digest several objects."""
        return [self.digest(value) for value in values]

    def content(self, value: Any) -> tuple[str, list[bytes]]:
        """Name the kind of an object, and digest what it holds."""
        kind = type(value).__name__
        offered = library_name(value)
        if offered is not None:
            return offered, []
        if isinstance(value, ModuleType):
            return f"module {value.__name__}", []
        if type(value) in (list, tuple):
            return kind, self.each(value)
        if type(value) is dict:
            return kind, self.each(each for item in value.items() for each in item)
        if isinstance(value, set | frozenset):
            return "set", [self.digest(type(value)), *sorted(self.each(value))]
        if isinstance(value, np.ndarray):
            data = value.tolist() if value.dtype.hasobject else value.tobytes()
            return kind, self.each([value.dtype, value.shape, data])
        return self.code_content(value) or (kind, self.each(reduced(value)))

    def code_content(self, value: Any) -> tuple[str, list[bytes]] | None:
        """Digest a function, a class, or what wraps a function; None for any other object."""
        kind = type(value).__name__
        if isinstance(value, CodeType):
            return kind, self.each(code_parts(value))
        if isinstance(value, CellType):
            return kind, self.each(cell_values(value))
        if isinstance(value, FunctionType):
            inner = value.__code__, value.__defaults__, value.__kwdefaults__, value.__closure__
            return kind, [*self.each(inner), *self.leniently(used_globals(value))]
        if isinstance(value, type):
            return value.__name__, [*self.each(value.__bases__), *self.leniently(members(value))]
        if isinstance(value, property):
            return kind, self.each([value.fget, value.fset, value.fdel])
        if isinstance(value, cached_property):
            return kind, [self.digest(value.func)]
        # Class methods, static methods and what `functools.cache` returns.
        if hasattr(type(value), "__get__") and hasattr(value, "__wrapped__"):
            return kind, [self.digest(value.__wrapped__)]
        return None

    def leniently(self, named: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
        """Digest values that code may reach, and their names; by type what cannot be pickled."""
        for name, value in named:
            yield self.digest(name)
            try:
                yield self.digest(value)
            except Exception:  # locks, connections, loggers of other libraries
                yield combine(f"some {type(value).__name__}")


def combine(label: str, digests: Iterable[bytes] = ()) -> bytes:
    """Hash a label and digests, which have a fixed length."""
    whole = sha256(label.encode("utf-8", "surrogatepass"))
    return sha256(whole.digest() + b"".join(digests)).digest()


def reduced(value: Any) -> list[Any]:
    """Divide an object as pickle does: into the call that makes it again, and its state."""
    reduce = copyreg.dispatch_table.get(type(value))
    found = value.__reduce_ex__(4) if reduce is None else reduce(value)
    if isinstance(found, str):
        return [f"{value.__module__}.{found}"]
    return [list(each) if isinstance(each, Iterator) else each for each in found]


def library_name(value: Any) -> str | None:
    """Name a function or class that a library offers under its name, with the version."""
    if not isinstance(value, FunctionType | BuiltinFunctionType | type):
        return None
    module, name = value.__module__, value.__qualname__
    if not isinstance(module, str) or not is_library(module):
        return None
    try:
        offered = attrgetter(name)(sys.modules[module])
    except AttributeError:
        return None
    version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", "")
    return f"library {module}.{name} {version}" if offered is value else None


def is_library(module: str) -> bool:
    """Return whether a module is installed, or part of Python."""
    if module not in sys.modules:
        return False
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        return module.partition(".")[0] in sys.stdlib_module_names
    path = os.path.realpath(file)
    return any(path.startswith(f"{folder}{os.sep}") for folder in LIBRARIES)


def code_parts(code: CodeType) -> list[Any]:
    """List what a code object does: its arguments, and its instructions with their values."""
    n_arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    steps = list(dis.get_instructions(code))
    after = [each.argval for each in steps[1:]] + [None]
    does = [
        (step.opname, step.argval)
        for step, following in zip(steps, after, strict=True)
        if following not in PLACED
    ]
    names = code.co_varnames[: sum(n_arguments)]
    flags = code.co_flags & ~CO_NESTED
    return [n_arguments, flags, names, code.co_freevars, code.co_exceptiontable, does]


def cell_values(cell: CellType) -> list[Any]:
    """List the value of a variable around a function, if it has one yet."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def used_globals(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """List the global names in the code of a function that have a value, and these."""
    for name in sorted(global_names(function.__code__)):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def global_names(code: CodeType) -> set[str]:
    """List the global names in a code object, and in the functions inside it."""
    steps = dis.get_instructions(code)
    found = {each.argval for each in steps if each.opname in GLOBAL_STEPS}
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return found.union(*map(global_names, inner))


def members(given: type) -> list[tuple[str, Any]]:
    """List the functions and values of a class, sorted by name."""
    return sorted(
        (name, value)
        for name, value in vars(given).items()
        if isinstance(value, MEMBERS) or not name.startswith("__")
    )
