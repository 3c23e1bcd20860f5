"""UpdateTensorDesc where the original wraps, cuts or multiplies blindly: right by default, faithful on request.

Source of the faithful answers: hicann/ops-nn control/update_tensor_desc/op_host @1eb27776 over hicann/metadef
inc/external/exe_graph/runtime/shape.h @786891c0.
"""

from math import prod
from typing import Any

import numpy as np
import pytest
import torch

import cannery
from cannery.core import DataType, OperatorError, Shape, Stage, TensorDesc
from cannery.operator import find_operator, staged

OPERATOR = find_operator("UpdateTensorDesc")
X = TensorDesc(DataType.DT_FLOAT, Shape([2, 3]))


def infer(shape: list[int], quirks: bool) -> Shape:
    return OPERATOR.infer_shape(staged.bind(OPERATOR, [X], {"shape": shape}, quirks=quirks))[0].shape


def run(shape: list[int], **options: Any) -> Any:
    return cannery.run("UpdateTensorDesc", [torch.zeros(2, 3)], {"shape": shape}, **options)


def stage_and_text(shape: list[int], **options: Any) -> tuple[Stage, str]:
    with pytest.raises(OperatorError) as caught:
        run(shape, **options)
    return caught.value.stage, str(caught.value)


OVERFLOWS = {
    "[2]*63": ([2] * 63, -(2**63)),
    "[2]*64": ([2] * 64, 0),
    "[2^32, 2^32]": ([2**32] * 2, 0),
    "[2^32+1]*2": ([2**32 + 1] * 2, 8589934593),
}


@pytest.mark.parametrize("shape", [shape for shape, _ in OVERFLOWS.values()], ids=OVERFLOWS)
def test_a_product_beyond_int64_is_too_large(shape: list[int]) -> None:
    stage, text = stage_and_text(shape)
    assert stage is Stage.INFER_SHAPE
    assert f"found {prod(shape)} elements, which is too large" in text


@pytest.mark.parametrize(("shape", "wrapped"), OVERFLOWS.values(), ids=OVERFLOWS)
def test_with_quirks_the_wrapped_product_is_judged(shape: list[int], wrapped: int) -> None:
    stage, text = stage_and_text(shape, quirks=True)
    if wrapped >= 128:
        # Inference is content; the size of y, which the framework multiplies with care, is not.
        assert infer(shape, quirks=True) == Shape(shape)
        assert stage is Stage.TILING and "y: found" in text
    else:
        assert stage is Stage.INFER_SHAPE and f"found {wrapped} elements" in text


@pytest.mark.parametrize("quirks", [False, True])
def test_the_largest_square_is_legal(quirks: bool) -> None:
    shape = [3037000499] * 2
    assert infer(shape, quirks) == Shape(shape)
    y = np.full(128, -1, np.int64)
    run(shape, outputs=[y], quirks=quirks)
    assert y[3:7].tolist() == [2, 3037000499, 3037000499, -1]


def test_a_124_dim_product_of_huge_dims_is_too_large_on_one_line() -> None:
    text = stage_and_text([2**63 - 1] * 124)[1]
    assert "too large" in text and "\n" not in text and len(text) < 1000


def test_a_rank_beyond_25_keeps_every_dim() -> None:
    assert infer([128] + [1] * 30, quirks=False).rank == 31
    assert infer([1] * 30 + [128], quirks=False).element_count() == 128


def test_with_quirks_inference_cuts_at_25_dims() -> None:
    assert infer([128] + [1] * 30, quirks=True) == Shape([128] + [1] * 24)
    assert infer([1] * 30 + [128], quirks=True) == Shape([1] * 25)


@pytest.mark.parametrize("quirks", [False, True])
def test_rank_31_is_written_whole_when_the_elements_are_in_front(quirks: bool) -> None:
    y = run([128] + [1] * 30, quirks=quirks)[0]
    assert y.ndim == (25 if quirks else 31)
    assert y.reshape(-1)[3:36].tolist() == [31, 128] + [1] * 30 + [0]


def test_with_quirks_a_cut_y_is_too_small_for_tiling() -> None:
    shape = [1] * 30 + [128]
    assert run(shape)[0].reshape(-1)[3].item() == 31
    stage, text = stage_and_text(shape, quirks=True)
    assert stage is Stage.TILING and "y: found 1 elements" in text


def _tile_unknown_y(quirks: bool) -> int:
    context = staged.bind(OPERATOR, [X], {"shape": [4, 8, 4]}, quirks=quirks)
    return OPERATOR.tiling(context.with_outputs([TensorDesc(DataType.DT_INT64, Shape([-1, -128]))])).block_dim


def test_an_unknown_y_is_refused_and_with_quirks_multiplied() -> None:
    with pytest.raises(OperatorError, match=r"tiling: y: found the unknown shape \[-1, -128\]"):
        _tile_unknown_y(quirks=False)
    assert _tile_unknown_y(quirks=True) == 1


def test_every_quirk_is_named_in_the_definition_and_the_readme() -> None:
    from importlib.resources import files

    names = [quirk.name for quirk in OPERATOR.definition.quirks]
    assert names == ["rank_cut_at_25", "element_count_wraps", "unknown_dims_of_y_multiply"]
    readme = files("cannery.ops.update_tensor_desc").joinpath("README.md").read_text(encoding="utf-8")
    assert all(name in readme for name in names)
