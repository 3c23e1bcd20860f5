"""Element types of instructions, the columns of the table: of dav-2201 (A2, A3) and of dav-3510 (950).

Sources: the page that a row of the table names, hicann/asc-devkit `docs/zh/api/SIMD-API/基础API` @82b89a15f263. On
dav-3510 most instructions have 8-bit and 64-bit elements only in the form with a count. Types that no array of the host
has (complex, 4-bit and 8-bit floating point) are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from cannery.isa import dtypes as d
from cannery.isa.dtypes import DataType
from cannery.isa.enums import CMPMODE, RoundMode
from cannery.isa.op import DAV_2201, DAV_3510, ByArch, Signature, Types, on_both, one_type

DataTypes = frozenset[DataType]

_HALF_AND_FLOAT: Final = frozenset({d.float16, d.float32})
_16: Final = frozenset({d.int16, d.uint16})
_32: Final = frozenset({d.int32, d.uint32})
_BYTES: Final = frozenset({d.int8, d.uint8})
_LONGS: Final = frozenset({d.int64, d.uint64})
_16_AND_32: Final = _16 | _32 | _HALF_AND_FLOAT | {d.bfloat16}
_ANY_SIZE: Final = _16_AND_32 | _BYTES | _LONGS | {d.float64}


class Column:
    """Types of one operand: of dav-2201, of dav-3510, and what dav-3510 adds in the form with a count."""

    __slots__ = ("counted", "first", "later")

    def __init__(self, first: Iterable[DataType], later: Iterable[DataType] = (), counted: Iterable[DataType] = ()):
        self.first: DataTypes = frozenset(first)
        self.later: DataTypes = frozenset(later) or self.first
        self.counted: DataTypes = frozenset(counted)

    def of(self, width: int) -> ByArch[Types]:
        """``width`` operands of one type."""
        later = one_type(width, self.later, counted=self.counted)
        return ByArch({DAV_2201: one_type(width, self.first), DAV_3510: later})


_SIGNED: Final = frozenset({d.int16, d.int32, d.float16, d.float32})

ADD: Final = Column(_SIGNED, _16_AND_32, _BYTES | _LONGS)
MUL: Final = Column(_SIGNED, _16_AND_32, _LONGS)
DIV: Final = Column(_HALF_AND_FLOAT, _16 | _32 | _HALF_AND_FLOAT, _LONGS)
WITH_SCALAR: Final = Column(_SIGNED, _SIGNED | {d.bfloat16}, _BYTES | _LONGS)
MULS: Final = Column(_SIGNED, _SIGNED | {d.bfloat16}, _LONGS)
BITS: Final = Column(_16, _16 | _32, _BYTES | _LONGS)
NOT: Final = Column(_16, _16 | _32 | _HALF_AND_FLOAT, _BYTES | _LONGS)
SHIFT: Final = Column(_16 | _32, _16 | _32, _BYTES | _LONGS)
FLOATING: Final = Column(_HALF_AND_FLOAT)
RECIPROCAL: Final = Column(_HALF_AND_FLOAT, counted=_LONGS)
ABS: Final = Column(_HALF_AND_FLOAT, _SIGNED, {d.int8, d.int64})
RELU: Final = Column({d.int32} | _HALF_AND_FLOAT, counted={d.int64})
ADD_RELU: Final = Column({d.int16} | _HALF_AND_FLOAT, counted=_LONGS)
FUSED: Final = Column(_HALF_AND_FLOAT, _HALF_AND_FLOAT | {d.bfloat16}, _LONGS)
FUSED_RELU: Final = Column(_HALF_AND_FLOAT, counted=_LONGS)

DUPLICATE: Final = Column(_16_AND_32, counted=_BYTES | _LONGS)
BROADCAST: Final = Column(_16_AND_32, _16_AND_32 | _BYTES | _LONGS)
COPY: Final = BROADCAST
GATHER: Final = Column(_16_AND_32, _16_AND_32 | _LONGS, _BYTES)
TRANSPOSE: Final = Column(_16 | {d.float16})
MOVE: Final = Column(_ANY_SIZE)
GATHER_BLOCKS: Final = Column({d.uint16, d.uint32}, _16_AND_32 | _BYTES | _LONGS)
TRANSPOSED_TILE: Final = Column({d.uint16}, _16 | {d.float16})
"""Of the form with parameters."""
TRANSPOSED_IMAGES: Final = Column(_BYTES | _16 | _32 | _HALF_AND_FLOAT, _BYTES | _16_AND_32)
TO_FIVE_DIMS: Final = Column(_BYTES | _16 | _32 | _HALF_AND_FLOAT, _BYTES | _16_AND_32)
HALF: Final = Column({d.float16})

REDUCED_BLOCKS: Final = Column(_HALF_AND_FLOAT)
BEST_OF_REPEAT: Final = Column(_HALF_AND_FLOAT, _16 | _32 | _HALF_AND_FLOAT)
SUM_OF_TENSOR: Final = Column(_HALF_AND_FLOAT, _32 | _HALF_AND_FLOAT, _LONGS)
BEST_OF_TENSOR: Final = Column(_HALF_AND_FLOAT, _16 | _32 | _HALF_AND_FLOAT, _LONGS)

ATOMIC: Final = on_both(one_type(1, {d.int8, d.int16, d.int32, d.float16, d.bfloat16, d.float32}))


def _nothing_but(later: Types) -> ByArch[Types]:
    """An instruction that dav-2201 has not."""
    return ByArch({DAV_2201: Types({}), DAV_3510: later})


SCATTER: Final = _nothing_but(one_type(2, _16_AND_32 | _LONGS, counted=_BYTES))
NOWHERE: Final = on_both(Types({}))
"""An instruction of older chips."""
_BITS_OF: Final = {1: d.uint8, 2: d.uint16, 4: d.uint32}


def _packed(types: Iterable[DataType]) -> Types:
    """dst and src0, or dst, src0 and a pattern of the same width."""
    each = [(dtype, dtype) for dtype in types]
    return Types(dict.fromkeys([*each, *((*pair, _BITS_OF[pair[0].size]) for pair in each)], frozenset()))


PACKED: Final = ByArch({DAV_2201: _packed(_16_AND_32), DAV_3510: _packed(_16_AND_32 | _BYTES)})


def _pairs(*signatures: Signature) -> dict[Signature, frozenset[int]]:
    return dict.fromkeys(signatures, frozenset())


_AXPY: Final = _pairs((d.float16, d.float16), (d.float32, d.float32), (d.float32, d.float16))
AXPY: Final = ByArch(
    {
        DAV_2201: Types(_AXPY),
        DAV_3510: Types(
            {**_AXPY, **_pairs((d.bfloat16, d.bfloat16))}, _pairs((d.int64, d.int64), (d.uint64, d.uint64))
        ),
    }
)
"""dst and src: a float destination takes half sources."""
SUM_OF_REPEAT: Final = ByArch(
    {
        DAV_2201: one_type(2, _HALF_AND_FLOAT),
        DAV_3510: Types(
            {
                **one_type(2, _32 | _HALF_AND_FLOAT).modes,
                **_pairs((d.int32, d.int16), (d.uint32, d.uint16)),
            }
        ),
    }
)
"""dst and src: dav-3510 adds 16-bit integers into 32-bit ones."""

_ALL: Final[frozenset[int]] = frozenset(CMPMODE)
_EQUALITY: Final[frozenset[int]] = frozenset({CMPMODE.EQ})


def _comparable(types: Iterable[DataType], only_equal: Iterable[DataType], counted: Iterable[DataType] = ()) -> Types:
    modes = {**one_type(2, types, _ALL).modes, **one_type(2, only_equal, _EQUALITY).modes}
    return Types(modes, one_type(2, counted, _ALL).modes)


_EVERY: Final = _16_AND_32
COMPARABLE: Final = ByArch(
    {
        DAV_2201: _comparable(_HALF_AND_FLOAT, {d.int32}),
        DAV_3510: _comparable(_EVERY, (), _BYTES | _LONGS | {d.float64}),
    }
)
"""Types of the two sides of a comparison, with the relations."""
COMPARABLE_WITH_SCALAR: Final = ByArch(
    {
        DAV_2201: _comparable(_HALF_AND_FLOAT, {d.int32}),
        DAV_3510: Types(
            _comparable(_EVERY, ()).modes,
            {**_comparable((), (), _BYTES | _LONGS).modes, (d.float64, d.float64): _EQUALITY},
        ),
    }
)
_MUL_CAST: Final = _pairs((d.int8, d.float16, d.float16), (d.uint8, d.float16, d.float16))
_RELU_CAST: Final = _pairs(
    (d.int8, d.float16, d.float16), (d.int8, d.int16, d.int16), (d.float16, d.float32, d.float32)
)
_TO_FLOAT: Final = (d.float32, d.int64, d.int64)
_TO_INT32: Final = (d.int32, d.int64, d.int64)
MUL_CAST: Final = ByArch({DAV_2201: Types(_MUL_CAST), DAV_3510: Types(_MUL_CAST, _pairs(_TO_FLOAT, _TO_INT32))})
RELU_CAST: Final = ByArch(
    {DAV_2201: Types(_RELU_CAST), DAV_3510: Types({**_RELU_CAST, **_pairs(_TO_FLOAT)}, _pairs(_TO_INT32))}
)
DEQUANTISED_SUM: Final = on_both(Types(_pairs((d.float16, d.int32, d.int32))))
DEQUANTISED: Final = on_both(Types(_pairs((d.float16, d.int32), (d.int8, d.int16), (d.uint8, d.int16))))
COMPARED: Final = _BYTES
"""Where a comparison puts its bits."""
SELECTORS: Final = frozenset({d.uint8, d.uint16, d.uint32, d.uint64})
"""Where select reads its bits."""


def _selectable(types: Iterable[DataType], counted: Iterable[DataType] = ()) -> Types:
    both = (one_type(width, types, counted=counted) for width in (2, 3))
    found: dict[Signature, frozenset[int]] = {}
    only: dict[Signature, frozenset[int]] = {}
    for one in both:
        found |= {key: modes for key, modes in one.modes.items() if key not in one.counted}
        only |= dict.fromkeys(one.counted, frozenset())
    return Types(found, only)


SELECTABLE: Final = ByArch({DAV_2201: _selectable(_HALF_AND_FLOAT), DAV_3510: _selectable(_EVERY, _BYTES | _LONGS)})
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
        (d.int32, d.float16): _ANY,  # through the dequantisation scale, whatever the mode
        (d.int64, d.float32): _DIRECTED,
        (d.bfloat16, d.float32): _NONE,
        (d.float32, d.bfloat16): _DIRECTED,
        (d.bfloat16, d.int32): _DIRECTED,
    }
)
"""Rounding modes by source and destination, on dav-2201."""
_CASTS_3510: Final = MappingProxyType(
    {
        **_CASTS,
        (d.int8, d.int16): _NONE,
        (d.int8, d.int32): _NONE,
        (d.uint8, d.uint16): _NONE,
        (d.uint8, d.uint32): _NONE,
        (d.int16, d.uint8): _NONE,
        (d.int16, d.float16): _DIRECTED,
        (d.int16, d.int32): _NONE,
        (d.int16, d.uint32): _NONE,
        (d.uint16, d.uint8): _NONE,
        (d.uint16, d.uint32): _NONE,
        (d.float16, d.int8): _DIRECTED,
        (d.float16, d.uint8): _DIRECTED,
        (d.float16, d.bfloat16): _DIRECTED,
        (d.bfloat16, d.float16): _DIRECTED,
        (d.int32, d.uint8): _NONE,
        (d.int32, d.uint16): _NONE,
        (d.int32, d.float32): _DIRECTED,
        (d.uint32, d.uint8): _NONE,
        (d.uint32, d.int16): _NONE,
        (d.uint32, d.uint16): _NONE,
        (d.int64, d.float64): _DIRECTED,
        (d.float64, d.bfloat16): _DIRECTED,
        (d.float64, d.float32): _DIRECTED,
        (d.float64, d.int32): frozenset({_R.CAST_TRUNC}),
        (d.float64, d.int64): frozenset({_R.CAST_TRUNC}),
    }
)
CONVERTIBLE: Final = ByArch(
    {
        arch: Types({(target, source): modes for (source, target), modes in casts.items()})
        for arch, casts in ((DAV_2201, _CASTS), (DAV_3510, _CASTS_3510))
    }
)

LOAD: Final = Column(_BYTES | _16 | _32 | _HALF_AND_FLOAT | {d.bfloat16})
FILLING: Final = Column(_16 | _32 | _HALF_AND_FLOAT | {d.bfloat16})
LOAD_TRANSPOSED: Final = Column(_BYTES | _32 | _HALF_AND_FLOAT | {d.bfloat16})


def _products(*signatures: Signature) -> dict[Signature, frozenset[int]]:
    """dst, fm, filter; with a bias of the destination's type as well."""
    return _pairs(*signatures, *((*signature, signature[0]) for signature in signatures))


PRODUCT: Final = on_both(
    Types(
        _products(
            (d.float32, d.float16, d.float16), (d.float32, d.bfloat16, d.bfloat16), (d.float32, d.float32, d.float32),
            (d.int32, d.int8, d.int8),
        )
    )
)  # fmt: skip
"""Of L0C, L0A and L0B, and of the bias table. 4-bit and 8-bit floating point are left out."""
LOAD_SPARSE: Final = ByArch({DAV_2201: Types(_pairs((d.int8, d.int8, d.uint8))), DAV_3510: Types({})})
SPARSE_PRODUCT: Final = ByArch({DAV_2201: Types(_pairs((d.int32, d.int8, d.int8))), DAV_3510: Types({})})
_DRAINED: Final = _pairs(
    *((to, d.float32) for to in (d.int8, d.uint8, d.float16, d.bfloat16, d.float32)),
    *((to, d.int32) for to in (d.int8, d.uint8, d.float16, d.int32)),
)  # fmt: skip
DRAINED: Final = ByArch({DAV_2201: Types(_DRAINED), DAV_3510: Types({**_DRAINED, **_pairs((d.bfloat16, d.int32))})})
"""What leaves L0C, and what it is there."""
