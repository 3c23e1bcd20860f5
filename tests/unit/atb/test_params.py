"""Parameter structures from definitions."""

import pytest

from cannery import atb, find_operator
from cannery.atb.params import attributes_of, param_classes


def test_every_atb_operator_has_a_class_with_its_members_and_defaults() -> None:
    for name, cls in param_classes().items():
        attributes = find_operator(name.removesuffix("Param")).definition.attributes
        made = attributes_of(cls())
        assert list(made) == [attr.name for attr in attributes]
        expected = [list(attr.default) if isinstance(attr.default, tuple) else attr.default for attr in attributes]
        assert list(made.values()) == expected


def test_members_are_given_by_name_or_in_order() -> None:
    param = atb.UnpadWithHiddenStateParam(qSeqLen=[1, 2], maxSeqLen=4, rsv=[0] * 12)
    assert param == atb.UnpadWithHiddenStateParam([1, 2], 4)
    assert repr(param) == "UnpadWithHiddenStateParam(qSeqLen=[1, 2], maxSeqLen=4)"
    with pytest.raises(TypeError):
        atb.UnpadWithHiddenStateParam(lengths=[1])


def test_reserved_bytes_do_not_make_a_difference() -> None:
    assert atb.PadWithHiddenStateParam([1], rsv=[1]) == atb.PadWithHiddenStateParam([1])
    assert atb.PadWithHiddenStateParam([1]) != atb.PadWithHiddenStateParam([2])
    assert atb.PadWithHiddenStateParam([1]) != atb.UnpadWithHiddenStateParam([1])


def test_two_parameters_share_no_list() -> None:
    one, other = atb.UnpadWithHiddenStateParam(), atb.UnpadWithHiddenStateParam()
    one.qSeqLen.append(3)
    assert other.qSeqLen == []


def test_an_operator_of_another_framework_has_none() -> None:
    with pytest.raises(AttributeError):
        atb.UpdateTensorDescParam  # noqa: B018
