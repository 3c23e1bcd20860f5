"""``asc.LocalTensorAuto``: a tensor whose place and synchronisation the compiler finds
(hicann/pyasc `docs/python_syntax_support.md` @cecba26ace65).

A kernel that uses one is run in program order from there on: the compiler drops the flags and queue events in the
source and derives its own, of which program order is always a valid outcome.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.aicore.memory import capacity
from cannery.asc.context import here, running
from cannery.asc.dtypes import DataType
from cannery.asc.enums import TPosition
from cannery.asc.tensors import LocalTensor
from cannery.isa.space import occupy
from cannery.isa.tensors import Allocation

__all__ = ["LocalTensorAuto"]


class AutoPlacement:
    """The automatic tensors of one core, from the end of UB downward; a line gets the same place again in a loop."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._limit = capacity(core.soc, "UB")
        self._bottom = self._limit
        self._places: dict[tuple[Site, int], int] = {}

    def place(self, site: Site, size: int) -> int:
        """Where ``size`` bytes of a line lie; running out is a finding."""
        key = (site, size)
        if key not in self._places:
            self._bottom -= -(-size // 32) * 32
            self._places[key] = self._bottom
            self._account(site)
        return max(0, self._places[key])

    def _account(self, site: Site) -> None:
        used = self._limit - self._bottom
        holders = [(f"LocalTensorAuto at line {place.line}", size) for place, size in self._places]
        occupy(self._core, site, "UB", used, self._limit, "LocalTensorAuto", holders)


class LocalTensorAuto(LocalTensor):
    """``LocalTensorAuto(dtype, shape)``: contents undefined; ``shape`` an int or ints."""

    __slots__ = ()

    def __init__(self, dtype: DataType, shape: int | Iterable[int]) -> None:
        core = running()
        core.run_in_order()
        count = int(shape) if isinstance(shape, int) else prod(int(dim) for dim in shape)
        size = count * dtype.sizeof()
        placement = core.state.get(AutoPlacement)
        if placement is None:
            placement = core.state[AutoPlacement] = AutoPlacement(core)
        site = here()
        lower = placement.place(site, size)
        super().__init__(dtype)
        self.addr, self.size = lower, count
        self.owner = Allocation(
            core, TPosition.VECCALC, lower, -(-size // 32) * 32, f"LocalTensorAuto, line {site.line}"
        )
