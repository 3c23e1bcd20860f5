"""RopeGrad's own rules."""

from math import prod

from cannery.core import AtbStatus, Stage
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._train.contract import INT32_MAX, check_platform
from cannery.ops.rope_grad.definition import HEAD_DIM

DIM, SIZE = AtbStatus.ERROR_INVALID_TENSOR_DIM, AtbStatus.ERROR_INVALID_TENSOR_SIZE


def check(context: CallContext) -> None:
    """Creation: reserved bytes, chip, qSeqLen.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    check_platform(context)
    atb.check_lengths(context, "qSeqLen", INT32_MAX)


def check_inputs(context: CallContext, stage: Stage) -> None:
    """2 dims each; g1 like g2, cos like sin; H a multiple of 128, cos [S, 128], S no less than any length; N tokens.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM, ERROR_INVALID_TENSOR_SIZE, or ERROR_INVALID_PARAM for a length above S.
    """
    g1, g2, cos, sin = (context.required(param.name).shape for param in context.definition.inputs)
    for param, shape in zip(context.definition.inputs, (g1, g2, cos, sin), strict=True):
        if shape.rank != 2:
            raise context.error(stage, param.name, f"{shape.rank} dims", "2 dims", DIM)
    for name, shape, like in (("g2", g2, g1), ("sin", sin, cos)):
        if shape != like:
            raise context.error(stage, name, shape, like, SIZE)
    if g1[1] % HEAD_DIM:
        raise context.error(stage, "g1", g1, f"[N, a multiple of {HEAD_DIM}]", DIM)
    if cos[1] != HEAD_DIM:
        raise context.error(stage, "cos", cos, f"[S, {HEAD_DIM}]", DIM)
    _check_lengths(context, stage, positions=cos[0], tokens=g1[0])


def _check_lengths(context: CallContext, stage: Stage, *, positions: int, tokens: int) -> None:
    """The original does not compare the sum of the lengths with N; beyond N it would leave the tensors."""
    lengths = context.attrs["qSeqLen"]
    if max(lengths) > positions:
        raise context.error(stage, "qSeqLen", f"a length of {max(lengths)}", f"at most {positions}, the rows of cos")
    if sum(lengths) > tokens or (sum(lengths) < tokens and not context.quirks):
        raise context.error(stage, "g1", f"{tokens} tokens", f"{sum(lengths)}, as qSeqLen says", SIZE)


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then the inputs, then dq and dk; with quirks these only have room for what is written.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_inputs(context, Stage.TILING)
    like = context.required("g1").shape
    written = sum(context.attrs["qSeqLen"]) * like[1]
    for param, desc in zip(context.definition.outputs, context.outputs, strict=True):
        if not context.quirks:
            atb.check_shape(context, Stage.TILING, param.name, desc.shape, like)
        elif prod(desc.shape) < written:
            raise context.error(Stage.TILING, param.name, desc.shape, f"room for {written} elements", SIZE)
