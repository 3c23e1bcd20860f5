"""Element types (names and members of hicann/pyasc `python/asc/language/core/dtype.py` @cecba26ace65)."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import ml_dtypes
import numpy as np

_NAME: Final = re.compile("(int|uint|float|bfloat)([0-9]+)$")
_KINDS: Final = MappingProxyType({"int": "Int", "uint": "UInt", "float": "Float", "bfloat": "Float"})


def truncated(value: Any) -> int:
    """A number as an integer. NaN and infinity, which C leaves open, are 0: poison must not end a kernel."""
    try:
        return int(value)
    except (ValueError, OverflowError):
        if isinstance(value, (float, np.floating)):
            return 0
        raise


class DataType:
    """An element type by its name, one object each: ``DataType("int32")`` is ``int32``.

    Kind and width are in the name; ``numpy`` is the numpy dtype with the same bits, None where there is none.

    Attributes:
        name: e.g. "float16".
        kind: "Int", "UInt", "Float" or "Any".
        bitwidth: bits of an element, None for void.
        size: bytes of an element, 0 where it is no whole number of bytes.
        low, high: the smallest and the largest integer; both 0 where the type has none.
    """

    __slots__ = ("bitwidth", "high", "kind", "low", "name", "numpy", "size")

    bitwidth: int | None
    high: int
    kind: str
    low: int
    name: str
    numpy: Any
    size: int

    def __new__(cls, name: str) -> DataType:
        return _one(name)

    def _describe(self, name: str) -> None:
        found = _NAME.match(name)
        self.name = name
        self.kind = _KINDS[found[1]] if found else "Any"
        self.bitwidth = int(found[2]) if found else None
        self.size = 0 if self.bitwidth is None or self.bitwidth % 8 else self.bitwidth // 8
        self.numpy = _numpy_of(name) if self.size else None
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
        return self.numpy.type(self.wrap(truncated(value)) if self.high else value)

    def bytes_of(self, value: Any) -> np.ndarray[Any, Any]:
        """A scalar's bytes as an element."""
        return np.array([self.element(value)], self.numpy).view(np.uint8)

    def __reduce__(self) -> tuple[Any, ...]:
        return DataType, (self.name,)  # there is one object of each type: copies and pickles are that object

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


@cache
def _one(name: str) -> DataType:
    made: DataType = object.__new__(DataType)
    made._describe(name)
    return made


def _numpy_of(name: str) -> Any:
    """By numpy's name: CANN's data types would bring PyTorch, which a kernel on numpy arrays does not need."""
    try:
        return np.dtype(getattr(ml_dtypes, name, name))
    except TypeError:
        return None


void: Final = DataType("void")
int1: Final = DataType("int1")
int8: Final = DataType("int8")
int16: Final = DataType("int16")
int32: Final = DataType("int32")
int64: Final = DataType("int64")
uint8: Final = DataType("uint8")
uint16: Final = DataType("uint16")
uint32: Final = DataType("uint32")
uint64: Final = DataType("uint64")
float16: Final = DataType("float16")
float32: Final = DataType("float32")
float64: Final = DataType("float64")
bfloat16: Final = DataType("bfloat16")

BY_NUMPY: Final = MappingProxyType(
    {
        dtype.numpy: dtype
        for dtype in (
            int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bfloat16,
        )
    }
)  # fmt: skip
"""Element type by numpy dtype. bfloat16 is ours: pyasc has no such type, AscendC has."""
