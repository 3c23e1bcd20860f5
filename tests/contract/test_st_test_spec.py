"""The TestSpec contract: how assets are found, what they may say, how they are called.

Source: hicann/ops-test-kit `ttk/test_spec/README.md` @36750932, `loader.py`, `validator.py`, `custom.py` @202675b6.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cannery.core import DataType
from cannery.operator import Operator, find_operator
from cannery.st import Case, CaseResult, Options, SpecError, load_cases, load_spec, run_case

OPERATOR = replace(find_operator("UpdateTensorDesc"), golden="")
HEADER = "testcase_name,op_name,input_shapes,input_dtypes,output_shapes,output_dtypes,attributes,input_data_ranges\n"
ROW = (
    'one,update_tensor_desc,"((2, 3),)","(\'float32\',)","((128,),)","(\'int64\',)","{\'shape\': [128]}","((1, 1),)"\n'
)
CLASS = "import numpy as np\nclass UpdateTensorDescTestSpec:\n"
RIGHT = "[1, 1, 1, 1, 128] + [1] * 123"


def spec(folder: Path, text: str, name: str = "golden.py") -> Path:
    (folder / "assets").mkdir(exist_ok=True)
    (folder / "assets" / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def case(tmp_path: Path) -> Case:
    path = tmp_path / "cases.csv"
    path.write_text(HEADER + ROW, encoding="utf-8")
    return load_cases(path, lambda name: OPERATOR).cases[0]


def judged(case: Case, folder: Path, text: str) -> CaseResult:
    return run_case(case, Options(plugins=(spec(folder, text),)))


def golden_of(operator: Operator, folder: Path) -> object:
    found = load_spec(operator, [folder])
    assert found is not None
    return found.golden()


def test_found_by_spec_dict_before_class_name_before_legacy_dict(tmp_path: Path) -> None:
    legacy = '__golden__ = {"kernel": {"update_tensor_desc": "legacy"}}\ndef legacy():\n    return "legacy"\n'
    assert golden_of(OPERATOR, spec(tmp_path, legacy)) == "legacy"
    named = 'class UpdateTensorDescTestSpec:\n    def golden():\n        return "named"\n'
    assert golden_of(OPERATOR, spec(tmp_path, legacy + named)) == "named"
    listed = '__spec__ = {"update_tensor_desc": "Any"}\nclass Any:\n    def golden():\n        return "listed"\n'
    assert golden_of(OPERATOR, spec(tmp_path, legacy + named + listed)) == "listed"


def test_the_last_assignment_in_a_file_and_the_first_file_win(tmp_path: Path) -> None:
    def text(word: str) -> str:
        made = f'class {word}:\n    def golden():\n        return "{word}"\n'
        return made + f'__spec__ = {{"update_tensor_desc": "{word}"}}\n'

    spec(tmp_path, text("First") + text("Last"), "a.py")
    spec(tmp_path, text("Other"), "b.py")
    spec(tmp_path, text("Hidden"), "_a.py")
    assert golden_of(OPERATOR, tmp_path) == "Last"


def test_a_file_without_the_operator_is_never_run(tmp_path: Path) -> None:
    spec(tmp_path, 'raise SystemExit("run")\n__spec__ = {"another": "Spec"}\n', "a.py")
    spec(tmp_path, '__spec__ = {"update_tensor_desc": "S"}\nclass S:\n    def golden():\n        return 1\n', "b.py")
    assert golden_of(OPERATOR, tmp_path) == 1


def test_files_next_to_an_asset_can_be_imported_by_it(tmp_path: Path) -> None:
    spec(tmp_path, "VALUE = 7\n", "_words_of_golden.py")
    text = f"from _words_of_golden import VALUE\n{CLASS}    def golden():\n        return VALUE\n"
    assert golden_of(OPERATOR, spec(tmp_path, text)) == 7


@pytest.mark.parametrize(
    "text",
    [
        '__spec__ = {"update_tensor_desc": "Missing"}',
        "class UpdateTensorDescTestSpec(\n",
        "class UpdateTensorDescTestSpec:\n    pre_compare = 'name'",
        "class UpdateTensorDescTestSpec:\n    compare = {}",
        "class UpdateTensorDescTestSpec:\n    tolerance = {'int64': {'standard': 'isclose'}}",
        "class UpdateTensorDescTestSpec:\n    tolerance = {'int65': {'standard': 'quant'}}",
        "class UpdateTensorDescTestSpec:\n    tolerance = 'binary_equal'",
        "import a_module_that_is_not_there\nclass UpdateTensorDescTestSpec:\n    pass",
    ],
)
def test_what_breaks_the_contract_is_refused_before_anything_runs(case: Case, tmp_path: Path, text: str) -> None:
    with pytest.raises(SpecError) as caught:
        judged(case, tmp_path, text)
    assert "golden.py" in str(caught.value)


def test_a_plugin_folder_must_be_there(case: Case, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="nowhere"):
        run_case(case, Options(plugins=(tmp_path / "nowhere",)))


@pytest.mark.parametrize(
    "body",
    [
        "def golden(x, *, shape, **kwargs):\n        return [np.array(WORDS).reshape(shape)]",
        "def golden(x, *, shape):\n        return np.array(WORDS)",
        "@staticmethod\n    def golden(x, shape):\n        return [np.array(WORDS)]",
        "def golden(*tensors, **attrs):\n        return [np.array(WORDS)] * len(tensors)",
        "class golden:\n        def __init__(self, *, shape):\n            self.shape = shape\n"
        "        def __call__(self, x):\n            return np.array(WORDS).reshape(self.shape)",
        "def golden(x, *, testcase_name, full_soc_version, short_soc_version, input_dtypes, output_dtypes, **rest):\n"
        "        assert (testcase_name, short_soc_version) == ('one', 'Ascend950')\n"
        "        assert full_soc_version == 'Ascend950PR_9589'\n"
        "        assert (input_dtypes, output_dtypes) == (('float32',), ('int64',))\n"
        "        assert rest['input_ori_shapes'] == ((2, 3),) and rest['input_formats'] == ('ND',)\n"
        "        assert rest['input_ranges'] == ((1, 1),) and rest['shape'] == [128]\n"
        "        assert isinstance(x, np.ndarray) and x.flags.writeable and (x == 1).all()\n"
        "        return np.array(WORDS)",
    ],
)
def test_goldens_in_every_form(case: Case, tmp_path: Path, body: str) -> None:
    text = f"import numpy as np\nWORDS = {RIGHT}\nclass UpdateTensorDescTestSpec:\n    {body}\n"
    result = judged(case, tmp_path, text)
    assert (result.status, result.log) == ("PASS", "")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def golden(x, *, nothing):\n        return [x]", "'nothing'"),
        ("def golden(x, **rest):\n        raise KeyError('oops')", "oops"),
        ("def golden(x, **rest):\n        return []", "found 0 outputs"),
        ("golden = 'numpy.no_such_function'", "no_such_function"),
        ("golden = 3", "int"),
        ("def golden(x, **rest):\n        return None", "found NoneType, expected an array"),
        ("pass", "found none"),
    ],
)
def test_a_golden_that_fails_is_the_row_s_failure(case: Case, tmp_path: Path, body: str, said: str) -> None:
    result = judged(case, tmp_path, f"class UpdateTensorDescTestSpec:\n    {body}\n")
    assert result.status == "GOLDEN_FAILURE" and said in result.log


@pytest.mark.filterwarnings("error")
def test_a_golden_of_huge_data_may_overflow_in_silence(case: Case, tmp_path: Path) -> None:
    body = f"def golden(x, **rest):\n        np.float32(3e38) * np.array(x * 10)\n        return np.array({RIGHT})"
    assert judged(case, tmp_path, f"{CLASS}    {body}\n").has_passed


def test_a_golden_may_not_touch_what_the_engine_gets(case: Case, tmp_path: Path) -> None:
    seen = []

    def launch(context, tiling, inputs, outputs):
        seen.append(inputs[0].torch.clone())
        OPERATOR.engines["eager"](context, tiling, inputs, outputs)

    text = f"{CLASS}    def golden(x, **rest):\n        x[:] = 9\n        return np.array({RIGHT})\n"
    watched = replace(case, operator=replace(OPERATOR, engines={"eager": launch}))
    assert judged(watched, tmp_path, text).has_passed
    assert (seen[0] == 1).all()


def hooked(case: Case, folder: Path, hooks: str, golden: str = RIGHT) -> CaseResult:
    text = f"{CLASS}    def golden(x, **rest):\n        return [np.array({golden})]\n{hooks}\n"
    return judged(case, folder, text)


def test_pre_compare_in_place_and_by_return(case: Case, tmp_path: Path) -> None:
    zeros = "[0, 0, 0, 1, 128] + [0] * 123"
    assert hooked(case, tmp_path, "", zeros).status == "FAIL"
    in_place = "    def pre_compare(out, golden):\n        out[:3] = 0; out[5:] = 0"
    assert hooked(case, tmp_path, in_place, zeros).has_passed
    returned = "    def pre_compare(out, golden):\n        return [golden.copy(), golden]"
    assert hooked(case, tmp_path, returned, zeros).has_passed
    wrong = "    def pre_compare(out, golden):\n        return [out]"
    assert hooked(case, tmp_path, wrong, zeros).status == "COMPARE_FAILURE"


def test_compare_replaces_the_standard_unless_it_returns_none(case: Case, tmp_path: Path) -> None:
    answer = "    def compare(out, golden):\n        return {'pass': False, 'precision': 12.5, 'error_info': 'mine'}"
    result = hooked(case, tmp_path, answer)
    assert (result.status, result.precision) == ("FAIL", "12.5") and "mine" in result.log
    assert hooked(case, tmp_path, "    def compare(out, golden):\n        return None").has_passed
    lacking = "    def compare(out, golden):\n        return {'pass': True}"
    assert hooked(case, tmp_path, lacking).status == "COMPARE_FAILURE"
    several = "    def compare(out, golden):\n        return [{'pass': True, 'precision': 100.0}]"
    assert hooked(case, tmp_path, several, "[0] * 128").has_passed


def test_compare_sees_the_case_when_it_asks(case: Case, tmp_path: Path) -> None:
    text = (
        "    def compare(out, golden, *, compare_context):\n"
        "        seen = compare_context\n"
        "        right = seen['testcase_name'] == 'one' and seen['attributes'] == {'shape': [128]}\n"
        "        right &= (seen['input_tensors'][0] == 1).all()\n"
        "        right &= seen['csv_fields']['op_name'] == 'update_tensor_desc'\n"
        "        return {'pass': right, 'precision': 100.0}"
    )
    assert hooked(case, tmp_path, text).has_passed


def test_customize_inputs_replaces_the_data(case: Case, tmp_path: Path) -> None:
    text = "    def customize_inputs(x, **rest):\n        return (x * 0 + 5,)\n"
    text += "    def compare(a, b, *, compare_context):\n"
    text += "        x, = compare_context['input_tensors']\n        return {'pass': (x == 5).all(), 'precision': 100.0}"
    assert hooked(case, tmp_path, text).has_passed
    wrong = "    def customize_inputs(x, **rest):\n        return (x[:1],)"
    assert hooked(case, tmp_path, wrong).status == "INPUT_FAILURE"


def test_the_operator_s_own_spec_is_used_without_a_plugin() -> None:
    found = load_spec(find_operator("UpdateTensorDesc"))
    assert found is not None
    words = found.golden(np.zeros(1), shape=[128])[0]
    assert words[:6].tolist() == [0, 0, 0, 1, 128, 0]
    assert found.tolerance[DataType.DT_INT64].standard == "binary_equal"
