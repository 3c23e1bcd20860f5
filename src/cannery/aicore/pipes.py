"""Pipes of a core and the events between them.

Source of the event numbers: hicann/pyasc `python/asc/language/core/enums.py` @cecba26ace65; a ``SRC_DST`` event is set
by SRC and awaited by DST.
"""

from __future__ import annotations

from typing import Final

# Dense indices: they address clock vectors. The numbers of PipeID in the kernel language differ (FIX is 10 there).
S: Final = 0
V: Final = 1
M: Final = 2
MTE1: Final = 3
MTE2: Final = 4
MTE3: Final = 5
FIX: Final = 6
PIPES: Final = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
COUNT: Final = len(PIPES)
ALL: Final = tuple(range(COUNT))
ASYNCHRONOUS: Final = (V, M, MTE1, MTE2, MTE3, FIX)

WITH_SCALAR: Final = (V, MTE2, MTE3)
"""Pipes that the compiler's automatic synchronisation orders the scalar unit with."""

# Consumers before producers: a copy-out that nothing holds back runs before the computation it should have awaited.
LAZIEST_FIRST: Final = (MTE3, FIX, V, M, MTE1, MTE2)

EVENTS: Final = (
    "MTE2_MTE1", "MTE1_MTE2", "MTE1_M", "M_MTE1", "MTE2_V", "V_MTE2", "MTE3_V", "V_MTE3", "M_V", "V_M", "V_V",
    "MTE3_MTE1", "MTE1_MTE3", "MTE1_V", "MTE2_M", "M_MTE2", "V_MTE1", "M_FIX", "FIX_M", "MTE3_MTE2", "MTE2_MTE3",
    "S_V", "V_S", "S_MTE2", "MTE2_S", "S_MTE3", "MTE3_S", "MTE2_FIX", "FIX_MTE2", "FIX_S", "M_S", "FIX_MTE3",
    "MTE1_FIX", "FIX_MTE1", "FIX_FIX",
)  # fmt: skip


def _ends(event: str) -> tuple[int, int]:
    source, _, destination = event.partition("_")
    return PIPES.index(source), PIPES.index(destination)


ENDS: Final = tuple(_ends(event) for event in EVENTS)
"""Source and destination pipe of each event, by event number."""

BY_ENDS: Final = {ends: number for number, ends in enumerate(ENDS)}
"""Event number by (source, destination) pipe."""
