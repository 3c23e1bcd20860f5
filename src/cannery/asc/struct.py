"""Structs passed by value to kernels (hicann/pyasc `python/asc/language/core/struct.py` @cecba26ace65)."""

from __future__ import annotations

import copy
from typing import Any, Final

import numpy as np

from cannery.asc.dtypes import DataType
from cannery.asc.numbers import typed

__all__ = ["Field", "Struct", "StructField"]

_MISSING: Final = object()


class Field:
    """A scalar field: element type, default, name, and an enum whose members it may hold."""

    def __init__(self, dtype: DataType, default: Any = _MISSING, name: str | None = None, enum: Any = None) -> None:
        self.dtype = dtype
        self.default = default
        self.name = name
        self.enum = enum


class StructField:
    """A nested struct; without a default a fresh one."""

    def __init__(self, cls: type[Struct], default: Any = None, name: str | None = None) -> None:
        self.cls = cls
        self.default = default
        self.name = name


class Struct:
    """Base of user structs: class attributes are the fields, the constructor takes them by keyword.

    Raises:
        RuntimeError: a field without default is missing, or a name is unknown.
    """

    def __init__(self, **values: Any) -> None:
        fields = self.fields()
        unknown = [name for name in values if name not in fields]
        if unknown:
            raise RuntimeError(f"{type(self).__name__}: found field {unknown[0]}, expected one of {', '.join(fields)}")
        for name, spec in fields.items():
            setattr(self, name, values.get(name, _MISSING) if name in values else self._default(name, spec))

    @classmethod
    def fields(cls) -> dict[str, Field | StructField]:
        """The fields by name, in order of definition."""
        found: dict[str, Field | StructField] = {}
        for base in reversed(cls.__mro__):
            found |= {name: value for name, value in vars(base).items() if isinstance(value, (Field, StructField))}
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        spec = self.fields().get(name)
        if isinstance(spec, Field) and spec.dtype.size:
            value = typed(value, spec.dtype)
        object.__setattr__(self, name, value)

    def _default(self, name: str, spec: Field | StructField) -> Any:
        if isinstance(spec, StructField):
            return spec.cls() if spec.default is None else copy.deepcopy(spec.default)
        if spec.default is _MISSING:
            raise RuntimeError(f"{type(self).__name__}: field {name} is missing and has no default")
        return spec.default

    def pack(self) -> bytes:
        """The memory image: fields at their natural alignment, the whole padded to 8 bytes."""
        image = b""
        for name, spec in self.fields().items():
            value = getattr(self, name)
            part = value.pack() if isinstance(spec, StructField) else _image(value, spec.dtype)
            align = 8 if isinstance(spec, StructField) else max(spec.dtype.size, 1)
            image += bytes(-len(image) % align) + part
        return image + bytes(-len(image) % 8)


def _image(value: Any, dtype: DataType) -> bytes:
    if dtype.numpy is None:
        return bytes([bool(value)])
    return np.array([value]).astype(dtype.numpy).tobytes()


class Array:
    """``asc.array``: a small scalar array that kernels may write."""

    def __init__(self, dtype: DataType, length_or_values: Any, fill_value: Any = None) -> None:
        self.dtype = dtype
        if isinstance(length_or_values, (list, tuple)):
            self._values = [typed(value, dtype) for value in length_or_values]
        else:
            self._values = [typed(fill_value or 0, dtype) for _ in range(int(length_or_values))]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> Any:
        return self._values[int(index)]

    def __setitem__(self, index: int, value: Any) -> None:
        self._values[int(index)] = typed(value, self.dtype)
