"""What a call brings from C++: words of 64 bits, read in the order in which the headers put them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from cannery.aicore.core import Core
from cannery.isa import dtypes as d
from cannery.isa.dtypes import DataType
from cannery.isa.op import Op
from cannery.isa.operands import Addressing, Strides
from cannery.isa.tensors import Global, Local, Tensor

if TYPE_CHECKING:
    from cannery.ascendc.kernel import Kernel

ELEMENTS: Final[tuple[DataType, ...]] = (
    d.int8, d.uint8, d.int16, d.uint16, d.int32, d.uint32, d.int64, d.uint64, d.float16, d.bfloat16, d.float32,
    d.float64,
)  # fmt: skip
"""Element types by their number in the headers."""
_LOCAL: Final = 1
_COUNT: Final = 0
_WORDS: Final = 2
_WORD: Final = (1 << 64) - 1
_DOUBLE: Final = struct.Struct("d")
_INTEGER: Final = struct.Struct("q")


class Call:
    """One call: the core, the place in the program, and the words not yet read."""

    __slots__ = ("_at", "_words", "core", "kernel", "site")

    def __init__(self, kernel: Kernel, core: Core, site: Any, words: list[int]) -> None:
        self.kernel = kernel
        self.core = core
        self.site = site
        self._words = words
        self._at = 0

    def integer(self) -> int:
        """The next word."""
        word = self._words[self._at]
        self._at += 1
        return word

    def integers(self, count: int) -> list[int]:
        """The next words."""
        start = self._at
        self._at += count
        return self._words[start : self._at]

    def scalar(self, dtype: DataType) -> Any:
        """A number of an element type."""
        word = self.integer()
        return word if dtype.is_int() else _DOUBLE.unpack(_INTEGER.pack(word))[0]

    def text(self) -> str:
        """A string."""
        return self.kernel.text(self.integer())

    def dtype(self) -> DataType:
        """An element type."""
        return ELEMENTS[self.integer()]

    def tensor(self) -> Tensor:
        """A tensor in local or global memory."""
        kind, owner, address, code, size, position = self.integers(6)
        dtype = ELEMENTS[code]
        if kind == _LOCAL:
            found = self.kernel.local_owner(self.core, owner, position, address, size, self.site)
            return Local(found, address, dtype, size // dtype.size)
        return Global(self.kernel.global_owner(owner, size * dtype.size), address, dtype, size)

    def local(self) -> Local:
        """A tensor that the headers know to be local."""
        tensor = self.tensor()
        assert isinstance(tensor, Local)
        return tensor

    def globally(self) -> Global:
        """A tensor that the headers know to be in global memory."""
        tensor = self.tensor()
        assert isinstance(tensor, Global)
        return tensor

    def locals(self, op: Op) -> list[Local]:
        """The tensors of a row of the table, in its order."""
        return [self.local() for _ in op.tensors]

    def addressing(self, form: int, pairs: int) -> Addressing:
        """How the operands are addressed: a count, or a mask, repeats and ``pairs`` of strides."""
        if form == _COUNT:
            return Addressing(self.integer())
        mask: Any = self._mask() if form == _WORDS else self.integer() & _WORD
        repeats, set_mask = self.integers(2)
        return Addressing(None, mask, repeats, self.strides(pairs), bool(set_mask))

    def strides(self, pairs: int) -> tuple[Strides, ...]:
        """From block to block and from repeat to repeat, of so many operands."""
        return tuple((self.integer(), self.integer()) for _ in range(pairs))

    def _mask(self) -> list[int]:
        return [word & _WORD for word in self.integers(2)]


def result_word(value: Any, dtype: DataType) -> int:
    """An element as the word that goes back."""
    if dtype.is_int():
        return signed(int(value))
    word: int = _INTEGER.unpack(_DOUBLE.pack(float(value)))[0]
    return word


def signed(value: int) -> int:
    """The low 64 bits of an integer, as a signed word."""
    value &= _WORD
    return value - (1 << 64) if value >> 63 else value
