"""What the metadata must hold, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from cannery.soc import soc

__spec__ = {"dense_lightning_indexer_softmax_lse_metadata": "DenseLightningIndexerSoftmaxLseMetadataSpec"}


def deal(total: int, cores: int) -> list[int]:
    """Words 0..3, found by dealing one row after the other to the cores in turn."""
    rows = [0] * min(cores, 36)
    for row in range(total):
        rows[row % len(rows)] += 1
    most = max(rows)
    fore = sum(1 for count in rows if count == most) if most else 0
    least = min(rows)
    return [fore, len(rows) - fore if least else 0, max(most, 1), least if fore < len(rows) else 0]


class DenseLightningIndexerSoftmaxLseMetadataSpec:
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
        layout_q: str = "BSND",
        full_soc_version: str = "Ascend950",
        **kwargs: Any,
    ) -> list[np.ndarray]:
        """The 64 words as int32."""
        batch = batch_size if seqused_q is None else len(seqused_q)
        total = int(cu_seqlens_q[-1]) if layout_q == "TND" else batch * max_seqlen_q
        words = deal(total, soc(full_soc_version).aic_cores)
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
