"""What the compiler's automatic synchronisation orders between the scalar unit and the other pipes.

It puts flags both ways between S and V, MTE2, MTE3 where the scalar unit reads or writes UB, and where it reads global
memory; not where it writes global memory (mirror-cann/asc-devkit, synchronisation inside a core, key features, table 3,
@82b89a15f). The set stands behind the earlier access, the wait before the later one.
"""

from __future__ import annotations

from cannery.aicore.pipes import WITH_SCALAR, S


def is_inserted(earlier: int, later: int, kind: str, memory: str) -> bool:
    """Whether the compiler orders two accesses that would race.

    Args:
        earlier, later: their pipes.
        kind: "raw", "war" or "waw".
        memory: the name of the memory.
    """
    if earlier == S and later in WITH_SCALAR:
        writes = kind != "war"
    elif later == S and earlier in WITH_SCALAR:
        writes = kind != "raw"
    else:
        return False
    return memory == "UB" or (memory == "GM" and not writes)
