"""What goldens, hooks, plug-ins and operators raise: never the end of a campaign, always with a file and a line."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cannery.st import CaseResult, SpecError, junit_xml, load_spec
from cannery.st.usercode import told, user_code

from .conftest import scale_operator, write_plugin

HEAD = "import numpy as np\n\n\nclass ScaleBiasTestSpec:\n"
GOLDEN = "    def golden(x, bias=None, *, factor=2.0, **kwargs):\n"
FAULTS = ["raise SystemExit(0)", "raise GeneratorExit", "import sys; sys.exit()", "1 / 0", "np.zeros(-1)"]
HOOKS = {
    "golden": ("GOLDEN_FAILURE", GOLDEN),
    "customize_inputs": ("INPUT_FAILURE", "    def customize_inputs(*tensors, **kwargs):\n"),
    "pre_compare": ("COMPARE_FAILURE", "    def pre_compare(*arrays):\n"),
    "compare": ("COMPARE_FAILURE", "    def compare(*arrays):\n"),
}


def result_of(lab: Any, text: str) -> CaseResult:
    (result,) = lab.run(lab.ttk({}), text)
    return result


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("hook", HOOKS)
def test_what_a_hook_raises_fails_the_row_and_names_the_line(lab: Any, hook: str, fault: str) -> None:
    status, head = HOOKS[hook]
    rest = "" if hook == "golden" else f"{GOLDEN}        return [x * factor]\n"
    text = f"{HEAD}{head}        {fault}\n{rest}"
    result = result_of(lab, text)
    assert result.status == status
    assert result.log.startswith(f"{hook}: ")
    assert result.log.endswith("golden.py:6)")
    assert result.traceback.startswith("Traceback") and 'golden.py", line 6' in result.traceback
    assert "cannery/st/" not in result.traceback


def test_the_interrupt_key_ends_the_campaign(lab: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        result_of(lab, f"{HEAD}{GOLDEN}        raise KeyboardInterrupt\n")


def test_what_an_operator_raises_fails_its_row_alone(lab: Any) -> None:
    def launch(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        raise SystemExit(0)

    first, second = lab.run(lab.with_engine(lab.ttk({}, {}), launch))
    assert (first.status, second.status) == ("EXEC_FAILURE",) * 2
    assert f"({__file__}:" in first.log and "raise SystemExit(0)" in first.traceback


@pytest.mark.parametrize("fault", ["raise SystemExit(0)", "1 / 0", "import not_there"])
def test_a_plug_in_that_ends_the_import_is_refused(tmp_path: Path, fault: str) -> None:
    folder = write_plugin(tmp_path, f"{HEAD}    pass\n\n\n{fault}\n")
    with pytest.raises(SpecError, match=r"golden\.py: \w+: .*golden\.py:8\)$"):
        load_spec(scale_operator(), (folder,))


def test_junit_has_the_traceback(lab: Any) -> None:
    result = result_of(lab, f"{HEAD}{GOLDEN}        1 / 0\n")
    (error,) = ElementTree.fromstring(junit_xml([result.case.file], [result])).iter("error")
    assert "golden.py:6" in str(error.get("message"))
    assert str(error.text).startswith("row 1 of ") and "ZeroDivisionError" in str(error.text)


def test_a_message_that_cannot_be_made_is_said_to_be_one() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    with (
        pytest.raises(ValueError, match="golden: Mute: a message that cannot be made"),
        user_code("golden", ValueError),
    ):
        raise Mute
    assert told(ValueError("x")) == "ValueError: x"
