"""What tensors on a virtual device take of its memory."""

from __future__ import annotations

import torch

from cannery.runtime.lent import Lent

ROUNDING = 512
SEGMENT = 2 << 20


class Block:
    """Memory in use, until this object dies."""

    __slots__ = ("_ledger", "size")

    def __init__(self, ledger: Ledger, size: int) -> None:
        self._ledger, self.size = ledger, size

    def __del__(self) -> None:
        self._ledger.release(self)

    def __deepcopy__(self, memo: object) -> None:
        """A copy of what it is attached to is other memory, which is counted where it is made."""


class Ledger:
    """Bytes in use on one device, now and at their peak, in the caching allocator's terms.

    Attributes:
        total: bytes the device has.
        lent: where the tensors are, so that the runtime's copies and operators know their addresses.
        fraction: of the total that this process may take.
        reserved: what the allocator holds: whole segments, kept until ``empty_cache``.
    """

    def __init__(self, index: int, total: int, lent: Lent | None = None) -> None:
        self.index, self.total, self.fraction = index, total, 1.0
        self.lent = lent if lent is not None else Lent()
        self.allocated = self.reserved = self.blocks = 0
        self.allocations = self.frees = 0
        self.peak_allocated = self.peak_reserved = self.peak_blocks = 0

    def take_for(self, host: torch.Tensor) -> Block:
        """Count the memory of a tensor of the host, which becomes the device's.

        Raises:
            torch.OutOfMemoryError: the device has not that much left.
        """
        block = self.take(host.nbytes)
        storage = host.untyped_storage()
        self.lent.lend(id(block), storage.data_ptr(), storage.nbytes())
        return block

    def take(self, size: int) -> Block:
        """Count a new block.

        Raises:
            torch.OutOfMemoryError: the device has not that much left.
        """
        size = -(-size // ROUNDING) * ROUNDING
        allocated = self.allocated + size
        if allocated > self.reserved:
            self._reserve(allocated, size)
        if allocated > self.peak_allocated:
            self.peak_allocated = allocated
        self.allocated = allocated
        self.blocks += 1
        self.allocations += 1
        if self.blocks > self.peak_blocks:
            self.peak_blocks = self.blocks
        return Block(self, size)

    def release(self, block: Block) -> None:
        """Count a block out."""
        self.lent.give_back(id(block))
        self.allocated -= block.size
        self.blocks -= 1
        self.frees += 1

    def empty_cache(self) -> None:
        """Give back the segments that nothing is in."""
        self.reserved = _segments(self.allocated)

    def reset_peaks(self) -> None:
        """Let the peaks start from now."""
        self.peak_allocated, self.peak_reserved, self.peak_blocks = self.allocated, self.reserved, self.blocks

    def free(self) -> int:
        """Bytes that nobody has taken."""
        return self.total - self.reserved

    def _reserve(self, allocated: int, size: int) -> None:
        limit = int(self.total * self.fraction)
        if allocated > limit:
            text = f"NPU out of memory. Tried to allocate {size} bytes (NPU {self.index}; {self.total} bytes total "
            text += f"capacity; {self.allocated} bytes already allocated; {limit - self.allocated} bytes free). "
            raise torch.OutOfMemoryError(text + "CANNERY_DEVICE_MEMORY_GIB sets the capacity.")
        self.reserved = min(_segments(allocated), limit)
        self.peak_reserved = max(self.peak_reserved, self.reserved)


def _segments(size: int) -> int:
    return -(-size // SEGMENT) * SEGMENT
