"""Measure the house: files, imports, docstrings, names, raises, plainness, the path of one call.

`python .ci/house.py` prints one line for each figure. The figures are for readers; only calls of
`eval` and starred literals, which trick the formatter, are errors.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
HOME = SRC / "stratframe"
PATHS = sorted(HOME.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PATHS}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
TERMS = {
    "Plain",
    "Classes",
    "Continuous",
    "OrderBins",
    "Quantiles",
    "Bins",
    "Clusters",
    "Chain",
    "Nearest",
    "Margins",
    "FeatureTerm",
    "Term",
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


FORBIDDEN = {"src": ("starred literals", "calls of eval"), "tests": ("starred literals",)}
"""What no file of a folder may have."""

MOST_LOCALS = 15
"""The number of local names that a reader can hold, about that of ruff's rule PLR0914."""


def plainness(node: ast.AST) -> Iterator[str]:
    """Name what a piece of code has that hides several ideas in one statement."""
    match node:
        case ast.Assign(targets=[ast.Tuple() as target], value=ast.Tuple() as value):
            names = {ast.unparse(each) for each in target.elts}
            is_swap = names == {ast.unparse(each) for each in value.elts}
            in_place = all(isinstance(each, ast.Subscript | ast.Attribute) for each in target.elts)
            if not (is_swap or in_place):
                yield "packed assignments"
        case ast.Starred(value=ast.Tuple() | ast.List()):
            yield "starred literals"
        case ast.IfExp():
            if len(ast.unparse(node)) > 60:
                yield "conditionals above 60 letters"
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            if len(node.generators) > 1:
                yield "comprehensions of two loops"
        case ast.Call(func=ast.Name(id="eval")):
            yield "calls of eval"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            if len(local_names(node)) > MOST_LOCALS:
                yield f"functions with more than {MOST_LOCALS} names"


def local_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """List the names that a function binds, its arguments among them."""
    arguments = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    stored = {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return arguments | stored


def count_plainness(folder: Path) -> tuple[int, Counter[str]]:
    """Count the lines of a folder, and what hides several ideas in one statement."""
    n_lines = 0
    counts = Counter[str]()
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        n_lines += text.count("\n")
        for node in ast.walk(ast.parse(text)):
            counts.update(plainness(node))
    return n_lines, counts


def print_plainness() -> list[str]:
    """Print the counts of the package and its tests; return a line for each that is forbidden."""
    errors = []
    for folder in (SRC, ROOT / "tests"):
        n_lines, counts = count_plainness(folder)
        print(f"lines of {folder.name:24} {n_lines}")
        for what, count in sorted(counts.items()):
            print(f"    {what:39} {count} ({1000 * count / n_lines:.1f} in 1,000 lines)")
        errors += [f"{folder.name} has {what}" for what in FORBIDDEN[folder.name] if counts[what]]
    return errors


def main() -> None:
    """Print all figures; exit with what no file may have."""
    sys.path.insert(0, str(SRC))
    calls = {each: trace(each) for each in ("pandas", "polars")}
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in PATHS)
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
    for library, entered in calls.items():
        files = Counter(file for file, _ in entered)
        print(f"functions that {library} enters      {len(entered)} in {len(files)} files")
    errors = print_plainness()
    if errors:
        sys.exit("\n".join(errors))


if __name__ == "__main__":
    main()
