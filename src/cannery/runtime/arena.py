"""A device's memory: a reserved range of addresses that no host object ever gets."""

from __future__ import annotations

import ctypes
import mmap
import threading
from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cannery.runtime.status import AclError, RuntimeFault

if TYPE_CHECKING:
    import torch

ALIGNMENT = 512
_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
# Room for addresses beyond the memory itself: a freed address is not given out again before the range has gone round.
_SPREAD = 4
_LEAST = 1 << 28


@dataclass(frozen=True)
class Block:
    """A live allocation: its first address and the bytes that were asked for."""

    address: int
    size: int

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.address + self.size


class Arena:
    """Blocks in a range of addresses. Pages cost memory when they are first touched, and none once they are freed.

    Raises:
        RuntimeFault: RT_MEMORY_ALLOCATION when the system has no such range of addresses.
    """

    def __init__(self, memory: int) -> None:
        self._map = _reserve(memory * _SPREAD)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.span = len(self._map)
        self.memory = min(memory, self.span)
        self.used = 0
        self._blocks: dict[int, Block] = {}
        self._starts: list[int] = []
        self._next = self.base
        # Blocks are looked up by threads that copy while others allocate and free.
        self._lock = threading.Lock()

    def __contains__(self, address: int) -> bool:
        return self.base <= address < self.base + self.span

    def allocate(self, size: int) -> int:
        """The address of a new block of so many bytes, aligned to 512.

        Raises:
            RuntimeFault: RT_MEMORY_ALLOCATION: the device has not that much left.
        """
        with self._lock:
            address = None if size > self.memory - self.used else self._gap(size)
            if address is None:
                left = f"{self.memory - self.used} of {self.memory} bytes are free"
                raise RuntimeFault(AclError.ACL_ERROR_RT_MEMORY_ALLOCATION, "size", size, f"less: {left}")
            self._blocks[address] = Block(address, size)
            insort(self._starts, address)
            self._next = _up(address + size, ALIGNMENT)
            self.used += size
            return address

    def release(self, address: int) -> bool:
        """Free the block that begins there; False when none does."""
        with self._lock:
            block = self._blocks.pop(address, None)
            if block is None:
                return False
            del self._starts[bisect_left(self._starts, address)]
            self.used -= block.size
            self._forget_pages(block)
            return True

    def clear(self) -> None:
        """Free every block."""
        for address in list(self._starts):
            self.release(address)

    def block_at(self, address: int) -> Block | None:
        """The live block an address lies in; a block of no bytes holds its own address."""
        with self._lock:
            index = bisect_right(self._starts, address)
            block = self._blocks[self._starts[index - 1]] if index else None
        return block if block is not None and address < max(block.end, block.address + 1) else None

    def view(self, address: int, size: int) -> torch.Tensor:
        """The bytes there, uint8 (size,), not copied."""
        start = address - self.base
        return self._bytes[start : start + size]

    @cached_property
    def _bytes(self) -> torch.Tensor:
        import torch

        return torch.frombuffer(self._map, dtype=torch.uint8)

    def _gap(self, size: int) -> int | None:
        return self._gap_between(self._next, self.base + self.span, size) or self._gap_between(
            self.base, self._next, size
        )

    def _gap_between(self, start: int, stop: int, size: int) -> int | None:
        index = bisect_left(self._starts, start)
        while start + size <= stop:
            if index == len(self._starts) or start + size <= self._starts[index]:
                return start
            start = _up(self._blocks[self._starts[index]].end, ALIGNMENT)
            index += 1
        return None

    def _forget_pages(self, block: Block) -> None:
        """Give the block's pages back, except those that it shares with a living neighbour."""
        index = bisect_left(self._starts, block.address)
        before = self._blocks[self._starts[index - 1]].end if index else self.base
        after = self._starts[index] if index < len(self._starts) else self.base + self.span
        page = mmap.PAGESIZE
        start = max(_up(before, page), block.address // page * page)
        stop = min(after // page * page, _up(block.end, page))
        if start < stop:
            self._map.madvise(mmap.MADV_DONTNEED, start - self.base, stop - start)


def _up(value: int, step: int) -> int:
    return -(-value // step) * step


def _reserve(span: int) -> mmap.mmap:
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
    while span >= _LEAST:
        try:
            return mmap.mmap(-1, span, flags=flags)
        except OSError:  # a limit on addresses: a smaller device is better than none
            span //= 2
    found = "no free range of addresses"
    raise RuntimeFault(AclError.ACL_ERROR_RT_MEMORY_ALLOCATION, "device", found, f"{_LEAST} bytes of them (ulimit -v)")
