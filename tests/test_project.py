"""The files that say how the project is tested agree, and what they name is there."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import yaml

from stratframe.command.parser import parser

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SCRIPT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
HOSTED = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
TOOLS = "pytest|ruff|mypy|pyright|python|sphinx-build|twine|eval"


def commands(script: str) -> set[str]:
    """The lines that run a tool, without where it writes to."""
    lines = (line.strip() for line in script.splitlines())
    lines = (re.sub(r" (>|\"\$(work|RUNNER_TEMP)/(low|wheel)).*", "", line) for line in lines)
    return {line for line in lines if re.match(rf"({TOOLS})( |$)", line)}


def local_steps() -> dict[str, str]:
    """The parts of `.ci/run`, by the names that it shows."""
    _, *parts = re.split(r"^ *echo \"== (?=[A-Z])", SCRIPT, flags=re.MULTILINE)
    return {part.split('"')[0]: part for part in parts}


def test_hosted_steps_are_those_of_the_script() -> None:
    """Each step of `.ci/run` is a step of the hosted file, which runs the same commands."""
    steps = chain.from_iterable(job["steps"] for job in HOSTED["jobs"].values())
    hosted = {step["name"]: step.get("run", "") for step in steps if "name" in step}
    assert {"ruff check .", "mypy", "pyright"} < commands(local_steps()["README: the tests"])
    for name, step in local_steps().items():
        same = hosted[name.replace("$version", "${{ matrix.python }}")]
        assert commands(step) <= commands(same), name


def test_hosted_pythons_are_those_that_are_supported() -> None:
    """The hosted tests run on each Python that the package says it supports, on three systems."""
    classifiers = " ".join(PROJECT["project"]["classifiers"])
    minors = re.findall(r"Programming Language :: Python :: (3\.\d+)", classifiers)
    matrix = HOSTED["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == minors
    floors = re.findall(r"python_version>='([\d.]+)'", " ".join(PROJECT["project"]["dependencies"]))
    lowest = HOSTED["jobs"]["lowest"]["strategy"]["matrix"]["python"]
    assert lowest == [minors[0], *sorted({*floors})]
    assert f"for version in {' '.join(lowest)}; do" in SCRIPT
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]


def test_the_gate_needs_every_job() -> None:
    """The last job waits for all others, and asks for the success of each."""
    gate = HOSTED["jobs"]["all-green"]
    assert [*gate["needs"], "all-green"] == list(HOSTED["jobs"])
    assert gate["steps"][0]["run"].count("success") == len(gate["needs"])


def test_every_tool_has_a_floor() -> None:
    """Each requirement states the lowest version that is tested; no group lists tools again."""
    assert "dependency-groups" not in PROJECT
    extras = PROJECT["project"]["optional-dependencies"].values()
    for requirement in [*PROJECT["project"]["dependencies"], *chain.from_iterable(extras)]:
        assert ">=" in requirement or requirement.startswith("stratframe["), requirement


def test_the_hook_for_users() -> None:
    """The hook of pre-commit calls the command with the arguments that the page shows."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    command, *arguments = hook["entry"].split()
    assert command in PROJECT["project"]["scripts"]
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    (repo,) = yaml.safe_load(re.search(r"^repos:.*?(?=^```)", page, re.M | re.S)[0])["repos"]
    (shown,) = repo["hooks"]
    assert shown["id"] == hook["id"]
    assert re.search(shown["files"], "folds.csv")
    given = parser().parse_args([*arguments, *shown["args"], "folds.csv"])
    assert (given.command, given.by, given.groups) == ("check", ["label"], ["patient"])
    for suffix in ("csv", "tsv", "csv.gz", "parquet"):
        assert re.search(hook["files"], f"data/folds.{suffix}")


def test_the_page_of_the_index_has_no_dead_links() -> None:
    """A package index shows the README without links and pictures that only the repository has."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for each in hook["substitutions"]:
        page = re.sub(each["pattern"], each["replacement"], page)
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", page) == []
    assert "`docs/which.md`" in page
    assert "](https://" in page
