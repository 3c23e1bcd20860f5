"""``npu_fusion_attention`` and ``npu_grouped_matmul``, written in PyTorch's own operators.

Source: Ascend/pytorch `docs/api/torch_npu/torch_npu-npu_fusion_attention.md`, `…-npu_grouped_matmul.md` @9e73e708.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn import functional

ALL, LEFT_UP_CAUSAL, RIGHT_DOWN_CAUSAL, BAND = 1, 2, 3, 4
_STATISTICS = 8  # columns of softmax_max and softmax_sum, all alike
_NAME = "torch_npu.npu_fusion_attention"
# Layout to (to BNSD, back), given the number of heads.
_LAYOUTS: Mapping[str, tuple[Callable[[Tensor, int], Tensor], Callable[[Tensor], Tensor]]] = MappingProxyType(
    {
        "BNSD": (lambda x, n: x, lambda x: x),
        "BSND": (lambda x, n: x.transpose(1, 2), lambda x: x.transpose(1, 2)),
        "BSH": (lambda x, n: x.unflatten(-1, (n, -1)).transpose(1, 2), lambda x: x.transpose(1, 2).flatten(2)),
        "SBH": (lambda x, n: x.unflatten(-1, (n, -1)).permute(1, 2, 0, 3), lambda x: x.permute(2, 0, 1, 3).flatten(2)),
    }
)


@dataclass(frozen=True)
class _Call:
    """What holds for every batch of a call."""

    atten_mask: Tensor | None
    pse: Tensor | None
    scale: float
    keep_prob: float
    before: int
    after: int
    sparse_mode: int

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Result, row maximum and row sum of (B, N, S, D) operands; key heads may be fewer."""
        group = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        scores = q.float() @ k.float().transpose(-1, -2)
        scores = (scores if self.pse is None else scores + self.pse.float()) * self.scale
        mask = self._mask(scores.shape[-2], scores.shape[-1], scores.device)
        scores = scores if mask is None else scores.masked_fill(mask, float("-inf"))
        return self._weighted(scores, v, q.dtype)

    def _weighted(self, scores: Tensor, v: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
        # A row that sees nothing gives zeros, not NaN.
        top = scores.amax(-1, keepdim=True).clamp_min(torch.finfo(torch.float32).min)
        weights = torch.exp(scores - top)
        total = weights.sum(-1, keepdim=True)
        shares = functional.dropout(weights / total.clamp_min(torch.finfo(torch.float32).tiny), 1 - self.keep_prob)
        return (shares @ v.float()).to(dtype), top, total

    def _mask(self, rows: int, columns: int, device: torch.device) -> Tensor | None:
        """True where a key is not seen."""
        if self.sparse_mode in (LEFT_UP_CAUSAL, RIGHT_DOWN_CAUSAL, BAND):
            return self._structural(rows, columns, device)
        return None if self.atten_mask is None else self._given(rows, columns, device)

    def _given(self, rows: int, columns: int, device: torch.device) -> Tensor:
        assert self.atten_mask is not None
        mask = self.atten_mask.bool()
        if self.sparse_mode == ALL or max(self.before, self.after) >= max(rows, columns):
            return mask
        return mask | _outside(rows, columns, 0, self.before, self.after, device)

    def _structural(self, rows: int, columns: int, device: torch.device) -> Tensor:
        shift = 0 if self.sparse_mode == LEFT_UP_CAUSAL else columns - rows
        before, after = (self.before, self.after) if self.sparse_mode == BAND else (rows + columns, 0)
        return _outside(rows, columns, shift, before, after, device)


def _outside(rows: int, columns: int, shift: int, before: int, after: int, device: torch.device) -> Tensor:
    """True outside the band around the diagonal that begins ``shift`` columns to the right."""
    row = torch.arange(rows, device=device).unsqueeze(1) + shift
    column = torch.arange(columns, device=device)
    return (column > row + after) | (column < row - before)


def npu_fusion_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    input_layout: str,
    pse: Tensor | None = None,
    padding_mask: Tensor | None = None,
    atten_mask: Tensor | None = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = 2147483647,
    next_tockens: int = 2147483647,
    inner_precise: int = 0,
    prefix: list[int] | None = None,
    actual_seq_qlen: list[int] | None = None,
    actual_seq_kvlen: list[int] | None = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor, int, int, int]:
    """``dropout(softmax(mask(scale * (q·kᵀ + pse)))) · v``.

    Args:
        query, key, value: in ``input_layout``: BSH, SBH, BSND, BNSD, or TND with the two cumulative lengths.
        atten_mask: True where a key is not seen; with ``sparse_mode`` 2 to 4 its structure is what counts.
        sparse_mode: 0 the mask within the band, 1 the mask, 2 causal from the left top, 3 from the right bottom, 4 the
            band of ``pre_tockens`` and ``next_tockens`` from the right bottom.

    Returns:
        Result; row maxima and row sums, float32 (…, 8); nothing; seed, offset and length of the dropout mask.

    Raises:
        NotImplementedError: another layout or sparse mode, a padding mask, a prefix.
    """
    _check(input_layout, sparse_mode, padding_mask, prefix)
    call = _Call(atten_mask, pse, scale, keep_prob, pre_tockens, next_tockens, sparse_mode)
    if input_layout == "TND":
        result, top, total = _packed(call, query, key, value, actual_seq_qlen or [], actual_seq_kvlen or [])
    else:
        enter, leave = _LAYOUTS[input_layout]
        # Heads share their size between query and key, so the key's number of heads follows from its width.
        size = query.shape[-1] // head_num if input_layout in ("BSH", "SBH") else query.shape[-1]
        heads = key.shape[-1] // size
        result, top, total = call.attend(enter(query, head_num), enter(key, heads), enter(value, heads))
        result = leave(result).contiguous()
    top, total = (x.expand(*x.shape[:-1], _STATISTICS).contiguous() for x in (top, total))
    return result, top, total, query.new_empty(0), 0, 0, 0


def _check(layout: str, sparse_mode: int, padding_mask: Tensor | None, prefix: Sequence[int] | None) -> None:
    if layout not in (*_LAYOUTS, "TND"):
        raise ValueError(f"input_layout: found {layout!r}, expected {', '.join(_LAYOUTS)} or TND")
    if sparse_mode not in range(5):
        raise NotImplementedError(f"{_NAME}(sparse_mode={sparse_mode}): cannery has modes 0 to 4")
    for name, value in (("padding_mask", padding_mask), ("prefix", prefix)):
        if value is not None:
            raise NotImplementedError(f"{_NAME}({name}=…) is not there in cannery")


def _packed(
    call: _Call, q: Tensor, k: Tensor, v: Tensor, ends_q: Sequence[int], ends_k: Sequence[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Each packed sequence by itself. The lengths are cumulative, without a leading 0."""
    if not ends_q or len(ends_q) != len(ends_k):
        found = f"{len(ends_q)} and {len(ends_k)} lengths"
        raise ValueError(f"actual_seq_qlen, actual_seq_kvlen: found {found}, expected as many of one as of the other")
    parts: list[tuple[Tensor, ...]] = []
    for start_q, end_q, start_k, end_k in zip([0, *ends_q], ends_q, [0, *ends_k], ends_k, strict=False):
        operands = (x.transpose(0, 1).unsqueeze(0) for x in (q[start_q:end_q], k[start_k:end_k], v[start_k:end_k]))
        parts.append(call.attend(*operands))
    result, top, total = (
        torch.cat([x.squeeze(0).transpose(0, 1) for x in column]) for column in zip(*parts, strict=True)
    )
    return result.contiguous(), top, total


def npu_grouped_matmul(
    x: list[Tensor],
    weight: list[Tensor],
    *,
    bias: list[Tensor] | None = None,
    group_list: Tensor | list[int] | None = None,
    split_item: int = 0,
    group_type: int | None = None,
    group_list_type: int = 0,
    output_dtype: torch.dtype | None = None,
) -> list[Tensor]:
    """A matmul a group: pairs of tensors, or the rows of one x split by ``group_list``.

    Args:
        x: one (M, K), or one a group.
        weight: one (G, K, N), or one (K, N) a group.
        group_list: ends of the groups' rows, or their numbers with ``group_list_type=1``.
        split_item: 0 or 1 one result a group, 2 or 3 all in one.

    Raises:
        NotImplementedError: grouped along K (``group_type=2``), or lists of another type.
    """
    if group_type not in (None, -1, 0) or group_list_type not in (0, 1):
        raise NotImplementedError(
            f"torch_npu.npu_grouped_matmul(group_type={group_type}, group_list_type={group_list_type}): cannery has "
            "group_type -1 and 0, group_list_type 0 and 1"
        )
    weights = list(weight[0].unbind(0)) if len(weight) == 1 and weight[0].dim() == 3 else list(weight)
    rows = list(x) if len(x) > 1 or group_list is None else _split(x[0], group_list, group_list_type)
    if len(rows) != len(weights):
        raise ValueError(f"npu_grouped_matmul: found {len(rows)} groups of x, expected {len(weights)}, as weight has")
    added = [None] * len(rows) if not bias else list(bias[0].unbind(0)) if bias[0].dim() == 2 else list(bias)
    results = [_product(r, w, b, output_dtype or r.dtype) for r, w, b in zip(rows, weights, added, strict=True)]
    return [torch.cat(results)] if split_item in (2, 3) else results


def _product(x: Tensor, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> Tensor:
    product = x.float() @ weight.float()
    return (product if bias is None else product + bias.float()).to(dtype)


def _split(x: Tensor, groups: Tensor | Sequence[int], kind: int) -> list[Tensor]:
    numbers = groups.tolist() if isinstance(groups, Tensor) else list(groups)
    ends = numbers if kind == 0 else torch.tensor(numbers).cumsum(0).tolist()
    return [x[start:end] for start, end in zip([0, *ends], ends, strict=False)]
