"""Which computation a call gets: the compiled CPU kernels where they apply, plain PyTorch everywhere else."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch

# What the processor must know for the kernels of a dtype: the bf16 dot product, or 16 lanes of fp32.
_FEATURE = {torch.bfloat16: "avx512bf16", torch.float16: "avx512f", torch.float32: "avx512f"}
_HEAD_DIM = 128


def has_kernels(q: torch.Tensor) -> bool:
    """Whether the compiled kernels can run for these queries: host memory, head dimension 128, a processor that can.

    The choice never looks at lengths or values, so a row has the same bits in whatever call it comes.
    """
    feature = _FEATURE.get(q.dtype)
    return q.device.type == "cpu" and q.shape[-1] == _HEAD_DIM and feature is not None and feature in _features()


@cache
def _features() -> frozenset[str]:
    """What numba may use of this processor; nothing where it is missing or told not to compile."""
    if find_spec("numba") is None:
        return frozenset()
    from numba.core.codegen import get_host_cpu_features

    config: Any = import_module("numba").config
    if config.DISABLE_JIT:
        return frozenset()
    listed = get_host_cpu_features() if config.CPU_FEATURES is None else config.CPU_FEATURES
    return frozenset(item[1:] for item in listed.split(",") if item.startswith("+"))
