"""SVector, tensors and packs."""

import pytest
import torch

from cannery import DataType, Format, Shape, TensorDesc
from cannery.atb import MaxSizeExceededError, SVector, Tensor, VariantPack
from cannery.atb.types import is_null


def test_an_svector_takes_256_elements_and_no_more() -> None:
    vector = SVector(range(256))
    assert (len(vector), vector[100]) == (256, 100)
    with pytest.raises(MaxSizeExceededError, match="found element 257, expected at most 256"):
        vector.append(1)
    with pytest.raises(MaxSizeExceededError):
        SVector(range(257))
    with pytest.raises(MaxSizeExceededError):
        vector.insert(0, 1)
    with pytest.raises(MaxSizeExceededError):
        vector += [1]
    assert len(vector) == 256
    with pytest.raises(IndexError):
        vector[256]


def test_an_svector_keeps_more_than_its_64_inline_elements() -> None:
    assert list(SVector(range(65))) == list(range(65))
    assert SVector(range(65)) == SVector(range(65))


def test_a_tensor_of_torch_has_its_type_shape_and_bytes() -> None:
    tensor = Tensor.of(torch.zeros(2, 3, dtype=torch.bfloat16))
    assert tensor.desc == TensorDesc(DataType.DT_BF16, Shape((2, 3)), Format.FORMAT_ND)
    assert tensor.dataSize == 12


def test_a_tensor_without_a_descriptor_has_no_bytes() -> None:
    assert (Tensor().dataSize, Tensor().data) == (0, None)
    undefined = TensorDesc(DataType.DT_UNDEFINED, Shape((2, 3)))
    assert Tensor(undefined).dataSize == 6


def test_an_address_of_0_is_null() -> None:
    host = torch.zeros(2)
    assert Tensor(deviceData=0, hostData=host).data is host
    assert Tensor(deviceData=8, hostData=host).data == 8
    assert is_null(Tensor(deviceData=0).data) and not is_null(torch.zeros(1))


def test_what_is_not_contiguous_is_no_tensor() -> None:
    with pytest.raises(ValueError, match="not contiguous"):
        Tensor.of(torch.zeros(2, 3).t())


def test_a_pack_is_empty_when_it_has_neither_inputs_nor_outputs() -> None:
    assert VariantPack().is_empty
    assert not VariantPack([], [Tensor()]).is_empty
