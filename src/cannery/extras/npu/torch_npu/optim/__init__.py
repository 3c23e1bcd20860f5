"""``torch_npu.optim``: optimizers with fused kernels, here PyTorch's own of the same name and arithmetic."""

import torch

__all__ = ["NpuFusedAdam", "NpuFusedAdamW", "NpuFusedSGD"]


class NpuFusedAdam(torch.optim.Adam):
    """``torch.optim.Adam``."""


class NpuFusedAdamW(torch.optim.AdamW):
    """``torch.optim.AdamW``."""


class NpuFusedSGD(torch.optim.SGD):
    """``torch.optim.SGD``."""
