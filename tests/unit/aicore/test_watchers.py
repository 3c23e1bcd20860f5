"""What the machine tells who looks at it: one launch without any kernel language, any number of watchers."""

from collections.abc import Callable
from typing import Any

import pytest

from cannery.aicore import DeadlockError
from cannery.aicore.core import Core
from cannery.aicore.flags import Arrive, Barrier, CrossSet, CrossWait, Leave, Post, Receive, Set, Wait
from cannery.aicore.instruction import FILL, Access, Instruction, Site
from cannery.aicore.launch import Launch
from cannery.aicore.pipes import BY_ENDS, MTE2, S, V
from cannery.aicore.records import CacheClean, Deadlock, Fact, Finish, Fresh, Record
from cannery.aicore.setup import Setup
from cannery.soc import soc

SITE = Site("k", 1)
MTE2_V = BY_ENDS[MTE2, V]


class Log:
    """Keeps what it sees."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, Record]] = []
        self.ends: list[bool] = []

    def see(self, core: Core, record: Record) -> None:
        self.seen.append((core.index, record))

    def end(self, completed: bool) -> None:
        self.ends.append(completed)

    def types(self, core: int = 0) -> list[type]:
        return [type(record) for index, record in self.seen if index == core]


def launched(body: Callable[[Core], Any], *watchers: Log, cores: int = 1) -> Launch:
    setup = Setup("k", soc("Ascend910B1"), cores, tuple(("aiv", index, 0) for index in range(cores)))
    launch = Launch(setup, watchers)
    launch.run(body)
    return launch


def issue(core: Core, op: str, pipe: int, done: list[str]) -> None:
    core.issue(Instruction(op, pipe, (), (), SITE, done.append, (op,), FILL))


def test_every_watcher_sees_everything_in_the_order_of_issue() -> None:
    done: list[str] = []

    def body(core: Core) -> None:
        issue(core, "copy", MTE2, done)
        core.set_flag(MTE2_V, 0, SITE)
        core.wait_flag(MTE2_V, 0, SITE, by="deque")
        issue(core, "add", V, done)
        core.fresh(core.arena("UB"), 0, 32)
        core.clean_cache()
        core.report("some_rule", SITE, memory="UB", size=3)
        core.barrier(None, SITE)

    first, second = Log(), Log()
    launch = launched(body, first, second)
    assert done == ["copy", "add"]
    assert first.seen == second.seen
    assert first.types() == [Instruction, Set, Wait, Instruction, Fresh, CacheClean, Fact, Barrier, Finish]
    records = [record for _, record in first.seen]
    sent, awaited = records[1], records[2]
    assert isinstance(sent, Set) and isinstance(awaited, Wait)
    assert sent.event is awaited.event
    assert (sent.event.name, sent.by, awaited.by, awaited.ordinal) == ("MTE2_V", "", "deque", 1)
    assert records[6] == Fact("some_rule", (SITE,), "UB", (), {"size": 3})
    assert (first.ends, launch.issued()["V"], launch.issued()["MTE2"]) == ([True], 2, 2)


def test_cores_that_meet_and_message() -> None:
    def body(core: Core) -> None:
        core.peers.set_flag(core, 3, 0, S, SITE)
        core.peers.wait_flag(core, 3, 0, SITE)
        core.peers.meet(core, "all", core.peers.cores, "sync_all", SITE)
        if core.index == 0:
            core.peers.post(core, "news")
        else:
            core.peers.receive(core, "news", "ib_wait", "(0, 0)", SITE)

    log = Log()
    launched(body, log, cores=2)
    both = [CrossSet, Instruction, CrossWait, Barrier, Arrive, Leave]
    assert log.types(0) == [*both, Barrier, Post, Finish]
    assert log.types(1) == [*both, Receive, Finish]
    meetings = {record.meeting for _, record in log.seen if isinstance(record, Arrive)}
    assert [meeting.arrived for meeting in meetings] == [{0, 1}]


def test_a_launch_that_fails_ends_too() -> None:
    def body(core: Core) -> None:
        core.wait_flag(MTE2_V, 0, SITE)

    log = Log()
    with pytest.raises(DeadlockError, match=r"deadlock in k, block 0: V: wait_flag\(MTE2_V, 0\) at k:1"):
        launched(body, log)
    assert log.types() == [Wait, Deadlock, Finish]
    assert log.ends == [False]


def test_the_size_of_an_access_is_what_it_touches() -> None:
    assert Access(None, 0, 256, None).size == 256
    assert Access(None, 0, 256, None, ((0, 32), (64, 96))).size == 64
