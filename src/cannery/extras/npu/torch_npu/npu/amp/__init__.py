"""``torch_npu.npu.amp``."""

from cannery.core.published import module_getattr
from cannery.extras.npu.amp import (
    GradScaler,
    autocast,
    custom_bwd,
    custom_fwd,
    get_amp_supported_dtype,
    get_autocast_dtype,
    is_autocast_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)
from cannery.extras.npu.refusals import UNBUILT
from cannery.extras.npu.torch_npu.npu.amp import autocast_mode, grad_scaler

__all__ = [
    "GradScaler",
    "autocast",
    "autocast_mode",
    "custom_bwd",
    "custom_fwd",
    "get_amp_supported_dtype",
    "get_autocast_dtype",
    "grad_scaler",
    "is_autocast_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
]

__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.npu.amp", UNBUILT)
