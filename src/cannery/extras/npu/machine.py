"""The virtual machine as PyTorch sees it: devices, each with memory, a random generator and streams."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor

from cannery.extras.npu.alias import BLOCK, on_device
from cannery.extras.npu.ledger import Ledger
from cannery.runtime import process
from cannery.runtime.device import Device
from cannery.runtime.process import Process
from cannery.soc import Soc

NAME = "npu"


class _Thread(threading.local):
    """What belongs to a thread: its device, and on each device its stream."""

    def __init__(self) -> None:
        self.device = 0
        self.streams: dict[int, Any] = {}


class Machine:
    """Devices and the calling thread's place among them.

    Attributes:
        is_initialized: whether a device was used; nothing is started before.
        has_forked: this process is a fork of one that had used a device.
        leave_first_device: called once, when the current device is another than 0 for the first time.
        options: what scripts set and nothing here depends on (``set_option``, ``set_compile_mode``, levels).
    """

    def __init__(self, runtime: Process) -> None:
        self.runtime = runtime
        self.is_initialized = False
        self.has_forked = False
        self.is_device_limited = False
        self.leave_first_device: Callable[[], None] | None = None
        self.options: dict[str, Any] = {}
        self.thread = _Thread()
        memory, devices = runtime.memory, range(runtime.device_count())
        self.ledgers = tuple(Ledger(number, runtime.machine.memory, memory.lent(number)) for number in devices)
        self.generators = tuple(torch.Generator() for _ in self.ledgers)

    @property
    def count(self) -> int:
        """Number of devices."""
        return len(self.ledgers)

    def initialize(self) -> None:
        """Start the runtime at the first use of a device.

        Raises:
            RuntimeError: no device, or a fork of a process that used one.
        """
        if self.is_initialized:
            return
        if self.has_forked:
            raise RuntimeError(
                "Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, you must use the "
                "'spawn' start method"
            )
        if not self.count:
            raise RuntimeError("No NPU devices are available (ASCEND_RT_VISIBLE_DEVICES shows none)")
        self.runtime.references += 1
        self.is_initialized = True
        self.runtime.enter(self.device(self.thread.device).open())

    def forked(self) -> None:
        """What a child process does first."""
        if self.is_initialized:
            self.is_initialized, self.has_forked = False, True

    def device(self, index: int) -> Device:
        """The runtime's device."""
        return self.runtime.device(index)

    def set_device(self, index: int) -> None:
        """Make a device the calling thread's."""
        self.thread.device = index
        if index and self.leave_first_device is not None:
            leave, self.leave_first_device = self.leave_first_device, None
            leave()
        if self.is_initialized:
            self.runtime.enter(self.device(index).open())

    def chip(self, index: int, usual: Soc | None = None) -> Soc:
        """The chip of a device with the limits of the calling thread's stream there, else of the device.

        ``usual`` stands for it where nobody names one: an operator's first.
        """
        device, stream = self.device(index), self.thread.streams.get(index)
        return device.chip_for(device.open().default_stream if stream is None else stream.runtime_stream, usual)

    def place(self, host: Tensor, index: int) -> Tensor:
        """A tensor of a device over new memory that a CPU tensor holds; the memory counts as the device's.

        Raises:
            NotImplementedError: the tensor is sparse or quantised.
            torch.OutOfMemoryError: the device is full.
        """
        if not self.is_initialized:
            self.initialize()
        if host.layout is not torch.strided:
            raise NotImplementedError(f"{host.layout} tensors on npu are not there in cannery: use strided ones")
        if host.is_quantized:
            raise NotImplementedError(f"{host.dtype} tensors on npu are not there in cannery: quantise on the host")
        if host.is_conj() or host.is_neg():
            # Lazy bits stay behind when memory changes hands.
            host = host.resolve_conj().resolve_neg()
        attributes = host.__dict__
        if BLOCK not in attributes:
            attributes[BLOCK] = self.ledgers[index].take_for(host)
        return on_device(host, index)

    def index_of(self, device: torch.device | None) -> int:
        """The number of a device; without one, of the thread's.

        Raises:
            RuntimeError: there is no such device.
        """
        index = self.thread.device if device is None or device.index is None else device.index
        if not 0 <= index < self.count:
            raise RuntimeError(f"Invalid device id {index}, expected 0 to {self.count - 1}")
        return index

    @contextmanager
    def drawing_from(self, index: int) -> Iterator[None]:
        """Let operators that take no generator draw from the device's, not from the host's."""
        host, own = torch.default_generator, self.generators[index]
        before = host.get_state()
        host.set_state(own.get_state())
        try:
            yield
        finally:
            own.set_state(host.get_state())
            host.set_state(before)


@cache
def machine() -> Machine:
    """The one machine of this process."""
    return Machine(process())
