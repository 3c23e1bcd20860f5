"""What the gradients must be, by the TestSpec contract of ops-test-kit: dense, float64, by autograd.

The comparison is that of the sparse sibling's tests, ``recursion-ascend/ops-transformer``,
``attention/sparse_lightning_indexer_kl_loss_grad/tests/pytest/test_sparse_lightning_indexer_kl_loss_grad.py``, a093e95;
the dense operator has none of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from cannery.ops._lightning_indexer.dealing import gradient_words
from cannery.ops._lightning_indexer.reference import Piece, double, lengths_of, pieces, scores
from cannery.ops._lightning_indexer.signature import takes
from cannery.ops.dense_lightning_indexer_kl_loss_grad.definition import DEFINITION

__spec__ = {"dense_lightning_indexer_kl_loss_grad": "DenseLightningIndexerKLLossGradSpec"}

# Elements smaller than the threshold by this much are judged by their absolute error.
SMALL = 2.0**-14


@dataclass(frozen=True)
class Criterion:
    """A share of the elements within a threshold, and a limit for the largest error."""

    threshold: float
    share: float
    limit: float

    def errors(self, found: np.ndarray, expected: np.ndarray) -> np.ndarray:
        """Absolute below the threshold, else relative to the larger magnitude."""
        a, e = found.astype(np.float64).reshape(-1), expected.astype(np.float64).reshape(-1)
        difference = np.abs(a - e)
        scale = np.maximum(np.maximum(np.abs(a), np.abs(e)), SMALL / self.threshold) + 1e-9
        return np.where(difference < self.threshold, difference, difference / scale)

    def verdict(self, found: np.ndarray, expected: np.ndarray) -> dict[str, Any]:
        """The answer of a ``compare`` hook."""
        if not found.size:
            return {"pass": True, "precision": 100.0}
        error = self.errors(found, expected)
        within = float((error <= self.threshold).mean())
        largest = float(error.max())
        zeros = np.array_equal(found.reshape(-1)[expected.reshape(-1) == 0], np.zeros((expected == 0).sum()))
        good = within >= self.share and largest < self.limit and zeros
        words = (
            f"{within:.4%} within {self.threshold}, largest {largest:.3g}, zero regions {'kept' if zeros else 'lost'}"
        )
        return {"pass": good, "precision": 100 * within, "error_info": "" if good else words}


DEFAULT = Criterion(threshold=0.005, share=0.995, limit=0.1)
WEIGHTS = Criterion(threshold=0.05, share=0.95, limit=0.1)


class DenseLightningIndexerKLLossGradSpec:
    """Golden, comparison and data of the operator."""

    @staticmethod
    @takes(DEFINITION)
    def golden(call: SimpleNamespace) -> list[np.ndarray]:
        """dq, dk, dw, softmax_out as float32."""
        leaves = [double(x) for x in (call.q, call.k, call.w)]
        target, lse = double(call.attn_softmax_l1_norm).flatten(0, -2), double(call.softmax_lse).flatten()
        y = torch.zeros_like(target)
        grads = [torch.zeros_like(leaf) for leaf in leaves]
        for piece in pieces(call.q, call.k, call):
            _add_piece(piece, leaves, target, lse, grads, y)
        results = (*grads, y.reshape(call.attn_softmax_l1_norm.shape))
        return [result.numpy().astype(np.float32) for result in results]

    @staticmethod
    def compare(*arrays: np.ndarray) -> list[dict[str, Any]]:
        """dq, dk, dw, softmax_out against theirs; zeros must be zeros."""
        outputs, goldens = arrays[:4], arrays[4:]
        criteria = (DEFAULT, DEFAULT, WEIGHTS, DEFAULT)
        return [rule.verdict(a, e) for rule, a, e in zip(criteria, outputs, goldens, strict=True)]

    @staticmethod
    @takes(DEFINITION)
    def customize_inputs(call: SimpleNamespace) -> tuple[Any, ...]:
        """Ascending offsets, the metadata of the call, a target of mass 0.7 on what is visible, and the log-sum-exp."""
        lengths = lengths_of(call)
        call.cu_seqlens_q, call.cu_seqlens_k = lengths[:2]
        q, k, w = (double(x) for x in (call.q, call.k, call.w))
        flat_q, flat_k, flat_w = q.flatten(0, -3), k.flatten(0, -2), w.flatten(0, -2)
        target, lse = double(call.attn_softmax_l1_norm).abs().flatten(0, -2), double(call.softmax_lse).flatten()
        for piece in pieces(call.q, call.k, call):
            logits = scores(flat_q[piece.rows], flat_k[piece.keys], flat_w[piece.rows])
            lse[piece.rows] = logits.masked_fill(~piece.mask, -torch.inf).logsumexp(1)
            seen = target[piece.rows, : piece.mask.shape[1]] * piece.mask
            target[piece.rows] *= 0.7 / seen.sum(1, keepdim=True).clamp_min(1e-9)
        drawn = (
            target.reshape(call.attn_softmax_l1_norm.shape).numpy().astype(np.float32),
            lse.reshape(call.softmax_lse.shape).numpy().astype(np.float32),
        )
        return (call.q, call.k, call.w, *drawn, *lengths, _metadata(call))


def _metadata(call: SimpleNamespace) -> np.ndarray:
    batch, each = (0, 0) if call.layout_q == "TND" else call.q.shape[:2]
    sizes = {"batch_size": batch, "max_seqlen_q": each, "max_seqlen_k": 0}
    return gradient_words(SimpleNamespace(**vars(call), **sizes))


def _add_piece(
    piece: Piece,
    leaves: list[torch.Tensor],
    target: torch.Tensor,
    lse: torch.Tensor,
    grads: list[torch.Tensor],
    y: torch.Tensor,
) -> None:
    """Add one batch's gradients: those of the sum of dI * I with dI held fixed."""
    if not piece.mask.any():
        return
    seeing = piece.mask.any(1)
    rows = torch.arange(piece.rows.start, piece.rows.stop)[seeing]
    mask = piece.mask[seeing]
    flat = [leaf.flatten(0, -3 + (i > 0)) for i, leaf in enumerate(leaves)]
    parts = [flat[0][rows], flat[1][piece.keys], flat[2][rows]]
    logits = scores(*(part.requires_grad_() for part in parts))
    keys = mask.shape[1]
    p = target[rows][:, :keys].masked_fill(~mask, 0)
    softmax = (logits.detach() - lse[rows][:, None]).exp().masked_fill(~mask, 0)
    di = softmax * p.sum(1, keepdim=True) - p
    dq, dk, dw = torch.autograd.grad((di * logits).sum(), parts)
    grads[0].flatten(0, -3)[rows] += dq
    grads[1].flatten(0, -2)[piece.keys] += dk
    grads[2].flatten(0, -2)[rows] += dw
    y[rows, :keys] = softmax
