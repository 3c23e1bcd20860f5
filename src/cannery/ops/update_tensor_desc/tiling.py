"""One core, no workspace; the tiling structure carries the attribute.

Source: hicann/ops-nn `control/update_tensor_desc/op_host/arch35/update_tensor_desc_tiling_arch35.cpp` @1eb27776.
"""

from __future__ import annotations

import numpy as np

from cannery.core import DataType, Format, Shape, Stage, TensorDesc
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks.gert import shape_size
from cannery.ops.update_tensor_desc.definition import DESC_SIZE, MAX_RANK, MAX_X_RANK, X_DTYPES
from cannery.ops.update_tensor_desc.rules import check_shape_attribute

TILING_DATA = np.dtype([("rank", "<i8"), ("shape", "<i8", (MAX_RANK,))])


def tiling(context: CallContext) -> TilingResult:
    """The tiling structure (1000 bytes, unused dims 0).

    Raises:
        OperatorError: GRAPH_FAILED, in the original's order: dtype of x, of y, format, rank of x, attribute, size of y.
    """
    x, y = context.required("x"), context.outputs[0]
    _check_tensors(context, x, y)
    dims = check_shape_attribute(context, Stage.TILING)
    _check_size_of_y(context, y.shape)
    words = np.zeros(TILING_DATA.itemsize // 8, "<i8")
    words[: 1 + len(dims)] = (len(dims), *dims)
    return TilingResult(key=0, block_dim=1, workspaces=(0,), data=words.tobytes())


def _check_tensors(context: CallContext, x: TensorDesc, y: TensorDesc) -> None:
    if x.dtype not in X_DTYPES:
        legal = ", ".join(dtype.short for dtype in X_DTYPES)
        raise context.error(Stage.TILING, "x", x.dtype.short, f"one of {legal}")
    if y.dtype is not DataType.DT_INT64:
        raise context.error(Stage.TILING, "y", y.dtype.short, "int64")
    for name, desc in (("x", x), ("y", y)):
        if desc.format is not Format.FORMAT_ND:
            raise context.error(Stage.TILING, name, f"format {desc.format.short}", "ND")
    if x.shape.rank > MAX_X_RANK:
        raise context.error(Stage.TILING, "x", f"{x.shape.rank} dims", f"at most {MAX_X_RANK}")


def _check_size_of_y(context: CallContext, shape: Shape) -> None:
    if shape.is_unknown and not context.quirks:
        raise context.error(Stage.TILING, "y", f"the unknown shape {shape}", "a known shape")
    count = shape_size(shape)
    if count < DESC_SIZE:
        raise context.error(Stage.TILING, "y", f"{count} elements", f"at least {DESC_SIZE}")
