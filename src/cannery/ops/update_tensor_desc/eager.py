"""The write itself, on any device, in time that does not depend on the size of y."""

from __future__ import annotations

import numpy as np
import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops.update_tensor_desc.definition import DIM_BASE_INDEX
from cannery.ops.update_tensor_desc.tiling import TILING_DATA


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Word 3 of y becomes the rank, the words after it the dims. Nothing else is read or written."""
    data = np.frombuffer(tiling.data, TILING_DATA)[0]
    rank = int(data["rank"])
    window = torch.tensor([rank, *data["shape"][:rank].tolist()], dtype=torch.int64)
    words = outputs[0].torch.view(-1)
    words[DIM_BASE_INDEX : DIM_BASE_INDEX + 1 + rank].copy_(window)
