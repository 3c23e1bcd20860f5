"""Storage formats of ``torch_npu``: recorded with the storage, while every kernel sees logical shapes.

Source: Ascend/pytorch `torch_npu/csrc/framework/FormatHelper.cpp`, `docs/api` @9e73e708.
"""

from __future__ import annotations

from enum import IntEnum

import torch
from torch import Tensor

_FORMAT = "_cannery_format"


class Format(IntEnum):
    """Formats by the runtime's numbers; ``str`` gives the bare name."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47

    def __str__(self) -> str:
        return self.name


def get_npu_format(self: Tensor) -> Format:
    """The format of a tensor's storage: what it was cast to, else NCHW for four dimensions and ND for others."""
    recorded = self.untyped_storage().__dict__.get(_FORMAT)
    if recorded is not None:
        return Format(recorded)
    return Format.NCHW if self.dim() == 4 else Format.ND


def npu_format_cast(self: Tensor, acl_format: int) -> Tensor:
    """The tensor in another format: the same elements, in a storage of its own that has the format.

    Raises:
        ValueError: there is no format of that number.
    """
    wanted = _format(acl_format)
    if wanted == get_npu_format(self):
        return self
    result = self.clone()
    result.untyped_storage().__dict__[_FORMAT] = wanted
    return result


def npu_format_cast_(self: Tensor, acl_format: int | Tensor) -> Tensor:
    """In place; a tensor stands for its format."""
    wanted = get_npu_format(acl_format) if isinstance(acl_format, Tensor) else _format(acl_format)
    self.untyped_storage().__dict__[_FORMAT] = wanted
    return self


def get_storage_size(self: Tensor) -> int:
    """Elements that the storage has room for."""
    return self.untyped_storage().nbytes() // self.element_size()


def npu_dtype_cast(self: Tensor, dtype: torch.dtype) -> Tensor:
    """The tensor in another dtype."""
    return self.to(dtype)


def npu_dtype_cast_(self: Tensor, dtype: torch.dtype) -> Tensor:
    """In place: the same object in another dtype."""
    self.data = self.data.to(dtype)
    return self


def _format(number: int) -> Format:
    try:
        return Format(number)
    except ValueError:
        names = ", ".join(f"{f.value} ({f.name})" for f in Format if f >= 0)
        raise ValueError(f"acl_format: found {number}, expected one of {names}") from None
