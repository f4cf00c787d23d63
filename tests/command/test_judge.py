"""`check`, `report` and `fingerprint` of files."""

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import polars as pl
import pytest

import stratframe as sf
from tests.command.calls import DATA, call, check_error

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
FOLDED = sf.kfold(DATA, "label", 4)


def test_report_prints_the_table(monkeypatch: Patch, capsys: Capture) -> None:
    """`report` prints its table, a line for each fold, and writes it if asked."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(FOLDED.write_csv().encode())))

    assert call("report - --by label --out report.csv") == 0

    head, *lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    table = sf.report(FOLDED, "label")
    assert head == table.columns
    assert [line[:2] for line in lines] == [[str(fold), "10"] for fold in range(4)]
    assert Path("report.csv").read_text() == table.write_csv()


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        pytest.param(
            "--by label",
            0,
            "  ok       label: even, each class within a row of its share",
            id="even_classes",
        ),
        pytest.param("--key id", 0, "  ok       each of 40 keys is unique", id="unique_keys"),
        pytest.param(
            "--groups sex",
            1,
            "  LEAK     2 of 2 sexes are in several folds, such as 'm' in",
            id="groups_that_leak",
        ),
        pytest.param(
            "--duplicates none --name fold",
            0,
            "  ok       sizes: 4 folds of 10 rows",
            id="no_duplicates",
        ),
        pytest.param(
            "--features price",
            0,
            "  ok       drift: none of 4 comparisons beyond chance",
            id="no_drift",
        ),
        pytest.param(
            "--name marked", 0, "  note     2 rows have no fold\n", id="marks_of_missing_folds"
        ),
    ],
)
def test_check_ends_with_1_if_anything_is_wrong(
    options: str, code: int, text: str, capsys: Capture
) -> None:
    """`check` prints its lines; exit code 1 says that one is a leak or a warning."""
    marked = pl.Series("marked", ["NA", " ", *map(str, FOLDED["fold"][2:])])
    FOLDED.with_columns(marked).write_csv("in.csv")

    assert call(f"check in.csv {options}") == code

    out = capsys.readouterr().out
    assert text in out
    assert (" is fit for use\n" in out) == (code == 0)
    assert ("duplicates" in out) == ("none" not in options)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        pytest.param("", 1, id="a_question_about_ids"),
        pytest.param("--groups patient_id", 1, id="ids_are_groups"),
        pytest.param("--groups none", 0, id="there_are_no_groups"),
    ],
)
def test_none_answers_a_question_about_groups(options: str, code: int) -> None:
    """`--groups none` says that no rows belong together, unless a column has this name."""
    ids = [f"p{row // 2}" for row in range(80)]
    pl.DataFrame({"patient_id": ids, "fold": [0, 1] * 40}).write_csv("in.csv")
    pl.DataFrame({"none": ids, "fold": [0, 1] * 40}).write_csv("none.csv")

    assert call(f"check in.csv --strict --duplicates none {options}") == code
    assert call("check none.csv --groups none") == 1


@pytest.mark.parametrize("verb", ["check", "report"])
def test_marks_in_the_columns_of_repeats(verb: str, capsys: Capture) -> None:
    """If `fold` means fold_1, fold_2, ..., marks such as NA in them are missing values."""
    rows = "a,0,1\nb,1,0\na,{},{}\nb,1,{}\na,1,0\nb,0,1\n"
    Path("marks.csv").write_text("y,fold_1,fold_2\n" + rows.format("NA", "", " "))
    Path("empty.csv").write_text("y,fold_1,fold_2\n" + rows.format("", "", ""))

    codes = [call(f"{verb} marks.csv --by y"), call(f"{verb} empty.csv --by y")]

    out, err = capsys.readouterr()
    assert (codes, err) == ([0, 0], "")
    assert out[: len(out) // 2] == out[len(out) // 2 :]


@pytest.fixture
def parts() -> dict[str, pl.DataFrame]:
    """Two files whose days follow each other, and a user of both."""
    frame = pl.DataFrame({"label": ["a", "b"] * 5, "user": list("uuvvwwxxyy")})
    frame = frame.with_columns(day=pl.Series([f"2024-03-{day}" for day in range(10, 20)]))
    Path("old").mkdir()
    frame[:7].write_csv("old/Train.CSV")
    frame[7:].with_columns(empty=None).write_parquet("test.parquet")
    dates = frame.with_columns(pl.col("day").str.to_date())
    return {"Train": dates[:7], "test": dates[7:].with_columns(empty=None)}


def test_several_files_are_parts(parts: dict[str, pl.DataFrame], capsys: Capture) -> None:
    """Several files are parts that are named like the files, and ISO text is read as dates."""
    assert call("check old/Train.CSV test.parquet --by label --time day --groups user") == 1

    found = sf.check(parts, "label", groups="user", time="day")
    assert capsys.readouterr().out == f"{found}\n"
    assert "'Train' ends 2024-03-16, 'test' starts 2024-03-17" in str(found)


@pytest.mark.usefixtures("parts")
def test_report_of_several_files(capsys: Capture) -> None:
    """`report` of several files has a line for each."""
    assert call("report old/Train.CSV test.parquet --by label") == 0

    assert capsys.readouterr().out.split()[:5] == ["split", "n", "rows_off", "absent", "verdict"]


def test_strict_fails_while_a_question_is_open(capsys: Capture) -> None:
    """With `--strict` the exit code is 1 while a finding asks a question."""
    rows = {"id": [row // 3 for row in range(150)], "fold": [row % 5 for row in range(150)]}
    pl.DataFrame(rows).write_csv("visits.csv")
    assert call("check visits.csv --duplicates none") == 0
    assert call("check visits.csv --duplicates none --strict") == 1
    assert "not fit for use: 1 question" in capsys.readouterr().out


@pytest.mark.usefixtures("parts")
def test_json_of_findings(capsys: Capture) -> None:
    """With `--json` standard output is one object; the exit code stays."""
    assert call("check old/Train.CSV test.parquet --time user --time day --json") == 0

    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["ok", "findings", "fingerprint"]
    assert found["ok"] is True
    fields = ["name", "severity", "check", "n", "fold", "level", "detail"]
    assert [list(each) for each in found["findings"]] == [fields] * len(found["findings"])


@pytest.mark.usefixtures("parts")
def test_fingerprints_of_files(parts: dict[str, pl.DataFrame], capsys: Capture) -> None:
    """`fingerprint` prints the digits of a file or of several, which `check --json` has, too."""
    FOLDED.write_csv("in.csv")
    expected = [sf.fingerprint(FOLDED, key="id"), sf.fingerprint(parts, key=["user", "label"])]

    assert call("fingerprint in.csv --key id") == 0
    assert call("fingerprint old/Train.CSV test.parquet --key user --key label") == 0
    assert capsys.readouterr().out.split() == expected

    assert call("check in.csv --key id --json") == 0
    assert json.loads(capsys.readouterr().out)["fingerprint"] == expected[0]


def test_json_of_rows_without_a_key(capsys: Capture) -> None:
    """There is no fingerprint where a row with a fold lacks a key, which is no error of `check`."""
    Path("in.csv").write_text("id,fold\n1,0\n,1\n")

    call("check in.csv --key id --json")

    assert json.loads(capsys.readouterr().out)["fingerprint"] is None


def test_json_of_any_values(capsys: Capture) -> None:
    """Whatever the cells hold, what `--json` prints is strict JSON."""
    pl.DataFrame({"user": ['"{é\n\0NaN'] * 2, "fold": [0, 1]}).write_csv("in.csv")

    assert call("check in.csv --groups user --json") == 1

    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["ok"] is False
    assert found["findings"][0]["detail"].startswith("the only group is in several folds, ")


def test_names_of_several_files_differ(home: Path, capsys: Capture) -> None:
    """Two files of one name are an error, as their names are the parts."""
    check_error(
        "check in.csv copy/in.csv",
        "The list of part names, taken from FILE, must hold each name once, got 'in' twice.",
        home,
        capsys,
    )


def test_marks_of_missing_numbers_in_one_of_several_files(capsys: Capture) -> None:
    """Marks such as NA among the numbers of one file do not hide that they equal another's."""
    Path("train.csv").write_text("x,day\n1,1\nNA,2\n3.5,NA\n")
    Path("test.csv").write_text("x,day\n3.5,4\n2,5\n")

    assert call("check train.csv test.csv --duplicates x --time day") == 1

    out = capsys.readouterr().out
    assert "2 rows (40 %) equal a row of another part" in out
    assert "time: 'train' ends 2, 'test' starts 4" in out


def test_marks_in_parquet_are_text(home: Path, capsys: Capture) -> None:
    """A mark such as NA in a Parquet file is text, which does not go with numbers."""
    pl.DataFrame({"x": ["1", "NA"]}).write_parquet("text.parquet")
    Path("numbers.csv").write_text("x\n1\n2\n")

    check_error(
        "check text.parquet numbers.csv",
        "A column must have the same type in every frame, but 'x' is String in 'text', Int64 in"
        " 'numbers'. Hint: cast it, or drop it.",
        home,
        capsys,
    )


ZONED = "2024-03-01T12:00Z"
PLAIN = "2024-03-01T12:00"


@pytest.mark.parametrize(
    ("train", "what"),
    [
        pytest.param(
            [ZONED, PLAIN, "NA", PLAIN],
            "'t' of 'train.csv' has one in 1 row (0) and none in 2 rows (1, 3)",
            id="one_file",
        ),
        pytest.param([ZONED], "'t' has one in 'train' and none in 'test'", id="two_files"),
    ],
)
def test_times_with_and_without_a_zone(
    train: list[str], what: str, home: Path, capsys: Capture
) -> None:
    """Times with and without a zone are an error that names the rows of a file, or the files."""
    Path("train.csv").write_text("\n".join(["t", *train, ""]))
    Path("test.csv").write_text(f"t\n{PLAIN}\n")

    check_error(
        "check train.csv test.csv --time t",
        f"`time` needs times that all have a time zone or all have none, but {what}. Hint: write"
        " all times with a zone, as in 2024-03-31T12:00Z.",
        home,
        capsys,
    )


def test_advise_prints_the_table(capsys: Capture) -> None:
    """`advise` prints its table for the numbers of folds that are given, and writes it if asked."""
    DATA.write_csv("in.csv")

    assert call("advise in.csv --by label --ks 4 --ks 30 --groups pair --out advice.csv") == 0

    table = sf.advise(DATA, "label", [4, 30], groups="pair")
    head, *lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head == table.columns
    assert [line[0] for line in lines] == ["4", "30"]
    assert Path("advice.csv").read_text() == table.write_csv()


def test_advise_has_columns_in_full(capsys: Capture) -> None:
    """`--full` shows all columns of a table."""
    DATA.write_csv("in.csv")

    assert call("advise in.csv --by label --full") == 0

    columns = sf.advise(DATA, "label", full=True).columns
    assert capsys.readouterr().out.splitlines()[0].split() == columns
