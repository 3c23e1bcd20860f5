"""DenseLightningIndexerKLLossGradMetadata: which cube core computes which query rows."""

from types import MappingProxyType

from cannery.core import DataType
from cannery.operator import ACLNN, Attribute, AttrType, OperatorDefinition, Quirk, TensorParam, TorchConfig

INT32 = (DataType.DT_INT32,)
OPTIONAL_INPUTS = ("cu_seqlens_q", "cu_seqlens_k", "seqused_q", "seqused_k", "cmp_residual_k")


def lengths(name: str, shape: str, doc: str) -> TensorParam:
    """An optional int32 input that describes the batches."""
    return TensorParam(name, INT32, shape, doc, optional=True)


LENGTH_INPUTS = (
    lengths("cu_seqlens_q", "(B + 1,)", "Prefix sums of the query lengths, first 0; read for TND only."),
    lengths("cu_seqlens_k", "(B + 1,)", "Prefix sums of the key lengths, first 0; read for TND only."),
    lengths("seqused_q", "(B,)", "Query rows that are used; overrides the lengths."),
    lengths("seqused_k", "(B,)", "Keys that are used; overrides the lengths."),
    lengths("cmp_residual_k", "(B,)", "Tokens behind the last whole group of cmp_ratio original keys."),
)

LAYOUT_ATTRIBUTES = (
    Attribute("layout_q", AttrType.STRING, "Layout of the queries.", "TND or BSND", default="BSND"),
    Attribute("layout_k", AttrType.STRING, "Layout of the keys.", "TND or BSND", default="BSND"),
    Attribute("mask_mode", AttrType.INT, "0 no mask, 3 causal from the bottom-right corner.", "0 or 3", default=0),
    Attribute("cmp_ratio", AttrType.INT, "Original keys a compressed key stands for.", "1 to 128", default=1),
)

SIZE_ATTRIBUTES = (
    Attribute("batch_size", AttrType.INT, "Batches, where no tensor says it.", "at least 0", default=0),
    Attribute("max_seqlen_q", AttrType.INT, "Query rows of a batch, where no tensor says it.", "at least 0", default=0),
    Attribute("max_seqlen_k", AttrType.INT, "Keys of a batch, where no tensor says it.", "at least 0", default=0),
    Attribute("num_heads_q", AttrType.INT, "Indexer heads of the queries.", "1 to 128", required=True),
    Attribute("num_heads_k", AttrType.INT, "Indexer heads of the keys.", "1", required=True),
    Attribute("head_dim", AttrType.INT, "Size of a head.", "128", required=True),
)

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
