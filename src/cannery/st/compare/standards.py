"""Thresholds of the standards, as data.

Sources: hicann/ops-test-kit `ttk/core_modules/comparison/resolve.py` @04df8284,
`docs/Precision_Comparison.md` @36750932; hicann/opbase `docs/zh/ops_precision_standard/commercial_standard.md`
@3e629665 (cross_check); ascend-transformer-boost
`tests/framework/python/CsvOpsTestTool` @ddcc8b6 (op types).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from cannery.core import DataType

_T = DataType


class Mixed(NamedTuple):
    """mix_tolerance: relative and absolute tolerance of an element, limit of the largest error."""

    rtol: float
    atol: float
    limit: float


class Level(NamedTuple):
    """cross_check: how many times the third party's error is allowed."""

    mare: float
    mere: float
    rmse: float


class Small(NamedTuple):
    """cross_check: below which magnitude a value is small, and the absolute error a small value may have."""

    value: float
    atol: float


# The names on the right are what an asset or a command line may say for the standard on the left.
ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "bin": "binary_equal",
        "binary": "binary_equal",
        "mixed": "mix_tolerance",
        "close": "isclose",
    }
)
NAMES = (
    "binary_equal", "mix_tolerance", "stat_rel_err", "isclose", "cosine", "requant", "quant", "cross_check",
)  # fmt: skip
# What a TestSpec may ask for; the others are for the command line.
SPEC_NAMES = ("stat_rel_err", "binary_equal", "cross_check", "quant", "mix_tolerance", "mixed")
DEFAULT = "mix_tolerance"

MATCHED_RATIO = 0.99
MIX_DEFAULT = Mixed(2**-10, 2**-16, 0.01)
MIX_TOLERANCE: Mapping[DataType, Mixed] = MappingProxyType(
    {
        _T.DT_FLOAT16: Mixed(2**-9, 2**-9, 0.1),
        _T.DT_BF16: Mixed(2**-6, 2**-6, 1.0),
        _T.DT_FLOAT: MIX_DEFAULT,
        _T.DT_FLOAT8_E4M3FN: Mixed(2**-2, 2**-4, 4.0),
        _T.DT_FLOAT8_E5M2: Mixed(2**-1, 2**-3, 8.0),
    }
)

STAT_DEFAULT = 2**-13
STAT_REL_ERR: Mapping[DataType, float] = MappingProxyType(
    {
        _T.DT_FLOAT16: 2**-10,
        _T.DT_BF16: 2**-7,
        _T.DT_FLOAT: 2**-13,
        _T.DT_FLOAT8_E4M3FN: 2**-3,
        _T.DT_FLOAT8_E5M2: 2**-2,
    }
)
# MARE may be this many times the threshold of MERE; the constant keeps a golden of 0 from dividing by it.
MARE_FACTOR = 10
REL_EPSILON = 1e-7

LOW_PRECISION = (_T.DT_FLOAT16, _T.DT_BF16, _T.DT_COMPLEX32)
ISCLOSE_LOW, ISCLOSE_HIGH, ISCLOSE_ATOL = 1e-3, 1e-4, 1e-8
COSINE = 0.01
REQUANT_PTOL = 1e-3

CROSS_LEVEL = "L1"
CROSS_LEVELS: Mapping[str, Level] = MappingProxyType(
    {"L0": Level(10, 2, 2), "L1": Level(5, 1.5, 1.5), "L2": Level(2, 1.2, 1.2)}
)
CROSS_SMALL: Mapping[DataType, Small] = MappingProxyType(
    {
        _T.DT_FLOAT16: Small(2**-11, 2**-16),
        _T.DT_BF16: Small(2**-8, 2**-16),
        _T.DT_FLOAT: Small(2**-14, 2**-30),
    }
)
CROSS_SMALL_RATIO = 2

# ATB's "new" standard: |out - golden| <= threshold * max(1, |golden|) for every element; 0 is equality. The thresholds
# of a type hold from so many accumulations on.
Steps = tuple[tuple[int, float], ...]
_EXACT: Mapping[DataType, Steps] = MappingProxyType({})
ATB_OP_TYPES: Mapping[str, Mapping[DataType, Steps]] = MappingProxyType(
    {
        "MOVE": _EXACT,
        "CAST": _EXACT,
        "COMPUTE_INTEGER": _EXACT,
        "COMPUTE_FLOAT": MappingProxyType(
            {
                _T.DT_FLOAT16: ((0, 2**-8), (2048, 2**-7)),
                _T.DT_BF16: ((0, 2**-7), (2048, 2**-6)),
                _T.DT_FLOAT: ((0, 2**-11), (2048, 2**-10), (16384, 2**-9)),
            }
        ),
        "VECTOR_FUSION": MappingProxyType(
            {_T.DT_FLOAT16: ((0, 2**-9),), _T.DT_BF16: ((0, 2**-7),), _T.DT_FLOAT: ((0, 2**-12),)}
        ),
    }
)
