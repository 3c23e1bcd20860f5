"""What the host part of a program asks: the chip's cores and memories, sizes of temporary buffers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cannery.isa import dtypes as d
from cannery.isa.advanced import PREFIX, ROWS, rmsnorm_bytes, softmax_bytes
from cannery.soc import Soc

Answer = Callable[[Soc, Sequence[int]], int]
_ROWS: Final = MappingProxyType({op.name.removeprefix(PREFIX): op for op in ROWS})
_OF_SIZE: Final = MappingProxyType({1: d.int8, 2: d.float16, 4: d.float32, 8: d.int64})
_MEMORIES: Final = ("l0a_size", "l0b_size", "l0c_size", "l1_size", "l2_size", "ub_size")
"""By CoreMemType."""
_CORES: Final = ("ai_cores", "aic_cores", "aiv_cores")


def _cores(chip: Soc, numbers: Sequence[int]) -> int:
    """Cores of a kind: all, cube, vector."""
    return int(getattr(chip, _CORES[numbers[0]]))


def _memory(chip: Soc, numbers: Sequence[int]) -> int:
    """Bytes of a memory; 0 of one that is not known."""
    kind = numbers[0]
    return int(getattr(chip, _MEMORIES[kind])) if kind < len(_MEMORIES) else 0


def _softmax(chip: Soc, numbers: Sequence[int]) -> int:
    """Bytes of softmax's temporary buffer: rows, columns, bytes of an element of sum and max."""
    rows, columns, size = numbers
    return softmax_bytes(rows, columns, size, chip.npu_arch)


def _rmsnorm(chip: Soc, numbers: Sequence[int]) -> int:
    """Bytes of rmsnorm's temporary buffer: columns, bytes of an element."""
    del chip
    columns, size = numbers
    return rmsnorm_bytes(columns, size)


_ANSWERS: Final[Mapping[str, Answer]] = MappingProxyType(
    {"cores": _cores, "memory": _memory, "softmax": _softmax, "rmsnorm": _rmsnorm}
)


def answer(chip: Soc, question: str, numbers: Sequence[int]) -> int:
    """The answer to a question of the headers: one of the chip, or a function's name for its temporary buffer.

    Raises:
        KeyError: a question that the headers do not ask.
    """
    if question in _ANSWERS:
        return _ANSWERS[question](chip, numbers)
    count, size, reuse = numbers
    temporary = _ROWS[question].temporary
    assert temporary is not None
    return temporary[chip.npu_arch](count, _OF_SIZE[size], bool(reuse))
