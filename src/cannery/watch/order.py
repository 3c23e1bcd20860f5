"""A second opinion on order: the graph of everything issued in a launch.

It shares nothing with the clocks of the checker and keeps everything, so that it is simple and slow: the measure the
checker is measured by, not part of it. Two accesses are ordered when the earlier one completes before the later one
starts, which is when a path of the graph leads from one to the other.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from itertools import combinations
from typing import Any

from cannery.aicore.core import Core
from cannery.aicore.flags import Arrive, Barrier, CrossSet, CrossWait, Meeting, Post, Receive, Set, Wait
from cannery.aicore.instruction import Instruction, Looked, Lookup
from cannery.aicore.pipes import WITH_SCALAR, S, V
from cannery.aicore.records import CacheClean, Record
from cannery.watch.hidden import Issued, Node, hidden
from cannery.watch.spans import spans

_Matched = dict[Any, deque[int]]
_Places = dict[Lookup, tuple[int, ...]]
"""Where the elements of look-ups began."""


class Trace:
    """What one launch issued: a watcher.

    What the compiler and the chip order by themselves is as the launch has it: dependent vector instructions, and with
    ``auto_sync`` the scalar unit's accesses with V, MTE2 and MTE3, its writes to global memory excepted.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._plain: set[int] = set()
        self._looked: _Places = {}
        self._vector_in_order = True

    def see(self, core: Core, record: Record) -> None:
        """Take note of what a core issued."""
        self._vector_in_order = core.launch.vector_in_order
        if not core.auto_sync:
            self._plain.add(core.index)
        if isinstance(record, Issued):
            self.nodes.append(Node(core.index, _pipe(record), record))
        elif isinstance(record, Looked):
            self._looked[record.lookup] = record.addresses

    def end(self, completed: bool) -> None:
        """Nothing is left to note."""

    def has_race(self) -> bool:
        """Whether any two conflicting accesses are unordered."""
        return next(self.races(), None) is not None

    def has_hidden(self) -> bool:
        """Whether the scalar unit's cache hides a write from an access that is ordered after it."""
        return next(hidden(self.nodes, self._ancestors()), None) is not None

    def races(self) -> Iterator[tuple[Node, Node]]:
        """Pairs of conflicting accesses that no path orders, in issue order."""
        before = self._ancestors()
        for first, second in _conflicts(self.nodes, self._looked):
            if not before[second] >> first & 1 and not before[first] >> second & 1:
                one, other = self.nodes[first], self.nodes[second]
                if not self._in_order(one, other):
                    yield one, other

    def _in_order(self, one: Node, other: Node) -> bool:
        if one.core != other.core:
            return False
        if one.pipe == other.pipe and (one.pipe == S or _is_interlocked(one)):
            return True
        return self._vector_in_order and one.pipe == other.pipe == V

    def _ancestors(self) -> list[int]:
        """For each node a set of bits: the nodes that complete before it starts.

        Raises:
            CycleError: some wait for each other; such a launch deadlocks.
        """
        edges = self._edges()
        before = [0] * len(self.nodes)
        for node in TopologicalSorter(edges).static_order():
            for earlier in edges[node]:
                before[node] |= before[earlier] | 1 << earlier
        return before

    def _edges(self) -> dict[int, list[int]]:
        """For each node those that directly come before it."""
        edges: dict[int, list[int]] = {at: [] for at in range(len(self.nodes))}
        for core in sorted({node.core for node in self.nodes}):
            _order_core(edges, [(at, node) for at, node in enumerate(self.nodes) if node.core == core])
        _order_meetings(edges, self.nodes)
        _order_cross_flags(edges, self.nodes)
        _order_by_compiler(edges, self.nodes, self._plain)
        return edges


def _is_interlocked(node: Node) -> bool:
    return isinstance(node.what, Instruction) and node.what.interlocked


def _pipe(record: Issued) -> int | None:
    match record:
        case Set():
            return record.event.source
        case Wait():
            return record.event.destination
        case Arrive() | Post():
            return None
        case CrossWait() | Receive() | CacheClean():
            return S  # the program waits, and with it whatever it issues later
    return record.pipe


def _order_core(edges: dict[int, list[int]], nodes: Sequence[tuple[int, Node]]) -> None:
    """Sets come after all before them on their pipe, waits before all after them, barriers both."""
    sent: dict[Any, deque[int]] = defaultdict(deque)
    waiting: dict[Any, deque[int]] = defaultdict(deque)
    for position, (at, node) in enumerate(nodes):
        if isinstance(node.what, (Set, Wait)):
            _match(edges, (sent, waiting), node.what, at)
        for earlier, other in nodes[:position]:
            if _directly(other, node):
                edges[at].append(earlier)


def _match(edges: dict[int, list[int]], queues: tuple[Any, Any], record: Set | Wait, at: int) -> None:
    sent, waiting = queues
    key = record.event
    is_set = isinstance(record, Set)
    mine, others = (sent, waiting) if is_set else (waiting, sent)
    if not others[key]:
        mine[key].append(at)
        return
    other = others[key].popleft()
    first, second = (at, other) if is_set else (other, at)
    edges[second].append(first)


def _directly(earlier: Node, later: Node) -> bool:
    """Whether, on one core, the earlier node completes before the later one starts, by issue alone."""
    if earlier.pipe is None or later.pipe is None:
        return True
    holds = isinstance(earlier.what, (Wait, Barrier, CrossWait, Receive))
    if earlier.pipe == S and holds:
        return True  # what the scalar pipe has waited for, everything issued later follows
    # A set follows what is before it on its pipe and holds nothing up, a wait the reverse; a barrier does both.
    collects = isinstance(later.what, (Set, Barrier, CrossSet))
    return earlier.pipe == later.pipe and (holds or collects)


def _order_meetings(edges: dict[int, list[int]], nodes: Sequence[Node]) -> None:
    """What precedes any core's arrival at a meeting precedes what follows any."""
    meetings: dict[Meeting, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    previous: dict[int, int] = {}
    for at, node in enumerate(nodes):
        if isinstance(node.what, Arrive):
            before, arrivals = meetings[node.what.meeting]
            before.append(previous.get(node.core, at))
            arrivals.append(at)
        previous[node.core] = at
    for before, arrivals in meetings.values():
        for at in arrivals:
            edges[at] += [earlier for earlier in before if earlier != at]


def _order_cross_flags(edges: dict[int, list[int]], nodes: Sequence[Node]) -> None:
    """A wait for cross-core flags follows the sets that answer it, a message taken follows its post."""
    sets: dict[Any, list[int]] = defaultdict(list)
    posts: _Matched = defaultdict(deque)
    for at, node in enumerate(nodes):
        match node.what:
            case CrossSet():
                sets[node.what.flag].append(at)
            case CrossWait():
                edges[at] += [sets[flag][ordinal - 1] for flag, ordinal in node.what.answers]
            case Post():
                posts[node.what.key].append(at)
            case Receive():
                edges[at].append(posts[node.what.key].popleft())


def _order_by_compiler(edges: dict[int, list[int]], nodes: Sequence[Node], plain: set[int]) -> None:
    """A flag of the compiler's own: set behind the earlier access, awaited before the later one; none on cores that
    are left as they are (``plain``).
    """
    for first, second in _conflicts(nodes, None):
        one, other = nodes[first], nodes[second]
        if one.core == other.core and one.core not in plain and _is_inserted(one, other):
            sources = [at for at in range(first + 1) if (nodes[at].core, nodes[at].pipe) == (one.core, one.pipe)]
            for at in range(second, len(nodes)):
                node = nodes[at]
                if node.core == other.core and (S in (node.pipe, other.pipe) or node.pipe == other.pipe):
                    edges[at] += [source for source in sources if source != at]


def _is_inserted(one: Node, other: Node) -> bool:
    """Between the scalar unit and V, MTE2, MTE3; in global memory only where the scalar unit reads."""
    scalar, pipe = (one, other.pipe) if one.pipe == S else (other, one.pipe)
    if scalar.pipe != S or pipe not in WITH_SCALAR or not isinstance(scalar.what, Instruction):
        return False
    accesses = (*scalar.what.reads, *scalar.what.writes)
    return all(access.memory.name == "UB" for access in accesses) or not scalar.what.writes


def _conflicts(nodes: Sequence[Node], looked: _Places | None) -> Iterator[tuple[int, int]]:
    """Pairs that touch the same bytes, one of them writing, not both atomically."""
    touched: dict[Any, list[tuple[int, int, int, bool]]] = defaultdict(list)
    for at, node in enumerate(nodes):
        if isinstance(node.what, Instruction):
            for access, write in [(a, False) for a in node.what.reads] + [(a, True) for a in node.what.writes]:
                place = "GM" if access.memory.name == "GM" else (node.core, access.memory.name)
                touched[place] += [(lower, upper, at, write) for lower, upper in spans(access)]
            if node.what.lookup is not None:
                place = (node.core, node.what.lookup.access.memory.name)
                touched[place] += [(lower, upper, at, False) for lower, upper in _looked_at(node.what.lookup, looked)]
    seen: set[tuple[int, int]] = set()
    for pieces in touched.values():
        for one, other in combinations(pieces, 2):
            if one[2] != other[2] and (one[3] or other[3]) and one[0] < other[1] and other[0] < one[1]:
                pair = (min(one[2], other[2]), max(one[2], other[2]))
                if pair not in seen and not _both_atomic(nodes, pair):
                    seen.add(pair)
                    yield pair


def _looked_at(lookup: Lookup, looked: _Places | None) -> list[tuple[int, int]]:
    """The bytes of a look-up: where its elements were, or, as the compiler sees it, anywhere in its tensor."""
    if looked is None:
        return [(lookup.access.lower, lookup.access.upper)]
    return [(start, start + lookup.size) for start in sorted(set(looked.get(lookup, ())))]


def _both_atomic(nodes: Sequence[Node], pair: tuple[int, int]) -> bool:
    first, second = (nodes[at].what for at in pair)
    assert isinstance(first, Instruction)
    assert isinstance(second, Instruction)
    return first.atomic is not None and first.atomic == second.atomic
