"""Operands of instructions: elements of a type at an address, and who owns the bytes."""

from __future__ import annotations

from typing import Any, ClassVar

from cannery.aicore.core import Core
from cannery.aicore.instruction import Access
from cannery.aicore.memory import Arena, GlobalBuffer, GlobalMemory
from cannery.isa.dtypes import DataType
from cannery.isa.enums import MEMORY, TPosition


class GlobalOwner:
    """The bytes of global memory that a GlobalTensor may touch. Addresses are host addresses."""

    __slots__ = ("buffer", "label", "lower", "origin", "upper")
    alive: ClassVar[bool] = True
    trusted: ClassVar[bool] = False

    def __init__(self, buffer: GlobalBuffer, lower: int, upper: int) -> None:
        self.buffer = buffer
        self.label = buffer.label
        self.origin = buffer.base
        self.lower = lower
        self.upper = upper


class Allocation:
    """The bytes of local memory that were given to a tensor; ``alive`` ends with free_tensor.

    ``trusted``: not judged any further, because the way it came about was a finding already.
    """

    __slots__ = ("align", "alive", "core", "label", "lower", "memory", "position", "slot", "trusted", "upper")

    def __init__(
        self, core: Core, position: TPosition, lower: int, size: int, label: str, slot: Any = None,
        *, memory: Arena | None = None, trusted: bool = False,
    ) -> None:  # fmt: skip
        self.core = core
        self.position = position
        self.memory: Arena = memory or core.arena(MEMORY[position])
        self.align = self.memory.align
        self.lower = lower
        self.upper = lower + size
        self.label = label
        self.slot = slot
        self.alive = True
        self.trusted = trusted


class Local:
    """``size`` elements of a type in local memory, from byte ``addr`` on; ``owner`` bounds them."""

    __slots__ = ("addr", "dtype", "owner", "size")

    def __init__(self, owner: Allocation, addr: int, dtype: DataType, size: int) -> None:
        self.owner: Any = owner
        self.addr = addr
        self.dtype = dtype
        self.size = size

    def access(self, offset: int, size: int, align: int | None = None) -> Access:
        """``size`` bytes from byte ``offset`` of the tensor on; ``align`` in bytes, default: the memory's."""
        lower = self.addr + offset
        owner = self.owner
        return Access(owner.memory, lower, lower + size, owner, None, owner.align if align is None else align)

    def as_type(self, dtype: DataType) -> Local:
        """The same bytes with another element type."""
        return Local(self.owner, self.addr, dtype, self.size * self.dtype.size // dtype.size)


class Global:
    """Elements of a type in global memory, from host address ``address`` on; ``owner`` bounds them.

    ``size``: how many elements, 0 where none were given.
    """

    __slots__ = ("address", "dtype", "owner", "size")

    def __init__(self, owner: GlobalOwner, address: int, dtype: DataType, size: int = 0) -> None:
        self.owner = owner
        self.address = address
        self.dtype = dtype
        self.size = size

    @property
    def offset(self) -> int:
        """Bytes from the start of the host array."""
        return self.address - self.owner.origin

    def access(self, gm: GlobalMemory, offset: int, size: int) -> Access:
        """``size`` bytes from byte ``offset`` of the tensor on."""
        lower = self.address + offset
        return Access(gm, lower, lower + size, self.owner, None, 1)


Tensor = Global | Local


def memory_of(tensor: Tensor) -> str:
    """The memory a tensor lies in."""
    return "GM" if isinstance(tensor, Global) else str(tensor.owner.memory.name)


def check_memory(op: str, operand: str, tensor: Tensor, *memories: str) -> None:
    """Refuse a tensor that lies elsewhere.

    Raises:
        ValueError: it does.
    """
    found = memory_of(tensor)
    if found not in memories:
        raise ValueError(f"{op}: {operand}: found a tensor in {found}, expected one in {' or '.join(memories)}")


def reach(core: Core, tensor: Tensor, size: int) -> Access:
    """The access of the first ``size`` bytes of a tensor."""
    return tensor.access(core.gm, 0, size) if isinstance(tensor, Global) else tensor.access(0, size)
