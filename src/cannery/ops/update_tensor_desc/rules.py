"""The rules of the attribute, which the original judges twice: at shape inference and at tiling.

Source: hicann/ops-nn `control/update_tensor_desc/op_host/update_tensor_desc_infershape.cpp` and
`op_host/arch35/update_tensor_desc_tiling_arch35.cpp` @1eb27776.
"""

from __future__ import annotations

from cannery.core import INT64_MAX, Stage
from cannery.operator import CallContext
from cannery.operator.frameworks.gert import wrap_int64
from cannery.ops.update_tensor_desc.definition import DESC_SIZE, MAX_RANK


def check_shape_attribute(context: CallContext, stage: Stage) -> tuple[int, ...]:
    """The attribute ``shape`` after its rules: rank, then no negative dim, then the element count.

    Raises:
        OperatorError: GRAPH_FAILED at the given stage.
    """
    dims: tuple[int, ...] = context.attrs["shape"]
    if not 1 <= len(dims) <= MAX_RANK:
        raise context.error(stage, "shape", f"{len(dims)} dims", f"1 to {MAX_RANK}")
    count = 1
    for index, dim in enumerate(dims):
        if dim < 0:
            raise context.error(stage, f"shape[{index}]", dim, "a dim that is not negative")
        count = wrap_int64(count * dim) if context.quirks else count * dim
    if count > INT64_MAX:
        raise context.error(stage, "shape", f"{count} elements, which is too large", "at most 2^63−1 elements")
    if count < DESC_SIZE:
        raise context.error(stage, "shape", f"{count} elements", f"at least {DESC_SIZE}")
    return dims
