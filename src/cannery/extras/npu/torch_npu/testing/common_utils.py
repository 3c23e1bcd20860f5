"""``torch_npu.testing.common_utils``.

Source: Ascend/pytorch `torch_npu/testing/common_utils.py` @9e73e708.
"""

from __future__ import annotations

import unittest
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from cannery.core.published import module_getattr
from cannery.extras.npu.device import get_device_name
from cannery.extras.npu.formats import npu_format_cast
from cannery.extras.npu.refusals import UNBUILT

__all__ = ["SupportedDevices", "create_common_tensor"]
# How much of a chip's name is compared.
_PREFIXES = (("Ascend910_", 12), ("Ascend950", 9), ("", 10))


def create_common_tensor(item: Sequence[Any], min_value: float, max_value: float) -> tuple[Any, Any]:
    """Uniform values of ``[dtype, format, shape]``, on the host and on the device."""
    dtype, acl_format, shape = item
    values = np.random.uniform(min_value, max_value, shape).astype(dtype)
    host = torch.from_numpy(values)
    device = host.to("npu")
    return host, device if acl_format == -1 else npu_format_cast(device, acl_format)


class SupportedDevices:
    """A decorator: the test runs on these chips only."""

    def __init__(self, supported_devices: Sequence[str]) -> None:
        self.devices = [_prefix(name) for name in supported_devices]

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The test, skipped elsewhere."""
        name = get_device_name(0)
        return unittest.skipUnless(_prefix(name) in self.devices, f"not for {name}")(function)


def _prefix(name: str) -> str:
    return next(name[:length] for start, length in _PREFIXES if name.startswith(start))


__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.testing.common_utils", UNBUILT)
