"""Fresh memory for large results.

The first write to fresh memory costs one page fault per page, and with 4 KiB pages those faults take several times as
long as the copy itself.

Packed rows are written throughout. Where Linux offers huge pages to who asks for them (``transparent_hugepage`` =
``madvise``, the usual setting), asking makes their faults 512 times fewer. numpy asks from 4 MiB on; torch does not.

The padding of a batch need not be written at all: a private anonymous mapping reads as zeros, and the kernel provides
a page only where one is written. Such a batch costs the faults, and the memory, of its rows alone. It stays on small
pages: with hundreds of huge ones, next to a process that uses small ones, a virtual machine whose host backs memory
lazily took five times as long for one call in three.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

LARGE_BYTES = 4 << 20
_MADV_HUGEPAGE = getattr(mmap, "MADV_HUGEPAGE", 14)


def empty(shape: Sequence[int], like: Tensor) -> Tensor:
    """Uninitialised contiguous tensor with the dtype and device of ``like``, on huge pages if it is large."""
    made = torch.empty(tuple(shape), dtype=like.dtype, device=like.device)
    nbytes = made.numel() * made.element_size()
    if made.device.type == "cpu" and nbytes >= LARGE_BYTES:
        _advise_huge(made.data_ptr(), nbytes)
    return made


def zeros(shape: Sequence[int], like: Tensor) -> Tensor:
    """Zeros with the dtype and device of ``like``; if they are large, no page is there before it is written.

    The storage of a large one cannot grow: ``resize_`` to more elements is refused by torch.

    Raises:
        MemoryError: the machine has not that much.
    """
    nbytes = math.prod(shape) * like.element_size()
    if like.device.type != "cpu" or nbytes < LARGE_BYTES or not hasattr(mmap, "MAP_ANONYMOUS"):
        return torch.zeros(tuple(shape), dtype=like.dtype, device=like.device)
    try:
        mapping = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError):
        raise MemoryError(f"found a batch of {nbytes} bytes, expected no more than the machine has") from None
    return torch.frombuffer(mapping, dtype=torch.uint8).view(like.dtype).view(tuple(shape))


def _advise_huge(address: int, nbytes: int) -> None:
    """Ask for huge pages behind the whole pages of a range; a kernel that refuses has lost nothing."""
    madvise = _madvise()
    if madvise is None:
        return
    start = -(-address // mmap.PAGESIZE) * mmap.PAGESIZE
    stop = (address + nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    madvise(ctypes.c_void_p(start), ctypes.c_size_t(stop - start), _MADV_HUGEPAGE)


@cache
def _madvise() -> Any:
    """The C library's madvise, or None where there is none."""
    return getattr(ctypes.CDLL(None), "madvise", None) if sys.platform == "linux" else None
