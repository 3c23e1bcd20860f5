"""One launch of a kernel in C++: its cores, and what its addresses mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.launch import Launch
from cannery.aicore.memory import GlobalBuffer
from cannery.aicore.setup import Layout, Setup
from cannery.ascendc.held import held, position_of
from cannery.ascendc.spelling import Cpp
from cannery.isa.space import static
from cannery.isa.tensors import Allocation, GlobalOwner
from cannery.settings import current_settings, device_chip
from cannery.watch import Checker, Collector, LaunchRecord, current


@dataclass(frozen=True)
class Block:
    """A block of global memory."""

    address: int
    size: int


class Memory(Protocol):
    """Which addresses are global memory."""

    def block_at(self, address: int) -> Block | None:
        """The block an address lies in, None where there is none."""

    def array(self, block: Block) -> np.ndarray[Any, Any]:
        """Its bytes, not copied."""


@dataclass(frozen=True)
class Launched:
    """What the program says of a launch.

    Attributes:
        labels: its arguments, as the launch writes them.
        addresses: their values where they are pointers, else 0.
    """

    name: str
    blocks: int
    cubes: int
    vectors: int
    scheduled: bool
    auto_sync: bool
    labels: tuple[str, ...]
    addresses: tuple[int, ...]

    @property
    def layout(self) -> Layout:
        """Kind, block index, sub-block index of each core."""
        places: list[tuple[str, int, int]] = []
        for group in range(self.blocks):
            places += [("aic", group, 0)] * self.cubes
            places += [("aiv", group * self.vectors + sub, sub) for sub in range(self.vectors)]
        return tuple(places)


class Kernel:
    """A launch that runs. ``write``: where its output goes."""

    def __init__(self, launched: Launched, memory: Memory, write: Callable[[str], None], text: Callable[[int], str]):
        self.launched = launched
        self.write = write
        self.text = text
        self._memory = memory
        self._buffers: dict[int, GlobalBuffer] = {}
        self._owners: dict[tuple[int, int], GlobalOwner] = {}

    def run(self, body: Callable[[Core], None]) -> LaunchRecord:
        """Run ``body`` on every core under the settings in force; the record is also the session's.

        Raises:
            DeadlockError: the kernel cannot go on; or whatever the body raises.
        """
        options, launched = current_settings(), self.launched
        setup = Setup(
            launched.name, device_chip(), launched.blocks, launched.layout, options.seed,
            auto_sync=launched.auto_sync, scheduled=launched.scheduled, precise=options.precise,
        )  # fmt: skip
        findings = Collector(launched.name, Cpp())
        launch = Launch(setup, (Checker(setup, findings),) if options.check else ())
        try:
            launch.run(body)
        finally:
            record = LaunchRecord(
                launched.name, launched.blocks, setup.soc.name, setup.seed, launch.issued(), launch.local_bytes(),
                tuple(findings),
            )  # fmt: skip
            current().remember(record)
        return record

    def local_owner(self, core: Core, number: int, position: int, address: int, size: int, site: Any) -> Allocation:
        """The buffer that a local tensor lies in; without a number it has an address of the program's own choice.

        Raises:
            RuntimeError: a tensor that was never given memory.
        """
        owner = held(core).owner(number)
        if owner is not None:
            return owner
        if position >= _NOWHERE:
            raise RuntimeError("found a LocalTensor without memory, expected one that was given memory before its use")
        return static(core, site, position_of(position), address, size, f"LocalTensor at {address}")

    def global_owner(self, base: int, size: int) -> GlobalOwner:
        """The bytes of a GlobalTensor that was set to an address; ``size`` 0: to the end of the block there."""
        key = (base, size)
        owner = self._owners.get(key)
        if owner is None:
            buffer = self._buffer(base)
            end = buffer.base + buffer.nbytes
            lower, upper = (base, min(end, base + size)) if size else (buffer.base, end)
            owner = self._owners[key] = GlobalOwner(buffer, lower, upper)
        return owner

    def _buffer(self, address: int) -> GlobalBuffer:
        block = self._memory.block_at(address)
        if block is None:
            return _nowhere(address, self._label(Block(address, 1), "host memory"))
        found = self._buffers.get(block.address)
        if found is None:
            label = self._label(block, "global memory")
            found = self._buffers[block.address] = GlobalBuffer(label, self._memory.array(block))
        return found

    def _label(self, block: Block, usual: str) -> str:
        """What the launch calls a block."""
        launched = self.launched
        for label, address in zip(launched.labels, launched.addresses, strict=False):
            if block.address <= address < block.address + block.size:
                return label
        return usual


_NOWHERE = 16
"""TPosition::MAX."""


def _nowhere(address: int, label: str) -> GlobalBuffer:
    """Memory that no kernel can reach: reads give poison, writes are dropped."""
    buffer = GlobalBuffer(label, np.empty(0, np.uint8))
    buffer.base = address
    return buffer
