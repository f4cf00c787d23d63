"""Read files as the frames of a verb."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import frames
from ..checks import check_each_once
from ..errors import StratError
from ..frames.files import File
from ..pipeline.options import MAX_REPEATS
from ..verbs.sources import list_names
from .parser import JUDGES, Command
from .values import read_values

READ = ("by", "groups", "where", "key", "features", "duplicates", "time")
"""The arguments that name columns to read."""


class Input(NamedTuple):
    """A file as the frame of a verb."""

    file: File
    frame: Any
    """The frame of the file, in which folds and times are parsed."""
    names: list[str]
    """The names of its fold columns, whether they exist yet or not."""


def read_inputs(command: Command) -> tuple[list[Input], dict[str, Any]]:
    """Read the files of a call, and return them with the arguments of the verb."""
    for path in (*command.files, command.out):
        if path is not None:
            frames.files.check_path(path)
    check_each_once("The list of part names, taken from FILE,", "name", part_names(command))
    files = [frames.files.read_file(path, command.separator) for path in command.files]
    values = read_values(command.texts, files[0].header)
    inputs = [read_input(file, command.verb, values) for file in files]
    if "time" in values:
        check_zones(inputs, time_column(values), part_names(command))
    alike_frames = frames.files.read_alike({each.file.path: each.frame for each in inputs})
    inputs = [each._replace(frame=frame) for each, frame in zip(inputs, alike_frames, strict=True)]
    return inputs, values


def part_names(command: Command) -> list[str]:
    """Name the parts that several files are, like the files without folders and endings."""
    return [frames.files.stem_of(path) for path in command.files]


def read_input(file: File, verb: str, values: dict[str, Any]) -> Input:
    """Parse the folds and times of a file, and check that the columns to read are no repeats."""
    frame = file.frame
    names = new_names(verb, values)
    is_read = verb in ("extend", *JUDGES)
    if is_read:
        names = list_names(names, frame)
    check_repeats(file, values, names)
    if is_read and frames.files.is_text_file(file.path):
        frame = read_marks(frame, verb, names, values.get("parts"))
    if "time" in values:
        frame = frames.files.parse_times(frame, time_column(values), file.path)
    return Input(file, frame, names)


def new_names(verb: str, values: dict[str, Any]) -> list[Any]:
    """List the names of the fold columns as the options have them."""
    if verb in ("sample", "advise"):
        return []
    name = values.get("name", "split" if verb == "split" else "fold")
    repeats = values.get("repeats", 1)
    if repeats != 1:
        return [f"{name}_{repeat + 1}" for repeat in range(min(repeats, MAX_REPEATS))]
    return name if isinstance(name, list) else [name]


def read_marks(frame: Any, verb: str, names: Sequence[str], parts: Any) -> Any:
    """Read marks such as NA in fold columns as missing values, but for those that are parts."""
    known = parts if isinstance(parts, dict) else ()
    alike = verb == "extend" and parts is None
    return frames.files.read_folds(frame, names, known, alike=alike)


def check_repeats(file: File, values: dict[str, Any], names: Sequence[str]) -> None:
    """Raise if a column that an option names occurs twice in a file."""
    # Polars renames repeated columns.
    headers: dict[Any, Any] = dict(zip(file.frame.columns, file.header, strict=False))
    entries = {argument: values.get(argument) for argument in READ} | {"name": names}
    for argument, entry in entries.items():
        for column in columns_in(entry):
            label = headers.get(column, column)
            if file.header.count(label) > 1:
                raise frames.references.label_error(label, argument, file.header, "polars")


def columns_in(entry: Any) -> list[Any]:
    """List the columns that an entry or a list of entries names."""
    if isinstance(entry, list):
        entries = entry
    elif hasattr(entry, "columns"):
        entries = entry.columns
    else:
        return [entry]
    columns = []
    for each in entries:
        columns += columns_in(each)
    return columns


def time_column(values: dict[str, Any]) -> str:
    """Return the column of times, which may follow a column of users."""
    time = values["time"]
    return str(time[-1] if isinstance(time, list) else time)


def check_zones(inputs: Sequence[Input], column: str, labels: Sequence[str]) -> None:
    """Raise if times have a time zone in some of several files."""
    zones = [frames.files.has_zoned_times(each.frame, column) for each in inputs]
    if True in zones and False in zones:
        zoned = labels[zones.index(True)]
        plain = labels[zones.index(False)]
        msg = (
            f"`time` needs times that all have a time zone or all have none, but {column!r} has"
            f" one in {zoned!r} and none in {plain!r}.\nHint: write all times with a zone, as in"
            " 2024-03-31T12:00Z."
        )
        raise StratError(msg)
