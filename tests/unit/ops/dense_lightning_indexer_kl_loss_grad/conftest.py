"""Both computations of the gradient, and calls to feed them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

from cannery.ops._lightning_indexer import engine
from cannery.ops._lightning_indexer import lse as softmax
from cannery.ops.dense_lightning_indexer_kl_loss_grad import eager as gradient


@dataclass
class Call:
    """A call of the gradient: tensors and geometry, with the log-sum-exp by our own operator."""

    q: torch.Tensor
    k: torch.Tensor
    w: torch.Tensor
    p: torch.Tensor
    geometry: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def draw(
        cls,
        q_lead: tuple[int, ...],
        k_lead: tuple[int, ...],
        *,
        heads: int = 8,
        dim: int = 128,
        dtype: torch.dtype = torch.float64,
        columns: int | None = None,
        seed: int = 0,
        **geometry: Any,
    ) -> Call:
        """Normal q and k, small weights, a target that does not sum to 1; ``q_lead`` is (T,) or (B, S)."""
        g = torch.Generator().manual_seed(seed)
        wide = torch.float64 if dtype is torch.float64 else torch.float32
        columns = k_lead[-1] if columns is None else columns
        return cls(
            torch.randn(*q_lead, heads, dim, generator=g, dtype=wide).to(dtype),
            torch.randn(*k_lead, 1, dim, generator=g, dtype=wide).to(dtype),
            torch.randn(*q_lead, heads, generator=g, dtype=wide) * (0.8 / heads / dim**0.5),
            torch.rand(*q_lead, 1, columns, generator=g, dtype=wide),
            geometry,
        )

    def lse(self) -> torch.Tensor:
        return softmax.softmax_lse(self.q, self.k, self.w, **self.geometry)

    def run(self, **more: Any) -> gradient.Gradients:
        return gradient.kl_loss_grad(self.q, self.k, self.w, self.p, self.lse(), **{**self.geometry, **more})


@pytest.fixture(params=["compiled", "portable"])
def computation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test by the compiled kernels (where this machine has them) and by plain PyTorch."""
    if request.param == "portable":
        for module in (gradient, softmax):
            monkeypatch.setattr(module, "has_kernels", lambda q: False)
    elif not engine.has_kernels(torch.empty(1, 128, dtype=torch.bfloat16)):
        pytest.skip("this machine has no kernels: numba is missing, or the processor's bf16 dot product")
    return str(request.param)


@pytest.fixture(scope="session")
def draw() -> Any:
    """``Call.draw``."""
    return Call.draw
