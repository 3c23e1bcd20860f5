"""Memory formats with CANN's numbers.

Source: hicann/ge `api/python/ge/ge/graph/types.py` @ffdcbc9f; ascend-transformer-boost
`tests/framework/python/CsvOpsTestTool/atb_csv_ops_test.py` @ddcc8b6.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Format(IntEnum):
    """How a tensor's elements lie in memory; the value is the number the C interfaces use."""

    FORMAT_UNDEFINED = -1
    FORMAT_NCHW = 0
    FORMAT_NHWC = 1
    FORMAT_ND = 2
    FORMAT_NC1HWC0 = 3
    FORMAT_FRACTAL_Z = 4
    FORMAT_NC1HWC0_C04 = 12
    FORMAT_HWCN = 16
    FORMAT_NDHWC = 27
    FORMAT_FRACTAL_NZ = 29
    FORMAT_NCDHW = 30
    FORMAT_NDC1HWC0 = 32
    FORMAT_FRACTAL_Z_3D = 33

    @classmethod
    def of(cls, value: Any) -> Format:
        """The format of that number or name, in any case, with or without ``FORMAT_``.

        Raises:
            ValueError: there is no such format.
        """
        if isinstance(value, int) and not isinstance(value, bool) and value in cls._value2member_map_:
            return cls(value)
        name = f"FORMAT_{value.strip().upper().removeprefix('FORMAT_')}" if isinstance(value, str) else ""
        if name not in cls.__members__:
            raise ValueError(f"format: found {value!r}, expected one of {', '.join(f.short for f in cls)}")
        return cls[name]

    @property
    def short(self) -> str:
        """The name without its prefix, e.g. ``ND``."""
        return self.name.removeprefix("FORMAT_")
