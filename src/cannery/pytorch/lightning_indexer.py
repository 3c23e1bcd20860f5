"""The KL loss that trains a lightning indexer against dense attention, for model code: a module and its functions.

The loss of a row is ``sum over visible keys of p * (log p - log softmax(I))`` with the target p, a constant, and the
indexer's score ``I[j] = sum over heads of w[h] * relu(q[h] . k[j])``. Loss and gradients come out of one pass over the
keys, in memory for some rows at a time: neither scores nor a target that is built on the way are ever whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from cannery.core import own_precision
from cannery.ops._lightning_indexer.geometry import ArgumentError, Ints, as_int64
from cannery.ops._lightning_indexer.operands import Geometry
from cannery.ops._threads.workers import one_thread
from cannery.ops.dense_lightning_indexer_kl_loss_grad.tiled import AttentionTarget, ReadyTarget, row_losses

REDUCTIONS = ("sum", "mean", "none")
SCALED_ROWS = 8192  # rows of a gradient scaled at a time
Lengths = Tensor | Sequence[int] | None


class LossAndGradients(NamedTuple):
    """What one call gives: the loss, reduced, and the gradients of that loss (with "none": of its sum)."""

    loss: Tensor
    dq: Tensor
    dk: Tensor
    dw: Tensor


@dataclass(frozen=True)
class _Plan:
    """A call without its differentiable tensors."""

    target: ReadyTarget | AttentionTarget
    geometry: Geometry
    reduction: str
    coefficient: float

    def run(self, q: Tensor, k: Tensor, w: Tensor, row_weight: Tensor | None = None) -> _Made:
        """Losses and gradients, weighted or not, and what they are still to be multiplied with."""
        device = q.device
        q, k, w, row_weight = (_near(tensor) for tensor in (q, k, w, row_weight))
        with torch.no_grad(), own_precision(q.device):
            *results, used = row_losses(
                q, k, w, self.target, self.geometry, check=self.target.check, row_weight=row_weight
            )
            loss, *gradients = (result.to(device) for result in results)
        return _Made(loss, gradients, self.coefficient / max(used, 1) if self.reduction == "mean" else self.coefficient)

    def reduced(self, made: _Made) -> Tensor:
        """The loss that the caller gets."""
        if self.reduction == "none":
            return (made.rows * made.factor).to(made.rows.dtype)
        with one_thread():
            return (made.rows.sum(dtype=torch.float64) * made.factor).to(made.rows.dtype)


@dataclass(frozen=True)
class _Made:
    """A loss for each row, dq, dk and dw of their sum, and the factor that the reduction and the coefficient make."""

    rows: Tensor
    gradients: list[Tensor]
    factor: float


@dataclass(frozen=True)
class _Call:
    """What a call may have beside q, k, w and the target, under the names that users give it."""

    attn_q: Tensor | None = None
    attn_k: Tensor | None = None
    cu_seqlens_q: Lengths = None
    cu_seqlens_k: Lengths = None
    seqused_q: Lengths = None
    seqused_k: Lengths = None
    cmp_residual_k: Lengths = None
    rows: Lengths | Ints = None


def _check_names(call: Mapping[str, Any]) -> None:
    names = [field.name for field in fields(_Call)]
    unknown = next((name for name in call if name not in names), None)
    if unknown is not None:
        raise TypeError(f"LightningIndexerKLLoss: found {unknown!r}, expected one of {', '.join(names)}")


def _check_tensors(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, Tensor):
            raise ArgumentError(name, type(value).__name__, "a tensor")


def _is_integer(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, Integral)


def _is_finite(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


class LightningIndexerKLLoss(nn.Module):
    """KL loss between the main attention's distribution and the lightning indexer's, summed or averaged over rows.

    Args:
        reduction: "sum" over rows; "mean" over all rows in use, those that see no key included (their loss is 0);
            "none" for one value a row, (B, S) or (T,), 0 for rows that see nothing or are not used.
        coefficient: factor of the loss. With 0 nothing is computed: the loss is 0 and no gradient is made.
        layout: "BSND" for padded batches, "TND" for packed ones.
        mask_mode: 0 every used key, 3 causal, aligned bottom right.
        cmp_ratio: original tokens that a key stands for.
        scale: of the main attention's scores when the target is built; None for ``head size ** -0.5``.

    Example:
        >>> criterion = LightningIndexerKLLoss(layout="TND", mask_mode=3)
        >>> loss = criterion(q, k, w, attn_q=main_q, attn_k=main_k, cu_seqlens_q=cu, cu_seqlens_k=cu)
        >>> loss.backward()  # reaches q, k and w only: the target is a constant

    The gradients are those of the operator DenseLightningIndexerKLLossGrad, the same bits at any number of threads.
    """

    def __init__(
        self,
        *,
        reduction: str = "mean",
        coefficient: float = 1.0,
        layout: str = "BSND",
        mask_mode: int = 0,
        cmp_ratio: int = 1,
        scale: float | None = None,
    ) -> None:
        super().__init__()
        if reduction not in REDUCTIONS:
            raise ArgumentError("reduction", repr(reduction), ", ".join(REDUCTIONS))
        if layout not in ("BSND", "TND"):
            raise ArgumentError("layout", repr(layout), "BSND or TND")
        if not _is_integer(mask_mode) or mask_mode not in (0, 3):
            raise ArgumentError("mask_mode", repr(mask_mode), "0 or 3")
        if not _is_integer(cmp_ratio) or not 1 <= cmp_ratio <= 128:
            raise ArgumentError("cmp_ratio", repr(cmp_ratio), "an integer in [1, 128]")
        if not _is_finite(coefficient):
            raise ArgumentError("coefficient", repr(coefficient), "a finite real number")
        if scale is not None and not _is_finite(scale):
            raise ArgumentError("scale", repr(scale), "a finite real number, or None")
        self.reduction, self.coefficient, self.layout = reduction, coefficient, layout
        self.mask_mode, self.cmp_ratio, self.scale = mask_mode, cmp_ratio, scale

    def extra_repr(self) -> str:
        """The settings, as torch prints modules."""
        names = ("reduction", "coefficient", "layout", "mask_mode", "cmp_ratio", "scale")
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names)

    @torch.compiler.disable
    def forward(self, q: Tensor, k: Tensor, w: Tensor, target: Tensor | None = None, **call: Any) -> Tensor:
        """The loss, differentiable with respect to q, k and w.

        Args:
            q: indexer queries, (B, S, H, D) or (T, H, D); float16, bfloat16, float32 or float64.
            k: indexer keys, (B, S2, 1, D) or (T2, 1, D), in the dtype of q.
            w: head weights, (B, S, H) or (T, H); float32, float64 where q is.
            target: p, (B, S, 1, columns) or (T, 1, columns), in the dtype of w; instead of ``attn_q`` and ``attn_k``.
            attn_q, attn_k: queries (B, S, heads, size) and keys (B, S2, key heads, size) of the main attention, packed
                likewise; p is then the mean over heads of its softmax over the keys that the row sees.
            cu_seqlens_q, cu_seqlens_k: (B + 1,) prefix sums of the lengths, for layout TND.
            seqused_q, seqused_k: (B,) used lengths.
            cmp_residual_k: (B,) original tokens behind the last whole group of ``cmp_ratio``.
            rows: numbers of the rows to compute, over the used rows of all batches; None for all. "mean" divides by all
                used rows, computed or not: losses and gradients of ranks that share the rows (``row_schedules``) add up
                to the whole. Where they are averaged instead, as DDP does, ``coefficient`` is the number of ranks.

        Returns:
            A scalar, or with reduction "none" (B, S) or (T,), in the dtype of w.

        Raises:
            ArgumentError: an argument that does not fit the others.
            TypeError: an argument of another name.
        """
        _check_names(call)
        _check_tensors(q=q, k=k, w=w)
        if self.coefficient == 0:
            return _NoLoss.apply(q, k, w, w.new_zeros(q.shape[:-2] if self.reduction == "none" else ()))
        return _Loss.apply(q, k, w, self._plan(q, k, target, call))

    def loss_and_gradients(
        self, q: Tensor, k: Tensor, w: Tensor, target: Tensor | None = None, **call: Any
    ) -> LossAndGradients:
        """Loss and gradients of q, k and w in one call, for a backward of one's own. Arguments as ``forward``."""
        _check_names(call)
        _check_tensors(q=q, k=k, w=w)
        if self.coefficient == 0:
            zeros = (torch.zeros_like(x, requires_grad=False) for x in (q, k, w))
            return LossAndGradients(w.new_zeros(q.shape[:-2] if self.reduction == "none" else ()), *zeros)
        plan = self._plan(q, k, target, call)
        made = plan.run(q, k, w)
        return LossAndGradients(plan.reduced(made), *(_scaled(gradient, made.factor) for gradient in made.gradients))

    def _plan(self, q: Tensor, k: Tensor, target: Tensor | None, call: Mapping[str, Any]) -> _Plan:
        """The call with its tensors near and its lengths named as the computation names them."""
        given = _Call(**{name: _near(value) for name, value in call.items()})
        geometry = Geometry(
            layout_q=self.layout,
            layout_k=self.layout,
            cu_q=given.cu_seqlens_q,
            cu_k=given.cu_seqlens_k,
            seqused_q=given.seqused_q,
            seqused_k=given.seqused_k,
            residual=given.cmp_residual_k,
            mask_mode=self.mask_mode,
            cmp_ratio=self.cmp_ratio,
        )
        geometry["rows"] = None if given.rows is None else as_int64("rows", given.rows)
        source = self._target(tuple(q.shape[:-2]), tuple(k.shape[:-2]), _near(target), given.attn_q, given.attn_k)
        return _Plan(source, geometry, self.reduction, self.coefficient)

    def _target(
        self,
        rows: tuple[int, ...],
        keys: tuple[int, ...],
        target: Tensor | None,
        attn_q: Tensor | None,
        attn_k: Tensor | None,
    ) -> ReadyTarget | AttentionTarget:
        named = {"target": target, "attn_q": attn_q, "attn_k": attn_k}
        _check_tensors(**{name: tensor for name, tensor in named.items() if tensor is not None})
        if target is not None and attn_q is None and attn_k is None:
            return ReadyTarget(target, rows)
        if target is None and attn_q is not None and attn_k is not None:
            scale = attn_q.shape[-1] ** -0.5 if self.scale is None else self.scale
            return AttentionTarget(attn_q, attn_k, scale, rows, keys)
        given = ", ".join(name for name, tensor in named.items() if tensor is not None) or "nothing"
        raise ArgumentError("target", given, "either target, or attn_q and attn_k")


class _Loss(torch.autograd.Function):
    """Gradients are made with the loss, when somebody wants them; a loss a row weighs them anew on the way back."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, w: Tensor, plan: _Plan) -> Tensor:
        made = plan.run(q, k, w)
        ctx.plan, ctx.factor = plan, made.factor
        ctx.save_for_backward(*((q, k, w) if plan.reduction == "none" else made.gradients))
        return plan.reduced(made)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        with torch.no_grad():
            tensors = ctx.saved_tensors
            if ctx.plan.reduction == "none":
                tensors = ctx.plan.run(*tensors, row_weight=upstream.contiguous()).gradients
                upstream = upstream.new_ones(())
            pairs = zip(tensors, ctx.needs_input_grad[:3], strict=True)
            gradients = [_scaled(g, upstream * ctx.factor) if needed else None for g, needed in pairs]
        if torch.is_grad_enabled():  # somebody means to differentiate the gradients
            end = torch.zeros((), requires_grad=True)
            gradients = [None if g is None else _NoDerivative.apply(g, end) for g in gradients]
        return (*gradients, None)


class _NoDerivative(torch.autograd.Function):
    """A gradient as it is; who differentiates it hears that this cannot be done, instead of getting zeros."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, end: Tensor) -> Tensor:
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[None, None]:
        raise RuntimeError("LightningIndexerKLLoss: found a second derivative asked for, expected the first alone")


class _NoLoss(torch.autograd.Function):
    """A loss of zero that takes part in ``backward`` without making a gradient."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, w: Tensor, zero: Tensor) -> Tensor:
        return zero

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[None, ...]:
        return (None,) * 4


def _near(value: Any) -> Any:
    """A tensor of the NPU, virtual or not, on the host, which computes for it; everything else as it is."""
    custom = torch._C._get_privateuse1_backend_name()
    return value.detach().cpu() if isinstance(value, Tensor) and value.device.type == custom else value


def _scaled(gradient: Tensor, factor: Tensor | float) -> Tensor:
    """The product, rounded once to the gradient's own type; wider only for some rows at a time."""
    if isinstance(factor, float) and factor == 1.0:
        return gradient
    out = torch.empty_like(gradient)
    for rows, into in zip(
        gradient.flatten(0, -2).split(SCALED_ROWS), out.flatten(0, -2).split(SCALED_ROWS), strict=True
    ):
        into.copy_(rows.to(torch.promote_types(rows.dtype, torch.float32)) * factor)
    return out
