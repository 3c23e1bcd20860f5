"""Host memory: pinned blocks, and whether an address of the process can be touched at all."""

from __future__ import annotations

import ctypes
import mmap
import threading
from bisect import bisect_left, bisect_right, insort
from functools import cache
from typing import Any

import numpy as np

ALIGNMENT = 64
_MS_ASYNC = 1
_POPULATE_WRITE = 23  # madvise's MADV_POPULATE_WRITE, of Linux 5.14


class PinnedMemory:
    """Blocks of ``aclrtMallocHost``: uninitialised, aligned to 64 bytes."""

    def __init__(self) -> None:
        self._blocks: dict[int, tuple[np.ndarray[Any, Any], int]] = {}
        self._starts: list[int] = []
        self._lock = threading.Lock()

    def allocate(self, size: int) -> int:
        """The address of a new block.

        Raises:
            MemoryError: the host has not that much.
        """
        buffer = np.empty(size + ALIGNMENT, np.uint8)
        address = -(-buffer.ctypes.data // ALIGNMENT) * ALIGNMENT
        with self._lock:
            self._blocks[address] = (buffer, size)
            insort(self._starts, address)
        return address

    def release(self, address: int) -> bool:
        """Free the block that begins there; False when none does."""
        with self._lock:
            if self._blocks.pop(address, None) is None:
                return False
            del self._starts[bisect_left(self._starts, address)]
            return True

    def left_at(self, address: int) -> int | None:
        """Bytes from an address to the end of the pinned block it lies in; None when it lies in none."""
        with self._lock:
            index = bisect_right(self._starts, address)
            if not index:
                return None
            start = self._starts[index - 1]
            left = start + self._blocks[start][1] - address
        return left if left > 0 else None


def content(address: int, size: int) -> bytes:
    """A copy of memory that is there. ``ctypes.string_at`` counts in 32 bits and goes wrong from 2 GiB on."""
    return bytes(memoryview((ctypes.c_char * size).from_address(address)))


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    for function in (libc.msync, libc.madvise):
        function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return libc


def is_mapped(address: int, size: int) -> bool:
    """Whether every page of a range belongs to the process. Asking for a flush that does nothing tells."""
    if address <= 0 or address + size > 1 << 63:
        return False
    return _libc().msync(*_pages(address, size), _MS_ASYNC) == 0


def is_writable(address: int, size: int) -> bool:
    """Whether the process may write a range it has. A kernel that is too old to tell lets everything pass."""
    return _libc().madvise(*_pages(address, size), _POPULATE_WRITE) == 0 or not _kernel_tells()


@cache
def _kernel_tells() -> bool:
    page = mmap.mmap(-1, mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return bool(_libc().madvise(address, mmap.PAGESIZE, _POPULATE_WRITE) == 0)


def _pages(address: int, size: int) -> tuple[int, int]:
    start = address // mmap.PAGESIZE * mmap.PAGESIZE
    return start, address + size - start
