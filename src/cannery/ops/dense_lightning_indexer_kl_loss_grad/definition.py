"""DenseLightningIndexerKLLossGrad: gradients of the indexer's KL loss over all visible keys."""

from types import MappingProxyType

from cannery.operator import AICoreConfig, OperatorDefinition, Quirk, TensorParam, TorchConfig
from cannery.ops._lightning_indexer.parameters import (
    CONTRACT,
    FLOATS,
    FORMULA_TABLE,
    INDEX_DTYPES,
    INTS,
    LAYOUT_ATTRIBUTES,
    LENGTH_INPUTS,
    metadata_input,
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
    # The genuine schema's; the genuine package's function, GE and aclnn have BSND, BSND and 0.
    torch=TorchConfig(defaults={"layout_q": "TND", "layout_k": "TND", "mask_mode": 3}),
    faces=("ge", "aclnn", "torch"),
    tables=MappingProxyType({"Mathematics": FORMULA_TABLE}),
)  # fmt: skip
