"""Memory of the host that counts as a device's: what tensors of ``torch_npu`` are in, and what a program has mapped."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Hashable
from typing import TYPE_CHECKING

from cannery.runtime.arena import Block

if TYPE_CHECKING:
    import torch


class Lent:
    """Ranges of addresses by who owns them. A range lives until its owner gives it back; ranges may be nested."""

    def __init__(self) -> None:
        self._blocks: dict[Hashable, Block] = {}
        # Ranges come and go with every tensor, and are looked up rarely: sorted when they are.
        self._sorted: list[Block] | None = None

    def __contains__(self, address: int) -> bool:
        return self.block_at(address) is not None

    def lend(self, owner: Hashable, address: int, size: int) -> None:
        """Let a range count as the device's."""
        self._blocks[owner] = Block(address, size)
        self._sorted = None

    def give_back(self, owner: Hashable) -> Block | None:
        """End that; the range, or None when the owner has lent nothing."""
        self._sorted = None
        return self._blocks.pop(owner, None)

    def block_at(self, address: int) -> Block | None:
        """The range an address lies in: of several the one that ends last."""
        if not self._blocks:
            return None
        blocks = self._sorted
        if blocks is None:
            blocks = self._sorted = _without_inner(sorted(self._blocks.values(), key=_place))
        index = bisect_right(blocks, address, key=lambda block: block.address)
        block = blocks[index - 1] if index else None
        return block if block is not None and address < block.end else None

    def overlaps(self, address: int, size: int) -> bool:
        """Whether a range has a byte in common with one of these."""
        return any(block.address < address + size and address < block.end for block in list(self._blocks.values()))

    def view(self, address: int, size: int) -> torch.Tensor:
        """The bytes there, uint8 (size,), not copied."""
        import torch

        return torch.frombuffer((ctypes.c_char * size).from_address(address), dtype=torch.uint8)


def _place(block: Block) -> tuple[int, int]:
    return block.address, -block.size


def _without_inner(blocks: list[Block]) -> list[Block]:
    """Blocks in order, without those that lie in the one before them."""
    outer: list[Block] = []
    for block in blocks:
        if not outer or block.end > outer[-1].end:
            outer.append(block)
    return outer
