"""cannery: CANN operators without an NPU.

Everything but the chip table is loaded when first used, so ``import cannery`` and ``cannery --help`` need no torch.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cannery.compiled import use_compiled

use_compiled()  # before any module that may be compiled

from cannery.soc import Soc, soc  # noqa: E402

if TYPE_CHECKING:
    from cannery.core import DataType, Format, OperatorError, Shape, Stage, Tensor, TensorDesc
    from cannery.operator import RunResult, all_operators, find_operator, register_operator, run
    from cannery.pytorch.ragged import pad, unpad

    __version__: str

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
    "register_operator",
    "run",
    "soc",
    "unpad",
]

_LAZY = {
    **dict.fromkeys(("DataType", "Format", "OperatorError", "Shape", "Stage", "Tensor", "TensorDesc"), "core"),
    **dict.fromkeys(("RunResult", "all_operators", "find_operator", "register_operator", "run"), "operator"),
    **dict.fromkeys(("pad", "unpad"), "pytorch.ragged"),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name in _LAZY:
        globals()[name] = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
        if (activation := sys.modules.get(f"{__name__}.activate")) is not None:
            activation.load_deferred()
        return globals()[name]
    if not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, "__version__"})
