"""gatherb, trans_data_to_5hd, bilinear_interpolation, gather_mask, scatter (argument orders as in hicann/pyasc
@cecba26ace65).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cannery.asc.context import here, running
from cannery.asc.enums import GatherMaskMode
from cannery.asc.numbers import INTEGERS
from cannery.asc.params import GatherMaskParams, GatherRepeatParams
from cannery.asc.tensors import LocalTensor, addresses_of, check_operands, core_of
from cannery.asc.vector.forms import count_or, strides
from cannery.asc.vector.params import TransDataTo5HDParams
from cannery.isa import blocks, dtypes, pack
from cannery.isa.dtypes import DataType
from cannery.isa.op import Op
from cannery.isa.operands import Addressing
from cannery.isa.scalar import read_element
from cannery.isa.table import TABLE
from cannery.isa.tensors import Allocation

__all__ = [
    "bilinear_interpolation", "gather_mask", "gatherb", "get_gather_mask_remain_count", "scatter", "trans_data_to_5hd",
]  # fmt: skip

_ADDRESSES = 16
Found = tuple[blocks.Addresses, DataType]


def gatherb(
    dst: LocalTensor, src0: LocalTensor, offset: LocalTensor, repeat_times: int, repeat_params: GatherRepeatParams
) -> None:
    """Each repeat copies 8 blocks of 32 bytes from the byte offsets, which are multiples of 32."""
    op = TABLE["gatherb"]
    (steps,) = strides(repeat_params, ("dst",))
    core = core_of(op, dst, src0, offset)
    blocks.gather_blocks(core, here(), op, dst, src0, offset, int(repeat_times), steps)


def bilinear_interpolation(
    dst: LocalTensor, src0: LocalTensor, src0_offset: LocalTensor, src1: LocalTensor, mask: Any, h_repeat: int,
    repeat_mode: bool, dst_blk_stride: int, v_r_offset: int, v_repeat: int, shared_tmp_buffer: LocalTensor,
) -> None:  # fmt: skip
    """Gathered blocks of src0 times weights of src1; ``h_repeat`` products are added up in half, ``v_repeat`` times.

    ``repeat_mode``: each block has a weight of its own, otherwise each 8 blocks. A row's result is 128 elements,
    ``v_r_offset`` elements behind the one before.
    """
    op = TABLE["bilinear_interpolation"]
    core = core_of(op, dst, src0, src0_offset, src1)
    check_operands(op.name, {"shared_tmp_buffer": shared_tmp_buffer})
    shape = blocks.Bilinear(int(h_repeat), int(v_repeat), bool(repeat_mode), int(dst_blk_stride), int(v_r_offset))
    blocks.interpolate(core, here(), op, (dst, src0, src0_offset, src1), mask, shape, shared_tmp_buffer)


def trans_data_to_5hd(dst_list: Any, src_list: Any, params: TransDataTo5HDParams) -> None:
    """16 blocks as a matrix of 16 rows, transposed into 16 blocks: NCHW to NC1HWC0.

    The lists are 16 LocalTensors, or 16 addresses of ``get_phy_addr``, or two LocalTensors that hold these.

    Raises:
        ValueError: not 16 of them, or an address that no get_phy_addr has given.
    """
    op = TABLE["trans_data_to_5hd"]
    there, dtype = _list_of(op, "dst_list", dst_list)
    origin, other = _list_of(op, "src_list", src_list)
    if dtype != other:
        raise TypeError(f"{op.name}: found operands of {dtype} and {other}, expected one element type")
    shape = blocks.FiveDims(
        int(params.repeat_times), int(params.dst_rep_stride), int(params.src_rep_stride), bool(params.dst_high_half),
        bool(params.src_high_half),
    )  # fmt: skip
    blocks.to_five_dims(running(), here(), op, there, origin, dtype, shape)


def _list_of(op: Op, name: str, given: Any) -> Found:
    if isinstance(given, LocalTensor):
        check_operands(op.name, {name: given})
        core, site = running(), here(3)
        return _by_address(op, name, [int(read_element(core, site, op, given, i)) for i in range(_ADDRESSES)])
    if len(given) != _ADDRESSES:
        raise ValueError(f"{op.name}: {name}: found {len(given)} entries, expected {_ADDRESSES}")
    if not isinstance(given[0], LocalTensor):
        return _by_address(op, name, [int(address) for address in given])
    check_operands(op.name, {f"{name}[{at}]": tensor for at, tensor in enumerate(given)})
    owners = tuple(tensor.owner for tensor in given)
    return blocks.Addresses(owners, tuple(tensor.addr for tensor in given)), given[0].dtype


def _by_address(op: Op, name: str, given: Sequence[int]) -> Found:
    known = addresses_of(running())
    strange = [address for address in given if address not in known]
    if strange:
        raise ValueError(f"{op.name}: {name}: found address {strange[0]}, expected one that get_phy_addr has given")
    owners: tuple[Allocation, ...] = tuple(known[address][0] for address in given)
    return blocks.Addresses(owners, tuple(given)), known[given[0]][1]


def gather_mask(
    dst: LocalTensor, src0: LocalTensor, src1_pattern: Any, reduce_mode: bool, mask: int, params: GatherMaskParams,
    gather_mask_mode: GatherMaskMode = GatherMaskMode.DEFAULT,
) -> Any:  # fmt: skip
    """Pack the elements whose bit is 1; how many there are.

    ``src1_pattern``: 1, 2: every other element from the first or second on; 3 to 6: every fourth; 7: all; or bits in a
    LocalTensor. ``reduce_mode``: a repeat has ``mask`` elements, otherwise 256 bytes.
    """
    del gather_mask_mode
    op = TABLE["gather_mask"]
    core = core_of(op, dst, src0)
    if isinstance(src1_pattern, LocalTensor):
        check_operands(op.name, {"src1_pattern": src1_pattern})
    shape = pack.Packing(
        int(params.repeat_times), int(mask) if reduce_mode else None, int(params.src0_block_stride),
        int(params.src0_repeat_stride), int(params.src1_repeat_stride),
    )  # fmt: skip
    pattern = src1_pattern if isinstance(src1_pattern, LocalTensor) else int(src1_pattern)
    return INTEGERS[dtypes.uint64](pack.pack(core, here(), op, dst, src0, pattern, shape))


def get_gather_mask_remain_count() -> Any:
    """How many elements the last gather_mask has kept."""
    return INTEGERS[dtypes.uint64](running().registers.kept_count)


def scatter(
    dst: LocalTensor, src: LocalTensor, dst_offset: LocalTensor, dst_base: int, *args: Any, **options: Any
) -> None:
    """The element at byte ``dst_base + dst_offset[i]`` of dst = src[i]; Ascend 950 only.

    ``…, count`` or ``…, mask, repeat_times, src_rep_stride``.

    Raises:
        NotImplementedError: the chip has no such instruction.
    """
    op = TABLE["scatter"]
    values = count_or(op, ("mask", "repeat_times", "src_rep_stride"), args, options)
    if "count" in values:
        addressing = Addressing(int(values["count"]))
    else:
        steps = (1, int(values["src_rep_stride"]))
        addressing = Addressing(None, values["mask"], int(values["repeat_times"]), (steps,))
    pack.put_apart(core_of(op, dst, src, dst_offset), here(), op, dst, src, dst_offset, int(dst_base), addressing)
