"""What the metadata must hold, by the TestSpec contract of ops-test-kit: dealt row by row, apart from the engines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from cannery.ops._lightning_indexer.dealing import gradient_words
from cannery.ops._lightning_indexer.reference import lengths_of
from cannery.ops._lightning_indexer.signature import takes
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata.definition import DEFINITION

__spec__ = {"dense_lightning_indexer_kl_loss_grad_metadata": "DenseLightningIndexerKLLossGradMetadataSpec"}


class DenseLightningIndexerKLLossGradMetadataSpec:
    """Golden, comparison and data of the operator."""

    tolerance = {"int32": {"standard": "binary_equal"}}

    @staticmethod
    @takes(DEFINITION)
    def golden(call: SimpleNamespace) -> list[np.ndarray]:
        """The 64 words as int32."""
        return [gradient_words(call)]

    @staticmethod
    @takes(DEFINITION)
    def customize_inputs(call: SimpleNamespace) -> tuple[Any, ...]:
        """Offsets in ascending order: with a range of (0, T), whose bounds both occur, they start at 0 and end at T."""
        return lengths_of(call)
