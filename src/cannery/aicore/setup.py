"""What a launch is, before it runs: a frozen value that its cores and its watchers read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cannery.aicore.limits import Limits, limits
from cannery.soc import Soc

Layout = tuple[tuple[str, int, int], ...]
"""Kind, block index and sub-block index of each core."""


@dataclass(frozen=True)
class Setup:
    """One launch of a kernel on a chip.

    Attributes:
        kernel: its name.
        soc: the chip.
        core_num: launched groups; what get_block_num returns.
        layout: the cores.
        seed: of the lazy order; 0 is the laziest.
        auto_sync: the compiler orders dependent vector instructions, and the scalar unit with V, MTE2 and MTE3: its
            accesses to UB, and its reads of global memory.
        scheduled: the kernel has the scheduler that cross-core flags need; an AIV_ONLY one has not.
        precise: 16-bit floats keep the float32 value that was rounded into them.
        saturates: half results that are too large become the largest number, not infinity.
        reserves_ub: the compiler reserves UB for instructions that are made of several.
        fills_ub: the kernel is from before any UB was kept, and fills it on purpose.
    """

    kernel: str
    soc: Soc
    core_num: int
    layout: Layout
    seed: int = 0
    auto_sync: bool = True
    scheduled: bool = True
    precise: bool = False
    saturates: bool = False
    reserves_ub: bool = True
    fills_ub: bool = False

    @cached_property
    def limits(self) -> Limits:
        """The limits of the chip's architecture."""
        return limits(self.soc.npu_arch)

    @cached_property
    def vectors_per_group(self) -> int:
        """Vector cores of a launched group."""
        return 1 + max((sub_block for _, _, sub_block in self.layout), default=0)

    @cached_property
    def is_of_one_kind(self) -> bool:
        """Whether all cores are cubes, or all vectors."""
        return len({kind for kind, _, _ in self.layout}) == 1

    @property
    def reserved(self) -> int:
        """Bytes at the end of UB that are not the kernel's own."""
        if self.fills_ub:
            return 0
        return self.limits.kept_ub + (self.limits.reserved_ub if self.reserves_ub else 0)

    @property
    def vector_in_order(self) -> bool:
        """Whether the compiler or the chip orders dependent vector instructions."""
        return self.auto_sync or self.limits.vector_in_order
