"""Definitions: names in both spellings, and dtype columns that fit together, for every operator there is."""

from dataclasses import replace
from typing import Any

import pytest

from cannery.core import DataType, Format
from cannery.operator import (
    AICoreConfig,
    Attribute,
    AttrType,
    DefinitionError,
    Operator,
    TensorParam,
    TorchConfig,
    all_operators,
)
from cannery.operator.definition import snake_case
from cannery.operator.staged import default_soc

from .conftest import DEFINITION


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
    assert default_soc(definition).short_name in definition.socs
    names = [param.name for param in definition.tensors]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("operator", all_operators().values(), ids=lambda operator: operator.name)
def test_an_attribute_is_found_in_both_spellings(operator: Operator) -> None:
    for attribute in operator.definition.attributes:
        assert operator.definition.attribute(attribute.name) is attribute
        assert operator.definition.attribute(attribute.snake_name) is attribute
    assert operator.definition.attribute("no_such_attribute") is None


TWO = (DataType.DT_FLOAT, DataType.DT_FLOAT16)
X = TensorParam("x", TWO)


def attribute(*args: Any, **fields: Any) -> Any:
    return (Attribute(*args, **fields),)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"name": ""}, "name: found '', expected CANN's type"),
        ({"name": "Record Calls"}, "name: found 'Record Calls', expected CANN's type"),
        ({"summary": None}, "summary: found None, expected text"),
        ({"contract": "ge"}, "contract: found 'ge', expected one of GE, ATB, ACLNN"),
        ({"inputs": X}, "inputs: found TensorParam.*, expected a tuple of TensorParam"),
        ({"inputs": ("x",)}, r"inputs: found \('x',\), expected a tuple of TensorParam"),
        ({"outputs": [X]}, r"outputs: found \[.*, expected a tuple of TensorParam"),
        ({"inputs": (X, X)}, "inputs: found 'x' twice, expected each name once"),
        ({"outputs": (X, X)}, "outputs: found 'x' twice, expected each name once"),
        ({"inputs": (TensorParam("x", DataType.DT_FLOAT),)}, "input 'x': dtypes: found .*, expected a tuple"),  # type: ignore[arg-type]
        ({"inputs": (TensorParam("x", ()),)}, r"input 'x': dtypes: found \(\), expected a tuple of members of Data"),
        ({"inputs": (TensorParam("x", ("float32",)),)}, "input 'x': dtypes: found .*, expected a tuple of members"),  # type: ignore[arg-type]
        ({"inputs": (TensorParam("1x", TWO),)}, "input '1x': name: found '1x', expected a name"),
        ({"inputs": (TensorParam("x", TWO, optional="no"),)}, "input 'x': optional: found 'no', expected True or"),  # type: ignore[arg-type]
        ({"outputs": (TensorParam("y", TWO[:1]),)}, "output 'y': dtypes: found 1 columns, expected 2, as 'x' has"),
        (
            {"outputs": (TensorParam("y", TWO, formats=(Format.FORMAT_ND,) * 3),)},
            "output 'y': formats: found 3 columns, expected 1 or 2, as dtypes has",
        ),
        ({"attributes": attribute("a", "Int")}, "attribute 'a': type: found 'Int', expected a member of AttrType"),
        ({"attributes": attribute("a", int)}, "attribute 'a': type: found .*int.*, expected a member of AttrType"),
        ({"attributes": attribute("a b", AttrType.INT)}, "attribute 'a b': name: found 'a b', expected a name"),
        (
            {"attributes": attribute("a", AttrType.INT, default="3")},
            "attribute 'a': default: found '3', expected an integer of int64, or None for none",
        ),
        ({"attributes": attribute("a", AttrType.INT, default=True)}, "default: found True, expected an integer"),
        (
            {"attributes": attribute("a", AttrType.INT, default=1 << 63)},
            "default: found 9223372036854775808, expected an",
        ),
        ({"attributes": attribute("a", AttrType.FLOAT, default=float("nan"))}, "default: found nan, expected a number"),
        (
            {"attributes": attribute("lambda", AttrType.INT)},
            "attribute 'lambda': name: found 'lambda', expected a name",
        ),
        ({"attributes": attribute("a", AttrType.BOOL, default=1)}, "default: found 1, expected True or False"),
        ({"attributes": attribute("a", AttrType.LIST_INT, default=[1])}, r"default: found \[1\], expected a tuple"),
        (
            {"attributes": (Attribute("seqLen", AttrType.INT), Attribute("seq_len", AttrType.INT))},
            "attributes: found 'seq_len' twice, expected each name once",
        ),
        ({"attributes": attribute("x", AttrType.INT)}, "attributes: found 'x' twice, expected each name once"),
        ({"socs": "Ascend910B"}, r"socs: found 'Ascend910B', expected a tuple of short names such as \('Ascend910B'"),
        ({"socs": ()}, r"socs: found \(\), expected a tuple of short names"),
        ({"socs": ("Ascend910X",)}, "socs: found 'Ascend910X', expected short names among .*Ascend910B"),
        ({"socs": ("Ascend910B1",)}, "socs: found 'Ascend910B1', expected short names among .*Ascend910B"),
        ({"default_soc": "Ascend910B"}, "default_soc: found 'Ascend910B', expected the full name of a chip"),
        ({"aicore": ("Ascend910B",)}, "aicore: found .*, expected an AICoreConfig or None"),
        ({"aicore": AICoreConfig("Ascend950")}, "aicore: socs: found 'Ascend950', expected a tuple of short names"),  # type: ignore[arg-type]
        ({"aicore": AICoreConfig(("Ascend310P",))}, "aicore: socs: found 'Ascend310P', expected names among"),
        ({"faces": 3}, "faces: found 3, expected a tuple of aclnn, atb, ge, torch"),
        ({"quirks": "none"}, "quirks: found 'none', expected a tuple of Quirk"),
        ({"constraints": "none"}, "constraints: found 'none', expected a tuple of texts"),
        ({"torch": TorchConfig("a-b")}, "torch: namespace: found 'a-b', expected a name such as 'mine'"),
        ({"torch": TorchConfig(backward="grad")}, "torch: backward: found 'grad', expected a function, or None"),  # type: ignore[arg-type]
        (
            {"torch": TorchConfig(backward=print)},
            "torch: backward: found one, expected none beside the optional input 'b'",
        ),
        (
            {"torch": TorchConfig(defaults={"axes": 1})},
            "torch: defaults: found 'axes', expected attributes among q_seq",
        ),
        ({"keeps_buffers": 1}, "keeps_buffers: found 1, expected True or False"),
    ],
)
def test_a_definition_that_cannot_be_used_is_refused_by_operator_and_field(fields: Any, text: str) -> None:
    with pytest.raises(DefinitionError, match=f"^{fields.get('name', 'RecordCalls')}: .*{text}") as caught:
        replace(DEFINITION, **fields)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"definition": "RecordCalls"}, "Operator: definition: found 'RecordCalls', expected an OperatorDefinition"),
        ({"check": None}, r"RecordCalls: check: found None, expected a function check\(context\)"),
        ({"tiling": 3}, r"RecordCalls: tiling: found 3, expected a function tiling\(context\)"),
        ({"engines": print}, "RecordCalls: engines: found .*, expected a mapping from name to a function"),
        ({"engines": {"eager": None}}, "RecordCalls: engines: found .*, expected a mapping from name to a function"),
        ({"engines": {}}, "RecordCalls: engines: found {}, expected a mapping .*, one or more"),
        ({"golden": print}, "RecordCalls: golden: found .*, expected the name of a module"),
    ],
)
def test_an_operator_that_cannot_be_used_is_refused_by_field(fields: Any, text: str, recorder: Any) -> None:
    with pytest.raises(DefinitionError, match=f"^{text}"):
        replace(recorder.operator(), **fields)
