"""Synchronisation between cores: barriers of all, and messages through workspaces
(hicann/asc-devkit docs, synchronisation control, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Hashable

from cannery.aicore.core import Core
from cannery.aicore.crosscore import need_scheduler
from cannery.aicore.instruction import Site
from cannery.isa.operands import BLOCK
from cannery.isa.tensors import Global


def meet_all(
    core: Core, site: Site | None, *, vector_only: bool, used: int = 0, workspace: Global | None = None
) -> None:
    """A barrier of all vector cores, or of all cores; of the first ``used`` blocks where that is not 0.

    With a workspace, one block of 32 bytes for each core, it is the software form.

    Raises:
        DeadlockError: a core never comes.
    """
    members = [other for other in core.peers.cores if other.kind == "aiv" or not vector_only]
    if used:
        members = [other for other in members if other.block < used]
    key: Hashable = ("hard", vector_only)
    if workspace is None:
        need_scheduler(core, "sync_all", site)
    else:
        key = ("soft", workspace.address)
        have, need = workspace.owner.upper - workspace.address, len(members) * BLOCK
        if have < need:
            core.report("small_workspace", site, memory="GM", op="sync_all", have=have, need=need, lacking=need - have)
    core.peers.meet(core, key, members, "sync_all", site)


def signal(core: Core, workspace: Global, block: int, event: int) -> None:
    """Tell whoever waits for the same numbers that this core has come so far."""
    core.peers.post(core, ("ib", workspace.address, event, block))


def await_signal(core: Core, site: Site | None, workspace: Global, block: int, event: int) -> None:
    """Wait until another core has signalled with the same numbers.

    Raises:
        DeadlockError: it never does.
    """
    key = ("ib", workspace.address, event, block)
    core.peers.receive(core, key, "ib_wait", f"({block}, {event})", site)


def pass_turn(core: Core, workspace: Global) -> None:
    """Let the next block go on."""
    core.peers.post(core, ("block", workspace.address, core.block + 1))


def await_turn(core: Core, site: Site | None, workspace: Global) -> None:
    """Wait until the previous block has passed the turn on; the first block does not wait.

    Raises:
        DeadlockError: it never does.
    """
    if core.block:
        core.peers.receive(core, ("block", workspace.address, core.block), "wait_pre_block", "", site)
