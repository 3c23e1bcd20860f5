"""What each operation of a program does: a handler by name, which reads its words and calls the instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cannery.ascendc.operations import blocks, cube, mathematics, queues, sync, system, transfer, vector
from cannery.ascendc.words import Call

Handler = Callable[[Call], Any]

HANDLERS: Final[Mapping[str, Handler]] = MappingProxyType(
    {
        **vector.HANDLERS, **blocks.HANDLERS, **mathematics.HANDLERS, **cube.HANDLERS, **transfer.HANDLERS,
        **queues.HANDLERS, **sync.HANDLERS, **system.HANDLERS,
    }
)  # fmt: skip
"""A handler returns None, one word, or a tuple of words that go back in place of the arguments."""
NAMES: Final = tuple(HANDLERS)
"""The operations by their number in the headers."""
