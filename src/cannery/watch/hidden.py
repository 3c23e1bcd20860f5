"""A second opinion on the scalar unit's data cache, on the graph of everything issued.

A write of the scalar unit is seen from when its bytes were cleaned on; what the scalar unit reads is as old as the line
that it reads from. Each core's lines are followed through its program once, in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cannery.aicore.cache import LINE
from cannery.aicore.flags import Arrive, Barrier, CrossSet, CrossWait, Post, Receive, Set, Wait
from cannery.aicore.instruction import Access, Instruction
from cannery.aicore.pipes import S
from cannery.aicore.records import CacheClean
from cannery.watch.spans import spans

Issued = Instruction | Set | Wait | Barrier | Arrive | CrossSet | CrossWait | Post | Receive | CacheClean


class Node(NamedTuple):
    """Something issued: on which core, on which pipe (None: all), and what."""

    core: int
    pipe: int | None
    what: Issued


class _Touch(NamedTuple):
    """Bytes of global memory that a node touches; ``filled``: the node that filled the cache line it goes through."""

    at: int
    core: int
    bytes: frozenset[int]
    line: frozenset[int]
    write: bool
    filled: int | None


def hidden(nodes: Sequence[Node], before: Sequence[int]) -> Iterator[tuple[Node, Node]]:
    """Pairs of which the second, ordered after the first, does not see it; ``before``: ancestors as bits."""
    touches = list(_touches(nodes))
    for first in touches:
        for second in touches:
            if first.write and _is_hidden(nodes, before, first, second):
                yield nodes[first.at], nodes[second.at]


def _is_hidden(nodes: Sequence[Node], before: Sequence[int], first: _Touch, second: _Touch) -> bool:
    cached, through = first.filled is not None, second.filled is not None
    if first.core == second.core and cached and through:
        return False  # one cache
    both_write = cached and through and second.write
    shared = first.line & second.line if both_write else first.bytes & second.bytes
    if not cached and (not through or second.write):
        return False  # copies see each other
    if not shared:
        return False
    if not _precedes(nodes, before, first.at, second.at):  # a line that two cores write goes back whole
        return both_write and not _precedes(nodes, before, second.at, first.at)
    view = second.at if second.filled is None else second.filled
    if not cached:
        return not _precedes(nodes, before, first.at, view)
    needed = first.bytes if both_write else shared
    return not all(_left(nodes, before, first, byte, view) for byte in needed)


def _left(nodes: Sequence[Node], before: Sequence[int], first: _Touch, byte: int, view: int) -> bool:
    """Whether a byte that a scalar unit wrote was cleaned before a node."""
    return any(
        isinstance(node.what, CacheClean) and _covers(node.what, byte) and _precedes(nodes, before, at, view)
        for at, node in enumerate(nodes)
        if at > first.at and node.core == first.core
    )


def _precedes(nodes: Sequence[Node], before: Sequence[int], first: int, second: int) -> bool:
    one, other = nodes[first], nodes[second]
    in_program = one.core == other.core and one.pipe == other.pipe == S and first <= second
    return in_program or bool(before[second] >> first & 1)


def _covers(clean: CacheClean, byte: int) -> bool:
    return clean.lower is None or clean.upper is None or clean.lower <= byte < clean.upper


def _touches(nodes: Sequence[Node]) -> Iterator[_Touch]:
    valid: dict[tuple[int, int], int] = {}  # of each byte in a core's cache, the node that filled its line
    for at, node in enumerate(nodes):
        if isinstance(node.what, CacheClean):
            clean = node.what
            valid = {key: fill for key, fill in valid.items() if key[0] != node.core or not _covers(clean, key[1])}
        if isinstance(node.what, Instruction):
            for access, write in [(a, False) for a in node.what.reads] + [(a, True) for a in node.what.writes]:
                if access.memory.name == "GM":
                    yield _touch(at, node, access, write, valid)


def _touch(at: int, node: Node, access: Access, write: bool, valid: dict[tuple[int, int], int]) -> _Touch:
    touched = frozenset(byte for lower, upper in spans(access) for byte in range(lower, upper))
    if node.pipe != S:
        return _Touch(at, node.core, touched, touched, write, None)
    start = access.lower - (access.lower - access.owner.origin) % LINE
    line = range(start, start + LINE)
    if any((node.core, byte) not in valid for byte in touched):
        valid |= {(node.core, byte): at for byte in line}
    return _Touch(at, node.core, touched, frozenset(line), write, valid[node.core, min(touched)] if touched else at)
