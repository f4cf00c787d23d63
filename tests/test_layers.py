"""What may be imported where, and when."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import stratframe

HOME = Path(stratframe.__file__).parent
MODULES = {
    path.relative_to(HOME).with_suffix("").as_posix().removesuffix("/__init__"): path
    for path in sorted(HOME.rglob("*.py"))
}
"""The file of every module, by its path in the package; `__init__` is the facade."""
TREES = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in MODULES.items()}
BOUNDARY = ("frames", "engines", "accessor", "dask", "spark")
LIBRARIES = {"pandas", "polars"}
ENGINES = {"dask", "distributed", "pyspark"}
LAZY = {"joblib", "kneed", "matplotlib", "mypy", "pandera", "scipy", "sklearn", "tqdm"} | ENGINES
LAYERS = [
    "errors checks habits mypy_plugin progress",
    "core theory",
    "frames",
    "terms",
    "pipeline",
    "engines schemas",
    "verbs",
    "judging",
    "accessor study command",
    "dask spark __init__ __main__",
]
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names.split()}
"""The height of every module or folder on top: imports lead to a lower one."""
LEVEL = {("theory", "core"), ("errors", "checks"), ("checks", "errors"), ("habits", "errors")}
IMPORT_CORE = """
import importlib, sys, types
parent = types.ModuleType("stratframe")
parent.__path__ = sys.argv[1:2]
sys.modules["stratframe"] = parent
for name in sys.argv[2:]:
    importlib.import_module(name)
print(*sys.modules)
"""


def printed(code: str, *args: str) -> list[str]:
    """Run code in a fresh process, and list the words that it prints."""
    return subprocess.check_output([sys.executable, "-c", code, *args], text=True).split()


def tops(names: list[str]) -> set[str]:
    """Name the top modules of some."""
    return {name.partition(".")[0] for name in names}


def dotted(module: str) -> str:
    """Name a module as an import does."""
    return ".".join(["stratframe", *module.split("/")])


def test_core_imports_no_frame_library() -> None:
    """All of `stratframe.core`, without its parent, imports neither pandas nor polars."""
    names = [dotted(each) for each in MODULES if each.startswith("core")]
    loaded = tops(printed(IMPORT_CORE, str(HOME), *names))
    assert {"numpy", "stratframe"} <= loaded
    assert not loaded & (LIBRARIES | LAZY | {"pyarrow", "narwhals"})


def test_import_is_cheap() -> None:
    """`import stratframe` imports no extra; pandera and rare modules are imported when named."""
    named = "print(sf.schemas.__name__, sf.study.__name__)"
    *every, schemas, study = printed(f"import stratframe as sf, sys; print(*sys.modules); {named}")
    loaded = tops(every)
    brought = tops(printed("import pandas, polars, sys; print(*sys.modules)"))
    assert loaded >= LIBRARIES
    assert not (loaded - brought) & {*LAZY, "html"}
    assert not {*every} & {"stratframe.schemas", "stratframe.study"}
    assert [schemas, study] == ["stratframe.schemas", "stratframe.study"]


def imports(module: str) -> set[str]:
    """List the top modules that a module imports, at any depth of its code."""
    found = []
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.append(node.module)
    return tops(found)


def test_only_the_boundary_knows_the_frame_libraries() -> None:
    """Outside the boundary no module imports pandas or polars."""
    knowing = {module for module in MODULES if imports(module) & LIBRARIES}
    assert {module for module in knowing if not module.startswith(BOUNDARY)} == set()
    assert "frames/read" in knowing


def test_nothing_that_is_read_is_run() -> None:
    """No module evaluates text, loads pickles, starts a program or connects to a server."""
    able = {"http", "marshal", "pickle", "requests", "shelve", "socket", "subprocess", "urllib"}
    for module, tree in TREES.items():
        assert not imports(module) & able, module
        names = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
        assert not names & {"compile", "eval", "exec"}, module


def test_only_counts_are_left_to_numpy_unique() -> None:
    """`np.unique` counts or finds places; `distinct_values` is faster where it only sorts.

    Functions of sets call it, too.
    """
    sets = {"np.setdiff1d", "np.setxor1d", "np.intersect1d", "np.union1d"}
    slow = []
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            function = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if function in sets:
                slow.append(f"{module}: {ast.unparse(node)}")
            if isinstance(node, ast.Call) and function == "np.unique":
                options = {each.arg for each in node.keywords}
                if not options & {"return_counts", "return_inverse", "return_index", "axis"}:
                    slow.append(f"{module}: {ast.unparse(node)}")
    assert slow == []


def run_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk the code that may run: all but what is under `if TYPE_CHECKING:`."""
    for node in ast.iter_child_nodes(tree):
        checked = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for each in node.orelse if checked else [node]:
            yield each
            yield from run_nodes(each)


def own_imports(module: str) -> set[str]:
    """List the modules of the package that a module imports at run time, at any depth."""
    path = MODULES[module]
    package = list(path.relative_to(HOME).parent.parts)
    found = set()
    for node in run_nodes(TREES[module]):
        if isinstance(node, ast.Import):
            sources = [alias.name.split(".") for alias in node.names]
            found |= {"/".join(each[1:]) for each in sources if each[0] == "stratframe"}
        elif isinstance(node, ast.ImportFrom):
            source = node.module.split(".") if node.module else []
            if node.level:
                source = ["stratframe", *package[: len(package) + 1 - node.level], *source]
            if source[0] != "stratframe":
                continue
            source = source[1:]
            inner = {"/".join([*source, alias.name]) for alias in node.names}
            found |= inner & MODULES.keys()
            if inner - MODULES.keys():
                found.add("/".join(source))
    return {each or "__init__" for each in found} - {module}


def test_imports_lead_down() -> None:
    """Folders import from lower ones only, and only the command line imports the facade."""
    tops_of = {module: module.partition("/")[0] for module in MODULES}
    assert {*tops_of.values()} <= RANKS.keys()
    found = {(tops_of[each], tops_of[own]) for each in MODULES for own in own_imports(each)}
    upward = {(a, b) for a, b in found - LEVEL if a != b and RANKS[a] <= RANKS[b]}
    assert upward == {("command", "__init__")}
    # The check sees imports between all layers.
    assert found >= {("frames", "core"), ("terms", "frames"), ("pipeline", "terms")}
    assert found >= {("verbs", "pipeline"), ("accessor", "verbs"), ("__init__", "accessor")}


def exported(path: Path) -> set[str]:
    """List the names that an `__init__` binds, but for modules of the package by their names."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            own = node.level == 1 and node.module is None
            found |= {
                alias.asname or alias.name
                for alias in node.names
                if not own or alias.asname not in (None, alias.name)
            }
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def test_packages_list_their_modules() -> None:
    """The page of a package lists its modules, and those of `frames` import from above."""
    listed = {
        package: re.findall(r"`(\w+)`", str(ast.get_docstring(TREES[package])))
        for package in ("command", "core", "frames", "judging", "pipeline", "verbs")
    }
    for module in MODULES:
        package, _, name = module.partition("/")
        assert package not in listed or not name or name.split("/")[0] in listed[package], module
    modules = [name for name in listed["frames"] if f"frames/{name}" in MODULES]
    for name in modules:
        above = {f"frames/{each}" for each in modules[: modules.index(name)]}
        own = {each for each in own_imports(f"frames/{name}") if each.startswith("frames/")}
        assert own <= above, name


def test_no_module_has_the_name_of_an_export() -> None:
    """No module has the name of something that its package exports."""
    for path in MODULES.values():
        if path.name == "__init__.py":
            modules = {each.stem for each in path.parent.glob("*.py")}
            modules |= {each.parent.name for each in path.parent.glob("*/__init__.py")}
            assert not modules & exported(path), path.parent.name


def test_dir_lists_the_public_names() -> None:
    """`dir(stratframe)` lists the public names and no others."""
    assert {name for name in dir(stratframe) if name[:2] != "__"} == {*stratframe.__all__}
