"""Findings: what the checker has to say, as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cannery.aicore.core import Core
from cannery.aicore.flags import Event
from cannery.aicore.instruction import Site
from cannery.aicore.pipes import PIPES
from cannery.aicore.records import Fact
from cannery.watch.rules import ERROR, RULES, Rule
from cannery.watch.sides import Accessed, accessed
from cannery.watch.spelling import Spelling
from cannery.watch.wording import at, filled, message


@dataclass(frozen=True)
class FlagCount:
    """An event: how often it was set and waited for when the finding was made, and where it was set last."""

    event: str
    id: int
    sets: int
    waits: int
    last_set: Site | None

    @classmethod
    def of(cls, event: Event) -> FlagCount:
        """An event as it is now."""
        return cls(event.name, event.id, event.sent, event.awaited, event.last_set)

    def __str__(self) -> str:
        last = f"; last set at {at(self.last_set)}" if self.sets else ""
        return f"({self.event}, {self.id}): {self.sets} sets, {self.waits} waits{last}"

    def as_dict(self) -> dict[str, Any]:
        """The event as JSON has it."""
        site = self.last_set
        return {
            "event": self.event, "id": self.id, "sets": self.sets, "waits": self.waits,
            "last_set": None if site is None else {"file": site.file, "line": site.line},
        }  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One finding, aggregated over all its occurrences in a launch.

    Attributes:
        kind: that of its rule.
        severity: "error", "warning" or "note".
        code: npuchk's code, "" where npuchk has none.
        memory: GM, UB, L1, L0A, L0B, L0C, or "" where no memory is concerned.
        pipes: first-issued access's pipe, then the second's.
        message: text in msSanitizer's form.
        locations: source lines, in the order of ``pipes``.
        count: how often it occurred.
        kernel: name of the launched function.
        core: block index of the core it occurred on first.
        hint: what to add or change, "" where there is nothing to say.
        accesses: what it is about, in the order of ``pipes``.
        overlap: the first bytes that two accesses share, counted as theirs are.
        flags: for events: how often each was set and waited for, and where it was set last.
    """

    kind: str
    severity: str
    code: str
    memory: str
    pipes: tuple[str, ...]
    message: str
    locations: tuple[Site, ...]
    count: int
    kernel: str
    core: int
    hint: str = ""
    accesses: tuple[Accessed, ...] = ()
    overlap: tuple[int, int] | None = None
    flags: tuple[FlagCount, ...] = ()

    def __str__(self) -> str:
        where = "".join(f" {site.file}:{site.line}" for site in self.locations)
        lines = [line.removeprefix("======").strip() for line in self.message.splitlines()]
        told = [line for line in lines if not line.startswith("#")]
        return f"{self.kind} in {self.kernel}{where}: {'; '.join([*told, *([self.hint] if self.hint else [])])}"

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON has it."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "code": self.code,
            "memory": self.memory,
            "pipes": list(self.pipes),
            "message": self.message,
            "locations": [{"file": site.file, "line": site.line} for site in self.locations],
            "count": self.count,
            "kernel": self.kernel,
            "core": self.core,
            "hint": self.hint,
            "accesses": [access.as_dict() for access in self.accesses],
            "overlap": None if self.overlap is None else list(self.overlap),
            "flags": [flag.as_dict() for flag in self.flags],
        }


@dataclass
class _Entry:
    finding: Finding
    rule: Rule
    serial: int
    count: int = 1


class Collector:
    """Gathers the findings of one launch, one per kind and pair of source lines, in order of first occurrence.

    ``spelling``: the words of the kernel's language. A text is made once per finding, when it first occurs.
    """

    def __init__(self, kernel: str, spelling: Spelling) -> None:
        self._kernel = kernel
        self._spelling = spelling
        self._entries: dict[tuple[Any, ...], _Entry] = {}

    def add(self, fact: Fact, core: Core, serial: int = 0) -> None:
        """Count an occurrence on a core at a point of its instruction stream.

        Raises:
            KeyError: there is no such rule, or a text of it names a fact that is missing.
        """
        rule = RULES[fact.rule]
        sites = tuple([site for site in fact.sites if site is not None])
        apart = (rule.id, *(fact.facts[name] for name in rule.apart)) if rule.apart else ()
        key = (rule.kind, rule.severity, fact.memory, fact.pipes, sites, apart)
        entry = self._entries.get(key)
        if entry is None:
            self._entries[key] = _Entry(self._finding(rule, fact, sites, core), rule, serial)
        else:
            entry.count += 1

    def _finding(self, rule: Rule, fact: Fact, sites: tuple[Site, ...], core: Core) -> Finding:
        pipes = tuple(PIPES[pipe] for pipe in fact.pipes)
        common = {
            "kernel": self._kernel, "block": core.block, "unit": core.kind, "memory": fact.memory, "pipe": pipes,
            "at": [at(site) for site in fact.sites],
        }  # fmt: skip
        facts = {**common, **fact.facts}
        sides = tuple(accessed(side, self._spelling) for side in fact.sides)
        flags = _flags(fact.facts)
        text = message(rule.severity, rule.text, self._spelling, facts)
        more = [*map(str, sides), *(_shared(fact)), *map(str, flags)]
        return Finding(
            rule.kind, rule.severity, rule.code, fact.memory, pipes,
            "\n".join([text, *(f"======    {line}" for line in more)]), sites, 1, self._kernel, core.block,
            filled(rule.hint, self._spelling, facts), sides, fact.overlap, flags,
        )  # fmt: skip

    def drop(self, condition: Callable[[Finding, Rule, int], bool]) -> None:
        """Take back findings that a later discovery explains; the condition sees finding, rule and serial number."""
        self._entries = {
            key: entry for key, entry in self._entries.items() if not condition(entry.finding, entry.rule, entry.serial)
        }

    def __iter__(self) -> Iterator[Finding]:
        return (replace(entry.finding, count=entry.count) for entry in self._entries.values())


def _shared(fact: Fact) -> list[str]:
    if fact.overlap is None:
        return []
    lower, upper = fact.overlap
    return [f"overlap: bytes {lower:#x} to {upper:#x} of {fact.memory}"]


def _flags(facts: Mapping[str, Any]) -> tuple[FlagCount, ...]:
    """The events that a fact is about."""
    if "sets" in facts:
        names = ("event", "id", "sets", "waits", "last_set")
        return (FlagCount(*(facts[name] for name in names)),)
    heads = facts.get("heads", ())
    return tuple(FlagCount.of(head.event) for head in heads if head.event is not None)


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """The findings of severity error."""
    return [finding for finding in findings if finding.severity == ERROR]
