"""Flags, barriers, synchronisation between cores, the data cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cannery.aicore.cache import LINE
from cannery.aicore.pipes import BY_ENDS, PIPES
from cannery.ascendc.words import Call
from cannery.isa import sync
from cannery.isa.op import DAV_2201, DAV_3510, ByArch

_MODES: Final = ByArch({DAV_2201: 2, DAV_3510: 4})
"""The largest mode of cross-core flags (CrossCoreSetFlag)."""
_PIPE_ALL: Final = 6
_PIPES: Final = MappingProxyType({0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 10: PIPES.index("FIX")})
"""The machine's pipes by pipe_t."""
_ENTIRE: Final = 1
_UB_ONLY: Final = 1


def _pipe(call: Call, name: str) -> int:
    number = call.integer()
    if number not in _PIPES:
        raise ValueError(f"{name}: found pipe {number}, expected a pipe of {call.core.soc.name}")
    return _PIPES[number]


def set_flag(call: Call) -> None:
    """SetFlag."""
    event, identity = call.integers(2)
    call.core.set_flag(event, identity, call.site)


def wait_flag(call: Call) -> None:
    """WaitFlag."""
    event, identity = call.integers(2)
    call.core.wait_flag(event, identity, call.site)


def set_between(call: Call) -> None:
    """set_flag(src, dst, id)."""
    call.core.set_flag(_event(call, "set_flag"), call.integer(), call.site)


def wait_between(call: Call) -> None:
    """wait_flag(src, dst, id)."""
    call.core.wait_flag(_event(call, "wait_flag"), call.integer(), call.site)


def _event(call: Call, name: str) -> int:
    ends = _pipe(call, name), _pipe(call, name)
    if ends not in BY_ENDS:
        found = f"PIPE_{PIPES[ends[0]]} and PIPE_{PIPES[ends[1]]}"
        raise ValueError(f"{name}: found {found}, expected two pipes that an event connects")
    return BY_ENDS[ends]


def pipe_barrier(call: Call) -> None:
    """PipeBarrier."""
    number = call.integer()
    if number == _PIPE_ALL:
        call.core.barrier(None, call.site)
    elif number in _PIPES:
        call.core.barrier(_PIPES[number], call.site)
    else:
        raise ValueError(f"PipeBarrier: found pipe {number}, expected a pipe of {call.core.soc.name}")


def _mode(call: Call, name: str, mode: int) -> int:
    most = _MODES[call.core.soc.npu_arch]
    if mode > most:
        raise ValueError(f"{name}: mode: found {mode}, expected 0 to {most}")
    return mode


def cross_core_set_flag(call: Call) -> None:
    """CrossCoreSetFlag."""
    identity, mode = call.integers(2)
    pipe = _pipe(call, "CrossCoreSetFlag")
    call.core.peers.set_flag(call.core, identity, _mode(call, "CrossCoreSetFlag", mode), pipe, call.site)


def cross_core_wait_flag(call: Call) -> None:
    """CrossCoreWaitFlag. Its mode is not given by all programs: then it is that of the sets."""
    identity, mode = call.integers(2)
    wanted = _mode(call, "CrossCoreWaitFlag", mode) or None
    call.core.peers.wait_flag(call.core, identity, wanted, call.site)


def sync_all(call: Call) -> None:
    """SyncAll: the hard form, or the soft one with a workspace."""
    vector_only, is_soft = call.integers(2)
    if is_soft:
        used, gm, ub = call.integer(), call.globally(), call.local()
        sync.meet_all(call.core, call.site, vector_only=bool(vector_only), used=used, gm=gm, ub=ub)
    else:
        sync.meet_all(call.core, call.site, vector_only=bool(vector_only))


def ib_set(call: Call) -> None:
    """IBSet."""
    gm, ub = call.globally(), call.local()
    block, event = call.integers(2)
    sync.signal(call.core, call.site, gm, ub, block, event)


def ib_wait(call: Call) -> None:
    """IBWait."""
    gm, ub = call.globally(), call.local()
    block, event = call.integers(2)
    sync.await_signal(call.core, call.site, gm, ub, block, event)


def notify_next_block(call: Call) -> None:
    """NotifyNextBlock."""
    gm = call.globally()
    sync.pass_turn(call.core, call.site, gm, call.local())


def wait_pre_block(call: Call) -> None:
    """WaitPreBlock."""
    gm = call.globally()
    sync.await_turn(call.core, call.site, gm, call.local())


def data_cache_clean_and_invalid(call: Call) -> None:
    """DataCacheCleanAndInvalid of global memory."""
    entire, where = call.integers(2)
    tensor = call.globally()
    if where == _UB_ONLY:
        return
    if entire == _ENTIRE:
        call.core.clean_cache(site=call.site)
    else:
        call.core.clean_cache(tensor.address, tensor.address + LINE - tensor.offset % LINE, call.site)


HANDLERS: Final[Mapping[str, Callable[[Call], Any]]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            set_flag, wait_flag, set_between, wait_between, pipe_barrier, cross_core_set_flag, cross_core_wait_flag,
            sync_all, ib_set, ib_wait, notify_next_block, wait_pre_block, data_cache_clean_and_invalid,
        )
    }
)  # fmt: skip
