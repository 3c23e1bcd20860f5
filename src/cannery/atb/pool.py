"""Types of runners, and the runners a context keeps for the next operation.

Source: ascend-transformer-boost `src/atb/context/runner_pool.{h,cpp}`, `src/atb/utils/operation_register.h` @ddcc8b6.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from cannery.atb.counters import Tally
from cannery.atb.ops_runner import OpsRunner
from cannery.atb.params import atb_operators
from cannery.operator import CallContext, Operator

SLOT_COUNT = 64
UNKNOWN = -1


def runner_type(operator: Operator) -> str:
    """The name of an operator's type of runner."""
    return f"{operator.name}OpsRunner"


class RunnerTypeRegister:
    """Numbers of the types of runners, in the order they were registered."""

    def __init__(self, names: Iterable[str] = (), *, is_open: bool = False) -> None:
        self._indices: dict[str, int] = {}
        self._is_open = is_open
        for name in names:
            self.register(name)

    @classmethod
    def default(cls) -> RunnerTypeRegister:
        """The runners of every operator there is; one that is added later is registered when it is first asked for."""
        return cls(map(runner_type, atb_operators().values()), is_open=True)

    def register(self, name: str) -> bool:
        """Give a type the next number. One that has a number keeps it: then the answer is False."""
        if name in self._indices:
            return False
        self._indices[name] = len(self._indices)
        return True

    def index(self, name: str) -> int:
        """The number of a type; -1 for an unknown one."""
        if self._is_open and name not in self._indices and name in map(runner_type, atb_operators().values()):
            self.register(name)
        return self._indices.get(name, UNKNOWN)

    def __len__(self) -> int:
        return len(self._indices)


@dataclass
class _Slot:
    runner: OpsRunner | None = None
    is_used: bool = False


class RunnerPool:
    """64 slots for runners of one type."""

    def __init__(self, tally: Tally) -> None:
        self._slots = [_Slot() for _ in range(SLOT_COUNT)]
        self._lock = threading.Lock()
        self._tally = tally

    @property
    def used(self) -> int:
        """Number of slots in use."""
        return sum(slot.is_used for slot in self._slots)

    def malloc(self, operator: Operator, param: CallContext) -> OpsRunner | None:
        """The runner of the first slot that nobody uses, with this parameter; None when every slot is used."""
        with self._lock:
            slot = next((slot for slot in self._slots if not slot.is_used), None)
            if slot is None:
                return None
            slot.is_used = True
            if slot.runner is None:
                slot.runner = OpsRunner(operator, param, self._tally)
                self._tally.add("constructed")
            else:
                slot.runner.set_param(param)
                self._tally.add("reused")
            return slot.runner

    def free(self, runner: OpsRunner) -> None:
        """Let go of a runner; it stays in its slot, with its kernel graph and caches."""
        with self._lock:
            for slot in self._slots:
                slot.is_used = slot.is_used and slot.runner is not runner
