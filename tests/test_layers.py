"""What may be imported where, and when."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import stratframe

HOME = Path(stratframe.__file__).parent
BOUNDARY = ("frames/", "accessor.py")
"""The modules that know the frame libraries."""

LIBRARIES = {"pandas", "polars"}
LAZY = {"dask", "kneed", "matplotlib", "pandera", "scipy", "sklearn", "tqdm"}

IMPORT_CORE = """
import importlib, sys, types
from pathlib import Path
home = Path(sys.argv[1])
parent = types.ModuleType("stratframe")
parent.__path__ = [str(home)]
sys.modules["stratframe"] = parent
for path in sorted(home.glob("core/*.py")):
    importlib.import_module(f"stratframe.core.{path.stem}")
print(*sys.modules)
"""


def modules_after(code: str, *args: str) -> set[str]:
    """Run code in a fresh process, and list the top modules that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_core_imports_no_frame_library() -> None:
    """All of `stratframe.core`, without its parent, imports neither pandas nor polars."""
    loaded = modules_after(IMPORT_CORE, str(HOME))
    assert {"numpy", "stratframe"} <= loaded
    assert not loaded & (LIBRARIES | LAZY | {"pyarrow", "narwhals"})


def test_import_is_cheap() -> None:
    """`import stratframe` leaves pandera and the extras to when they are needed."""
    loaded = modules_after("import stratframe, sys; print(*sys.modules)")
    assert loaded >= LIBRARIES
    assert not loaded & LAZY


def imports(path: Path) -> set[str]:
    """List the top modules that a module imports, at any depth of its code."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("path", sorted(HOME.rglob("*.py")), ids=lambda path: path.name)
def test_only_the_boundary_knows_the_frame_libraries(path: Path) -> None:
    """Outside the boundary no module imports pandas or polars."""
    inside = path.relative_to(HOME).as_posix().startswith(BOUNDARY)
    assert inside or not imports(path) & LIBRARIES


def test_the_boundary_is_seen() -> None:
    """The check above sees the imports that the boundary does have."""
    found = [imports(path) for path in HOME.glob("frames/*.py")]
    assert set().union(*found) >= LIBRARIES
