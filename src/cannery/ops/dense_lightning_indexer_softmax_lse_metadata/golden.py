"""What the metadata must hold, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from cannery.ops._lightning_indexer.dealing import batch_lengths, lse_words
from cannery.ops._lightning_indexer.reference import lengths_of
from cannery.ops._lightning_indexer.signature import takes
from cannery.ops.dense_lightning_indexer_softmax_lse_metadata.definition import DEFINITION

__spec__ = {"dense_lightning_indexer_softmax_lse_metadata": "DenseLightningIndexerSoftmaxLseMetadataSpec"}


class DenseLightningIndexerSoftmaxLseMetadataSpec:
    """Golden, comparison and data of the operator."""

    tolerance = {"int32": {"standard": "binary_equal"}}

    @staticmethod
    @takes(DEFINITION)
    def golden(call: SimpleNamespace) -> list[np.ndarray]:
        """The 64 words as int32."""
        rows = batch_lengths(call.seqused_q, call.cu_seqlens_q, call.layout_q, call.batch_size, call.max_seqlen_q)
        return [lse_words(sum(rows), call.full_soc_version)]

    @staticmethod
    @takes(DEFINITION)
    def customize_inputs(call: SimpleNamespace) -> tuple[Any, ...]:
        """Offsets in ascending order: with a range of (0, T), whose bounds both occur, they start at 0 and end at T."""
        return lengths_of(call)
