"""What a launch can raise."""

from __future__ import annotations

from collections.abc import Sequence

from cannery.aicore.flags import Blocked


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
        return f"deadlock in {self.kernel}, block {self.block}: {'; '.join(map(_told, self.heads))}"


def _told(head: Blocked) -> str:
    where = f" at {head.site.file}:{head.site.line}" if head.site else ""
    core = f"{head.core}, " if head.core else ""
    return f"{core}{head.pipe}: {head.op}{head.detail}{where}"
