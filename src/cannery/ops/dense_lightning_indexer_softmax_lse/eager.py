"""The launch: what the metadata deals out is what is computed."""

from __future__ import annotations

import numpy as np
import torch

from cannery.core import Stage, Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.geometry import Ints
from cannery.ops._lightning_indexer.launching import call_errors, length_arguments, named_tensors, used_rows
from cannery.ops._lightning_indexer.lse import softmax_lse
from cannery.ops._lightning_indexer.lse_split import LseSplit

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
    with call_errors(context, SPELLING):
        used = used_rows(q, k, arguments)
        every = _every_row(q, tensors["cu_seqlens_q"], context.attrs["layout_q"])
        rows = dealt_rows(context, metadata.cpu().numpy(), every, used, tiling.block_dim)
        fill = None if context.quirks else -torch.inf
        softmax_lse(q, k, w, **arguments, rows=rows, fill=fill, out=outputs[0].torch)


def _every_row(q: torch.Tensor, ends: torch.Tensor | None, layout: str) -> int:
    """Rows as the metadata counts them: used or not."""
    if layout == "TND":
        assert ends is not None
        return int(ends[-1])
    return int(q.shape[0] * q.shape[1])


def dealt_rows(context: CallContext, metadata: np.ndarray, every: int, used: int, cores: int) -> Ints | None:
    """The rows to compute: all that are used (None) when the metadata fits the call.

    Args:
        every: rows of the call, used or not; used: those in use; cores: cores launched.

    Raises:
        OperatorError: the metadata was made for another number of rows or of cores, or is no such metadata.
    """
    split, due = LseSplit.read(metadata), LseSplit.of(every, cores)
    if context.quirks:
        return np.arange(min(used, max(split.total, 0)), dtype=np.int64)
    if split.total != every:
        raise context.error(Stage.LAUNCH, "metadata", f"metadata for {split.total} rows", f"one for {every} rows")
    if split != due:
        found = f"metadata for {split.cores} busy cores, words {list(split.words)}"
        expected = f"{due.cores} of the {cores} cores of {context.soc.name}, words {list(due.words)}"
        raise context.error(Stage.LAUNCH, "metadata", found, expected)
    return None
