"""Element types (names and members of hicann/pyasc `python/asc/language/core/dtype.py` @cecba26ace65)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import ml_dtypes
import numpy as np


class DataType:
    """An element type, one object each. ``numpy`` is the numpy dtype with the same bits; ``void`` has none.

    Attributes:
        name: e.g. "float16".
        kind: "Int", "UInt", "Float" or "Any".
        bitwidth: bits of an element, None for void.
        size: bytes of an element, 0 where it is no whole number of bytes.
        low, high: the smallest and the largest integer; both 0 where the type has none.
    """

    __slots__ = ("bitwidth", "high", "kind", "low", "name", "numpy", "size")

    def __init__(self, name: str, kind: str, bitwidth: int | None, numpy: Any = None) -> None:
        self.name = name
        self.kind = kind
        self.bitwidth = bitwidth
        self.size = 0 if bitwidth is None or bitwidth % 8 else bitwidth // 8
        self.numpy: Any = None if numpy is None else np.dtype(numpy)
        self.low, self.high = self._range()

    def _range(self) -> tuple[int, int]:
        if self.numpy is None or not self.is_int():
            return 0, 0
        info = np.iinfo(self.numpy)
        return int(info.min), int(info.max)

    def is_int(self) -> bool:
        """Signed or unsigned integer."""
        return self.kind in ("Int", "UInt")

    def is_float(self) -> bool:
        """Floating point."""
        return self.kind == "Float"

    def is_numeric(self) -> bool:
        """Integer or floating point."""
        return self.is_int() or self.is_float()

    def is_signed(self) -> bool:
        """Signed integer."""
        return self.kind == "Int"

    def is_unsigned(self) -> bool:
        """Unsigned integer."""
        return self.kind == "UInt"

    def is_void(self) -> bool:
        """The type of nothing."""
        return self.kind == "Any"

    def sizeof(self) -> int:
        """Bytes of an element.

        Raises:
            ValueError: an element is not a whole number of bytes.
        """
        if not self.size:
            raise ValueError(f"sizeof: found {self.name}, expected a type of whole bytes")
        return self.size

    def wrap(self, value: int) -> int:
        """An integer modulo the width."""
        if self.low <= value <= self.high:
            return value
        return (value - self.low) % (self.high - self.low + 1) + self.low

    def element(self, value: Any) -> Any:
        """A scalar as an element: floats are rounded, integers wrap."""
        return self.numpy.type(self.wrap(int(value)) if self.high else value)

    def bytes_of(self, value: Any) -> np.ndarray[Any, Any]:
        """A scalar's bytes as an element."""
        return np.array([self.element(value)], self.numpy).view(np.uint8)

    def __reduce__(self) -> str:
        return self.name  # there is one object of each type: copies and pickles are that object

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


def _typed(kind: str, name: str) -> DataType:
    # By numpy's name: CANN's data types would bring PyTorch, which a kernel on numpy arrays does not need.
    dtype: Any = np.dtype(getattr(ml_dtypes, name, name))
    return DataType(name, kind, dtype.itemsize * 8, dtype)


void: Final = DataType("void", "Any", None)
int1: Final = DataType("int1", "Int", 1)
int8: Final = _typed("Int", "int8")
int16: Final = _typed("Int", "int16")
int32: Final = _typed("Int", "int32")
int64: Final = _typed("Int", "int64")
uint8: Final = _typed("UInt", "uint8")
uint16: Final = _typed("UInt", "uint16")
uint32: Final = _typed("UInt", "uint32")
uint64: Final = _typed("UInt", "uint64")
float16: Final = _typed("Float", "float16")
float32: Final = _typed("Float", "float32")
float64: Final = _typed("Float", "float64")
bfloat16: Final = _typed("Float", "bfloat16")

BY_NUMPY: Final = MappingProxyType(
    {
        dtype.numpy: dtype
        for dtype in (
            int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bfloat16,
        )
    }
)  # fmt: skip
"""Element type by numpy dtype. bfloat16 is ours: pyasc has no such type, AscendC has."""
