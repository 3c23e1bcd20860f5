"""Moving what a tiling structure says, wrapped numbers included: the device kernels' copy without its cores."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from cannery.operator import TilingResult
from cannery.ops._hidden_state.tiling import length_of


def move_blocks(x: torch.Tensor, out: torch.Tensor, result: TilingResult, structure: np.dtype[Any], tiles: str) -> None:
    """Copy every sample's elements from its input offset to its output offset; nothing else is written.

    The kernels' cores do not wait for each other: where wrapped blocks overlap, the later sample wins here.

    Args:
        tiles: the field of the structure with the tiles to move.
    """
    data = np.frombuffer(result.data, structure)[0]
    source, target = x.contiguous().view(-1), out.view(-1)
    for sample in range(int(data["batchSize"])):
        source_at, target_at = int(data["inputOffset"][sample]), int(data["outputOffset"][sample])
        length = length_of(data[tiles][sample], int(data["coreNum"]))
        target[target_at : target_at + length].copy_(source[source_at : source_at + length])
