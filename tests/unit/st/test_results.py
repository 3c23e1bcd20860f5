"""Result files and the JUnit report."""

import csv
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cannery.st import CaseFileError, junit_xml, plan_results, write_atomically, write_results
from cannery.st.result import inert


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_result_repeats_the_row_and_adds_the_kit_s_columns(lab: Any, tmp_path: Path) -> None:
    file = lab.ttk({"owner": "me"}, {"testcase_name": "bad", "attributes": "{'factor': 'x'}"})
    target = tmp_path / "cases_result.csv"
    write_results([(target, file.columns)], lab.run(file), [file.path])
    good, bad = rows(target)
    assert (good["testcase_name"], good["owner"], good["precision_status"]) == ("case", "me", "PASS")
    assert (good["dyn_precision"], good["cst_precision"], good["bin_precision"]) == ("100", "CST_OFF", "BIN_OFF")
    assert (good["dyn_block_dim"], good["data_input_size_b"], good["data_output_size_b"]) == ("1", "24", "24")
    assert (good["soc"], good["engine"], good["actual_error"]) == ("Ascend910B1", "eager", "NO_ERROR")
    assert (bad["precision_status"], bad["actual_error"]) == ("C:GRAPH_FAILED",) * 2 and "factor" in bad["log"]


def test_the_same_run_gives_the_same_bytes(lab: Any, tmp_path: Path) -> None:
    file = lab.ttk({})
    for name in ("a.csv", "b.csv"):
        write_results([(tmp_path / name, file.columns)], lab.run(file), [file.path])
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_results_of_files_with_one_name_do_not_meet(tmp_path: Path) -> None:
    files = [tmp_path / "a" / "cases" / "x.csv", tmp_path / "b" / "cases" / "x.csv", tmp_path / "y.csv"]
    targets = plan_results(files, tmp_path)
    assert [target.name for target in targets] == ["a-cases-x_result.csv", "b-cases-x_result.csv", "y_result.csv"]


def test_one_file_for_all_says_where_each_row_is_from(lab: Any, tmp_path: Path) -> None:
    files = [lab.ttk({}, name="a.csv"), lab.atb({}, name="b.csv")]
    target = tmp_path / "all.csv"
    assert plan_results([file.path for file in files], target) == (target, target)
    results = [result for file in files for result in lab.run(file)]
    write_results([(target, file.columns) for file in files], results, [file.path for file in files])
    first, second = rows(target)
    assert (first["testcase_name"], second["CaseName"]) == ("case", "case")
    assert [Path(row["case_file"]).name for row in (first, second)] == ["a.csv", "b.csv"]


def test_a_result_never_overwrites_a_case_file(lab: Any, tmp_path: Path) -> None:
    file = lab.ttk({})
    with pytest.raises(CaseFileError, match="case file"):
        plan_results([file.path], file.path)
    with pytest.raises(CaseFileError, match="cannot be written"):
        plan_results([file.path], file.path / "below" / "x.csv")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.csv"
    write_atomically(path, "before\n")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "before\n" and list(path.parent.iterdir()) == [path]


def test_a_file_that_is_replaced_keeps_its_mode_and_the_links_to_it(tmp_path: Path) -> None:
    path, link = tmp_path / "x.csv", tmp_path / "link.csv"
    path.write_text("before")
    path.chmod(0o600)
    link.symlink_to(path)
    write_atomically(link, "after")
    assert link.is_symlink() and path.read_text() == "after" and path.stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text)
        write_atomically(pipe, "rows\n")
        assert read.result(timeout=10) == "rows\n"
    assert pipe.is_fifo()


def test_a_device_is_one_file_for_all_results(tmp_path: Path) -> None:
    assert plan_results([tmp_path / "a.csv", tmp_path / "b.csv"], Path(os.devnull)) == (Path(os.devnull),) * 2


def test_junit(lab: Any) -> None:
    wrong = {"testcase_name": "wrong <&> \x01", "attributes": "{'factor': 3.0}"}
    refused = {"testcase_name": "refused", "attributes": "{'factor': 'x'}"}
    off = {"testcase_name": "off", "is_enabled": "False"}
    file = lab.ttk({}, wrong, refused, off)

    def twice(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        outputs[0].torch.copy_(inputs[0].torch * 2)

    results = lab.run(lab.with_engine(file, twice))
    root = ElementTree.fromstring(junit_xml([file.path], results))
    (suite,) = root
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    kinds = {case.get("name"): [child.tag for child in case] for case in suite}
    assert kinds == {"case": [], "wrong <&> \ufffd": ["failure"], "refused": ["error"], "off": ["skipped"]}


@pytest.mark.parametrize(
    "cell", ["=1+1", "=cmd|' /C calc'!A0", "+cmd|x", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1"]
)
def test_a_cell_that_a_spreadsheet_would_calculate_is_text(cell: str) -> None:
    assert inert(cell) == f"'{cell}"


@pytest.mark.parametrize(
    "cell", ["-10,10", "-1", "+1.5e-3", "-inf,inf", "-1;-2", "a=1", "((-1, 1),)", "", "-0.5 -0.25"]
)
def test_numbers_and_other_cells_stay_as_they_are(cell: str) -> None:
    assert inert(cell) == cell
