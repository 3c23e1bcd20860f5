"""What ``import cann_ops_transformer`` gives without the genuine package: the operators, in ``torch.ops`` and ``ops``.

As the original, it imports torch_npu, so that tensors have ``.npu()``: the one that the name stands for here, if any.

Source: recursion-ascend/ops-transformer `torch_extension/cann_ops_transformer` @a093e95.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch

from cannery.pytorch.cann_ops_transformer import ops as ops
from cannery.pytorch.ops import NAMESPACE

if find_spec("torch_npu") is not None:
    import_module("torch_npu")


def __getattr__(name: str) -> Any:
    if name in ops.__all__:
        return getattr(ops, name)
    if name.startswith("_"):
        raise AttributeError(f"module 'cann_ops_transformer' has no attribute {name!r}")
    return getattr(getattr(torch.ops, NAMESPACE), name)
