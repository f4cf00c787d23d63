"""Add a column to a file (`kfold`, `split`, `extend`), or select rows of it (`sample`)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import stratframe as sf

from .. import frames
from ..core.types import Flags
from ..errors import StratError, plural
from ..judging.lines import printable
from .inputs import read_inputs
from .layout import balance_lines
from .parser import Command
from .streams import Output


def make_column(command: Command) -> Output:
    """Run a verb on a file, and write the file with the new column.

    The file is written last, so that an earlier error leaves no file.
    """
    out = str(command.out)
    inputs, values = read_inputs(command)
    file, frame, names = inputs[0]
    result = getattr(sf, command.verb)(frame, **values)
    filled = {}
    if command.verb == "extend":
        filled = filled_cells(frame, result, names)
    data = frames.files.update_file(file, out, result, names, filled)
    if out == frames.files.PIPE:
        return Output(data)
    change = describe_change(frame, names, filled)
    lines = [f"{printable(out)}: {plural(len(result), 'row')}, {change}"]
    lines += evenness_lines(result, names[0], values["by"], values.get("groups"))
    frames.files.write_file(data, out)
    return Output("\n".join([*lines, ""]), has_file=True)


def draw_sample(command: Command) -> Output:
    """Draw a sample of the rows of a file, and write these rows."""
    out = str(command.out)
    inputs, values = read_inputs(command)
    file, frame, _ = inputs[0]
    sample: Any = partial(sf.sample, **values)
    rows = frames.files.sampled_positions(frame, sample)
    data = frames.files.select_rows(file, out, rows)
    if out == frames.files.PIPE:
        return Output(data)
    frames.files.write_file(data, out)
    of_all = f"{len(rows):,} of {plural(len(frame), 'row')}"
    return Output(f"{printable(out)}: {of_all}\n", has_file=True)


def filled_cells(frame: Any, result: Any, names: Sequence[str]) -> dict[str, Flags]:
    """Flag the cells of fold columns that were empty and have a fold now."""
    return {name: is_empty(frame, name) & ~is_empty(result, name) for name in names}


def is_empty(frame: Any, name: str) -> Flags:
    """Flag the missing cells of a column."""
    return frames.is_missing(frames.read_columns(frame, [name])[0])


def describe_change(frame: Any, names: Sequence[str], filled: Mapping[str, Flags]) -> str:
    """Describe which columns are new or replaced, or how many of their cells were filled."""
    noun = "column" if len(names) == 1 else "columns"
    columns = f"{noun} {', '.join(map(repr, names))}"
    if filled:
        n_filled = sum(int(flags.sum()) for flags in filled.values())
        return f"filled {plural(n_filled, 'cell')} of {columns}"
    if set(names).isdisjoint(frames.column_names(frame)):
        return f"new {columns}"
    return f"replaced {columns}"


def evenness_lines(frame: Any, name: str, by: Any, groups: Any) -> list[str]:
    """Lay out the balance of a column and the findings of `check`, if `by` is given."""
    if by is None:
        return []
    with suppress(StratError):  # an entry of `by` has the name of a column of the table
        check = sf.check(frame, by, name, groups=groups, duplicates=None)
        return [*balance_lines(sf.balance(frame, by, name)), str(check)]
    return []
