"""What `pyproject.toml` says twice is the same twice, and what it lacks is nowhere."""

import tomllib
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_dev_group_is_the_dev_extra() -> None:
    """The group for uv and pip has the tools of the extra that the README installs."""
    extra = PROJECT["project"]["optional-dependencies"]["dev"]
    assert PROJECT["dependency-groups"]["dev"] == [
        tool for tool in extra if not tool.startswith("stratframe")
    ]


def test_every_tool_has_a_floor() -> None:
    """Each requirement states the lowest version that is tested."""
    extras = PROJECT["project"]["optional-dependencies"].values()
    for requirement in [*PROJECT["project"]["dependencies"], *chain.from_iterable(extras)]:
        assert ">=" in requirement or requirement.startswith("stratframe["), requirement
