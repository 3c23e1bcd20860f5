"""Positions and modes of instructions; names and numbers are the same in pyasc and in Ascend C
(hicann/pyasc `python/asc/language/core/enums.py` @cecba26ace65).
"""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import Final


class TPosition(IntEnum):
    """Logical positions."""

    GM = 0
    A1 = 1
    A2 = 2
    B1 = 3
    B2 = 4
    C1 = 5
    C2 = 6
    CO1 = 7
    CO2 = 8
    VECIN = 9
    VECOUT = 10
    VECCALC = 11
    MAX = 12


_P = TPosition
MEMORY: Final = MappingProxyType(
    {
        _P.GM: "GM", _P.A1: "L1", _P.A2: "L0A", _P.B1: "L1", _P.B2: "L0B", _P.C1: "L1", _P.C2: "BT", _P.CO1: "L0C",
        _P.CO2: "GM", _P.VECIN: "UB", _P.VECOUT: "UB", _P.VECCALC: "UB",
    }
)  # fmt: skip
"""The physical memory of a position."""


class CMPMODE(IntEnum):
    """Comparisons."""

    LT = 0
    GT = 1
    EQ = 2
    LE = 3
    GE = 4
    NE = 5


class RoundMode(IntEnum):
    """How a conversion rounds."""

    CAST_NONE = 0
    CAST_RINT = 1
    CAST_FLOOR = 2
    CAST_CEIL = 3
    CAST_ROUND = 4
    CAST_TRUNC = 5
    CAST_ODD = 6


class SelMode(IntEnum):
    """Forms of select."""

    VSEL_CMPMASK_SPR = 0
    VSEL_TENSOR_SCALAR_MODE = 1
    VSEL_TENSOR_TENSOR_MODE = 2


class ReduceOrder(IntEnum):
    """What a reduction stores."""

    ORDER_VALUE_INDEX = 0
    ORDER_INDEX_VALUE = 1
    ORDER_ONLY_VALUE = 2
    ORDER_ONLY_INDEX = 3


class QuantModes(IntEnum):
    """What fixpipe converts: the type in L0C, and how; a V has one word for each column."""

    NoQuant = 0
    F322F16 = 1
    F322BF16 = 2
    DEQF16 = 3
    VDEQF16 = 4
    QF322B8_PRE = 5
    VQF322B8_PRE = 6
    REQ8 = 7
    VREQ8 = 8


class CO2Layout(IntEnum):
    """How fixpipe lays out what leaves L0C."""

    NZ = 0
    ROW_MAJOR = 1
    COLUMN_MAJOR = 2


class CubeFormat(IntEnum):
    """Matrix layouts."""

    ND = 0
    NZ = 1


class LayoutMode(IntEnum):
    """How the matrices of a batch lie."""

    NONE = 0
    NORMAL = 1
    BSNGD = 2
    SBNGD = 3
    BNGS1S2 = 4


class IterateOrder(IntEnum):
    """Which way a Matmul walks through C first; UNDEF: as its tiling says."""

    ORDER_M = 0
    ORDER_N = 1
    UNDEF = 2


class ScheduleType(IntEnum):
    """Whether K is the innermost loop of a Matmul."""

    INNER_PRODUCT = 0
    OUTER_PRODUCT = 1


class BatchMode(IntEnum):
    """Where a batch of a Matmul finds room."""

    NONE = 0
    BATCH_LESS_THAN_L1 = 1
    BATCH_LARGE_THAN_L1 = 2
    SINGLE_LARGE_THAN_L1 = 3


class BatchOutMode(IntEnum):
    """How many matrices of a batch leave L0C at once."""

    SINGLE_BATCH = 0
    MULTI_BATCH = 1
    DYNAMIC = 2


class IterateMode(IntEnum):
    """Which of its iterations a Matmul is compiled for."""

    ITERATE_MODE_NORMAL = 1
    ITERATE_MODE_ALL = 2
    ITERATE_MODE_BATCH = 4
    ITERATE_MODE_N_BATCH = 8
    ITERATE_MODE_DEFAULT = 255


class MatmulConfigMode(IntEnum):
    """The templates of a Matmul."""

    CONFIG_NORM = 1
    CONFIG_MDL = 2
    CONFIG_SPECIALMDL = 3
    CONFIG_IBSHARE = 4


class TransposeType(IntEnum):
    """What transpose does with its parameters; those that neither dav-2201 nor dav-3510 has are refused."""

    TRANSPOSE_TYPE_NONE = 0
    TRANSPOSE_NZ2ND_0213 = 1
    TRANSPOSE_NZ2NZ_0213 = 2
    TRANSPOSE_NZ2NZ_012_WITH_N = 3
    TRANSPOSE_NZ2ND_012_WITH_N = 4
    TRANSPOSE_NZ2ND_012_WITHOUT_N = 5
    TRANSPOSE_NZ2NZ_012_WITHOUT_N = 6
    TRANSPOSE_ND2ND_ONLY = 7
    TRANSPOSE_ND_UB_GM = 8
    TRANSPOSE_GRAD_ND_UB_GM = 9
    TRANSPOSE_ND2ND_B16 = 10
    TRANSPOSE_NCHW2NHWC = 11
    TRANSPOSE_NHWC2NCHW = 12
