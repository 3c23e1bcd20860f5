"""The address spaces of host and devices, and copies between them that check both ends."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cannery.runtime.arena import Arena, Block
from cannery.runtime.constants import MALLOC_POLICIES, MALLOC_POLICY_BITS, MEMCPY_KINDS
from cannery.runtime.host import PinnedMemory, is_mapped, is_writable
from cannery.runtime.lent import Lent
from cannery.runtime.status import AclError, RuntimeFault

if TYPE_CHECKING:
    import torch

_K = MEMCPY_KINDS
# Whether a copy of that kind needs device memory at (destination, source). The kind only narrows what is legal: the
# direction follows from the addresses, as the runtime derives it from them.
COPY_ENDS = {
    _K["ACL_MEMCPY_HOST_TO_HOST"]: (False, False),
    _K["ACL_MEMCPY_HOST_TO_DEVICE"]: (True, False),
    _K["ACL_MEMCPY_DEVICE_TO_HOST"]: (False, True),
    _K["ACL_MEMCPY_DEVICE_TO_DEVICE"]: (True, True),
    _K["ACL_MEMCPY_DEFAULT"]: (False, False),
    _K["ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE"]: (True, False),
}
_POLICIES = frozenset(range(len([name for name in MALLOC_POLICIES if name.startswith("ACL_MEM_MALLOC_")])))


@dataclass(frozen=True)
class Span:
    """A range of addresses that was found good. ``arena`` is the device memory it lies in, None for host memory."""

    address: int
    size: int
    arena: Arena | Lent | None
    is_pinned: bool = False


class Memory:
    """All memory a process can name: one arena a device, made when the device is first used, and the host's.

    Attributes:
        registered: host memory that the program has registered; it counts as pinned.
        mapped: the part of it that kernels of a device may use, by the host's addresses.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._arenas: dict[int, Arena] = {}
        self._lent: dict[int, Lent] = {}
        self.pinned = PinnedMemory()
        self.registered = Lent()
        self.mapped = Lent()

    def arena(self, device: int) -> Arena:
        """The memory of a device."""
        if device not in self._arenas:
            self._arenas[device] = Arena(self._size)
        return self._arenas[device]

    def release_device(self, device: int) -> None:
        """Free every block of a device."""
        if device in self._arenas:
            self._arenas[device].clear()

    def lent(self, device: int) -> Lent:
        """Memory of the host that counts as a device's."""
        return self._lent.setdefault(device, Lent())

    def arena_of(self, address: int) -> Arena | Lent | None:
        """The device memory an address belongs to, whether a block is there or not."""
        return next((memory for _, memory in self._devices() if address in memory), None)

    def device_of(self, address: int) -> int | None:
        """The device whose memory an address belongs to; None for the host's."""
        return next((device for device, memory in self._devices() if address in memory), None)

    def _devices(self) -> tuple[tuple[int, Arena | Lent], ...]:
        return (*self._arenas.items(), *self._lent.items())

    def malloc(self, device: int, size: int, policy: int) -> int:
        """The address of a new block of device memory.

        Raises:
            RuntimeFault: INVALID_PARAM for no bytes, RT_INVALID_MALLOC_TYPE, RT_MEMORY_ALLOCATION.
        """
        check_size(size)
        if policy & ~MALLOC_POLICY_BITS not in _POLICIES:
            raise RuntimeFault(
                AclError.ACL_ERROR_RT_INVALID_MALLOC_TYPE, "policy", policy, "an aclrtMemMallocPolicy, 0 to 7"
            )
        return self.arena(device).allocate(size)

    def free(self, address: int) -> None:
        """Free a block of device memory.

        Raises:
            RuntimeFault: INVALID_PARAM for null; RT_MEMORY_FREE for what is not the start of a live block.
        """
        check_pointer("devPtr", address)
        arena = self.arena_of(address)
        if not isinstance(arena, Arena) or not arena.release(address):
            found = f"{address:#x}, {self.describe(address)}"
            raise RuntimeFault(
                AclError.ACL_ERROR_RT_MEMORY_FREE,
                "devPtr",
                found,
                "the start of a live block of aclrtMalloc",
            )

    def malloc_host(self, size: int) -> int:
        """The address of a new block of pinned host memory.

        Raises:
            RuntimeFault: INVALID_PARAM for no bytes, RT_MEMORY_ALLOCATION.
        """
        check_size(size)
        try:
            return self.pinned.allocate(size)
        except (MemoryError, ValueError):
            raise RuntimeFault(
                AclError.ACL_ERROR_RT_MEMORY_ALLOCATION, "size", size, "no more than the host has"
            ) from None

    def free_host(self, address: int) -> None:
        """Free a block of pinned host memory.

        Raises:
            RuntimeFault: INVALID_PARAM for null; RT_MEMORY_FREE for what is not the start of a live block.
        """
        check_pointer("hostPtr", address)
        if not self.pinned.release(address):
            found = f"{address:#x}, {self.describe(address)}"
            raise RuntimeFault(
                AclError.ACL_ERROR_RT_MEMORY_FREE, "hostPtr", found, "the start of a block from aclrtMallocHost"
            )

    def span(self, parameter: str, address: int, size: int, *, on_device: bool = False) -> Span:
        """The range, when all of it can be touched.

        Raises:
            RuntimeFault: RT_INVALID_MEMORY_TYPE for host memory where device memory is needed; RT_PARAM_INVALID for a
                freed block, for a range that leaves its block, for addresses the process does not have.
        """
        arena = self.arena_of(address)
        if arena is not None:
            _check_block(parameter, address, size, arena.block_at(address))
            return Span(address, size, arena)
        if on_device:
            raise RuntimeFault(
                AclError.ACL_ERROR_RT_INVALID_MEMORY_TYPE,
                parameter,
                f"{address:#x}, {self.describe(address)}",
                "device memory from aclrtMalloc",
            )
        left = self.pinned.left_at(address)
        if left is not None and size > left:
            raise _outside(parameter, address, size, f"{left} bytes to the end of the pinned block")
        if left is None and size and not is_mapped(address, size):
            raise _outside(parameter, address, size, "memory of this process")
        return Span(address, size, None, left is not None or self.is_registered(address, size))

    def is_registered(self, address: int, size: int) -> bool:
        """Whether a range lies in host memory that the program has registered."""
        block = self.registered.block_at(address)
        return block is not None and address + size <= block.end

    def describe(self, address: int) -> str:
        """What an address is, in words."""
        arena = self.arena_of(address)
        if arena is None:
            return "which is host memory"
        block = arena.block_at(address)
        if block is None:
            return "where no block of device memory is live (it was freed, or never allocated)"
        return f"{address - block.address} bytes into a block of {block.size}"

    def view(self, parameter: str, address: int, size: int) -> torch.Tensor:
        """The bytes of a range that a kernel may use, uint8 (size,), not copied: device memory, or mapped memory.

        Raises:
            RuntimeFault: as ``span`` for device memory.
        """
        mapped = self.mapped.block_at(address)
        if mapped is not None:
            _check_block(parameter, address, size, mapped)
            return self.mapped.view(address, size)
        arena = self.span(parameter, address, size, on_device=True).arena
        assert arena is not None
        return arena.view(address, size)

    def copy_ends(self, dst: int, dest_max: int, src: int, count: int, kind: int) -> tuple[Span, Span]:
        """Destination and source of a copy, checked in the original's order.

        Raises:
            RuntimeFault: INVALID_PARAM for null and an unknown kind; RT_PARAM_INVALID when ``dest_max`` is too small;
                as ``span`` for each end.
        """
        check_pointer("dst", dst)
        check_pointer("src", src)
        if kind not in COPY_ENDS:
            raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "kind", kind, "an aclrtMemcpyKind, 0 to 5")
        check_capacity("destMax", dest_max, count)
        to_device, from_device = COPY_ENDS[kind]
        target = self.span("dst", dst, count, on_device=to_device)
        check_writable("dst", target)
        return target, self.span("src", src, count, on_device=from_device)

    def write_host(self, parameter: str, target: int, content: bytes) -> None:
        """Write what a call gives back into a structure of the program's.

        Raises:
            RuntimeFault: INVALID_PARAM for null; as ``span`` for memory that is not there; RT_PARAM_INVALID for memory
                that may only be read.
        """
        check_pointer(parameter, target)
        check_writable(parameter, self.span(parameter, target, len(content)))
        ctypes.memmove(target, content, len(content))


def move(target: int, source: int, size: int) -> None:
    """Copy bytes between two checked ranges, which may overlap."""
    ctypes.memmove(target, source, size)


def fill(target: int, value: int, size: int) -> None:
    """Set every byte of a checked range."""
    ctypes.memset(target, value & 0xFF, size)


def check_pointer(parameter: str, address: int) -> None:
    """Refuse null.

    Raises:
        RuntimeFault: INVALID_PARAM.
    """
    if address == 0:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, parameter, "null", "a pointer")


def check_size(size: int) -> None:
    """Refuse an allocation of no bytes.

    Raises:
        RuntimeFault: INVALID_PARAM.
    """
    if size == 0:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "size", 0, "at least 1 byte")


def check_capacity(parameter: str, capacity: int, count: int) -> None:
    """Refuse more bytes than the caller says there is room for.

    Raises:
        RuntimeFault: RT_PARAM_INVALID.
    """
    if capacity < count:
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, parameter, capacity, f"at least the count, {count}")


def check_writable(parameter: str, span: Span) -> None:
    """Refuse to write memory of the host that the process may only read.

    Raises:
        RuntimeFault: RT_PARAM_INVALID.
    """
    if span.arena is None and not is_writable(span.address, span.size):
        raise _outside(parameter, span.address, span.size, "memory that may be written")


def _check_block(parameter: str, address: int, size: int, block: Block | None) -> None:
    if block is None:
        found = f"{address:#x}, where no block of device memory is live (it was freed, or never allocated)"
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, parameter, found, "a live block from aclrtMalloc")
    if address + size > block.end:
        raise _outside(parameter, address, size, f"{block.end - address} bytes to the end of its block")


def _outside(parameter: str, address: int, size: int, limit: str) -> RuntimeFault:
    return RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, parameter, f"{size} bytes at {address:#x}", limit)
