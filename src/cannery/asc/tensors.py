"""Addresses and tensors of a kernel: views of memory, never copies.

Offsets count elements, except where a name says bytes; indexing aliases the parent
(hicann/pyasc `python/asc/language/core/tensor.py` @cecba26ace65).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.memory import POISON, GlobalBuffer
from cannery.asc.context import here, running
from cannery.asc.enums import CacheMode, CacheRwMode, TPosition
from cannery.asc.numbers import INTEGERS, Int32, typed
from cannery.isa.dtypes import BY_NUMPY, DataType
from cannery.isa.op import Op
from cannery.isa.scalar import read_element, write_element
from cannery.isa.space import static
from cannery.isa.table import TABLE
from cannery.isa.tensors import Allocation, Global, GlobalOwner, Local

__all__ = ["GlobalAddress", "GlobalTensor", "LocalTensor"]

_SHOWN: Final = 16
"""Elements that a tensor's text shows; one whose bytes are all those of fresh memory is shown as "?"."""
_GET: Final = TABLE["get_value"]
_SET: Final = TABLE["set_value"]


class GlobalAddress:
    """A place in global memory with an element type. ``address + n`` advances by n elements."""

    __slots__ = ("address", "buffer", "dtype")

    def __init__(self, buffer: GlobalBuffer, dtype: DataType, address: int) -> None:
        self.buffer = buffer
        self.dtype = dtype
        self.address = address

    @classmethod
    def of(cls, buffer: GlobalBuffer) -> GlobalAddress:
        """The start of a buffer."""
        return cls(buffer, BY_NUMPY[buffer.dtype], buffer.base)

    def __repr__(self) -> str:
        at = self.address - self.buffer.base
        return f"GlobalAddress({self.buffer.label}, byte {at} of {self.buffer.nbytes}, {self.dtype})"

    def __add__(self, elements: int) -> GlobalAddress:
        return GlobalAddress(self.buffer, self.dtype, self.address + int(elements) * self.dtype.size)


def check_operands(name: str, operands: Mapping[str, Any], kind: Any = Local) -> None:
    """Refuse operands that are no tensors of a kind, or that lie nowhere yet.

    Raises:
        TypeError: another object.
        RuntimeError: a tensor without memory.
    """
    for operand, value in operands.items():
        if not isinstance(value, kind):
            expected = "a LocalTensor" if kind is Local else "a GlobalTensor or a LocalTensor"
            raise TypeError(f"{name}: {operand}: found {_kind_of(value)}, expected {expected}")
        if value.owner is None:
            how = "set_global_buffer" if isinstance(value, Global) else "a position, an address and a size"
            raise RuntimeError(f"{name}: {operand}: found a {_kind_of(value)} without memory, expected one with {how}")


def core_of(op: Op, *tensors: Any) -> Core:
    """The core of a call's tensors, which are operands of an instruction in its order.

    Raises:
        TypeError: one is no LocalTensor.
        RuntimeError: one has no memory.
    """
    for tensor in tensors:
        if not isinstance(tensor, Local) or tensor.owner is None:
            check_operands(op.name, dict(zip(op.tensors, tensors, strict=False)))
    core: Core = tensors[0].owner.core
    return core


class _Given(dict[int, tuple[Allocation, DataType]]):
    """The addresses that get_phy_addr has given: in which tensor each lies, and the tensor's element type."""


def addresses_of(core: Core) -> dict[int, tuple[Allocation, DataType]]:
    """What is known of the addresses of a core's local memory that the program has asked for."""
    known: _Given | None = core.state.get(_Given)
    if known is None:
        known = core.state[_Given] = _Given()
    return known


def _kind_of(value: Any) -> str:
    return f"{type(value).__name__} {value!r}" if isinstance(value, (int, float, str)) else type(value).__name__


class _Indexed:
    """What both kinds of tensor share: ``t[i]`` and ``t[i:]`` are views that start i elements later."""

    __slots__ = ()

    def _from(self, offset: int) -> Any:
        raise NotImplementedError

    def _bytes(self, count: int) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    def _place(self) -> str:
        raise NotImplementedError

    def numpy(self, count: int | None = None) -> np.ndarray[Any, Any]:
        """A copy of the elements as they are in memory now, for looking at: no instruction, and nothing is waited for.

        ``count``: how many from the start; not given: all.
        """
        tensor: Any = self
        check_operands("numpy", {"tensor": tensor}, Global | Local)
        size = tensor.dtype.size
        array: np.ndarray[Any, Any] = self._bytes(_elements(tensor) if count is None else int(count))
        return array[: len(array) // size * size].view(tensor.dtype.numpy).copy()

    def __repr__(self) -> str:
        tensor: Any = self
        if tensor.owner is None:
            return f"{type(self).__name__}(without memory)"
        shown = min(_elements(tensor), _SHOWN)
        raw = self._bytes(shown)
        values = self.numpy(shown)
        fresh = (raw.reshape(len(values), -1) == POISON).all(axis=1) if len(values) else []
        texts = ["?" if never else str(value) for value, never in zip(values, fresh, strict=True)]
        more = ", …" if _elements(tensor) > shown else ""
        return (
            f"{type(self).__name__}([{', '.join(texts)}{more}], {tensor.dtype}, {_elements(tensor)} elements, "
            f"{self._place()})"
        )

    def __call__(self, offset: int) -> Any:
        """As ``t[offset]``."""
        return self[int(offset)]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            if index.stop is not None or index.step is not None:
                raise RuntimeError("tensor index: found an end or a step, expected t[i] or t[i:]")
            index = index.start or 0
        offset = int(index)
        if offset < 0:
            raise ValueError(f"tensor index: found {offset}, expected an offset of 0 or more elements")
        return self._from(offset)


def _elements(tensor: Any) -> int:
    """How many elements a tensor has; one in global memory without a size: to the array's end."""
    if isinstance(tensor, Local):
        return tensor.size
    return int(tensor.size or max(0, tensor.owner.upper - tensor.address) // tensor.dtype.size)


class GlobalTensor(Global, _Indexed):
    """A tensor in global memory; untyped until set_global_buffer."""

    __slots__ = ("shape_info",)

    def __init__(self) -> None:
        self.owner: GlobalOwner = None  # type: ignore[assignment]
        self.address = 0
        self.dtype: DataType = None  # type: ignore[assignment]
        self.size = 0
        self.shape_info: Any = None

    def set_global_buffer(self, buffer: Any = None, buffer_size: int | None = None) -> None:
        """Bind to an address. ``buffer_size``, in elements, bounds the tensor; without it the whole array does."""
        if isinstance(buffer, GlobalTensor):
            buffer = buffer.get_phy_addr()
        if not isinstance(buffer, GlobalAddress):
            raise TypeError(
                f"set_global_buffer: found {_kind_of(buffer)}, expected a GlobalAddress: "
                "arrays become addresses when the kernel is launched as kernel[cores](…)"
            )
        self.dtype = buffer.dtype
        self.address = buffer.address
        array = buffer.buffer
        end = array.base + array.nbytes
        self.owner = GlobalOwner(array, array.base, end)
        self.size = 0
        if buffer_size is not None:
            self.size = int(buffer_size)
            self.owner = GlobalOwner(array, self.address, min(end, self.address + self.size * self.dtype.size))

    def _bytes(self, count: int) -> np.ndarray[Any, Any]:
        return self.owner.buffer.load(self.offset, count * self.dtype.size)

    def _place(self) -> str:
        return f"GM, byte {self.offset} of {self.owner.label}"

    def _from(self, offset: int) -> GlobalTensor:
        if not self.owner:
            check_operands("tensor index", {"tensor": self}, Global)
        dtype = self.dtype
        view = GlobalTensor.__new__(GlobalTensor)
        view.owner = self.owner
        view.dtype = dtype
        view.address = self.address + offset * dtype.size
        view.size = max(0, self.size - offset)
        view.shape_info = None
        return view

    def get_phy_addr(self, offset: int = 0) -> GlobalAddress:
        """The address of an element."""
        check_operands("get_phy_addr", {"tensor": self}, Global)
        return GlobalAddress(self.owner.buffer, self.dtype, self.address + int(offset) * self.dtype.size)

    def get_size(self) -> Any:
        """Elements, 0 where none were given."""
        return Int32(self.size)

    def get_value(self, offset: int) -> Any:
        """Read an element on the scalar pipe."""
        check_operands("get_value", {"tensor": self}, Global | Local)
        return typed(read_element(running(), here(), _GET, self, int(offset)), self.dtype)

    def set_value(self, offset: int, value: Any) -> None:
        """Write an element on the scalar pipe; the value is converted to the element type."""
        check_operands("set_value", {"tensor": self}, Global | Local)
        write_element(running(), here(), _SET, self, int(offset), value)

    def set_shape_info(self, shape_info: Any) -> None:
        """Record a shape."""
        self.shape_info = shape_info

    def get_shape_info(self) -> Any:
        """The recorded shape."""
        return self.shape_info

    def set_l2_cache_hint(
        self, mode: CacheMode = CacheMode.CACHE_MODE_NORMAL, rw_mode: CacheRwMode = CacheRwMode.RW
    ) -> None:
        """A hint; without effect on data."""


class LocalTensor(Local, _Indexed):
    """A tensor in local memory. ``LocalTensor(dtype, pos, addr, tile_size)`` is a static one: ``addr`` in bytes inside
    the position's memory, ``tile_size`` in elements.
    """

    __slots__ = ("shape_info", "tag")

    def __init__(
        self, dtype: DataType, pos: TPosition = TPosition.VECIN, addr: int = 0, tile_size: int | None = None
    ) -> None:
        self.dtype = dtype
        self.addr = int(addr)
        self.size = 0 if tile_size is None else int(tile_size)
        self.owner: Any = None
        self.shape_info: Any = None
        self.tag: Any = 0
        for name, value in (("addr", self.addr), ("tile_size", self.size)):
            if value < 0:
                raise ValueError(f"LocalTensor: {name}: found {value}, expected 0 or more")
        if tile_size is not None:
            size = self.size * dtype.sizeof()
            self.owner = static(running(), here(), pos, self.addr, size, f"LocalTensor at {self.addr}")

    @classmethod
    def view(cls, owner: Allocation, addr: int, dtype: DataType, size: int) -> LocalTensor:
        """A tensor over bytes that are allocated already."""
        tensor = cls.__new__(cls)
        tensor.owner = owner
        tensor.addr = addr
        tensor.dtype = dtype
        tensor.size = size
        tensor.shape_info = None
        tensor.tag = 0
        return tensor

    def _bytes(self, count: int) -> np.ndarray[Any, Any]:
        memory = self.owner.memory
        found: np.ndarray[Any, Any] = memory.data[self.addr : min(self.addr + count * self.dtype.size, memory.size)]
        return found[: len(found) // self.dtype.size * self.dtype.size]

    def _place(self) -> str:
        return f"{self.owner.position.name}, {self.owner.memory.name} byte {self.addr}"

    def _from(self, offset: int) -> LocalTensor:
        if self.owner is None:
            check_operands("tensor index", {"tensor": self})
        return LocalTensor.view(self.owner, self.addr + offset * self.dtype.size, self.dtype, self.size - offset)

    def get_value(self, index: int) -> Any:
        """Read an element on the scalar pipe."""
        check_operands("get_value", {"tensor": self}, Global | Local)
        return typed(read_element(running(), here(), _GET, self, int(index)), self.dtype)

    def set_value(self, index: int, value: Any) -> None:
        """Write an element on the scalar pipe; the value is converted to the element type."""
        check_operands("set_value", {"tensor": self}, Global | Local)
        write_element(running(), here(), _SET, self, int(index), value)

    def get_size(self) -> Any:
        """Elements."""
        return Int32(self.size)

    def set_size(self, size: int) -> None:
        """Change the recorded number of elements."""
        self.size = int(size)

    def get_length(self) -> Any:
        """Recorded bytes."""
        return Int32(self.size * self.dtype.size)

    def set_buffer_len(self, length: int) -> None:
        """Change the recorded number of bytes."""
        self.size = int(length) // self.dtype.size

    def get_phy_addr(self, offset: int = 0) -> Any:
        """Byte address of an element."""
        address = self.addr + int(offset) * self.dtype.size
        if self.owner is not None:
            addresses_of(self.owner.core)[address] = self.owner, self.dtype
        return INTEGERS[BY_NUMPY[np.dtype(np.uint64)]](address)

    def reinterpret_cast(self, dtype: DataType) -> LocalTensor:
        """The same bytes with another element type."""
        check_operands("reinterpret_cast", {"tensor": self})
        size = self.size * self.dtype.size // dtype.sizeof()
        return LocalTensor.view(self.owner, self.addr, dtype, size)

    def set_addr_with_offset(self, src: LocalTensor, offset: int) -> None:
        """Let this tensor start ``offset`` elements of the source's type behind the source's start."""
        if src.addr + int(offset) * src.dtype.size < 0:
            raise ValueError(f"set_addr_with_offset: found {int(offset)}, expected an address of 0 or more bytes")
        self.owner = src.owner
        self.addr = src.addr + int(offset) * src.dtype.size

    def get_position(self) -> Any:
        """The position's number."""
        check_operands("get_position", {"tensor": self})
        return Int32(int(self.owner.position))

    def set_user_tag(self, tag: Any) -> None:
        """Record a tag."""
        self.tag = tag

    def get_user_tag(self) -> Any:
        """The recorded tag."""
        return self.tag

    def set_shape_info(self, shape_info: Any) -> None:
        """Record a shape."""
        self.shape_info = shape_info

    def get_shape_info(self) -> Any:
        """The recorded shape."""
        return self.shape_info
