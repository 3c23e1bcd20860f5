"""Input data: deterministic, in chunks, fast.

The rules are those of ops-test-kit (`ttk/utilities/data.py`): range [-2, 2] unless the row gives one, min == max fills
a constant, both bounds and further listed values occur, a range over all finite values of a float draws the exponent
uniformly. ATB draws from [low, high); bounds that are not finite, which give nothing but NaN in the original, are drawn
here together with finite values of every exponent, so that such rows test something.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from types import MappingProxyType
from zipfile import is_zipfile

import numpy as np
import torch

from cannery.core import DataType, Shape, Tensor
from cannery.st.case import Data, Fill, Number, TensorSpec

DEFAULT_LOW, DEFAULT_HIGH = -2, 2
# Small enough for PyTorch to convert a piece without waking its threads, which costs more than the conversion.
CHUNK = 1 << 14
# One element in so many is a bound or another value that has to occur, and each occurs at least once.
SPECIAL_SHARE = 64
MOST_SPECIALS = 1 << 16


class DataError(ValueError):
    """The data of an input cannot be made; the message says why."""


def generator(seed: int, case_name: str, index: int) -> np.random.Generator:
    """The random numbers of one input of one row: they depend on seed, name and input alone, not on what else runs."""
    digest = hashlib.sha256(f"{seed}\0{case_name}\0{index}".encode()).digest()
    return np.random.Generator(np.random.SFC64(int.from_bytes(digest, "little")))


def make_tensor(spec: TensorSpec, rng: np.random.Generator) -> Tensor:
    """An input's data in host memory.

    Raises:
        DataError: PyTorch has no such data type, or the file does not fit the tensor.
    """
    desc = spec.desc
    try:
        dtype = desc.dtype.torch
    except ValueError as failure:
        raise DataError(str(failure)) from None
    if spec.data.file is not None:
        return Tensor(read_file(spec.data.file, desc.dtype, desc.shape), desc.format)
    flat = torch.empty(prod(desc.shape), dtype=dtype)
    _fill(flat, spec.data, rng)
    return Tensor(flat.view(tuple(desc.shape)), desc.format)


def read_file(path: Path, dtype: DataType, shape: Shape) -> torch.Tensor:
    """A tensor from a file: NumPy's .npy, PyTorch's .pt, or raw bytes in element order.

    Raises:
        DataError: it is damaged, or holds another number of elements; it is not read further then.
    """
    read, kind = _READERS.get(path.suffix, (_raw, "bytes of the elements"))
    try:
        found = read(path, dtype, prod(shape))
    except DataError:
        raise
    except Exception as failure:  # whatever a damaged file makes its reader raise
        raise DataError(f"{path}: found {type(failure).__name__}: {failure}, expected {kind}") from None
    return found.to(dtype.torch).view(tuple(shape))


def _raw(path: Path, dtype: DataType, count: int) -> torch.Tensor:
    size = path.stat().st_size
    if dtype.itemsize == 0 or size % dtype.itemsize:
        raise DataError(f"{path}: found {size} bytes, expected a multiple of {dtype.itemsize}, for {dtype.short}")
    _check_elements(path, size // dtype.itemsize, dtype, count)
    return torch.from_numpy(np.fromfile(path, np.uint8)).view(dtype.torch)


def _npy(path: Path, dtype: DataType, count: int) -> torch.Tensor:
    mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(mapped, np.ndarray):
        raise DataError(f"{path}: found an archive of arrays, expected one array")
    _check_elements(path, mapped.size, dtype, count)
    return Tensor.of(np.array(mapped)).torch.contiguous().view(-1)


def _pt(path: Path, dtype: DataType, count: int) -> torch.Tensor:
    loaded = torch.load(str(path), map_location="cpu", weights_only=True, mmap=is_zipfile(path))
    if not isinstance(loaded, torch.Tensor):
        raise DataError(f"{path}: found {type(loaded).__name__}, expected a tensor")
    _check_elements(path, loaded.numel(), dtype, count)
    return loaded.clone().contiguous().view(-1)


def _check_elements(path: Path, found: int, dtype: DataType, expected: int) -> None:
    if found != expected:
        raise DataError(f"{path}: found {found} elements of {dtype.short}, expected {expected}")


_FileReader = Callable[[Path, DataType, int], torch.Tensor]
_READERS: Mapping[str, tuple[_FileReader, str]] = MappingProxyType(
    {
        ".npy": (_npy, "an array of NumPy"),
        ".pt": (_pt, "a tensor that torch.save wrote"),
        ".pth": (_pt, "a tensor that torch.save wrote"),
    }
)


def _fill(flat: torch.Tensor, data: Data, rng: np.random.Generator) -> None:
    constant = {Fill.ONE: 1, Fill.ZERO: 0}.get(data.fill)
    if constant is not None:
        flat.fill_(constant)
    elif flat.dtype.is_complex:
        _fill(torch.view_as_real(flat).view(-1), data, rng)
    elif flat.dtype == torch.bool:
        _fill_integers(flat.view(torch.uint8), data, rng, 0, 1)
    elif flat.dtype.is_floating_point:
        _fill_floats(flat, data, rng)
    else:
        info = torch.iinfo(flat.dtype)
        _fill_integers(flat, data, rng, info.min, info.max)


def _bounds(data: Data) -> tuple[Number, Number]:
    """The range, with the default for what is not given; a default never crosses a given bound."""
    low = min(DEFAULT_LOW, data.high if data.high is not None else 0) if data.low is None else data.low
    high = max(DEFAULT_HIGH, low) if data.high is None else data.high
    return low, high


def _fill_integers(flat: torch.Tensor, data: Data, rng: np.random.Generator, least: int, most: int) -> None:
    low, high = _bounds(data)
    if math.isnan(low) or math.isnan(high):
        low = high = 0
    first, last = _whole(low, least, most, math.ceil), _whole(high, least, most, math.floor)
    is_open = data.fill is Fill.HALF_OPEN and last == high and last > first
    values = flat.numpy()
    for start in range(0, values.size, CHUNK):
        part = values[start : start + CHUNK]
        part[:] = rng.integers(first, max(last - is_open, first), part.size, values.dtype, endpoint=True)
    specials = [first, last] if data.fill is Fill.UNIFORM else []
    must = [_whole(value, least, most) for value in data.must_occur]
    _mix_in(flat, [*specials, *must], first == last, rng)


def _whole(value: Number, least: int, most: int, rounding: Callable[[Number], int] = int) -> int:
    """The integer for a bound or value, within what the type holds."""
    if not math.isfinite(value):
        return most if value > 0 else least if value < 0 else 0
    return min(max(rounding(value), least), most)


def _fill_floats(flat: torch.Tensor, data: Data, rng: np.random.Generator) -> None:
    low, high = _bounds(data)
    finfo = torch.finfo(flat.dtype)
    specials: list[Number] = [low, high] if data.fill is Fill.UNIFORM else []
    if math.isnan(low) or math.isnan(high) or low == high:
        flat.fill_(math.nan if math.isnan(low) or math.isnan(high) else low)
    elif low <= finfo.min and high >= finfo.max:
        _fill_bits(flat, rng)
    else:
        _fill_uniform(flat, max(low, finfo.min), min(high, finfo.max), data.fill is Fill.HALF_OPEN, rng)
    infinite = [bound for bound in (low, high) if math.isinf(bound)] if not specials else []
    finite = [min(max(bound, finfo.min), finfo.max) if math.isfinite(bound) else bound for bound in specials]
    _mix_in(flat, [*finite, *infinite, *data.must_occur], low == high, rng)


def _fill_uniform(flat: torch.Tensor, low: float, high: float, is_open: bool, rng: np.random.Generator) -> None:
    """Chunks of single precision (double for double), rounded to the type of the tensor."""
    working = np.dtype(np.float64 if flat.dtype == torch.float64 else np.float32)
    chunk = np.empty(min(CHUNK, flat.numel()), working)
    ends = np.array([low, high], working)
    with np.errstate(over="ignore"):
        span = ends[1] - ends[0]
    for start in range(0, flat.numel(), CHUNK):
        part = chunk[: min(CHUNK, flat.numel() - start)]
        rng.random(out=part, dtype=working)
        # A span that overflows is halved first.
        part *= span if np.isfinite(span) else ends[1] / 2 - ends[0] / 2
        part += ends[0] if np.isfinite(span) else ends[0] / 2
        part *= 1 if np.isfinite(span) else 2
        rounded = torch.from_numpy(part).to(flat.dtype)
        if is_open:
            # Rounding to fewer bits may reach the open end.
            rounded = torch.where(rounded.to(torch.float64) >= high, torch.tensor(low).to(flat.dtype), rounded)
        flat[start : start + part.size] = rounded


def _fill_bits(flat: torch.Tensor, rng: np.random.Generator) -> None:
    """Random bits: sign, exponent and mantissa uniform. An exponent that means inf or nan loses its last bit."""
    kind, mantissa_bits, exponent_bits = _BITS[flat.dtype]
    exponent = kind.type((1 << exponent_bits) - 1) << kind.type(mantissa_bits)
    lowest = kind.type(1 << mantissa_bits)
    values = flat.view(_SIGNED[kind.itemsize]).numpy().view(kind)
    for start in range(0, values.size, CHUNK):
        part = values[start : start + CHUNK]
        part[:] = rng.integers(0, np.iinfo(kind).max, part.size, kind, endpoint=True)
        part[(part & exponent) == exponent] ^= lowest


def _mix_in(flat: torch.Tensor, specials: list[Number], is_constant: bool, rng: np.random.Generator) -> None:
    """Put each special value at random places; a constant is there already."""
    specials = specials[2:] if is_constant else specials
    if not specials or flat.numel() == 0:
        return
    count = min(flat.numel(), max(len(specials), min(flat.numel() // SPECIAL_SHARE, MOST_SPECIALS)))
    places = rng.choice(flat.numel(), count, replace=False)
    values = torch.tensor([specials[index % len(specials)] for index in range(len(places))], dtype=_carrier(flat.dtype))
    bits = _SIGNED[flat.itemsize]
    # By bits, as PyTorch cannot assign by index in every type.
    flat.view(bits).numpy()[places] = values.to(flat.dtype).view(bits).numpy()


def _carrier(dtype: torch.dtype) -> torch.dtype:
    """A type that holds the values of another and that PyTorch can make from a list."""
    return torch.float64 if dtype.is_floating_point else dtype


_SIGNED: Mapping[int, torch.dtype] = MappingProxyType({1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64})
_Layout = tuple[np.dtype, int, int]
_BITS: Mapping[torch.dtype, _Layout] = MappingProxyType(
    {
        torch.float64: (np.dtype(np.uint64), 52, 11),
        torch.float32: (np.dtype(np.uint32), 23, 8),
        torch.float16: (np.dtype(np.uint16), 10, 5),
        torch.bfloat16: (np.dtype(np.uint16), 7, 8),
        torch.float8_e5m2: (np.dtype(np.uint8), 2, 5),
        torch.float8_e4m3fn: (np.dtype(np.uint8), 3, 4),
        torch.float8_e8m0fnu: (np.dtype(np.uint8), 0, 8),
    }
)
