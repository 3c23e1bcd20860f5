"""Parameter classes of instructions: pyasc's names, order and defaults (hicann/pyasc
`python/asc/language/core/types.py` @cecba26ace65).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cannery.aicore import unitflag
from cannery.asc.enums import DataFormat
from cannery.isa.enums import CO2Layout, QuantModes

__all__ = [
    "BinaryRepeatParams", "BrcbRepeatParams", "CopyRepeatParams", "DataCopyCO12DstParams", "DataCopyEnhancedParams",
    "DataCopyExtParams", "DataCopyPadExtParams", "DataCopyPadParams", "DataCopyParams", "FixpipeConfig",
    "FixpipeParamsV220", "GatherMaskParams", "GatherRepeatParams", "InitConstValueParams", "LoadData2DParams",
    "LoadData2DParamsV2", "LoadData2dTransposeParams", "LoadData2dTransposeParamsV2", "LoadData3DParamsV2",
    "LoadDataRepeatParam", "MmadParams", "Nd2NzParams", "Nz2NdParamsFull", "ShapeInfo", "SliceInfo",
    "UnaryRepeatParams",
]  # fmt: skip


@dataclass
class BinaryRepeatParams:
    """Strides of two-operand vector instructions, start to start, in blocks of 32 bytes."""

    dst_blk_stride: int = 1
    src0_blk_stride: int = 1
    src1_blk_stride: int = 1
    dst_rep_stride: int = 8
    src0_rep_stride: int = 8
    src1_rep_stride: int = 8


@dataclass
class UnaryRepeatParams:
    """Strides of one-operand vector instructions, start to start, in blocks of 32 bytes."""

    dst_blk_stride: int = 1
    src_blk_stride: int = 1
    dst_rep_stride: int = 8
    src_rep_stride: int = 8


@dataclass
class BrcbRepeatParams:
    """Destination strides of brcb, in blocks of 32 bytes."""

    dst_blk_stride: int = 1
    dst_rep_stride: int = 8


@dataclass
class GatherRepeatParams:
    """Destination strides of gatherb, in blocks of 32 bytes."""

    dst_blk_stride: int = 1
    dst_rep_stride: int = 8


@dataclass
class CopyRepeatParams:
    """Strides of copy: inside a repeat and between repeats, in blocks of 32 bytes."""

    dst_stride: int = 0
    src_stride: int = 0
    dst_repeat_size: int = 0
    src_repeat_size: int = 0


@dataclass
class DataCopyParams:
    """``block_count`` pieces of ``block_len`` blocks of 32 bytes; strides are gaps from a piece's end, same unit."""

    block_count: int = 1
    block_len: int = 0
    src_stride: int = 0
    dst_stride: int = 0


@dataclass
class DataCopyExtParams:
    """``block_count`` pieces of ``block_len`` bytes; gaps are bytes in global memory, blocks of 32 bytes in local."""

    block_count: int = 1
    block_len: int = 0
    src_stride: int = 0
    dst_stride: int = 0
    rsv: int = 0


@dataclass
class DataCopyPadParams:
    """Padding of a copy to local memory; paddings in elements, each at most 32 bytes."""

    is_pad: bool = False
    left_padding: int = 0
    right_padding: int = 0
    padding_value: Any = 0


@dataclass
class DataCopyPadExtParams:
    """As DataCopyPadParams, with the element type of the value."""

    dtype: Any = None
    is_pad: bool = False
    left_padding: int = 0
    right_padding: int = 0
    padding_value: Any = 0


@dataclass
class DataCopyEnhancedParams:
    """Output-path options of older chips; without effect on plain copies."""

    block_mode: Any = 0
    deq_scale: Any = 0
    deq_value_in: int = 0
    sid_store_mode_in: int = 0
    is_relu_in: bool = False
    pad_mode_in: Any = 0
    pad_value_in: int = 0


@dataclass
class SliceInfo:
    """One dimension of a sliced copy: start, end and stride in elements, ``burst_len`` in blocks of 32 bytes."""

    start_index: int = 0
    end_index: int = 31
    stride: int = 0
    burst_len: int = 32
    shape_value: int = 0


@dataclass
class Nd2NzParams:
    """ND → NZ on load: counts and strides in elements, the NZ side's group and row strides in groups of 32 bytes."""

    nd_num: int = 0
    n_value: int = 0
    d_value: int = 0
    src_nd_matrix_stride: int = 0
    src_d_value: int = 0
    dst_nz_c0_stride: int = 0
    dst_nz_n_stride: int = 0
    dst_nz_matrix_stride: int = 0


@dataclass
class Nz2NdParamsFull:
    """NZ → ND on store: source strides in 256 and 16 elements, destination strides in elements."""

    nd_num: int = 1
    n_value: int = 0
    d_value: int = 0
    src_nd_matrix_stride: int = 1
    src_n_stride: int = 0
    dst_d_stride: int = 0
    dst_nd_matrix_stride: int = 1


@dataclass
class GatherMaskParams:
    """Strides of gather_mask, in blocks of 32 bytes."""

    src0_block_stride: int = 1
    repeat_times: int = 1
    src0_repeat_stride: int = 0
    src1_repeat_stride: int = 0


@dataclass
class ShapeInfo:
    """A tensor's shape for APIs that need one."""

    shape: Any = None
    original_shape: Any = None
    data_format: DataFormat = DataFormat.ND


@dataclass
class LoadData2DParams:
    """A run of blocks of 512 bytes; ``src_stride`` from start to start, ``dst_gap`` from end to start, in blocks."""

    start_index: int = 0
    repeat_times: int = 1
    src_stride: int = 0
    sid: int = 0
    dst_gap: int = 0
    if_transpose: bool = False
    addr_mode: int = 0


@dataclass
class LoadData2dTransposeParams:
    """A run of squares that are turned over; source strides count squares, gaps at the destination blocks."""

    start_index: int = 0
    repeat_times: int = 1
    src_stride: int = 0
    dst_gap: int = 0
    dst_frac_gap: int = 0
    addr_mode: int = 0


@dataclass
class LoadData2DParamsV2:
    """A rectangle of blocks of a matrix in columns of blocks; positions, steps and strides in blocks (950)."""

    m_start_position: int = 0
    k_start_position: int = 0
    m_step: int = 0
    k_step: int = 0
    src_stride: int = 0
    dst_stride: int = 0
    if_transpose: bool = False
    sid: int = 0


@dataclass
class LoadData2dTransposeParamsV2:
    """A run of squares that are turned over; all strides and gaps count blocks (950)."""

    start_index: int = 0
    repeat_times: int = 0
    src_stride: int = 0
    dst_gap: int = 0
    dst_frac_gap: int = 0
    src_frac_gap: int = 0
    addr_mode: int = 0


@dataclass
class LoadData3DParamsV2:
    """The windows of a convolution; ``pad_list`` left, right, top, bottom; extensions and starts in elements."""

    pad_list: Any = (0, 0, 0, 0)
    l1_h: int = 1
    l1_w: int = 1
    channel_size: int = 1
    k_extension: int = 1
    m_extension: int = 1
    k_start_pt: int = 0
    m_start_pt: int = 0
    stride_w: int = 1
    stride_h: int = 1
    filter_w: int = 1
    filter_h: int = 1
    dilation_filter_w: int = 1
    dilation_filter_h: int = 1
    en_transpose: bool = False
    pad_value: Any = 0
    filter_size_w: bool = False
    filter_size_h: bool = False
    f_matrix_ctrl: bool = False


@dataclass
class LoadDataRepeatParam:
    """How set_load_data_repeat repeats the loads of images."""

    repeat_time: int = 1
    repeat_stride: int = 0
    repeat_mode: int = 0


@dataclass
class InitConstValueParams:
    """Blocks to fill: of 32 bytes in L1, of 512 in L0A and L0B."""

    repeat_times: int = 0
    block_num: int = 0
    dst_gap: int = 0
    init_value: Any = 0


@dataclass
class DataCopyCO12DstParams:
    """What leaves L0C by data_copy; units as in FixpipeParamsV220."""

    n_size: int = 0
    m_size: int = 0
    dst_stride: int = 0
    src_stride: int = 0
    quant_pre: QuantModes = QuantModes.NoQuant
    relu_pre: int = 0
    channel_split: bool = False
    nz2nd_en: bool = False


@dataclass
class MmadParams:
    """The shape of a product, and what C begins as: zero, the bias table (``cmatrix_source``) or what it holds."""

    m: int = 0
    n: int = 0
    k: int = 0
    is_bias: bool = False
    fm_offset: int = 0
    en_ssparse: bool = False
    en_winograd_a: bool = False
    en_winograd_b: bool = False
    unit_flag: int = unitflag.OFF
    cmatrix_source: bool = False
    cmatrix_init_val: bool = True


@dataclass
class FixpipeParamsV220:
    """What leaves L0C; ``src_stride`` in rows of 16 elements, ``dst_stride`` in elements, with NZ in 32 bytes."""

    n_size: int
    m_size: int
    src_stride: int
    dst_stride: int
    quant_pre: QuantModes = QuantModes.NoQuant
    deq_scalar: int = 0
    nd_num: int = 1
    src_nd_stride: int = 0
    dst_nd_stride: int = 0
    relu_en: bool = False
    unit_flag: int = unitflag.OFF
    is_channel_split: bool = False


@dataclass
class FixpipeConfig:
    """The layout that fixpipe writes."""

    layout: CO2Layout

    @classmethod
    def cfg_nz(cls) -> FixpipeConfig:
        """NZ."""
        return cls(CO2Layout.NZ)

    @classmethod
    def cfg_row_major(cls) -> FixpipeConfig:
        """ND."""
        return cls(CO2Layout.ROW_MAJOR)
