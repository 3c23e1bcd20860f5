"""The computation on the host: values are checked, then the words are written.

Source: recursion-ascend/ops-transformer @a093e95,
`attention/dense_lightning_indexer_softmax_lse_v2_metadata/op_kernel_aicpu/arch35/`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from cannery.core import Stage, Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.lse_split import METADATA_SIZE, LseSplit
from cannery.ops._lightning_indexer.metadata.values import (
    INT32_MAX,
    Array,
    check_residual,
    check_used,
    check_values,
    read_arrays,
)


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write the 64 words.

    Raises:
        OperatorError: a value out of its range, or more rows than int32 counts.
    """
    arrays = _first_batches(context, read_arrays(context, inputs))
    check_values(context, arrays)
    check_used(context, arrays, no_length=0)
    check_residual(context, arrays)
    words = np.zeros(METADATA_SIZE, np.int64)
    words[:4] = LseSplit.of(_total_rows(context, arrays), context.soc.aic_cores).words
    outputs[0].torch.copy_(torch.from_numpy(words.astype(np.int32)))


def _first_batches(context: CallContext, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The batches that count: with quirks, a positive batch_size is how many, whatever the tensors hold."""
    batch = context.attrs["batch_size"] if context.quirks else 0
    if not batch:
        return dict(arrays)
    counts = {name: batch + 1 if name.startswith("cu_seqlens") else batch for name in arrays}
    for name, array in arrays.items():
        if len(array) < counts[name]:  # the original reads past the tensor
            raise context.error(Stage.LAUNCH, "batch_size", batch, f"no more batches than {name} has")
    return {name: array[: counts[name]] for name, array in arrays.items()}


def _total_rows(context: CallContext, arrays: Mapping[str, Array]) -> int:
    """Rows in use: the sum of the used lengths, else the last offset, else ``batch_size * max_seqlen_q``.

    Raises:
        OperatorError: more rows than int32 counts; with quirks, where int64 has wrapped below 0.
    """
    if "seqused_q" in arrays:
        total = int(arrays["seqused_q"].sum(dtype=np.int64))
    elif "cu_seqlens_q" in arrays:
        total = int(arrays["cu_seqlens_q"][-1])
    else:
        total = int(context.attrs["batch_size"]) * int(context.attrs["max_seqlen_q"])
    if not context.quirks and total > INT32_MAX:
        raise context.error(Stage.LAUNCH, "rows", total, f"at most {INT32_MAX}, as the words are int32")
    wrapped = (total + 2**63) % 2**64 - 2**63
    if wrapped < 0:
        raise context.error(Stage.LAUNCH, "rows", wrapped, "at least 0")
    return wrapped
