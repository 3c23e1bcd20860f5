"""Parameter classes and enumerations of vector instructions: pyasc's names, order and defaults (hicann/pyasc
`python/asc/language/core/{types,enums,tensor}.py` @cecba26ace65).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from cannery.asc.dtypes import DataType
from cannery.asc.tensors import LocalTensor
from cannery.isa.enums import TransposeType

__all__ = [
    "DeqScale", "MrgSort4Info", "MrgSortSrcList", "TransDataTo5HDParams", "TransposeParamsExt", "TransposeType",
    "VdeqInfo",
]  # fmt: skip


class DeqScale(IntEnum):
    """How an output path of older chips dequantises."""

    DEQ_NONE = 0
    DEQ = 1
    VDEQ = 2
    DEQ8 = 3
    VDEQ8 = 4
    DEQ16 = 5
    VDEQ16 = 6


@dataclass
class TransDataTo5HDParams:
    """Repeats of trans_data_to_5hd, distances between them in blocks of 32 bytes; halves of a block, for bytes."""

    dst_high_half: bool = False
    src_high_half: bool = False
    repeat_times: int = 1
    dst_rep_stride: int = 0
    src_rep_stride: int = 0


@dataclass
class TransposeParamsExt:
    """Shape and kind of transpose."""

    n_size: int = 0
    c_size: int = 0
    h_size: int = 0
    w_size: int = 0
    transpose_type: TransposeType = TransposeType.TRANSPOSE_ND2ND_B16


@dataclass
class MrgSort4Info:
    """Lengths of the queues that mrg_sort merges, in records; ``valid_bit``: 3, 7 or 15 for the first 2, 3 or 4."""

    element_lengths: Sequence[int]
    if_exhausted_suspension: bool = False
    valid_bit: int = 15
    repeat_times: int = 1


@dataclass
class MrgSortSrcList:
    """Two to four sorted queues."""

    dtype: DataType
    src1: LocalTensor
    src2: LocalTensor
    src3: LocalTensor | None = None
    src4: LocalTensor | None = None


@dataclass
class VdeqInfo:
    """Sixteen scales, offsets and signs, for the 16 elements of a block.

    Raises:
        ValueError: not 16 of each.
    """

    scale: Sequence[float]
    offset: Sequence[int]
    sign_mode: Sequence[bool]

    def __post_init__(self) -> None:
        for name, values in vars(self).items():
            if len(values) != _BLOCK:
                raise ValueError(f"VdeqInfo: {name}: found {len(values)} values, expected {_BLOCK}")


_BLOCK = 16
