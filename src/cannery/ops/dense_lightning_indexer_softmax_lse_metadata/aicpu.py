"""The computation on the host: values are checked, then the words are written.

Source: recursion-ascend/ops-transformer @a093e95,
`attention/dense_lightning_indexer_softmax_lse_v2_metadata/op_kernel_aicpu/arch35/`.
"""

from __future__ import annotations

import torch

from cannery.core import Stage, Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.lse_split import METADATA_SIZE, LseSplit
from cannery.ops._lightning_indexer.metadata.values import INT32_MAX, check_strictly, check_values, read_arrays


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write the 64 words.

    Raises:
        OperatorError: a value out of its range, or more rows than int32 counts.
    """
    arrays = read_arrays(context, inputs)
    check_values(context, arrays)
    check_strictly(context, arrays)
    if "cu_seqlens_q" in arrays:
        total = int(arrays["cu_seqlens_q"][-1])
    else:
        batch = len(arrays["seqused_q"]) if "seqused_q" in arrays else int(context.attrs["batch_size"])
        total = batch * int(context.attrs["max_seqlen_q"])
    if total > INT32_MAX:
        raise context.error(Stage.LAUNCH, "rows", total, f"at most {INT32_MAX}, as the words are int32")
    words = LseSplit.of(total, context.soc.aic_cores).words
    outputs[0].torch.copy_(torch.tensor([*words, *[0] * (METADATA_SIZE - len(words))], dtype=torch.int32))
