"""Lists of tensors in global memory (hicann/asc-devkit docs, ListTensorDesc and TensorDesc, and
`impl/basic_api/dav_c220/kernel_operator_list_tensor_impl.h` @82b89a15f263).

In words of 8 bytes: the distance in bytes to the pointers; for each tensor its number of dims (low half) and its index
(high half), then the dims; then the pointers. A list of pointers alone has one tensor of 0 dims, whose high half is how
many there are, and the word 0xffffffff.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

from cannery.aicore.core import Core
from cannery.aicore.memory import GlobalBuffer
from cannery.asc.context import here, running
from cannery.asc.dtypes import DataType, float32, uint64
from cannery.asc.numbers import INTEGERS, Int64
from cannery.asc.tensors import GlobalAddress, GlobalTensor
from cannery.isa import dtypes
from cannery.isa.op import DAV_2201
from cannery.isa.scalar import read_element
from cannery.isa.table import TABLE

__all__ = ["ListTensorDesc", "TensorDesc"]

ARCHS: Final = frozenset({DAV_2201})
"""Where there are such lists."""
_ANY: Final = 0xFFFFFFFF
_WORD: Final = 8
_LOW: Final = 0xFFFFFFFF
_UInt32: Final = INTEGERS[dtypes.uint32]
_UInt64: Final = INTEGERS[dtypes.uint64]


class TensorDesc:
    """Shape and place of one tensor of a list."""

    def __init__(self, dtype: DataType = float32) -> None:
        self.dtype = dtype
        self._shape: tuple[int, ...] = ()
        self._index = 0
        self._data: GlobalAddress | None = None
        self._has_place = False

    def set_shape_addr(self, shape_ptr: int) -> None:
        """Say where the shape is to be stored; here the descriptor itself keeps it."""
        del shape_ptr
        self._has_place = True

    def get_dim(self) -> Any:
        """How many dims."""
        return _UInt64(len(self._shape))

    def get_index(self) -> Any:
        """Which tensor of the list."""
        return _UInt64(self._index)

    def get_shape(self, offset: int) -> Any:
        """The length of a dim.

        Raises:
            IndexError: there is no such dim.
        """
        if not 0 <= int(offset) < len(self._shape):
            raise IndexError(f"get_shape: found dim {int(offset)}, expected one of {len(self._shape)}")
        return Int64(self._shape[int(offset)])

    def get_data_ptr(self) -> GlobalAddress:
        """The address of the elements.

        Raises:
            RuntimeError: get_desc has not filled the descriptor.
        """
        if self._data is None:
            raise RuntimeError("get_data_ptr: found an empty TensorDesc, expected ListTensorDesc.get_desc before")
        return self._data

    def get_data_obj(self) -> GlobalTensor:
        """The elements as a tensor of the shape's size."""
        tensor = GlobalTensor()
        tensor.set_global_buffer(self.get_data_ptr(), prod(self._shape))
        return tensor

    def fill(self, index: int, shape: tuple[int, ...], data: GlobalAddress) -> None:
        """Take over what a list says; get_desc does.

        Raises:
            RuntimeError: nobody has said where the shape is to be stored.
        """
        if not self._has_place:
            raise RuntimeError("get_desc: found a TensorDesc without a shape address, expected set_shape_addr before")
        self._index, self._shape, self._data = index, shape, data


class ListTensorDesc:
    """A list of tensors in global memory; the scalar unit reads it.

    ``length``, ``shape_size``: bytes and pointers that it must have, where both are given.
    """

    def __init__(self, data: GlobalAddress | None = None, length: int = _ANY, shape_size: int = _ANY) -> None:
        core = running()
        if core.soc.npu_arch not in ARCHS:
            raise NotImplementedError(f"ListTensorDesc: {core.soc.name} has none")
        self._words: GlobalTensor | None = None
        self._pointers = self._count = self._step = 0
        if data is not None:
            self.init(data, length, shape_size)

    def init(self, data: GlobalAddress, length: int = _ANY, shape_size: int = _ANY) -> None:
        """Look at a list.

        Raises:
            ValueError: its words do not fit together, or are not as long as the arguments say.
        """
        words = GlobalTensor()
        words.set_global_buffer(GlobalAddress(data.buffer, uint64, data.address))
        self._words = words
        distance, first = self._word(0), self._word(1)
        dims, number = first & _LOW, first >> 32
        self._pointers = distance // _WORD
        self._step = 1 + dims if dims else 2
        if distance % _WORD or self._pointers < 1 + self._step:
            least = _WORD * (1 + self._step)
            raise ValueError(f"ListTensorDesc: found pointers at byte {distance}, expected {least} or more")
        self._count = number or (self._word(self._pointers - self._step) >> 32) + 1
        self._check(distance, dims, int(length), int(shape_size))

    def _check(self, distance: int, dims: int, length: int, shape_size: int) -> None:
        expected = _WORD * (1 + self._count * self._step) if dims else 3 * _WORD
        if distance != expected:
            raise ValueError(f"ListTensorDesc: found pointers at byte {distance}, expected {expected}")
        if _ANY in (length, shape_size):
            return
        whole = distance + self._count * _WORD
        if (length, shape_size) != (whole, self._count):
            raise ValueError(
                f"ListTensorDesc: found length {length} and shape_size {shape_size}, expected {whole} and {self._count}"
            )

    def get_size(self) -> Any:
        """How many pointers there are."""
        return _UInt32(self._count)

    def get_data_ptr(self, index: int, dtype: DataType) -> GlobalAddress:
        """The address of a tensor's elements.

        Raises:
            IndexError: there is no such tensor.
            RuntimeError: no array of this launch lies there.
        """
        place = int(index)
        self._check_data()
        if not 0 <= place < self._count:
            raise IndexError(f"ListTensorDesc: found index {place}, expected one of {self._count}")
        address = self._word(self._pointers + place)
        for buffer in arrays_of(running()):
            if buffer.base <= address < buffer.base + buffer.nbytes:
                return GlobalAddress(buffer, dtype, address)
        raise RuntimeError(
            f"ListTensorDesc: found pointer {place} outside every array of this launch, expected one into an array "
            "that the kernel gets as an argument as well"
        )

    def get_desc(self, desc: TensorDesc, index: int) -> None:
        """Fill a descriptor.

        Raises:
            IndexError, RuntimeError: there is no such tensor, or no place for its shape.
        """
        data = self.get_data_ptr(index, desc.dtype)
        first = 1 + int(index) * self._step
        dims = self._word(first) & _LOW
        desc.fill(int(index), tuple(self._word(first + 1 + dim) for dim in range(dims)), data)

    def _check_data(self) -> GlobalTensor:
        if self._words is None:
            raise RuntimeError("ListTensorDesc: found no data, expected init before")
        return self._words

    def _word(self, at: int) -> int:
        return int(read_element(running(), here(3), TABLE["get_value"], self._check_data(), at))


def arrays_of(core: Core) -> tuple[GlobalBuffer, ...]:
    """The arrays that a launch has bound."""
    found: tuple[GlobalBuffer, ...] = core.state.get(GlobalBuffer, ())
    return found
