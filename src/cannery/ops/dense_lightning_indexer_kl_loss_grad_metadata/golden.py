"""What the metadata must hold, by the TestSpec contract of ops-test-kit: dealt row by row, apart from the engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from cannery.soc import soc

__spec__ = {"dense_lightning_indexer_kl_loss_grad_metadata": "DenseLightningIndexerKLLossGradMetadataSpec"}


def _lengths(used: Any, ends: Any, layout: str, batch: int, each: int) -> list[int]:
    if used is not None and len(used):
        return [int(length) for length in used]
    if layout == "TND" and ends is not None and len(ends):
        return [int(ends[i + 1]) - int(ends[i]) for i in range(len(ends) - 1)]
    return [each] * batch


def deal(total: int, cores: int) -> list[int]:
    """Words 0..4, found by dealing one row after the other to the cores in turn."""
    rows = [0] * cores
    for row in range(total):
        rows[row % cores] += 1
    busy = sum(1 for count in rows if count)
    former = max(rows)
    return [total, former, max(former - 1, 0), sum(1 for count in rows if count < former), busy]


class DenseLightningIndexerKLLossGradMetadataSpec:
    """Golden, comparison and data of the operator."""

    tolerance = {"int32": {"standard": "binary_equal"}}

    @staticmethod
    def golden(
        cu_seqlens_q: Any = None,
        cu_seqlens_k: Any = None,
        seqused_q: Any = None,
        seqused_k: Any = None,
        cmp_residual_k: Any = None,
        *,
        batch_size: int = 0,
        max_seqlen_q: int = 0,
        max_seqlen_k: int = 0,
        layout_q: str = "BSND",
        layout_k: str = "BSND",
        full_soc_version: str = "Ascend950",
        **kwargs: Any,
    ) -> list[np.ndarray]:
        """The 64 words as int32."""
        queries = _lengths(seqused_q, cu_seqlens_q, layout_q, batch_size, max_seqlen_q)
        keys = _lengths(seqused_k, cu_seqlens_k, layout_k, batch_size, max_seqlen_k)
        longest = max(keys, default=0) if keys or layout_k == "TND" else max_seqlen_k
        words = [*deal(sum(queries), soc(full_soc_version).aic_cores), longest]
        return [np.array(words + [0] * (64 - len(words)), np.int32)]

    @staticmethod
    def customize_inputs(
        cu_seqlens_q: Any = None,
        cu_seqlens_k: Any = None,
        seqused_q: Any = None,
        seqused_k: Any = None,
        cmp_residual_k: Any = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Offsets in ascending order: with a range of (0, T), whose bounds both occur, they start at 0 and end at T."""
        offsets = (ends if ends is None else np.sort(ends) for ends in (cu_seqlens_q, cu_seqlens_k))
        return (*offsets, seqused_q, seqused_k, cmp_residual_k)
