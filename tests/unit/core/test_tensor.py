"""Tensors are views: what is written through one side is seen from the other."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

from cannery.core import DataType, Format, Shape, Tensor, TensorDesc, trimmed

WITH_NUMPY = [dtype for dtype in DataType if dtype.itemsize and dtype.name not in ("DT_HIFLOAT8", "DT_COMPLEX32")]


@pytest.mark.parametrize("dtype", WITH_NUMPY)
def test_numpy_and_torch_share_memory_both_ways(dtype: DataType) -> None:
    from_torch = Tensor.of(torch.zeros(2, 3, dtype=dtype.torch))
    from_torch.numpy()[1, 2] = 1
    assert from_torch.torch.view(torch.uint8).count_nonzero() > 0
    array = np.zeros((2, 3), dtype.numpy)
    from_numpy = Tensor.of(array)
    from_numpy.bytes()[-1] = 0x3F
    assert array.view(np.uint8)[1, -1] == 0x3F
    assert from_numpy.dtype is from_torch.dtype is dtype
    assert from_numpy.numpy().ctypes.data == array.ctypes.data


def test_bfloat16_keeps_its_bits_in_numpy() -> None:
    tensor = Tensor.of(torch.tensor([1.5, -0.0, float("inf")], dtype=torch.bfloat16))
    assert tensor.numpy().dtype == ml_dtypes.bfloat16
    assert tensor.numpy().view(np.uint16).tolist() == [0x3FC0, 0x8000, 0x7F80]
    assert bytes(tensor.bytes()) == tensor.numpy().tobytes()


def test_uint16_passes_through() -> None:
    array = np.array([0, 65535], np.uint16)
    assert Tensor.of(array).torch.dtype == torch.uint16
    assert Tensor.of(array).numpy().tolist() == [0, 65535]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 1)])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.bool, torch.uint64])
def test_scalars_and_empty_tensors_have_bytes(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    tensor = Tensor.of(torch.zeros(shape, dtype=dtype))
    assert len(tensor.bytes()) == tensor.torch.numel() * dtype.itemsize
    assert tensor.numpy().shape == shape


def test_a_view_keeps_its_strides_in_numpy_and_has_no_bytes() -> None:
    tensor = Tensor.of(torch.arange(6, dtype=torch.bfloat16).view(2, 3).t())
    assert tensor.numpy().shape == (3, 2)
    assert tensor.numpy().astype(np.float32).tolist() == [[0, 3], [1, 4], [2, 5]]
    with pytest.raises(ValueError, match="contiguous"):
        tensor.bytes()


def test_a_tensor_that_requires_grad_can_be_read() -> None:
    assert Tensor.of(torch.ones(2, requires_grad=True)).numpy().tolist() == [1, 1]


def test_a_read_only_array_is_copied() -> None:
    array = np.arange(3)
    array.flags.writeable = False
    tensor = Tensor.of(array)
    tensor.torch[0] = 7
    assert array.tolist() == [0, 1, 2]
    assert tensor.origin is array


def test_an_array_that_runs_backwards_is_copied() -> None:
    assert Tensor.of(np.arange(4)[::-2]).torch.tolist() == [3, 1]
    backwards = np.arange(3).astype(ml_dtypes.bfloat16)[::-1]
    assert Tensor.of(backwards).torch.tolist() == [2, 1, 0]


def test_a_sparse_tensor_is_refused() -> None:
    with pytest.raises(ValueError, match=r"found layout torch\.sparse_coo"):
        Tensor.of(torch.eye(2).to_sparse())


def test_a_nested_tensor_is_refused() -> None:
    with pytest.raises(ValueError, match="found a nested one, expected a strided one"):
        Tensor.of(torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.strided))


def test_the_caller_gets_back_the_object_given() -> None:
    array, tensor = np.zeros(2), torch.zeros(2)
    assert Tensor.of(array).origin is array
    assert Tensor.of(tensor).origin is tensor
    wrapped = Tensor.of(tensor)
    assert Tensor.of(wrapped) is wrapped


@pytest.mark.parametrize("wrong", [[1, 2], 3, "x", None, np.float32(1)])
def test_other_objects_are_refused(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"expected a torch\.Tensor or a numpy\.ndarray"):
        Tensor.of(wrong)


@pytest.mark.parametrize("wrong", [np.array(["a"]), np.zeros(2, ">f4"), np.zeros(2, np.longdouble)])
def test_element_types_that_cann_has_not_are_refused(wrong: np.ndarray) -> None:
    with pytest.raises(ValueError, match="data type: found"):
        Tensor.of(wrong)


def test_a_tensor_outside_host_memory_has_no_view() -> None:
    tensor = Tensor.of(torch.empty(2, device="meta"))
    for view in (tensor.numpy, tensor.bytes):
        with pytest.raises(ValueError, match="host memory"):
            view()


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_a_type_numpy_has_not_says_so() -> None:
    with pytest.raises(ValueError, match="DT_COMPLEX32"):
        Tensor.of(torch.zeros(2, dtype=torch.complex32)).numpy()


def test_a_descriptor_reads_as_one_phrase() -> None:
    desc = Tensor.of(torch.zeros(2, 3, dtype=torch.float16)).desc
    assert desc == TensorDesc(DataType.DT_FLOAT16, Shape([2, 3]), Format.FORMAT_ND)
    assert str(desc) == "float16 [2, 3] ND"


@pytest.mark.parametrize(
    ("values", "expected"),
    [((), ()), ((None,), ()), ((1, None, 2, None, None), (1, None, 2)), ([1, 2], (1, 2)), ((None, 0), (None, 0))],
)
def test_trimmed_leaves_out_what_is_absent_at_the_end(values: Any, expected: Any) -> None:
    assert trimmed(values) == expected
