"""How rows are dealt out to cube cores, and the words of the metadata that say so.

Source: recursion-ascend/ops-transformer @a093e95,
`attention/dense_lightning_indexer_kl_loss_grad_metadata/op_kernel_aicpu/arch35/` (the formula) and
`attention/dense_lightning_indexer_kl_loss_grad/op_kernel/arch35/` (its use).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cannery.ops._lightning_indexer.geometry import Ints

METADATA_SIZE = 64
TOTAL_NUM = 0
FORMER_CORE_PROCESS_NUM = 1
REMAIN_CORE_PROCESS_NUM = 2
REMAIN_CORE_NUM = 3
USED_CORE_NUM = 4
MAX_SEQLEN_K = 5
UINT32 = 2**32


@dataclass(frozen=True)
class Split:
    """Words 0..4 of the metadata.

    Attributes:
        total: rows of all batches.
        former: rows of each of the first cores.
        remain: rows of each of the last ``remain_num`` cores.
        remain_num: cores that process ``remain`` rows.
        used: cores that have work.
    """

    total: int
    former: int
    remain: int
    remain_num: int
    used: int

    @classmethod
    def of(cls, total: int, cores: int) -> Split:
        """Deal ``total`` rows out to ``cores`` cube cores; without rows every word is 0."""
        former = -(-total // cores)
        return cls(total, former, max(former - 1, 0), former * cores - total, min(total, cores))

    @classmethod
    def read(cls, words: np.ndarray) -> Split:
        """The split a metadata tensor holds; the kernel reads its words as unsigned."""
        return cls(*(int(word) % UINT32 for word in words[: USED_CORE_NUM + 1].tolist()))

    @property
    def words(self) -> tuple[int, ...]:
        """The five words in order."""
        return self.total, self.former, self.remain, self.remain_num, self.used

    @property
    def cores(self) -> int | None:
        """The number of cores it was made for; None where there are no rows, as it cannot be told then."""
        return (self.remain_num + self.total) // self.former if self.former else None

    def rows_of(self, core: int, launched: int, limit: int) -> Ints:
        """Numbers of the rows below ``limit`` that core ``core`` of ``launched`` computes: ``core + used * i``."""
        if core >= self.used:
            return np.zeros(0, np.int64)
        count = self.former if core < launched - self.remain_num else self.remain
        stop = min(limit, core + self.used * count)
        return np.arange(core, stop, self.used, dtype=np.int64)


def faithful_words(total: int, cores: int) -> tuple[int, ...]:
    """The five words in the original's arithmetic, unsigned 32 bits wide: without rows word 2 is 0xFFFFFFFF."""
    total %= UINT32
    former = (total + cores - 1) % UINT32 // cores
    return total, former, (former - 1) % UINT32, (former * cores - total) % UINT32, min(total, cores)
