"""The checks that read values. The original makes them on the device's host processor, before it computes.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad_metadata/
op_kernel_aicpu/arch35/dense_lightning_indexer_kl_loss_grad_metadata_aicpu_arch35.h`
(ParamsCheck).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cannery.core import Stage
from cannery.operator import CallContext

Array = np.ndarray[Any, np.dtype[np.int32]]
CAUSAL = 3


def check_values(context: CallContext, arrays: Mapping[str, Array]) -> None:
    """Judge the values of the inputs that exist, in the original's order, then what the documentation demands besides.

    Args:
        arrays: int32 arrays by input name; an offset array only where its layout reads it.

    Raises:
        OperatorError: at stage launch, naming tensor, index, value and allowed range.
    """
    for name, array in arrays.items():
        _VALUE_CHECKS[name](context, name, array)
    if not context.quirks:
        _check_first_offset(context, arrays)
        check_strictly(context, arrays)


def check_strictly(context: CallContext, arrays: Mapping[str, Array]) -> None:
    """Used lengths within their batch, residuals below the ratio: documented, and not checked by this operator's code.

    Raises:
        OperatorError: at stage launch, naming tensor, index, value and allowed range.
    """
    _check_used(context, arrays)
    _check_residual(context, arrays)


def _check_offsets(context: CallContext, name: str, ends: Array) -> None:
    """No element negative, none below the one before it."""
    if ends[0] >= 0 and not (ends[1:] < ends[:-1]).any():
        return
    index = int(np.flatnonzero((ends < 0) | np.append(False, ends[1:] < ends[:-1]))[0])
    low = 0 if ends[index] < 0 else int(ends[index - 1])
    why = "" if ends[index] < 0 else f": offsets ascend, and {name}[{index - 1}] is {low}"
    raise _error(context, name, index, ends[index], f"at least {low}{why}")


def _check_not_negative(context: CallContext, name: str, values: Array) -> None:
    if values.min() < 0:
        index = int(np.flatnonzero(values < 0)[0])
        raise _error(context, name, index, values[index], "at least 0")


def _check_first_offset(context: CallContext, arrays: Mapping[str, Array]) -> None:
    for name in ("cu_seqlens_q", "cu_seqlens_k"):
        if name in arrays and arrays[name][0] != 0:
            raise _error(context, name, 0, arrays[name][0], "0: the first batch starts at token 0")


def _check_used(context: CallContext, arrays: Mapping[str, Array]) -> None:
    """A used length is at most the batch's own: by the offsets, else by the largest length where one is given."""
    for side in "qk":
        used = arrays.get(f"seqused_{side}")
        room = _room(context, arrays, side)
        if used is None or room is None:
            continue
        beyond = used > room
        if beyond.any():
            index = int(np.flatnonzero(beyond)[0])
            length = int(np.broadcast_to(room, used.shape)[index])
            raise _error(context, f"seqused_{side}", index, used[index], f"0 to {length}, the length of the batch")


def _room(context: CallContext, arrays: Mapping[str, Array], side: str) -> Any:
    if context.attrs[f"layout_{side}"] == "TND":
        ends = arrays.get(f"cu_seqlens_{side}")
        return None if ends is None else np.subtract(ends[1:], ends[:-1], dtype=np.int64)
    return context.attrs[f"max_seqlen_{side}"] or None


def _check_residual(context: CallContext, arrays: Mapping[str, Array]) -> None:
    residual, ratio = arrays.get("cmp_residual_k"), context.attrs["cmp_ratio"]
    if residual is None or context.attrs["mask_mode"] != CAUSAL or residual.max() < ratio:
        return
    index = int(np.flatnonzero(residual >= ratio)[0])
    raise _error(context, "cmp_residual_k", index, residual[index], f"0 to {ratio - 1}, below cmp_ratio {ratio}")


def _error(context: CallContext, name: str, index: int, value: object, expected: str) -> Exception:
    return context.error(Stage.LAUNCH, f"{name}[{index}]", value, expected)


_VALUE_CHECKS: dict[str, Callable[[CallContext, str, Array], None]] = {
    "cu_seqlens_q": _check_offsets,
    "cu_seqlens_k": _check_offsets,
    "seqused_q": _check_not_negative,
    "seqused_k": _check_not_negative,
    "cmp_residual_k": _check_not_negative,
}
