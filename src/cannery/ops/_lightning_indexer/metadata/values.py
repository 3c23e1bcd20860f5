"""The checks that read values. The original makes them on the device's host processor, before it computes.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad_metadata/
op_kernel_aicpu/arch35/dense_lightning_indexer_kl_loss_grad_metadata_aicpu_arch35.h`
(ParamsCheck).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from cannery.core import Stage, Tensor
from cannery.operator import CallContext
from cannery.ops._lightning_indexer.parameters import OPTIONAL_INPUTS

Array = np.ndarray[Any, np.dtype[np.int32]]
CAUSAL = 3
PIECE = 1 << 15
INT32_MAX = 2**31 - 1
READ_FOR_TND = {"cu_seqlens_q": "layout_q", "cu_seqlens_k": "layout_k"}


def read_arrays(context: CallContext, inputs: tuple[Tensor | None, ...]) -> dict[str, Array]:
    """The inputs that exist as int32 arrays on the host; offsets only where the layout is TND."""
    return {
        name: tensor.torch.cpu().numpy()
        for name, tensor in zip(OPTIONAL_INPUTS, inputs, strict=False)
        if tensor is not None and _is_read(context, name, tensor)
    }


def _is_read(context: CallContext, name: str, tensor: Tensor) -> bool:
    is_there = tensor.torch.dim() > 0 and tensor.torch.shape[0] > 0
    return is_there and (name not in READ_FOR_TND or context.attrs[READ_FOR_TND[name]] == "TND")


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
        check_used(context, arrays, no_length=2**31)
        if context.attrs["mask_mode"] == CAUSAL:
            check_residual(context, arrays)


def pieces(count: int) -> Iterator[slice]:
    """``0 .. count - 1`` in slices whose temporaries stay in the cache: fresh memory costs more than the arithmetic."""
    return (slice(start, min(start + PIECE, count)) for start in range(0, count, PIECE))


def steps(ends: Array, piece: slice) -> Array:
    """Lengths of the batches of a piece. Checked offsets ascend from 0, so differences fit."""
    return ends[piece.start + 1 : piece.stop + 1] - ends[piece]


def _check_offsets(context: CallContext, name: str, ends: Array) -> None:
    """No element negative, none below the one before it."""
    before, after = ends[:-1], ends[1:]
    if ends[0] >= 0 and not any((after[piece] < before[piece]).any() for piece in pieces(len(after))):
        return
    index = int(np.flatnonzero((ends < 0) | np.append(False, after < before))[0])
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


def check_used(context: CallContext, arrays: Mapping[str, Array], *, no_length: int) -> None:
    """A used length is at most the batch's own: by the offsets, else by the largest length.

    Args:
        no_length: what a largest length of 0 stands for.

    Raises:
        OperatorError: at stage launch, naming tensor, index, value and allowed range.
    """
    for side in "qk":
        used = arrays.get(f"seqused_{side}", ())
        for piece in pieces(len(used)):
            ends = arrays.get(f"cu_seqlens_{side}")
            room = (context.attrs[f"max_seqlen_{side}"] or no_length) if ends is None else steps(ends, piece)
            beyond = np.flatnonzero(used[piece] > room)
            if beyond.size:
                index = piece.start + int(beyond[0])
                length = int(np.broadcast_to(room, used[piece].shape)[beyond[0]])
                raise _error(context, f"seqused_{side}", index, used[index], f"0 to {length}, the length of the batch")


def check_residual(context: CallContext, arrays: Mapping[str, Array]) -> None:
    """Every residual is below the ratio.

    Raises:
        OperatorError: at stage launch, naming tensor, index, value and allowed range.
    """
    residual, ratio = arrays.get("cmp_residual_k"), context.attrs["cmp_ratio"]
    if residual is None or residual.max() < ratio:
        return
    index = int(np.flatnonzero(residual >= ratio)[0])
    raise _error(context, "cmp_residual_k", index, residual[index], f"0 to {ratio - 1}, below cmp_ratio {ratio}")


def _error(context: CallContext, name: str, index: int, value: object, expected: str) -> Exception:
    return context.error(Stage.LAUNCH, name, f"{value} at index {index}", expected)


_VALUE_CHECKS: dict[str, Callable[[CallContext, str, Array], None]] = {
    "cu_seqlens_q": _check_offsets,
    "cu_seqlens_k": _check_offsets,
    "seqused_q": _check_not_negative,
    "seqused_k": _check_not_negative,
    "cmp_residual_k": _check_not_negative,
}
