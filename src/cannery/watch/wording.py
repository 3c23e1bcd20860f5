"""From a rule and its facts to text, in the words of a kernel language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from cannery.aicore.flags import Blocked, UnitFlag
from cannery.aicore.instruction import Site
from cannery.aicore.pipes import BY_ENDS, EVENTS, PIPES, M
from cannery.watch.spelling import Spelling

Facts = Mapping[str, Any]
Text = str | Callable[[Spelling, Facts], str]
"""A template, or what makes a text of the facts; several lines are lines of the finding."""


def filled(text: Text, spelling: Spelling, facts: Facts) -> str:
    """A text with its facts and words."""
    return text.format_map(_Words(spelling, facts)) if isinstance(text, str) else text(spelling, facts)


def message(severity: str, texts: Sequence[Text], spelling: Spelling, facts: Facts) -> str:
    """A finding's message: the severity and the first line, then the others."""
    first, *rest = [line for text in texts for line in filled(text, spelling, facts).splitlines()]
    return "\n".join([f"====== {severity.upper()}: {first}", *(f"======    {line}" for line in rest)])


def at(site: Site | None) -> str:
    """A source line."""
    return f"{site.file}:{site.line}" if site else "unknown line"


class _Of:
    """``{name[op]}`` in a template."""

    def __init__(self, spell: Callable[[str], str]) -> None:
        self._spell = spell

    def __getitem__(self, op: str) -> str:
        return self._spell(op)


_STATEMENTS: Final[Mapping[str, Callable[[Spelling, Facts], Any]]] = {
    "name": lambda spelling, _: _Of(spelling.name),
    "function": lambda spelling, _: _Of(spelling.function),
    "set_flag": lambda spelling, facts: spelling.set_flag(facts["event"], facts["id"]),
    "wait_flag": lambda spelling, facts: spelling.wait_flag(facts["event"], facts["id"]),
}


class _Words:
    """What the names of a template stand for."""

    def __init__(self, spelling: Spelling, facts: Facts) -> None:
        self._spelling = spelling
        self._facts = facts

    def __getitem__(self, key: str) -> Any:
        if key in _STATEMENTS:
            return _STATEMENTS[key](self._spelling, self._facts)
        fact = self._facts[key]
        return self._spelling.name(fact) if key == "op" or key.endswith("_op") else fact


def order(spelling: Spelling, facts: Facts) -> str:
    """What orders two accesses of one core."""
    first, second = (PIPES.index(pipe) for pipe in facts["pipe"])
    if first == second:
        return f"add {spelling.barrier(PIPES[first])} between the two"
    number = BY_ENDS.get((first, second))
    if number is None:
        return f"add {spelling.barrier('ALL')} between the two"
    event = EVENTS[number]
    return (
        f"add {spelling.set_flag(event, 'id')} after the first and {spelling.wait_flag(event, 'id')} before the second"
    )


def holders(spelling: Spelling, facts: Facts) -> str:
    """Who holds how many bytes of a memory, a line each."""
    return "\n".join(f"{size:>9} bytes  {name}" for name, size in facts["holders"])


def heads(spelling: Spelling, facts: Facts) -> str:
    """The head of each pipe of a core that cannot go on, a line each."""
    blocked: Sequence[Blocked] = facts["heads"]
    return "\n".join(
        f"{head.core and head.core + ', '}PIPE_{head.pipe}: {spelling.name(head.op)}{head.detail}  #0 {at(head.site)}"
        for head in blocked
    )


def answer(spelling: Spelling, facts: Facts) -> str:
    """The set that the first waiting pipe of a deadlock lacks."""
    event = next((head.event for head in facts["heads"] if head.event is not None), None)
    if event is None:
        return ""
    if isinstance(event, UnitFlag):
        first, second = (spelling.name(op) for op in ("mmad", "fixpipe")[:: 1 if event.source == M else -1])
        return f"{second} waits for a block that {first} never hands over: give the last {first} of it unit_flag 3"
    if event.sent and event.sent >= event.awaited:
        return f"the {spelling.name('set_flag')} that answers it stands behind a wait itself: move it before that wait"
    add = spelling.set_flag(event.name, event.id)
    return f"no {spelling.name('set_flag')} answers it: add {add} on PIPE_{PIPES[event.source]}"
