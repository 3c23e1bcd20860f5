"""Attributes: what callers may write, and what is refused with its name before any stage runs."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery.core import INT64_MAX, AtbStatus, OperatorError, Stage
from cannery.operator import ATB, Attribute, AttrType, OperatorDefinition
from cannery.operator.attributes import bind_attributes


def definition(*attributes: Attribute) -> OperatorDefinition:
    return OperatorDefinition("Op", "test", "", "", ATB, (), (), attributes, socs=("Ascend910B",))


def bound(type_: AttrType, value: Any) -> Any:
    return bind_attributes(definition(Attribute("a", type_)), {"a": value})["a"]


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), torch.tensor(3), torch.tensor([3]), np.array(3)])
def test_an_int_may_be_any_integer(value: Any) -> None:
    found = bound(AttrType.INT, value)
    assert found == 3 and type(found) is int


@pytest.mark.parametrize(
    "value", [[1, 2], (1, 2), range(1, 3), np.array([1, 2]), torch.tensor([1, 2]), torch.Size([1, 2]), iter([1, 2])]
)
def test_a_list_may_be_any_flat_sequence_of_integers(value: Any) -> None:
    assert bound(AttrType.LIST_INT, value) == (1, 2)
    assert all(type(item) is int for item in bound(AttrType.LIST_INT, [np.int32(1), torch.tensor(2)]))


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (AttrType.FLOAT, 1, 1.0),
        (AttrType.FLOAT, np.float32(0.5), 0.5),
        (AttrType.FLOAT, float("inf"), float("inf")),
        (AttrType.BOOL, np.bool_(True), True),
        (AttrType.STRING, "TND", "TND"),
        (AttrType.LIST_INT, [], ()),
    ],
)
def test_other_values_are_converted(type_: AttrType, value: Any, expected: Any) -> None:
    assert bound(type_, value) == expected


REFUSED = [
    *((AttrType.INT, v) for v in ("3", 3.0, float("nan"), True, np.bool_(True), torch.tensor(True), torch.tensor(1.5))),
    *((AttrType.INT, v) for v in ([3], np.array([1, 2]), torch.zeros(2, 2), b"3", 2**63, -(2**63) - 1, Ellipsis)),
    *((AttrType.FLOAT, v) for v in ("1.0", float("nan"), np.float64("nan"), True, 1j, [1.0], 10**400)),
    *((AttrType.BOOL, v) for v in (1, 0, "true", np.int64(1), [True])),
    *((AttrType.STRING, v) for v in (b"BSND", 1, ["B"])),
    *((AttrType.LIST_INT, v) for v in (3, "12", b"12", ["1"], [1.0], [float("nan")], [True], [None], {"a": 1})),
    *((AttrType.LIST_INT, v) for v in ([[1, 2], [3]], [[1, 2]], [2**63], np.zeros((2, 2), int), np.array([1.5]))),
    *((AttrType.LIST_INT, v) for v in (torch.tensor([1.0]), torch.tensor([True]), torch.empty(2, device="meta"))),
    *((AttrType.LIST_INT, v) for v in (torch.tensor(3), np.array([float("nan")]), np.array([2**63], np.uint64))),
]


@pytest.mark.parametrize(("type_", "value"), REFUSED, ids=[f"{t.value}-{v!r:.30}" for t, v in REFUSED])
def test_a_value_of_another_type_is_refused_by_name_on_one_line(type_: AttrType, value: Any) -> None:
    with pytest.raises(OperatorError) as caught:
        bound(type_, value)
    error = caught.value
    assert (error.stage, error.parameter, error.code) == (Stage.CHECK, "a", AtbStatus.ERROR_INVALID_PARAM)
    assert "\n" not in str(error) and error.found


@given(st.lists(st.integers(-INT64_MAX - 1, INT64_MAX)))
def test_every_int64_survives(values: list[int]) -> None:
    assert list(bound(AttrType.LIST_INT, values)) == values


SPELLINGS = definition(
    Attribute("qSeqLen", AttrType.LIST_INT, default=()), Attribute("rsv", AttrType.INT, internal=True)
)


@pytest.mark.parametrize("name", ["qSeqLen", "q_seq_len"])
def test_both_spellings_reach_the_original_name(name: str) -> None:
    assert bind_attributes(SPELLINGS, {name: [1]})["qSeqLen"] == (1,)


@pytest.mark.parametrize("given_", [None, {}, {"qSeqLen": None}])
def test_an_absent_attribute_has_its_default(given_: Any) -> None:
    assert dict(bind_attributes(SPELLINGS, given_)) == {"qSeqLen": (), "rsv": None}


@pytest.mark.parametrize(
    ("given_", "text"),
    [
        ({"qSeqLen": [1], "q_seq_len": [1]}, "it twice"),
        ({"qSeqLn": [1]}, "expected 'qSeqLen'"),
        ({"zzz": [1]}, "expected one of qSeqLen"),
        ({1: [1]}, "found 1"),
        ([("qSeqLen", [1])], "found list, expected a mapping"),
        ("qSeqLen", "found str, expected a mapping"),
    ],
)
def test_a_name_that_is_no_attribute_or_twice_is_refused(given_: Any, text: str) -> None:
    with pytest.raises(OperatorError, match=text):
        bind_attributes(SPELLINGS, given_)


@pytest.mark.parametrize("given_", [None, {}, {"shape": None}])
def test_a_missing_required_attribute_is_named(given_: Any) -> None:
    with pytest.raises(OperatorError, match="shape: found nothing, expected a ListInt, which is required"):
        bind_attributes(definition(Attribute("shape", AttrType.LIST_INT, required=True)), given_)


def test_what_is_bound_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        bind_attributes(SPELLINGS, {})["qSeqLen"] = (1,)  # type: ignore[index]
