"""`python -m stratframe`: folds on an example, or on a file of your own."""

import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any, NoReturn

import stratframe as sf

from . import frames
from .checks import load_extra
from .errors import StratError, StratWarning, plural
from .pipeline.tables import RESERVED

SUFFIXES = (".csv", ".parquet")

MAX_SHOWN = 20
"""Strata that a printed table shows before it only counts them."""

EXAMPLE = {
    "fold": ('sf.kfold(df, "class", k=5)', "class"),
    "alcohol_fold": (
        'sf.kfold(df, sf.quantiles("alcohol", 5), k=5, name="alcohol_fold")',
        sf.quantiles("alcohol", 5),
    ),
    "split": ('sf.split(df, "class", {"train": 0.8, "valid": 0.1, "test": 0.1})', "class"),
}
"""The columns of the example: the calls that add them, and what they are stratified by."""


class Parser(ArgumentParser):
    """A parser whose errors are those of the package."""

    def error(self, message: str) -> NoReturn:
        """Raise what `main` prints."""
        raise StratError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, and say what went wrong in one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StratWarning)
        try:
            run(parser().parse_args(argv))
            code = 0
        except StratError as error:
            print("stratframe:", *str(error).splitlines(), file=sys.stderr)
            code = 2
    for warning in caught:
        print("stratframe: warning:", *str(warning.message).splitlines(), file=sys.stderr)
    return code


def parser() -> Parser:
    """Describe the arguments."""
    whole = Parser(
        prog="python -m stratframe",
        description="Stratified folds for a file; without arguments, an example.",
    )
    commands = whole.add_subparsers(dest="command", metavar="{kfold,split}")
    kfold = commands.add_parser("kfold", help="add a fold column to a CSV or Parquet file")
    kfold.add_argument("--k", type=int, default=5, help="folds (default 5)")
    kfold.add_argument("--repeats", type=int, default=1, help="columns to add (default 1)")
    split = commands.add_parser("split", help="add a part column to a CSV or Parquet file")
    split.add_argument(
        "--parts",
        default="train=0.8,test=0.2",
        help="fractions or counts of rows, one may be `rest` (default train=0.8,test=0.2)",
    )
    for command, name in ((kfold, "fold"), (split, "split")):
        command.add_argument("file", metavar="FILE", help="a .csv or .parquet file")
        command.add_argument("--out", required=True, help="the .csv or .parquet file to write")
        command.add_argument("--by", action="append", help="a column; repeat to nest")
        command.add_argument("--key", action="append", help="a column that identifies the rows")
        command.add_argument("--missing", default="error", help="error, stratum or null")
        command.add_argument("--rare", default="warn", help="warn, error, null or ignore")
        command.add_argument("--seed", type=int, default=0, help="same seed, same folds")
        command.add_argument("--name", default=name, help=f"the new column (default {name})")
    return whole


def run(args: Namespace) -> None:
    """Run the command that was asked for."""
    if args.command is None:
        example()
        return
    for path in (args.file, args.out):
        if not path.lower().endswith(SUFFIXES):
            msg = f"A file name must end in {' or '.join(SUFFIXES)}, got {path!r}."
            raise StratError(msg)
    grown, name = add_column(frames.read_file(args.file), args)
    out = grown
    if all(path.lower().endswith(".csv") for path in (args.file, args.out)):
        # From text to text every cell stays as it is written: 007 does not become 7.
        text = frames.read_file(args.file, as_text=True)
        new = [
            str(column)
            for column in frames.column_names(grown)
            if column not in frames.column_names(text)
        ]
        out = frames.add_columns_of(text, grown, new)
    frames.write_file(out, args.out)
    print(f"{args.out}: {plural(len(grown), 'row')}, new column {name!r}")
    if args.by and not set(args.by) & set(RESERVED):
        show_balance(sf.balance(grown, args.by, name))


def add_column(frame: Any, args: Namespace) -> tuple[Any, str]:
    """Add the column, and name it; of several the first."""
    how = {name: getattr(args, name) for name in ("key", "missing", "rare", "seed", "name")}
    if args.command == "split":
        return sf.split(frame, args.by, parts_of(args.parts), **how), args.name
    grown = sf.kfold(frame, args.by, args.k, repeats=args.repeats, **how)
    return grown, args.name if args.repeats == 1 else f"{args.name}_1"


def parts_of(text: str) -> dict[str, float | None]:
    """Read parts and their shares."""
    parts: dict[str, float | None] = {}
    try:
        for item in text.split(","):
            name, share = (side.strip() for side in item.split("="))
            if not name or name in parts:
                raise ValueError
            parts[name] = None if share == "rest" else to_number(share)
    except ValueError:
        msg = f"`--parts` must name each part once, as in train=0.8,test=rest, got {text!r}."
        raise StratError(msg) from None
    return parts


def to_number(text: str) -> float:
    """Read a whole number, or else a fraction."""
    return int(text) if text.isdecimal() else float(text)


def example() -> None:
    """Put three columns on the wines of scikit-learn, in both libraries, and compare them."""
    columns = wine()
    grown = {library: grow(frames.make_frame(library, columns)) for library in ("pandas", "polars")}
    print(f"The wine data of scikit-learn: {len(columns['class'])} rows, 3 classes.")
    for name, (call, by) in EXAMPLE.items():
        print(f"\n{call}")
        show_balance(sf.balance(grown["pandas"], by, name))
    for name in EXAMPLE:
        ours, theirs = (column_list(frame, name) for frame in grown.values())
        if ours != theirs:
            msg = f"pandas and Polars must get the same column {name!r}, but did not."
            raise StratError(msg)
    print(f"\npandas and Polars got the same columns: {', '.join(EXAMPLE)}")


def wine() -> dict[Any, Any]:
    """Load the wines, which need no download."""
    try:
        data = load_extra("sklearn.datasets", "cluster").load_wine()
    except ImportError as error:
        msg = 'The example needs scikit-learn: pip install "stratframe[cluster]"'
        raise StratError(msg) from error
    features = dict(zip(data.feature_names, data.data.T, strict=True))
    return {"class": data.target_names[data.target].tolist(), **features}


def grow(frame: Any) -> Any:
    """Add the columns of the example."""
    frame = sf.kfold(frame, "class", k=5)
    frame = sf.kfold(frame, sf.quantiles("alcohol", 5), k=5, name="alcohol_fold")
    return sf.split(frame, "class", {"train": 0.8, "valid": 0.1, "test": 0.1})


def column_list(frame: Any, name: str) -> list[Any]:
    """List the values of a column."""
    return frames.to_list(frames.read_columns(frame, [name])[0])


def show_balance(table: Any) -> None:
    """Print a balance table: a row for each stratum, the counts of its folds beside it."""
    rows = frames.to_dicts(table)
    names = [str(name) for name in frames.column_names(table) if name not in RESERVED]
    folds = list(dict.fromkeys(str(row["fold"]) for row in rows))
    n_strata = len(rows) // len(folds)
    lines = [[", ".join(names), *folds]]
    for place in range(min(n_strata, MAX_SHOWN)):
        stratum = ", ".join(str(rows[place][name]) for name in names)
        lines.append([stratum, *(str(row["n"]) for row in rows[place::n_strata])])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *cells in lines:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        print(" ", first.ljust(widths[0]), *padded, sep="  ")
    if n_strata > MAX_SHOWN:
        print(f"    ... and {n_strata - MAX_SHOWN:,} more")
    worst = max(abs(row["deviation"]) for row in rows)
    print(f"    largest deviation from the exact share: {worst:.2f} rows")


if __name__ == "__main__":
    sys.exit(main())
