"""duplicate, copy, brcb, transpose, gather: instructions of the vector pipe that move elements
(hicann/asc-devkit docs, data filling and rearrangement, @82b89a15f263).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cannery.aicore.instruction import LANES, MOVE, Instruction
from cannery.aicore.pipes import V
from cannery.asc.context import here, running
from cannery.asc.params import BrcbRepeatParams, CopyRepeatParams
from cannery.asc.tensors import LocalTensor
from cannery.asc.vector.elementwise import as_element
from cannery.asc.vector.issue import Operand, elementwise, gather, scatter
from cannery.asc.vector.lanes import BLOCK, Pattern, access, lanes, pattern_of, stretch


def duplicate(dst: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None:
    """Fill: ``…, count`` or ``…, mask, repeat_times, dst_block_stride, dst_repeat_stride, is_set_mask=True``."""
    value = as_element(scalar, dst.dtype)
    registers = dst.owner.core.registers
    names = ("mask", "repeat_times", "dst_block_stride", "dst_repeat_stride", "is_set_mask")
    if len(args) == 1 or "count" in options:
        registers.count_form_used()
        region = stretch(int(options.get("count", args[0] if args else 0)), dst.dtype.size)
    else:
        values = dict(zip(names, args, strict=False)) | options
        pattern = pattern_of(
            registers, values.get("mask"), values["repeat_times"], dst.dtype.size, values.get("is_set_mask", True)
        )
        blk, rep = int(values["dst_block_stride"]), int(values["dst_repeat_stride"])
        region = lanes(pattern, dst.dtype.size, dst.dtype.size, blk, rep)
    elementwise("duplicate", lambda: value, (dst, region), [])


def copy(
    dst: LocalTensor, src: LocalTensor, mask: Any, repeat_time: int, repeat_params: CopyRepeatParams,
    is_set_mask: bool = True,
) -> None:  # fmt: skip
    """Masked copy within UB on the vector pipe. In counter mode the mask counts a repeat's elements."""
    registers = dst.owner.core.registers
    size = dst.dtype.size
    pattern = pattern_of(registers, mask, repeat_time, size, is_set_mask)
    if registers.counter_mode:
        pattern = Pattern(int(repeat_time), (1 << min(int(pattern.total or 0), 256 // size)) - 1)
    params = repeat_params
    there = lanes(pattern, size, size, int(params.dst_stride), int(params.dst_repeat_size))
    origin = lanes(pattern, size, size, int(params.src_stride), int(params.src_repeat_size))
    elementwise("copy", lambda values: values, (dst, there), [(src, origin)], MOVE)


def brcb(dst: LocalTensor, src0: LocalTensor, repeat_times: int, repeat_params: BrcbRepeatParams) -> None:
    """Each repeat takes 8 elements; element i fills block i of the destination."""
    size, repeats = dst.dtype.size, int(repeat_times)
    full = Pattern(repeats, (1 << 256 // size) - 1)
    there = lanes(full, size, size, int(repeat_params.dst_blk_stride), int(repeat_params.dst_rep_stride))
    source: Operand = (src0, stretch(8 * repeats, size))

    def effect() -> None:
        scatter(dst, there, np.repeat(gather(*source), BLOCK // size))

    if repeats:
        _issue("brcb", (dst, there), [source], effect)


def transpose(dst: LocalTensor, src: LocalTensor, *rest: Any) -> None:
    """One 16 × 16 tile of 16-bit elements.

    Raises:
        NotImplementedError: the extended form.
    """
    if rest:
        raise NotImplementedError(f"transpose with TransposeParamsExt on {running().soc.name} is not simulated")
    region = stretch(256, dst.dtype.size)

    def effect() -> None:
        scatter(dst, region, gather(src, region).reshape(16, 16).T.copy().reshape(-1))

    _issue("transpose", (dst, region), [(src, region)], effect)


def gather_elements(
    dst: LocalTensor, src: LocalTensor, src_offset: LocalTensor, src_base: int, *args: Any, **options: Any
) -> None:
    """``gather``: dst[i] = the element at byte ``src_base + src_offset[i]`` of src.

    ``…, count`` or ``…, mask, repeat_times, dst_rep_stride``.
    """
    size = dst.dtype.size
    if len(args) == 1 or "count" in options:
        count = int(options.get("count", args[0] if args else 0))
        there, offsets = stretch(count, size), stretch(count, 4)
    else:
        values = dict(zip(("mask", "repeat_times", "dst_rep_stride"), args, strict=False)) | options
        pattern = pattern_of(dst.owner.core.registers, values["mask"], values["repeat_times"], size)
        there = lanes(pattern, size, size, 1, int(values["dst_rep_stride"]))
        offsets = stretch(there.number, 4)
    whole = stretch((src.owner.upper - src.addr) // size, size)

    def effect() -> None:
        at = (gather(src_offset, offsets).astype(np.int64) + int(src_base)) // size
        inside = (at >= 0) & (at < whole.number)
        scatter(dst, there, gather(src, whole)[np.where(inside, at, 0)])

    if there.number:
        # Which elements of src are read depends on data: none is judged, rather than all of them wrongly.
        _issue("gather", (dst, there), [(src_offset, offsets)], effect)


def _issue(name: str, dst: Operand, sources: list[Operand], effect: Any) -> None:
    reads = tuple(access(*source) for source in sources)
    core = dst[0].owner.core
    core.issue(Instruction(name, V, reads, (access(*dst),), here(3), effect, (), LANES))
