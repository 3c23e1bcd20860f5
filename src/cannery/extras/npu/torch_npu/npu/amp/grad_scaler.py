"""``torch_npu.npu.amp.grad_scaler``."""

from cannery.extras.npu.amp import GradScaler

__all__ = ["GradScaler"]
