"""What two-phase calls take: tensors, scalars, arrays and lists, by handle.

Source: hicann/opbase `include/nnopbase/aclnn/acl_meta.h`, `src/nnopbase/common/utils/common_types.cpp` @aa3cd74.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any

from cannery.core import AclnnStatus, DataType, Format, Shape, TensorDesc
from cannery.runtime import RuntimeFault
from cannery.runtime.constants import FORMATS

if TYPE_CHECKING:
    import torch

INVALID = AclnnStatus.ACLNN_ERR_PARAM_INVALID
# Formats that only name the dims of a plain row-major tensor. A caller picks one of them by the rank.
_PLAIN = frozenset(
    FORMATS[f"ACL_FORMAT_{name}"] for name in ("ND", "NCHW", "NHWC", "HWCN", "NCDHW", "NDHWC", "NC", "NCL")
)


@dataclass(eq=False)
class AclTensor:
    """A view of device memory.

    Attributes:
        dims: of the view; strides and offset count elements from ``address``.
        address: of the storage; may be set later.
        is_alive: until it is destroyed.
        checked: the view, once it was found good.
    """

    dims: tuple[int, ...]
    data_type: int
    strides: tuple[int, ...]
    offset: int
    format: int
    storage_dims: tuple[int, ...]
    address: int
    is_alive: bool = True
    checked: View | None = None

    def view(self, name: str) -> View:
        """The view, checked once.

        Raises:
            RuntimeFault: PARAM_INVALID, as ``View.of``.
        """
        if self.checked is None:
            self.checked = View.of(name, self)
        return self.checked

    def assign(self, other: AclTensor) -> None:
        """Become what another is."""
        self.__dict__.update(other.__dict__)


@dataclass(frozen=True)
class View:
    """A view as phase 1 found it good.

    Attributes:
        start: bytes from the address of the storage to the first element.
        size: bytes from there to the end of the last element; 0 when there are no elements.
    """

    desc: TensorDesc
    strides: tuple[int, ...]
    start: int
    size: int

    @classmethod
    def of(cls, name: str, tensor: AclTensor) -> View:
        """The view of a tensor.

        Raises:
            RuntimeFault: PARAM_INVALID: a number that is no data type or format, a negative dim, stride or offset, more
                elements than int64 counts.
        """
        desc = TensorDesc(_data_type(name, tensor.data_type), _shape(name, tensor.dims), _format(name, tensor.format))
        bad = next((stride for stride in (*tensor.strides, tensor.offset) if stride < 0), None)
        if bad is not None:
            raise RuntimeFault(INVALID, name, f"stride or offset {bad}", "at least 0")
        last = sum((dim - 1) * stride for dim, stride in zip(tensor.dims, tensor.strides, strict=True))
        size = (last + 1) * desc.dtype.itemsize if desc.shape.element_count() else 0
        return cls(desc, tensor.strides, tensor.offset * desc.dtype.itemsize, size)

    @property
    def is_row_major(self) -> bool:
        """Whether the elements lie in order, without gaps."""
        dense = row_major(self.desc.shape)
        dims = zip(self.desc.shape, self.strides, dense, strict=True)
        return not self.size or all(dim == 1 or stride == expected for dim, stride, expected in dims)

    @property
    def is_injective(self) -> bool:
        """Whether no two elements share memory, as far as strides of 0 tell."""
        dims = zip(self.desc.shape, self.strides, strict=True)
        return not self.size or all(stride or dim <= 1 for dim, stride in dims)

    def over(self, memory: torch.Tensor) -> torch.Tensor:
        """The elements in memory that begins at the first one: uint8 (size,), not copied."""
        import torch

        dtype = self.desc.dtype.torch
        if not self.size:
            return torch.empty(tuple(self.desc.shape), dtype=dtype)
        return memory.view(dtype).as_strided(tuple(self.desc.shape), self.strides)


def row_major(dims: Sequence[int]) -> tuple[int, ...]:
    """Strides, in elements, of a tensor whose elements lie in order."""
    return tuple(accumulate(reversed(dims[1:]), mul, initial=1))[::-1] if dims else ()


@dataclass(eq=False)
class AclScalar:
    """A value and its data type, as bytes."""

    content: bytes
    data_type: int


@dataclass(eq=False)
class AclArray:
    """Host values of one C type; aclIntArray, aclFloatArray and aclBoolArray differ in it only."""

    values: tuple[Any, ...]
    kind: str


@dataclass(eq=False)
class AclList:
    """Handles of tensors or scalars, which are destroyed with it."""

    handles: tuple[int, ...] = field(default_factory=tuple)
    kind: str = "aclTensorList"


_KNOWN = frozenset(FORMATS.values())


def _data_type(name: str, number: int) -> DataType:
    try:
        return DataType.of(number)
    except ValueError:
        raise RuntimeFault(INVALID, name, f"data type {number}", "an aclDataType") from None


def _format(name: str, number: int) -> Format:
    if number in _PLAIN:
        return Format.FORMAT_ND
    if number not in _KNOWN:
        raise RuntimeFault(INVALID, name, f"format {number}", "an aclFormat")
    return Format(number) if number in Format._value2member_map_ else Format.FORMAT_UNDEFINED


def _shape(name: str, dims: tuple[int, ...]) -> Shape:
    shape = Shape(dims)
    if any(dim < 0 for dim in dims):
        raise RuntimeFault(INVALID, name, f"dims {shape!r}", "dims that are at least 0")
    try:
        shape.element_count()
    except OverflowError as failure:
        raise RuntimeFault(INVALID, name, failure, "elements that int64 can count") from None
    return shape
