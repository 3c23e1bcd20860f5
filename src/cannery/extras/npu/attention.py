"""``npu_fusion_attention``, written in PyTorch's own operators.

Source: Ascend/op-plugin `docs/zh/custom_APIs/torch_npu/torch_npu-npu_fusion_attention.md` @517f2e7d.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn import functional

from cannery.extras.npu.attention_rules import ALIBI_ROWS, key_heads, without_left_out

ALL, LEFT_UP_CAUSAL, RIGHT_DOWN_CAUSAL, BAND = 1, 2, 3, 4
_STATISTICS = 8  # columns of softmax_max and softmax_sum, all alike
_NAME = "torch_npu.npu_fusion_attention"
_SEQUENCE: Mapping[str, int] = MappingProxyType({"BNSD": 2, "BSND": 1, "BSH": 1, "SBH": 0})
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
        if not q.shape[-2] or not k.shape[-2]:
            nothing = q.new_zeros(*q.shape[:-1], 1, dtype=torch.float32)
            return q.new_zeros(*q.shape[:-1], v.shape[-1]), nothing, nothing
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
        # Packed sequences share a mask of the longest.
        mask = self.atten_mask.bool()[..., :rows, :columns]
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
    softmax_layout: str = "",
    sink: Tensor | None = None,
    dropout_mask: Tensor | None = None,
    seed: int = 0,
    offset: int = 0,
) -> tuple[Tensor, Tensor, Tensor, Tensor, int, int, int]:
    """``dropout(softmax(mask(scale * (q·kᵀ + pse)))) · v``.

    Args:
        query, key, value: in ``input_layout``: BSH, SBH, BSND, BNSD, or TND with the two cumulative lengths.
        atten_mask: True where a key is not seen; with ``sparse_mode`` 2 to 4 its structure is what counts.
        sparse_mode: 0 the mask within the band, 1 the mask, 2 causal from the left top, 3 from the right bottom, 4 the
            band of ``pre_tockens`` and ``next_tockens`` from the right bottom.
        actual_seq_qlen, actual_seq_kvlen: ends of the packed sequences. Zeros behind them stand for sequences that are
            left out; rows behind the last end are 0.
        seed, offset: of the dropout mask, which comes from the device's generator here.

    Returns:
        Result; row maxima and row sums, float32 (…, 8); nothing; seed, offset and length of the dropout mask.

    Raises:
        NotImplementedError: another sparse mode, a padding mask, a prefix, a sink, a dropout mask, a position bias by
            its last rows or of packed sequences.
    """
    unbuilt = {"padding_mask": padding_mask, "prefix": prefix, "sink": sink, "dropout_mask": dropout_mask}
    input_layout = input_layout.upper()
    _check(input_layout, sparse_mode, unbuilt)
    _check_bias(pse, query, input_layout)
    call = _Call(atten_mask, pse, scale, keep_prob, pre_tockens, next_tockens, sparse_mode)
    if input_layout == "TND":
        result, top, total = _packed(call, query, key, value, actual_seq_qlen or [], actual_seq_kvlen or [])
    else:
        enter, leave = _LAYOUTS[input_layout]
        heads = key_heads(query, key, input_layout, head_num)
        result, top, total = call.attend(enter(query, head_num), enter(key, heads), enter(value, heads))
        result = leave(result).contiguous()
    top, total = (x.expand(*x.shape[:-1], _STATISTICS).contiguous() for x in (top, total))
    return result, top, total, query.new_empty(0), 0, 0, 0


def _check(layout: str, sparse_mode: int, unbuilt: Mapping[str, object]) -> None:
    if layout not in (*_LAYOUTS, "TND"):
        raise ValueError(f"input_layout: found {layout!r}, expected {', '.join(_LAYOUTS)} or TND")
    if sparse_mode not in range(5):
        raise NotImplementedError(f"{_NAME}(sparse_mode={sparse_mode}): cannery has modes 0 to 4")
    for name, value in unbuilt.items():
        if value is not None:
            raise NotImplementedError(f"{_NAME}({name}=…) is not there in cannery")


def _check_bias(pse: Tensor | None, query: Tensor, layout: str) -> None:
    if pse is not None and layout == "TND":
        raise NotImplementedError(f"{_NAME}(pse=…, input_layout='TND') is not there in cannery")
    rows = query.shape[_SEQUENCE[layout]] if layout in _SEQUENCE else 0
    if pse is not None and rows > ALIBI_ROWS and pse.shape[-2] == ALIBI_ROWS:
        raise NotImplementedError(f"{_NAME}(pse=…) by its last {ALIBI_ROWS} rows is not there in cannery")


def _packed(
    call: _Call, q: Tensor, k: Tensor, v: Tensor, ends_q: Sequence[int], ends_k: Sequence[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Each packed sequence by itself. The lengths are cumulative, without a leading 0."""
    ends_q, ends_k = without_left_out(ends_q), without_left_out(ends_k)
    if len(ends_q) != len(ends_k):
        found = f"{len(ends_q)} and {len(ends_k)} lengths"
        raise ValueError(f"actual_seq_qlen, actual_seq_kvlen: found {found}, expected as many of one as of the other")
    parts: list[tuple[Tensor, ...]] = []
    for start_q, end_q, start_k, end_k in zip([0, *ends_q], ends_q, [0, *ends_k], ends_k, strict=False):
        operands = (x.transpose(0, 1).unsqueeze(0) for x in (q[start_q:end_q], k[start_k:end_k], v[start_k:end_k]))
        parts.append(tuple(x.squeeze(0).transpose(0, 1) for x in call.attend(*operands)))
    rest = q.shape[0] - (ends_q[-1] if ends_q else 0)
    statistics = q.new_zeros(rest, q.shape[1], 1, dtype=torch.float32)
    parts.append((q.new_zeros(rest, q.shape[1], v.shape[2]), statistics, statistics))
    result, top, total = (torch.cat(column) for column in zip(*parts, strict=True))
    return result.contiguous(), top, total
