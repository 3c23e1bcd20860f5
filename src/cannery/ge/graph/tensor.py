"""``ge.graph.Tensor``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cannery.core import DataType, Format
from cannery.core import Tensor as CoreTensor
from cannery.core import TensorDesc as CoreDesc
from cannery.core.published import module_getattr
from cannery.ge._engine.arguments import NotCopied, memory_format, require
from cannery.ge._engine.arguments import data_type as dtype_of
from cannery.ge.graph.shape import Shape, integers
from cannery.ge.graph.tensor_desc import TensorDesc, dims_of
from cannery.ge.graph.types import Placement

__all__ = ["Tensor"]

FROM_LIST = frozenset(
    {
        DataType.DT_INT8,
        DataType.DT_INT16,
        DataType.DT_INT32,
        DataType.DT_INT64,
        DataType.DT_UINT8,
        DataType.DT_UINT16,
        DataType.DT_UINT32,
        DataType.DT_UINT64,
        DataType.DT_FLOAT,
        DataType.DT_FLOAT16,
        DataType.DT_BOOL,
    }
)
"""What a list can become. A file may hold any type of whole bytes."""


class Tensor(NotCopied):
    """Data that goes into a graph or comes out of one.

    The original's limits hold: ``data`` is a flat list; DT_DOUBLE and DT_BF16 cannot be made from one; a list of
    nothing but bools becomes DT_BOOL whatever data type was asked for. Source: hicann/ge
    `api/python/ge/ge/graph/tensor.py` @ffdcbc9f.

    Args:
        data: the elements in row-major order.
        file_path: a file of the raw bytes instead, little endian.
        shape: dims; by default one dim of all elements.

    Raises:
        TypeError: data is not a list, or an element is of another kind than the data type.
        RuntimeError: both data and file, or a data type that cannot be made from a list.
        ValueError: elements that do not fill the shape or do not fit the data type.
        OSError: the file cannot be read.
    """

    def __init__(
        self,
        data: list[Any] | None = None,
        file_path: str | None = None,
        data_type: DataType = DataType.DT_FLOAT,
        format: Format = Format.FORMAT_ND,
        shape: Shape | Iterable[int] | None = None,
        placement: Placement = Placement.PLACEMENT_HOST,
    ) -> None:
        if data is not None and file_path is not None:
            raise RuntimeError("Tensor should be created either by data or by file, found both")
        dtype, dims = dtype_of(data_type), None if shape is None else integers(shape, "Shape")
        values = _from_file(file_path, dtype) if file_path is not None else _from_list(data, dtype)
        self._desc = CoreDesc(
            dtype if values is None else DataType.of(values.dtype),
            dims_of((0 if values is None else values.numel(),) if dims is None else dims),
            memory_format(format),
        )
        self._values = None if values is None else _shaped(values, self._desc)
        self._placement = require(placement, Placement, "Placement")

    @classmethod
    def of(cls, tensor: CoreTensor) -> Tensor:
        """A tensor the rest of cannery uses, in GE's spelling; no element is copied."""
        made = cls()
        made._desc, made._values = tensor.desc, tensor.torch
        return made

    @property
    def core(self) -> CoreTensor | None:
        """The tensor as operators see it, sharing memory; None without data."""
        return None if self._values is None else CoreTensor(self._values, self._desc.format)

    def get_data(self) -> Any:
        """The elements as Python numbers: lists in lists as the shape has them, a bare number for a scalar."""
        return [] if self._values is None else self._values.tolist()

    def get_shape(self) -> Shape:
        """The shape."""
        return Shape(self._desc.shape)

    def get_data_type(self) -> DataType:
        """The data type."""
        return self._desc.dtype

    def set_data_type(self, data_type: DataType) -> Tensor:
        """Read the bytes as elements of another type of the same size; the tensor itself.

        Raises:
            TypeError: no data type; ValueError: one of another size.
        """
        dtype = dtype_of(data_type, "Data_type must be a DataType")
        if self._values is not None:
            if dtype.itemsize != self._desc.dtype.itemsize:
                found, size = dtype.name, self._desc.dtype.itemsize
                raise ValueError(
                    f"Tensor.set_data_type: found {found}, expected a type of {size} bytes, as the data has"
                )
            self._values = self._values.view(dtype.torch)
        self._desc = replace(self._desc, dtype=dtype)
        return self

    def get_format(self) -> Format:
        """The format."""
        return self._desc.format

    def set_format(self, format: Format) -> Tensor:
        """Call the format another; nothing moves. The tensor itself."""
        self._desc = replace(self._desc, format=memory_format(format))
        return self

    def get_size(self) -> int:
        """Number of bytes."""
        return 0 if self._values is None else self._values.numel() * self._values.element_size()

    def get_tensor_desc(self) -> TensorDesc:
        """A copy of the descriptor."""
        desc = TensorDesc.of(self._desc)
        desc.set_placement(self._placement)
        return desc

    def get_placement(self) -> Placement:
        """Where the data is said to lie; a virtual device's memory is the host's, so nothing moves."""
        return self._placement

    def to_host(self) -> Tensor:
        """The same data, placed on the host."""
        return self._placed(Placement.PLACEMENT_HOST)

    def to_device(self) -> Tensor:
        """The same data, placed on the device."""
        return self._placed(Placement.PLACEMENT_DEVICE)

    def _placed(self, placement: Placement) -> Tensor:
        moved = Tensor()
        moved._desc, moved._values, moved._placement = self._desc, self._values, placement
        return moved

    data = property(get_data)
    shape = property(get_shape)
    data_type = property(get_data_type)
    format = property(get_format)
    placement = property(get_placement)

    def __str__(self) -> str:
        place = self._placement.name
        return f"Tensor({self._desc}, placement={place}, data={self.get_data()})"

    def __repr__(self) -> str:
        return f"Tensor({self._desc})"


def _from_file(path: str, dtype: DataType) -> torch.Tensor:
    raw = bytearray(Path(path).read_bytes())
    if not dtype.itemsize or len(raw) % dtype.itemsize:
        raise ValueError(f"Tensor: found {len(raw)} bytes in {path}, expected whole elements of {dtype.name}")
    return torch.frombuffer(raw, dtype=dtype.torch) if raw else torch.empty(0, dtype=dtype.torch)


def _from_list(data: Any, dtype: DataType) -> torch.Tensor | None:
    if data is None:
        return None
    if not isinstance(data, list):
        raise TypeError(f"Tensor: data: found {type(data).__name__}, expected a list")
    if data and all(isinstance(value, bool) for value in data):
        dtype = DataType.DT_BOOL
    if dtype not in FROM_LIST:
        raise RuntimeError(f"Tensor: found data of {dtype.name}, expected a type that a list can hold; use file_path")
    _check_elements(data, dtype)
    try:
        with np.errstate(over="ignore"):  # a float beyond float16 is infinity, as the conversion in C has it
            return torch.from_numpy(np.array(_whole(data, dtype), dtype.numpy).reshape(-1))
    except OverflowError as failure:
        raise ValueError(f"Tensor: data: found {failure}, expected elements that fit {dtype.name}") from None


def _check_elements(data: list[Any], dtype: DataType) -> None:
    numbers = (int, float, np.integer, np.floating, np.bool_)
    strangers = [value for value in data if not isinstance(value, numbers) or _loses(value, dtype)]
    if strangers:
        raise TypeError(f"Tensor: data: found {strangers[0]!r:.80}, expected a flat list of numbers of {dtype.name}")


def _loses(value: Any, dtype: DataType) -> bool:
    """Whether a number cannot be an element: the original would cut its fraction off without a word."""
    return not dtype.is_floating and value != value // 1


def _whole(data: list[Any], dtype: DataType) -> list[Any]:
    """The elements, in a form that does not wrap: what does not fit an integer type is an error in any numpy."""
    return data if dtype.is_floating or dtype is DataType.DT_BOOL else [_fitting(int(value), dtype) for value in data]


def _fitting(value: int, dtype: DataType) -> int:
    limits = np.iinfo(dtype.numpy)
    if not limits.min <= value <= limits.max:
        raise OverflowError(str(value))
    return value


def _shaped(values: torch.Tensor, desc: CoreDesc) -> torch.Tensor:
    if desc.shape.is_unknown or math.prod(desc.shape) != values.numel():
        raise ValueError(f"Tensor: found {values.numel()} elements, expected as many as shape {desc.shape} has")
    return values.reshape(tuple(desc.shape))


__getattr__ = module_getattr("cannery.ge", "ge.graph.tensor", "it is not of use without the original's library")
