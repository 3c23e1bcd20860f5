"""``torch_npu.utils``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from cannery.core.published import module_getattr
from cannery.extras.npu.refusals import UNBUILT
from cannery.extras.npu.torch_npu.npu.utils import get_cann_version

__all__ = ["get_cann_version", "save_async", "set_thread_affinity"]


def save_async(obj: Any, f: Any, **kwargs: Any) -> None:
    """``torch.save``; it has ended when the call returns."""
    torch.save(obj, f, **kwargs)


def set_thread_affinity(core_range: Sequence[int] | None = None) -> None:
    """Which cores threads run on: without effect here."""


__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.utils", UNBUILT)
