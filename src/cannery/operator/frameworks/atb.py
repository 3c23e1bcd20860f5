"""What every ATB operation checks before, and around, its own rules: same order, same codes.

A stage raises the first failure only. Sources, all in ascend-transformer-boost @ddcc8b6:
`src/atb/operation/operation_base.cpp` (order of InferShape and Setup), `src/atb/utils/tensor_check.cpp` and
`src/atb/utils/utils.cpp` (dims and sizes), `ops_configs/atb_ops_info.ini` (columns), `src/atb/utils/config.cpp`
(chips), `src/atb/utils/operation_util.h` (lengths).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import prod

from cannery.core import AtbStatus, DataType, Shape, Stage, TensorDesc
from cannery.operator.context import CallContext, TilingResult
from cannery.operator.definition import Attribute, AttrType, TensorParam

MAX_DIM = 8
MAX_TENSOR_BYTES = 2**38
MAX_SAMPLES = 32
BARE_NAME_LENGTH = len("Ascend910B")

_WITHOUT_BF16 = ("Ascend310P", "Ascend310B", "Ascend910A")
# A type that ATB's tools have no number for counts 0 bytes, so its tensors fail as too small; "undefined" counts 1.
_WITHOUT_SIZE = frozenset({DataType.DT_COMPLEX32})

_Tensors = Sequence[tuple[TensorParam, TensorDesc]]


def is_910b(name: str) -> bool:
    """Whether ATB takes a chip of that full name for one of the 910B class: a bare "Ascend910B" it does not."""
    return ("Ascend910B" in name and len(name) > BARE_NAME_LENGTH) or "Ascend910_93" in name


def check_910b(context: CallContext) -> None:
    """Refuse chips other than those of the 910B class, as an operation's creation does.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    if not is_910b(context.soc.name):
        raise context.error(Stage.CHECK, "soc", context.soc.name, "a chip of Ascend910B or Ascend910_93")


def reserved(size: int) -> Attribute:
    """The reserved bytes (``rsv``) at the end of a parameter structure."""
    limits = f"{size} zero bytes"
    return Attribute("rsv", AttrType.LIST_INT, "Reserved.", limits, default=(0,) * size, internal=True)


def check_reserved(context: CallContext, size: int = 12) -> None:
    """Refuse a reserved field (``rsv``) that is not all zero, or longer than its ``size`` bytes.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    reserved = context.attrs["rsv"]
    if len(reserved) > size or any(reserved):
        raise context.error(Stage.CHECK, "rsv", list(reserved), f"{size} zero bytes, which is the default")


def check_lengths(context: CallContext, name: str, limit: int | None = None) -> None:
    """The rule of sequence lengths (``QSeqLenCheck``): 1 to 32 of them, each positive and at most ``limit``.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    lengths = context.attrs[name]
    if not 1 <= len(lengths) <= MAX_SAMPLES:
        raise context.error(Stage.CHECK, name, f"{len(lengths)} lengths", f"1 to {MAX_SAMPLES}")
    for index, length in enumerate(lengths):
        if length <= 0 or (limit is not None and length > limit):
            expected = "at least 1" if limit is None else f"1 to {limit}"
            raise context.error(Stage.CHECK, f"{name}[{index}]", length, expected)


def check_inputs(context: CallContext) -> None:
    """What InferShape checks of any operation once the number of inputs is right: dims, sizes, columns, bfloat16.

    Raises:
        OperatorError: at stage infer_shape.
    """
    inputs = _present(context.definition.inputs, context.inputs)
    _check_descs(context, Stage.INFER_SHAPE, inputs)
    _check_types(context, Stage.INFER_SHAPE, inputs)


def check_setup(context: CallContext) -> None:
    """What Setup checks of any operation: numbers, dims and sizes (inputs, then outputs), columns of both, bfloat16.

    Raises:
        OperatorError: at stage tiling; a wrong number of outputs has the code of a wrong number of inputs.
    """
    definition = context.definition
    _check_count(context, "inputs", context.inputs, definition.inputs)
    _check_count(context, "outputs", context.outputs, definition.outputs)
    tensors = _present(definition.tensors, (*_padded(context.inputs, len(definition.inputs)), *context.outputs))
    _check_descs(context, Stage.TILING, tensors)
    _check_types(context, Stage.TILING, tensors)


def check_shape(context: CallContext, stage: Stage, name: str, found: Shape, expected: Shape) -> None:
    """An operation's own rule of a tensor's shape: first the number of dims, then the dims.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM or ERROR_INVALID_TENSOR_SIZE.
    """
    if found.rank != expected.rank:
        raise context.error(
            stage, name, f"{found.rank} dims", f"{expected.rank} dims", AtbStatus.ERROR_INVALID_TENSOR_DIM
        )
    if found != expected:
        raise context.error(stage, name, found, expected, AtbStatus.ERROR_INVALID_TENSOR_SIZE)


def tiling_failure(context: CallContext, parameter: str, found: object, expected: object) -> TilingResult:
    """A failure of the kernel's tiling: an error; with quirks a result without data, as Setup drops that status.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage tiling, without quirks.
    """
    if not context.quirks:
        raise context.error(Stage.TILING, parameter, found, expected)
    return TilingResult(key=0, block_dim=0)


def check_tiled(context: CallContext, result: TilingResult) -> None:
    """Refuse to launch after a tiling that failed unnoticed: the kernel's arguments were never made.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage launch.
    """
    if not (result.data or result.block_dim):
        raise context.error(Stage.LAUNCH, "tiling", "no data: tiling failed", "a call that tiling accepts")


def _padded(descs: Sequence[TensorDesc | None], size: int) -> Sequence[TensorDesc | None]:
    return (*descs, *(None,) * (size - len(descs)))


def _present(params: Sequence[TensorParam], descs: Sequence[TensorDesc | None]) -> _Tensors:
    return [(param, desc) for param, desc in zip(params, descs, strict=False) if desc is not None]


def _check_count(
    context: CallContext, what: str, descs: Sequence[TensorDesc | None], params: Sequence[TensorParam]
) -> None:
    missing = any(desc is None and param and not param.optional for desc, param in zip_longest(descs, params))
    if missing or len(descs) > len(params):
        given = sum(desc is not None for desc in descs)
        code = AtbStatus.ERROR_INVALID_IN_TENSOR_NUM
        raise context.error(Stage.TILING, what, f"{given} tensors", ", ".join(param.name for param in params), code)


def _check_descs(context: CallContext, stage: Stage, tensors: _Tensors) -> None:
    for param, desc in tensors:
        if not 1 <= desc.shape.rank <= MAX_DIM:
            code = AtbStatus.ERROR_INVALID_TENSOR_DIM
            raise context.error(stage, param.name, f"{desc.shape.rank} dims", f"1 to {MAX_DIM}", code)
        size = _byte_size(desc)
        if not 0 < size <= MAX_TENSOR_BYTES:
            found = f"{size} bytes ({desc})"
            code = AtbStatus.ERROR_INVALID_TENSOR_SIZE
            raise context.error(stage, param.name, found, f"1 to {MAX_TENSOR_BYTES} bytes", code)


def _byte_size(desc: TensorDesc) -> int:
    if min(desc.shape) <= 0 or desc.dtype in _WITHOUT_SIZE:
        return 0
    item = 1 if desc.dtype is DataType.DT_UNDEFINED else desc.dtype.itemsize
    return item * prod(desc.shape)


def _check_types(context: CallContext, stage: Stage, tensors: _Tensors) -> None:
    _check_columns(context, stage, tensors)
    if not any(chip in context.soc.name for chip in _WITHOUT_BF16):
        return
    for param, desc in tensors:
        if desc.dtype is DataType.DT_BF16:
            expected = f"another type on {context.soc.name}"
            raise context.error(stage, param.name, "bfloat16", expected, AtbStatus.ERROR_INVALID_TENSOR_DTYPE)


def _check_columns(context: CallContext, stage: Stage, tensors: _Tensors) -> None:
    """Some column of data types and formats must suit every tensor; the first that leaves none is at fault."""
    columns = list(range(context.definition.column_count))
    for param, desc in tensors:
        legal = [(param.dtypes[column], param.format_of(column)) for column in columns]
        columns = [column for column, pair in zip(columns, legal, strict=True) if pair == (desc.dtype, desc.format)]
        if not columns:
            found = f"{desc.dtype.short} {desc.format.short}"
            expected = " or ".join(dict.fromkeys(f"{dtype.short} {form.short}" for dtype, form in legal))
            raise context.error(stage, param.name, found, expected, AtbStatus.ERROR_INVALID_TENSOR_INI_MATCH)
