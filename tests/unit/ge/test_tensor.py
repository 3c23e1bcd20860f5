"""Shapes, descriptors and tensors, with the traps of the original."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from cannery.core import DataType, Format, GeStatus
from cannery.core.published import published
from cannery.ge import graph as graph_package
from cannery.ge.error import GeError
from cannery.ge.graph import Operator, Placement, Shape, Tensor, TensorDesc, types


@pytest.mark.parametrize(
    ("dims", "size", "is_unknown"),
    [([], 0, False), (None, 0, False), ([2, 3], 6, False), ([2, 0], 0, False), ([-1, 3], -1, True), ([-2], -1, True)],
)
def test_shape_size_is_0_for_a_scalar_and_minus_1_for_an_unknown(dims: Any, size: int, is_unknown: bool) -> None:
    shape = Shape(dims)
    assert (shape.get_shape_size(), shape.is_unknown_shape()) == (size, is_unknown)


def test_shape_size_beyond_int64_is_refused() -> None:
    with pytest.raises(GeError) as refusal:
        Shape([2**40, 2**40]).get_shape_size()
    assert refusal.value.code is GeStatus.GRAPH_MUL_OVERFLOW


def test_shape_is_a_list_of_dims() -> None:
    shape = Shape([2, 3])
    shape.set_dim(1, 5)
    assert shape == [2, 5] and list(shape) == shape.get_dims() and len(shape) == shape.get_dim_num() and shape[-1] == 5
    assert Shape([-2]).get_dim_num() == 0
    for bad in (3, "23"):
        with pytest.raises(TypeError):
            Shape(bad)  # type: ignore[arg-type]
    with pytest.raises(GeError, match="GRAPH_PARAM_OUT_OF_RANGE"):
        shape.get_dim(2)


def test_desc_defaults_and_setters() -> None:
    desc = TensorDesc()
    assert (desc.shape, desc.format, desc.data_type) == ([], Format.FORMAT_ND, DataType.DT_FLOAT)
    desc.set_shape([2, -1])
    desc.set_data_type(DataType.DT_BF16)
    desc.set_format(Format.FORMAT_NCHW)
    desc.set_placement(Placement.PLACEMENT_DEVICE)
    assert desc.get_shape().get_dims() == desc.get_origin_shape().get_dims() == [2, -1]
    assert (desc.get_data_type(), desc.get_format()) == (DataType.DT_BF16, Format.FORMAT_NCHW)
    assert desc.placement is Placement.DEVICE


@pytest.mark.parametrize(
    ("dtype", "data"),
    [
        (DataType.DT_INT8, [-128, 127]),
        (DataType.DT_UINT64, [0, 2**64 - 1]),
        (DataType.DT_INT64, [-(2**63), 2**63 - 1]),
        (DataType.DT_FLOAT, [0.5, -1.0]),
        (DataType.DT_FLOAT16, [65504.0, -0.25]),
        (DataType.DT_BOOL, [True, False]),
    ],
)
def test_a_list_goes_in_and_comes_out(dtype: DataType, data: list[Any]) -> None:
    tensor = Tensor(data, data_type=dtype)
    assert (tensor.get_data(), tensor.data, tensor.get_data_type()) == (data, data, dtype)
    assert tensor.get_shape() == [2] and tensor.get_size() == 2 * dtype.itemsize


@pytest.mark.parametrize("dtype", [DataType.DT_DOUBLE, DataType.DT_BF16])
def test_double_and_bfloat16_cannot_be_made_from_a_list(dtype: DataType) -> None:
    with pytest.raises(RuntimeError, match=dtype.name):
        Tensor([1.0], data_type=dtype)


def test_a_list_of_nothing_but_bools_is_bool_whatever_was_asked() -> None:
    assert Tensor([True, False], data_type=DataType.DT_INT32).get_data_type() is DataType.DT_BOOL
    assert Tensor([True, 2], data_type=DataType.DT_INT32).get_data_type() is DataType.DT_INT32
    assert Tensor([], data_type=DataType.DT_INT32).get_data_type() is DataType.DT_INT32


@pytest.mark.parametrize(
    ("data", "dtype", "error"),
    [
        ((1, 2), DataType.DT_INT32, TypeError),
        ([[1, 2]], DataType.DT_INT32, TypeError),
        ([1.5], DataType.DT_INT32, TypeError),
        (["1"], DataType.DT_FLOAT, TypeError),
        ([300], DataType.DT_INT8, ValueError),
        ([-1], DataType.DT_UINT8, ValueError),
        ([None], DataType.DT_FLOAT, TypeError),
    ],
)
def test_data_of_another_kind_is_refused(data: Any, dtype: DataType, error: type[Exception]) -> None:
    with pytest.raises(error, match="Tensor"):
        Tensor(data, data_type=dtype)


def test_elements_must_fill_the_shape() -> None:
    with pytest.raises(ValueError, match="found 5 elements"):
        Tensor([1.0] * 5, shape=[2, 3])
    with pytest.raises(ValueError, match="expected"):
        Tensor([1.0], shape=[-1])
    assert Tensor([1.0], shape=[]).get_shape() == []


def test_a_file_holds_any_type(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(struct.pack("<2d", 0.1, -2.5))
    tensor = Tensor(file_path=str(path), data_type=DataType.DT_DOUBLE, shape=[2])
    assert tensor.get_data() == [0.1, -2.5]
    with pytest.raises(RuntimeError, match="either by data or by file"):
        Tensor([1.0], str(path))
    path.write_bytes(b"123")
    with pytest.raises(ValueError, match="whole elements"):
        Tensor(file_path=str(path))


def test_placement_is_a_mark() -> None:
    tensor = Tensor([1.0])
    moved = tensor.to_device()
    assert moved.get_placement() is Placement.DEVICE and moved.to_host().get_placement() is Placement.HOST
    assert moved.get_data() == tensor.get_data() and moved.get_tensor_desc().placement is Placement.DEVICE


def test_operator_cannot_be_constructed() -> None:
    with pytest.raises(TypeError, match="callbacks"):
        Operator("x")


def test_data_are_nested_as_the_shape_and_a_scalar_is_bare() -> None:
    ints = Tensor([1, 2, 3, 4, 5, 6], None, DataType.DT_INT32, Format.FORMAT_ND, [2, 3])
    assert ints.get_data() == ints.data == [[1, 2, 3], [4, 5, 6]]
    assert Tensor([7], None, DataType.DT_INT32, Format.FORMAT_ND, []).get_data() == 7
    assert "[[1, 2, 3], [4, 5, 6]]" in str(ints)
    assert (ints.shape, ints.data_type, ints.format) == ([2, 3], DataType.DT_INT32, Format.FORMAT_ND)
    assert ints.placement is Placement.PLACEMENT_HOST


def test_an_integer_may_be_written_as_a_float_and_nothing_is_cut_off_or_wrapped() -> None:
    assert Tensor([1.0, True], data_type=DataType.DT_INT32).get_data() == [1, 1]
    with pytest.raises(TypeError, match=r"found 1\.5"):
        Tensor([1.5], data_type=DataType.DT_INT32)
    for values in ([300], [-1]):
        with pytest.raises(ValueError, match="expected elements that fit DT_UINT8"):
            Tensor(values, data_type=DataType.DT_UINT8)


def test_setters_give_the_tensor_back() -> None:
    tensor = Tensor([1, 2], data_type=DataType.DT_INT32)
    assert tensor.set_format(Format.FORMAT_NCHW).set_data_type(DataType.DT_UINT32) is tensor
    assert (tensor.format, tensor.data_type, tensor.data) == (Format.FORMAT_NCHW, DataType.DT_UINT32, [1, 2])
    with pytest.raises(ValueError, match="a type of 4 bytes"):
        tensor.set_data_type(DataType.DT_INT64)
    desc = TensorDesc([1])
    assert desc.set_shape([3]).set_origin_format(Format.FORMAT_NCHW).set_data_type(DataType.DT_INT8) is desc
    assert (desc.shape, desc.format, desc.origin_format) == ([3], Format.FORMAT_ND, Format.FORMAT_NCHW)
    desc.shape = [4]
    assert desc.get_shape() == [4]


@pytest.mark.parametrize("owner", ["Graph", "Node", "Operator", "Shape", "Tensor", "TensorDesc", "AttrValueType"])
def test_every_published_member_is_there(owner: str) -> None:
    cls = getattr(types if owner == "AttrValueType" else graph_package, owner)
    assert [name for name in published("cannery.ge").names[f"ge.graph.{owner}"] if not hasattr(cls, name)] == []
