"""Where a tensor's data are, as torch tensors; and room for the tensors inside a graph.

Source of the alignment: ascend-transformer-boost `src/atb/runner/` (global memory solver) @ddcc8b6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from cannery.atb.errors import refusal
from cannery.atb.kernel import align
from cannery.atb.types import byte_size
from cannery.core import AtbStatus, Stage, TensorDesc
from cannery.core import Tensor as CoreTensor
from cannery.runtime import RuntimeFault, process

ALIGNMENT = 512


def open_tensor(operation: str, name: str, desc: TensorDesc, data: Any) -> CoreTensor:
    """A tensor over its memory, not copied.

    Raises:
        OperatorError: ERROR_RT_FAIL at stage launch: the address is not memory of a device, or has too few bytes.
    """
    if isinstance(data, torch.Tensor) and data.dtype == desc.dtype.torch and tuple(data.shape) == tuple(desc.shape):
        return CoreTensor(data, desc.format)
    raw = open_bytes(operation, name, data, byte_size(desc))
    try:
        return CoreTensor(raw.view(desc.dtype.torch).view(tuple(desc.shape)), desc.format)
    except RuntimeError:
        found = f"memory at {raw.data_ptr():#x}"
        expected = f"an address that is a multiple of {desc.dtype.itemsize}"
        raise refusal(Stage.LAUNCH, operation, name, found, expected, AtbStatus.ERROR_RT_FAIL) from None


def open_bytes(operation: str, name: str, data: Any, size: int) -> torch.Tensor:
    """The first ``size`` bytes of a torch tensor's memory, or of device memory by its address.

    Raises:
        OperatorError: ERROR_RT_FAIL at stage launch.
    """
    if isinstance(data, torch.Tensor):
        if data.is_contiguous() and data.nbytes >= size:
            return data.view(-1).view(torch.uint8)[:size]
        found, expected = f"{data.nbytes} bytes, contiguous: {data.is_contiguous()}", f"{size} contiguous bytes"
        raise refusal(Stage.LAUNCH, operation, name, found, expected, AtbStatus.ERROR_RT_FAIL)
    if not isinstance(data, int):
        found, expected = f"{data!r:.80}", "an address of device memory or a torch tensor"
        raise refusal(Stage.LAUNCH, operation, name, found, expected, AtbStatus.ERROR_RT_FAIL)
    try:
        return process().memory.view(name, data, size)
    except RuntimeFault as fault:
        raise refusal(Stage.LAUNCH, operation, name, fault.found, fault.expected, AtbStatus.ERROR_RT_FAIL) from None


@dataclass(frozen=True)
class Life:
    """A tensor inside a graph: bytes, the node that writes it first, the node that reads it last."""

    size: int
    first: int
    last: int

    def meets(self, other: Life) -> bool:
        """Whether both are needed at some node."""
        return self.first <= other.last and other.first <= self.last


def place(lives: Mapping[int, Life]) -> tuple[dict[int, int], int]:
    """An offset for each tensor, so that those needed together lie apart, and the bytes all of them take.

    The largest comes first, and each goes to the lowest gap that holds it.
    """
    offsets: dict[int, int] = {}
    for key in sorted(lives, key=lambda key: (-lives[key].size, key)):
        taken = sorted((offsets[other], lives[other].size) for other in offsets if lives[other].meets(lives[key]))
        offsets[key] = _lowest_gap(taken, lives[key].size)
    return offsets, max((align(offsets[key] + lives[key].size, ALIGNMENT) for key in lives), default=0)


def _lowest_gap(taken: Sequence[tuple[int, int]], size: int) -> int:
    at = 0
    for start, length in taken:
        if at + size <= start:
            break
        at = max(at, align(start + length, ALIGNMENT))
    return at
