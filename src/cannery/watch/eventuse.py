"""The events of one core: which set answers which wait, what is set twice, what is left over."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from cannery.aicore.core import Core
from cannery.aicore.flags import Event, Inner, Set, UnitFlag, Wait
from cannery.aicore.instruction import Site
from cannery.aicore.pipes import M
from cannery.aicore.records import Fact
from cannery.watch.debts import Carried, Debts
from cannery.watch.sync import SyncUse


class Flags:
    """The sets of an event that nobody has waited for, and the waits issued before their sets.

    ``is_free``: nothing can be wrong with the event's id.
    """

    __slots__ = ("carried", "is_free", "orphans")

    def __init__(self, is_free: bool) -> None:
        self.is_free = is_free
        self.carried: deque[Carried] = deque()
        self.orphans: deque[tuple[Site | None, int]] = deque()


def flag_facts(event: Event) -> dict[str, Any]:
    """What there is to say of an event."""
    return {
        "event": event.name, "id": event.id, "sets": event.sent, "waits": event.awaited, "last_set": event.last_set,
    }  # fmt: skip


class EventUse:
    """Follows the sets and waits of a core; ``report`` takes what is wrong with them."""

    def __init__(self, core: Core, debts: Debts, sync: SyncUse, report: Callable[[Fact], None]) -> None:
        self._core = core
        self._debts = debts
        self._sync = sync
        self._report = report
        self._flags: dict[Event, Flags] = {}
        self._again: list[tuple[Event, int, Site | None]] = []

    def set(self, record: Set) -> None:
        """A flag was set. An answer to a wait issued earlier reaches that wait's pipe now."""
        event, site, by = record
        flags = self._flags_of(event)
        if not flags.is_free:
            self._check_id(event, site, by, is_set=True)
        if event.sent - event.awaited > 1:
            self._set_again(event, event.sent, site)
        flag = self._debts.carry(event.source, site, by)
        if not flags.orphans:
            flags.carried.append(flag)
            return
        wait_site, debt = flags.orphans.popleft()
        self._debts.settle(debt, flag, (other for each in self._flags.values() for other in each.carried))
        self._sync.needed(site, wait_site)
        self._judge_again()

    def wait(self, record: Wait, serial: int) -> None:
        """A wait was issued. While its set is still to come, nothing can be said about the waiting pipe."""
        event, _, site, by = record
        flags = self._flags_of(event)
        if not flags.is_free:
            self._check_id(event, site, by, is_set=False)
        destination = event.destination
        if not flags.carried:
            flags.orphans.append((site, serial))
            self._debts.owe(destination, serial)
            return
        flag = flags.carried.popleft()
        news = self._debts.receive(destination, flag)
        if not by and not flag.by:
            preset = flag.times[event.source] == 0
            self._sync.pair((event.source, destination), (flag.site, site), self._core, news, preset)

    def first_unanswered(self) -> int | None:
        """The serial number of the first wait without a set."""
        return min((serial for flags in self._flags.values() for _, serial in flags.orphans), default=None)

    def left_over(self, completed: bool) -> None:
        """End of the kernel: flags that nobody waited for, waits that nothing answered."""
        for event, flags in self._flags.items():
            pipes = (event.source, event.destination)
            facts = flag_facts(event)
            for site, _ in () if isinstance(event, Inner) else flags.orphans:  # a deadlock says it
                self._report(Fact("wait_unpaired", (site,), "", pipes, facts))
            for flag in flags.carried if completed else ():
                if isinstance(event, Inner):
                    self._left_full(event, flag)
                    continue
                rule = "queue_set_unpaired" if flag.by else "set_unpaired"
                self._report(Fact(rule, (flag.site,), "", pipes, {**facts, "op": flag.by}))

    def _left_full(self, event: Inner, flag: Carried) -> None:
        """A block that mmad handed over and nobody took. Empty ones are as they should be."""
        if isinstance(event, UnitFlag) and event.source == M:
            facts = {**flag_facts(event), "op": flag.by}
            self._report(Fact("unit_flag_left", (flag.site,), "L0C", (event.source, event.destination), facts))

    def _flags_of(self, event: Event) -> Flags:
        flags = self._flags.get(event)
        if flags is None:
            flags = self._flags[event] = Flags(self._is_free(event))
        return flags

    def _is_free(self, event: Event) -> bool:
        limits = self._core.limits
        in_range = 0 <= event.id < limits.event_ids and event.id not in limits.reserved_event_ids
        return in_range or isinstance(event, Inner)

    def _set_again(self, event: Event, ordinal: int, site: Site | None) -> None:
        """A set with no wait issued in between. Behind an unanswered wait, its pipe does not get there yet."""
        if self._debts.owed[event.source]:
            self._again.append((event, ordinal, site))
        else:
            self._report(Fact("set_twice", (site,), "", (), flag_facts(event)))

    def _judge_again(self) -> None:
        """Judge the sets whose pipes have got there."""
        waiting, self._again = self._again, []
        for event, ordinal, site in waiting:
            if self._debts.owed[event.source] or ordinal - event.awaited > 1:
                self._set_again(event, ordinal, site)

    def _check_id(self, event: Event, site: Site | None, by: str, *, is_set: bool) -> None:
        limits = self._core.limits
        if not 0 <= event.id < limits.event_ids:
            if is_set or not by:  # a queue's ids are judged where it sets them
                facts = {"event": event.name, "id": event.id, "last": limits.event_ids - 1}
                self._report(Fact("event_id_range", (site,), "", (), facts))
        elif is_set and not by and event.id in limits.reserved_event_ids and not self._core.is_managed:
            self._report(Fact("event_id_reserved", (site,), "", (), {"event": event.name, "id": event.id}))
