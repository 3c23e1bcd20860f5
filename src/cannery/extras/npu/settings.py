"""``torch.npu.config``, ``.matmul`` and ``.conv``: settings that scripts write.

Source: Ascend/pytorch `torch_npu/npu/npu_config.py`, `torch_npu/npu/backends.py` @9e73e708.
"""

from __future__ import annotations

from typing import Any


class Config:
    """``torch.npu.config``: settings can be written, not read; none has an effect here."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "allow_internal_format":
            _check_bool(name, value)


class Precision:
    """``torch.npu.matmul`` and ``torch.npu.conv``.

    Attributes:
        allow_hf32: whether float32 may be computed with shorter mantissas. Kept; float32 is exact here.
    """

    def __init__(self, allow_hf32: bool) -> None:
        self.__dict__.update(allow_hf32=allow_hf32, cube_math_type=-1)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"found {name!r}, expected one of {', '.join(self.__dict__)}")
        if name == "allow_hf32":
            _check_bool(name, value)
        self.__dict__[name] = value


def _check_bool(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name}: found {type(value).__name__}, expected a bool")
