"""``torch_npu.testing.testcase``: the base class of torch_npu's own tests.

Source: Ascend/pytorch `torch_npu/testing/testcase.py` @9e73e708.
"""

from __future__ import annotations

import os
import unittest
from typing import Any

import numpy as np
import torch

from cannery.core.published import module_getattr
from cannery.extras.npu.device import set_device
from cannery.extras.npu.refusals import UNBUILT

__all__ = ["TestCase", "run_tests"]


class TestCase(unittest.TestCase):
    """Sets the device from ``SET_NPU_DEVICE`` (npu:0) and the seed from ``SEED`` (666)."""

    @classmethod
    def setUpClass(cls) -> None:
        """Choose the device."""
        super().setUpClass()
        set_device(os.environ.get("SET_NPU_DEVICE", "npu:0"))

    def setUp(self) -> None:
        """Seed."""
        super().setUp()
        torch.manual_seed(int(os.environ.get("SEED", "666")))

    def assertRtolEqual(
        self, x: Any, y: Any, prec: float = 1.0e-4, prec16: float = 1.0e-3, message: Any = None
    ) -> None:
        """Equal within a relative and absolute tolerance, the wider one for 16-bit floats."""
        first, second = _array(x), _array(y)
        self.assertEqual(first.shape, second.shape, message)
        tolerance = prec16 if first.dtype.itemsize == 2 else prec
        np.testing.assert_allclose(first, second, rtol=tolerance, atol=tolerance, err_msg=str(message or ""))


def _array(value: Any) -> np.ndarray[Any, Any]:
    if not isinstance(value, torch.Tensor):
        return np.asarray(value)
    host = value.detach().cpu()
    array: np.ndarray[Any, Any] = (host.float() if host.dtype is torch.bfloat16 else host).numpy()
    return array


def run_tests() -> None:
    """Run the tests of the main module."""
    unittest.main()


__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.testing.testcase", UNBUILT)
