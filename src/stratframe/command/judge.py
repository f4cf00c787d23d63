"""Judge the columns of files: `check` and `report`."""

import json
from typing import Any

import stratframe as sf

from .. import frames
from .inputs import part_names, read_inputs
from .layout import table_lines
from .parser import Command
from .streams import Output

WRONG = 1
"""The exit code if `check` finds a leak or a warning."""

NONE = "none"
"""The text of an option that says that there are no groups, or that times have no order."""


def run_check(command: Command) -> Output:
    """Run `check`, and write its findings as text or JSON."""
    inputs, values = read_inputs(command)
    for argument in ("groups", "time"):
        has_column = any(NONE in frames.column_names(each.frame) for each in inputs)
        if values.get(argument) == NONE and not has_column:
            values[argument] = False
    check = sf.check(as_argument(command, [each.frame for each in inputs]), **values)
    code = 0 if check else WRONG
    if command.is_json:
        findings = frames.result.to_dicts(check.findings)
        return Output(json.dumps({"ok": check.ok, "findings": findings}) + "\n", code)
    return Output(f"{check}\n", code)


def run_report(command: Command) -> Output:
    """Run `report`, and write its table as text and, if asked, to a file."""
    inputs, values = read_inputs(command)
    table = sf.report(as_argument(command, [each.frame for each in inputs]), **values)
    text = "\n".join([*table_lines(table), ""])
    if command.out is None:
        return Output(text)
    data = frames.files.encode_frame(table, command.out, inputs[0].file.separator_in(command.out))
    if command.out == frames.files.PIPE:
        return Output(data)
    frames.files.write_file(data, command.out)
    return Output(text, has_file=True)


def as_argument(command: Command, file_frames: list[Any]) -> Any:
    """Return one frame as it is, and several frames as a mapping that names them as parts."""
    if len(file_frames) == 1:
        return file_frames[0]
    return dict(zip(part_names(command), file_frames, strict=True))
