"""Smallest and largest values of fields, by architecture: widths of fields and what the documents allow.

Sources, all hicann/asc-devkit @82b89a15f263: the pages of `docs/zh/api/SIMD-API/基础API` named at each entry, and
the fields' types in `include/basic_api/kernel_struct_*.h`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.aicore.core import Core
from cannery.isa.op import BLK_STRIDE, DAV_2201, DAV_3510, REP_STRIDE, REPEAT_TIMES, ByArch, Range, on_both

Fields = Mapping[str, Range]

_UINT8: Final = (0, 255)
_UINT16: Final = (0, 65535)
_UINT32: Final = (0, 2**32 - 1)
_INT32: Final = (0, 2**31 - 1)


def _repeats(repeat: Range, blk: Range, rep: Range) -> ByArch[Fields]:
    return on_both(MappingProxyType({REPEAT_TIMES: repeat, BLK_STRIDE: blk, REP_STRIDE: rep}))


BINARY: Final = _repeats(_UINT8, _UINT8, _UINT8)
"""BinaryRepeatParams: all strides are uint8."""
UNARY: Final = _repeats(_UINT8, _UINT16, _UINT8)
"""UnaryRepeatParams, and duplicate's own arguments: strides inside a repeat are uint16."""
BROADCAST: Final = _repeats(_UINT8, _UINT16, _UINT16)
"""BrcbRepeatParams (Brcb), gather's dst_rep_stride (Gather)."""
MASKED_COPY: Final = _repeats(_UINT8, _UINT16, (0, 4095))
"""CopyRepeatParams (Copy, UB to UB with a mask)."""
REDUCTION: Final = _repeats(_UINT8, _UINT16, _UINT16)
"""ReduceRepeat, ReduceDataBlock, ReducePairElem."""
WHOLE_REDUCTION: Final = _repeats(_INT32, _UINT16, _UINT16)
"""ReduceSum, ReduceMax, ReduceMin: more repeats are done in several instructions."""

LOAD: Final[ByArch[Fields]] = on_both(
    MappingProxyType(
        {
            "start_index": _UINT16, REPEAT_TIMES: _UINT8, "src_stride": _UINT16, "dst_gap": _UINT16,
            "dst_frac_gap": _UINT16, "src_frac_gap": _UINT16, "m_step": _UINT8, "k_step": _UINT8, "dst_stride": _UINT16,
        }
    )
)  # fmt: skip
"""LoadData (2D), LoadData (2D, V2), LoadDataWithTranspose."""
FILLING: Final[ByArch[Fields]] = on_both(
    MappingProxyType({REPEAT_TIMES: (0, 32767), "block_num": (0, 32767), "dst_gap": (0, 32767)})
)
"""Fill."""
PRODUCT: Final[ByArch[Fields]] = on_both(MappingProxyType({"m": (0, 4095), "n": (0, 4095), "k": (0, 4095)}))
"""Mmad."""
DRAIN: Final[ByArch[Fields]] = on_both(
    MappingProxyType(
        {
            "n_size": (0, 4095), "m_size": _UINT16, "src_stride": _UINT16, "dst_stride": _UINT32, "nd_num": _UINT16,
            "src_nd_stride": _UINT16, "dst_nd_stride": _UINT32,
        }
    )
)  # fmt: skip
"""Fixpipe."""

_BITS: Final = MappingProxyType({2: (0, 16), 4: (0, 32)})
SHIFTS: Final[ByArch[Mapping[int, Range]]] = ByArch(
    {DAV_2201: _BITS, DAV_3510: MappingProxyType({size: (0, 2 ** (8 * size - 1) - 1) for size in (1, 2, 4, 8)})}
)
"""ShiftLeft, ShiftRight: amounts by the element's bytes; dav-3510 takes any, all bits are gone beyond the width."""

_COPY: Final = MappingProxyType(
    {"block_count": (0, 4095), "block_len": _UINT16, "src_stride": _UINT16, "dst_stride": _UINT16}
)
_EXT: Final = MappingProxyType(
    {"block_count": (0, 4095), "block_len": (0, 2097151), "src_stride": _UINT32, "dst_stride": _UINT32}
)
_LONG: Final = (0, 2**40 - 1)
STRUCTS: Final[Mapping[str, ByArch[Fields]]] = MappingProxyType(
    {
        "DataCopyParams": on_both(_COPY),
        "DataCopyExtParams": ByArch(
            {DAV_2201: _EXT, DAV_3510: MappingProxyType({**_EXT, "src_stride": _UINT16, "dst_stride": _LONG})}
        ),
        "DataCopyExtParams on load": ByArch(
            {
                DAV_2201: _EXT,
                # −block_len repeats the first piece
                DAV_3510: MappingProxyType({**_EXT, "src_stride": (-2097151, _LONG[1]), "dst_stride": _UINT16}),
            }
        ),
        "Nd2NzParams": ByArch(
            {
                DAV_2201: MappingProxyType(
                    {
                        "nd_num": (0, 4095), "n_value": (0, 16384), "d_value": _UINT16,
                        "src_nd_matrix_stride": _UINT16, "src_d_value": (1, 65535), "dst_nz_c0_stride": (1, 16384),
                        "dst_nz_n_stride": (1, 16384), "dst_nz_matrix_stride": (0, 65535),
                    }
                ),
                DAV_3510: MappingProxyType(
                    {
                        "nd_num": (0, 4095), "n_value": (0, 16384), "d_value": _UINT32,
                        "src_nd_matrix_stride": _LONG, "src_d_value": (1, _LONG[1]), "dst_nz_c0_stride": (1, 16384),
                        "dst_nz_n_stride": (1, 16384), "dst_nz_matrix_stride": _UINT32,
                    }
                ),
            }
        ),
        "Nz2NdParamsFull": on_both(
            MappingProxyType(
                {
                    "nd_num": (0, 4095), "n_value": (0, 8192), "d_value": (0, 8192), "src_nd_matrix_stride": (1, 512),
                    "src_n_stride": (0, 4096), "dst_d_stride": (1, 65535), "dst_nd_matrix_stride": (1, 65535),
                }
            )
        ),
        "SliceInfo": on_both(
            MappingProxyType(
                {
                    "start_index": _UINT32, "end_index": _UINT32, "stride": _UINT32, "burst_len": _UINT32,
                    "shape_value": _UINT32,
                }
            )
        ),
        "DataCopyPadParams": on_both(MappingProxyType({"left_padding": _UINT8, "right_padding": _UINT8})),
    }
)  # fmt: skip
"""The fields of parameter structs: DataCopy and DataCopyPad between GM and UB, ND2NZ on load, NZ2ND on store, slices.

A count of 0 copies nothing, whatever the page's range begins with.
"""
_SIXTEEN: Final = (0, 2**16 - 1)
FIVE_DIMS: Final[ByArch[Fields]] = on_both(
    MappingProxyType({"repeat_times": _UINT8, "dst_rep_stride": _SIXTEEN, "src_rep_stride": _SIXTEEN})
)
"""TransDataTo5HDParams."""
IMAGES: Final[ByArch[Fields]] = on_both(
    MappingProxyType({"n_size": _SIXTEEN, "c_size": (0, 4095), "h_size * w_size": (0, 4095)})
)
"""TransposeParamsExt, of images."""
BILINEAR: Final[ByArch[Fields]] = on_both(
    MappingProxyType(
        {
            REPEAT_TIMES: _UINT8, BLK_STRIDE: _SIXTEEN, REP_STRIDE: _SIXTEEN, "h_repeat": (1, 255),
            "v_repeat": (1, 255), "v_r_offset": (128, 65534),
        }
    )
)  # fmt: skip
"""BilinearInterpolation."""
PACKING: Final[ByArch[Fields]] = on_both(
    MappingProxyType(
        {
            REPEAT_TIMES: _SIXTEEN, "mask": _UINT32, "src1_pattern": (1, 7), "src0_block_stride": _UINT8,
            "src0_repeat_stride": _SIXTEEN, "src1_repeat_stride": _UINT8,
        }
    )
)  # fmt: skip
"""GatherMask, GatherMaskParams."""
COUNT: Final = _UINT32
"""DataCopy: elements of a contiguous copy."""
PADDING_BYTES: Final = 32
"""DataCopyPad: the most on either side of a piece."""


def check_struct(core: Core, op: str, struct: str, values: Mapping[str, Any]) -> None:
    """Refuse values that a struct's fields cannot hold.

    Raises:
        TypeError: a value is no integer.
        ValueError: it is too small or too large.
    """
    for field, limits in STRUCTS[struct][core.soc.npu_arch].items():
        check_value(f"{op}: {field}", values[field], limits)


def check_value(name: str, value: Any, limits: Range) -> None:
    """Refuse what is no integer within limits.

    Raises:
        TypeError: it is no integer.
        ValueError: it is too small or too large.
    """
    if not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name}: found {value!r}, expected an integer")
    low, high = limits
    if not low <= value <= high:
        raise ValueError(f"{name}: found {int(value)}, expected {low} to {high}")
