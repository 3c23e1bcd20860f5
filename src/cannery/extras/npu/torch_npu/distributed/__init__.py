"""``torch_npu.distributed``."""

from torch.distributed import is_available

from cannery.core.published import module_getattr
from cannery.extras.npu.refusals import UNBUILT

__all__ = ["is_available", "is_hccl_available", "is_lccl_available"]


def is_hccl_available() -> bool:
    """Whether ``hccl`` can be used: where PyTorch has gloo, which stands for it."""
    import torch.distributed as dist

    return is_available() and dist.is_gloo_available()


def is_lccl_available() -> bool:
    """As hccl."""
    return is_hccl_available()


__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.distributed", UNBUILT)
