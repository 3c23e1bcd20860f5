"""C names, headers and argument order, from definitions."""

from dataclasses import replace

import pytest

from cannery.aclnn.naming import aclnn_operators, camel, header_name, phase_one, phase_two
from cannery.operator import find_operator


def test_the_metadata_s_arguments_stand_as_documented() -> None:
    line = phase_one("X", find_operator("DenseLightningIndexerKLLossGradMetadata").definition)
    assert [name for parameter in line.parameters for _, name in parameter.c] == [
        "cuSeqLensQOptional", "cuSeqLensKOptional", "seqUsedQOptional", "seqUsedKOptional", "cmpResidualKOptional",
        "batchSize", "maxSeqLenQ", "maxSeqLenK", "numHeadsQ", "numHeadsK", "headDim", "layoutQ", "layoutK", "maskMode",
        "cmpRatio", "metadata", "workspaceSize", "executor",
    ]  # fmt: skip


def test_the_gradient_s_arguments_stand_as_documented() -> None:
    line = phase_one("X", find_operator("DenseLightningIndexerKLLossGrad").definition)
    assert [name for parameter in line.parameters for _, name in parameter.c] == [
        "q", "k", "w", "attnSoftmaxL1Norm", "softmaxLse", "cuSeqLensQOptional", "cuSeqLensKOptional",
        "seqUsedQOptional", "seqUsedKOptional", "cmpResidualKOptional", "metadataOptional", "layoutQ", "layoutK",
        "maskMode", "cmpRatio", "dq", "dk", "dw", "softmaxOut", "workspaceSize", "executor",
    ]  # fmt: skip


def test_an_output_that_has_the_name_of_an_input_ends_in_out() -> None:
    definition = find_operator("UpdateTensorDesc").definition
    line = phase_one("X", replace(definition, outputs=(replace(definition.outputs[0], name="x"),)))
    assert [name for parameter in line.parameters for _, name in parameter.c][:3] == ["x", "shape", "xOut"]


def test_phase_two_is_alike_for_all() -> None:
    assert phase_two("X").c == (
        "aclnnStatus aclnnX(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)"
    )


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("DenseLightningIndexerKLLossGrad", "aclnn_dense_lightning_indexer_kl_loss_grad.h"),
        ("DenseLightningIndexerKLLossGradMetadata", "aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h"),
        ("DenseLightningIndexerSoftmaxLseV2", "aclnn_dense_lightning_indexer_softmax_lse_v2.h"),
        ("DenseLightningIndexerSoftmaxLseV2Metadata", "aclnn_dense_lightning_indexer_softmax_lse_v2_metadata.h"),
    ],
)
def test_headers_have_the_original_names(name: str, header: str) -> None:
    assert name in aclnn_operators()
    assert header_name(name) == header


@pytest.mark.parametrize(
    ("snake", "name"), [("q", "q"), ("cu_seqlens_q", "cuSeqLensQ"), ("max_seqlen_k", "maxSeqLenK")]
)
def test_camel_case(snake: str, name: str) -> None:
    assert camel(snake) == name
