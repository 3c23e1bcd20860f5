"""Memory formats with CANN's numbers.

Source: hicann/ge `api/python/ge/ge/graph/types.py` @ffdcbc9f; ascend-transformer-boost
`tests/framework/python/CsvOpsTestTool/atb_csv_ops_test.py` @ddcc8b6.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Format(IntEnum):
    """How a tensor's elements lie in memory; the value is the number the C interfaces use.

    Those that no operator here can take are members too, as in the original; ``of`` finds none of them.
    """

    FORMAT_UNDEFINED = -1
    FORMAT_NCHW = 0
    FORMAT_NHWC = 1
    FORMAT_ND = 2
    FORMAT_NC1HWC0 = 3
    FORMAT_FRACTAL_Z = 4
    FORMAT_NC1C0HWPAD = 5
    FORMAT_NHWC1C0 = 6
    FORMAT_FSR_NCHW = 7
    FORMAT_FRACTAL_DECONV = 8
    FORMAT_C1HWNC0 = 9
    FORMAT_FRACTAL_DECONV_TRANSPOSE = 10
    FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = 11
    FORMAT_NC1HWC0_C04 = 12
    FORMAT_FRACTAL_Z_C04 = 13
    FORMAT_CHWN = 14
    FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = 15
    FORMAT_HWCN = 16
    FORMAT_NC1KHKWHWC0 = 17
    FORMAT_BN_WEIGHT = 18
    FORMAT_FILTER_HWCK = 19
    FORMAT_HASHTABLE_LOOKUP_LOOKUPS = 20
    FORMAT_HASHTABLE_LOOKUP_KEYS = 21
    FORMAT_HASHTABLE_LOOKUP_VALUE = 22
    FORMAT_HASHTABLE_LOOKUP_OUTPUT = 23
    FORMAT_HASHTABLE_LOOKUP_HITS = 24
    FORMAT_C1HWNCoC0 = 25
    FORMAT_MD = 26
    FORMAT_NDHWC = 27
    FORMAT_FRACTAL_ZZ = 28
    FORMAT_FRACTAL_NZ = 29
    FORMAT_NCDHW = 30
    FORMAT_DHWCN = 31
    FORMAT_NDC1HWC0 = 32
    FORMAT_FRACTAL_Z_3D = 33
    FORMAT_CN = 34
    FORMAT_NC = 35
    FORMAT_DHWNC = 36
    FORMAT_FRACTAL_Z_3D_TRANSPOSE = 37
    FORMAT_FRACTAL_ZN_LSTM = 38
    FORMAT_FRACTAL_Z_G = 39
    FORMAT_RESERVED = 40
    FORMAT_ALL = 41
    FORMAT_NULL = 42
    FORMAT_ND_RNN_BIAS = 43
    FORMAT_FRACTAL_ZN_RNN = 44
    FORMAT_NYUV = 45
    FORMAT_NYUV_A = 46
    FORMAT_NCL = 47
    FORMAT_FRACTAL_Z_WINO = 48
    FORMAT_C1HWC0 = 49
    FORMAT_FRACTAL_NZ_C0_16 = 50
    FORMAT_FRACTAL_NZ_C0_32 = 51
    FORMAT_END = 52
    FORMAT_MAX = 53

    @classmethod
    def of(cls, value: Any) -> Format:
        """The format of that number or name, in any case, with or without ``FORMAT_``.

        Raises:
            ValueError: there is no such format.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and value in OFFERED:
            return cls(value)
        name = f"FORMAT_{value.strip().upper().removeprefix('FORMAT_')}" if isinstance(value, str) else ""
        if cls.__members__.get(name) not in OFFERED:
            raise ValueError(f"format: found {value!r}, expected one of {', '.join(f.short for f in OFFERED)}")
        return cls[name]

    @property
    def short(self) -> str:
        """The name without its prefix, e.g. ``ND``."""
        return self.name.removeprefix("FORMAT_")


OFFERED = tuple(
    Format[f"FORMAT_{name}"]
    for name in (
        "UNDEFINED", "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1HWC0_C04", "HWCN", "NDHWC", "FRACTAL_NZ",
        "NCDHW", "NDC1HWC0", "FRACTAL_Z_3D",
    )
)  # fmt: skip
"""The formats that an operator here may take or give."""
