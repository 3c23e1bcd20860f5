"""Queues: which events they are lowered to, and their state without any kernel language."""

from collections.abc import Callable

import pytest

from cannery.aicore import DeadlockError
from cannery.aicore.core import Core
from cannery.aicore.flags import Set, Wait
from cannery.aicore.instruction import Site
from cannery.aicore.launch import Launch
from cannery.aicore.pipes import EVENTS
from cannery.aicore.records import Fact, Record
from cannery.aicore.setup import Setup
from cannery.isa.dtypes import float32
from cannery.isa.enums import TPosition as P
from cannery.isa.queues import Queue, ends_of, events_of
from cannery.isa.tensors import Local
from cannery.soc import soc

SITE = Site("kernel.cpp", 7, "k")


@pytest.mark.parametrize(
    ("position", "ready", "freed"),
    [
        (P.VECIN, "MTE2_V", "V_MTE2"),
        (P.VECOUT, "V_MTE3", "MTE3_V"),
        (P.VECCALC, "MTE2_MTE3", "MTE3_MTE2"),
        (P.A1, "MTE2_MTE1", "MTE1_MTE2"),
        (P.A2, "MTE1_M", "M_MTE1"),
        (P.CO1, "M_FIX", "FIX_M"),
    ],
)
def test_events_by_position(position: P, ready: str, freed: str) -> None:
    assert [EVENTS[event] for event in events_of(*ends_of(position))] == [ready, freed]


def test_a_queue_between_two_positions() -> None:
    assert [EVENTS[event] for event in events_of(P.VECIN, P.VECOUT)] == ["MTE2_MTE3", "MTE3_MTE2"]


class Seen:
    """A watcher that keeps flags and facts in short."""

    def __init__(self) -> None:
        self.records: list[str] = []

    def see(self, core: Core, record: Record) -> None:
        if isinstance(record, (Set, Wait)):
            self.records.append(f"{type(record).__name__} {record.event.name} {record.event.id} {record.by}")
        elif isinstance(record, Fact):
            self.records.append(record.rule)

    def end(self, completed: bool) -> None: ...


def queue_of(core: Core, buffers: int) -> Queue:
    queue = Queue(core, *ends_of(P.VECIN), P.VECIN, 1, "q")
    queue.bind([at * 256 for at in range(buffers)], 256, "q")
    return queue


def seen_by(body: Callable[[Core], None]) -> list[str]:
    seen = Seen()
    Launch(Setup("k", soc("Ascend910B1"), 1, (("aiv", 0, 0),)), (seen,)).run(body)
    return seen.records


def test_a_buffer_goes_round() -> None:
    def body(core: Core) -> None:
        queue = queue_of(core, 1)
        for _ in range(2):
            owner = queue.take(SITE)
            queue.put(Local(owner, owner.lower, float32, 64), SITE)
            taken = queue.get(SITE)
            assert taken is owner and not queue.idle
            queue.free(Local(taken, taken.lower, float32, 64), SITE)
        queue.close(True)

    once = ["Set MTE2_V 0 enque", "Wait MTE2_V 0 deque", "Set V_MTE2 0 free_tensor"]
    assert seen_by(body) == [*once, "Wait V_MTE2 0 alloc_tensor", *once, "Wait V_MTE2 0 free_all_event"]


def test_misuse_is_told_and_goes_on() -> None:
    def body(core: Core) -> None:
        queue, other = queue_of(core, 2), queue_of(core, 1)
        assert queue.get(SITE).trusted
        owner = queue.take(SITE)
        tensor = Local(owner, owner.lower, float32, 64)
        other.put(tensor, SITE)
        queue.free(tensor, SITE)
        queue.free(tensor, SITE)
        queue.take(SITE)
        queue.close(True)

    facts = [record for record in seen_by(body) if " " not in record]
    assert facts == ["queue_empty", "foreign_tensor", "freed_twice", "leak"]


def test_no_free_buffer_is_a_deadlock() -> None:
    def body(core: Core) -> None:
        queue = queue_of(core, 1)
        queue.take(SITE)
        queue.take(SITE)

    with pytest.raises(DeadlockError, match=r"OCCUPIED since kernel\.cpp:7"):
        seen_by(body)
