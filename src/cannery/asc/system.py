"""System values, scalar helpers and debugging output."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.aicore import pipes
from cannery.aicore.memory import capacity
from cannery.asc.context import here, running
from cannery.asc.dtypes import DataType
from cannery.asc.enums import RoundMode
from cannery.asc.numbers import Int32, Int64, RtFloat, typed
from cannery.asc.struct import Array
from cannery.asc.tensors import GlobalTensor, check_operands
from cannery.isa.rounding import INTEGRAL
from cannery.isa.tensors import Global, Local

__all__ = [
    "DEFAULT_C0_SIZE", "ONE_BLK_SIZE", "TOTAL_L0C_SIZE", "TOTAL_L1_SIZE", "ascend_is_aic", "ascend_is_aiv",
    "dump_tensor", "get_block_idx", "get_block_num", "get_data_block_size_in_bytes", "get_program_counter",
    "get_shape_size", "get_sub_block_idx", "get_sub_block_num", "get_system_cycle", "get_task_ratio", "printf",
    "scalar_cast", "static_assert", "trap",
]  # fmt: skip


def get_block_idx() -> Any:
    """Index of this core among those of its kind."""
    return Int32(running().block)


def get_block_num() -> Any:
    """The launched number of groups."""
    return Int32(running().launch.core_num)


def get_sub_block_idx() -> Any:
    """Index of this vector core in its group; 0 on a cube core."""
    return Int32(running().sub_block)


def get_sub_block_num() -> Any:
    """Vector cores of a group; 1 on a cube core."""
    core = running()
    return Int32(core.launch.vectors_per_group if core.kind == "aiv" else 1)


get_task_ratio = get_sub_block_num


def ascend_is_aic() -> bool:
    """Whether this is a cube core."""
    return running().kind == "aic"


def ascend_is_aiv() -> bool:
    """Whether this is a vector core."""
    return running().kind == "aiv"


def get_system_cycle() -> Any:
    """A counter that grows with every instruction of this core."""
    return Int64(sum(running().issued))


def get_program_counter() -> Any:
    """A counter of scalar instructions."""
    return Int64(running().issued[pipes.S])


def get_data_block_size_in_bytes() -> int:
    """32."""
    return 32


class Property:
    """The names ``asc.property`` takes."""

    DEFAULT_C0_SIZE = "DEFAULT_C0_SIZE"
    ONE_BLK_SIZE = "ONE_BLK_SIZE"
    TOTAL_L1_SIZE = "TOTAL_L1_SIZE"
    TOTAL_L0C_SIZE = "TOTAL_L0C_SIZE"


DEFAULT_C0_SIZE: Final = Property.DEFAULT_C0_SIZE
ONE_BLK_SIZE: Final = Property.ONE_BLK_SIZE
TOTAL_L1_SIZE: Final = Property.TOTAL_L1_SIZE
TOTAL_L0C_SIZE: Final = Property.TOTAL_L0C_SIZE
_SIZES: Final = MappingProxyType({"DEFAULT_C0_SIZE": 32, "ONE_BLK_SIZE": 32})
_L1_RESERVED: Final = 128  # asc-devkit `impl/basic_api/utils/kernel_utils_constants.h`: TOTAL_L1_SIZE


def machine_property(prop: str) -> Any:
    """``asc.property``: a machine constant.

    Raises:
        ValueError: there is no such constant.
    """
    if prop in _SIZES:
        return Int32(_SIZES[prop])
    chip = running().soc
    if prop == TOTAL_L1_SIZE:
        return Int32(capacity(chip, "L1") - _L1_RESERVED)
    if prop == TOTAL_L0C_SIZE:
        return Int32(capacity(chip, "L0C"))
    raise ValueError(
        f"property: found {prop!r}, expected DEFAULT_C0_SIZE, ONE_BLK_SIZE, TOTAL_L1_SIZE or TOTAL_L0C_SIZE"
    )


def scalar_cast(value_in: float, dtype: DataType, round_mode: RoundMode) -> Any:
    """Convert a scalar with a rounding mode."""
    if dtype.is_int():
        return typed(int(INTEGRAL[RoundMode(round_mode)](np.float64(value_in))), dtype)
    return RtFloat(np.float16(value_in))


def get_shape_size(shape_info: Any) -> int:
    """Product of a ShapeInfo's dims; 1 where it has none."""
    return 1 if shape_info.shape is None else math.prod(_dims(shape_info))


def _dims(shape_info: Any) -> list[int]:
    dims: Array = shape_info.shape
    return [int(dims[axis]) for axis in range(len(dims))]


def static_assert(test: Any, message: str | None = None) -> None:
    """A compile-time assertion."""
    assert test, message or ""


def trap() -> None:
    """Abort the kernel.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("trap: the kernel aborted itself")


_PERCENT: Final = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|z)?([a-zA-Z])?")
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED: Final = MappingProxyType(
    {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", '"': '"', "'": "'"}
)


def printf(desc: str, *params: Any) -> None:
    """Print in C's format to standard output; the format's escapes are those of C's source text."""
    text = _PERCENT.sub(_conversion, _ESCAPE.sub(_unescaped, desc))
    plain = tuple(int(value) if isinstance(value, int) else value for value in params)
    sys.stdout.write(text % plain if params else text.replace("%%", "%"))


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ESCAPED.get(code, match[0])


def _conversion(match: re.Match[str]) -> str:
    if match[1] == "%":
        return "%%"
    letter = {"u": "d", "p": "x"}.get(match[2] or "d", match[2] or "d")
    return f"%{match[1]}{letter}"


def dump_tensor(tensor: Any, desc: int, dump_size: int, shape_info: Any = None) -> None:
    """Print ``dump_size`` elements to standard output, behind a barrier of all pipes.

    With a shape they are printed in it, one innermost row a line; places that have no value are "-".
    """
    check_operands("dump_tensor", {"tensor": tensor}, Global | Local)
    running().barrier(None, here())
    count = int(dump_size)
    where = "GM" if isinstance(tensor, GlobalTensor) else tensor.owner.position.name
    head = (
        f"DumpTensor: desc={int(desc)}, addr={_offset(tensor):x}, data_type={tensor.dtype}, position={where}, "
        f"dump_size={count}"
    )
    dims = None if shape_info is None else _dims(shape_info)
    values = [str(value) for value in tensor.numpy(count)]
    shaped = f"[{', '.join(values)}]" if not dims else _shaped(values, dims)
    sys.stdout.write(f"{head}\n{shaped}\n")


def _shaped(values: list[str], dims: Sequence[int], depth: int = 0) -> str:
    """Values as nested lists; what is missing as "-"."""
    if len(dims) == 1:
        row = values[: dims[0]]
        return f"[{', '.join(row + ['-'] * (dims[0] - len(row)))}]"
    inner = math.prod(dims[1:])
    parts = [_shaped(values[at * inner : (at + 1) * inner], dims[1:], depth + 1) for at in range(dims[0])]
    return f"[{(',' + chr(10) + ' ' * (depth + 1)).join(parts)}]"


def _offset(tensor: Any) -> int:
    return int(tensor.address - tensor.owner.origin) if isinstance(tensor, GlobalTensor) else int(tensor.addr)
