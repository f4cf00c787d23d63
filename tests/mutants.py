"""Whether the tests see a change of the code: a seeded sample of small wrong changes, each tried.

`python -m tests.mutants --n 300 --seed 0 src/stratframe/core src/stratframe/pipeline` changes a
comparison, an operator, a constant, a condition or a branch in a copy of the project, one at a
time, and runs the tests nearest to the file; `--whole` runs all tests where these do not fail.
"""

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENDS = ("failed", "passed", "too slow")
PAIRS = [
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.FloorDiv),
    (ast.BitAnd, ast.BitOr),
    (ast.And, ast.Or),
    (ast.LShift, ast.RShift),
]
SWAPS = {**dict(PAIRS), **{new: old for old, new in PAIRS}, ast.Mod: ast.Mult}


def changed(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Change a node: the kind of change, the expression, and what takes its place."""
    match node:
        case ast.Compare(left, [op, *ops], right) if type(op) in SWAPS:
            yield "comparison", node, ast.Compare(left, [SWAPS[type(op)](), *ops], right)
        case ast.BinOp(left, op, right) if type(op) in SWAPS:
            yield "operator", node, ast.BinOp(left, SWAPS[type(op)](), right)
        case ast.BoolOp(op, values):
            yield "boolean", node, ast.BoolOp(SWAPS[type(op)](), values)
        case ast.Constant(bool() as value):
            yield "boolean", node, ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield "constant", node, ast.Constant(value + 1)
        case ast.If(test) | ast.IfExp(test) | ast.While(test):
            yield "branch", test, ast.UnaryOp(ast.Not(), test)


def runs(node: ast.AST) -> Iterator[ast.AST]:
    """Walk what runs: no annotations, and nothing that is for type checkers alone."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns"} or ast.unparse(node).startswith("if TYPE_CHECKING"):
            continue
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from runs(each)


def mutants(path: Path) -> Iterator[tuple[str, int, str, str]]:
    """List the changes of a file: kind, line, what stood there, and the changed text."""
    text = path.read_bytes()
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    for node in runs(ast.parse(text)):
        for kind, old, new in changed(node):
            first = starts[old.lineno - 1] + old.col_offset
            last = starts[(old.end_lineno or old.lineno) - 1] + (old.end_col_offset or 0)
            put = ast.unparse(new)
            whole = text[:first] + f"({put})".encode() + text[last:]
            yield kind, old.lineno, f"{text[first:last].decode()}  ->  {put}", whole.decode()


def nearest(path: Path) -> list[str]:
    """Find the tests of a file, or of its folder, and those of all calls."""
    folder = Path("tests", *path.parts[2:-1])
    own = [*ROOT.glob(f"{folder}/test_{path.stem.strip('_')}*.py"), ROOT / folder]
    return [*map(str, own), str(ROOT / "tests/test_golden.py"), str(ROOT / "tests/test_traps.py")]


def run_tests(copy: Path, tests: list[str], seconds: float) -> str:
    """Say whether tests pass, fail, or take too long in a copy of the project."""
    own = [each.replace(str(ROOT), str(copy)) for each in tests]
    command = [sys.executable, "-m", "pytest", "-qx", *own, *(["-n", "0"] if own else [])]
    try:
        done = subprocess.run(command, cwd=copy, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return "too slow"
    return "failed" if done.returncode else "passed"


def main() -> None:
    """Try a sample of mutants, and print those that no test sees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    for name, default in (("n", 300), ("seed", 0), ("seconds", 60)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--whole", action="store_true", help="all tests for those that survive")
    given = parser.parse_args()
    files = sorted({file for path in given.paths for file in [path, *path.rglob("*.py")]})
    every = [(file, *each) for file in files if file.is_file() for each in mutants(file)]
    found = Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "project")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "site", ".*cache"))
        for file, kind, line, said, text in random.Random(given.seed).sample(every, given.n):
            (copy / file).write_text(text, encoding="utf-8")
            end = run_tests(copy, nearest(file), given.seconds)
            if given.whole and end != "failed":
                end = run_tests(copy, [], 900)
            (copy / file).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
            found[kind, end] += 1
            if end != "failed":
                print(f"{end}: {file}:{line}: {said}", flush=True)
    for kind in sorted({kind for kind, _ in found}):
        print(f"{kind:12}", *(f"{found[kind, end]:4} {end}" for end in ENDS))
    print(f"{sum(found.values())} of {len(every):,} changes")


if __name__ == "__main__":
    main()
