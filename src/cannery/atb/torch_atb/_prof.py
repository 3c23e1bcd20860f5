"""How long operations took."""

from __future__ import annotations

from collections import defaultdict
from functools import cache


class Prof:
    """Run times by operation; there is one object of it, ``Prof.get_prof_stats()``."""

    def __init__(self) -> None:
        self._times: defaultdict[str, list[float]] = defaultdict(list)

    @staticmethod
    def get_prof_stats() -> Prof:
        """The one object."""
        return _stats()

    def get_run_time_stats(self, op_name: str) -> list[float]:
        """Microseconds each ``forward`` of an operation took, in order; this machine's, not a device's."""
        return list(self._times.get(op_name, ()))

    def add_run_time(self, op_name: str, microseconds: float) -> None:
        """Note a run."""
        self._times[op_name].append(microseconds)


@cache
def _stats() -> Prof:
    return Prof()
