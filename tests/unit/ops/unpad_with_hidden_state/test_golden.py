"""The golden of UnpadWithHiddenState by the TestSpec contract."""

from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np
import torch

from cannery import find_operator

SPEC = import_module(find_operator("UnpadWithHiddenState").golden)
Spec: Any = getattr(SPEC, vars(SPEC)["__spec__"]["unpad_with_hidden_state"])


def test_golden_takes_and_gives_numpy() -> None:
    x = np.arange(24, dtype=np.float16).reshape(2, 4, 3)
    (out,) = Spec.golden(x, qSeqLen=[1, 3], maxSeqLen=4, testcase_name="any", input_dtypes=("float16",))
    assert isinstance(out, np.ndarray)
    assert out.tolist() == [[0, 1, 2], [12, 13, 14], [15, 16, 17], [18, 19, 20]]


def test_golden_takes_and_gives_torch() -> None:
    (out,) = Spec.golden(torch.arange(8).view(2, 4, 1), qSeqLen=[2, 1])
    assert out.flatten().tolist() == [0, 1, 4]


def test_golden_keeps_a_type_numpy_does_not_know() -> None:
    (out,) = Spec.golden(np.ones((1, 2, 3), ml_dtypes.bfloat16), qSeqLen=[1], maxSeqLen=2)
    assert out.dtype == ml_dtypes.bfloat16


def test_the_third_party_agrees() -> None:
    x = torch.randn(3, 5, 4).half()
    attrs = {"qSeqLen": [2, 5, 1], "maxSeqLen": 5}
    assert torch.equal(Spec.third_party["torch"](**attrs)(x), Spec.golden(x, **attrs)[0])


def test_a_move_is_compared_bit_for_bit() -> None:
    assert (Spec.op_type, Spec.tolerance) == ("MOVE", {"float16": {"standard": "binary_equal"}})
