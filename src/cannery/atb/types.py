"""Tensors, packs of them, and the switches of a context. Source: ascend-transformer-boost `include/atb/` @ddcc8b6."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from math import prod
from typing import Any, SupportsIndex, TypeVar

import torch
from typing_extensions import Self

from cannery.core import DataType, Format, Shape, TensorDesc
from cannery.core import Tensor as CoreTensor

T = TypeVar("T")

MAX_SVECTOR_SIZE = 256
# An element without a type counts one byte.
_UNDEFINED_SIZE = 1
UNDEFINED = TensorDesc(DataType.DT_UNDEFINED, Shape(), Format.FORMAT_UNDEFINED)


class ExecuteType(IntEnum):
    """Which of its two phases Execute runs."""

    EXECUTE_NORMAL = 0
    EXECUTE_PRELAUNCH = 1
    EXECUTE_LAUNCH = 2


class LaunchMode(IntEnum):
    """Whether kernels are launched one by one, or captured once and replayed."""

    KERNEL_LAUNCH_MODE = 0
    GRAPH_LAUNCH_MODE = 1


class MaxSizeExceededError(ValueError):
    """More than 256 elements in an SVector."""


class SVector(list[T]):
    """ATB's vector: a list of at most 256 elements.

    Raises:
        MaxSizeExceededError: an element too many.
    """

    def __init__(self, items: Iterable[T] = ()) -> None:
        super().__init__()
        self.extend(items)

    def append(self, item: T) -> None:
        """Put an element at the end."""
        self.insert(len(self), item)

    def extend(self, items: Iterable[T]) -> None:
        """Put elements at the end."""
        for item in items:
            self.append(item)

    def insert(self, index: SupportsIndex, item: T) -> None:
        """Put an element before another."""
        if len(self) >= MAX_SVECTOR_SIZE:
            raise MaxSizeExceededError(f"SVector: found element {len(self) + 1}, expected at most {MAX_SVECTOR_SIZE}")
        super().insert(index, item)

    def __iadd__(self, items: Iterable[T]) -> Self:  # type: ignore[override,misc]
        self.extend(items)
        return self


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor as ATB takes it: what describes it, and where its data are.

    Attributes:
        deviceData: an address of device memory, or a torch tensor, whose memory is meant. Contiguous.
        hostData: the same for a tensor in host memory.
        dataSize: bytes; 0 takes what the descriptor says.
    """

    desc: TensorDesc = UNDEFINED
    deviceData: Any = None
    hostData: Any = None
    dataSize: int = 0

    def __post_init__(self) -> None:
        if not self.dataSize:
            object.__setattr__(self, "dataSize", byte_size(self.desc))

    @classmethod
    def of(cls, tensor: torch.Tensor, format: Format = Format.FORMAT_ND) -> Tensor:
        """A torch tensor's memory with its data type and shape.

        Raises:
            ValueError: it is not contiguous, or CANN has no such data type.
        """
        if not tensor.is_contiguous():
            raise ValueError("tensor: found one that is not contiguous, expected a contiguous one")
        return cls(CoreTensor(tensor, format).desc, deviceData=tensor)

    @property
    def data(self) -> Any:
        """Where the data are; None for a tensor without any. An address of 0 is null."""
        return self.hostData if is_null(self.deviceData) else self.deviceData


def is_null(data: Any) -> bool:
    """Whether this is no memory: nothing, or the address 0."""
    return data is None or (isinstance(data, int) and data == 0)


def byte_size(desc: TensorDesc) -> int:
    """Bytes of a tensor, as ATB counts them."""
    item = _UNDEFINED_SIZE if desc.dtype is DataType.DT_UNDEFINED else desc.dtype.itemsize
    return item * prod(desc.shape) if desc.shape else 0


class VariantPack:
    """The tensors of a call."""

    def __init__(self, inTensors: Iterable[Tensor] = (), outTensors: Iterable[Tensor] = ()) -> None:
        self.inTensors = SVector(inTensors)
        self.outTensors = SVector(outTensors)

    @property
    def is_empty(self) -> bool:
        """Whether it names no tensor: then Execute takes those of Setup."""
        return not self.inTensors and not self.outTensors
