"""What a file keeps: the bytes of other cells, metadata, and separators."""

import csv
import gzip
import re
import sys
from io import StringIO
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.command.calls import DATA, call, check_error

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


@pytest.mark.parametrize(
    "record",
    [
        pytest.param("\ufeffid,y,fold\r\n01,'a,b',{}\r\n2,'a\n',{}\r\n3,a,{}", id="bom_and_crlf"),
        pytest.param("id,fold,id,fold 2\n01,{},1,0\n1e1,{},,1\n,{},-0,2\n", id="same_names"),
        pytest.param("id;fold;y\n01;{};1,0\n1e1;{};'a;b'\n;{};-0,2\n", id="semicolons"),
        pytest.param("id\tfold\ty\n01\t{}\t1,0\n1e1\t{}\t'a\tb'\n;\t{}\t-0;2\n", id="tabs"),
        pytest.param("'say ''x''',y,fold\n1.50,'',{}\n2,'''',{}\n,NA,{}\n", id="quotes"),
        pytest.param(f"id,y,fold\n{'9' * 40},1e5,{{}}\n002,x,{{}}\n-3, ,{{}}\n", id="long_numbers"),
        pytest.param("fold\n{}\n{}\n{}\n", id="one_column"),
    ],
)
def test_all_other_bytes_stay(record: str) -> None:
    """From CSV to CSV, all bytes but those of new cells stay, in a file that is replaced, too."""
    path = Path("in.csv")

    def fill(*cells: object) -> bytes:
        return record.replace("'", '"').format(*cells).encode()

    path.write_bytes(fill(0, "1.0", "NA"))

    assert call("extend -k 2 in.csv --out in.csv") == 0
    assert path.read_bytes() in (fill(0, "1.0", 0), fill(0, "1.0", 1))
    assert call("kfold -k 3 --overwrite in.csv --out in.csv") == 0
    assert path.read_bytes() == fill(*sf.kfold(DATA[:3], k=3)["fold"])


def test_other_bytes_of_gzip_stay() -> None:
    """In a compressed file, the bytes of all other cells stay, too."""
    path = Path("in.csv.gz")
    path.write_bytes(gzip.compress(b"id,fold\r\n01,\r\n1e1,0\r\n"))

    assert call("extend -k 2 in.csv.gz --out in.csv.gz") == 0

    assert gzip.decompress(path.read_bytes()) == b"id,fold\r\n01,1\r\n1e1,0\r\n"


CELLS = st.lists(st.sampled_from([*"ab01.-e ,;\"'\n\té😀#", "\r\n"]), max_size=4).map("".join)
WIDE = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=3, max_size=9)
)


@given(
    table=WIDE,
    line_end=st.sampled_from(["\n", "\r\n"]),
    start=st.sampled_from(["", "\ufeff"]),
    is_ended=st.booleans(),
)
def test_any_cells_stay(table: list[list[str]], line_end: str, start: str, is_ended: bool) -> None:
    """Whatever the cells are, those that Python's own writer wrote come back with the folds."""

    def write(rows: list[list[str]]) -> bytes:
        text = StringIO(newline="")
        csv.writer(text, lineterminator=line_end).writerows(rows)
        return (start + text.getvalue().removesuffix("" if is_ended else line_end)).encode()

    folds = sf.kfold(pl.DataFrame({"x": table[1:]}), k=2, name="new fold")["new fold"]
    Path("in.csv").write_bytes(write(table))

    assert call("kfold in.csv -k 2 --name 'new fold' --out in.csv") == 0

    cells = ["new fold", *map(str, folds)]
    expected = write([[*row, cell] for row, cell in zip(table, cells, strict=True)])
    assert Path("in.csv").read_bytes() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("\n\na,b\n\n1,2\n  \n\n3,4\n\n\n", "a,b,f\n1,2,?\n3,4,?\n", id="everywhere"),
        pytest.param("a,b\r\n\r\n1,2\r\n\r\n3,4", "a,b,f\r\n1,2,?\r\n3,4,?", id="crlf_without_end"),
        pytest.param("\ufeff\na,b\n\n,\n1,2\n   ", "\ufeffa,b,f\n,,?\n1,2,?\n", id="bom"),
        pytest.param(
            "a,'b\n\nc'\n\n1,'x\n\n''\n\n'\n'\n\n',5\n\n",
            "a,'b\n\nc',f\n1,'x\n\n''\n\n',?\n'\n\n',5,?\n",
            id="in_quoted_cells",
        ),
        pytest.param("a;b\n\n1;'\n\n;'\n\n;\n", "a;b;f\n1;'\n\n;';?\n;;?\n", id="semicolons"),
        pytest.param("a\n\n1\n", "a,f\n,?\n1,?\n", id="one_column"),
        pytest.param(
            "\r\n'a',b\r\n'x',5' 6'\n1\r\n\r\n",
            "a,b,f\r\nx,'5'' 6''',?\r\n1,,?\r\n",
            id="short_record",
        ),
    ],
)
def test_blank_lines_are_no_rows(text: str, expected: str) -> None:
    """Blank lines are left out, or missing values of one column; short records are filled up."""
    Path("in.csv").write_bytes(text.replace("'", '"').encode())

    assert call("kfold in.csv -k 2 --name f --out in.csv") == 0

    pattern = re.escape(expected.replace("'", '"').encode()).replace(rb"\?", b"[01]")
    assert re.fullmatch(pattern, Path("in.csv").read_bytes())


@pytest.mark.parametrize(
    ("command", "out", "dtypes"),
    [
        ("kfold --key id", "in.parquet", {"fold": "int64"}),
        ("kfold --name text --overwrite", "out.parquet", {"text": "int64"}),
        ("split", "out.parquet", {"split": "category"}),
        ("extend -k 2 --name gaps", "in.parquet", {"gaps": "int64"}),
    ],
)
def test_parquet_keeps_what_pandas_wrote(command: str, out: str, dtypes: dict[str, str]) -> None:
    """From Parquet to Parquet the index, types and metadata of pandas stay."""
    frame = pd.DataFrame({"gaps": [0, 1, None] * 2}, index=pd.Index(list("uvwxyz"), name="id"))
    frame["order"] = pd.Categorical(list("aba") * 2, categories=["b", "a", "z"], ordered=True)
    frame["number"] = pd.array([1, None, 2] * 2, dtype="Int64")
    frame["text"] = pd.array(["x", None, "y"] * 2, dtype="string")
    frame.attrs = {"source": "ours"}
    frame.to_parquet("in.parquet")
    frame = pd.read_parquet("in.parquet")

    assert call(f"{command} in.parquet --out {out}") == 0

    found = pd.read_parquet(out)
    assert {name: str(found[name].dtype) for name in dtypes} == dtypes
    assert found.attrs == frame.attrs
    assert list(found) == list(dict.fromkeys([*frame, *dtypes]))
    others = frame.columns.difference(list(dtypes))
    pd.testing.assert_frame_equal(found[others], frame[others])


def test_parquet_keeps_metadata_of_others() -> None:
    """Metadata that is not of pandas stays, and what lists the columns is not kept."""
    DATA.write_parquet("in.parquet", metadata={"k": "v", "org.apache.spark.version": "4"})

    assert call("kfold in.parquet --by label --out out.parquet") == 0

    assert pl.read_parquet("out.parquet").equals(sf.kfold(DATA, "label"))
    assert pl.read_parquet_metadata("out.parquet").keys() - {"ARROW:schema"} == {"k"}


def test_parquet_with_names_that_are_no_text(home: Path, capsys: Capture) -> None:
    """Parquet from which pandas reads names that are not text is refused, and no file is left."""
    pd.DataFrame({1: [1, 2]}).to_parquet("in.parquet")

    check_error(
        "kfold in.parquet -k 2 --out out.parquet",
        "The file 'out.parquet' cannot be written: pandas could not read it, because not all column"
        " names of its frame are text.",
        home,
        capsys,
    )


def test_parquet_of_pandas_needs_pyarrow(home: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """Without pyarrow, Parquet that pandas wrote is not written as Parquet, but as CSV."""
    pd.DataFrame({"x": [1, 2]}).to_parquet("in.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)

    assert call("kfold in.parquet -k 2 --out out.parquet") == 2
    assert call("kfold in.parquet -k 2 --out out.csv") == 0

    assert not Path("out.parquet").exists()
    assert capsys.readouterr().err == (
        "stratframe: Keeping Parquet metadata, such as a pandas index, needs pyarrow:"
        " pip install pyarrow\n"
    )


def test_parquet_keeps_the_index(home: Path, capsys: Capture) -> None:
    """The index of pandas is not replaced by a fold column."""
    pd.DataFrame({"fold": [5, 1, 9], "y": [1, 2, 3]}).set_index("fold").to_parquet("in.parquet")

    check_error(
        "kfold in.parquet -k 2 --overwrite --out in.parquet",
        "`name` must not be the index of the frame, got 'fold'. Hint: give the column another"
        " name.",
        home,
        capsys,
    )


@pytest.mark.parametrize(("sign", "noun"), [(";", "semicolons"), ("\t", "tabs")])
def test_guessed_separators_are_a_warning(sign: str, noun: str, capsys: Capture) -> None:
    """A separator that was guessed from the header is told once, and kept."""
    DATA.write_csv("in.csv", separator=sign)

    assert call("kfold in.csv --by label --out out.csv") == 0

    assert Path("out.csv").read_text() == sf.kfold(DATA, "label").write_csv(separator=sign)
    assert capsys.readouterr().err == (
        f"stratframe: warning: 'in.csv' is read with {noun} as separators, as its header"
        " contains them.\n"
    )


@pytest.mark.parametrize(
    ("name", "sign", "option"),
    [
        ("in.tsv", ";", "--separator ';'"),
        ("in.csv", "\t", "--separator tab"),
        ("in.csv", "|", "--separator '|'"),
        ("in.csv", ",", "--separator ,"),
    ],
)
def test_given_separators_are_no_warning(
    name: str, sign: str, option: str, capsys: Capture
) -> None:
    """With `--separator` nothing is guessed or said, and OUT has the same separator."""
    DATA.write_csv(name, separator=sign)

    assert call(f"kfold {name} --by label {option} --out out.csv") == 0

    assert Path("out.csv").read_text() == sf.kfold(DATA, "label").write_csv(separator=sign)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("source", "out", "sign"),
    [("in.tsv", "out.csv", ","), ("in.tsv", "out.tsv", "\t"), ("in.csv", "out.tsv", "\t")],
)
def test_names_imply_separators(source: str, out: str, sign: str) -> None:
    """A name that ends in .tsv implies tabs, in FILE and in OUT."""
    DATA.write_csv(source, separator="\t" if source == "in.tsv" else ",")

    assert call(f"kfold {source} --by label --out {out}") == 0

    assert Path(out).read_text() == sf.kfold(DATA, "label").write_csv(separator=sign)
