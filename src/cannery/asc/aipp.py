"""Settings of the image preprocessor (hicann/pyasc `python/asc/language/core/aipp_types.py` @cecba26ace65).

Only load_image_to_local reads them, which is not simulated; copies are as they are without them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from cannery.asc.context import running
from cannery.asc.dtypes import DataType, float16, int8
from cannery.asc.tensors import GlobalTensor, check_operands
from cannery.isa.tensors import Global

__all__ = [
    "AippChannelPaddingParams", "AippColorSpaceConvParams", "AippDataTypeConvParams", "AippInputFormat",
    "AippPaddingParams", "AippParams", "AippSingleLineParams", "AippSwapParams", "set_aipp_functions",
]  # fmt: skip


class AippInputFormat(IntEnum):
    """Formats of images."""

    YUV420SP_U8 = 0
    XRGB8888_U8 = 1
    RGB888_U8 = 4
    YUV400_U8 = 9


@dataclass
class AippPaddingParams:
    """What stands around an image."""

    padding_mode: int = 0
    padding_value_ch0: float = 0
    padding_value_ch1: float = 0
    padding_value_ch2: float = 0
    padding_value_ch3: float = 0


@dataclass
class AippSwapParams:
    """Channels that change places."""

    is_swap_rb: bool = False
    is_swap_uv: bool = False
    is_swap_ax: bool = False


@dataclass
class AippSingleLineParams:
    """One line, or two."""

    is_single_line_copy: bool = False


@dataclass
class AippDataTypeConvParams:
    """How bytes become elements: minus a mean, minus a minimum, times a factor."""

    dtc_mean_ch0: int = 0
    dtc_mean_ch1: int = 0
    dtc_mean_ch2: int = 0
    dtc_min_ch0: float = 0.0
    dtc_min_ch1: float = 0.0
    dtc_min_ch2: float = 0.0
    dtc_var_ch0: float = 1.0
    dtc_var_ch1: float = 1.0
    dtc_var_ch2: float = 1.0
    dtc_round_mode: int = 0


@dataclass
class AippChannelPaddingParams:
    """How many channels there are in the end."""

    c_padding_mode: int = 0
    c_padding_value: float = 0


@dataclass
class AippColorSpaceConvParams:
    """A matrix between RGB and YUV."""

    is_enable_csc: bool = False
    csc_matrix_r0_c0: int = 0
    csc_matrix_r0_c1: int = 0
    csc_matrix_r0_c2: int = 0
    csc_matrix_r1_c0: int = 0
    csc_matrix_r1_c1: int = 0
    csc_matrix_r1_c2: int = 0
    csc_matrix_r2_c0: int = 0
    csc_matrix_r2_c1: int = 0
    csc_matrix_r2_c2: int = 0
    csc_bias_in_0: int = 0
    csc_bias_in_1: int = 0
    csc_bias_in_2: int = 0
    csc_bias_out_0: int = 0
    csc_bias_out_1: int = 0
    csc_bias_out_2: int = 0


@dataclass
class AippParams:
    """All settings; ``dtype`` is int8 or float16.

    Raises:
        TypeError: another element type.
    """

    dtype: DataType
    padding_params: AippPaddingParams = field(default_factory=AippPaddingParams)
    swap_params: AippSwapParams = field(default_factory=AippSwapParams)
    single_line_params: AippSingleLineParams = field(default_factory=AippSingleLineParams)
    dtc_params: AippDataTypeConvParams = field(default_factory=AippDataTypeConvParams)
    c_padding_params: AippChannelPaddingParams = field(default_factory=AippChannelPaddingParams)
    csc_params: AippColorSpaceConvParams = field(default_factory=AippColorSpaceConvParams)

    def __post_init__(self) -> None:
        if self.dtype not in (int8, float16):
            raise TypeError(f"AippParams: dtype: found {self.dtype}, expected int8 or float16")


def set_aipp_functions(src0: GlobalTensor, *rest: Any, **options: Any) -> None:
    """``set_aipp_functions(src0[, src1], input_format, config)``: the image and how it is loaded.

    ``src1`` is the UV plane of YUV420SP. Copies do not change.

    Raises:
        TypeError: arguments of neither form.
    """
    names = ("src1", "input_format", "config")
    given = names if rest and isinstance(rest[0], GlobalTensor) else names[1:]
    values = dict(zip(given, rest, strict=False)) | options
    if "config" not in values or not set(values) <= set(names):
        raise TypeError(f"set_aipp_functions: found {', '.join(values)}, expected [src1,] input_format, config")
    planes = {"src0": src0} | ({"src1": values["src1"]} if "src1" in values else {})
    check_operands("set_aipp_functions", planes, Global)
    if not isinstance(values["config"], AippParams):
        raise TypeError(f"set_aipp_functions: config: found {type(values['config']).__name__}, expected AippParams")
    running().state[AippParams] = AippInputFormat(values["input_format"]), values["config"], planes
