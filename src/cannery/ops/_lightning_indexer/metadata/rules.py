"""The host checks: 35 rules in the original's order, then what the documentation demands besides.

Source: recursion-ascend/ops-transformer `attention/dense_lightning_indexer_kl_loss_grad_metadata/op_host/
dense_lightning_indexer_kl_loss_grad_metadata_check.h` @a093e95.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cannery.core import DataType, TensorDesc
from cannery.operator import CallContext
from cannery.ops._lightning_indexer.metadata.infershape import METADATA
from cannery.ops._lightning_indexer.parameters import OPTIONAL_INPUTS, RESIDUALS
from cannery.ops._lightning_indexer.rules import Rule
from cannery.ops._lightning_indexer.split import METADATA_SIZE
from cannery.soc import Soc

GATE = "Ascend950"
LAYOUTS = ("TND", "BSND")
CAUSAL = 3


@dataclass(frozen=True)
class Call:
    """What the host checks look at.

    Attributes:
        attrs: attributes by name; a layout is None where its pointer was null.
        tensors: descriptors of the inputs that exist: a tensor without elements in its first dim does not.
        metadata: descriptor of the output; a null pointer is spelled as a tensor of undefined data type.
    """

    attrs: Mapping[str, Any]
    tensors: Mapping[str, TensorDesc]
    metadata: TensorDesc
    soc: Soc

    @classmethod
    def of(cls, context: CallContext) -> Call:
        """Read a call; where the caller gave no buffer the output is the one we allocate."""
        named = zip(OPTIONAL_INPUTS, context.inputs, strict=False)
        tensors = {name: desc for name, desc in named if desc is not None and exists(desc)}
        given = (context.buffers or context.outputs)[:1]
        return cls(context.attrs, tensors, given[0] if given and given[0] is not None else METADATA, context.soc)

    def batch(self, side: str) -> int:
        """Number of batches as the tensors and attributes of ``side`` ("q" or "k") tell it."""
        used = self.tensors.get(f"seqused_{side}")
        if used is not None:
            return used.shape[0]
        offsets = self.offsets(side)
        return offsets.shape[0] - 1 if offsets is not None else int(self.attrs["batch_size"])

    def offsets(self, side: str) -> TensorDesc | None:
        """The cu_seqlens of a side whose layout reads it."""
        return self.tensors.get(f"cu_seqlens_{side}") if self.attrs[f"layout_{side}"] == "TND" else None


def exists(desc: TensorDesc) -> bool:
    """Whether the original takes the tensor for present."""
    return desc.shape.rank > 0 and desc.shape[0] > 0


def _within(name: str, low: int, high: int) -> Rule[Call]:
    expected = str(low) if low == high else f"a value in [{low}, {high}]"
    return Rule(name, lambda call: low <= call.attrs[name] <= high, lambda call: call.attrs[name], expected)


def not_negative(name: str) -> Rule[Call]:
    return Rule(name, lambda call: call.attrs[name] >= 0, lambda call: call.attrs[name], "a value that is at least 0")


def _layout(name: str) -> tuple[Rule[Call], Rule[Call]]:
    there = Rule[Call](name, lambda c: c.attrs[name] is not None, lambda c: "a null pointer", "TND or BSND")
    known = Rule[Call](name, lambda c: c.attrs[name] in LAYOUTS, lambda c: repr(c.attrs[name]), "TND or BSND")
    return there, known


def cores(field: str) -> Rule[Call]:
    found = f"soc.{field}"
    return Rule(found, lambda call: getattr(call.soc, field) > 0, lambda call: getattr(call.soc, field), "more than 0")


def _offsets_present(side: str) -> Rule[Call]:
    name, layout = f"cu_seqlens_{side}", f"layout_{side}"
    expected = f"a tensor, which {layout} TND needs"
    return Rule(name, lambda c: c.attrs[layout] != "TND" or name in c.tensors, lambda c: "nothing", expected)


def _one_dim(name: str) -> Rule[Call]:
    return Rule(
        name,
        lambda call: name not in call.tensors or call.tensors[name].shape.rank == 1,
        lambda call: f"{call.tensors[name].shape.rank} dims",
        "1 dim",
    )


def _int32(name: str) -> Rule[Call]:
    return Rule(
        name,
        lambda call: name not in call.tensors or call.tensors[name].dtype is DataType.DT_INT32,
        lambda call: f"data type {call.tensors[name].dtype.short} ({int(call.tensors[name].dtype)})",
        "int32 (3)",
    )


def _offsets_match_used(side: str) -> Rule[Call]:
    def holds(call: Call) -> bool:
        offsets = call.offsets(side)
        return offsets is None or offsets.shape[0] - 1 == call.batch(side)

    name = f"cu_seqlens_{side}"
    return Rule(
        name,
        holds,
        lambda call: f"{call.tensors[name].shape[0] - 1} batches",
        lambda call: f"{call.batch(side)} batches, as seqused_{side} has",
    )


def _batch_size_agrees(side: str) -> Rule[Call]:
    def told(call: Call) -> int:
        offsets = call.offsets(side)
        return int(call.attrs["batch_size"]) if offsets is None else offsets.shape[0] - 1

    return Rule(
        "batch_size",
        lambda call: call.attrs["batch_size"] in (0, told(call)),
        lambda call: call.attrs["batch_size"],
        lambda call: f"0, or {told(call)} as cu_seqlens_{side} says",
    )


SINGLE_RULES: tuple[Rule[Call], ...] = (
    _within("num_heads_q", 1, 128),
    _within("num_heads_k", 1, 1),
    _within("head_dim", 128, 128),
    not_negative("batch_size"),
    not_negative("max_seqlen_q"),
    not_negative("max_seqlen_k"),
    Rule("mask_mode", lambda c: c.attrs["mask_mode"] in (0, CAUSAL), lambda c: c.attrs["mask_mode"], "0 or 3"),
    _within("cmp_ratio", 1, 128),
    *_layout("layout_q"),
    *_layout("layout_k"),
    cores("aic_cores"),
    cores("aiv_cores"),
)

EXISTENCE_RULES: tuple[Rule[Call], ...] = (
    _offsets_present("q"),
    _offsets_present("k"),
    Rule(
        "cmp_residual_k",
        lambda c: c.attrs["cmp_ratio"] == 1 or c.attrs["mask_mode"] != CAUSAL or "cmp_residual_k" in c.tensors,
        lambda c: "nothing",
        RESIDUALS,
    ),
    Rule("metadata", lambda call: exists(call.metadata), lambda call: "a null pointer or no elements", "a tensor"),
)

TENSOR_RULES = tuple(rule(name) for name in OPTIONAL_INPUTS for rule in (_one_dim, _int32))

METADATA_RULES: tuple[Rule[Call], ...] = (
    Rule("metadata", lambda c: c.metadata.shape.rank == 1, lambda c: f"{c.metadata.shape.rank} dims", "1 dim"),
    Rule("metadata", lambda c: c.metadata.dtype is DataType.DT_INT32, lambda c: c.metadata.dtype.short, "int32"),
    Rule(
        "metadata",
        lambda call: call.metadata.shape[0] == METADATA_SIZE,
        lambda call: f"{call.metadata.shape[0]} elements",
        f"{METADATA_SIZE} elements",
    ),
)

BATCH_RULES: tuple[Rule[Call], ...] = (
    Rule(
        "batch_size",
        lambda call: call.batch("q") == call.batch("k"),
        lambda call: f"{call.batch('q')} batches of queries and {call.batch('k')} of keys",
        "as many of one as of the other",
    ),
    _offsets_match_used("q"),
    _offsets_match_used("k"),
    Rule(
        "cmp_residual_k",
        lambda c: "cmp_residual_k" not in c.tensors or c.tensors["cmp_residual_k"].shape[0] == c.batch("q"),
        lambda c: f"{c.tensors['cmp_residual_k'].shape[0]} elements",
        lambda c: f"{c.batch('q')}, one a batch",
    ),
)

# Rule k of the original is HOST_RULES[k - 1].
HOST_RULES = SINGLE_RULES + EXISTENCE_RULES + TENSOR_RULES + METADATA_RULES + BATCH_RULES

DOCUMENTED_RULES: tuple[Rule[Call], ...] = (
    Rule(
        "batch_size",
        lambda c: c.attrs["layout_q"] == "TND" or "seqused_q" in c.tensors or c.attrs["batch_size"] > 0,
        lambda c: c.attrs["batch_size"],
        "a positive number, which layout_q BSND needs without seqused_q",
    ),
    _batch_size_agrees("q"),
    _batch_size_agrees("k"),
)
