"""`cannery st` on the shipped files: what it writes, prints and ends with."""

import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cannery import cli

OPS = Path(cli.__file__).parents[1] / "ops"
UNPAD = OPS / "unpad_with_hidden_state" / "cases" / "unpad_with_hidden_state.csv"
UPDATE = OPS / "update_tensor_desc" / "cases" / "ttk_kernel_update_tensor_desc_st.csv"


@dataclass(frozen=True)
class Ended:
    """How a call of the command ended."""

    code: int | str | None
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture
def st(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """`st(FILE, …)` runs `cannery st` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["cannery", "st", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        printed = capsys.readouterr()
        return Ended(end.value.code, printed.out, printed.err)

    return run


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def changed(source: Path, target: Path, name: str, old: str, new: str) -> Path:
    """A copy of a case file with one cell of the named row changed."""
    lines = source.read_text(encoding="utf-8").splitlines()
    index = next(index for index, line in enumerate(lines) if f"|{name}|" in line)
    assert old in lines[index]
    lines[index] = lines[index].replace(old, new)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def test_selected_rows_pass_and_results_stand_in_the_current_folder(st: Command, tmp_path: Path) -> None:
    ended = st(UPDATE, "-k", "*shape3", "--junit", "report.xml")
    assert (ended.code, ended.err) == (0, "")
    assert "update_tensor_desc_bool_x2_shape3" in ended.out and "4 passed, 0 failed" in ended.out
    found = rows(tmp_path / "ttk_kernel_update_tensor_desc_st_result.csv")
    assert [row["precision_status"] for row in found] == ["PASS"] * 4
    assert len(bytes.fromhex(found[0]["dyn_tiling_data"])) == 1000
    assert ElementTree.parse(tmp_path / "report.xml").getroot().get("tests") == "4"


def test_one_changed_expectation_fails_and_names_the_row(st: Command, tmp_path: Path) -> None:
    assert st(UNPAD, "-k", "UnpadOneDim").code == 0
    old, new = "I:ERROR_INVALID_TENSOR_DIM", "I:ERROR_INVALID_TENSOR_SIZE"
    ended = st(changed(UNPAD, tmp_path / "copy.csv", "UnpadOneDim", old, new), "-k", "UnpadO*Dim")
    assert ended.code == 1
    assert "UnpadOneDim" in ended.out and f"expected {new}, found {old}" in ended.out
    assert rows(tmp_path / "copy_result.csv")[0]["precision_status"] == old


def test_an_expectation_where_nothing_goes_wrong_fails(st: Command, tmp_path: Path) -> None:
    copy = changed(UNPAD, tmp_path / "copy.csv", "UnpadHidden7", "NO_ERROR", "E:ERROR_INVALID_PARAM")
    ended = st(copy, "-k", "UnpadHidden7")
    assert ended.code == 1 and "expected E:ERROR_INVALID_PARAM, found NO_ERROR" in ended.out


def test_a_chip_for_every_row(st: Command, tmp_path: Path) -> None:
    ended = st(UNPAD, "-k", "UnpadHidden7", "--soc", "Ascend310P3", "-o", "out/results.csv")
    assert ended.code == 1
    (row,) = rows(tmp_path / "out" / "results.csv")
    assert (row["soc"], row["actual_error"]) == ("Ascend310P3", "C:ERROR_INVALID_PARAM")


def test_the_chip_is_that_of_what_a_golden_calls(st: Command, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    lines = [
        "from cannery.settings import chosen_quirks, device_chip",
        "class UpdateTensorDescTestSpec:",
        "    def golden(x, **rest):",
        "        raise ValueError(f'{device_chip().name}, quirks {chosen_quirks()}')",
    ]
    (tmp_path / "assets" / "golden.py").write_text("\n".join(lines) + "\n")
    ended = st(UPDATE, "-k", "bool_x2", "--plugin", ".", "--soc", "Ascend950PR_9599", "--quirks")
    assert ended.code == 1 and "ValueError: Ascend950PR_9599, quirks True" in ended.out


def test_the_same_seed_gives_the_same_result_file(st: Command, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        assert st(UNPAD, "-k", "UnpadHidden17", "--seed", 1, "-o", folder).code == 0
    name = "unpad_with_hidden_state_result.csv"
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_user_s_own_golden_is_asked_first(st: Command, tmp_path: Path) -> None:
    (tmp_path / "mine" / "assets").mkdir(parents=True)
    text = "class UpdateTensorDescTestSpec:\n    def golden(x, *, shape, **rest):\n        import numpy as np\n"
    (tmp_path / "mine" / "assets" / "golden.py").write_text(text + "        return [np.zeros(shape, np.int64)]\n")
    ended = st(UPDATE, "-k", "bool_x2", "--plugin", "mine")
    assert ended.code == 1 and "elements out of order" in ended.out


def test_a_golden_that_exits_is_a_failed_row_with_its_line(st: Command, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    text = "class UpdateTensorDescTestSpec:\n    def golden(x, **rest):\n        raise SystemExit(0)\n"
    (tmp_path / "assets" / "golden.py").write_text(text)
    ended = st(UPDATE, "-k", "bool_x2", "--plugin", ".")
    assert ended.code == 1 and "GOLDEN_FAILURE: golden: SystemExit: 0" in ended.out and "golden.py:3)" in ended.out
    assert "Traceback" not in ended.out
    told = st(UPDATE, "-k", "bool_x2", "--plugin", ".", "-v")
    assert told.code == 1 and "Traceback" in told.out and "raise SystemExit(0)" in told.out


def test_a_plug_in_that_exits_ends_with_2(st: Command, tmp_path: Path) -> None:
    (tmp_path / "golden.py").write_text("class UpdateTensorDescTestSpec:\n    pass\n\nraise SystemExit(0)\n")
    ended = st(UPDATE, "--plugin", ".")
    assert (ended.code, ended.out) == (2, "") and "golden.py: SystemExit: 0" in ended.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("|float16|", "|float17|", "column InDType: found 'float17'"),
        ("Ascend910B", "Ascend910X", "column SocVersion: found 'Ascend910X'"),
        ("{", "[", "column OpParam"),
        ("NO_ERROR", "C:OOPS", "column ExpectedError: found 'C:OOPS'"),
        ("|1|", "|x|", "column InNum: found 'x'"),
        ("|", "||", "cells, expected 21"),
    ],
)
def test_a_malformed_row_ends_with_2_and_one_line(st: Command, tmp_path: Path, old: str, new: str, said: str) -> None:
    lines = UNPAD.read_text(encoding="utf-8").splitlines()[:3]
    head, _, cells = lines[1].partition("|")
    lines[1] = head + "|" + cells.replace(old, new, 1)
    path = tmp_path / "bad.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    ended = st(path)
    assert ended.code == 2 and "1 passed, 1 failed, 0 skipped" in ended.out
    assert said in ended.err and "bad.csv" in ended.err and "row 1" in ended.err and ended.err.count("\n") == 1
    assert [row["precision_status"] for row in rows(tmp_path / "bad_result.csv")] == ["CASE_INVALID", "PASS"]


def test_a_file_of_malformed_rows_is_refused_before_anything_is_written(st: Command, tmp_path: Path) -> None:
    lines = UNPAD.read_text(encoding="utf-8").splitlines()[:3]
    path = tmp_path / "bad.csv"
    path.write_text("\n".join(lines).replace("|float16|", "|float17|"), encoding="utf-8")
    ended = st(path)
    assert (ended.code, ended.out) == (2, "") and "row 1 (line 2): column InDType" in ended.err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("source", [UNPAD, UPDATE])
def test_a_file_of_only_a_header_is_not_green(st: Command, tmp_path: Path, source: Path) -> None:
    (tmp_path / "empty.csv").write_text(source.read_text(encoding="utf-8").splitlines()[0] + "\n\n")
    ended = st("empty.csv", UPDATE)
    assert (ended.code, ended.out) == (2, "") and "empty.csv: found a header and no row" in ended.err


def test_a_row_that_awaits_an_error_has_no_precision(st: Command, tmp_path: Path) -> None:
    ended = st(UNPAD, "-k", "UnpadOneDim")
    header, line = ended.out.splitlines()[:2]
    assert line[header.index("precision %") :].split() == ["I:ERROR_INVALID_TENSOR_DIM"]
    assert line.index("I:ERROR") == header.index("error met")
    (row,) = rows(tmp_path / "unpad_with_hidden_state_result.csv")
    assert (row["dyn_precision"], row["precision_status"]) == ("", "PASS")
    assert row["actual_error"] == "I:ERROR_INVALID_TENSOR_DIM"


def test_results_of_several_files_go_to_a_folder_of_their_own(st: Command, tmp_path: Path) -> None:
    assert st(UPDATE, UNPAD, "-k", "*UnpadOneDim").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["st_results"]
    assert sorted(path.name for path in (tmp_path / "st_results").iterdir()) == [
        "ttk_kernel_update_tensor_desc_st_result.csv",
        "unpad_with_hidden_state_result.csv",
    ]


def test_a_missing_column_is_named(st: Command, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(UNPAD.read_text(encoding="utf-8").replace("|SocVersion|", "|", 1), encoding="utf-8")
    ended = st(path)
    assert ended.code == 2 and "SocVersion" in ended.err and ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--soc", "Ascend910Z"], "--soc: found 'Ascend910Z'"),
        (["--engine", "warp"], "warp"),
        (["--compare", "about"], "about"),
        (["-k", "no such row"], "no such row"),
        (["--plugin", "nowhere"], "nowhere"),
    ],
)
def test_an_option_that_fits_nothing_ends_with_2_before_anything_is_written(
    st: Command, tmp_path: Path, words: list[str], said: str
) -> None:
    ended = st(UNPAD, *words)
    assert ended.code == 2 and said in ended.err and ended.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--junit", "cases.csv"], "--junit: found cases.csv, which is an input"),
        (["--junit", "./link.csv"], "--junit: found link.csv, which is an input"),
        (["-o", "a.csv", "--junit", "a.csv"], "--junit: found a.csv, which is the place of -o"),
        (["--junit", "cases_result.csv"], "--junit: found cases_result.csv, which is the place of -o"),
        (["-o", "link.csv"], "link.csv"),
        (["--junit", "golden.npy"], "--junit: found golden.npy, which is an input"),
        (["--junit", "folder"], "a folder as the place"),
    ],
)
def test_no_output_is_an_input_or_another_output(st: Command, tmp_path: Path, words: list[str], said: str) -> None:
    lines = UPDATE.read_text(encoding="utf-8").splitlines()[:2]
    (tmp_path / "cases.csv").write_text(f"{lines[0]},manual_golden_binaries\n{lines[1]},'golden.npy'\n")
    (tmp_path / "golden.npy").write_bytes(b"")
    (tmp_path / "link.csv").symlink_to("cases.csv")
    (tmp_path / "folder").mkdir()
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    ended = st("cases.csv", *words)
    assert (ended.code, ended.out) == (2, "") and said in ended.err and ended.err.count("\n") == 1
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}


def test_a_result_is_not_taken_as_cases(st: Command, tmp_path: Path) -> None:
    assert st(UPDATE, "-k", "bool_x2").code == 0
    assert st(tmp_path / "ttk_kernel_update_tensor_desc_st_result.csv").code == 2
