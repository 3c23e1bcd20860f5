"""Which standard judges an output: the data type may decide, then the command line, then the TestSpec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from cannery.core import DataType
from cannery.st.compare.standards import ALIASES, DEFAULT, NAMES, SPEC_NAMES
from cannery.st.compare.verdict import StandardError

_COMPLEX = (DataType.DT_COMPLEX32, DataType.DT_COMPLEX64, DataType.DT_COMPLEX128)
_BITS_ONLY = (DataType.DT_FLOAT4_E2M1, DataType.DT_FLOAT4_E1M2, DataType.DT_FLOAT8_E8M0)
_PARAMETERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "stat_rel_err": ("threshold",),
        "mix_tolerance": ("rtol", "atol", "limit"),
        "cross_check": ("level", "small_value", "small_value_atol"),
        "quant": ("ptol",),
    }
)


@dataclass(frozen=True)
class Tolerance:
    """A standard and the parameters that its table does not give."""

    standard: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def standard_name(name: str) -> str:
    """The standard of that name or alias.

    Raises:
        StandardError: there is none.
    """
    found = ALIASES.get(name, name)
    if found not in NAMES:
        raise StandardError(f"standard: found {name!r}, expected one of {', '.join((*NAMES, *ALIASES))}")
    return found


def spec_tolerance(entry: Mapping[str, Any]) -> Tolerance:
    """A TestSpec's tolerance of one data type.

    Raises:
        StandardError: it asks for a standard that a TestSpec may not ask for, or for a parameter it has not.
    """
    if not isinstance(entry, Mapping) or entry.get("standard") not in SPEC_NAMES:
        found = entry.get("standard") if isinstance(entry, Mapping) else entry
        raise StandardError(f"tolerance: standard: found {found!r}, expected one of {', '.join(SPEC_NAMES)}")
    name = standard_name(entry["standard"])
    parameters = {key: value for key, value in entry.items() if key != "standard"}
    legal = _PARAMETERS.get(name, ())
    stranger = next((key for key in parameters if key not in legal), None)
    if stranger is not None:
        raise StandardError(f"tolerance: {name}: found {stranger!r}, expected {', '.join(legal) or 'no parameter'}")
    return Tolerance(name, MappingProxyType(parameters))


def route(
    dtype: DataType | None, command_line: str | None = None, spec: Mapping[DataType, Tolerance] | None = None
) -> Tolerance:
    """The standard for an output of that type. Integers are compared exactly, whatever is asked for."""
    wanted = (spec or {}).get(dtype) if dtype is not None else None
    if dtype is None or dtype in _BITS_ONLY:
        return Tolerance("binary_equal")
    if wanted is not None and wanted.standard == "quant":
        return wanted
    if dtype.is_integer or dtype is DataType.DT_BOOL:
        return Tolerance("binary_equal")
    asked = standard_name(command_line) if command_line else None
    if dtype in _COMPLEX:
        is_exact = "binary_equal" in (asked, wanted.standard if wanted else None)
        return Tolerance("binary_equal" if is_exact else "isclose")
    if dtype is DataType.DT_HIFLOAT8:
        return Tolerance("requant")
    if asked is not None:
        return wanted if wanted is not None and wanted.standard == asked else Tolerance(asked)
    return wanted or Tolerance(DEFAULT)
