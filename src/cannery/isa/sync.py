"""Synchronisation between cores: barriers of all, and messages through workspaces
(hicann/asc-devkit docs, synchronisation control, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Hashable

from cannery.aicore.core import Core
from cannery.aicore.crosscore import need_scheduler
from cannery.aicore.instruction import Site
from cannery.aicore.records import FlagSpace
from cannery.isa.operands import BLOCK
from cannery.isa.tensors import Global, Local, Tensor, memory_of


def meet_all(
    core: Core, site: Site | None, *, vector_only: bool, used: int = 0, gm: Global | None = None,
    ub: Local | None = None,
) -> None:  # fmt: skip
    """A barrier of all vector cores, or of all cores; of the first ``used`` blocks where that is not 0.

    With workspaces it is the software form: one block of 32 bytes for each core in both, zero in global memory.

    Raises:
        DeadlockError: a core never comes.
    """
    members = [other for other in core.peers.cores if other.kind == "aiv" or not vector_only]
    if used:
        members = [other for other in members if other.block < used]
    key: Hashable = ("hard", vector_only)
    if gm is None:
        need_scheduler(core, "sync_all", site)
    else:
        key = ("soft", gm.address)
        size = len(members) * BLOCK
        _need(core, site, "sync_all", gm, size)
        _need(core, site, "sync_all", ub, size)
        core.work()  # the kernel itself may have filled it with zeros
        _need_zero(core, site, "sync_all", gm, 0, size)
    core.peers.meet(core, key, members, "sync_all", site)


def signal(core: Core, site: Site | None, gm: Global, ub: Local | None, block: int, event: int) -> None:
    """Tell whoever waits for the same numbers that this core has come so far."""
    _message_space(core, site, "ib_set", gm, ub, block, event)
    core.peers.post(core, ("ib", gm.address, event, block))


def await_signal(core: Core, site: Site | None, gm: Global, ub: Local | None, block: int, event: int) -> None:
    """Wait until another core has signalled with the same numbers.

    Raises:
        DeadlockError: it never does.
    """
    start = _message_space(core, site, "ib_wait", gm, ub, block, event)
    core.work()
    _need_zero(core, site, "ib_wait", gm, start, BLOCK)
    key = ("ib", gm.address, event, block)
    core.peers.receive(core, key, "ib_wait", f"({block}, {event})", site)


def pass_turn(core: Core, site: Site | None, gm: Global, ub: Local | None) -> None:
    """Let the next block go on."""
    _turn_space(core, site, "notify_next_block", gm, ub)
    core.peers.post(core, ("block", gm.address, core.block + 1, _turn(core, "passed", gm)))


def await_turn(core: Core, site: Site | None, gm: Global, ub: Local | None) -> None:
    """Wait until the previous block has passed the turn on; the first block does not wait.

    Raises:
        DeadlockError: it never does.
    """
    _turn_space(core, site, "wait_pre_block", gm, ub)
    if core.block:
        key = ("block", gm.address, core.block, _turn(core, "awaited", gm))
        core.peers.receive(core, key, "wait_pre_block", "", site)


def _turn(core: Core, what: str, gm: Global) -> int:
    """The number of a turn: a block may pass several on before the next one takes the first."""
    key = ("turn", what, gm.address)
    number: int = core.state.get(key, 0) + 1
    core.state[key] = number
    return number


def _message_space(core: Core, site: Site | None, op: str, gm: Global, ub: Local | None, block: int, event: int) -> int:
    """Check the workspaces of a message: a block for each core and event, and one more (IBSet). Where its block is."""
    cores = sum(other.kind == "aiv" for other in core.peers.cores)
    start = (cores * event + block) * BLOCK
    _need(core, site, op, gm, start + BLOCK)
    _need(core, site, op, ub, BLOCK)
    return start


def _turn_space(core: Core, site: Site | None, op: str, gm: Global, ub: Local | None) -> None:
    """Check the workspaces of turns: a block for each core, in UB one more (NotifyNextBlock)."""
    size = core.launch.core_num * BLOCK
    _need(core, site, op, gm, size)
    _need(core, site, op, ub, size + BLOCK)


def _need(core: Core, site: Site | None, op: str, workspace: Tensor | None, need: int) -> None:
    """Report a workspace that has fewer bytes than are needed."""
    if workspace is None:
        return
    start = workspace.address if isinstance(workspace, Global) else workspace.addr
    have = max(0, workspace.owner.upper - start)
    if have < need:
        memory = memory_of(workspace)
        core.report("small_workspace", site, memory=memory, op=op, have=have, need=need, lacking=need - have)


def _need_zero(core: Core, site: Site | None, op: str, gm: Global, offset: int, size: int) -> None:
    """Report flags in a workspace that are not zero when it is used first: the wait would end at once."""
    known: set[int] = core.state.setdefault(_need_zero, set())
    first = gm.address + offset
    if first in known:
        return
    known.add(first)
    kept = max(0, min(size, gm.owner.upper - first))
    core.tell(FlagSpace(gm.address, first + kept))
    found = gm.owner.buffer.load(gm.offset + offset, kept)
    if found.any():
        place = f"{gm.owner.label}[{gm.offset + offset}:{gm.offset + offset + kept}] (bytes)"
        core.report("workspace_not_zero", site, memory="GM", op=op, place=place)
