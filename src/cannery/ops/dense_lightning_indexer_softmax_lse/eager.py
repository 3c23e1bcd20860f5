"""The launch: what the metadata deals out is what is computed."""

from __future__ import annotations

import numpy as np
import torch

from cannery.core import Stage, Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.geometry import Ints
from cannery.ops._lightning_indexer.launching import call_errors, length_arguments, named_tensors
from cannery.ops._lightning_indexer.lse import softmax_lse
from cannery.ops._lightning_indexer.lse_split import LseSplit
from cannery.ops._lightning_indexer.parameters import producing

SPELLING = {"q": "query_index", "k": "key_index", "w": "weight"}


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write the log-sum-exp; rows that see nothing or are not used are -inf, with quirks what the buffer holds.

    Raises:
        OperatorError: lengths that do not fit the tensors, metadata that does not fit the call; nothing is written.
    """
    tensors = named_tensors(context, inputs)
    q, k, w, metadata = (tensors[name] for name in ("query_index", "key_index", "weight", "metadata"))
    assert q is not None and k is not None and w is not None and metadata is not None
    arguments = length_arguments(context, tensors)
    if context.quirks and arguments["cmp_ratio"] == 1:
        arguments["residual"] = None
    words = metadata.cpu().numpy()
    with call_errors(context, SPELLING):
        softmax_lse(
            *(q, k, w),
            **arguments,
            rows=lambda total: dealt_rows(context, words, total, tiling.block_dim),
            fill=None if context.quirks else -torch.inf,
            out=outputs[0].torch,
        )


def dealt_rows(context: CallContext, metadata: np.ndarray, total: int, cores: int) -> Ints | None:
    """The rows to compute: all (None) when the metadata fits the call; with quirks what it deals to ``cores`` cores.

    Raises:
        OperatorError: the metadata was made for another number of rows or of cores, or is no such metadata.
    """
    split, due = LseSplit.read(metadata), LseSplit.of(total, cores)
    if context.quirks:
        return np.concatenate([split.rows_of(core, total) for core in range(cores)])
    if split.total != total:
        expected = producing(context.definition.name, total)
        raise context.error(Stage.LAUNCH, "metadata", f"metadata for {split.total} rows", expected)
    if split != due:
        found = f"metadata for {split.cores} busy cores, words {list(split.words)}"
        expected = f"{due.cores} of the {cores} cores of {context.soc.name}, words {list(due.words)}"
        raise context.error(Stage.LAUNCH, "metadata", found, expected)
    return None
