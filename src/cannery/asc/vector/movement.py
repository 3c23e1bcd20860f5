"""duplicate, copy, brcb, transpose, gather (argument orders as in hicann/pyasc @cecba26ace65)."""

from __future__ import annotations

from typing import Any

from cannery.asc.context import here
from cannery.asc.params import BrcbRepeatParams, CopyRepeatParams
from cannery.asc.tensors import LocalTensor, check_operands, core_of
from cannery.asc.vector.forms import count_or, strides
from cannery.asc.vector.params import TransposeParamsExt
from cannery.isa import blocks, rearrange
from cannery.isa.enums import TransposeType
from cannery.isa.operands import Addressing
from cannery.isa.table import TABLE, TRANSPOSED_IMAGES, TRANSPOSED_TILE

__all__ = ["brcb", "copy", "duplicate", "gather", "transpose"]


def duplicate(dst: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None:
    """Fill: ``…, count`` or ``…, mask, repeat_times, dst_block_stride, dst_repeat_stride, is_set_mask=True``."""
    names = ("mask", "repeat_times", "dst_block_stride", "dst_repeat_stride", "is_set_mask")
    values = count_or(TABLE["duplicate"], names, args, options)
    if "count" in values:
        addressing = Addressing(int(values["count"]))
    else:
        steps = (int(values["dst_block_stride"]), int(values["dst_repeat_stride"]))
        set_mask = values.get("is_set_mask", True)
        addressing = Addressing(None, values.get("mask"), int(values["repeat_times"]), (steps,), set_mask)
    op = TABLE["duplicate"]
    rearrange.duplicate(core_of(op, dst), here(), op, dst, scalar, addressing)


def copy(
    dst: LocalTensor, src: LocalTensor, mask: Any, repeat_time: int, repeat_params: CopyRepeatParams,
    is_set_mask: bool = True,
) -> None:  # fmt: skip
    """Masked copy within UB on the vector pipe. In counter mode the mask counts a repeat's elements."""
    params = repeat_params
    steps = (
        (int(params.dst_stride), int(params.dst_repeat_size)),
        (int(params.src_stride), int(params.src_repeat_size)),
    )
    addressing = Addressing(None, mask, int(repeat_time), steps, is_set_mask)
    op = TABLE["copy"]
    rearrange.copy(core_of(op, dst, src), here(), op, dst, src, addressing)


def brcb(dst: LocalTensor, src0: LocalTensor, repeat_times: int, repeat_params: BrcbRepeatParams) -> None:
    """Each repeat takes 8 elements; element i fills block i of the destination."""
    (steps,) = strides(repeat_params, ("dst",))
    op = TABLE["brcb"]
    rearrange.broadcast_to_blocks(core_of(op, dst, src0), here(), op, dst, src0, int(repeat_times), steps)


def transpose(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor | None = None,
    params: TransposeParamsExt | None = None,
) -> None:  # fmt: skip
    """One 16 × 16 tile of 16-bit elements; with parameters also images: NCHW to NHWC and back.

    Raises:
        NotImplementedError: another kind of transposition.
    """
    plain = TABLE["transpose"]
    core = core_of(plain, dst, src)
    if params is None:
        rearrange.transpose(core, here(), plain, dst, src)
        return
    kind = TransposeType(params.transpose_type)
    if shared_tmp_buffer is not None:
        check_operands(plain.name, {"shared_tmp_buffer": shared_tmp_buffer})
    if kind == TransposeType.TRANSPOSE_ND2ND_B16:
        rearrange.transpose(core, here(), TRANSPOSED_TILE, dst, src)
    elif kind in (TransposeType.TRANSPOSE_NCHW2NHWC, TransposeType.TRANSPOSE_NHWC2NCHW):
        shape = blocks.Images(int(params.n_size), int(params.c_size), int(params.h_size), int(params.w_size))
        blocks.transpose_images(core, here(), TRANSPOSED_IMAGES, dst, src, shape, kind, shared_tmp_buffer)
    elif kind != TransposeType.TRANSPOSE_TYPE_NONE:
        raise NotImplementedError(f"transpose: {core.soc.name} has no {kind.name}")


def gather(
    dst: LocalTensor, src: LocalTensor, src_offset: LocalTensor, src_base: int, *args: Any, **options: Any
) -> None:
    """dst[i] = the element at byte ``src_base + src_offset[i]`` of src.

    ``…, count`` or ``…, mask, repeat_times, dst_rep_stride``.
    """
    values = count_or(TABLE["gather"], ("mask", "repeat_times", "dst_rep_stride"), args, options)
    if "count" in values:
        addressing = Addressing(int(values["count"]))
    else:
        steps = (1, int(values["dst_rep_stride"]))
        addressing = Addressing(None, values["mask"], int(values["repeat_times"]), (steps,))
    op = TABLE["gather"]
    rearrange.gather_elements(
        core_of(op, dst, src, src_offset), here(), op, dst, src, src_offset, int(src_base), addressing
    )
