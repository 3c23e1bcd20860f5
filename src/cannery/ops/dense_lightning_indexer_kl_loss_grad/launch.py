"""The launch: what the metadata deals out is what is computed."""

from __future__ import annotations

import numpy as np

from cannery.core import Stage, Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.geometry import Ints
from cannery.ops._lightning_indexer.launching import call_errors, length_arguments, named_tensors
from cannery.ops._lightning_indexer.parameters import producing
from cannery.ops._lightning_indexer.split import Split
from cannery.ops.dense_lightning_indexer_kl_loss_grad.eager import kl_loss_grad

SPELLING = {"p": "attn_softmax_l1_norm", "lse": "softmax_lse"}


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write dq, dk, dw and softmax_out.

    Raises:
        OperatorError: lengths that do not fit the tensors, metadata that does not fit the call; nothing is written.
    """
    tensors = named_tensors(context, inputs)
    q, k, w, p, lse = (tensors[param.name] for param in context.definition.inputs[:5])
    metadata = tensors["metadata"]
    assert q is not None and k is not None and w is not None and p is not None and lse is not None
    assert metadata is not None
    words = metadata.cpu().numpy()
    dq, dk, dw, y = (output.torch for output in outputs)
    with call_errors(context, SPELLING):
        kl_loss_grad(
            *(q, k, w, p, lse),
            **length_arguments(context, tensors),
            rows=lambda total: dealt_rows(context, words, total, tiling.block_dim),
            out=(dq, dk, dw, y),
        )


def dealt_rows(context: CallContext, metadata: np.ndarray, total: int, cores: int) -> Ints | None:
    """The rows to compute: all (None) when the metadata fits the call; with quirks what it deals to ``cores`` cores.

    Raises:
        OperatorError: it was made for another number of rows or of cores, or is no such metadata; both are named.
    """
    split = Split.read(metadata)
    if context.quirks:
        return np.concatenate([split.rows_of(core, cores, total) for core in range(cores)])
    if split.total != total:
        expected = producing(context.definition.name, total)
        raise context.error(Stage.LAUNCH, "metadata", f"metadata for {split.total} rows", expected)
    due = Split.of(total, cores)
    if total and split.words != due.words:
        found = f"metadata for {split.cores} cores, words {list(split.words)}"
        chip = f"{cores} cores, as {context.soc.name} has, words {list(due.words)}"
        raise context.error(Stage.LAUNCH, "metadata", found, chip)
    return None
