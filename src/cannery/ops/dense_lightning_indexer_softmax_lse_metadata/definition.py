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
            "batch_size_wins",
            "a positive batch_size that contradicts cu_seqlens or seqused_q is refused",
            "a positive batch_size is the number of batches: those behind it are left out",
        ),
        Quirk(
            "words_wrap",
            "a number of rows beyond int32 is refused",
            "rows are counted in int64, and each word is cut to 32 bits",
        ),
    ),
    constraints=(
        "Chips whose name does not contain Ascend950 are refused.",
        "Rows in use count: the sum of seqused_q, else cu_seqlens_q[B] for TND, else batch_size * max_seqlen_q.",
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
