"""The golden of PadWithHiddenState by the TestSpec contract."""

from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np
import torch

from cannery import find_operator

SPEC = import_module(find_operator("PadWithHiddenState").golden)
Spec: Any = getattr(SPEC, vars(SPEC)["__spec__"]["pad_with_hidden_state"])


def test_golden_takes_and_gives_numpy() -> None:
    x = np.arange(1, 5, dtype=np.float16).reshape(4, 1)
    (out,) = Spec.golden(x, qSeqLen=[1, 3], maxSeqLen=4, testcase_name="any", input_dtypes=("float16",))
    assert isinstance(out, np.ndarray)
    assert out[..., 0].tolist() == [[1, 0, 0, 0], [2, 3, 4, 0]]


def test_golden_takes_and_gives_torch() -> None:
    (out,) = Spec.golden(torch.arange(1, 4).view(3, 1), qSeqLen=[2, 1])
    assert out.shape == (2, 4096, 1)
    assert out[:, :2, 0].tolist() == [[1, 2], [3, 0]]


def test_golden_keeps_a_type_numpy_does_not_know() -> None:
    (out,) = Spec.golden(np.ones((1, 3), ml_dtypes.bfloat16), qSeqLen=[1], maxSeqLen=2)
    assert out.dtype == ml_dtypes.bfloat16


def test_the_third_party_agrees() -> None:
    x = torch.randn(8, 4).half()
    attrs = {"qSeqLen": [2, 5, 1], "maxSeqLen": 5}
    assert torch.equal(Spec.third_party["torch"](**attrs)(x), Spec.golden(x, **attrs)[0])


def test_a_move_is_compared_bit_for_bit() -> None:
    assert (Spec.op_type, Spec.tolerance) == ("MOVE", {"float16": {"standard": "binary_equal"}})
