"""Flags, barriers, synchronisation between cores (hicann/asc-devkit docs, synchronisation control, @82b89a15f263)."""

from __future__ import annotations

from typing import Any, Final

from cannery.aicore.cache import LINE
from cannery.asc.context import here, running
from cannery.asc.enums import PIPE, CacheLine, DcciDst, HardEvent, MemDsbT, PipeID
from cannery.asc.tensors import GlobalTensor
from cannery.isa import sync
from cannery.isa.op import DAV_2201, DAV_3510, ByArch

__all__ = [
    "cross_core_set_flag", "cross_core_wait_flag", "data_cache_clean_and_invalid", "data_cache_preload",
    "data_sync_barrier", "get_icache_preload_status", "ib_set", "ib_wait", "icache_preload", "notify_next_block",
    "pipe_barrier", "set_flag", "sync_all", "wait_flag", "wait_pre_block",
]  # fmt: skip


_MODES: Final = ByArch({DAV_2201: (0, 1, 2), DAV_3510: (0, 1, 2, 4)})
"""The modes of cross-core flags (CrossCoreSetFlag)."""


def set_flag(event: HardEvent, event_id: int = 0) -> None:
    """Set an event on its source pipe, when that pipe's earlier instructions are complete."""
    running().set_flag(_event("set_flag", event), int(event_id), here())


def wait_flag(event: HardEvent, event_id: int = 0) -> None:
    """Let the event's destination pipe wait. Sets and waits pair on (event, id).

    Raises:
        DeadlockError: the scalar pipe waits for a set that never comes.
    """
    running().wait_flag(_event("wait_flag", event), int(event_id), here())


def pipe_barrier(pipe: PipeID) -> None:
    """Order a pipe's later instructions after its earlier ones; PIPE_ALL: of all pipes.

    Raises:
        ValueError: a pipe this chip has not, or PIPE_S, which has no barrier.
    """
    if pipe == PipeID.PIPE_S:
        raise ValueError("pipe_barrier: pipe: found PIPE_S, expected another pipe: the scalar unit has no barrier")
    running().barrier(None if pipe == PipeID.PIPE_ALL else _pipe("pipe_barrier", pipe), here())


def data_sync_barrier(arg0: MemDsbT) -> None:
    """A barrier for memory accesses of the scalar pipe, which are in order here."""
    del arg0


def cross_core_set_flag(flag_id: int, mode_id: int, pipe: PipeID) -> None:
    """Set a cross-core flag.

    Mode 0: between cores of a kind, 1: vector cores of a group, 2: a cube and its vectors, 4 (950): a cube and one of
    its vectors, where the cube's flags from 16 on are those of the second one.
    """
    core = running()
    number = _pipe("cross_core_set_flag", pipe)
    core.peers.set_flag(core, int(flag_id), _mode("cross_core_set_flag", mode_id), number, here())


def cross_core_wait_flag(flag_id: int, mode_id: int, pipe: PipeID) -> None:
    """Wait for a cross-core flag; every pipe of this core waits.

    Raises:
        DeadlockError: it is never set.
    """
    del pipe
    core = running()
    core.peers.wait_flag(core, int(flag_id), _mode("cross_core_wait_flag", mode_id), here())


def sync_all(gm_workspace: Any = None, ub_workspace: Any = None, used_cores: int = 0, is_aiv_only: bool = True) -> None:
    """A barrier of all vector cores, or of all cores. With workspaces it is the software form.

    Raises:
        DeadlockError: a core never comes.
    """
    if isinstance(gm_workspace, bool):
        gm_workspace, is_aiv_only = None, gm_workspace
    used = int(used_cores)
    sync.meet_all(running(), here(), vector_only=is_aiv_only, used=used, gm=gm_workspace, ub=ub_workspace)


def ib_set(gm_workspace: Any, ub_workspace: Any, block_idx: int, event_id: int, is_aiv_only: bool = True) -> None:
    """Tell another core, through a workspace, that this one has come so far."""
    del is_aiv_only
    sync.signal(running(), here(), gm_workspace, ub_workspace, int(block_idx), int(event_id))


def ib_wait(gm_workspace: Any, ub_workspace: Any, block_idx: int, event_id: int, is_aiv_only: bool = True) -> None:
    """Wait until another core has called ib_set with the same numbers.

    Raises:
        DeadlockError: it never does.
    """
    del is_aiv_only
    sync.await_signal(running(), here(), gm_workspace, ub_workspace, int(block_idx), int(event_id))


def notify_next_block(gm_workspace: Any, ub_workspace: Any) -> None:
    """Let the next block go on from its wait_pre_block."""
    sync.pass_turn(running(), here(), gm_workspace, ub_workspace)


def wait_pre_block(gm_workspace: Any, ub_workspace: Any) -> None:
    """Wait until the previous block has called notify_next_block; the first block does not wait.

    Raises:
        DeadlockError: it never does.
    """
    sync.await_turn(running(), here(), gm_workspace, ub_workspace)


def data_cache_clean_and_invalid(entire_type: Any, dst: Any, dcci_dst: Any = None) -> None:
    """Clean and invalidate the scalar unit's cache of global memory: all of it, or from ``dst`` on to the end of its
    line of 64 bytes.

    Its earlier writes reach global memory; its next reads see what others wrote there.
    """
    core, site = running(), here()
    if dcci_dst == DcciDst.CACHELINE_UB:
        return
    if entire_type == CacheLine.ENTIRE_DATA_CACHE:
        core.clean_cache(site=site)
    elif isinstance(dst, GlobalTensor):
        core.clean_cache(dst.address, dst.address + LINE - dst.offset % LINE, site)


def data_cache_preload(src: Any, cache_offset: Any) -> None:
    """A hint; without effect on data."""


def icache_preload(pre_fetch_len: int) -> None:
    """A hint; without effect on data."""


def get_icache_preload_status() -> int:
    """Always idle."""
    return 0


def _pipe(name: str, pipe: PipeID) -> int:
    if pipe not in PIPE:
        found = PipeID(pipe).name if pipe in set(PipeID) else repr(pipe)
        raise ValueError(f"{name}: pipe: found {found}, expected a pipe of {running().soc.name}")
    return PIPE[PipeID(pipe)]


def _event(name: str, event: HardEvent) -> int:
    if type(event) is HardEvent:
        return int(event)
    try:
        return int(HardEvent(event))
    except ValueError:
        raise ValueError(f"{name}: event: found {event!r}, expected a member of HardEvent") from None


def _mode(name: str, mode: int) -> int:
    modes = _MODES[running().soc.npu_arch]
    if mode not in modes:
        raise ValueError(f"{name}: mode_id: found {mode!r}, expected {', '.join(map(str, modes[:-1]))} or {modes[-1]}")
    return int(mode)
