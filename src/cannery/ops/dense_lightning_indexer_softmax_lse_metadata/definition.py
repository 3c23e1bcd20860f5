"""DenseLightningIndexerSoftmaxLseMetadata: which cube core computes the log-sum-exp of which query rows."""

from types import MappingProxyType

from cannery.operator import ACLNN, OperatorDefinition, Quirk, TensorParam, TorchConfig
from cannery.ops._lightning_indexer.parameters import INT32, LAYOUT_ATTRIBUTES, LENGTH_INPUTS, SIZE_ATTRIBUTES

DEFINITION = OperatorDefinition(
    name="DenseLightningIndexerSoftmaxLseMetadata",
    category="attention",
    summary="Deal the query rows of a DenseLightningIndexerSoftmaxLse call out to the cube cores: 64 int32 words.",
    source="recursion-ascend/ops-transformer attention/dense_lightning_indexer_softmax_lse_v2_metadata @a093e95",
    contract=ACLNN,
    inputs=LENGTH_INPUTS,
    outputs=(TensorParam("metadata", INT32, "(64,)", "The split; see the table of its words."),),
    attributes=SIZE_ATTRIBUTES + LAYOUT_ATTRIBUTES,
    socs=("Ascend950",),
    quirks=(
        Quirk("first_offset", "cu_seqlens that does not start at 0 is refused", "any start is accepted"),
        Quirk(
            "batch_size_ignored",
            "a positive batch_size that contradicts cu_seqlens is refused",
            "layout TND ignores batch_size",
        ),
    ),
    constraints=(
        "Chips whose name does not contain Ascend950 are refused.",
        "Every row of the tensors counts, used or not: cu_seqlens_q[B], or batch_size * max_seqlen_q for BSND.",
        "Not interchangeable with the metadata of DenseLightningIndexerKLLossGrad.",
    ),
    torch=TorchConfig(has_none_defaults=True),
    faces=("ge", "aclnn", "torch"),
    tables=MappingProxyType(
        {
            "Words of the metadata": (
                ("word", "name", "total < cores", "cores divides total", "else"),
                ("0", "forecore_num", "total", "cores", "total % cores"),
                ("1", "tail_core_num", "0", "0", "cores - total % cores"),
                ("2", "per_core", "1", "total / cores", "total // cores + 1"),
                ("3", "per_tail_core", "0", "0", "total // cores"),
                ("4..63", "reserved", "0", "0", "0"),
            ),
            "Which core computes which rows": (
                ("rule", "value"),
                ("cores", "the chip's cube cores, at most 36"),
                ("j-th row of core c", "c + j * (forecore_num + tail_core_num)"),
            ),
        }
    ),
)
