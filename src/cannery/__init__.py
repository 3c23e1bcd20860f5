"""cannery: CANN operators without an NPU."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from cannery.core import DataType, Format, OperatorError, Shape, Stage, Tensor, TensorDesc
from cannery.operator import RunResult, all_operators, find_operator, run
from cannery.soc import Soc, soc

if TYPE_CHECKING:
    from cannery.pytorch.ragged import pad, unpad

__version__ = version("cannery")

__all__ = [
    "DataType",
    "Format",
    "OperatorError",
    "RunResult",
    "Shape",
    "Soc",
    "Stage",
    "Tensor",
    "TensorDesc",
    "all_operators",
    "find_operator",
    "pad",
    "run",
    "soc",
    "unpad",
]

# Faces are loaded when first used: the ground must not depend on them.
_LAZY = {"pad": "cannery.pytorch.ragged", "unpad": "cannery.pytorch.ragged"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
