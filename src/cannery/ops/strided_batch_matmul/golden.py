"""What StridedBatchMatmul must give, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__spec__ = {"strided_batch_matmul": "StridedBatchMatmulSpec"}


def _indices(start: int, rows: int, columns: int, leading: int) -> Any:
    return start + np.arange(rows)[:, None] * leading + np.arange(columns)


class StridedBatchMatmulSpec:
    """Golden: computed floats, sums of k products. Elements of C between the blocks are 0."""

    tolerance = {"float16": {"standard": "stat_rel_err"}}
    op_type = "COMPUTE_FLOAT"

    @staticmethod
    def accumulations(attrs: Mapping[str, Any]) -> int:
        """The longest sum of a call."""
        return max(attrs.get("k", (1,)), default=1)

    @staticmethod
    def golden(
        A: Any,
        B: Any,
        *,
        transposeA: bool = False,
        transposeB: bool = False,
        batch: int = 1,
        headNum: int = 1,
        **kw: Any,
    ) -> list[Any]:
        """Index by index out of flat memory, in float64; numpy in, numpy out."""
        a, b = A.ravel().astype(np.float64), B.ravel().astype(np.float64)
        c = np.zeros(headNum * sum(m * n for m, n in zip(kw["m"], kw["n"], strict=True)), A.dtype)
        at_a = at_b = at_c = 0
        for i in range(batch):
            m, n, k = kw["m"][i], kw["n"][i], kw["k"][i]
            for j in range(headNum):
                shape_a, shape_b = (k, m) if transposeA else (m, k), (n, k) if transposeB else (k, n)
                left = a[_indices(at_a + j * kw["strideA"][i], *shape_a, kw["lda"][i])]
                right = b[_indices(at_b + j * kw["strideB"][i], *shape_b, kw["ldb"][i])]
                product = (left.T if transposeA else left) @ (right.T if transposeB else right)
                c[_indices(at_c + j * kw["strideC"][i], m, n, kw["ldc"][i])] = product
            at_a, at_b, at_c = at_a + m * k * headNum, at_b + n * k * headNum, at_c + m * n * headNum
        return [c]
