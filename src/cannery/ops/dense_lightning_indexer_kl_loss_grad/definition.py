"""DenseLightningIndexerKLLossGrad: gradients of the indexer's KL loss over all visible keys."""

from dataclasses import replace
from types import MappingProxyType

from cannery.core import AclnnStatus, DataType
from cannery.operator import ACLNN, AICoreConfig, OperatorDefinition, Quirk, TensorParam
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata.definition import LAYOUT_ATTRIBUTES, LENGTH_INPUTS

INDEX_DTYPES = (DataType.DT_FLOAT16, DataType.DT_BF16)
FLOATS = (DataType.DT_FLOAT,) * 2
INTS = (DataType.DT_INT32,) * 2

# The documentation of the aclnn function has 161002 for a required input that is not passed.
CONTRACT = replace(ACLNN, arity_code=AclnnStatus.ACLNN_ERR_PARAM_INVALID)


def metadata_input(producer: str) -> TensorParam:
    """The metadata: optional in the signature, refused when absent."""
    return TensorParam(
        "metadata", INTS, "(64,)", f"What {producer} returned for this call. Must be passed.", optional=True
    )


QUIRKS = (
    Quirk(
        "metadata_rows",
        "metadata whose rows or cores do not fit the call is refused, naming both numbers",
        "the rows it deals to the launched cores are computed, as far as they exist; the others stay zero",
    ),
    Quirk(
        "wide_inputs",
        "q and k may also be float32 (w, p, lse float32) or float64 (all float64), for gradient checks",
        "q and k are float16 or bfloat16",
    ),
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

DEFINITION = OperatorDefinition(
    name="DenseLightningIndexerKLLossGrad",
    category="attention",
    summary="Gradients of the KL loss that trains a lightning indexer against dense attention, summed over rows.",
    source="recursion-ascend/ops-transformer attention/dense_lightning_indexer_kl_loss_grad @a093e95",
    contract=CONTRACT,
    inputs=(
        TensorParam("q", INDEX_DTYPES, "TND (T1, N1, 128), BSND (B, S1, N1, 128)", "Indexer queries, 1 to 128 heads."),
        TensorParam("k", INDEX_DTYPES, "TND (T2, 1, 128), BSND (B, S2, 1, 128)", "Indexer keys."),
        TensorParam("w", FLOATS, "TND (T1, N1), BSND (B, S1, N1)", "Weight of each head."),
        TensorParam(
            "attn_softmax_l1_norm",
            FLOATS,
            "TND (T1, 1, max key length), BSND (B, S1, 1, S2)",
            "The target p of each row; columns beyond the visible ones are never read.",
        ),
        TensorParam(
            "softmax_lse",
            FLOATS,
            "TND (1, T1), BSND (B, 1, S1)",
            "Log-sum-exp of the row's scores, from DenseLightningIndexerSoftmaxLse; not read for blind rows.",
        ),
        *(TensorParam(i.name, INTS, i.shape, i.doc, optional=True) for i in LENGTH_INPUTS),
        metadata_input("DenseLightningIndexerKLLossGradMetadata"),
    ),
    outputs=(
        TensorParam("dq", INDEX_DTYPES, "as q", "Gradient of q; zero for rows that see nothing."),
        TensorParam("dk", INDEX_DTYPES, "as k", "Gradient of k; zero for keys nobody sees."),
        TensorParam("dw", FLOATS, "as w", "Gradient of w."),
        TensorParam("softmax_out", FLOATS, "as attn_softmax_l1_norm", "Softmax of the indexer; zero where invisible."),
    ),
    attributes=LAYOUT_ATTRIBUTES,
    socs=("Ascend950",),
    aicore=AICoreConfig(socs=("Ascend950",)),
    quirks=QUIRKS,
    constraints=(
        "The operator is the gradient itself: a plain sum over rows, no mean, no upstream gradient.",
        "A target row that does not sum to 1 scales y by its sum; the published formula y - p is the case of sum 1.",
        "Layouts of q and k must be equal; residuals are below cmp_ratio where mask_mode is 3.",
        "Without quirks, lengths are checked against the tensors; a TND call may have no rows or no keys.",
    ),
    faces=("ge", "aclnn", "torch"),
    tables=MappingProxyType({"Mathematics": FORMULA_TABLE}),
)  # fmt: skip
