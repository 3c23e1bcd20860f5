"""Element types of instructions, the columns of the table.

Sources: hicann/asc-devkit docs, Memory vector calculation, comparison and selection, Cast, @82b89a15f263; bfloat16 as
in Ascend C.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from cannery.isa import dtypes as d
from cannery.isa.enums import CMPMODE, RoundMode
from cannery.isa.op import Types, one_type

ARITHMETIC: Final = frozenset({d.int16, d.int32, d.float16, d.float32, d.bfloat16})
FLOATING: Final = frozenset({d.float16, d.float32, d.bfloat16})
BITS: Final = frozenset({d.int16, d.uint16})
SHIFTABLE: Final = frozenset({d.int16, d.uint16, d.int32, d.uint32})
RECTIFIABLE: Final = FLOATING | {d.int16, d.int32}
REDUCIBLE: Final = frozenset({d.float16, d.float32})

ATOMIC: Final = frozenset({d.int8, d.int16, d.int32, d.float16, d.float32})

_ALL: Final = frozenset(CMPMODE)
COMPARABLE: Final = Types(
    {
        (d.float16, d.float16): _ALL,
        (d.float32, d.float32): _ALL,
        (d.int32, d.int32): frozenset({CMPMODE.EQ}),
    }
)
"""Types of the two sides of a comparison, with the relations."""

SELECTABLE: Final = Types({**one_type(2, REDUCIBLE).modes, **one_type(3, REDUCIBLE).modes})
"""With a scalar, or with two tensors to select from."""

_R = RoundMode
_DIRECTED: Final = frozenset({_R.CAST_RINT, _R.CAST_FLOOR, _R.CAST_CEIL, _R.CAST_ROUND, _R.CAST_TRUNC})
_NONE: Final = frozenset({_R.CAST_NONE})
_ANY: Final = _DIRECTED | _NONE

_CASTS: Final = MappingProxyType(
    {
        (d.int8, d.float16): _NONE,
        (d.uint8, d.float16): _NONE,
        (d.int16, d.float16): _ANY,
        (d.int16, d.float32): _NONE,
        (d.float16, d.float32): _NONE,
        (d.float16, d.int8): _ANY,
        (d.float16, d.uint8): _ANY,
        (d.float16, d.int16): _DIRECTED,
        (d.float16, d.int32): _DIRECTED,
        (d.float32, d.float16): _ANY | {_R.CAST_ODD},
        (d.float32, d.float32): _DIRECTED,
        (d.float32, d.int16): _DIRECTED,
        (d.float32, d.int32): _DIRECTED,
        (d.float32, d.int64): _DIRECTED,
        (d.int32, d.float32): _ANY,
        (d.int32, d.int16): _NONE,
        (d.int32, d.int64): _NONE,
        (d.int64, d.int32): _NONE,
        (d.int32, d.float16): _ANY,
        (d.int64, d.float32): _DIRECTED,
        (d.bfloat16, d.float32): _NONE,
        (d.float32, d.bfloat16): _DIRECTED,
        (d.bfloat16, d.int32): _DIRECTED,
    }
)
"""Rounding modes by source and destination; int32 → half goes through the dequantisation scale."""
CONVERTIBLE: Final = Types({(target, source): modes for (source, target), modes in _CASTS.items()})
