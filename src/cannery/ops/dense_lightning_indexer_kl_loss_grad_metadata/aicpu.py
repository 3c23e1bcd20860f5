"""The computation on the host, as the AICPU does it: values are checked, then words are written.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad_metadata/
op_kernel_aicpu/arch35/dense_lightning_indexer_kl_loss_grad_metadata_aicpu_arch35.h`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from cannery.core import Stage, Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.metadata.values import INT32_MAX, Array, check_values, pieces, read_arrays, steps
from cannery.ops._lightning_indexer.split import METADATA_SIZE, Split, faithful_words


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write the 64 words; with quirks only the first five.

    Raises:
        OperatorError: a value out of its range, or more rows than int32 counts.
    """
    arrays = read_arrays(context, inputs)
    check_values(context, arrays)
    if context.quirks:
        # All of it is counted in 32 unsigned bits: narrowing the factors first gives the same.
        words = np.array(faithful_words(total_rows(context, arrays), context.soc.aic_cores), np.uint32).view(np.int32)
    else:
        words = _documented(context, arrays)
    out = outputs[0].torch
    # numpy fills a few words of host memory at a tenth of what it costs to enter torch.
    target = out.numpy() if out.device.type == "cpu" else np.empty(len(words), np.int32)
    target[: len(words)] = words
    if out.device.type != "cpu":
        out[: len(words)].copy_(torch.from_numpy(target))


def total_rows(context: CallContext, arrays: Mapping[str, Array]) -> int:
    """Rows of all batches: used lengths, else offsets, else ``batch_size * max_seqlen_q``."""
    if "seqused_q" in arrays:
        return int(arrays["seqused_q"].sum(dtype=np.int64))
    if "cu_seqlens_q" in arrays:
        ends = arrays["cu_seqlens_q"]
        return int(ends[-1]) - int(ends[0])
    return int(context.attrs["batch_size"]) * int(context.attrs["max_seqlen_q"])


def longest_keys(context: CallContext, arrays: Mapping[str, Array]) -> int:
    """The largest key length: of the used lengths, else of the offsets, else ``max_seqlen_k``; 0 without batches."""
    if "seqused_k" in arrays:
        return int(arrays["seqused_k"].max())
    if "cu_seqlens_k" in arrays:
        ends = arrays["cu_seqlens_k"]
        return max((int(steps(ends, piece).max()) for piece in pieces(len(ends) - 1)), default=0)
    return int(context.attrs["max_seqlen_k"])


def _documented(context: CallContext, arrays: Mapping[str, Array]) -> Array:
    total, longest = total_rows(context, arrays), longest_keys(context, arrays)
    for name, count in (("rows", total), ("max_seqlen_k", longest)):
        if count > INT32_MAX:
            raise context.error(Stage.LAUNCH, name, count, f"at most {INT32_MAX}, as the words are int32")
    words = np.zeros(METADATA_SIZE, np.int32)
    words[:6] = *Split.of(total, context.soc.aic_cores).words, longest
    return words
