"""Rules on descriptors that the operators over (q, k, w) share, in the order the originals judge them.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad/op_host/arch35/`
(dense_lightning_indexer_kl_loss_grad_tiling_general_regbase.cpp), and
`attention/dense_lightning_indexer_softmax_lse_v2/op_host/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cannery.core import DataType, Shape, TensorDesc
from cannery.operator import CallContext

from .parameters import RESIDUALS
from .rules import Rule

HEAD_DIM = 128
MAX_HEADS = 128
CAUSAL = 3
LAYOUTS = ("TND", "BSND")
METADATA_SIZE = 64
METADATA = "a tensor, always: what the operator of the same name with Metadata behind it returns for this call"
# The originals take 16-bit queries and keys; the wider ones are for gradient checks.
NARROW = (DataType.DT_FLOAT16, DataType.DT_BF16)
WIDE = (DataType.DT_FLOAT, DataType.DT_DOUBLE)


@dataclass(frozen=True)
class IndexerCall:
    """A call of an operator whose first three inputs are queries, keys and weights."""

    context: CallContext

    def desc(self, name: str) -> TensorDesc | None:
        """Descriptor of an input, None when absent."""
        return self.context.input(name)

    def dims(self, name: str) -> Shape:
        """Shape of an input that is there."""
        return self.context.required(name).shape

    @property
    def attrs(self) -> Any:
        """Attributes by name."""
        return self.context.attrs

    @property
    def is_tnd(self) -> bool:
        """Whether batches are packed one after the other."""
        return bool(self.attrs["layout_q"] == "TND")

    @property
    def lead(self) -> Shape:
        """The dims of the queries that count rows: (T1,) or (B, S1)."""
        return Shape(self.q.shape[:-2])

    @property
    def q(self) -> TensorDesc:
        """The queries."""
        return self.context.required(self.context.definition.inputs[0].name)

    @property
    def k(self) -> TensorDesc:
        """The keys."""
        return self.context.required(self.context.definition.inputs[1].name)

    @property
    def batch(self) -> int:
        """Number of batches: len(cu_seqlens_q) - 1 for TND, which has been shown to be there, else the first dim."""
        return self.dims("cu_seqlens_q")[0] - 1 if self.is_tnd else self.q.shape[0]

    @property
    def accumulator(self) -> DataType:
        """What everything but q and k is in: float32; float64 where q is."""
        return DataType.DT_DOUBLE if self.q.dtype is DataType.DT_DOUBLE else DataType.DT_FLOAT


IndexerRule = Rule[IndexerCall]


def metadata_given() -> IndexerRule:
    """The metadata must be passed."""
    return IndexerRule("metadata", lambda c: c.desc("metadata") is not None, lambda c: "nothing", METADATA)


def attribute_rules() -> tuple[IndexerRule, ...]:
    """Layouts, equal ones, mask, ratio, and the residual where both need it."""

    def residual_given(call: IndexerCall) -> bool:
        needed = call.attrs["mask_mode"] == CAUSAL and call.attrs["cmp_ratio"] != 1
        return not needed or call.desc("cmp_residual_k") is not None

    return (
        _one_of("layout_q", LAYOUTS),
        _one_of("layout_k", LAYOUTS),
        IndexerRule(
            "layout_k",
            lambda c: c.attrs["layout_k"] == c.attrs["layout_q"],
            lambda c: c.attrs["layout_k"],
            lambda c: f"{c.attrs['layout_q']}, as layout_q",
        ),
        _one_of("mask_mode", (0, CAUSAL)),
        IndexerRule(
            "cmp_ratio",
            lambda c: 1 <= c.attrs["cmp_ratio"] <= 128,
            lambda c: c.attrs["cmp_ratio"],
            "a value in [1, 128]",
        ),
        IndexerRule(
            "cmp_residual_k",
            residual_given,
            lambda c: "nothing",
            RESIDUALS,
        ),
    )


def _one_of(name: str, values: Sequence[Any]) -> IndexerRule:
    words = " or ".join(map(str, values))
    return IndexerRule(name, lambda c: c.attrs[name] in values, lambda c: repr(c.attrs[name]), words)


def rank_rule(name: str, tnd: int, bsnd: int) -> IndexerRule:
    """A tensor has ``tnd`` dims for layout TND and ``bsnd`` for BSND."""

    def due(call: IndexerCall) -> int:
        return tnd if call.is_tnd else bsnd

    return IndexerRule(
        name,
        lambda c: c.dims(name).rank == due(c),
        lambda c: f"{c.dims(name).rank} dims",
        lambda c: f"{due(c)} dims for layout {c.attrs['layout_q']}",
    )


def dtype_rules(q: str, k: str, floats: Sequence[str]) -> tuple[IndexerRule, ...]:
    """Queries 16 bits wide, or wider where nothing has to be as in the original; keys like them; the rest float32."""

    def allowed(call: IndexerCall) -> tuple[DataType, ...]:
        return NARROW if call.context.quirks else NARROW + WIDE

    def typed(name: str) -> IndexerRule:
        return IndexerRule(
            name,
            lambda c: c.context.required(name).dtype is c.accumulator,
            lambda c: c.context.required(name).dtype.short,
            lambda c: c.accumulator.short,
        )

    return (
        IndexerRule(
            q,
            lambda c: c.q.dtype in allowed(c),
            lambda c: c.q.dtype.short,
            lambda c: " or ".join(d.short for d in allowed(c)),
        ),
        IndexerRule(
            k, lambda c: c.k.dtype is c.q.dtype, lambda c: c.k.dtype.short, lambda c: f"{c.q.dtype.short}, as {q}"
        ),
        *(typed(name) for name in floats),
    )


def shape_rules(q: str, k: str, row_shapes: Sequence[tuple[str, str]]) -> tuple[IndexerRule, ...]:
    """Dims across tensors; which of them may be 0 is another rule.

    Args:
        row_shapes: tensors that have an element or more a row, and their shape in the words of ``_expected``.
    """
    return (
        IndexerRule(
            k,
            lambda c: c.is_tnd or c.k.shape[0] == c.q.shape[0],
            lambda c: c.k.shape,
            lambda c: f"{c.q.shape[0]} batches",
        ),
        *(_row_shape(name, shape) for name, shape in row_shapes),
        IndexerRule(
            q, lambda c: 1 <= c.q.shape[-2] <= MAX_HEADS, lambda c: f"{c.q.shape[-2]} heads", f"1 to {MAX_HEADS} heads"
        ),
        IndexerRule(k, lambda c: c.k.shape[-2] == 1, lambda c: f"{c.k.shape[-2]} heads", "1 head"),
        *(_head_dim(name) for name in (q, k)),
    )


def _row_shape(name: str, words: str) -> IndexerRule:
    def due(call: IndexerCall) -> list[int | str]:
        return _expected(call, words)

    def holds(call: IndexerCall) -> bool:
        dims = call.dims(name)
        return len(dims) == len(due(call)) and all(w in ("*", d) for d, w in zip(dims, due(call), strict=True))

    return IndexerRule(name, holds, lambda c: c.dims(name), lambda c: f"[{', '.join(map(str, due(c)))}]")


def _expected(call: IndexerCall, words: str) -> list[int | str]:
    """``rows`` is (T1) or (B, S1), ``1rows`` (1, T1) or (B, 1, S1), ``heads`` N1, ``1`` 1, and ``*`` any number."""
    rows = list(call.lead)
    meanings: dict[str, list[int | str]] = {
        "rows": [*rows],
        "1rows": [*rows[:-1], 1, *rows[-1:]],
        "heads": [call.q.shape[-2]],
        "1": [1],
        "*": ["*"],
    }
    return [dim for word in words.split() for dim in meanings[word]]


def _head_dim(name: str) -> IndexerRule:
    return IndexerRule(
        name, lambda c: c.dims(name)[-1] == HEAD_DIM, lambda c: f"a head of {c.dims(name)[-1]}", f"a head of {HEAD_DIM}"
    )


def not_empty(name: str) -> IndexerRule:
    """A tensor of layout BSND has batches and rows."""
    return IndexerRule(
        name,
        lambda c: c.is_tnd or min(c.dims(name)[:2]) >= 1,
        lambda c: c.dims(name),
        "at least one batch and one row for layout BSND",
    )


def length_rules(offsets_layout: str = "TND") -> tuple[IndexerRule, ...]:
    """What the originals read, some without a look at it: offsets given for TND, int32 vectors, one element a batch.

    Args:
        offsets_layout: the layout for which offsets must have an element a batch and one more; "" for both.
    """
    return (
        *(_offsets_given(side) for side in "qk"),
        *(
            rule
            for name in ("cu_seqlens_q", "cu_seqlens_k", "seqused_q", "seqused_k", "cmp_residual_k", "metadata")
            for rule in _int32_vector(name)
        ),
        *(_elements(name, offsets_layout) for name in ("cu_seqlens_q", "cu_seqlens_k")),
        *(_elements(name, "") for name in ("seqused_q", "seqused_k", "cmp_residual_k")),
        IndexerRule(
            "metadata",
            lambda c: c.dims("metadata")[0] == METADATA_SIZE,
            lambda c: f"{c.dims('metadata')[0]} elements",
            f"{METADATA_SIZE} elements",
        ),
    )


def _offsets_given(side: str) -> IndexerRule:
    name = f"cu_seqlens_{side}"
    return IndexerRule(
        name,
        lambda c: not c.is_tnd or (c.desc(name) is not None and c.dims(name) != (0,)),
        lambda c: "nothing" if c.desc(name) is None else "no elements",
        "B + 1 offsets, which layout TND needs",
    )


def _int32_vector(name: str) -> tuple[IndexerRule, IndexerRule]:
    return (
        IndexerRule(
            name,
            lambda c: c.desc(name) is None or c.dims(name).rank == 1,
            lambda c: f"{c.dims(name).rank} dims",
            "1 dim",
        ),
        IndexerRule(
            name,
            lambda c: c.desc(name) is None or c.context.required(name).dtype is DataType.DT_INT32,
            lambda c: c.context.required(name).dtype.short,
            "int32",
        ),
    )


def _elements(name: str, only_for: str) -> IndexerRule:
    more = 1 if name.startswith("cu_") else 0

    def holds(call: IndexerCall) -> bool:
        is_read = call.desc(name) is not None and (not only_for or call.is_tnd)
        return not is_read or call.dims(name)[0] == call.batch + more

    return IndexerRule(
        name,
        holds,
        lambda c: f"{c.dims(name)[0]} elements",
        lambda c: f"{c.batch + more} for {c.batch} batches",
    )
