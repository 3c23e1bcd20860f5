"""Case files as files: format by header, malformed ones, which are results, selection by name."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from cannery.st import CaseFileError, find_case_files, load_cases, read_cases, select
from cannery.st.case import Standard

from .conftest import find_scale, write_ttk


def test_the_header_tells_the_format(lab: Any) -> None:
    assert lab.ttk({}).cases[0].standard is Standard.TTK
    assert lab.atb({}).cases[0].standard is Standard.ATB


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty file"),
        ("a,b\n1,2\n", "a,b"),
        ("api_name,tensor_view_shapes\n", "ACLNN"),
        ("op_name,op_name,input_shapes,input_dtypes,output_shapes,output_dtypes\n", "it twice"),
        ("op_name,input_shapes,input_dtypes,output_shapes\n", "output_dtypes"),
        ("op_name,input_shape,input_dtypes,output_shapes,output_dtypes\n", "input_shapes, by the look of it"),
        ("op_name,input_shapes,input_dtypes,output_shapes,output_dtypes\nscale_bias,1\n", "2 cells"),
        ('op_name,input_shapes,input_dtypes,output_shapes,output_dtypes\n"scale_bias\n', "line 2"),
        ("CaseNum|OpName\n", "CaseName"),
        ("op_name," + ",".join(f"input_shap{n}" for n in range(100_000)) + "\n", "100001 columns"),
        ("CaseNum|" + "|".join(map(str, range(100_000))) + "\n", "100001 columns"),
    ],
)
def test_a_malformed_file_is_refused_in_one_line(lab: Any, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    message = str(lab.refusal(path))
    assert said in message and str(path) in message and "\n" not in message


def test_bytes_that_are_no_text_are_refused(lab: Any, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(b"op_name\xff")
    assert "UTF-8" in str(lab.refusal(path))


def test_a_byte_order_mark_blank_lines_and_unknown_columns_are_fine(lab: Any, tmp_path: Path) -> None:
    lab.ttk({"owner": "me"}, {"testcase_name": "two"})
    path = tmp_path / "cases.csv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    file = load_cases(path, lambda name: lab.ttk({}, name="other.csv").cases[0].operator)
    assert [case.name for case in file.cases] == ["case", "two"]
    assert file.cases[0].cells["owner"] == "me"


def test_a_header_without_rows_is_refused(lab: Any) -> None:
    with pytest.raises(CaseFileError, match="found a header and no row, expected at least one row"):
        lab.ttk()


def test_a_row_that_cannot_be_read_is_refused_alone(lab: Any, tmp_path: Path) -> None:
    rows = ({"testcase_name": "a"}, {"testcase_name": "odd", "input_shapes": "(("}, {"testcase_name": "b"})
    file = read_cases(write_ttk(tmp_path / "cases.csv", *rows), find_scale)
    assert [case.name for case in file.cases] == ["a", "b"]
    assert [(row.row, row.name, row.operator_name) for row in file.refused] == [(2, "odd", "scale_bias")]
    assert [row.row for row in file.rows] == [1, 2, 3]
    results = lab.run(file)
    assert [result.status for result in results] == ["PASS", "CASE_INVALID", "PASS"]
    assert results[1].log == str(file.refused[0].error) and "row 2 (line 3): column input_shapes" in results[1].log
    assert pickle.loads(pickle.dumps(results[1])).log == results[1].log
    with pytest.raises(CaseFileError, match=r"row 2 \(line 3\)"):
        load_cases(tmp_path / "cases.csv", find_scale)


def test_a_row_of_too_few_cells_keeps_its_name(tmp_path: Path) -> None:
    path = write_ttk(tmp_path / "cases.csv", {})
    path.write_text(path.read_text() + "short,scale_bias\n")
    (row,) = read_cases(path, find_scale).refused
    assert (row.name, row.operator_name, row.input_bytes) == ("short", "scale_bias", 0)
    assert "found 2 cells, expected 7" in str(row.error)


def test_results_are_not_cases_and_each_file_counts_once(lab: Any, tmp_path: Path) -> None:
    for name in ("a.csv", "a_result.csv", "below/b.csv"):
        lab.ttk({}, name=name)
    names = [path.name for path in find_case_files([tmp_path, tmp_path / "a.csv", tmp_path / "a_result.csv"])]
    assert names == ["a.csv", "b.csv"]
    with pytest.raises(CaseFileError, match="no case file"):
        find_case_files([tmp_path / "a_result.csv"])
    with pytest.raises(CaseFileError, match=r"missing\.csv"):
        find_case_files([tmp_path / "missing.csv"])


@pytest.mark.parametrize(
    ("pattern", "names"), [("L1", ["a_L1_1", "b_l1_2"]), ("a_*_1", ["a_L1_1"]), ("c", ["c"]), ("z", [])]
)
def test_selection_by_name(lab: Any, pattern: str, names: list[str]) -> None:
    file = lab.ttk(*({"testcase_name": name} for name in ("a_L1_1", "b_l1_2", "c")))
    assert [case.name for case in select(file.cases, pattern)] == names
