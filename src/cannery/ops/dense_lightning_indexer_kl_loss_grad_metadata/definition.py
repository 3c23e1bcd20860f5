"""DenseLightningIndexerKLLossGradMetadata: which cube core computes which query rows."""

from types import MappingProxyType

from cannery.operator import ACLNN, OperatorDefinition, Quirk, TensorParam, TorchConfig
from cannery.ops._lightning_indexer.parameters import INT32, LAYOUT_ATTRIBUTES, LENGTH_INPUTS, SIZE_ATTRIBUTES

QUIRKS = (
    Quirk("total_zero_underflows", "without rows word 2 (remain) is 0", "it is 0xFFFFFFFF"),
    Quirk(
        "words_unwritten",
        "word 5 is the largest key length and words 6..63 are 0, as documented",
        "words 5..63 are never written and keep what the buffer holds",
    ),
    Quirk(
        "uint32_wraps",
        "a number of rows beyond int32 is refused",
        "batch_size and the largest lengths are narrowed to 32 bits, the number of rows wraps modulo 2^32",
    ),
    Quirk(
        "batch_size_zero",
        "layout BSND with batch_size 0 and no seqused_q is refused, as documented",
        "it is a batch without rows",
    ),
    Quirk(
        "batch_size_ignored",
        "a positive batch_size that contradicts cu_seqlens_q is refused",
        "layout TND ignores batch_size",
    ),
    Quirk("first_offset", "cu_seqlens that does not start at 0 is refused", "any start is accepted"),
    Quirk(
        "seqused_beyond_length",
        "a used length beyond the batch's own length is refused",
        "any used length that is not negative is accepted",
    ),
    Quirk(
        "residual_not_below_ratio",
        "with mask_mode 3, a residual that is not below cmp_ratio is refused",
        "it is accepted, and the gradient then reads past the keys of the batch",
    ),
)

FIELD_TABLE = (
    ("word", "name", "meaning"),
    ("0", "totalSize (TOTAL_NUM)", "rows of all batches, B and S1 merged"),
    ("1", "formerCoreSize (FORMER_CORE_PROCESS_NUM)", "rows of each of the first cores: ceil(total / cores)"),
    ("2", "remainCoreSize (REMAIN_CORE_PROCESS_NUM)", "rows of each of the last remainCoreNum cores: former - 1"),
    ("3", "remainCoreNum (REMAIN_CORE_NUM)", "cores that process remain rows: former * cores - total"),
    ("4", "usedCoreNum (USED_CORE_NUM)", "cores that have work: min(total, cores)"),
    ("5", "maxSeqK", "largest key length: of seqused_k, else of cu_seqlens_k (TND), else max_seqlen_k"),
    ("6..63", "reserved", "0"),
)

INDEX_TABLE = (
    ("rule", "value"),
    ("GetAttrAbsIndex(coreIdx, metaIdx)", "GRAD_METADATA_SIZE * coreIdx + metaIdx, GRAD_METADATA_SIZE = 6"),
    ("where the words are", "coreIdx 0: there is no table per core, 64 words hold one header"),
    ("rows of core c", "0 if c >= used; former if c < launched cores - remainCoreNum; else remain"),
    ("i-th row of core c", "c + used * i (strided, not a contiguous range)"),
)

DERIVED_TABLE = (
    ("value", "rule"),
    ("batch", "len(seqused_q), else len(cu_seqlens_q) - 1 for TND, else batch_size"),
    ("rows of batch b", "seqused_q[b], else cu_seqlens_q[b + 1] - cu_seqlens_q[b] for TND, else max_seqlen_q"),
    ("groupSize", "num_heads_q / num_heads_k, which is num_heads_q"),
    ("s2BaseSize", "128; 2048 where the chip's name contains Ascend910; used by nothing"),
    ("attentionMode", "1 for mask_mode 3, 0 for mask_mode 0; used by nothing"),
)

STRUCT_TABLE = (
    ("words", "member"),
    ("0", "coreNum"),
    ("1", "totalSize"),
    ("2", "splitFactorSize"),
    ("3..7", "reserved[5]"),
    ("8..32", "bS1Index[25]: first row of each core"),
    ("note", "DliGradKLLossMetaData of an older example: the layout of another operator's metadata, not of this one"),
)

DEFINITION = OperatorDefinition(
    name="DenseLightningIndexerKLLossGradMetadata",
    category="attention",
    summary="Deal the query rows of a DenseLightningIndexerKLLossGrad call out to the cube cores: 64 int32 words.",
    source="recursion-ascend/ops-transformer attention/dense_lightning_indexer_kl_loss_grad_metadata @a093e95",
    contract=ACLNN,
    inputs=LENGTH_INPUTS,
    outputs=(TensorParam("metadata", INT32, "(64,)", "The split; see the table of its words."),),
    attributes=SIZE_ATTRIBUTES + LAYOUT_ATTRIBUTES,
    socs=("Ascend950",),
    quirks=QUIRKS,
    constraints=(
        "The host checks apply on chips whose name contains Ascend950; elsewhere only the metadata pointer is checked.",
        "An optional tensor without elements counts as absent.",
        "The number of cube cores is the chip's: the split fits only a call launched on as many.",
        "mask_mode, heads, cmp_ratio, the residual and the key lengths do not change words 0..4.",
    ),
    torch=TorchConfig(has_none_defaults=True),
    faces=("ge", "aclnn", "torch"),
    tables=MappingProxyType(
        {
            "Words of the metadata": FIELD_TABLE,
            "Which core computes which rows": INDEX_TABLE,
            "Derived values": DERIVED_TABLE,
            "Struct view of the older example": STRUCT_TABLE,
        }
    ),
)
