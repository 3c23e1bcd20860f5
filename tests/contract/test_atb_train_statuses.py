"""Every ATB status that a call of the other train operators can provoke by descriptors and parameters.

Source: ascend-transformer-boost `src/atb/operation/operation_base.cpp`, `src/ops/ops_train/` @ddcc8b6.

A call starts legal; a row names what is wrong with it.
"""

from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import pytest

from cannery.core import DataType, Format, OperatorError, Shape, Stage, TensorDesc
from cannery.operator import find_operator, staged
from cannery.soc import Soc, soc

F16, F32 = DataType.DT_FLOAT16, DataType.DT_FLOAT


def desc(*shape: int, dtype: DataType = F16, form: Format = Format.FORMAT_ND) -> TensorDesc:
    return TensorDesc(dtype, Shape(shape), form)


@dataclass(frozen=True)
class Call:
    name: str
    inputs: tuple[TensorDesc, ...]
    outputs: tuple[TensorDesc, ...]
    attrs: dict[str, Any]
    chip: Soc = field(default_factory=lambda: soc("Ascend910B"))
    quirks: bool = False

    def outcome(self) -> str:
        operator = find_operator(self.name)
        try:
            call = staged.prepare(
                operator, self.inputs, self.attrs, soc=self.chip, quirks=self.quirks, until=Stage.INFER_SHAPE
            )
            assert call.context.outputs == self.outputs or self != LEGAL[self.name]
            operator.tiling(call.context.with_outputs(self.outputs))
        except OperatorError as error:
            return f"{error.stage.letter}:{error.code.name}"
        return "NO_ERROR"


SBM = {
    "headNum": 2,
    "m": [3],
    "n": [4],
    "k": [5],
    "lda": [5],
    "ldb": [4],
    "ldc": [4],
    "strideA": [15],
    "strideB": [20],
    "strideC": [12],
}
LEGAL = {
    call.name: call
    for call in (
        Call("FastSoftMax", (desc(104),), (desc(104),), {"headNum": 2, "qSeqLen": [4, 6]}),
        Call("FastSoftMaxGrad", (desc(104),) * 2, (desc(104),), {"headNum": 2, "qSeqLen": [4, 6]}),
        Call("GenAttentionMask", (desc(2, 1, 8, 8),), (desc(104),), {"headNum": 2, "seqLen": [4, 6]}),
        Call("RopeGrad", (desc(10, 256),) * 2 + (desc(8, 128),) * 2, (desc(10, 256),) * 2, {"qSeqLen": [4, 6]}),
        Call(
            "RmsNormBackward",
            (desc(8, 64), desc(8, 64), desc(8, dtype=F32), desc(64)),
            (desc(8, 64), desc(64, dtype=F32)),
            {},
        ),
        Call("StridedBatchMatmul", (desc(30), desc(40)), (desc(24),), SBM),
    )
}


def attr(**attrs: Any) -> Any:
    return lambda call: replace(call, attrs={**call.attrs, **attrs})


def input_is(index: int, *shape: int, **changes: Any) -> Any:
    def change(call: Call) -> Call:
        tensors = list(call.inputs)
        tensors[index] = replace(tensors[index], shape=Shape(shape) if shape else tensors[index].shape, **changes)
        return replace(call, inputs=tuple(tensors))

    return change


def output_is(index: int, *shape: int, **changes: Any) -> Any:
    def change(call: Call) -> Call:
        tensors = list(call.outputs)
        tensors[index] = replace(tensors[index], shape=Shape(shape) if shape else tensors[index].shape, **changes)
        return replace(call, outputs=tuple(tensors))

    return change


def both(*faults: Any) -> Any:
    def change(call: Call) -> Call:
        for fault in faults:
            call = fault(call)
        return call

    return change


EVERY = [
    ("rsv", attr(rsv=[0, 1]), "C:PARAM"),
    ("bare chip name", lambda call: replace(call, chip=replace(call.chip, name="Ascend910B")), "C:PARAM"),
    ("another chip", lambda call: replace(call, chip=soc("Ascend310P")), "C:PARAM"),
    ("no input", lambda call: replace(call, inputs=()), "I:IN_TENSOR_NUM"),
    ("one input more", lambda call: replace(call, inputs=(*call.inputs, call.inputs[0])), "I:IN_TENSOR_NUM"),
    ("an input of 9 dims", input_is(0, *[1] * 9), "I:TENSOR_DIM"),
    ("an empty input", input_is(0, 0), "I:TENSOR_SIZE"),
    ("an int8 input", input_is(0, dtype=DataType.DT_INT8), "I:TENSOR_INI_MATCH"),
    ("an input of NHWC", input_is(0, format=Format.FORMAT_NHWC), "I:TENSOR_INI_MATCH"),
    ("no output", lambda call: replace(call, outputs=()), "S:IN_TENSOR_NUM"),
    ("one output more", lambda call: replace(call, outputs=(*call.outputs, call.outputs[0])), "S:IN_TENSOR_NUM"),
    ("an output of 9 dims", output_is(0, *[1] * 9), "S:TENSOR_DIM"),
    ("an empty output", output_is(0, 0), "S:TENSOR_SIZE"),
    ("an int8 output", output_is(0, dtype=DataType.DT_INT8), "S:TENSOR_INI_MATCH"),
    ("an input of e8m0", input_is(0, dtype=DataType.DT_FLOAT8_E8M0), "I:TENSOR_INI_MATCH"),
    ("an output of e8m0", output_is(0, dtype=DataType.DT_FLOAT8_E8M0), "S:TENSOR_INI_MATCH"),
]
LENGTHS = {"FastSoftMax": "qSeqLen", "FastSoftMaxGrad": "qSeqLen", "GenAttentionMask": "seqLen", "RopeGrad": "qSeqLen"}
OWN = {
    "FastSoftMax": [
        ("no heads", attr(headNum=0), "C:PARAM"),
        ("a length above 4096", attr(qSeqLen=[4, 4097]), "C:PARAM"),
        ("2 dims", input_is(0, 8, 13), "I:TENSOR_DIM_NUM"),
        ("another size", input_is(0, 105), "I:TENSOR_SIZE"),
        ("output of 2 dims", output_is(0, 8, 13), "S:TENSOR_DIM"),
        ("output of another size", output_is(0, 103), "S:TENSOR_SIZE"),
    ],
    "FastSoftMaxGrad": [
        ("negative heads", attr(headNum=-1), "C:PARAM"),
        ("a length above 4096", attr(qSeqLen=[4, 4097]), "C:PARAM"),
        ("y of 2 dims", input_is(0, 8, 13), "I:TENSOR_DIM_NUM"),
        ("dy of 2 dims, y of another size", both(input_is(0, 105), input_is(1, 8, 13)), "I:TENSOR_DIM_NUM"),
        ("dy of another size", input_is(1, 105), "I:TENSOR_DIM"),
        ("dx of 2 dims", output_is(0, 8, 13), "S:TENSOR_DIM"),
        ("dx of another size", output_is(0, 103), "S:TENSOR_SIZE"),
    ],
    "GenAttentionMask": [
        ("no heads", attr(headNum=0), "C:PARAM"),
        ("a count beyond int64", attr(headNum=2**31 - 1, seqLen=[2**31 - 1] * 4), "C:PARAM"),
        ("3 dims", input_is(0, 2, 8, 8), "I:TENSOR_DIM"),
        ("another batch", input_is(0, 3, 1, 8, 8), "I:TENSOR_DIM"),
        ("not square", input_is(0, 2, 1, 9, 8), "I:TENSOR_DIM"),
        ("two masks a sample", input_is(0, 2, 2, 8, 8), "I:TENSOR_DIM"),
        ("smaller than a length", input_is(0, 2, 1, 5, 5), "I:PARAM"),
        ("a product beyond int32", attr(headNum=2**30), "I:PARAM"),
        ("output of 2 dims", output_is(0, 104, 1), "S:TENSOR_DIM"),
        ("output of another size", output_is(0, 103), "S:TENSOR_DIM"),
    ],
    "RopeGrad": [
        ("3 dims", input_is(0, 10, 2, 128), "I:TENSOR_DIM"),
        ("another number of tokens", input_is(0, 11, 256), "I:TENSOR_SIZE"),
        ("H is no multiple of 128", both(input_is(0, 10, 192), input_is(1, 10, 192)), "I:TENSOR_DIM"),
        ("g2 unlike g1", input_is(1, 10, 128), "I:TENSOR_SIZE"),
        ("g2 unlike g1, cos of 3 dims", both(input_is(1, 10, 128), input_is(2, 8, 1, 128)), "I:TENSOR_DIM"),
        ("a head of 64", both(input_is(2, 8, 64), input_is(3, 8, 64)), "I:TENSOR_DIM"),
        ("fewer positions than a length", both(input_is(2, 5, 128), input_is(3, 5, 128)), "I:PARAM"),
        ("sin unlike cos", input_is(3, 7, 128), "I:TENSOR_SIZE"),
        ("fewer tokens than the lengths have", attr(qSeqLen=[4, 7]), "I:TENSOR_SIZE"),
        ("dk of 1 dim", output_is(1, 2560), "S:TENSOR_DIM"),
        ("dq of another size", output_is(0, 10, 128), "S:TENSOR_SIZE"),
    ],
    "RmsNormBackward": [
        ("rsv of 9 bytes", attr(rsv=[0] * 9), "C:PARAM"),
        ("gamma of more dims than x", input_is(3, 1, 8, 64), "I:TENSOR_DIM"),
        ("dy of fewer elements", input_is(0, 4, 64), "I:TENSOR_SIZE"),
        ("dy of fewer dims than gamma", both(input_is(0, 512), input_is(3, 8, 64)), "I:TENSOR_DIM"),
        ("rstd is float16", input_is(2, dtype=F16), "I:TENSOR_INI_MATCH"),
        ("dgamma is float16", output_is(1, dtype=F16), "S:TENSOR_INI_MATCH"),
        ("dgamma of another size", output_is(1, 63), "S:TENSOR_DIM"),
        ("dx of another rank", output_is(0, 512), "S:TENSOR_DIM"),
    ],
    "StridedBatchMatmul": [
        ("no m", attr(m=[]), "I:PARAM"),
        ("n for another batch", attr(n=[4, 4]), "I:PARAM"),
        ("m of 0", attr(m=[0]), "I:PARAM"),
        ("a negative n", attr(n=[-4]), "I:PARAM"),
        ("no lda", attr(lda=[]), "I:PARAM"),
        ("m * n beyond int32", attr(m=[2**16], n=[2**15]), "I:PARAM"),
        ("A too small", input_is(0, 29), "S:PARAM"),
        ("C of 2 dims", output_is(0, 2, 12), "S:TENSOR_DIM"),
        ("C of another size", output_is(0, 25), "S:TENSOR_SIZE"),
    ],
}
BAD_LENGTHS = [
    ("no lengths", lambda name: attr(**{LENGTHS[name]: []}), "C:PARAM"),
    ("33 lengths", lambda name: attr(**{LENGTHS[name]: [1] * 33}), "C:PARAM"),
    ("a length of 0", lambda name: attr(**{LENGTHS[name]: [4, 0]}), "C:PARAM"),
    ("a length beyond int32", lambda name: attr(**{LENGTHS[name]: [2**31]}), "C:PARAM"),
]
ROWS = [(name, *row) for name in LEGAL for row in EVERY + OWN[name]]
ROWS += [(name, what, fault(name), expected) for name in LENGTHS for what, fault, expected in BAD_LENGTHS]


@pytest.mark.parametrize("name", LEGAL)
def test_the_call_that_the_faults_are_put_in_is_legal(name: str) -> None:
    assert LEGAL[name].outcome() == "NO_ERROR"


@pytest.mark.parametrize(("name", "what", "fault", "expected"), [pytest.param(*r, id=f"{r[0]}: {r[1]}") for r in ROWS])
def test_each_fault_has_its_stage_and_code(name: str, what: str, fault: Any, expected: str) -> None:
    assert fault(LEGAL[name]).outcome() == expected.replace(":", ":ERROR_INVALID_")


@pytest.mark.parametrize("name", LEGAL)
def test_tiling_says_on_how_many_cores(name: str) -> None:
    operator, call = find_operator(name), LEGAL[name]
    context = staged.bind(operator, call.inputs, call.attrs, soc=call.chip).with_outputs(call.outputs)
    result = operator.tiling(context)
    assert result.block_dim == {"StridedBatchMatmul": 24, "RopeGrad": 2}.get(name, 48)
    assert int.from_bytes(result.data[:8], "little") == result.block_dim
    assert prod(result.workspaces) == 1


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize("name", ["FastSoftMax", "FastSoftMaxGrad"])
@pytest.mark.parametrize(("heads", "tokens", "outcome"), [(255, 4095, "NO_ERROR"), (256, 4096, "S:ERROR_RT_FAIL")])
def test_as_many_scores_as_the_kernels_own_inference_refuses(
    name: str, heads: int, tokens: int, outcome: str, quirks: bool
) -> None:
    """sum(s^2) is refused from floor((2^32 - 1) / headNum) on: 16777215 for 256 heads, and 4096^2 is 16777216."""
    scores = desc(heads * tokens**2)
    inputs = (scores,) * len(LEGAL[name].inputs)
    assert Call(name, inputs, (scores,), {"headNum": heads, "qSeqLen": [tokens]}, quirks=quirks).outcome() == outcome


@pytest.mark.parametrize("quirks", [False, True])
def test_products_are_int32_and_their_sum_is_int64(quirks: bool) -> None:
    call = Call("GenAttentionMask", (desc(16, 1, 4096, 4096),), (desc(2**31),), {"headNum": 8, "seqLen": [4096] * 16})
    assert replace(call, quirks=quirks).outcome() == "NO_ERROR"


WITH_QUIRKS = [
    ("GenAttentionMask", output_is(0, 104, 2), "NO_ERROR"),
    ("GenAttentionMask", output_is(0, 52, 2), "S:ERROR_INVALID_TENSOR_DIM"),
    ("RopeGrad", attr(qSeqLen=[4, 5]), "NO_ERROR"),
    ("RopeGrad", attr(qSeqLen=[4, 7]), "I:ERROR_INVALID_TENSOR_SIZE"),
    ("RopeGrad", output_is(1, 2560), "NO_ERROR"),
    ("RopeGrad", output_is(0, 10, 128), "S:ERROR_INVALID_TENSOR_SIZE"),
]


@pytest.mark.parametrize(("name", "fault", "outcome"), WITH_QUIRKS)
def test_with_quirks_what_the_original_does_not_look_at_is_accepted_where_it_is_defined(
    name: str, fault: Any, outcome: str
) -> None:
    assert replace(fault(LEGAL[name]), quirks=True).outcome() == outcome
