"""What a launch can raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cannery.aicore.core import Blocked


class KernelError(RuntimeError):
    """A kernel cannot go on."""


class DeadlockError(KernelError):
    """Nothing can proceed. Carries the kernel, the block index and the head of each pipe."""

    def __init__(self, kernel: str, block: int, heads: Sequence[Blocked]) -> None:
        super().__init__(kernel, block, tuple(heads))
        self.kernel = kernel
        self.block = block
        self.heads = tuple(heads)

    def __str__(self) -> str:
        return f"deadlock in {self.kernel}, block {self.block}: {describe(self.heads)}"


def describe(heads: Sequence[Blocked]) -> str:
    """The heads of the pipes in one line."""
    return "; ".join(
        f"{head.pipe}: {head.what}" + (f" at {head.site.file}:{head.site.line}" if head.site else "") for head in heads
    )
