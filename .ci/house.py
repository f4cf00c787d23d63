"""Measure the house: files, imports, docstrings, names, raises, and the path of one call.

`python .ci/house.py` prints one line for each figure, and fails above the budget of
`pyproject.toml`.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
HOME = SRC / "stratframe"
PATHS = sorted(HOME.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PATHS}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
TERMS = {
    *("Plain", "Classes", "Continuous", "OrderBins", "Quantiles", "Bins", "Clusters", "Chain"),
    *("Nearest", "Margins", "FeatureTerm", "Term"),
}
"""The classes of terms."""


def module_name(path: Path) -> str:
    """Name the module of a file."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in PATHS}


def imported(path: Path) -> set[str]:
    """List the modules of the package that a file imports."""
    own = module_name(path).split(".")
    package = own if path.name == "__init__.py" else own[:-1]
    found = set()
    for_types = {
        id(each)
        for node in ast.walk(TREES[path])
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for each in node.body
    }
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ImportFrom) and node.level and id(node) not in for_types:
            base = package[: len(package) + 1 - node.level]
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                found.add(whole if whole in MODULES else source)
    return found & MODULES.keys() - {module_name(path)}


@cache
def depth(module: str) -> int:
    """Count the files of the longest chain of imports from a module down."""
    return 1 + max((depth(each) for each in imported(MODULES[module])), default=0)


def docstring_lines(tree: ast.Module) -> int:
    """Count the lines of docstrings, and of texts below constants."""
    return sum(
        node.end_lineno - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def bound_names(tree: ast.Module) -> set[str]:
    """List the functions, classes and constants that a module defines."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {
                each.id
                for target in targets
                for each in ast.walk(target)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
    return found - {"__all__", "__version__"}


def names_in(node: ast.AST) -> set[str]:
    """List the names that a piece of code mentions."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def dispatches(tree: ast.Module) -> int:
    """Count `isinstance` calls and match cases on the kind of a term."""
    calls = sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and bool(names_in(node.args[1]) & TERMS)
        for node in ast.walk(tree)
    )
    cases = sum(
        isinstance(node, ast.MatchClass) and bool(names_in(node.cls) & TERMS)
        for node in ast.walk(tree)
    )
    return calls + cases


def raises(tree: ast.Module) -> int:
    """Count the places that raise a `StratError`."""
    return sum(
        isinstance(node, ast.Raise) and node.exc is not None and "StratError" in names_in(node.exc)
        for node in ast.walk(tree)
    )


def longest_arguments(tree: ast.Module) -> list[tuple[int, str]]:
    """List functions by the number of their arguments."""
    return [
        (len(node.args.args) + len(node.args.kwonlyargs), node.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]


def trace(library: str) -> Counter[tuple[str, str]]:
    """Count the functions of the package that the second `kfold("label")` enters, by file."""
    import pandas as pd
    import polars as pl

    import stratframe as sf

    data = {"label": ["a", "b"] * 50}
    found = Counter()

    def follow(called, event, _):
        code = called.f_code
        own = code.co_filename.startswith(str(HOME)) and not code.co_name.startswith("<")
        if event == "call" and own:
            found[str(Path(code.co_filename).relative_to(HOME)), code.co_qualname] += 1

    for profile in (None, follow):
        frame = pd.DataFrame(data) if library == "pandas" else pl.LazyFrame(data)
        sys.setprofile(profile)
        dealt = sf.kfold(frame, "label", k=5)
        if library == "polars":
            dealt.collect()
        sys.setprofile(None)
    return found


def count_lines(folder: Path) -> int:
    """Count the lines of the Python files of a folder."""
    return sum(path.read_text(encoding="utf-8").count("\n") for path in folder.rglob("*.py"))


def main() -> None:
    """Print all figures; exit with those that are over the budget."""
    sys.path.insert(0, str(SRC))
    lines, calls = count_lines(SRC), {each: trace(each) for each in ("pandas", "polars")}
    docs = sum(docstring_lines(tree) for tree in TREES.values())
    comments = sum(
        bool(re.match(r"\s*#", line))
        for path in PATHS
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    bound = Counter(name for tree in TREES.values() for name in bound_names(tree))
    twice = sorted(name for name, count in bound.items() if count > 1)
    raising = {module_name(path): raises(tree) for path, tree in TREES.items()}
    dispatching = {module_name(path): dispatches(tree) for path, tree in TREES.items()}
    print(f"files on top                      {len(list(HOME.glob('*.py')))}")
    print(f"files                             {len(PATHS)}")
    print(f"longest import chain, files       {max(map(depth, MODULES))}")
    print(f"docstring lines                   {docs} ({docs / lines:.1%})")
    print(f"comment lines                     {comments} ({comments / lines:.1%})")
    print(f"names bound in several modules    {len(twice)}: {', '.join(twice)}")
    files = Counter(path.name for path in PATHS if path.stem != "__init__")
    shared = sorted(name for name, count in files.items() if count > 1)
    print(f"names of several files            {', '.join(shared)}")
    where = {name: count for name, count in dispatching.items() if count}
    print(f"dispatches on terms               {sum(where.values())} in {len(where)} modules")
    where = {name: count for name, count in raising.items() if count}
    print(f"raises of StratError              {sum(where.values())} in {len(where)} modules")
    found = {
        "lines-of-src": lines,
        "lines-of-tests": count_lines(ROOT / "tests"),
        "files-of-one-name": len(shared),
        **{f"calls-of-{library}": len(entered) for library, entered in calls.items()},
    }
    budget = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["house"]
    for name, count in found.items():
        print(f"{name:33} {count}, at most {budget[name]}")
    for library, entered in calls.items():
        files = Counter(file for file, _ in entered)
        print(f"    {library} enters {len(files)} files, most often {files.most_common(4)}")
    above = [name for name, count in found.items() if count > budget[name]]
    if above:
        sys.exit(f"Above the budget of pyproject.toml: {', '.join(above)}")


if __name__ == "__main__":
    main()
