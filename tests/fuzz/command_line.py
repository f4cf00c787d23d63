"""Random files and arguments of the command line: exit codes, messages, bytes that must stay.

The exit code is one that the guide lists; what goes wrong is one line on standard error; all bytes
of a CSV file but those of the new cells stay; a file keeps its permissions, and, if the command
fails, its content.
"""

from running import Case, run

import gzip
import io
import random
import sys
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import polars as pl

from stratframe.__main__ import main

CELLS = {
    "label": ["a", "b", "c", '"a"', "NA", "é", "", '"b, c"', '"d\n"', '"e\r\n"', '"say ""hi"""'],
    "number": ["0", "1", "2", "007", "1.50", "1e3", "-0", "", "9" * 40, "1" * 20, "inf", "nan"],
    "group": ["g1", "g2", "g3", "g4", "g5"],
    "flag": ["true", "false", ""],
    "fold": ["0", "1", "2", "0", "1", "2", "", "NA", "n/a", " ", '""', '"1"', "1.0", "?"],
    "split": ["train", "test", "", "null", '"train"', "<NA>"],
    "any": ["x;y", "y z", "\t", "\x0b", "\u2028", "😀", "'", "\\", "=1+1", "a\x00b", '5"', '5" 6"'],
}
"""Cells as they are written, by what a column holds."""

MARKS = {"", "NA", "n/a", "null", "<NA>"}

TERMS = [
    *("label", "group", "number", "any", "no such", "quantiles(number, 3)", "continuous(number)"),
    *("bins(number, [0, 1, inf])", "classes(number)", "margins([label, flag])", "chain(number)"),
    *("nearest([number])", "clusters(number, n=2)", "quantiles(number, 100000000000000000000)"),
    *(
        "quantiles(label, 2)",
        "bins(number, [0, 1" + "0" * 400 + "])",
        "quantiles(number",
        "bins(5)",
    ),
    *("clusters(number, n=100000000000000000000)", "nearest(number, 100000000000000000000)"),
]

JUNK = [
    *("", " ", "-1", "0", "1", "1e400", "nan", "inf", "9" * 40, "9" * 5_000, "x" * 5_000, "é\n\r"),
    *("\udcff", "None", "rest", "train=0.8,test=0.2", "a=1,b=rest", "0.2", "a=1e-400,b=1", "a=inf"),
    *(
        "--by",
        "-",
        "null",
        "label",
        "fold",
        "()",
        "[[[",
        "\\d",
        "a=" + "9" * 40 + ",b=rest",
        "a=2,b=1",
    ),
]

OPTIONS = {
    "--by": TERMS,
    "-k": ["2", "3", "5", "1000000000000000000000"],
    "--parts": ["0.5", "train=0.6,test=0.4", "train=rest,test=1", "null=0.5,test=0.5"],
    "--groups": ["group", "label", "clusters(number, n=2)"],
    "--where": ["flag", "group"],
    "--deal": ["random", "circular", "hash"],
    "--key": ["number", "group"],
    "--features": ["number", "label"],
    "--duplicates": ["label", "group", "none"],
    "--missing": ["stratum", "null", "error"],
    "--rare": ["ignore", "pool", "warn", "null", "error"],
    "--repeats": ["1", "2", "1000000000"],
    "--seed": ["0", "1", "9" * 30],
    "--name": ["fold", "new", "split", 'a,"b', "any"],
    "--overwrite": [],
}

ROWS = ["--by", "--groups", "--where", "--missing", "--rare", "--seed", "--name"]
COMMANDS = {
    "kfold": ["-k", "--deal", "--key", "--repeats", "--overwrite", *ROWS],
    "split": ["--parts", "--deal", "--key", "--overwrite", *ROWS],
    "extend": ["-k", "--parts", *ROWS],
    "report": ["--by", "--groups", "--name"],
    "check": ["--by", "--groups", "--key", "--features", "--duplicates", "--name"],
}


class Table(NamedTuple):
    """A CSV file as it is written."""

    start: bytes
    """A byte order mark or nothing."""
    records: list[list[str]]
    ends: list[str]

    def encode(self) -> bytes:
        """Write the file."""
        lines = zip(self.records, self.ends, strict=True)
        return self.start + "".join(",".join(cells) + end for cells, end in lines).encode()


def draw_table(rng: random.Random) -> Table:
    """Draw the columns, rows and line ends of a file."""
    kinds = rng.sample(list(CELLS), len(CELLS) if rng.random() < 0.8 else rng.randint(1, 5))
    names = [*kinds, *rng.choices(kinds, k=rng.choice([0, 0, 0, 1]))]
    strange = rng.random() < 0.3
    choices = {kind: CELLS[kind] if strange else CELLS[kind][:3] for kind in kinds}
    records = [[rng.choice(["{}", '"{}"']).format(name) if strange else name for name in names]]
    records += [[rng.choice(choices[name]) for name in names] for _ in range(rng.randint(0, 40))]
    if rng.random() < 0.1:
        records[1:] = [cells[: rng.randint(1, len(cells))] for cells in records[1:]]
    end = rng.choice(["\n", "\n", "\r\n"])
    ends = [rng.choice(["\n", "\r\n"]) if strange else end for _ in records]
    if rng.random() < 0.3 and len(records) > 1 and records[-1] != [""]:
        ends[-1] = ""
    return Table(rng.choice([b"", b"", b"\xef\xbb\xbf"]), records, ends)


def draw_bytes(rng: random.Random, table: Table) -> bytes:
    """Write a table, or now and then what is none."""
    data = table.encode()
    draw = rng.random()
    if draw < 0.93:
        return data
    text = data.decode("utf-8-sig")
    encoded = [
        text.encode(name, "replace") for name in ("latin-1", "utf-16", "utf-16-le", "utf-32")
    ]
    noise = rng.randbytes(rng.randint(0, 100))
    place = rng.randint(0, len(data))
    return rng.choice([*encoded, b"", noise, data[:place] + noise + data[place:], data[:place]])


def draw_arguments(rng: random.Random) -> list[str]:
    """Draw a command and its options, of which some are junk."""
    command = rng.choice(list(COMMANDS))
    args = [command]
    for option in rng.sample(COMMANDS[command], min(rng.randint(0, 4), len(COMMANDS[command]))):
        values, draw = OPTIONS[option], rng.random()
        args.append(option)
        if values:
            # The first values of an option suit most files.
            chosen = values[:2] if draw < 0.8 else values if draw < 0.95 else JUNK
            args.append(rng.choice(chosen))
    if command == "report" and "--by" not in args:
        args += ["--by", "label"]
    if command in ("kfold", "split") and not {"--name", "--overwrite"} & set(args):
        args += rng.choice([["--name", "new"], ["--overwrite"]])
    if rng.random() < 0.03:
        args.insert(rng.randint(0, len(args)), rng.choice(JUNK))
    return args


def read_table(data: bytes) -> Table:
    """Take the bytes of a CSV file apart, one letter after the other."""
    start = data[:3] if data.startswith(b"\xef\xbb\xbf") else b""
    records, ends, cell, quoted = [[]], [], "", False
    for letter in data[len(start) :].decode():
        quoted ^= letter == '"'
        if quoted or letter not in ",\n":
            cell += letter
        elif letter == ",":
            records[-1].append(cell)
            cell = ""
        else:
            ends.append("\r\n" if cell.endswith("\r") else "\n")
            records[-1].append(cell.removesuffix("\r"))
            records.append([])
            cell = ""
    if cell or records[-1]:
        records[-1].append(cell)
        ends.append("")
    else:
        records.pop()
    return Table(start, records, ends)


def check_cells(before: Table, after: Table, args: list[str]) -> None:
    """Fail if anything but the new cells is another."""
    header = [
        name.replace('""', '"').removeprefix('"').removesuffix('"') for name in before.records[0]
    ]
    names = new_names(args)
    new = [name for name in names if name not in header]
    places = {header.index(name) for name in names if name in header}
    assert (before.start, before.ends) == (after.start, after.ends), "other line ends"
    assert len(before.records) == len(after.records), "other records"
    for row, (old, now) in enumerate(zip(before.records, after.records, strict=True)):
        last = max(places, default=-1) + 1
        width = len(header) + len(new) if new else max(len(old), last if len(now) > len(old) else 0)
        assert len(now) == width, f"record {row} has {len(now)} cells"
        padded = old + [""] * (width - len(new) - len(old))
        for place, (cell, copied) in enumerate(zip(padded, now, strict=False)):
            may_change = place in places and row > 0
            if args[0] == "extend":
                may_change &= cell.strip('"').strip() in MARKS
            assert cell == copied or may_change, f"record {row}: {cell!r} became {copied!r}"


def new_names(args: list[str]) -> list[str]:
    """List the columns that a command writes."""
    given = dict(pairwise(args))
    name = given.get("--name", "split" if args[0] == "split" else "fold")
    repeats = int(given.get("--repeats", 1))
    return [name] if repeats == 1 else [f"{name}_{place + 1}" for place in range(repeats)]


def run_main(args: list[str], stdin: bytes) -> tuple[int, bytes, str]:
    """Run the command, and return its exit code and what it printed."""
    out, err, old = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(args)
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        sys.stdin = old
    out.flush()
    return code, out.buffer.getvalue(), err.getvalue()


def check(case: Case) -> None:
    """Run one case, and fail if it breaks a promise."""
    with TemporaryDirectory() as home:
        check_in(Path(home), case)


def check_in(home: Path, case: Case) -> None:
    """Run one case with its files in a folder."""
    rng = case.rng
    data, args = draw_bytes(rng, draw_table(rng)), draw_arguments(rng)
    suffix = rng.choice([".csv", ".csv", ".csv.gz", ".parquet", "-"])
    path, stored = home / f"in{suffix}", store(rng, data, suffix)
    mode = rng.choice([0o600, 0o644, 0o640])
    if suffix != "-":
        path.write_bytes(stored)
        path.chmod(mode)
        if rng.random() < 0.2:
            path = home / f"link{suffix}"
            path.symlink_to(home / f"in{suffix}")
    source = "-" if suffix == "-" else str(path)
    out = rng.choice([source, str(home / "out.csv"), str(home / "out.csv.gz"), "-"])
    if rng.random() < 0.05:
        out = rng.choice(
            [str(home), str(home / "no" / "out.csv"), "out", str(home / "out.parquet")]
        )
    args += [source, *(["--out", out] if rng.random() < 0.97 else [])]
    before = {each.name for each in home.iterdir()}
    code, printed, errors = case.call(run_main, args, stored)
    case.notes.append(f"exit code {code}\n{printed.decode()[:1_000]}\n{errors[:1_000]}")
    check_answer(code, errors)
    assert code != 1 or args[0] == "check"
    if suffix != "-":
        assert path.is_symlink() == path.name.startswith("link"), "the link is replaced"
        assert path.stat().st_mode & 0o777 == mode, "other permissions"
        assert (source == out and code != 2) or path.read_bytes() == stored, "FILE was changed"
    after = {each.name for each in home.iterdir()}
    assert after - before <= (set() if code == 2 else {Path(out).name}), "a file is left"
    if code == 0 and args[0] in ("kfold", "split", "extend"):
        written = printed if out == "-" else Path(out).read_bytes()
        if ".parquet" not in (suffix, Path(out).suffix):
            check_cells(read_table(unpack(stored)), read_table(unpack(written)), args)


def check_answer(code: int, errors: str) -> None:
    """Fail if a command does not end as the guide says."""
    lines = [line for line in errors.splitlines() if not line.startswith("stratframe: warning: ")]
    assert code in (0, 1, 2), "an exit code that is not listed"
    assert "Traceback" not in errors
    assert "unexpected" not in errors
    assert len(lines) == (code == 2), "not one line"
    assert all(line.startswith("stratframe: ") for line in lines)


def store(rng: random.Random, data: bytes, suffix: str) -> bytes:
    """Write CSV in the format of a suffix, or now and then not."""
    if suffix == ".csv.gz" and rng.random() < 0.95:
        return gzip.compress(data, mtime=0)
    return as_parquet(data) if suffix == ".parquet" else data


def unpack(data: bytes) -> bytes:
    """Unpack what is packed."""
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def as_parquet(data: bytes) -> bytes:
    """Write a table as Parquet, or its bytes as they are if there is none."""
    packed = io.BytesIO()
    try:
        pl.read_csv(data).write_parquet(packed)
    except pl.exceptions.PolarsError:
        return data
    return packed.getvalue()


if __name__ == "__main__":
    run(check)
