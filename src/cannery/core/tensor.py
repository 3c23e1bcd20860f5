"""Tensors: what describes them, and a zero-copy view of one a caller holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cannery.core.dtype import DataType
from cannery.core.format import Format
from cannery.core.loaded import is_torch
from cannery.core.shape import Shape

if TYPE_CHECKING:
    import torch


T = TypeVar("T")


def trimmed(values: Sequence[T | None]) -> tuple[T | None, ...]:
    """Without what is absent at the end: how calls pass optional inputs."""
    end = next((index for index in range(len(values), 0, -1) if values[index - 1] is not None), 0)
    return tuple(values[:end])


@dataclass(frozen=True)
class TensorDesc:
    """Data type, shape and format of a tensor; the shape is the storage shape, ``origin_shape`` defaults to it."""

    dtype: DataType
    shape: Shape
    format: Format = Format.FORMAT_ND
    origin_shape: Shape | None = None

    def __str__(self) -> str:
        return f"{self.dtype.short} {self.shape!r} {self.format.short}"


@dataclass(frozen=True, eq=False)
class Tensor:
    """A torch tensor seen with CANN's vocabulary; no element is copied.

    ``origin`` is the object the caller gave (a torch tensor, a numpy array), so that it can be handed back.
    """

    torch: torch.Tensor
    format: Format = Format.FORMAT_ND
    origin: Any = None

    @classmethod
    def of(cls, value: Any, format: Format = Format.FORMAT_ND) -> Tensor:
        """Wrap a torch tensor or a numpy array (ml_dtypes included) without copying it.

        An array that is read-only or runs backwards is copied, since torch has no such tensors.

        Raises:
            TypeError: the value is neither.
            ValueError: its element type is none of CANN's, or it is sparse or nested.
        """
        if isinstance(value, cls):
            return value
        if is_torch(value, "Tensor"):
            import torch

            DataType.of(value.dtype)
            if value.layout is not torch.strided or value.is_nested:
                found = "a nested one" if value.is_nested else f"layout {value.layout}"
                raise ValueError(f"tensor: found {found}, expected a strided one")
            return cls(value, format, value)
        if isinstance(value, np.ndarray):
            return cls(_from_numpy(value), format, value)
        raise TypeError(f"tensor: found {type(value).__name__}, expected a torch.Tensor or a numpy.ndarray")

    @property
    def dtype(self) -> DataType:
        """CANN's data type of an element."""
        return DataType.of(self.torch.dtype)

    @property
    def desc(self) -> TensorDesc:
        """Data type, shape and format."""
        return TensorDesc(self.dtype, Shape(self.torch.shape), self.format)

    def numpy(self) -> np.ndarray[Any, Any]:
        """The same memory as a numpy array; bfloat16 and 8-bit floats by ml_dtypes.

        Raises:
            ValueError: the tensor is not in host memory, or numpy has no such dtype.
        """
        dtype, plain = self.dtype.numpy, _in_host_memory(self.torch, "numpy view")
        bits = _bits_of().get(self.torch.dtype)
        return plain.numpy() if bits is None else plain.view(bits).numpy().view(dtype)

    def bytes(self) -> memoryview:
        """The same memory as raw bytes, in element order.

        Raises:
            ValueError: the tensor is not contiguous or not in host memory.
        """
        import torch

        if not self.torch.is_contiguous():
            raise ValueError("byte view: found a non-contiguous tensor, expected a contiguous one")
        return _in_host_memory(self.torch, "byte view").reshape(-1).view(torch.uint8).numpy().data


@cache
def _bits_of() -> dict[torch.dtype, torch.dtype]:
    """numpy knows these only by ml_dtypes, and torch converts neither way: both sides are told it is integers."""
    import torch

    return {
        torch.bfloat16: torch.int16,
        torch.float8_e5m2: torch.uint8,
        torch.float8_e4m3fn: torch.uint8,
        torch.float8_e8m0fnu: torch.uint8,
    }


def _in_host_memory(tensor: torch.Tensor, what: str) -> torch.Tensor:
    if tensor.device.type != "cpu":
        raise ValueError(f"{what}: found a tensor on {tensor.device}, expected one in host memory")
    return tensor.detach()


def _from_numpy(array: np.ndarray[Any, Any]) -> torch.Tensor:
    import torch

    dtype = DataType.of(array.dtype).torch
    writable = array if array.flags.writeable and min(array.strides, default=0) >= 0 else array.copy()
    bits = _bits_of().get(dtype)
    if bits is None:
        return torch.from_numpy(writable)
    return torch.from_numpy(writable.view(DataType.of(bits).numpy)).view(dtype)
