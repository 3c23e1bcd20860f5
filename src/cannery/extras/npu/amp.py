"""``torch.npu.amp``: mixed precision by its older names.

Source: Ascend/pytorch `torch_npu/npu/amp` @9e73e708.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from cannery.extras.npu.device import is_bf16_supported
from cannery.extras.npu.machine import NAME


class autocast(torch.amp.autocast_mode.autocast):
    """``torch.autocast("npu", …)``."""

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True) -> None:
        super().__init__(NAME, enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    """``torch.amp.GradScaler("npu", …)``; ``dynamic=False`` keeps the scale as it is."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        dynamic: bool = True,
        enabled: bool = True,
    ) -> None:
        factors = (growth_factor, backoff_factor) if dynamic else (1.0 + 1e-12, 1.0 - 1e-12)
        super().__init__(NAME, init_scale, *factors, growth_interval, enabled)


custom_fwd: Callable[..., Any] = partial(torch.amp.custom_fwd, device_type=NAME)
custom_bwd: Callable[..., Any] = partial(torch.amp.custom_bwd, device_type=NAME)


def get_amp_supported_dtype() -> list[torch.dtype]:
    """Types that autocast lowers to."""
    return [torch.float16, torch.float32, *([torch.bfloat16] if is_bf16_supported() else [])]


def get_autocast_dtype() -> torch.dtype:
    """The type autocast lowers to now."""
    return torch.get_autocast_dtype(NAME)


def is_autocast_enabled() -> bool:
    """Whether autocast is on."""
    return torch.is_autocast_enabled(NAME)


def set_autocast_dtype(dtype: torch.dtype) -> None:
    """Set the type."""
    torch.set_autocast_dtype(NAME, dtype)


def set_autocast_enabled(enabled: bool) -> None:
    """Switch autocast."""
    torch.set_autocast_enabled(NAME, enabled)
