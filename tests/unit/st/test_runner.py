"""Rows through the stages: chips, fills, statuses, engines, standards, determinism."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

from cannery.core import Stage
from cannery.settings import SettingError
from cannery.st import CaseFileError, Options, load_cases, run_case, run_cases
from cannery.st.case import Expectation
from cannery.st.runner import OptionError, choose_soc, prepare

from .conftest import write_atb

PLAIN = (
    "class ScaleBiasTestSpec:\n    def golden(x, bias=None, *, factor=2.0, **kwargs):\n        return [x * factor]\n"
)


def test_a_row_that_agrees_passes(lab: Any) -> None:
    (result,) = lab.run(lab.ttk({"attributes": "{'factor': 3.0}"}))
    assert (result.status, result.precision, result.soc, result.actual) == ("PASS", "100", "Ascend910B1", "NO_ERROR")
    assert result.output_bytes == 24


def test_a_row_that_differs_fails_and_says_where(lab: Any) -> None:
    file = lab.with_engine(lab.ttk({}), lambda context, tiling, inputs, outputs: None)
    (result,) = lab.run(file)
    assert result.status == "FAIL" and "6 of 6 elements" in result.log
    assert result.verdicts[0].diffs == (0, 1, 2, 3, 4, 5)


def test_memory_of_outputs_holds_ones_or_zeros_beforehand(lab: Any) -> None:
    seen = []

    def look(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        seen.append(set(outputs[0].torch.view(-1).tolist()))

    lab.run(lab.with_engine(lab.ttk({}), look))
    lab.run(lab.with_engine(lab.atb({}), look))
    assert seen == [{1.0}, {0.0}]


def test_an_output_in_place_of_an_input_holds_its_data(lab: Any) -> None:
    def double(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        outputs[0].torch.mul_(2)

    file = lab.with_engine(lab.ttk({"output_inplace_indexes": "(0,)"}), double)
    assert lab.run(file)[0].has_passed


def test_an_absent_optional_input_reaches_engine_and_golden(lab: Any) -> None:
    row = {"input_shapes": "((2, 3), None)", "input_dtypes": "('fp32', None)"}
    both = {"input_shapes": "((2, 3), (3,))", "input_dtypes": "('fp32', 'fp32')"}
    assert [result.status for result in lab.run(lab.ttk(row, both))] == ["PASS", "PASS"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_the_default_standard_measures_against_a_wider_golden(lab: Any, dtype: str) -> None:
    file = lab.ttk({"input_dtypes": f"('{dtype}',)", "output_dtypes": f"('{dtype}',)", "attributes": "{'factor': 1.7}"})
    (result,) = lab.run(file, PLAIN)
    assert (result.status, result.verdicts[0].standard) == ("PASS", "mix_tolerance")


def test_the_command_line_s_standard_comes_first(lab: Any) -> None:
    (result,) = lab.run(lab.ttk({}), compare="cosine")
    assert result.verdicts[0].standard == "cosine"


def test_cross_check_asks_the_third_party(lab: Any) -> None:
    third = "    def third_party(x, *, factor=2.0):\n        assert type(x).__name__ == 'Tensor'\n"
    third += "        return x * factor\n"
    spec = PLAIN + "    tolerance = {'float32': {'standard': 'cross_check', 'level': 'L2'}}\n"
    assert lab.run(lab.ttk({}), spec + third)[0].verdicts[0].standard == "cross_check"
    assert lab.run(lab.ttk({}), spec)[0].status == "TOLERANCE_INVALID"


def test_an_unexpected_refusal_is_the_status(lab: Any) -> None:
    (result,) = lab.run(lab.ttk({"attributes": "{'factor': 'x'}"}))
    assert result.status == "C:GRAPH_FAILED" and "factor" in result.log


def test_a_crash_is_one_row_s_failure(lab: Any) -> None:
    def crash(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        if outputs[0].torch.numel() == 6:
            raise IndexError("out of it")
        outputs[0].torch.copy_(inputs[0].torch * 2)

    other = {"input_shapes": "((4,),)", "output_shapes": "((4,),)"}
    results = lab.run(lab.with_engine(lab.ttk({}, other), crash))
    assert [result.status for result in results] == ["EXEC_FAILURE", "PASS"]
    assert "IndexError: out of it" in results[0].log


class Finding(NamedTuple):
    kind: str
    severity: str


@pytest.mark.parametrize(("severity", "status"), [("error", "FINDING:RAW"), ("warning", "PASS"), ("note", "PASS")])
def test_an_error_finding_fails_the_row(lab: Any, severity: str, status: str) -> None:
    def launch(context: Any, tiling: Any, inputs: Any, outputs: Any) -> list[Finding]:
        outputs[0].torch.copy_(inputs[0].torch * 2)
        return [Finding("RAW", severity)]

    assert lab.run(lab.with_engine(lab.ttk({}), launch))[0].status == status


def test_data_that_cannot_be_made(lab: Any) -> None:
    row = {"input_dtypes": "('hifloat8',)", "output_dtypes": "('hifloat8',)"}
    assert lab.run(lab.ttk(row))[0].status == "INPUT_FAILURE"
    huge = {"input_shapes": f"(({2**50},),)", "output_shapes": f"(({2**50},),)"}
    (result,) = lab.run(lab.ttk(huge))
    assert result.status == "INPUT_FAILURE" and "memory" in result.log


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"output_shapes": "((5,),)"}, "found float32 [5], expected float32 [2, 3], as inferred"),
        ({"output_shapes": "((3, 2),)"}, "found float32 [3, 2], expected float32 [2, 3], as inferred"),
        ({"output_dtypes": "('float16',)"}, "found float16 [2, 3], expected float32 [2, 3], as inferred"),
    ],
)
def test_a_row_whose_outputs_contradict_what_is_inferred_fails_naming_it(lab: Any, row: Any, text: str) -> None:
    (result,) = lab.run(lab.ttk(row))
    assert result.status == "FAIL" and result.has_failed
    assert f"y: {text}" in result.log


def test_a_row_may_wait_for_the_refusal_of_its_outputs(lab: Any) -> None:
    row = {"output_shapes": "((5,),)"}
    file = lab.ttk(row)
    expected = Expectation(Stage.TILING, "GRAPH_FAILED")
    (result,) = lab.run(replace(file, cases=tuple(replace(case, expected=expected) for case in file.cases)))
    assert result.has_passed


def test_chips(lab: Any) -> None:
    rows = [{"soc_series": cell} for cell in ("", "('Ascend950',)", "('-Ascend910B',)", "('Ascend310P', 'Ascend950')")]
    cases = lab.ttk(*rows, {"soc_series": "('Ascend310B',)"}, {"soc_series": "('-Ascend910B', '-Ascend950')"}).cases
    chosen = [choose_soc(case, Options()) for case in cases]
    assert [chip and chip.short_name for chip in chosen] == ["Ascend910B", *["Ascend950"] * 3, None, None]
    forced = [choose_soc(case, Options(soc="Ascend910B4")) for case in cases]
    assert [chip and chip.name for chip in forced] == [
        "Ascend910B4",
        "Ascend910B4",
        None,
        "Ascend910B4",
        "Ascend910B4",
        None,
    ]


def test_rows_not_for_this_run_count_neither_way(lab: Any) -> None:
    results = lab.run(lab.ttk({"is_enabled": "False"}, {"soc_series": "('Ascend310B',)"}))
    assert [result.status for result in results] == ["SUPPRESSED", "DYN_UNSUPPORTED"]
    assert not any(result.has_passed or result.has_failed for result in results)


def test_an_engine_of_other_operators_is_no_error_where_only_the_environment_names_it(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = lab.ttk({}).cases
    monkeypatch.setenv("CANNERY_ENGINE", "aicore")
    assert [result.engine for result in run_cases(cases)] == ["eager"]
    monkeypatch.setenv("CANNERY_ENGINE", "warp")
    with pytest.raises(SettingError, match="CANNERY_ENGINE: found 'warp', expected one of aicore"):
        prepare(cases, Options())


def test_options_that_fit_no_row_are_refused_first(lab: Any) -> None:
    cases = lab.ttk({}).cases
    with pytest.raises(OptionError, match="warp"):
        prepare(cases, Options(engine="warp"))
    for options in (Options(soc="Ascend911"), Options(compare="about")):
        with pytest.raises(ValueError, match=r"Ascend911|about"):
            prepare(cases, options)


def test_data_do_not_depend_on_what_else_runs(lab: Any) -> None:
    seen: dict[str, list[torch.Tensor]] = {}

    def look(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        seen.setdefault(str(context.attrs["factor"]), []).append(inputs[0].torch.clone())

    rows = [{"testcase_name": f"case{number}", "attributes": f"{{'factor': {number}.0}}"} for number in range(3)]
    lab.run(lab.with_engine(lab.ttk(*rows), look))
    lab.run(lab.with_engine(lab.ttk(rows[2]), look))
    lab.run(lab.with_engine(lab.ttk(rows[2]), look), seed=1)
    first, again, other = seen["2.0"]
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert not torch.equal(first, seen["1.0"][0])


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ({}, "PASS"),
        ({"ExpectedError": "C:NO_ERROR"}, "PASS"),
        ({"ExpectedError": "I:NO_ERROR"}, "PASS"),
        ({"ExpectedError": "S:NO_ERROR"}, "PASS"),
        ({"ExpectedError": "E:NO_ERROR"}, "PASS"),
        ({"ExpectedError": "C:ERROR_INVALID_PARAM"}, "FAIL"),
        ({"ExpectedError": "E:ERROR_INVALID_PARAM"}, "FAIL"),
        ({"OpParam": '{"factor":"x"}', "ExpectedError": "C:GRAPH_FAILED"}, "PASS"),
        ({"OpParam": '{"factor":"x"}', "ExpectedError": "I:GRAPH_FAILED"}, "C:GRAPH_FAILED"),
        ({"OpParam": '{"factor":"x"}'}, "C:GRAPH_FAILED"),
        ({"InNum": "0", "InDType": "", "InShape": "", "ExpectedError": "C:GRAPH_PARAM_INVALID"}, "PASS"),
        ({"OutNum": "2", "ExpectedError": "S:GRAPH_PARAM_INVALID"}, "PASS"),
        ({"TestType": "Generalization", "OutDType": "reserved", "OutShape": "reserved"}, "PASS"),
        ({"OutNum": "0", "OutDType": "", "OutFormat": "", "OutShape": ""}, "PASS"),
        ({"OutNum": "1", "OutDType": "", "OutFormat": "", "OutShape": ""}, "PASS"),
        ({"TestType": "Performance"}, "PASS"),
        ({"OpName": "ScaleBias_7"}, "PASS"),
        ({"InFormat": "nchw"}, "PASS"),
        ({"DataGenType": "one", "DataGenRange": ""}, "PASS"),
        ({"DataGenRange": "nan,nan"}, "PASS"),
        ({"DataGenRange": "-inf,inf"}, "PASS"),
        ({"SocVersion": "Ascend310B"}, "DYN_UNSUPPORTED"),
        ({"SocVersion": "Ascend310P,Ascend950"}, "PASS"),
    ],
)
def test_rows_of_atb(lab: Any, row: dict[str, str], status: str) -> None:
    assert lab.run(lab.atb(row), PLAIN)[0].status == status


def test_a_row_that_stops_after_a_stage_launches_nothing(lab: Any) -> None:
    def crash(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        raise AssertionError("launched")

    stages = ("C", "I", "S", "E")
    results = lab.run(lab.with_engine(lab.atb(*({"ExpectedError": f"{stage}:NO_ERROR"} for stage in stages)), crash))
    assert [result.status for result in results] == ["PASS", "PASS", "PASS", "EXEC_FAILURE"]


def test_a_refusal_at_launch_is_stage_e(lab: Any) -> None:
    def refuse(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        raise context.error(Stage.LAUNCH, "x", "it", "another")

    rows: list[dict[str, str]] = [{"ExpectedError": "E:GRAPH_FAILED"}, {}]
    assert [r.status for r in lab.run(lab.with_engine(lab.atb(*rows), refuse), PLAIN)] == ["PASS", "E:GRAPH_FAILED"]


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ("op_type = 'COMPUTE_FLOAT'", True),
        ("op_type = 'MOVE'", False),
        ("def get_op_type(op_params):\n        return 'MOVE'", False),
    ],
)
def test_the_kind_of_work_sets_atb_s_threshold(lab: Any, said: str, passes: bool) -> None:
    spec = f"import numpy as np\n{PLAIN}    {said}\n".replace("[x * factor]", "[x * np.float16(factor * 1.001)]")
    assert lab.run(lab.atb({"DataGenRange": "1,2"}), spec)[0].has_passed is passes


def test_a_key_that_nothing_reads_is_refused_by_name(lab: Any, tmp_path: Path) -> None:
    for given, wanted in (
        ('{"faktor":2.0}', "'factor'"),
        ('{"other":1}', "one of factor"),
        ('{"Factor":1}', "'factor'"),
    ):
        refusal = lab.refusal(write_atb(tmp_path / "cases.csv", {"OpParam": given}))
        assert refusal.column == "OpParam" and given[2:6] in refusal.found and refusal.expected == wanted
    (result,) = lab.run(lab.ttk({"attributes": "{'faktor': 2.0}"}))
    assert result.status == "C:GRAPH_FAILED" and "found 'faktor', expected 'factor'" in result.log


@pytest.mark.parametrize("given", ['{"transA":1,"transB":0,', '{"transA":true,"transB":false,', '{"transposeA":1,'])
def test_switches_are_read_under_the_names_of_the_original_s_tests(tmp_path: Path, given: str) -> None:
    sizes = '"m":[2],"n":[3],"k":[4],"lda":[2],"ldb":[3],"ldc":[3],"strideA":[8],"strideB":[12],"strideC":[6]}'
    tensors = {"InNum": "2", "InDType": "float16", "InShape": "8;12", "InFormat": "nd", "OutShape": "6"}
    row = {"OpName": "StridedBatchMatmulOperation", "OpParam": given + sizes, **tensors}
    (case,) = load_cases(write_atb(tmp_path / "cases.csv", row)).cases
    assert case.attrs["transposeA"] is True and not case.attrs.get("transposeB")
    assert run_case(case).has_passed


def test_a_switch_in_two_spellings_is_refused(tmp_path: Path) -> None:
    row = {"OpName": "StridedBatchMatmul", "OpParam": '{"transA":1,"transposeA":1}'}
    with pytest.raises(CaseFileError, match="transposeA twice"):
        load_cases(write_atb(tmp_path / "cases.csv", row))


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"OpName": "Other"}, "OpName"),
        ({"OpParam": "{factor:2}"}, "OpParam"),
        ({"OpParam": "[1]"}, "OpParam"),
        ({"InNum": "one"}, "InNum"),
        ({"InNum": "2", "InShape": "2,3;2,3;2,3"}, "InShape"),
        ({"InDType": "float17"}, "InDType"),
        ({"InFormat": "xy"}, "InFormat"),
        ({"InShape": "2,x"}, "InShape"),
        ({"InShape": ""}, "InShape"),
        ({"OutShape": "2;3"}, "OutShape"),
        ({"DataGenType": "some"}, "DataGenType"),
        ({"DataGenRange": "1"}, "DataGenRange"),
        ({"DataGenRange": "5,-5"}, "DataGenRange"),
        ({"InTensorFile": "none.bin"}, "InTensorFile"),
        ({"TestType": "Other"}, "TestType"),
        ({"SocVersion": "Ascend911"}, "SocVersion"),
        ({"ExpectedError": "X:NO_ERROR"}, "ExpectedError"),
        ({"ExpectedError": "C:ERROR_WHATEVER"}, "ExpectedError"),
        ({"ExpectedError": "ERROR_INVALID_PARAM"}, "ExpectedError"),
        ({"OpParam": "[" * 2000}, "OpParam"),
        ({"OpParam": '{"factor":' + "9" * 5000 + "}"}, "OpParam"),
        ({"InNum": "100000000"}, "InNum"),
        ({"InNum": "9" * 400}, "InNum"),
        ({"OutNum": "9" * 5000}, "OutNum"),
        ({"InShape": "9" * 5000}, "InShape"),
        ({"InShape": "9223372036854775808"}, "InShape"),
        ({"OutShape": ",".join("1" * 201)}, "OutShape"),
    ],
)
def test_a_malformed_cell_of_an_atb_file_is_named(lab: Any, row: dict[str, str], column: str) -> None:
    from cannery.st import CaseFileError

    with pytest.raises(CaseFileError) as caught:
        lab.atb({}, row)
    assert (caught.value.row, caught.value.column) == (2, column)


@pytest.mark.parametrize(
    "row",
    [
        {"DataGenRange": "nan"},
        {"DataGenType": "NaN", "DataGenRange": ""},
        {"InTensorFile": "nan", "OutTensorFile": "nan", "TestType": "nan", "ExpectedError": "nan", "SocVersion": "nan"},
        {"DataGenRange": "-5,5;-5,5;-5,5", "DataGenType": "random;one"},
        {"OutShape": "", "ExpectedError": "I:NO_ERROR"},
        {"OutShape": "nan", "OutDType": "", "ExpectedError": "I:NO_ERROR"},
        {"InNum": "2", "InDType": "float16;float16", "InFormat": "nd;nd", "InShape": "2,3;0"},
    ],
)
def test_odd_cells_that_the_original_reads_are_judged(lab: Any, row: dict[str, str]) -> None:
    assert [result.status for result in lab.run(lab.atb(row), PLAIN)] == ["PASS"]


def test_nan_as_a_bound_is_one(lab: Any) -> None:
    (spec,) = lab.atb({"DataGenRange": "nan,nan"}).cases[0].tensors
    assert spec.data.low != spec.data.low


def test_an_optional_input_of_no_elements_is_absent_and_a_required_one_is_empty(lab: Any) -> None:
    two = {"InNum": "2", "InDType": "float16", "InFormat": "nd", "OutShape": "0"}
    assert lab.atb(two | {"InShape": "2,3;0"}).cases[0].inputs[1] is None
    assert lab.atb(two | {"InShape": "0;0"}).cases[0].inputs[0].desc.shape == (0,)


def test_an_empty_out_shape_of_a_whole_run_is_refused(lab: Any, tmp_path: Path) -> None:
    assert lab.refusal(write_atb(tmp_path / "cases.csv", {"OutShape": ""})).column == "OutShape"


def test_blanks_in_an_atb_file_do_not_matter(lab: Any, tmp_path: Any) -> None:
    lab.atb({})
    path = tmp_path / "cases.csv"
    spaced = path.read_text().replace("|", " | ").replace("\n", " |\n\n")
    path.write_text(spaced.replace(" |\n", "\n", 1))
    from cannery.st import load_cases

    operator = lab.atb({}, name="other.csv").cases[0].operator
    assert [case.name for case in load_cases(path, lambda name: operator).cases] == ["case"]


def test_the_environment_chooses_among_the_chips_that_a_row_is_for(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_SOC", "Ascend910B3")
    cells = ("", "('Ascend910B',)", "('Ascend910B4',)", "('Ascend950',)", "('-Ascend910B',)")
    chosen = [choose_soc(case, Options()) for case in lab.ttk(*({"soc_series": cell} for cell in cells)).cases]
    names = ["Ascend910B3", "Ascend910B3", "Ascend910B4", "Ascend950PR_9589", None]
    assert [chip and chip.name for chip in chosen] == names
