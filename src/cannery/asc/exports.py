"""The names of ``asc``: what each module adds, and the functions made from the table of instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cannery.asc import (
    aipp,
    auto,
    copies,
    cube,
    dtypes,
    enums,
    jit,
    lists,
    loops,
    numbers,
    params,
    queues,
    scalars,
    struct,
    sync,
    system,
    tensors,
    tpipe,
    watchpoints,
)
from cannery.asc.vector import blocks, compare, conversion, elementwise, masks, movement, reduce, sorting
from cannery.asc.vector import params as vector_params

MODULES: Final[tuple[Any, ...]] = (
    aipp, auto, blocks, compare, conversion, copies, cube, dtypes, enums, jit, lists, loops, masks, movement,
    numbers, params, queues, scalars, sorting, struct, sync, system, tensors, tpipe, vector_params,
    watchpoints,
)  # fmt: skip
RENAMED: Final[dict[str, Any]] = {
    "array": struct.Array,
    "property": system.machine_property,
    "range": loops.runtime_range,
}
"""Names that mean something else in Python, so that their modules call them otherwise."""
CALLS: Final[dict[str, Callable[..., None]]] = {
    **elementwise.CALLS, **reduce.CALLS, **conversion.CALLS,
}  # fmt: skip
"""The functions made from the table."""
NAMES: Final[dict[str, Any]] = {
    **{name: getattr(module, name) for module in MODULES for name in module.__all__},
    **CALLS,
    **RENAMED,
}
SUBMODULES: Final = ("adv", "basic", "core", "fwk", "language", "lib", "runtime")
