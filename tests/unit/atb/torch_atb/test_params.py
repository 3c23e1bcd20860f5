"""torch_atb's parameter classes."""

import pytest

from cannery.atb import torch_atb
from cannery.atb.params import param_classes
from cannery.core.published import published


def test_members_are_snake_case_with_defaults_and_without_reserved_bytes() -> None:
    param = torch_atb.UnpadWithHiddenStateParam()
    assert (param.q_seq_len, param.max_seq_len) == ([], 4096)
    assert not hasattr(param, "rsv")
    param.max_seq_len = 8
    assert param == torch_atb.UnpadWithHiddenStateParam([], 8)
    assert param != torch_atb.PadWithHiddenStateParam([], 8)


def test_the_text_is_the_class_and_json() -> None:
    param = torch_atb.UnpadWithHiddenStateParam([3, 5], max_seq_len=8)
    assert repr(param) == 'UnpadWithHiddenStateParam{"maxSeqLen":8,"qSeqLen":[3,5]}'


def test_a_list_is_copied_in_and_out() -> None:
    lengths = [1, 2]
    param = torch_atb.GenAttentionMaskParam(seq_len=lengths)
    param.seq_len.append(3)
    lengths.append(3)
    assert param.seq_len == [1, 2]


@pytest.mark.parametrize("arguments", [{"lengths": [1]}, {"rsv": [0]}, {"qSeqLen": [1]}])
def test_an_unknown_member_is_a_type_error(arguments: dict[str, list[int]]) -> None:
    with pytest.raises(TypeError, match="expected q_seq_len, max_seq_len"):
        torch_atb.UnpadWithHiddenStateParam(**arguments)


def test_a_misspelt_member_is_an_attribute_error() -> None:
    param = torch_atb.UnpadWithHiddenStateParam([3, 5], 8)
    with pytest.raises(AttributeError, match="qSeqLen"):
        param.qSeqLen = [1]
    assert param.q_seq_len == [3, 5]


def test_too_many_or_twice_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="found 3 arguments"):
        torch_atb.UnpadWithHiddenStateParam([1], 2, 3)
    with pytest.raises(TypeError, match="found q_seq_len"):
        torch_atb.UnpadWithHiddenStateParam([1], q_seq_len=[1])


def test_every_train_operator_is_bound() -> None:
    assert {name for name in dir(torch_atb) if name.endswith("Param")} == set(param_classes())
    for name in param_classes():
        assert getattr(torch_atb, name) is getattr(torch_atb, name)
        assert getattr(torch_atb, name).__name__ == name


NAMES = published("cannery.atb.torch_atb").names["torch_atb"]
PARAMS = {name for name in NAMES if name.endswith("Param")}
ENUMS = {"InputLayout", "QuantType", "DynamicQuantType", "ActivationType", "CommMode"}


@pytest.mark.parametrize("name", sorted(PARAMS | ENUMS | {"LaserAttentionParam", "Node"}))
def test_what_is_not_provided_can_be_imported_and_says_so_by_name_when_used(name: str) -> None:
    absent = getattr(torch_atb, name)
    with pytest.raises(NotImplementedError, match=rf"torch_atb\.{name}: found an operator that is not provided"):
        absent(transpose_a=True)
    with pytest.raises(NotImplementedError, match=rf"torch_atb\.{name}\.NO_SUCH"):
        absent.NO_SUCH  # noqa: B018


def test_what_is_inside_an_absent_class_is_absent_as_well() -> None:
    kind = torch_atb.LinearParam.MatmulType
    with pytest.raises(NotImplementedError, match=r"torch_atb\.LinearParam\.MatmulType: found an operator"):
        kind(0)
    with pytest.raises(NotImplementedError, match=r"torch_atb\.LinearParam\.MatmulType\.MATMUL_UNDEFINED"):
        kind.MATMUL_UNDEFINED  # noqa: B018


def test_the_original_has_33_parameter_classes_and_none_of_ours() -> None:
    assert len(PARAMS) == 33
    assert not PARAMS & set(param_classes())


def test_any_other_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'NobodyParam'"):
        torch_atb.NobodyParam  # noqa: B018
