"""DenseLightningIndexerSoftmaxLse: log-sum-exp of the indexer's scores over the visible keys."""

from types import MappingProxyType

from cannery.operator import AICoreConfig, OperatorDefinition, Quirk, TensorParam
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

DEFINITION = OperatorDefinition(
    name="DenseLightningIndexerSoftmaxLse",
    category="attention",
    summary="Log-sum-exp of the indexer's scores over the visible keys of each query row.",
    source="recursion-ascend/ops-transformer attention/dense_lightning_indexer_softmax_lse_v2 @a093e95",
    contract=CONTRACT,
    inputs=(
        TensorParam(
            "query_index", INDEX_DTYPES, "TND (T1, N1, 128), BSND (B, S1, N1, 128)", "Indexer queries, 1 to 128 heads."
        ),
        TensorParam("key_index", INDEX_DTYPES, "TND (T2, 1, 128), BSND (B, S2, 1, 128)", "Indexer keys."),
        TensorParam("weight", FLOATS, "TND (T1, N1), BSND (B, S1, N1)", "Weight of each head."),
        *(TensorParam(i.name, INTS, i.shape, i.doc, optional=True) for i in LENGTH_INPUTS),
        metadata_input("DenseLightningIndexerSoftmaxLseMetadata"),
    ),
    outputs=(TensorParam("softmax_lse", FLOATS, "TND (1, T1), BSND (B, 1, S1)", "max + log(sum(exp(I - max)))."),),
    attributes=LAYOUT_ATTRIBUTES,
    socs=("Ascend950",),
    aicore=AICoreConfig(socs=("Ascend950",)),
    quirks=(
        Quirk(
            "rows_unwritten",
            "rows that see no key and rows that are not used are -inf",
            "they are never written and keep what the buffer holds",
        ),
        Quirk(
            "residual_without_ratio",
            "a residual counts whatever the ratio, as in the gradient; with cmp_ratio 1 only 0 is below it",
            "a residual counts only where cmp_ratio is above 1",
        ),
        Quirk(
            "metadata_rows",
            "metadata whose rows or cores do not fit the call is refused, naming both numbers",
            "the rows it deals to the launched cores are computed, as far as they exist; others stay unwritten",
        ),
        Quirk(
            "wide_inputs",
            "query_index and key_index may also be float32, or float64 with a float64 weight",
            "they are float16 or bfloat16",
        ),
    ),
    constraints=(
        "Natural logarithm over visible keys; neither the maximum nor the sum alone, as the first version has them.",
        "Layouts of queries and keys must be equal.",
    ),
    faces=("ge", "aclnn", "torch"),
    tables=MappingProxyType({"Mathematics": FORMULA_TABLE[:3]}),
)
