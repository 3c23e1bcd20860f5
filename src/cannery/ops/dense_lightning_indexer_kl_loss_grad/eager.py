"""The KL-loss gradient of the lightning indexer, in tile-sized memory on any device.

Source of the contract: ``recursion-ascend/ops-transformer``, ``attention/dense_lightning_indexer_kl_loss_grad``,
    a093e95. The factor ``sum(p)`` in dI is in its kernel (``vf_process_vec2_dense_kl_loss_grad.h``), not in its
    documentation.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from typing_extensions import Unpack

from cannery.ops._lightning_indexer.engine import has_kernels
from cannery.ops._lightning_indexer.geometry import ArgumentError
from cannery.ops._lightning_indexer.grad_tensors import GradTensors
from cannery.ops._lightning_indexer.operands import Geometry, Operands, check, layout, operands
from cannery.ops._lightning_indexer.rounding import round_half_away

from .portable import kl_loss_grad as portable

CAST_ROWS = 4096  # rows of dk cast at a time: the cast's temporaries stay small


class Gradients(NamedTuple):
    """dq like q, dk like k, dw like w, and y = exp(I - lse) like the target; zero wherever nothing is seen."""

    dq: torch.Tensor
    dk: torch.Tensor
    dw: torch.Tensor
    softmax_out: torch.Tensor


def kl_loss_grad(
    q: torch.Tensor,
    k: torch.Tensor,
    w: torch.Tensor,
    p: torch.Tensor,
    lse: torch.Tensor,
    *,
    deterministic: bool | None = None,
    out: tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor] | None = None,
    loss: torch.Tensor | None = None,
    **geometry: Unpack[Geometry],
) -> Gradients:
    """Gradients of ``sum over rows and visible keys of p * (log p - log softmax(I))`` with respect to q, k and w.

    Per row: ``y = exp(I - lse)``, ``dI = y * sum(p) - p``, ``dw[h] = sum_j dI[j] * relu(S[h, j])``,
    ``dS[h, j] = dI[j] * w[h]`` where ``S[h, j] = q[h] . k[j]`` is positive. dS is rounded to the dtype of q (half
    away from zero, saturating); sums run in float32, for float64 inputs in float64. No mean over rows, no
    coefficient.

    Args:
        q: (T, H, D) for TND, (B, S, H, D) for BSND; float16, bfloat16, float32 or float64.
        k: (T2, 1, D) or (B, S2, 1, D), dtype of q.
        w: (T, H) or (B, S, H); float32, float64 with float64 queries, and so p and lse.
        p: (T, 1, columns) or (B, S, 1, columns), the target; columns a row does not see may hold anything.
        lse: (1, T) or (B, 1, S), log-sum-exp of I over the visible keys; the softmax is not normalised again.
        deterministic: sum dk in ascending row order; None asks torch. The compiled kernels always do, and any call
            gives the same bits on any number of threads.
        out: where to write dq, dk, dw and softmax_out.
        loss: (T,) or (B, S) in the dtype of w: receives each row's loss, 0 log 0 being 0.
        geometry: layouts, lengths, mask and rows, see ``Geometry``; rows left out count as seeing nothing.

    Raises:
        ArgumentError: an argument that does not fit the others; nothing is written.
    """
    call = operands(q, k, w, geometry)
    _check_target(call, q, p, lse, layout(geometry, "q"))
    results = Gradients(*(_results(q, k, w, p) if out is None else _checked(out, q, k, w, p)))
    if loss is not None:
        check("loss", loss, call.precision, q.shape[:-2])
    if deterministic is None:
        deterministic = torch.are_deterministic_algorithms_enabled()
    _write(call, p, lse, results, loss, deterministic)
    return results


def _check_target(call: Operands, q: torch.Tensor, p: torch.Tensor, lse: torch.Tensor, spelling: str) -> None:
    check("attn_softmax_l1_norm", p, call.precision, (*q.shape[:-2], 1, p.shape[-1] if p.dim() else 0))
    rows = (1, q.shape[0]) if spelling == "TND" else (q.shape[0], 1, q.shape[1])
    check("softmax_lse", lse, call.precision, rows)
    widest = int(call.table.visible.max()) if len(call.table) else 0
    if p.shape[-1] < widest:
        raise ArgumentError("attn_softmax_l1_norm", f"{p.shape[-1]} columns", f"{widest}, the keys that a row sees")


def _results(q: torch.Tensor, k: torch.Tensor, w: torch.Tensor, p: torch.Tensor) -> list[torch.Tensor]:
    like = torch.contiguous_format
    # zeros, not empty: on the host, untouched pages of a sparse softmax cost nothing.
    return [torch.zeros_like(tensor, memory_format=like, requires_grad=False) for tensor in (q, k, w, p)]


def _checked(out: tuple[torch.Tensor, ...], *like: torch.Tensor) -> tuple[torch.Tensor, ...]:
    for name, result, model in zip(Gradients._fields, out, like, strict=True):
        check(name, result, model.dtype, model.shape)
    return out


def _write(
    call: Operands,
    p: torch.Tensor,
    lse: torch.Tensor,
    results: Gradients,
    loss: torch.Tensor | None,
    deterministic: bool,
) -> None:
    targets = [results.dq, results.dw, results.softmax_out, *([] if loss is None else [loss])]
    dq, dw, y, *losses = flat = [_zeroed(target) for target in targets]
    dk = torch.zeros_like(call.k, dtype=call.precision if has_kernels(call.q) else call.working)
    tensors = GradTensors(
        p.detach().flatten(0, -2).contiguous(),
        lse.detach().flatten().contiguous(),
        dq.view(call.q.shape),
        dk,
        dw.view(call.w.shape),
        y.flatten(0, -2),
        losses[0].view(-1) if losses else None,
    )
    compute(call, tensors, deterministic)
    for target, written in zip(targets, flat, strict=True):
        if written.data_ptr() != target.data_ptr():
            target.copy_(written)
    cast_dk(dk, results.dk)


def _zeroed(target: torch.Tensor) -> torch.Tensor:
    """The target itself, or a contiguous stand-in, filled with zeros."""
    return (
        target.detach().zero_()
        if target.is_contiguous()
        else torch.zeros(target.shape, dtype=target.dtype, device=target.device)
    )


def compute(call: Operands, tensors: GradTensors, deterministic: bool) -> None:
    """Write dq, dw and y, and add to dk, by the engine that fits the operands."""
    if not has_kernels(call.q):
        portable(call, tensors, deterministic=deterministic)
        return
    from cannery.ops._lightning_indexer.cpu.driver import kl_loss_grad as compiled

    compiled(call, tensors)


def cast_dk(dk: torch.Tensor, out: torch.Tensor) -> None:
    """Round the accumulated dk to the dtype of ``out``, some rows at a time."""
    into = out.detach().flatten(0, -2)
    for part, target in zip(dk.split(CAST_ROWS), into.split(CAST_ROWS), strict=True):
        target.copy_(round_half_away(part, out.dtype))
