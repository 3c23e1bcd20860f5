"""What the host part of a program asks."""

import pytest

from cannery.ascendc.host import answer
from cannery.isa.advanced import ROWS
from cannery.isa.dtypes import float16
from cannery.soc import soc

CHIP = soc("Ascend910B1")


@pytest.mark.parametrize(
    ("question", "numbers", "expected"),
    [
        ("cores", [1], CHIP.aic_cores),
        ("cores", [2], CHIP.aiv_cores),
        ("memory", [5], CHIP.ub_size),
        ("memory", [6], 0),
        ("softmax", [8, 64, 4], 4 * (8 + 64 + 64)),
        ("rmsnorm", [64, 4], 4 * (64 + 8)),
    ],
)
def test_the_chip_and_the_functions_answer(question: str, numbers: list[int], expected: int) -> None:
    assert answer(CHIP, question, numbers) == expected


def test_a_temporary_buffer_is_that_of_the_table() -> None:
    (sine,) = (op for op in ROWS if op.name == "adv.sin")
    assert sine.temporary is not None
    assert answer(CHIP, "sin", [1000, 2, 0]) == sine.temporary[CHIP.npu_arch](1000, float16, False) > 0
