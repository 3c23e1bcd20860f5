"""``torch_npu.npu.amp.autocast_mode``."""

from cannery.extras.npu.amp import autocast, custom_bwd, custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]
