"""The same on any device, without waiting for it: host tensors go the host's way, others stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.metadata.values import INT32_MAX, READ_FOR_TND
from cannery.ops._lightning_indexer.parameters import OPTIONAL_INPUTS
from cannery.ops._lightning_indexer.split import METADATA_SIZE, UINT32
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata import aicpu

Tensors = Mapping[str, torch.Tensor]


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write the words. Values in host memory are checked as the original does; elsewhere the device asserts them.

    Raises:
        OperatorError: a value in host memory is out of its range, or the call has more rows than int32 counts.
    """
    if outputs[0].torch.device.type == "cpu" and all(t is None or t.torch.device.type == "cpu" for t in inputs):
        aicpu.launch(context, tiling, inputs, outputs)
        return
    named = zip(OPTIONAL_INPUTS, inputs, strict=False)
    tensors = {name: t.torch for name, t in named if t is not None and t.torch.dim() and t.torch.shape[0]}
    assert_values(tensors, context.attrs)
    written = 5 if context.quirks else METADATA_SIZE
    words = metadata_words(tensors, context.attrs, context.soc.aic_cores, outputs[0].torch.device, context.quirks)
    outputs[0].torch[:written].copy_(words[:written])


def metadata_words(
    tensors: Tensors, attrs: Mapping[str, Any], cores: int, device: torch.device | None = None, quirks: bool = False
) -> torch.Tensor:
    """The 64 int32 words by tensor operators alone: no value is read on the host, so it traces and compiles.

    Args:
        tensors: the length tensors by name, int32, on ``device``.
        attrs: attributes by name.
        cores: cube cores of the chip.
    """
    device = device or next((tensor.device for tensor in tensors.values()), None)
    total = _total(tensors, attrs, device) % UINT32
    former = (total + (cores - 1)) % UINT32 // cores
    remain = (former - 1) % UINT32 if quirks else (former - 1).clamp(min=0)
    longest = _longest(tensors, attrs, device)
    fields = torch.stack([total, former, remain, (former * cores - total) % UINT32, total.clamp(max=cores), longest])
    signed = torch.where(fields > INT32_MAX, fields - UINT32, fields)
    return torch.nn.functional.pad(signed.to(torch.int32), (0, METADATA_SIZE - 6))


def assert_values(tensors: Tensors, attrs: Mapping[str, Any]) -> None:
    """Ask the device to stop when a value is out of its range; the host does not wait for the answer."""
    for name, tensor in tensors.items():
        is_offsets = name.startswith("cu_seqlens")
        if is_offsets and attrs[READ_FOR_TND[name]] != "TND":
            continue
        if is_offsets:
            ascends = (tensor[1:] >= tensor[:-1]).all()
            torch._assert_async(ascends & (tensor[0] == 0), f"{name}: expected 0, then ascending")
        else:
            torch._assert_async((tensor >= 0).all(), f"{name}: expected no negative element")


def _total(tensors: Tensors, attrs: Mapping[str, Any], device: torch.device | None) -> torch.Tensor:
    if "seqused_q" in tensors:
        return tensors["seqused_q"].sum(dtype=torch.int64)
    if "cu_seqlens_q" in tensors and attrs["layout_q"] == "TND":
        ends = tensors["cu_seqlens_q"]
        return ends[-1].to(torch.int64) - ends[0]
    rows = attrs["batch_size"] * attrs["max_seqlen_q"] % UINT32
    return torch.full((), rows, dtype=torch.int64, device=device)


def _longest(tensors: Tensors, attrs: Mapping[str, Any], device: torch.device | None) -> torch.Tensor:
    if "seqused_k" in tensors:
        return tensors["seqused_k"].max().to(torch.int64)
    if "cu_seqlens_k" in tensors and attrs["layout_k"] == "TND":
        ends = tensors["cu_seqlens_k"]
        lengths = torch.nn.functional.pad(ends[1:] - ends[:-1], (0, 1))
        return lengths.max().to(torch.int64)
    return torch.full((), attrs["max_seqlen_k"], dtype=torch.int64, device=device)
