"""Tensors, scalars, arrays and lists: what they keep, what they refuse, when they end."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery.aclnn.objects import AclTensor, View, row_major
from cannery.core import DataType
from cannery.runtime import RuntimeFault

from .conftest import Client


def test_a_tensor_keeps_what_it_was_made_with(client: Client) -> None:
    tensor = client.aclnn.aclCreateTensor([2, 3], 1, [5, 1], 7, 47, [99], 4096)
    assert client.aclnn.aclGetViewShape(tensor) == (0, [2, 3])
    assert client.aclnn.aclGetStorageShape(tensor) == (0, [99])
    assert client.aclnn.aclGetViewStrides(tensor) == (0, [5, 1])
    assert client.aclnn.aclGetViewOffset(tensor) == (0, 7)
    assert client.aclnn.aclGetFormat(tensor) == (0, 47)
    assert client.aclnn.aclGetDataType(tensor) == (0, 1)
    assert client.aclnn.aclGetRawTensorAddr(tensor) == (0, 4096)
    assert client.aclnn.aclSetRawTensorAddr(tensor, 8192) == 0
    assert client.aclnn.aclGetRawTensorAddr(tensor) == (0, 8192)


def test_without_strides_elements_lie_in_order(client: Client) -> None:
    tensor = client.aclnn.aclCreateTensor([2, 3, 4], 0, None, 0, 2, [24], 0)
    assert client.aclnn.aclGetViewStrides(tensor) == (0, [12, 4, 1])


def test_arguments_may_stand_as_in_c_with_their_counts(client: Client) -> None:
    tensor = client.aclnn.aclCreateTensor([2, 3, 9], 2, 0, [3, 1], 0, 2, [6], 1, 0)
    assert client.aclnn.aclGetViewShape(tensor) == (0, [2, 3])
    assert client.aclnn.aclCreateTensor(None, 0, 0, None, 0, 2, None, 0, 0) != 0
    assert client.aclnn.aclCreateTensor(None, 1, 0, None, 0, 2, [1], 1, 0) == 0


def test_null_dims_give_no_tensor(client: Client) -> None:
    assert client.aclnn.aclCreateTensor(None, 0, None, 0, 2, [1], 0) == 0
    assert client.aclnn.aclCreateTensor([1], 0, None, 0, 2, None, 0) == 0
    assert "storageDims" in client.message
    assert client.aclnn.aclCreateTensor([2, 2], 0, [1], 0, 2, [4], 0) == 0


def test_initialising_again_replaces_everything(client: Client) -> None:
    tensor = client.aclnn.aclCreateTensor([2], 0, None, 0, 2, [2], 0)
    assert client.aclnn.aclInitTensor(tensor, [3, 1], 9, None, 1, 0, [4], 64) == 0
    assert client.aclnn.aclGetViewShape(tensor) == (0, [3, 1])
    assert client.aclnn.aclGetDataType(tensor) == (0, 9)
    assert client.aclnn.aclInitTensor(tensor, None, 9, None, 1, 0, [4], 64) == 161001


@pytest.mark.parametrize(
    "kind", ["Tensor", "Scalar", "IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList"]
)
def test_destroying_null_is_fine_and_destroying_twice_is_caught(client: Client, kind: str) -> None:
    destroy = getattr(client.aclnn, f"aclDestroy{kind}")
    assert destroy(None) == destroy(0) == 0
    made = {"Tensor": lambda: client.aclnn.aclCreateTensor([1], 0, None, 0, 2, [1], 0)}
    made["Scalar"] = lambda: client.aclnn.aclCreateScalar(client.acl.util.bytes_to_ptr(b"\x01\x02\x03\x04"), 3)
    object_ = made.get(kind, lambda: getattr(client.aclnn, f"aclCreate{kind}")([]))()
    assert object_ and destroy(object_) == 0
    assert destroy(object_) == 161002
    assert "not destroyed yet" in client.message


def test_a_handle_of_another_kind_is_refused(client: Client) -> None:
    array = client.aclnn.aclCreateIntArray([1, 2])
    assert client.aclnn.aclDestroyTensor(array) == 161002
    assert client.aclnn.aclGetViewShape(array) == (161002, [])
    assert client.aclnn.aclGetViewShape(0) == (161001, [])
    assert client.aclnn.aclDestroyTensor(client.stream) == 161002


def test_arrays_copy_their_values_and_count_them(client: Client) -> None:
    for kind, values in (("IntArray", [1, -2, 3]), ("FloatArray", [0.5]), ("BoolArray", [True, False])):
        array = getattr(client.aclnn, f"aclCreate{kind}")(values)
        assert getattr(client.aclnn, f"aclGet{kind}Size")(array) == (0, len(values))
    assert client.aclnn.aclGetIntArraySize(client.aclnn.aclCreateIntArray([1, 2, 3], 2)) == (0, 2)
    assert client.aclnn.aclCreateIntArray(None) == 0
    assert client.aclnn.aclGetIntArraySize(None) == (161001, 0)


def test_a_list_destroys_its_members(client: Client) -> None:
    tensors = [client.aclnn.aclCreateTensor([1], 0, None, 0, 2, [1], 0) for _ in range(3)]
    made = client.aclnn.aclCreateTensorList(tensors)
    assert client.aclnn.aclGetTensorListSize(made) == (0, 3)
    assert client.aclnn.aclDestroyTensorList(made) == 0
    assert client.aclnn.aclDestroyTensor(tensors[0]) == 161002


def test_a_scalar_needs_a_value_and_a_type_of_whole_bytes(client: Client) -> None:
    value = client.acl.util.bytes_to_ptr(bytes(8))
    assert client.aclnn.aclCreateScalar(value, 11)
    for address, number in ((0, 11), (value, 29), (value, 99), (0x10, 11)):
        assert client.aclnn.aclCreateScalar(address, number) == 0


@pytest.mark.parametrize(
    "arguments", [(2, 0, None, 0, 2, [1], 0), ([2], "0", None, 0, 2, [1], 0), ([2.5], 0, None, 0, 2, [1], 0), ([2],)]
)
def test_wrong_types_raise_with_the_name_of_the_argument(client: Client, arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="aclCreateTensor: "):
        client.aclnn.aclCreateTensor(*arguments)


def view(dims: tuple[int, ...], strides: tuple[int, ...] | None = None, offset: int = 0, number: int = 3) -> View:
    steps = row_major(dims) if strides is None else strides
    return View.of("x", AclTensor(dims, number, steps, offset, 2, dims, 0))


@pytest.mark.parametrize(
    ("dims", "strides", "offset", "number", "text"),
    [
        ((-1,), None, 0, 3, "at least 0"),
        ((2**32, 2**32), None, 0, 3, "too many for int64"),
        ((2,), (-1,), 0, 3, "stride or offset -1"),
        ((2,), (1,), -4, 3, "stride or offset -4"),
        ((2,), None, 0, 5, "data type 5"),
        ((2,), None, 0, -1, "data type -1"),
    ],
)
def test_a_view_that_cannot_be_is_refused(
    dims: tuple[int, ...], strides: tuple[int, ...] | None, offset: int, number: int, text: str
) -> None:
    with pytest.raises(RuntimeFault, match=text):
        view(dims, strides, offset, number)


def test_sizes_of_views_count_from_the_first_to_the_last_element() -> None:
    assert (view((2, 3)).start, view((2, 3)).size) == (0, 24)
    assert (view((2, 3), (5, 1), 7).start, view((2, 3), (5, 1), 7).size) == (28, (5 + 2 + 1) * 4)
    assert view((0, 3)).size == view((2**31, 0)).size == 0
    assert view((2**31,), None, 0, int(DataType.DT_INT8)).size == 2**31
    assert view(()).size == 4
    assert view((3,), (0,)).size == 4


@given(st.lists(st.integers(1, 4), max_size=4), st.data())
def test_a_view_reads_what_numpy_s_strides_read(dims: list[int], data: st.DataObject) -> None:
    strides = tuple(data.draw(st.integers(0, 5)) for _ in dims)
    seen = view(tuple(dims), strides, 3)
    storage = np.arange(200, dtype=np.int32)
    memory = torch.from_numpy(storage.view(np.uint8))[seen.start : seen.start + seen.size]
    expected = np.lib.stride_tricks.as_strided(storage[3:], dims, [4 * step for step in strides])
    assert seen.over(memory).tolist() == expected.tolist()


def test_an_unknown_function_names_the_nearest(client: Client) -> None:
    with pytest.raises(AttributeError, match="aclnnDenseLightningIndexerKLLossGradMetadata"):
        _ = client.aclnn.aclnnDenseLightningIndexerKLLossGradMetdata


@pytest.mark.parametrize(("dims", "strides", "is_injective"), [((4, 0), None, True), ((4, 2), (0, 1), False)])
def test_elements_share_memory_only_where_there_are_some(
    dims: tuple[int, ...], strides: tuple[int, ...] | None, is_injective: bool
) -> None:
    tensor = AclTensor(dims, 0, strides or row_major(dims), 0, 2, dims, 0)
    assert tensor.view("out").is_injective is is_injective
