"""Print the lowest versions that pyproject.toml allows on this Python, as pip constraints."""

import sys
import tomllib
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
lines = chain(project["dependencies"], *project["optional-dependencies"].values())
for requirement in map(Requirement, lines):
    floors = [spec.version for spec in requirement.specifier if spec.operator == ">="]
    if floors and (requirement.marker is None or requirement.marker.evaluate()):
        print(f"{requirement.name}=={floors[0]}", file=sys.stdout)
