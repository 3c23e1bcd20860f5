"""What RmsNormBackward must give, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

__spec__ = {"rms_norm_backward": "RmsNormBackwardSpec"}


class RmsNormBackwardSpec:
    """Golden and third-party implementation: computed floats, sums over rows and over a row."""

    tolerance = {name: {"standard": "stat_rel_err"} for name in ("float32", "float16", "bfloat16")}
    op_type = "COMPUTE_FLOAT"

    @staticmethod
    def customize_inputs(dy: Any, x: Any, rstd: Any, gamma: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The reciprocal root mean square that x has, as the forward operator gives it."""
        squares = np.square(x.astype(np.float64)).reshape(rstd.size, -1)
        return dy, x, (1 / np.sqrt(squares.mean(1) + 1e-6)).astype(np.float32).reshape(rstd.shape), gamma

    @staticmethod
    def golden(dy: Any, x: Any, rstd: Any, gamma: Any, **kwargs: Any) -> list[Any]:
        """Row by row in float64; numpy in, numpy out."""
        scale, total = gamma.astype(np.float64).ravel(), np.zeros(gamma.size)
        dx = np.empty((rstd.size, gamma.size))
        rows = zip(dy.reshape(dx.shape), x.reshape(dx.shape), rstd.ravel(), strict=True)
        for index, (gradient, row, r) in enumerate(rows):
            g, v, r64 = gradient.astype(np.float64), row.astype(np.float64), float(r)
            total += g * v * r64
            dx[index] = g * scale * r64 - v * (g * scale * r64**3 * v).mean()
        return [dx.reshape(x.shape).astype(x.dtype), total.reshape(gamma.shape).astype(np.float32)]

    @staticmethod
    def third_party(
        dy: torch.Tensor, x: torch.Tensor, rstd: torch.Tensor, gamma: torch.Tensor, **kwargs: Any
    ) -> list[torch.Tensor]:
        """The same by autograd, through x / rms(x) · gamma with the norm written so that rstd is what was given."""
        with torch.enable_grad():
            scale = gamma.detach().float().requires_grad_()
            value = x.detach().float().requires_grad_()
            rows = value.view(rstd.numel(), -1)
            square = rows.square().mean(1, keepdim=True)
            norm = (square - square.detach() + rstd.view(-1, 1).float().pow(-2)).rsqrt()
            y = (rows * norm).view(x.shape) * scale
            dx, dgamma = torch.autograd.grad(y, (value, scale), dy.float())
        return [dx.to(x.dtype), dgamma]
