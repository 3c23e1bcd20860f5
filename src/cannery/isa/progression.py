"""Lanes that are numbered: CreateVecIndex and Arange (hicann/asc-devkit docs, 基础API and 高阶API, @82b89a15f263)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.isa import dtypes as d
from cannery.isa import limits
from cannery.isa.op import DAV_2201, DAV_3510, SCALAR, ByArch, Op, one_type
from cannery.isa.operands import Addressing, counted, lanes, pattern_of, stretch
from cannery.isa.tensors import Local
from cannery.isa.vector import elementwise

_INDEXED: Final = frozenset({d.int16, d.float16, d.int32, d.float32})
_INDEX: Final = Op(
    "create_vec_index", "index", ("dst", SCALAR),
    types=ByArch({DAV_2201: one_type(1, _INDEXED), DAV_3510: one_type(1, _INDEXED | {d.int8, d.int64})}),
    limits=limits.UNARY, page="CreateVecIndex",
)  # fmt: skip
_ARANGE: Final = Op(
    "arange", "index", ("dst", SCALAR, SCALAR),
    types=ByArch({DAV_2201: one_type(1, _INDEXED), DAV_3510: one_type(1, _INDEXED | {d.int64})}), page="Arange",
)  # fmt: skip


def number_lanes(core: Core, site: Site | None, dst: Local, first: Any, addressing: Addressing) -> None:
    """``dst[i] = first + i``; under a mask ``i`` counts the lanes of all repeats, masked ones too."""
    _INDEX.check_types(core, (dst.dtype,), counted=addressing.elements is not None)
    size = dst.dtype.size
    if addressing.elements is not None:
        region, places = stretch(counted(_INDEX, addressing), size), None
    else:
        _INDEX.check_strides(core, _INDEX.tensors, addressing.strides)
        pattern = pattern_of(core, _INDEX, addressing, size)
        region = lanes(pattern, size, size, *addressing.strides[0])
        places = lanes(pattern, size, size, 1, 256 // 32).offsets
    numbers = np.arange(region.number) if places is None else places
    values = (numbers + dst.dtype.element(first)).astype(dst.dtype.numpy)
    elementwise(core, site, _INDEX, lambda: values, (dst, region), [])


def progress(core: Core, site: Site | None, dst: Local, first: Any, difference: Any, count: int) -> None:
    """``dst[i] = first + i · difference``."""
    _ARANGE.check_types(core, (dst.dtype,))
    step = dst.dtype.element(difference)
    values = (np.arange(count) * step + dst.dtype.element(first)).astype(dst.dtype.numpy)
    elementwise(core, site, _ARANGE, lambda: values, (dst, stretch(count, dst.dtype.size)), [])
