"""What a finding can be: one row a rule. A new rule is a row here, and the place where it is judged.

The form of the texts is msSanitizer's (hicann/msSanitizer `csrc/race_sanitizer/race_info_display.h` and its report
samples); where the tool prints a program counter, the source line stands here. Texts of the queue are those of
hicann/asc-devkit `impl/basic_api/kernel_tquebind_impl.h` and `kernel_tpipe_impl.h` @82b89a15f263. Codes are npuchk's
(hicann/asc-tools `docs/02_npu_check_en.md`).

Texts are templates of `str.format`. They may name

- a fact of the finding: ``{size}``; a fact named ``op`` or ending in ``_op`` is spelled as the kernel's language does;
- ``{kernel}``, ``{block}``, ``{unit}`` (aiv, aic), ``{memory}``, ``{pipe[0]}`` and ``{at[0]}``: a pipe, a source line;
- words of the kernel's language: ``{name[free_tensor]}``, ``{function[data_copy_pad]}``, ``{set_flag}`` and
  ``{wait_flag}`` of the facts ``event`` and ``id``.

Where that is not enough, a text is a function of ``wording``.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from cannery.watch import wording
from cannery.watch.wording import Text

ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        id: its name, as ``core.report`` takes it.
        kind: what a finding of it is; several rules may share one.
        severity: "error", "warning" or "note".
        meaning: what is wrong, in one sentence.
        text: the finding's lines, the first without its severity.
        hint: what to add or change, "" where there is nothing to say.
        code: npuchk's code, "" where npuchk has none.
        is_order: two accesses that nothing orders.
        presumes_waits: means nothing behind a wait that never ends.
        apart: facts that keep findings apart which differ in nothing else, such as two queues.
    """

    id: str
    kind: str
    severity: str
    meaning: str
    text: tuple[Text, ...]
    hint: Text = ""
    code: str = ""
    is_order: bool = False
    presumes_waits: bool = False
    apart: tuple[str, ...] = ()


def _race(kind: str, code: str, first: str, second: str) -> Rule:
    where = "at {place} in block {block} ({unit}) on device 0"
    return Rule(
        kind.lower(), kind, ERROR, f"{second} after {first} of the same bytes on one core, and nothing orders them",
        (
            f"Potential {kind} hazard detected at {{memory}} in {{kernel}} on device 0:",
            f"PIPE_{{pipe[0]}} {first} by {{first_op}} {where} (serialNo:{{first_serial}})",
            "#0 {at[0]}",
            f"PIPE_{{pipe[1]}} {second} by {{second_op}} {where} (serialNo:{{second_serial}})",
            "#0 {at[1]}",
        ),
        wording.order, code, is_order=True, presumes_waits=True,
    )  # fmt: skip


def _queue(
    name: str, meaning: str, text: str, apart: tuple[str, ...], code: str = "ErrorBuffer2", hint: Text = ""
) -> Rule:
    return Rule(name, "QUEUE_MISUSE", ERROR, meaning, (text, "#0 {at[0]}"), hint, code, apart=apart)


def _event(name: str, meaning: str, text: str, hint: Text = "") -> Rule:
    return Rule(
        name, "EVENT_ID", ERROR, meaning, (text, "#0 {at[0]}"), hint, "ErrorSync4", presumes_waits=True
    )  # fmt: skip


_DEPENDENCY: Final = "Missing DCCI instructions detected on cross core data dependency at GM in {kernel} on device 0:"


def _between(name: str, kind: str, meaning: str, head: str, hint: str) -> Rule:
    return Rule(
        name, kind, ERROR, meaning,
        (
            head,
            "PIPE_{pipe[0]} {first_action} by {first_op} at {first_place} in core {first_core}",
            "#0 {at[0]}",
            "PIPE_{pipe[1]} {second_action} by {second_op} at {second_place} in core {second_core}",
            "#0 {at[1]}",
        ),
        hint, is_order=kind == "CROSS_CORE",
    )  # fmt: skip


def _behind_cache(name: str, meaning: str, hint: str) -> Rule:
    return Rule(
        name, "MISSING_DCCI", ERROR, meaning,
        (
            "Missing DCCI instructions detected at GM in {kernel} on device 0:",
            "PIPE_{pipe[0]} by {first_op} at {first_place} in block {block} ({unit}) (serialNo:{first_serial})",
            "#0 {at[0]}",
            "PIPE_{pipe[1]} by {second_op} at {place} in block {block} ({unit}) (serialNo:{second_serial})",
            "#0 {at[1]}",
        ),
        hint,
    )  # fmt: skip


def _outside(action: str, code: str) -> Rule:
    return Rule(
        f"{action}_outside", "OOB", ERROR, f"{action} outside the allocated tensor or the bound array",
        (
            f"illegal {action} of size {{size}}",
            "at {place} on {memory} by {op}: {length} bytes from there reach beyond {owner}, which ends {rest} bytes "
            "after it",
            "#0 {at[0]}",
        ),
        "copy or compute only what the tensor holds; the last tile may be shorter than the others", code,
    )  # fmt: skip


def _misaligned(action: str, code: str) -> Rule:
    return Rule(
        f"{action}_misaligned", "MISALIGNED", ERROR, f"{action} at an address that breaks the alignment",
        (
            "misaligned access of size {length}",
            "at {place} on {memory} by {op}: must be a multiple of {align} bytes",
            "#0 {at[0]}",
        ),
        "start at a multiple of {align} bytes", code,
    )  # fmt: skip


def _freed(action: str, code: str) -> Rule:
    return Rule(
        f"{action}_freed", "USE_AFTER_FREE", ERROR, f"{action} of a tensor that was given back before",
        (
            f"{action} of freed memory by {{op}}",
            "at {place} on {memory}: {owner} was given back with {name[free_tensor]} before",
            "#0 {at[0]}",
        ),
        "move {name[free_tensor]} behind the last use", code,
    )  # fmt: skip


def _unwritten(name: str, severity: str, meaning: str) -> Rule:
    return Rule(
        name, "UNINITIALIZED", severity, meaning,
        (
            "uninitialized read of size {size}",
            "at {place} on {memory} by {op}: first at byte {first} of the access",
            "#0 {at[0]}",
        ),
        "write these bytes before ({function[duplicate]}, or padding in {function[data_copy_pad]}), or touch fewer",
        "ErrorRead2",
    )  # fmt: skip


def _unpaired(name: str, meaning: str, op: str, text: str, hint: Text, apart: tuple[str, ...]) -> Rule:
    return Rule(
        name, "UNPAIRED_FLAG", WARNING, meaning,
        (f"Unpaired {{name[{op}]}} instructions detected", text, "#0 {at[0]}"), hint, "ErrorSync3", apart=apart,
    )  # fmt: skip


_ROWS: Final = (
    _race("RAW", "ErrorSync2", "Write", "Read"),
    _race("WAR", "ErrorSync1", "Read", "Write"),
    _race("WAW", "ErrorSync1", "Write", "Write"),
    Rule(
        "cross_core", "CROSS_CORE", ERROR, "two cores touch the same global bytes, one writes, nothing orders them",
        (
            "Potential cross-core hazard detected at GM in {kernel} on device 0:",
            "PIPE_{pipe[0]} {first_action} by {first_op} at {first_place} in core {first_core}",
            "#0 {at[0]}",
            "PIPE_{pipe[1]} {second_action} by {second_op} at {second_place} in core {second_core}",
            "#0 {at[1]}",
        ),
        "give each core its own range, or add {function[sync_all]}() between the two", is_order=True,
    ),
    Rule(
        "no_scheduler", "CROSS_CORE", WARNING, "synchronisation between cores in a kernel without their scheduler",
        (
            "{op} in {kernel}, whose kernel type is AIV_ONLY: the scheduler that cross-core flags need is off",
            "#0 {at[0]}",
        ),
        "launch it with the kernel type MIX_AIV_1_0",
    ),
    _between(
        "cross_core_line", "CROSS_CORE", "the scalar units of two cores write one line of 64 bytes, unordered",
        "Potential cross-core hazard detected at GM in {kernel} on device 0: one cache line, written back whole",
        "give each core whole lines of 64 bytes, or let it write with {function[data_copy_pad]}",
    ),
    _between(
        "dirty_line_between", "MISSING_DCCI",
        "another core reads or overwrites what is still in the scalar unit's data cache",
        _DEPENDENCY, "add {function[data_cache_clean_and_invalid]} after the first, before the cores synchronise",
    ),
    _between(
        "stale_line_between", "MISSING_DCCI", "the scalar unit reads from a line filled before another core wrote",
        _DEPENDENCY,
        "add {function[data_cache_clean_and_invalid]} before the second, after the cores have synchronised",
    ),
    _behind_cache(
        "dirty_line", "a copy reads or overwrites what is still in the scalar unit's data cache",
        "add {function[data_cache_clean_and_invalid]} after the first, before the flag",
    ),
    _behind_cache(
        "stale_line", "the scalar unit reads from a line filled before the core's own copy wrote",
        "add {function[data_cache_clean_and_invalid]} before the second",
    ),
    _outside("read", "ErrorRead3"),
    _outside("write", "ErrorWrite2"),
    Rule(
        "matmul_workspace", "OOB", ERROR, "a workspace is too small for the messages and tensors of Matmul objects",
        (
            "illegal write of size {lacking}",
            "by {op} on {memory}: the workspace has {have} bytes, expected {need}",
            "#0 {at[0]}",
        ),
        "16 MiB are enough on every chip", "ErrorWrite2",
    ),
    Rule(
        "small_workspace", "OOB", ERROR, "a workspace is too small for what cores do through it",
        (
            "illegal write of size {lacking}",
            "by {op} on {memory}: the workspace has {have} bytes, expected {need}",
            "#0 {at[0]}",
        ),
        "32 bytes are needed for each core and event", "ErrorWrite2",
    ),
    Rule(
        "workspace_not_zero", "UNINITIALIZED", ERROR, "flags in a workspace are not zero when it is used first",
        (
            "uninitialized workspace of {op}",
            "at {place} on GM: the flags in it must be zero before the first use",
            "#0 {at[0]}",
        ),
        "fill the workspace with zeros on the host, or on every core before", "ErrorRead2",
    ),
    _misaligned("read", "ErrorRead4"),
    _misaligned("write", "ErrorWrite4"),
    Rule(
        "aliasing", "ALIASING", ERROR, "source and destination of one instruction overlap as its page forbids",
        (
            "source and destination of {op} overlap",
            "destination at {place}, source at {source} on {memory}: an iteration may read what an earlier one wrote",
            "#0 {at[0]}",
        ),
        "let them be the same bytes with the same strides, or apart",
    ),
    Rule(
        "not_apart", "ALIASING", ERROR, "operands of one call share bytes although they must lie apart",
        ("operands of {op} share bytes", "one at {place}, another at {source} on {memory}", "#0 {at[0]}"),
        "give each its own bytes",
    ),
    Rule(
        "unsupported_syntax", "UNSUPPORTED_SYNTAX", WARNING, "a construct that the kernel language's compiler refuses",
        ("the compiler refuses: {construct}", "#0 {at[0]}"), "{instead}", apart=("construct",),
    ),
    _freed("read", "ErrorRead1"),
    _freed("write", "ErrorWrite1"),
    _unwritten("unwritten_value", ERROR, "never-written bytes become a value that someone relies on"),
    _unwritten("unwritten_lanes", WARNING, "never-written bytes are read by a lane-wise instruction"),
    Rule(
        "rounded_copy", "ROUNDED_COPY", ERROR, "a count whose bytes are no multiple of 32: the hardware rounds it down",
        (
            "copy of {size} bytes is rounded down to {kept}",
            "{name[data_copy]} moves whole blocks of 32 bytes; the hardware drops the rest without a word",
            "#0 {at[0]}",
        ),
        "use {function[data_copy_pad]}, whose length is in bytes",
    ),
    Rule(
        "overflow", "UB_OVERFLOW", ERROR, "more bytes asked for than the chip's memory has",
        (
            "{memory} overflow: buffer size is {wanted}, exceeds the limit {limit}",
            "asked for by {who}; {memory} is held by",
            wording.holders,
            "#0 {at[0]}",
        ),
        "{excess} bytes too many: use smaller tiles or fewer buffers",
    ),
    Rule(
        "reserved", "UB_OVERFLOW", WARNING, "bytes at the end of UB that the compiler reserves for the system",
        (
            "{memory}: buffer size is {wanted}, exceeds the {limit} bytes that are the kernel's own",
            "asked for by {who}; {memory} is held by",
            wording.holders,
            "#0 {at[0]}",
        ),
        "use {excess} bytes less, or tell the compiler not to reserve them",
    ),
    Rule(
        "scratch_held", "UB_OVERFLOW", ERROR, "an instruction keeps what lies between where a tensor is",
        (
            "{op} writes {size} bytes at {memory}+{place} for itself, and the kernel's tensors reach {held}",
            "#0 {at[0]}",
        ),
        "leave the last 8 KiB of {memory} free", "ErrorWrite2",
    ),
    _queue(
        "queue_state", "an operation that the state of a queue's buffer does not allow",
        "{op}: buffer of {label} is {state}, expected {expected}", ("op", "label", "state"),
    ),
    _queue(
        "queue_depth", "more tensors enqueued at once than the queue's depth",
        "{op}: {label} holds {count} tensors, its depth is {depth}", ("op", "label", "count"),
    ),
    _queue(
        "queue_empty", "taken from a queue that holds nothing", "{op}: {label} is empty", ("op", "label"),
        hint="{name[enque]} a tensor before",
    ),
    _queue(
        "queue_exhausted", "no buffer of a queue is free, and nobody can free one",
        "{label}: size is {size}, which exceed limits {limit}; its buffers are {held}", ("label", "held"),
        hint="add {name[free_tensor]} after the last use",
    ),
    _queue(
        "queue_without_buffers", "a queue was never given memory",
        "{op}: {label} has no buffer, call {name[init_buffer]} first", ("op", "label"), "ErrorBuffer0",
        "add {name[free_tensor]} after the last use",
    ),
    _queue(
        "foreign_tensor", "a tensor that is not the queue's own", "{op}: the tensor is not one of {label}",
        ("op", "label"), "ErrorBuffer1",
    ),
    _queue(
        "freed_twice", "a tensor given back that was given back before", "{op}: buffer of {label} is freed twice",
        ("op", "label"), "ErrorFree",
    ),
    _queue(
        "too_many_buffers", "more buffers than one TPipe manages",
        "Total buffer num managed by TPipe is {count}, should be in range (0, {most}]", ("count",),
    ),
    _event(
        "event_id_range", "an event id that the chip has not",
        "event id {id} of {event} is out of range, expected 0 to {last}",
    ),
    Rule(
        "event_id_reserved", "EVENT_ID", NOTE, "an event id that the documents reserve, in a kernel without TPipe",
        (
            "event id {id} of {event} is reserved where no TPipe hands out ids: 6 for the system, 7 for automatic "
            "synchronisation",
            "#0 {at[0]}",
        ),
        "use an id from 0 to 5",
    ),
    _event(
        "set_twice", "a flag set again before anyone waited for it",
        "flag ({event}, {id}) is set again before a wait: set{id}/set{id}",
        "add {wait_flag} before it, or use another event id",
    ),
    _event(
        "cross_flag_ahead", "a cross-core flag set too often ahead of its waits",
        "cross-core flag {id} is set more than {most} times ahead of its waits",
    ),
    _event(
        "event_ids_exhausted", "no event id is free",
        "{event}: current id is {id}, max buffer number in same queue position is {count}",
    ),
    _event(
        "event_id_not_taken", "an event id released that was not allocated",
        "{event}: event id {id} is released, but was not allocated",
    ),
    _unpaired(
        "set_unpaired", "a set nobody waits for", "set_flag", "{name[set_flag]} ({event}, {id}) is never waited for",
        "add {wait_flag}", ("event",),
    ),
    _unpaired(
        "queue_set_unpaired", "a queue's set nobody waits for", "set_flag", "{op} ({event}, {id}) is never waited for",
        "{name[deque]} what was enqueued", ("event",),
    ),
    _unpaired(
        "unit_flag_left", "a block of L0C that a product handed over and nobody took", "fixpipe",
        "the blocks that {op} hands over with unit_flag 3 are never taken", "give {name[fixpipe]} a unit_flag, too", (),
    ),
    _unpaired(
        "wait_unpaired", "a wait that no set answers", "wait_flag",
        "{name[wait_flag]} ({event}, {id}) has no {name[set_flag]}", "add {set_flag} before it", ("event",),
    ),
    _unpaired(
        "end_unpaired", "a computation in the background that nobody waits for", "set_flag",
        "the end of what runs in the background is never waited for", "wait for it before the kernel ends", (),
    ),
    _unpaired(
        "cross_set_unpaired", "a cross-core flag nobody waits for", "set_flag",
        "{name[cross_core_set_flag]} ({id}, mode {mode}) is never waited for", "", ("id", "mode"),
    ),
    Rule(
        "wrong_core", "WRONG_CORE", WARNING, "an instruction of the other kind of core, which does nothing",
        ("{op} on {memory} does nothing: {kernel} runs on no core that has {memory} ({unit} only)", "#0 {at[0]}"),
        "launch it with a kernel type that has cube cores (AIC_ONLY, MIX_AIC_1_2) for L1 and L0, vector cores for UB",
        apart=("op",),
    ),
    Rule(
        "leak", "LEAK", WARNING, "a tensor never given back",
        ("buffer of {label} ({state}) is not freed at the end of the kernel", "#0 {at[0]}"),
        "add {name[free_tensor]}", "ErrorLeak", apart=("label", "state"),
    ),
    Rule(
        "redundant_pair", "REDUNDANT_SYNC", NOTE, "a flag pair that never ordered anything new, on any core",
        (
            "redundant {name[set_flag]}/{name[wait_flag]} pair: it orders nothing that was not ordered already",
            "#0 {at[0]}",
            "#1 {at[1]}",
        ),
        "it can be removed",
    ),
    Rule(
        "redundant_barrier", "REDUNDANT_SYNC", NOTE, "a barrier that never ordered anything new, on any core",
        ("redundant {name[pipe_barrier]}: it orders nothing that was not ordered already", "#0 {at[0]}"),
        "it can be removed",
    ),
    Rule(
        "half_overflow", "OVERFLOW", NOTE, "half results of finite sources are larger than 65504",
        ("{number} half results of {op} overflow: {value}", "#0 {at[0]}"),
        "the documents disagree whether the chip saturates: keep the values smaller, or compute in float",
    ),
    Rule(
        "deadlock", "DEADLOCK", ERROR, "nothing can proceed",
        (
            "deadlock in {kernel}, block {block}: nothing can proceed; the head of each pipe:",
            wording.heads,
        ),
        wording.answer, "ErrorSync3",
    ),
    Rule(
        "kernel_failed", "KERNEL_FAILED", ERROR, "the kernel ended early: an assertion, an exception, a crash, no end",
        ("{kernel} failed in block {block} ({unit}): {reason}", "#0 {at[0]}"), apart=("reason",),
    ),
)  # fmt: skip

RULES: Final = MappingProxyType({rule.id: rule for rule in _ROWS})
"""Every rule by its id."""

ORDER_KINDS: Final = frozenset(rule.kind for rule in _ROWS if rule.is_order)
"""Kinds with two accesses that nothing orders."""

PAIR_KINDS: Final = ORDER_KINDS | {"MISSING_DCCI"}
"""Kinds with two accesses."""
