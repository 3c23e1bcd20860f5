"""StridedBatchMatmul's own rules. The original checks number and sign of m and n only, and those at InferShape.

What it leaves unchecked reads or writes memory that is not the call's: that is refused here, with quirks as well.
"""

from cannery.core import Shape, Stage
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._train.contract import INT32_MAX, check_platform
from cannery.ops.strided_batch_matmul.blocks import Sample, samples
from cannery.ops.strided_batch_matmul.definition import COUNTS, LEADING, SIDES, STRIDES


def check(context: CallContext) -> None:
    """Creation: reserved bytes, chip.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    check_platform(context)


def check_numbers(context: CallContext, stage: Stage) -> None:
    """Counts are positive; m, n, then the other lists have a number for each sample; m · n fits int32.

    Of a list's numbers only strides may be 0.

    Raises:
        OperatorError: ERROR_INVALID_PARAM.
    """
    for name in COUNTS:
        _check_least(context, stage, name, context.attrs[name], 1)
    for name in (*SIDES, *LEADING, *STRIDES):
        _check_list(context, stage, name)
    for index, (m, n) in enumerate(zip(context.attrs["m"], context.attrs["n"], strict=True)):
        if m * n > INT32_MAX and not context.quirks:
            raise context.error(
                stage, f"m[{index}] * n[{index}]", m * n, f"at most {INT32_MAX}, as the kernel has int32"
            )


def output_shape(context: CallContext) -> Shape:
    """[headNum · Σ m · n]."""
    products = (m * n for m, n in zip(context.attrs["m"], context.attrs["n"], strict=True))
    return Shape((context.attrs["headNum"] * sum(products),))


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, the numbers, C's shape, and that every block lies in its tensor.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_numbers(context, Stage.TILING)
    if not context.quirks:
        atb.check_shape(context, Stage.TILING, "C", context.outputs[0].shape, output_shape(context))
    sizes = {"A": _size(context.required("A").shape), "B": _size(context.required("B").shape)}
    sizes["C"] = _size(context.outputs[0].shape)
    for sample in samples(context):
        _check_sample(context, sample, sizes)


def _size(shape: Shape) -> int:
    return shape.element_count() or 0


def _check_least(context: CallContext, stage: Stage, name: str, value: int, least: int) -> None:
    if not least <= value <= INT32_MAX:
        raise context.error(stage, name, value, f"{least} to {INT32_MAX}")


def _check_list(context: CallContext, stage: Stage, name: str) -> None:
    values, batch = context.attrs[name], context.attrs["batch"]
    if len(values) != batch:
        raise context.error(stage, name, f"{len(values)} numbers", f"{batch}, one a sample")
    for index, value in enumerate(values):
        _check_least(context, stage, f"{name}[{index}]", value, int(name not in STRIDES))


def _check_sample(context: CallContext, sample: Sample, sizes: dict[str, int]) -> None:
    last = context.attrs["headNum"] - 1
    for tensor, size in sizes.items():
        first, stop = sample.blocks[tensor].start, sample.head(tensor, last).stop
        if first < 0 or stop > size:
            found = f"elements {first} to {stop} of sample {sample.index}"
            raise context.error(Stage.TILING, tensor, found, f"elements 0 to {size}, which is what {tensor} has")
    block = sample.blocks["C"]
    if block.leading < block.columns and block.rows > 1:
        found = f"{block.leading}, so that rows of C overlap"
        raise context.error(Stage.TILING, f"ldc[{sample.index}]", found, f"at least n, which is {block.columns}")
