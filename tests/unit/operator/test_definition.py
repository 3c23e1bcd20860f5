"""Definitions: names in both spellings, and dtype columns that fit together, for every operator there is."""

import pytest

from cannery.operator import Operator, all_operators
from cannery.operator.definition import snake_case
from cannery.operator.staged import default_soc
from cannery.soc import all_socs


@pytest.mark.parametrize(
    ("camel", "snake"),
    [
        ("UpdateTensorDesc", "update_tensor_desc"),
        ("qSeqLen", "q_seq_len"),
        ("DenseLightningIndexerKLLossGradMetadata", "dense_lightning_indexer_kl_loss_grad_metadata"),
        ("Add", "add"),
        ("shape", "shape"),
        ("mask_mode", "mask_mode"),
        ("IsClose2D", "is_close2_d"),
    ],
)
def test_snake_case(camel: str, snake: str) -> None:
    assert snake_case(camel) == snake


@pytest.mark.parametrize("operator", all_operators().values(), ids=lambda operator: operator.name)
def test_a_definition_is_whole(operator: Operator) -> None:
    definition = operator.definition
    assert definition.summary and definition.source and definition.category and operator.engines
    columns = {len(param.dtypes) for param in definition.tensors}
    assert columns <= {1, definition.column_count}
    assert {len(param.formats) for param in definition.tensors} <= {1, definition.column_count}
    assert set(definition.socs) <= {chip.short_name for chip in all_socs()}
    assert default_soc(definition).short_name in definition.socs
    names = [param.name for param in definition.tensors]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("operator", all_operators().values(), ids=lambda operator: operator.name)
def test_an_attribute_is_found_in_both_spellings(operator: Operator) -> None:
    for attribute in operator.definition.attributes:
        assert operator.definition.attribute(attribute.name) is attribute
        assert operator.definition.attribute(attribute.snake_name) is attribute
    assert operator.definition.attribute("no_such_attribute") is None
