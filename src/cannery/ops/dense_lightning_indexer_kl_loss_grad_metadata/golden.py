"""What the metadata must hold, by the TestSpec contract of ops-test-kit: dealt row by row, apart from the engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from cannery.ops._lightning_indexer.dealing import gradient_words

__spec__ = {"dense_lightning_indexer_kl_loss_grad_metadata": "DenseLightningIndexerKLLossGradMetadataSpec"}


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
        words = gradient_words(
            cu_seqlens_q,
            cu_seqlens_k,
            seqused_q,
            seqused_k,
            batch_size=batch_size,
            max_seqlen_q=max_seqlen_q,
            max_seqlen_k=max_seqlen_k,
            layout_q=layout_q,
            layout_k=layout_k,
            full_soc_version=full_soc_version,
        )
        return [words]

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
