"""Gathered blocks, packed elements, transposed blocks, sorting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cannery.ascendc.held import held
from cannery.ascendc.words import Call, signed
from cannery.isa import blocks, pack, progression, rearrange, sorting
from cannery.isa.advanced import ROWS
from cannery.isa.enums import TransposeType
from cannery.isa.table import TABLE, TRANSPOSED_IMAGES, TRANSPOSED_TILE
from cannery.isa.tensors import Allocation

_LIST: Final = 16
_EXTRACT: Final = next(op for op in ROWS if op.form == "extract")
_IMAGES: Final = frozenset({TransposeType.TRANSPOSE_NCHW2NHWC, TransposeType.TRANSPOSE_NHWC2NCHW})


def gatherb(call: Call) -> None:
    """Gatherb."""
    dst, src, offsets = call.local(), call.local(), call.local()
    repeats = call.integer()
    (steps,) = call.strides(1)
    blocks.gather_blocks(call.core, call.site, TABLE["gatherb"], dst, src, offsets, repeats, steps)


def scatter(call: Call) -> None:
    """Scatter."""
    form = call.integer()
    dst, src, offsets = call.local(), call.local(), call.local()
    base = call.integer()
    pack.put_apart(call.core, call.site, TABLE["scatter"], dst, src, offsets, base, call.addressing(form, 1))


def gather_mask(call: Call) -> int:
    """GatherMask by bits in a tensor, or by the number of a pattern; how many elements are kept."""
    dst, src = call.local(), call.local()
    pattern = call.local() if call.integer() else call.integer()
    in_elements, mask = call.integers(2)
    block_stride, repeats, repeat_stride, pattern_stride = call.integers(4)
    shape = pack.Packing(repeats, mask if in_elements else None, block_stride, repeat_stride, pattern_stride)
    return signed(pack.pack(call.core, call.site, TABLE["gather_mask"], dst, src, pattern, shape))


def trans_data_to_5hd(call: Call) -> None:
    """TransDataTo5HD of 16 tensors, or of 16 addresses."""
    of_addresses = call.integer()
    high, source_high, repeats, step, source_step = call.integers(5)
    shape = blocks.FiveDims(repeats, step, source_step, bool(high), bool(source_high))
    if of_addresses:
        dtype = call.dtype()
        there, origin = _by_address(call), _by_address(call)
    else:
        there_list, origin_list = ([call.local() for _ in range(_LIST)] for _ in range(2))
        dtype = there_list[0].dtype
        there, origin = (
            blocks.Addresses(tuple(one.owner for one in tensors), tuple(one.addr for one in tensors))
            for tensors in (there_list, origin_list)
        )
    blocks.to_five_dims(call.core, call.site, TABLE["trans_data_to_5hd"], there, origin, dtype, shape)


def _by_address(call: Call) -> blocks.Addresses:
    starts = tuple(call.integers(_LIST))
    return blocks.Addresses(tuple(_owner_at(call, start) for start in starts), starts)


def _owner_at(call: Call, address: int) -> Allocation:
    owner = held(call.core).containing("UB", address)
    if owner is None:
        raise ValueError(f"TransDataTo5HD: found address {address}, expected one that GetPhyAddr has given")
    return owner


def transpose_images(call: Call) -> None:
    """Transpose with parameters."""
    dst, src, buffer = call.local(), call.local(), call.local()
    n, c, h, w, kind = call.integers(5)
    if kind in _IMAGES:
        shape = blocks.Images(n, c, h, w)
        blocks.transpose_images(
            call.core, call.site, TRANSPOSED_IMAGES, dst, src, shape, TransposeType(kind), buffer
        )  # fmt: skip
    elif kind == TransposeType.TRANSPOSE_ND2ND_B16:
        rearrange.transpose(call.core, call.site, TRANSPOSED_TILE, dst, src)
    elif kind != TransposeType.TRANSPOSE_TYPE_NONE:
        raise NotImplementedError(f"Transpose: TransposeType {kind} is not simulated")


def create_vec_index(call: Call) -> None:
    """CreateVecIndex."""
    form = call.integer()
    dst = call.local()
    first = call.scalar(dst.dtype)
    progression.number_lanes(call.core, call.site, dst, first, call.addressing(form, 1))


def arange(call: Call) -> None:
    """Arange, ArithProgression."""
    dst = call.local()
    first, difference = call.scalar(dst.dtype), call.scalar(dst.dtype)
    progression.progress(call.core, call.site, dst, first, difference, call.integer())


def sort32(call: Call) -> None:
    """Sort32."""
    tensors = call.local(), call.local(), call.local()
    sorting.sort32(call.core, call.site, TABLE["sort32"], tensors, call.integer())


def sort(call: Call) -> None:
    """Sort of records."""
    tensors = call.local(), call.local(), call.local()
    buffer = call.local()
    repeats, whole = call.integers(2)
    sorting.sort(call.core, call.site, TABLE["sort"], tensors, buffer, repeats, whole=bool(whole))


def extract(call: Call) -> None:
    """Extract."""
    tensors = call.local(), call.local(), call.local()
    sorting.extract(call.core, call.site, _EXTRACT, tensors, call.integer())


def mrg_sort(call: Call) -> tuple[int, ...]:
    """MrgSort: how many records of each queue are in the result."""
    dst, *queues = (call.local() for _ in range(5))
    *lengths, suspend, valid, repeats = call.integers(7)
    shape = sorting.Merge(tuple(lengths), valid, repeats, bool(suspend))
    given = queues[: sorting.QUEUES.get(valid, 4)]
    return sorting.merge(call.core, call.site, TABLE["mrg_sort"], dst, given, shape)


def get_mrg_sort_result(call: Call) -> tuple[int, ...]:
    """GetMrgSortResult."""
    return call.core.registers.merged


HANDLERS: Final[Mapping[str, Callable[[Call], Any]]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            gatherb, scatter, gather_mask, trans_data_to_5hd, transpose_images, create_vec_index, arange, sort32, sort,
            extract, mrg_sort, get_mrg_sort_result,
        )
    }
)  # fmt: skip
