"""Who asks for products and who computes them: on one cube core the same, in a MIX kernel a vector core and its cube
(mirror-cann/asc-devkit `impl/basic_api/dav_c220/kfc` and `impl/adv_api/detail/matmul/kfc` @82b89a15f263).

A vector core writes a message into the workspace by MTE3, behind what MTE3 was issued before; the cube takes messages
in their order, and its FIX pipe answers with a flag for which the vector core waits with all its pipes. What lies in
UB goes through the workspace: each vector core has as many bytes there as UB has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

from cannery.aicore.core import Core
from cannery.aicore.crosscore import INNER
from cannery.aicore.flags import Event, Inner
from cannery.aicore.instruction import Site
from cannery.aicore.pipes import BY_ENDS, FIX, MTE2, MTE3, S, V
from cannery.isa import move
from cannery.isa.dtypes import DataType
from cannery.isa.matmul_plan import Step
from cannery.isa.matmul_rings import BY
from cannery.isa.matmul_unit import Sizes, Unit
from cannery.isa.operands import BLOCK
from cannery.isa.table import TABLE
from cannery.isa.tensors import Global, GlobalOwner, Local

_COPY: Final = TABLE["data_copy"]
MOST_OBJECTS: Final = 4
_CORES: Final = 50
_MESSAGE: Final = 128
_MESSAGES: Final = 64
_COUNTER: Final = 64
_OBJECTS: Final = 8
_HEAD: Final = _CORES * (2 * _MESSAGES * _MESSAGE + _OBJECTS * _COUNTER + _COUNTER)
"""Bytes of the workspace before what stands for UB: messages both ways and counters, of 50 vector cores."""
_MESSAGE_FLAG: Final = 0
_SECOND: Final = 16
"""What a cube adds to the flags of its second vector core."""


class Number(NamedTuple):
    """An object among those of a vector core, by the order of registration."""

    core: int
    at: int


@dataclass(frozen=True)
class Request:
    """What a core asks a cube to do for an object, from which line."""

    number: Number
    steps: tuple[Step, ...]
    site: Site | None


class Units:
    """The objects of one cube core."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._units: dict[Number, Unit] = {}
        self._last: Unit | None = None

    def unit(self, request: Request) -> Unit:
        """The object's buffers; made when it is used first, and again when its blocks are others."""
        task = request.steps[0].task
        unit = self._units.get(request.number)
        if unit is None or unit.sizes != Sizes.of(task.types, task.shape):
            unit = self._units[request.number] = Unit(self._core, request.site, task.types, task.shape)
        if self._last is not unit and self._last is not None:
            self._core.barrier(None, None)  # they share L0
        self._last = unit
        return unit


class Link(Protocol):
    """How an object reaches a cube."""

    core: Core

    def ask(self, steps: tuple[Step, ...], site: Site | None, op: str) -> None:
        """Let the cube do something."""

    def wait(self, site: Site | None, op: str) -> None:
        """Wait until the next step is done that notifies."""


class Direct:
    """The object's core is the cube."""

    def __init__(self, core: Core, units: Units, index: int) -> None:
        self.core = core
        self._units = units
        self._number = Number(core.index, index)

    def ask(self, steps: tuple[Step, ...], site: Site | None, op: str) -> None:
        """Do it."""
        unit = self._units.unit(Request(self._number, steps, site))
        for step in steps:
            unit.run(step, site)

    def wait(self, site: Site | None, op: str) -> None:
        """Nothing to wait for: later instructions are the program's to order."""


@dataclass
class Mailbox:
    """The requests of a cube's vector cores in their order, and how many of these still may ask."""

    askers: int
    requests: deque[Request | None] = field(default_factory=deque)


def mailbox(cube: Core) -> Mailbox:
    """A cube's mailbox."""
    found: Mailbox | None = cube.state.get(Mailbox)
    if found is None:
        group = [core for core in cube.peers.cores if core.group == cube.group]
        found = cube.state[Mailbox] = Mailbox(len(group) - 1)
    return found


def serve(cube: Core, site: Site | None, op: str) -> None:
    """Do what the vector cores of a cube ask for, until all of them have ended.

    Raises:
        DeadlockError: one of them neither asks nor ends.
    """
    box, units = mailbox(cube), Units(cube)
    while box.askers:
        cube.peers.wait_until(cube, lambda: bool(box.requests), op, site)
        request = box.requests.popleft()
        if request is None:
            box.askers -= 1
            continue
        _answer(cube, units, request, op)


def _answer(cube: Core, units: Units, request: Request, op: str) -> None:
    asker = cube.peers.cores[request.number.core]
    base = _SECOND * asker.sub_block
    cube.peers.wait_flag(cube, base + _MESSAGE_FLAG, INNER, request.site, op)
    unit = units.unit(request)
    for step in request.steps:
        unit.run(step, request.site)
        if step.notifies:
            cube.peers.set_flag(cube, base + request.number.at, INNER, FIX, request.site, op)


class Transit(GlobalOwner):
    """A vector core's part of the workspace. A workspace that is too small was a finding already."""

    __slots__ = ()
    trusted = True


class Client:
    """A vector core that asks a cube: its messages and its part of the workspace."""

    def __init__(self, core: Core, site: Site | None, workspace: Global, op: str, *, through: bool) -> None:
        self.core = core
        self._cube = next(other for other in core.peers.cores if other.kind == "aic" and other.group == core.group)
        self._workspace = workspace
        self._size = core.soc.ub_size
        self._start = _HEAD + (core.group * 2 + core.sub_block) * self._size
        self._enough = self._check(site, op, self._start + self._size if through else _HEAD)
        self._head = 0
        self._held: dict[Hashable, tuple[int, int]] = {}
        self._events: dict[tuple[int, int], Event] = {}
        self._posted = False
        core.closers.append(self._quit)

    def _check(self, site: Site | None, op: str, need: int) -> bool:
        """Report a workspace that has not the bytes that this core uses."""
        have = max(0, self._workspace.owner.upper - self._workspace.address)
        if have < need:
            self.core.report("matmul_workspace", site, memory="GM", op=op, have=have, need=need, lacking=need - have)
        return have >= need

    def lend(self, site: Site | None, size: int, dtype: DataType, holder: Hashable = None) -> Global:
        """Bytes of the workspace, round and round; a ``holder`` keeps its bytes until it asks again.

        Raises:
            ValueError: there are not so many left.
        """
        whole = -(-size // BLOCK) * BLOCK
        self._held.pop(holder, None)
        place = self._place(whole)
        if place < self._head:  # what was copied out of there must have arrived
            self.order(MTE2, MTE3, site)
        self._head = place + whole
        if holder is not None:
            self._held[holder] = (place, self._head)
        lower = self._workspace.address + self._start + place
        owner = (GlobalOwner if self._enough else Transit)(self._workspace.owner.buffer, lower, lower + whole)
        return Global(owner, lower, dtype)

    def _place(self, size: int) -> int:
        """Where as many bytes are nobody's: from where the last ones ended on, else from the start."""
        held = sorted(self._held.values())
        ends = [end for _, end in held]
        for place in (self._head, *(end for end in ends if end > self._head), 0, *ends):
            if place + size <= self._size and all(place + size <= a or b <= place for a, b in held):
                return place
        kept = sum(end - start for start, end in held)
        raise ValueError(
            f"matmul: found {size} bytes for the workspace beside {kept} of operands in UB, expected {self._size} "
            "at most"
        )

    def send(self, site: Site | None, tensor: Local, holder: Hashable) -> Global:
        """Copy an operand from UB to the workspace; where it is there."""
        there = self.lend(site, tensor.size * tensor.dtype.size, tensor.dtype, holder)
        self.order(V, MTE3, site)
        move.copy_counted(self.core, site, _COPY, there, tensor, tensor.size)
        return there

    def fetch(self, site: Site | None, target: Local, origin: Global, *, settles: bool) -> None:
        """Copy a result from global memory to UB; ``settles``: the vector pipe waits for it."""
        move.copy_counted(self.core, site, _COPY, target, origin, target.size)
        if settles:
            self.order(MTE2, V, site)

    def order(self, first: int, then: int, site: Site | None) -> None:
        """A pipe waits for what another was issued before."""
        event = self._event(first, then)
        self.core.set_event(event, site, by=BY)
        self.core.wait_event(event, site, by=BY)

    def post(self, request: Request, op: str) -> None:
        """Send a message: behind what S and MTE3 were issued before."""
        written = self._event(MTE3, S)
        if self._posted:
            self.core.wait_event(written, request.site, by=BY)
        self.order(S, MTE3, request.site)
        self.core.barrier(MTE3, None)
        self.core.peers.set_flag(self.core, _MESSAGE_FLAG, INNER, MTE3, request.site, op)
        self.core.set_event(written, request.site, by=BY)
        self._posted = True
        mailbox(self._cube).requests.append(request)

    def _event(self, first: int, then: int) -> Event:
        ends = (first, then)
        if ends not in self._events:
            self._events[ends] = Inner(BY_ENDS[ends], 0)
        return self._events[ends]

    def _quit(self, completed: bool) -> None:
        if completed:
            mailbox(self._cube).requests.append(None)


class Remote:
    """The object's core is a vector core; a cube computes."""

    def __init__(self, client: Client, index: int) -> None:
        self.client = client
        self.core = client.core
        self._number = Number(client.core.index, index)

    def ask(self, steps: tuple[Step, ...], site: Site | None, op: str) -> None:
        """Send a message."""
        self.client.post(Request(self._number, steps, site), op)

    def wait(self, site: Site | None, op: str) -> None:
        """Wait for the cube's flag."""
        self.core.peers.wait_flag(self.core, self._number.at, INNER, site, op)


def number_of(core: Core, op: str) -> int:
    """The next object of a core.

    Raises:
        ValueError: it has as many as there can be.
    """
    count: Any = core.state.get(Number, 0)
    if count >= MOST_OBJECTS:
        raise ValueError(f"{op}: found {count + 1} objects, expected {MOST_OBJECTS} at most")
    core.state[Number] = count + 1
    return int(count)
