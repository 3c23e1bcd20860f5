"""Every ATB status that a call of UnpadWithHiddenState or PadWithHiddenState can provoke, and the order of the checks.

Source: ascend-transformer-boost `src/atb/operation/operation_base.cpp` and
`src/ops/ops_train/{pad,unpad}_with_hidden_state/` @ddcc8b6.

A call starts legal; a row names what is wrong with it. Of two faults the earlier check answers.
"""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from cannery.core import DataType, Format, OperatorError, Shape, TensorDesc
from cannery.operator import find_operator, staged
from cannery.soc import Soc, soc

UNPAD, PAD = "UnpadWithHiddenState", "PadWithHiddenState"
LENGTHS, LIMIT, HIDDEN = [2, 3], 4, 16
PADDED, PACKED = (2, LIMIT, HIDDEN), (5, HIDDEN)
BOTH = pytest.mark.parametrize("name", [UNPAD, PAD])


def desc(shape: tuple[int, ...], dtype: DataType = DataType.DT_FLOAT16, form: Format = Format.FORMAT_ND) -> TensorDesc:
    return TensorDesc(dtype, Shape(shape), form)


@dataclass(frozen=True)
class Call:
    """A call by descriptors alone: how far it comes does not need any data."""

    name: str
    inputs: tuple[TensorDesc, ...]
    outputs: tuple[TensorDesc, ...]
    attrs: dict[str, Any]
    chip: Soc
    quirks: bool = False

    def outcome(self) -> str:
        try:
            return self._run()
        except OperatorError as error:
            return f"{error.stage.letter}:{error.code.name}"

    def _run(self) -> str:
        operator = find_operator(self.name)
        call = staged.prepare(
            operator, self.inputs, self.attrs, soc=self.chip, quirks=self.quirks, buffers=self.outputs
        )
        if not call.tiling.data:
            staged.launch(call, (), ())
        return "NO_ERROR"


def legal(name: str) -> Call:
    x, output = (PADDED, PACKED) if name == UNPAD else (PACKED, PADDED)
    attrs = {"qSeqLen": LENGTHS, "maxSeqLen": LIMIT}
    return Call(name, (desc(x),), (desc(output),), attrs, soc("Ascend910B"))


def bad_x(shape: tuple[int, ...], dtype: DataType = DataType.DT_FLOAT16, form: Format = Format.FORMAT_ND) -> Any:
    return lambda call: replace(call, inputs=(desc(shape, dtype, form),))


def bad_output(shape: tuple[int, ...], dtype: DataType = DataType.DT_FLOAT16, form: Format = Format.FORMAT_ND) -> Any:
    return lambda call: replace(call, outputs=(desc(shape, dtype, form),))


def bad_attr(**attrs: Any) -> Any:
    return lambda call: replace(call, attrs={**call.attrs, **attrs})


def bad_chip(name: str) -> Any:
    # ATB wants more than the bare family name, which no real chip has.
    return lambda call: replace(call, chip=replace(soc("Ascend910B"), name=name))


def same_shape(of: str, **changes: Any) -> Any:
    def change(call: Call) -> Call:
        changed: dict[str, Any] = {of: (replace(getattr(call, of)[0], **changes),)}
        return replace(call, **changed)

    return change


# In the order of the checks, so that every row is an earlier fault than the ones below it.
COMMON = [
    ("rsv", bad_attr(rsv=[0, 1]), "C:ERROR_INVALID_PARAM"),
    ("bare chip name", bad_chip("Ascend910B"), "C:ERROR_INVALID_PARAM"),
    ("maxSeqLen", bad_attr(maxSeqLen=4097), "C:ERROR_INVALID_PARAM"),
    ("no lengths", bad_attr(qSeqLen=[]), "C:ERROR_INVALID_PARAM"),
    ("a length above maxSeqLen", bad_attr(qSeqLen=[2, 5]), "C:ERROR_INVALID_PARAM"),
    ("no input", lambda call: replace(call, inputs=()), "I:ERROR_INVALID_IN_TENSOR_NUM"),
    ("two inputs", lambda call: replace(call, inputs=call.inputs * 2), "I:ERROR_INVALID_IN_TENSOR_NUM"),
    ("x has no dim", bad_x(()), "I:ERROR_INVALID_TENSOR_DIM"),
    ("x has 9 dims", bad_x((1,) * 9), "I:ERROR_INVALID_TENSOR_DIM"),
    ("x has an empty dim", bad_x((2, 0, 16)), "I:ERROR_INVALID_TENSOR_SIZE"),
    ("x has an unknown dim", bad_x((2, -1, 16)), "I:ERROR_INVALID_TENSOR_SIZE"),
    ("x is above 256 GiB", bad_x((2**37, 1, 1, 1, 2)), "I:ERROR_INVALID_TENSOR_SIZE"),
    ("x is far above 256 GiB", bad_x((2**62, 2**62)), "I:ERROR_INVALID_TENSOR_SIZE"),
    ("x of a type without size", same_shape("inputs", dtype=DataType.DT_INT4), "I:ERROR_INVALID_TENSOR_SIZE"),
    ("x of an undefined type", same_shape("inputs", dtype=DataType.DT_UNDEFINED), "I:ERROR_INVALID_TENSOR_INI_MATCH"),
    ("x is bfloat16", same_shape("inputs", dtype=DataType.DT_BF16), "I:ERROR_INVALID_TENSOR_INI_MATCH"),
    ("x is NHWC", same_shape("inputs", format=Format.FORMAT_NHWC), "I:ERROR_INVALID_TENSOR_INI_MATCH"),
    ("x is exactly 256 GiB of another rank", bad_x((2**37, 1, 1, 1)), "I:ERROR_INVALID_TENSOR_DIM"),
]
SETUP = [
    ("no output", lambda call: replace(call, outputs=()), "S:ERROR_INVALID_IN_TENSOR_NUM"),
    ("two outputs", lambda call: replace(call, outputs=call.outputs * 2), "S:ERROR_INVALID_IN_TENSOR_NUM"),
    ("output has no dim", bad_output(()), "S:ERROR_INVALID_TENSOR_DIM"),
    ("output is empty", bad_output((0, 16)), "S:ERROR_INVALID_TENSOR_SIZE"),
    ("output is float32", same_shape("outputs", dtype=DataType.DT_FLOAT), "S:ERROR_INVALID_TENSOR_INI_MATCH"),
    ("output is NHWC", same_shape("outputs", format=Format.FORMAT_NHWC), "S:ERROR_INVALID_TENSOR_INI_MATCH"),
    ("output has 1 dim", bad_output((80,)), "S:ERROR_INVALID_TENSOR_DIM"),
]
OWN = {
    UNPAD: [
        ("x has 2 dims", bad_x((2, 64)), "I:ERROR_INVALID_TENSOR_DIM"),
        ("x has another batch", bad_x((3, 4, 16)), "I:ERROR_INVALID_TENSOR_SIZE"),
        ("x has another maxSeqLen", bad_x((2, 5, 16)), "I:ERROR_INVALID_TENSOR_SIZE"),
        *SETUP,
        ("output has another number of rows", bad_output((6, 16)), "S:ERROR_INVALID_TENSOR_SIZE"),
        ("output has another hidden size", bad_output((5, 17)), "S:ERROR_INVALID_TENSOR_SIZE"),
    ],
    PAD: [
        ("x has 3 dims", bad_x((1, 5, 16)), "I:ERROR_INVALID_TENSOR_DIM"),
        ("x has another number of rows", bad_x((4, 16)), "I:ERROR_INVALID_TENSOR_SIZE"),
        *SETUP,
        ("output has another batch", bad_output((3, 4, 16)), "S:ERROR_INVALID_TENSOR_SIZE"),
        ("output has another maxSeqLen", bad_output((2, 5, 16)), "S:ERROR_INVALID_TENSOR_SIZE"),
        ("output has another hidden size", bad_output((2, 4, 17)), "S:ERROR_INVALID_TENSOR_SIZE"),
    ],
}
FAULTS = {name: COMMON + own for name, own in OWN.items()}
ROWS = [pytest.param(name, *row, id=f"{name}: {row[0]}") for name, rows in FAULTS.items() for row in rows]


@BOTH
def test_the_call_that_the_faults_are_put_in_is_legal(name: str) -> None:
    assert legal(name).outcome() == "NO_ERROR"


@pytest.mark.parametrize(("name", "what", "fault", "expected"), ROWS)
def test_each_fault_has_its_stage_and_code(name: str, what: str, fault: Any, expected: str) -> None:
    assert fault(legal(name)).outcome() == expected
    assert fault(replace(legal(name), quirks=True)).outcome() == expected


@BOTH
def test_of_two_faults_the_earlier_check_answers(name: str) -> None:
    def fields(call: Call) -> frozenset[str]:
        return frozenset(field for field in vars(call) if getattr(call, field) != getattr(legal(name), field))

    faults = [(fault, fields(fault(legal(name))), expected) for _, fault, expected in FAULTS[name]]
    for index, (earlier, changed, expected) in enumerate(faults):
        for later, changed_too, _ in faults[index + 1 :]:
            if changed.isdisjoint(changed_too):
                assert earlier(later(legal(name))).outcome() == expected


@BOTH
@pytest.mark.parametrize(
    ("shape", "code"),
    [
        ((1,) * 9, "DIM"),
        ((5, 0, 2), "SIZE"),
        ((80, 1, 1, 1), "INI_MATCH"),
        ((2, 4, 17), "INI_MATCH"),
        ((6, 16), "INI_MATCH"),
    ],
)
def test_of_one_tensor_the_number_of_dims_comes_first_then_the_size_then_the_type(
    name: str, shape: tuple[int, ...], code: str
) -> None:
    int32 = DataType.DT_INT32
    assert bad_x(shape, int32)(legal(name)).outcome() == f"I:ERROR_INVALID_TENSOR_{code}"
    assert bad_output(shape, int32)(legal(name)).outcome() == f"S:ERROR_INVALID_TENSOR_{code}"


@BOTH
@pytest.mark.parametrize(
    ("x", "output", "expected"),
    [
        (bad_x(()), bad_output((0,)), "x"),
        (bad_x((2, 0)), bad_output(()), "x"),
        (bad_x((2, 3), DataType.DT_INT8), bad_output(()), "output"),
        (bad_x((2, 3), DataType.DT_INT8), bad_output((0,)), "output"),
        (bad_x((2, 3), DataType.DT_INT8), bad_output((2, 3), DataType.DT_INT8), "x"),
        (bad_x((7,)), bad_output((2, 3), DataType.DT_INT8), "output"),
        (bad_x((7,)), bad_output((7,)), "x"),
    ],
)
def test_setup_alone_judges_dims_and_sizes_of_both_then_types_of_both_then_shapes_of_both(
    name: str, x: Any, output: Any, expected: str
) -> None:
    call, operator = output(x(legal(name))), find_operator(name)
    context = staged.bind(operator, call.inputs, call.attrs, soc=call.chip).with_outputs(call.outputs)
    with pytest.raises(OperatorError) as caught:
        operator.tiling(context)
    assert (caught.value.stage.letter, caught.value.parameter) == ("S", expected)


@BOTH
@pytest.mark.parametrize("count", [0, 2])
def test_setup_alone_counts_the_inputs(name: str, count: int) -> None:
    call, operator = legal(name), find_operator(name)
    context = staged.bind(operator, call.inputs * count, call.attrs).with_outputs(call.outputs)
    with pytest.raises(OperatorError) as caught:
        operator.tiling(context)
    assert (caught.value.stage.letter, caught.value.code.name) == ("S", "ERROR_INVALID_IN_TENSOR_NUM")


@BOTH
def test_create_checks_the_reserved_bytes_then_the_chip_then_the_limit_then_the_lengths(name: str) -> None:
    attrs = {"rsv": [1], "maxSeqLen": 0, "qSeqLen": [0]}
    named = []
    for attr, chip in (("rsv", "Ascend310P"), (None, "Ascend310P"), ("maxSeqLen", None), ("qSeqLen", None)):
        operator = find_operator(name)
        context = staged.bind(operator, (), attrs, soc=chip)
        with pytest.raises(OperatorError) as caught:
            operator.check(context)
        named.append(caught.value.parameter)
        attrs = {key: value for key, value in attrs.items() if key != attr}
    assert named == ["rsv", "soc", "maxSeqLen", "qSeqLen[0]"]


@pytest.mark.parametrize("hidden", [4097, 2**32])
def test_a_hidden_size_that_pad_does_not_take_is_refused_at_setup_and_with_quirks_at_execute(hidden: int) -> None:
    call = replace(legal(PAD), inputs=(desc((5, hidden)),), outputs=(desc((2, LIMIT, hidden)),))
    assert call.outcome() == "S:ERROR_INVALID_PARAM"
    assert replace(call, quirks=True).outcome() == "E:ERROR_INVALID_PARAM"


def test_offsets_beyond_uint32_are_refused_at_setup_and_pass_with_quirks() -> None:
    attrs = {"qSeqLen": [1] * 32, "maxSeqLen": 4096}
    call = Call(UNPAD, (desc((32, 4096, 33840)),), (desc((32, 33840)),), attrs, soc("Ascend910B"))
    assert call.outcome() == "S:ERROR_INVALID_PARAM"
    assert replace(call, quirks=True).outcome() == "NO_ERROR"


@BOTH
def test_every_status_these_operators_can_provoke_is_in_the_tables(name: str) -> None:
    provoked = {expected for _, _, expected in FAULTS[name]} | {"S:ERROR_INVALID_PARAM"}
    provoked |= {"E:ERROR_INVALID_PARAM"} if name == PAD else set()
    stages: dict[str, tuple[str, ...]] = {"I": ("IN_TENSOR_NUM", "TENSOR_DIM", "TENSOR_SIZE", "TENSOR_INI_MATCH")}
    stages |= {"S": (*stages["I"], "PARAM"), "C": ("PARAM",), "E": ("PARAM",) if name == PAD else ()}
    assert provoked == {f"{stage}:ERROR_INVALID_{code}" for stage, codes in stages.items() for code in codes}


def test_a_launch_without_tiling_data_names_the_stage_that_failed() -> None:
    operator = find_operator(PAD)
    context = staged.bind(operator, (), {"qSeqLen": [1]}, quirks=True)
    with pytest.raises(OperatorError, match="PadWithHiddenState: launch: tiling: found no data") as caught:
        staged.launch(staged.Prepared(operator, context), (), ())
    assert caught.value.code.name == "ERROR_INVALID_PARAM"
