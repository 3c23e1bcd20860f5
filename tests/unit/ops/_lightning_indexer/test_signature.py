"""The functions of the indexer's TestSpecs have the signature that ops-test-kit calls by, from the definitions."""

from inspect import Parameter, signature
from types import SimpleNamespace
from typing import Any

import pytest

from cannery.operator import find_operator
from cannery.ops._lightning_indexer.signature import takes
from cannery.st import load_spec

OPERATORS = (
    "DenseLightningIndexerKLLossGrad",
    "DenseLightningIndexerKLLossGradMetadata",
    "DenseLightningIndexerSoftmaxLse",
    "DenseLightningIndexerSoftmaxLseMetadata",
)
LENGTHS = ["cu_seqlens_q", "cu_seqlens_k", "seqused_q", "seqused_k", "cmp_residual_k"]


def parameters(function: Any, kind: Any) -> dict[str, Any]:
    return {name: known.default for name, known in signature(function).parameters.items() if known.kind is kind}


@pytest.mark.parametrize("name", OPERATORS)
def test_tensors_go_by_place_attributes_by_name_and_the_rest_is_taken(name: str) -> None:
    operator = find_operator(name)
    spec = load_spec(operator)
    assert spec is not None
    for function in (spec.golden, spec.customize_inputs):
        tensors = parameters(function, Parameter.POSITIONAL_OR_KEYWORD)
        assert list(tensors) == [param.name for param in operator.definition.inputs]
        assert [tensors[length] for length in LENGTHS] == [None] * 5
        named = parameters(function, Parameter.KEYWORD_ONLY)
        assert named["layout_q"] == "BSND" and named["full_soc_version"] == "Ascend950"
        assert list(parameters(function, Parameter.VAR_KEYWORD)) == ["rest"]


def test_a_call_has_what_was_given_and_defaults() -> None:
    definition = find_operator("DenseLightningIndexerSoftmaxLseMetadata").definition

    @takes(definition)
    def seen(call: SimpleNamespace) -> SimpleNamespace:
        return call

    call = seen([0, 3], seqused_q=[2], layout_q="TND", testcase_name="any")
    assert (call.cu_seqlens_q, call.cu_seqlens_k, call.seqused_q) == ([0, 3], None, [2])
    assert (call.layout_q, call.layout_k, call.batch_size) == ("TND", "BSND", 0)
    with pytest.raises(TypeError, match="too many positional"):
        seen(*[None] * 6)
