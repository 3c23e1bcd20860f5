"""``torch_npu.npu.amp.grad_scaler``."""

from cannery.pytorch.npu.amp import GradScaler

__all__ = ["GradScaler"]
