"""A runtime of two devices for each test, and its calls by their names in C."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cannery.runtime import CALLS, Options, Process

MIB = 1 << 20
BY_NAME = {call.name: call for call in CALLS}


class Machine:
    """A runtime, driven by C names: ``machine.aclrtMalloc(64, 0)`` gives (status, address)."""

    def __init__(self, process: Process) -> None:
        self.process = process

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        def do(*arguments: Any) -> tuple[Any, ...]:
            status, values = BY_NAME[name].invoke(self.process, arguments)
            return (status, *values)

        return do

    def good(self, name: str, *arguments: Any) -> Any:
        """The value of a call that must succeed."""
        status, *values = getattr(self, name)(*arguments)
        assert status == 0, (name, self.process.take_message())
        return values[0] if values else None

    def block(self, values: Any) -> int:
        """Device memory that holds these values."""
        array = np.ascontiguousarray(values)
        address: int = self.good("aclrtMalloc", array.nbytes, 0)
        self.good("aclrtMemcpy", address, array.nbytes, array.ctypes.data, array.nbytes, 1)
        return address

    def read(self, address: int, count: int, dtype: Any = np.int32) -> list[Any]:
        """Values from device memory."""
        out = np.zeros(count, dtype)
        self.good("aclrtMemcpy", out.ctypes.data, out.nbytes, address, out.nbytes, 2)
        return list(out.tolist())


@pytest.fixture(name="idle")
def _idle(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A runtime that nobody has initialised."""
    monkeypatch.setenv("CANNERY_SOC", "Ascend950PR_9589")
    return Machine(Process(Options(devices=2, memory=256 * MIB)))


@pytest.fixture(name="machine")
def _machine(idle: Machine) -> Machine:
    """A runtime with device 0 in use."""
    idle.good("aclInit", None)
    idle.good("aclrtSetDevice", 0)
    return idle
