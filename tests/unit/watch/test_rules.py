"""The table of rules: every rule is one row, and everything that is reported has one."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import cannery
from cannery import asc
from cannery.aicore.core import Core
from cannery.aicore.flags import Blocked, Event
from cannery.aicore.instruction import Instruction, Site
from cannery.aicore.records import Fact, Record
from cannery.watch import RULES, Collector, Finding, Rule, findings, report, session

PACKAGE = Path(cannery.__file__).parent
KINDS = (
    "RAW WAR WAW OOB MISALIGNED UNINITIALIZED UB_OVERFLOW UNPAIRED_FLAG REDUNDANT_SYNC DEADLOCK QUEUE_MISUSE EVENT_ID "
    "CROSS_CORE ROUNDED_COPY USE_AFTER_FREE LEAK MISSING_DCCI ALIASING UNSUPPORTED_SYNTAX WRONG_CORE OVERFLOW "
    "KERNEL_FAILED"
)


def test_kinds_and_severities() -> None:
    assert {rule.kind for rule in RULES.values()} == set(KINDS.split())
    milder = {(rule.kind, rule.severity) for rule in RULES.values() if rule.severity != "error"}
    assert milder == {
        ("UNPAIRED_FLAG", "warning"), ("LEAK", "warning"), ("UNINITIALIZED", "warning"), ("REDUNDANT_SYNC", "note"),
        ("EVENT_ID", "note"), ("CROSS_CORE", "warning"),
        ("UNSUPPORTED_SYNTAX", "warning"), ("UB_OVERFLOW", "warning"), ("WRONG_CORE", "warning"), ("OVERFLOW", "note"),
    }  # fmt: skip
    assert {rule.kind for rule in RULES.values() if rule.is_order} == {"RAW", "WAR", "WAW", "CROSS_CORE"}


def test_the_documented_table_has_every_kind_with_its_severities() -> None:
    page = (PACKAGE.parent.parent / "docs" / "kernels.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:4] for line in page.splitlines() if line.startswith("| ") and line.count("|") == 4]
    told = {(kind, word.strip()) for kinds, severities, _ in rows for kind in kinds.split() if kind in KINDS.split()
            for word in severities.split(",")}  # fmt: skip
    assert told == {(rule.kind, rule.severity) for rule in RULES.values()}


def reported() -> Iterator[str]:
    """Names of rules that the package reports: ``core.report("…")`` and ``Fact("…")``."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="Fact") | ast.Attribute(attr="report" | "_report"),
                    args=[ast.Constant(value=str(name)), *_],
                ):
                    yield name


def test_what_is_reported_is_in_the_table() -> None:
    names = set(reported())
    assert {"overflow", "set_twice", "queue_state"} <= names <= set(RULES)


def test_in_a_kernel_language_only_what_starts_a_launch_knows_the_watchers() -> None:
    """Operations report facts to their core; who judges them is no affair of theirs."""
    files = {path.name for path in (PACKAGE / "asc").rglob("*.py") if "cannery.watch" in path.read_text()}
    assert files <= {"engine.py", "jit.py", "launcher.py"}


class SmallWork:
    """A watcher that judges by a rule of its own: instructions that do little."""

    def see(self, core: Core, record: Record) -> None:
        if isinstance(record, Instruction) and record.work < 64:
            core.report("small_work", record.site, op=record.op, elements=record.work)

    def end(self, completed: bool) -> None:
        """Nothing is left to say."""


@asc.jit
def adding() -> None:
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(t, 1.0, 64)
    asc.adds(t, t, 1.0, 8)


def test_a_rule_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Rule(
        "small_work", "SMALL_WORK", "note", "few elements a time", ("{op} has {elements} elements", "#0 {at[0]}"),
        "call {function[adds]} once for all",
    )  # fmt: skip
    monkeypatch.setattr(findings, "RULES", {**RULES, row.id: row})
    with session(check=True) as found:
        adding.run(1, watchers=[SmallWork()])
    (finding,) = found.findings()
    assert (finding.kind, finding.severity, finding.count) == ("SMALL_WORK", "note", 1)
    assert finding.message.startswith("====== NOTE: adds has 8 elements\n======    #0 ")
    assert finding.hint == "call asc.adds once for all"
    assert report.as_json(found)["findings"][0]["hint"] == finding.hint


class AscendC:
    """A C++ kernel's words."""

    def name(self, op: str) -> str:
        return {"deque": "DeQue", "enque": "EnQue"}.get(op) or "".join(part.capitalize() for part in op.split("_"))

    def function(self, op: str) -> str:
        return self.name(op)

    def set_flag(self, event: str, identity: object) -> str:
        return f"SetFlag<HardEvent::{event}>({identity})"

    def wait_flag(self, event: str, identity: object) -> str:
        return f"WaitFlag<HardEvent::{event}>({identity})"

    def barrier(self, pipe: str) -> str:
        return f"PipeBarrier<PIPE_{pipe}>()"

    def operand(self, site: Site, op: str, *, write: bool, place: int) -> str:
        return ""

    def loop_variable(self, site: Site) -> str:
        return ""


SITE, OTHER = Site("k.cpp", 3), Site("k.cpp", 4)


def told(rule: str, *sites: Site, pipes: tuple[int, ...] = (), memory: str = "", **facts: Any) -> Finding:
    """The finding of one fact, in a C++ kernel."""
    collector = Collector("add_custom", AscendC())
    core: Any = SimpleNamespace(block=0, kind="aiv")
    collector.add(Fact(rule, sites, memory, pipes, facts), core)
    (finding,) = collector
    return finding


def test_a_cpp_kernel_is_told_cpp() -> None:
    race: dict[str, Any] = {
        "place": "UB+0x0", "first_op": "data_copy_pad", "first_serial": 1, "second_op": "adds", "second_serial": 2,
    }  # fmt: skip
    raw = told("raw", SITE, OTHER, pipes=(1, 5), memory="UB", **race)
    assert raw.hint == (
        "add SetFlag<HardEvent::V_MTE3>(id) after the first and WaitFlag<HardEvent::V_MTE3>(id) before the second"
    )
    assert "PIPE_V Write by DataCopyPad at UB+0x0" in raw.message
    assert told("waw", SITE, OTHER, pipes=(4, 4), memory="UB", **race).hint == (
        "add PipeBarrier<PIPE_MTE2>() between the two"
    )
    assert told("set_unpaired", SITE, event="V_S", id=3).hint == "add WaitFlag<HardEvent::V_S>(3)"
    assert told("set_unpaired", SITE, event="V_S", id=3).message.startswith("====== WARNING: Unpaired SetFlag")
    assert told("rounded_copy", SITE, size=40, kept=32).hint == "use DataCopyPad, whose length is in bytes"
    empty = told("queue_empty", SITE, op="deque", label="TQue(VECIN)")
    assert (empty.message.splitlines()[0], empty.hint) == (
        "====== ERROR: DeQue: TQue(VECIN) is empty",
        "EnQue a tensor before",
    )
    blocked = Blocked("V", "wait_flag", "(MTE2_V, 0)", SITE, Event(4, 0))
    stuck = told("deadlock", SITE, pipes=(1,), heads=(blocked,))
    assert stuck.hint == "no SetFlag answers it: add SetFlag<HardEvent::MTE2_V>(0) on PIPE_MTE2"
    assert stuck.message.splitlines()[1] == "======    PIPE_V: WaitFlag(MTE2_V, 0)  #0 k.cpp:3"


def test_no_text_names_a_language() -> None:
    """What depends on the language comes from the spelling: no row says ``asc.`` or names an operation itself."""
    texts = [text for rule in RULES.values() for text in (*rule.text, rule.hint) if isinstance(text, str)]
    words = ("asc.", "free_tensor ", "set_flag(", "data_copy ", "enque ")
    assert [text for text in texts for word in words if word in text] == []
