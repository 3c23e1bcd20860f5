"""Devices, their contexts, and the limits on cores that hold for a device, a stream or a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import Stream
from cannery.settings import chosen_chip, device_chip
from cannery.soc import Soc, soc

CUBE, VECTOR = 0, 1
_CORES = {CUBE: "aic_cores", VECTOR: "aiv_cores"}
MAX_STREAMS = 1984
MAX_PRIORITY = 7


@dataclass
class Limits:
    """Numbers of cube and vector cores that may be used, where they are fewer than the chip has."""

    cores: dict[int, int] = field(default_factory=dict)

    def get(self, chip: Soc, kind: int) -> int:
        """The number of cores of a kind.

        Raises:
            RuntimeFault: INVALID_PARAM: there is no such kind.
        """
        return self.cores.get(kind, int(getattr(chip, _field(kind))))

    def set(self, chip: Soc, kind: int, value: int) -> None:
        """Limit a kind of cores.

        Raises:
            RuntimeFault: INVALID_PARAM: no such kind, no cores, or more than the chip has.
        """
        most = getattr(chip, _field(kind))
        if not 1 <= value <= most:
            raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "value", value, f"1 to {most}")
        self.cores[kind] = value

    def apply(self, chip: Soc) -> Soc:
        """The chip with the limits as its numbers of cores. More than it has was for another chip: no limit."""
        fewer = {_CORES[kind]: most for kind, most in self.cores.items() if most < getattr(chip, _CORES[kind])}
        return soc(chip, **fewer) if fewer else chip


@dataclass(eq=False)
class Context:
    """A context: a device, a default stream, its streams and its options.

    Attributes:
        is_default: made by ``aclrtSetDevice``, not by ``aclrtCreateContext``.
    """

    device: Device
    is_default: bool = False
    is_alive: bool = True
    default_stream: Stream = field(init=False)
    streams: set[Stream] = field(default_factory=set)
    options: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.default_stream = self.device.new_stream()

    def synchronize(self, timeout: int) -> None:
        """Do everything pending in every stream.

        Raises:
            RuntimeFault: the first failure, after all streams have run.
        """
        faults = [fault for fault in (_failure(stream, timeout) for stream in self.every_stream()) if fault]
        if faults:
            raise faults[0]

    def every_stream(self) -> list[Stream]:
        """The default stream, then the others."""
        return [self.default_stream, *self.streams]


@dataclass(eq=False)
class Device:
    """A device.

    Attributes:
        on_failure: told of each task that failed: device, stream, number of the task, fault.
        users: how often ``aclrtSetDevice`` was called without its ``aclrtResetDevice``.
    """

    number: int
    on_failure: Callable[[int, Stream, int, RuntimeFault], None]
    users: int = 0
    default: Context | None = None
    contexts: set[Context] = field(default_factory=set)
    limits: Limits = field(default_factory=Limits)
    stream_limits: dict[Stream, Limits] = field(default_factory=dict)
    stream_numbers: Iterator[int] = field(default_factory=count)

    @property
    def soc(self) -> Soc:
        """The chip, by the settings in force."""
        return device_chip()

    def new_stream(self) -> Stream:
        """A stream, which belongs to no context yet."""
        return Stream(partial(self.on_failure, self.number), next(self.stream_numbers))

    def open(self) -> Context:
        """The default context; it is made when there is none."""
        if self.default is None:
            self.default = self.create_context(is_default=True)
        return self.default

    def create_context(self, is_default: bool = False) -> Context:
        """A new context."""
        context = Context(self, is_default)
        self.contexts.add(context)
        return context

    def close(self) -> None:
        """End every context; what was pending is done first, failures included."""
        for context in list(self.contexts):
            self.end_context(context)
        self.users = 0
        self.default = None
        self.limits = Limits()

    def end_context(self, context: Context) -> None:
        """End a context and its streams; what was pending is done first."""
        for stream in context.every_stream():
            _failure(stream, -1)
            self.stream_limits.pop(stream, None)
        context.streams.clear()
        context.is_alive = False
        self.contexts.discard(context)

    def check_room_for_a_stream(self) -> None:
        """Refuse more streams than a device has.

        Raises:
            RuntimeFault: RT_NO_STREAM_RESOURCE.
        """
        used = sum(len(context.streams) for context in self.contexts)
        if used >= MAX_STREAMS:
            raise RuntimeFault(
                AclError.ACL_ERROR_RT_NO_STREAM_RESOURCE, "stream", f"{used} streams", f"at most {MAX_STREAMS}"
            )

    def chip_for(self, stream: Stream | None, usual: Soc | None = None) -> Soc:
        """The chip with the limits of a stream, else of the device. ``usual`` stands for it where nobody names one."""
        limits = self.stream_limits.get(stream) if stream is not None else None
        return (limits or self.limits).apply(chosen_chip() or usual or self.soc)


def _failure(stream: Stream, timeout: int) -> RuntimeFault | None:
    try:
        stream.synchronize(timeout)
    except RuntimeFault as fault:
        return fault
    return None


def _field(kind: int) -> str:
    if kind not in _CORES:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "type", kind, "0 (cube cores) or 1 (vector cores)")
    return _CORES[kind]
