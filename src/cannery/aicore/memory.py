"""Address spaces: a core's local memories at the chip's true sizes, and host arrays as global memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from cannery.aicore.limits import ALIGNMENT
from cannery.soc import Soc

POISON: Final = 0xFF
"""Every byte of fresh memory: NaN in every floating-point type, -1 in every signed integer."""

_GUARD: Final = 1 << 20  # bytes behind a local memory; never kept, only touched by kernels that overrun the chip
LOCAL_MEMORIES: Final = ("UB", "L1", "L0A", "L0B", "L0C", "BT", "FB")


def capacity(soc: Soc, memory: str) -> int:
    """Bytes of a local memory of a chip."""
    return int(getattr(soc, memory.lower() + "_size"))


def poison(data: np.ndarray[Any, Any], start: int = 0, stop: int | None = None) -> None:
    """Fill bytes of an array with poison."""
    data[start:stop] = POISON


class Arena:
    """One local memory of one core.

    Addresses are bytes from 0. Behind ``size`` lies a guard: what an instruction writes there is dropped, what it reads
    there is poison, as for addresses that do not exist. ``wide``, in precise mode, holds for each 16-bit slot the
    float32 value that was rounded into it; it counts only while it still rounds to what is stored. ``written``: the
    ranges that instructions write, strides left out of account.
    """

    __slots__ = ("_precise", "_views", "align", "data", "name", "size", "wide", "written")

    def __init__(self, name: str, size: int, *, precise: bool = False) -> None:
        self.name = name
        self.size = size
        self.align = ALIGNMENT[name]
        self._precise = precise
        self.data: np.ndarray[Any, Any] = np.empty(size + _GUARD, np.uint8)
        self._views: dict[Any, np.ndarray[Any, Any]] = {}
        self.clear()

    def clear(self) -> None:
        """Make the memory fresh: poisoned."""
        size = self.size
        poison(self.data, 0, size)
        self.written: set[tuple[int, int]] = set()
        self.wide: np.ndarray[Any, Any] | None = np.zeros(size // 2, np.float32) if self._precise else None

    def typed(self, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The whole memory as elements of a type, for start addresses aligned to it."""
        view = self._views.get(dtype)
        if view is None:
            usable = len(self.data) // dtype.itemsize * dtype.itemsize
            view = self._views[dtype] = self.data[:usable].view(dtype)
        return view

    def array(self, dtype: np.dtype[Any], start: int, count: int) -> np.ndarray[Any, Any]:
        """``count`` elements from byte ``start`` on, aliasing the memory."""
        size = dtype.itemsize
        if start % size:
            return self.data[start : start + count * size].view(dtype)
        return self.typed(dtype)[start // size : start // size + count]

    def reaches(self, stop: int) -> bool:
        """Whether addresses up to ``stop`` can be represented at all."""
        return stop <= len(self.data)

    def forget_guard(self, stop: int) -> None:
        """Poison the guard up to ``stop``."""
        poison(self.data, self.size, min(stop, len(self.data)))


class GlobalBuffer:
    """A host array bound as global memory. ``base`` is its host address, so that views of one array alias as they do
    on the host; reports name the buffer and an offset instead.
    """

    __slots__ = ("base", "data", "dtype", "label", "nbytes")

    def __init__(self, label: str, array: np.ndarray[Any, Any]) -> None:
        flat = array.reshape(-1)
        self.label = label
        self.dtype = flat.dtype
        self.data: np.ndarray[Any, Any] = flat.view(np.uint8) if flat.size else np.empty(0, np.uint8)
        self.nbytes = self.data.nbytes
        self.base = int(self.data.__array_interface__["data"][0])

    def load(self, offset: int, count: int) -> np.ndarray[Any, Any]:
        """A copy of ``count`` bytes from ``offset`` on; poison where the buffer has none."""
        out: np.ndarray[Any, Any] = np.empty(count, np.uint8)
        poison(out)
        first, last = max(offset, 0), min(offset + count, self.nbytes)
        if first < last:
            out[first - offset : last - offset] = self.data[first:last]
        return out

    def clip(self, offset: int, count: int) -> tuple[int, int]:
        """The part of ``count`` bytes from ``offset`` on that the buffer has, as offsets."""
        first = min(max(offset, 0), self.nbytes)
        return first, max(first, min(offset + count, self.nbytes))


class GlobalMemory:
    """Global memory as one core sees it; what is ``written`` is not kept."""

    __slots__ = ("name", "written")

    def __init__(self) -> None:
        self.name = "GM"
        self.written = None


Memory = Arena | GlobalMemory


class Pool:
    """The local memories of the cores of a launch, used again by one core after another.

    Attributes:
        used: most bytes in use per local memory, over all cores.
    """

    def __init__(self, soc: Soc, *, precise: bool) -> None:
        self.used: dict[str, int] = {}
        self._soc = soc
        self._precise = precise
        self._spare: list[Arena] = []

    def take(self, name: str) -> Arena:
        """A local memory for a core, poisoned; one that a core has done with where there is one."""
        spare = next((arena for arena in self._spare if arena.name == name), None)
        if spare is None:
            return Arena(name, capacity(self._soc, name), precise=self._precise)
        self._spare.remove(spare)
        spare.clear()
        return spare

    def give(self, arenas: Iterable[Arena]) -> None:
        """Take back the local memories of a core that has ended."""
        self._spare += arenas

    def note(self, name: str, stop: int) -> None:
        """Bytes of a local memory up to ``stop`` are in use."""
        self.used[name] = max(self.used.get(name, 0), stop)
