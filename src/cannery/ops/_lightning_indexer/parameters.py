"""Inputs and attributes that several of the indexer's operators declare, and the mathematics they have in common."""

from dataclasses import replace

from cannery.core import AclnnStatus, DataType
from cannery.operator import ACLNN, Attribute, AttrType, TensorParam

INDEX_DTYPES = (DataType.DT_FLOAT16, DataType.DT_BF16)
FLOATS = (DataType.DT_FLOAT,) * 2
INTS = (DataType.DT_INT32,) * 2
INT32 = (DataType.DT_INT32,)
OPTIONAL_INPUTS = ("cu_seqlens_q", "cu_seqlens_k", "seqused_q", "seqused_k", "cmp_residual_k")

# The documentation of the aclnn function has 161002 for a required input that is not passed.
CONTRACT = replace(ACLNN, arity_code=AclnnStatus.ACLNN_ERR_PARAM_INVALID)


def metadata_input(producer: str) -> TensorParam:
    """The metadata: optional in the signature, refused when absent."""
    return TensorParam(
        "metadata", INTS, "(64,)", f"What {producer} returned for this call. Must be passed.", optional=True
    )


def lengths(name: str, shape: str, doc: str) -> TensorParam:
    """An optional int32 input that describes the batches."""
    return TensorParam(name, INT32, shape, doc, optional=True)


RESIDUALS = (
    "an int32 tensor of B numbers, which mask_mode 3 needs where cmp_ratio is not 1: the tokens behind each "
    "sample's last whole group, 0 to cmp_ratio - 1; zeros where cmp_ratio divides the original lengths"
)
"""What a missing ``cmp_residual_k`` should have been."""


def producing(operator: str, rows: int) -> str:
    """What the metadata of an operator should have been: that of a call of these rows."""
    return f"one for {rows} rows: what {operator}Metadata returns for the lengths of this call"


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

FORMULA_TABLE = (
    ("step", "formula"),
    ("visible keys of row s", "mask 0: used_k; mask 3: max(0, floor((used_k * r + residual - used_q + s + 1) / r))"),
    ("score", "S[h, j] = q[t, h] . k[j];  I[j] = sum over h of w[t, h] * relu(S[h, j]), no scale"),
    ("softmax_out", "y[j] = exp(I[j] - lse[t]) for visible j, else 0; not renormalised"),
    ("dI", "y[j] * P - p[j], P the sum of the row's visible p"),
    ("dw", "sum over j of dI[j] * relu(S[h, j])"),
    ("dS", "dI[j] * w[t, h] where S > 0, rounded half away from zero to the type of q"),
    ("dq, dk", "dS . k summed over keys; dS . q summed over heads and rows; float32, cast once"),
)
