"""What fixpipe does to numbers on their way out of L0C
(mirror-cann/asc-devkit docs, quantisation and ReLU on the way, @82b89a15f).

A quantisation word: bits 31 to 13 the scale, a float32 without the last 13 bits; bits 35 to 32 a shift, less one, and
bit 36 whether to shift; bits 45 to 37 a signed offset; bit 46 whether the result is signed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.isa import dtypes as d
from cannery.isa.dtypes import DataType
from cannery.isa.enums import QuantModes

Array = np.ndarray[Any, Any]
_Q = QuantModes

VECTOR: Final = frozenset({_Q.VDEQF16, _Q.VQF322B8_PRE, _Q.VREQ8})
"""Modes with a word for each column."""
_BYTES: Final = frozenset({d.int8, d.uint8})
RESULTS: Final[Mapping[tuple[QuantModes, DataType], frozenset[DataType]]] = MappingProxyType(
    {
        (_Q.NoQuant, d.float32): frozenset({d.float32}),
        (_Q.NoQuant, d.int32): frozenset({d.int32}),
        (_Q.F322F16, d.float32): frozenset({d.float16}),
        (_Q.F322BF16, d.float32): frozenset({d.bfloat16}),
        (_Q.DEQF16, d.int32): frozenset({d.float16}),
        (_Q.VDEQF16, d.int32): frozenset({d.float16}),
        (_Q.QF322B8_PRE, d.float32): _BYTES,
        (_Q.VQF322B8_PRE, d.float32): _BYTES,
        (_Q.REQ8, d.int32): _BYTES,
        (_Q.VREQ8, d.int32): _BYTES,
    }
)
"""Result types by mode and type in L0C."""


class Words(NamedTuple):
    """Quantisation words, taken apart; one, or one a column."""

    scale: Array
    shift: Array
    offset: Array
    signed: Array

    @classmethod
    def of(cls, words: Any) -> Words:
        """From 64-bit words."""
        word = np.atleast_1d(np.asarray(words, np.uint64))
        scale = (word & np.uint64(0xFFFFE000)).astype(np.uint32).view(np.float32)
        shift = np.where(_field(word, 36, 1) == 1, _field(word, 32, 4) + 1, 0)
        offset = _field(word, 37, 9)
        return cls(scale, shift, np.where(offset > 255, offset - 512, offset), _field(word, 46, 1) == 1)


def _field(word: Array, start: int, bits: int) -> Array:
    return ((word >> np.uint64(start)) & np.uint64((1 << bits) - 1)).astype(np.int64)


def convert(values: Array, mode: QuantModes, words: Array | int, *, relu: bool) -> Array:
    """Numbers of L0C as they leave it; columns last. ``words``: one quantisation word, or one a column."""
    return _CONVERSIONS[mode](np.maximum(values, 0) if relu else values, words)


def _as_they_are(values: Array, words: Any) -> Array:
    return values


def _to_half(values: Array, words: Any) -> Array:
    return values.astype(np.float16)


def _to_bfloat(values: Array, words: Any) -> Array:
    return values.astype(d.bfloat16.numpy)


def _dequantise(values: Array, words: Any) -> Array:
    word = Words.of(words)
    return (_shifted(values, word) * word.scale).astype(np.float16)


def _requantise(values: Array, words: Any) -> Array:
    word = Words.of(words)
    return _to_bytes(_shifted(values, word) * word.scale, word)


def _quantise(values: Array, words: Any) -> Array:
    word = Words.of(words)
    return _to_bytes(values * word.scale, word)


def _shifted(values: Array, word: Words) -> Array:
    """int32 as float32; where the word says so it is shifted first, and saturates to 16 bits."""
    if not word.shift.any():
        return values.astype(np.float32)
    limits = np.iinfo(np.int16)
    narrow = (values >> word.shift).clip(limits.min, limits.max)
    return np.where(word.shift > 0, narrow, values).astype(np.float32)


def _to_bytes(scaled: Array, word: Words) -> Array:
    whole = np.rint(np.nan_to_num(scaled, nan=0.0).clip(-256, 255)).astype(np.int64) + word.offset
    low, high = np.where(word.signed, -128, 0), np.where(word.signed, 127, 255)
    return whole.clip(low, high).astype(np.int16).astype(np.uint8)


_CONVERSIONS: Final[Mapping[QuantModes, Callable[[Array, Any], Array]]] = MappingProxyType(
    {
        _Q.NoQuant: _as_they_are, _Q.F322F16: _to_half, _Q.F322BF16: _to_bfloat, _Q.DEQF16: _dequantise,
        _Q.VDEQF16: _dequantise, _Q.QF322B8_PRE: _quantise, _Q.VQF322B8_PRE: _quantise, _Q.REQ8: _requantise,
        _Q.VREQ8: _requantise,
    }
)  # fmt: skip
