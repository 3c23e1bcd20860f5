"""The wording of findings, in the form of msSanitizer's reports.

Form: hicann/msSanitizer `csrc/race_sanitizer/race_info_display.h` and its report samples; texts of the queue from
hicann/asc-devkit `impl/basic_api/kernel_tquebind_impl.h` and `kernel_tpipe_impl.h` @82b89a15f263. Where the tool prints
a program counter, the source line stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cannery.aicore.findings import ERROR, Report
from cannery.aicore.instruction import Access, Instruction, Site
from cannery.aicore.pipes import BY_ENDS, EVENTS, PIPES, S

if TYPE_CHECKING:
    from cannery.aicore.core import Blocked, Event
    from cannery.aicore.footprints import Conflict, Footprint
    from cannery.aicore.history import Stamp

_ACTION = {"RAW": ("Write", "Read"), "WAR": ("Read", "Write"), "WAW": ("Write", "Write")}


def _lines(head: str, *rest: str) -> Callable[[], str]:
    return lambda: "\n".join([f"====== {head}", *(f"======    {line}" for line in rest)])


def _at(site: Site | None) -> str:
    return f"{site.file}:{site.line}" if site else "unknown line"


def place(access: Access) -> str:
    """Where an access begins, e.g. ``UB+0x800`` or ``x+0x40``: never a host address, which differs between runs."""
    if access.memory.name == "GM":
        return f"{access.owner.label}+{access.lower - access.owner.origin:#x}"
    return f"{access.memory.name}+{access.lower:#x}"


def _pipes(*numbers: int) -> tuple[str, ...]:
    return tuple(PIPES[number] for number in numbers)


def race(kind: str, earlier: Stamp, later: Stamp, access: Access, kernel: str, block: int, core: str) -> Report:
    """RAW, WAR or WAW: two accesses of a core that nothing orders, first-issued access first."""
    first, second = _ACTION[kind]
    memory = access.memory.name
    where = f"at {place(access)} in block {block} ({core}) on device 0"
    text = _lines(
        f"ERROR: Potential {kind} hazard detected at {memory} in {kernel} on device 0:",
        f"PIPE_{PIPES[earlier.pipe]} {first} by {earlier.name} {where} (serialNo:{earlier.serial})",
        f"#0 {_at(earlier.site)}",
        f"PIPE_{PIPES[later.pipe]} {second} by {later.name} {where} (serialNo:{later.serial})",
        f"#0 {_at(later.site)}",
    )
    return Report(
        kind, text, (earlier.site, later.site), memory, _pipes(earlier.pipe, later.pipe),
        hint=_order_hint(earlier, later),
    )  # fmt: skip


def _order_hint(earlier: Stamp, later: Stamp) -> str:
    if earlier.pipe == later.pipe:
        return f"add asc.pipe_barrier(asc.PipeID.PIPE_{PIPES[earlier.pipe]}) between the two"
    number = BY_ENDS.get((earlier.pipe, later.pipe))
    if number is None:
        return "add asc.pipe_barrier(asc.PipeID.PIPE_ALL) between the two"
    event = f"asc.HardEvent.{EVENTS[number]}"
    return f"add asc.set_flag({event}, id) after the first and asc.wait_flag({event}, id) before the second"


def cross_core(conflict: Conflict, kernel: str) -> Report:
    """Two cores touch the same global bytes, one writes, nothing orders them."""
    first, second = conflict.first, conflict.second
    sites = (first.last.site, second.last.site)
    text = _lines(
        f"ERROR: Potential cross-core hazard detected at GM in {kernel} on device 0:",
        *_side(first, conflict),
        *_side(second, conflict),
    )
    hint = "give each core its own range, or add asc.sync_all() between the two"
    return Report("CROSS_CORE", text, sites, "GM", _pipes(first.last.pipe, second.last.pipe), hint=hint)


def _side(side: Footprint, conflict: Conflict) -> tuple[str, str]:
    action = "Write" if side.write else "Read"
    start = conflict.lower - side.access.owner.origin
    stop = conflict.upper - side.access.owner.origin
    where = f"{side.access.owner.label}[{start}:{stop}] (bytes)"
    return (f"PIPE_{PIPES[side.last.pipe]} {action} by {side.last.name} at {where} in core {side.core}",
            f"#0 {_at(side.last.site)}")  # fmt: skip


def out_of_bounds(instruction: Instruction, access: Access, action: str) -> Report:
    """An access leaves its tensor."""
    owner = access.owner
    size = max(0, owner.lower - access.lower) + max(0, access.upper - owner.upper)
    text = _lines(
        f"ERROR: illegal {action} of size {size}",
        f"at {place(access)} on {access.memory.name} by {instruction.name}: {access.upper - access.lower} bytes from "
        f"there reach beyond {owner.label}, which ends {owner.upper - access.lower} bytes after it",
        f"#0 {_at(instruction.site)}",
    )
    code = "ErrorRead3" if action == "read" else "ErrorWrite2"
    hint = "copy or compute only what the tensor holds; the last tile may be shorter than the others"
    return Report("OOB", text, (instruction.site,), access.memory.name, _pipes(instruction.pipe), code=code, hint=hint)


def small_workspace(name: str, have: int, need: int, site: Site | None) -> Report:
    """A workspace in global memory is too small for what is done through it."""
    text = _lines(
        f"ERROR: illegal write of size {need - have}",
        f"by {name} on GM: the workspace has {have} bytes, expected {need}",
        f"#0 {_at(site)}",
    )
    return Report("OOB", text, (site,), "GM", code="ErrorWrite2", hint="32 bytes are needed for each core")


def misaligned(instruction: Instruction, access: Access, action: str) -> Report:
    """A start address breaks the alignment."""
    text = _lines(
        f"ERROR: misaligned access of size {access.upper - access.lower}",
        f"at {place(access)} on {access.memory.name} by {instruction.name}: must be a multiple of {access.align} bytes",
        f"#0 {_at(instruction.site)}",
    )
    code = "ErrorRead4" if action == "read" else "ErrorWrite4"
    hint = f"start at a multiple of {access.align} bytes"
    return Report(
        "MISALIGNED", text, (instruction.site,), access.memory.name, _pipes(instruction.pipe), code=code, hint=hint
    )


def use_after_free(instruction: Instruction, access: Access, action: str) -> Report:
    """A tensor is used after free_tensor."""
    text = _lines(
        f"ERROR: {action} of freed memory by {instruction.name}",
        f"at {place(access)} on {access.memory.name}: {access.owner.label} was given back with free_tensor before",
        f"#0 {_at(instruction.site)}",
    )
    code = "ErrorRead1" if action == "read" else "ErrorWrite1"
    return Report(
        "USE_AFTER_FREE", text, (instruction.site,), access.memory.name, _pipes(instruction.pipe), code=code,
        hint="move free_tensor behind the last use",
    )  # fmt: skip


def uninitialized(instruction: Instruction, access: Access, dirty: Sequence[tuple[int, int]], severity: str) -> Report:
    """Never-written bytes are read."""
    size = sum(stop - start for start, stop in dirty)
    text = _lines(
        f"{severity.upper()}: uninitialized read of size {size}",
        f"at {place(access)} on {access.memory.name} by {instruction.name}: first at byte {dirty[0][0]} of the access",
        f"#0 {_at(instruction.site)}",
    )
    hint = "write these bytes before (asc.duplicate, or padding in asc.data_copy_pad), or touch fewer"
    return Report(
        "UNINITIALIZED", text, (instruction.site,), access.memory.name, _pipes(instruction.pipe), severity, hint=hint
    )


def rounded_copy(size: int, site: Site | None, memory: str, pipe: int) -> Report:
    """A count form whose bytes are no multiple of 32."""
    kept = size // 32 * 32
    text = _lines(
        f"ERROR: copy of {size} bytes is rounded down to {kept}",
        "data_copy moves whole blocks of 32 bytes; the hardware drops the rest without a word",
        f"#0 {_at(site)}",
    )
    return Report(
        "ROUNDED_COPY", text, (site,), memory, _pipes(pipe), hint="use asc.data_copy_pad, whose length is in bytes"
    )


def overflow(
    memory: str, wanted: int, limit: int, who: str, holders: Iterable[tuple[str, int]], site: Site | None
) -> Report:
    """More bytes asked for than the chip's memory has."""
    table = [f"{size:>9} bytes  {name}" for name, size in holders]
    text = _lines(
        f"ERROR: {memory} overflow: buffer size is {wanted}, exceeds the limit {limit}",
        f"asked for by {who}; {memory} is held by",
        *table,
        f"#0 {_at(site)}",
    )
    hint = f"{wanted - limit} bytes too many: use smaller tiles or fewer buffers"
    return Report("UB_OVERFLOW", text, (site,), memory, hint=hint)


def queue_misuse(what: str, site: Site | None, *, code: str = "", hint: str = "") -> Report:
    """The state machine of a queue is violated."""
    text = _lines(f"ERROR: {what}", f"#0 {_at(site)}")
    return Report("QUEUE_MISUSE", text, (site,), code=code, hint=hint, detail=what)


def event_misuse(what: str, site: Site | None, hint: str = "") -> Report:
    """The state machine of the event ids is violated."""
    return Report("EVENT_ID", _lines(f"ERROR: {what}", f"#0 {_at(site)}"), (site,), hint=hint)


def event_id(event: str, identity: int, count: int, site: Site | None) -> Report:
    """An event id that the chip has not."""
    return event_misuse(f"event id {identity} of {event} is out of range, expected 0 to {count - 1}", site)


def set_twice(event: Event, site: Site | None) -> Report:
    """A flag is set again before anyone waited for it."""
    name = EVENTS[event.number]
    return event_misuse(
        f"flag ({name}, {event.id}) is set again before a wait: set{event.id}/set{event.id}", site,
        f"add asc.wait_flag(asc.HardEvent.{name}, {event.id}) before it, or use another event id",
    )  # fmt: skip


def unpaired(event: Event, site: Site | None, internal: str) -> Report:
    """A set that nobody waited for."""
    name = EVENTS[event.number]
    who = internal or "set_flag"
    text = _lines(
        "WARNING: Unpaired set_flag instructions detected",
        f"{who} ({name}, {event.id}) is never waited for",
        f"#0 {_at(site)}",
    )
    hint = "deque what was enqueued" if internal else f"add asc.wait_flag(asc.HardEvent.{name}, {event.id})"
    return Report("UNPAIRED_FLAG", text, (site,), pipes=tuple(name.split("_")), hint=hint, detail=name)


def unanswered(event: Event, site: Site | None) -> Report:
    """A wait that no set answers."""
    name = EVENTS[event.number]
    text = _lines(
        "WARNING: Unpaired wait_flag instructions detected",
        f"wait_flag ({name}, {event.id}) has no set_flag",
        f"#0 {_at(site)}",
    )
    return Report(
        "UNPAIRED_FLAG", text, (site,), pipes=tuple(name.split("_")), detail=f"wait {name}",
        hint=f"add asc.set_flag(asc.HardEvent.{name}, {event.id}) before it",
    )  # fmt: skip


def unpaired_cross(flag: int, mode: int, site: Site | None) -> Report:
    """A cross-core flag that nobody waited for."""
    text = _lines(
        "WARNING: Unpaired set_flag instructions detected",
        f"cross_core_set_flag ({flag}, mode {mode}) is never waited for",
        f"#0 {_at(site)}",
    )
    return Report("UNPAIRED_FLAG", text, (site,), detail=f"cross {flag}/{mode}")


def leak(what: str, site: Site | None) -> Report:
    """A tensor is still allocated at the end."""
    text = _lines(f"WARNING: {what} is not freed at the end of the kernel", f"#0 {_at(site)}")
    return Report("LEAK", text, (site,), hint="add free_tensor", detail=what)


def redundant(sites: tuple[Site, ...]) -> Report:
    """Synchronisation that ordered nothing that was not ordered already."""
    what = "set_flag/wait_flag pair" if len(sites) == 2 else "pipe_barrier"
    rest = [f"#{index} {_at(site)}" for index, site in enumerate(sites)]
    text = _lines(f"NOTE: redundant {what}: it orders nothing that was not ordered already", *rest)
    return Report("REDUNDANT_SYNC", text, sites, hint="it can be removed")


def deadlock(kernel: str, block: int, heads: Sequence[Blocked]) -> Report:
    """Nothing can proceed; the head of each pipe."""
    text = _lines(
        f"ERROR: deadlock in {kernel}, block {block}: nothing can proceed; the head of each pipe:",
        *(f"PIPE_{head.pipe}: {head.what}  #0 {_at(head.site)}" for head in heads),
    )
    stuck = [head for head in heads if head.site is not None]
    return Report(
        "DEADLOCK", text, tuple(head.site for head in stuck), pipes=tuple(head.pipe for head in stuck), severity=ERROR,
        hint=_deadlock_hint(heads),
    )  # fmt: skip


def _deadlock_hint(heads: Sequence[Blocked]) -> str:
    waits = [head.what.removeprefix("wait_flag") for head in heads if head.what.startswith("wait_flag")]
    if not waits:
        return ""
    inner = waits[0].strip("()")
    return f"no set_flag answers it: add asc.set_flag(asc.HardEvent.{inner}) on PIPE_{_source(inner)}"


def _source(inner: str) -> Any:
    event = inner.partition(",")[0]
    return event.partition("_")[0] or PIPES[S]
