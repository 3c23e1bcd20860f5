"""RmsNormBackward by `cannery.run`: autograd agrees in every type, shapes of gamma and rstd, threads."""

import numpy as np
import pytest
import torch

import cannery
from cannery import OperatorError, Tensor
from cannery.ops.rms_norm_backward.golden import RmsNormBackwardSpec as Spec

NAME = "RmsNormBackward"
SHAPES = [((8,), (64,)), ((1,), (33,)), ((3, 5), (17,)), ((4,), (6, 8)), ((), (48,)), ((2, 1, 2, 1, 3, 1, 2), (16,))]


def tensors(rows: tuple[int, ...], row: tuple[int, ...], dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(len(rows) * 7 + row[0])
    dy, x = (torch.randn(*rows, *row, generator=generator).to(dtype) for _ in range(2))
    rstd = x.float().reshape(*(rows or (1,)), -1).square().mean(-1).add(1e-6).rsqrt()
    return [dy, x, rstd, torch.randn(row, generator=generator).to(dtype)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("rows", "row"), SHAPES)
def test_golden_and_autograd_agree(rows: tuple[int, ...], row: tuple[int, ...], dtype: torch.dtype) -> None:
    inputs = tensors(rows, row, dtype)
    made = cannery.run(NAME, inputs)
    golden = Spec.golden(*(Tensor.of(tensor).numpy() for tensor in inputs))
    step = torch.finfo(dtype).eps
    for ours, expected, theirs in zip(made, golden, Spec.third_party(*inputs), strict=True):
        assert ours.shape == expected.shape
        assert np.allclose(ours.double().numpy(), expected.astype(np.float64), rtol=step, atol=1e-6)
        assert torch.allclose(ours.float(), theirs.float(), rtol=4 * step, atol=max(4 * step, 1e-5))
    assert (made[0].dtype, made[1].dtype) == (dtype, torch.float32)


def test_by_hand() -> None:
    dy, x = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])
    dx, dgamma = cannery.run(NAME, [dy, x, torch.tensor([0.5]), torch.tensor([1.0, 10.0])])
    assert dgamma.tolist() == [1.5, 4]
    mean = (1 * 1 * 0.125 * 3 + 2 * 10 * 0.125 * 4) / 2
    assert dx.tolist() == [[0.5 - 3 * mean, 10 - 4 * mean]]


@pytest.mark.parametrize("shape", [(4,), (4, 1), (4, 1, 1), (2, 2), (1, 1, 1, 4)])
def test_rstd_may_have_any_shape_of_an_element_a_row(shape: tuple[int, ...]) -> None:
    dy, x, rstd, gamma = tensors((4,), (6, 8))
    expected = cannery.run(NAME, [dy, x, rstd, gamma])
    made = cannery.run(NAME, [dy, x, rstd.view(shape), gamma])
    assert all(torch.equal(a, b) for a, b in zip(made, expected, strict=True))


def test_dx_may_be_the_memory_of_x() -> None:
    dy, x, rstd, gamma = tensors((4,), (16,))
    expected = cannery.run(NAME, [dy, x, rstd, gamma])
    cannery.run(NAME, [dy, x, rstd, gamma], outputs=[x, None])
    assert torch.equal(x, expected[0])


@pytest.mark.parametrize("rows", [3, 1000])
def test_the_number_of_threads_does_not_show(rows: int) -> None:
    inputs, before = tensors((rows,), (257,)), torch.get_num_threads()
    try:
        made = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            made.append([Tensor.of(out).bytes().tobytes() for out in cannery.run(NAME, inputs)])
        assert made[0] == made[1]
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("quirks", [False, True])
def test_dy_may_have_other_rows_than_x_where_their_number_is_the_same(quirks: bool) -> None:
    dy, x, rstd, gamma = tensors((2, 3), (8,))
    expected = cannery.run(NAME, [dy, x, rstd, gamma])
    made = cannery.run(NAME, [dy.view(6, 8), x, rstd, gamma], quirks=quirks)
    assert all(torch.equal(a, b) for a, b in zip(made, expected, strict=True))


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize(
    ("shapes", "parameter"),
    [
        (((8, 64), (8, 64), (8,), (63,)), "gamma"),
        (((8, 64), (8, 64), (8,), (1,)), "gamma"),
        (((8, 64), (8, 64), (7,), (64,)), "rstd"),
        (((8, 64), (8, 64), (8, 64), (64,)), "rstd"),
        (((512,), (8, 64), (8,), (64,)), "rstd"),
        (((4, 128), (8, 64), (4,), (64,)), "dy"),
    ],
)
def test_what_the_kernels_tiling_refuses_fails_at_execute_unwritten(
    shapes: tuple[tuple[int, ...], ...], parameter: str, quirks: bool
) -> None:
    inputs, outputs = [torch.ones(shape) for shape in shapes], [torch.full(shapes[i], 7.0) for i in (1, 3)]
    with pytest.raises(OperatorError) as caught:
        cannery.run(NAME, inputs, outputs=outputs, quirks=quirks)
    assert (caught.value.stage.letter, caught.value.parameter) == ("E", parameter)
    assert caught.value.code.name == "ERROR_INVALID_PARAM"
    assert all(out.eq(7).all() for out in outputs)
