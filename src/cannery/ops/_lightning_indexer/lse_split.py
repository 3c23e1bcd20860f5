"""How the log-sum-exp deals rows out to cube cores. Not the format of the gradient's metadata.

Source: recursion-ascend/ops-transformer @a093e95,
`attention/dense_lightning_indexer_softmax_lse_v2_metadata/op_kernel_aicpu/arch35/`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cannery.ops._lightning_indexer.geometry import Ints

METADATA_SIZE = 64
MAX_CORES = 36


@dataclass(frozen=True)
class LseSplit:
    """Words 0..3 of the metadata: ``fore`` cores with ``per_core`` rows each, ``tail`` cores with ``per_tail`` each."""

    fore: int
    tail: int
    per_core: int
    per_tail: int

    @classmethod
    def of(cls, total: int, cores: int) -> LseSplit:
        """Deal ``total`` rows out to at most 36 of ``cores`` cube cores."""
        cores = min(cores, MAX_CORES)
        each, over = divmod(total, cores)
        if total < cores:
            return cls(total, 0, 1, 0)
        return cls(cores, 0, each, 0) if over == 0 else cls(over, cores - over, each + 1, each)

    @classmethod
    def read(cls, words: np.ndarray) -> LseSplit:
        """The split a metadata tensor holds."""
        return cls(*(int(word) for word in words[:4].tolist()))

    @property
    def words(self) -> tuple[int, ...]:
        """The four words in order."""
        return self.fore, self.tail, self.per_core, self.per_tail

    @property
    def total(self) -> int:
        """Rows of all cores."""
        return self.fore * self.per_core + self.tail * self.per_tail

    def rows_of(self, core: int, limit: int) -> Ints:
        """Numbers of the rows below ``limit`` that core ``core`` computes: ``core + cores * j``."""
        if not 0 <= core < self.cores:
            return np.zeros(0, np.int64)
        count = self.per_core if core < self.fore else self.per_tail
        return np.arange(core, min(limit, core + self.cores * count), self.cores, dtype=np.int64)

    @property
    def cores(self) -> int:
        """Cores that have work."""
        return self.fore + self.tail
