"""``torch_npu.optim``: optimizers with fused kernels, here PyTorch's own of the same name and arithmetic."""

import torch

from cannery.core.published import module_getattr
from cannery.extras.npu.refusals import UNBUILT

__all__ = ["NpuFusedAdam", "NpuFusedAdamW", "NpuFusedSGD"]


class NpuFusedAdam(torch.optim.Adam):
    """``torch.optim.Adam``."""


class NpuFusedAdamW(torch.optim.AdamW):
    """``torch.optim.AdamW``."""


class NpuFusedSGD(torch.optim.SGD):
    """``torch.optim.SGD``."""


__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.optim", UNBUILT)
