"""Judge the columns of files: `check`, `report`, `advise` and `fingerprint`."""

import json
from contextlib import suppress
from typing import Any

import stratframe as sf

from .. import frames
from ..errors import StratError
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
    frame = as_argument(command, [each.frame for each in inputs])
    check = sf.check(frame, **values)
    code = 0 if check else WRONG
    if command.is_json:
        result = {
            "ok": check.ok,
            "findings": frames.result.to_dicts(check.findings),
            "fingerprint": find_fingerprint(frame, values),
        }
        return Output(json.dumps(result) + "\n", code)
    return Output(f"{check}\n", code)


def run_table(command: Command) -> Output:
    """Run `report` or `advise`, and write its table as text and, if asked, to a file."""
    inputs, values = read_inputs(command)
    frame = as_argument(command, [each.frame for each in inputs])
    table = getattr(sf, command.verb)(frame, **values)
    text = "\n".join([*table_lines(table), ""])
    if command.out is None:
        return Output(text)
    data = frames.files.encode_frame(table, command.out, inputs[0].file.separator_in(command.out))
    if command.out == frames.files.PIPE:
        return Output(data)
    frames.files.write_file(data, command.out)
    return Output(text, has_file=True)


def run_fingerprint(command: Command) -> Output:
    """Run `fingerprint`, and write its digits."""
    inputs, values = read_inputs(command)
    frame = as_argument(command, [each.frame for each in inputs])
    digits = sf.fingerprint(frame, **only_arguments_of_fingerprint(values))
    return Output(f"{digits}\n")


def find_fingerprint(frame: Any, values: dict[str, Any]) -> str | None:
    """Return the fingerprint of the columns that `check` judged; None if it is not defined."""
    with suppress(StratError):  # a row with a fold lacks a key, which `check` allows
        return sf.fingerprint(frame, **only_arguments_of_fingerprint(values))
    return None


def only_arguments_of_fingerprint(values: dict[str, Any]) -> dict[str, Any]:
    return {argument: values[argument] for argument in ("name", "key") if argument in values}


def as_argument(command: Command, file_frames: list[Any]) -> Any:
    """Return one frame as it is, and several frames as a mapping that names them as parts."""
    if len(file_frames) == 1:
        return file_frames[0]
    return dict(zip(part_names(command), file_frames, strict=True))
