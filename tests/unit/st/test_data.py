"""Input data: ranges, values that occur, every type, and determinism."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery.core import DataType, Shape, TensorDesc
from cannery.st.case import Data, Fill, TensorSpec
from cannery.st.data import DataError, generator, make_tensor

FLOATS = ("float16", "float32", "float64", "bfloat16", "float8_e5m2", "float8_e4m3fn")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def draw(dtype: str, data: Data = Data(), count: int = 4096, seed: int = 0) -> torch.Tensor:  # noqa: B008 - frozen
    spec = TensorSpec(TensorDesc(DataType.of(dtype), Shape((count,))), data)
    return make_tensor(spec, generator(seed, "case", 0)).torch


def values(tensor: torch.Tensor) -> np.ndarray:
    return tensor.to(torch.float64).numpy() if tensor.is_floating_point() else tensor.numpy()


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_fill_minus_2_to_2_and_both_bounds_occur(dtype: str) -> None:
    drawn = values(draw(dtype))
    assert (drawn.min(), drawn.max()) == (-2, 2)
    assert abs(drawn.mean()) < 0.15 and len(np.unique(drawn)) > 20


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_reach_both_bounds_and_no_further(dtype: str) -> None:
    drawn = values(draw(dtype))
    assert set(drawn.tolist()) == ({0, 1, 2} if dtype.startswith("u") else {-2, -1, 0, 1, 2})


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_kept_within_what_the_type_holds(dtype: str) -> None:
    info = np.iinfo(dtype)
    drawn = values(draw(dtype, Data(low=-(2**70), high=2**70)))
    assert (drawn.min(), drawn.max()) == (info.min, info.max)


def test_bool_and_complex() -> None:
    assert set(draw("bool").tolist()) == {False, True}
    for dtype in ("complex64", "complex128"):
        drawn = draw(dtype, Data(low=0, high=1))
        assert torch.view_as_real(drawn).min() == 0 and torch.view_as_real(drawn).max() == 1


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "bool"])
def test_equal_bounds_are_a_constant(dtype: str) -> None:
    assert set(values(draw(dtype, Data(low=1, high=1))).tolist()) == {1}


@pytest.mark.parametrize("dtype", FLOATS)
def test_values_that_must_occur_do_even_in_a_constant(dtype: str) -> None:
    drawn = values(draw(dtype, Data(low=1, high=1, must_occur=(0, -1))))
    assert set(drawn.tolist()) == {1, 0, -1}


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_range_over_all_finite_values_draws_the_exponent(dtype: str) -> None:
    info = torch.finfo(DataType.of(dtype).torch)
    drawn = values(draw(dtype, Data(low=info.min, high=info.max)))
    assert np.isfinite(drawn).all() and (drawn.min(), drawn.max()) == (info.min, info.max)
    exponents = np.frexp(drawn[drawn != 0])[1]
    assert abs(np.median(exponents)) < (exponents.max() - exponents.min()) / 8


def test_a_bound_beyond_the_type_is_the_type_s_own() -> None:
    drawn = values(draw("float16", Data(low=0, high=1e9)))
    assert np.isfinite(drawn).all() and drawn.max() == 65504


def test_the_widest_range_does_not_overflow() -> None:
    drawn = values(draw("float32", Data(low=-3.3e38, high=3.3e38)))
    assert np.isfinite(drawn).all() and abs(drawn.mean()) < 1e37


@pytest.mark.parametrize("dtype", ["float16", "float32", "bfloat16", "int32"])
def test_a_half_open_range_leaves_the_upper_bound_out(dtype: str) -> None:
    drawn = values(draw(dtype, Data(Fill.HALF_OPEN, -5, 5), 1 << 16))
    assert drawn.min() >= -5 and drawn.max() < 5


def test_bounds_that_are_not_finite() -> None:
    assert draw("float16", Data(Fill.HALF_OPEN, math.nan, math.nan)).isnan().all()
    assert set(draw("float16", Data(Fill.HALF_OPEN, math.inf, math.inf)).tolist()) == {math.inf}
    drawn = draw("float16", Data(Fill.HALF_OPEN, -math.inf, math.inf))
    assert {-math.inf, math.inf} < set(drawn.tolist()) and not drawn.isnan().any()


def test_ones_and_zeros() -> None:
    assert draw("bfloat16", Data(Fill.ONE)).eq(1).all() and draw("int8", Data(Fill.ZERO)).eq(0).all()


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "bool", "complex64", "complex32"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_type_can_be_small(dtype: str, count: int) -> None:
    assert draw(dtype, count=count).numel() == count


@given(st.integers(0, 2**63), st.text(max_size=8), st.integers(0, 3))
def test_data_depend_on_seed_name_and_input_alone(seed: int, name: str, index: int) -> None:
    first, again = (generator(seed, name, index).random(4).tolist() for _ in range(2))
    others = [generator(seed + 1, name, index), generator(seed, name + "x", index), generator(seed, name, index + 1)]
    assert first == again and all(other.random(4).tolist() != first for other in others)


def test_data_are_the_same_with_one_thread_and_with_two() -> None:
    before, made = torch.get_num_threads(), []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            made.append(draw("float16", count=100_000))
    finally:
        torch.set_num_threads(before)
    assert torch.equal(*made)


def test_files_of_each_kind(tmp_path) -> None:
    data = torch.arange(6, dtype=torch.float16)
    data.numpy().tofile(tmp_path / "x.bin")
    np.save(tmp_path / "x.npy", data.numpy())
    torch.save(data, tmp_path / "x.pt")
    for name in ("x.bin", "x.npy", "x.pt"):
        assert torch.equal(draw("float16", Data(file=tmp_path / name), 6), data)
    with pytest.raises(DataError, match="found 6 elements of float16, expected 7"):
        draw("float16", Data(file=tmp_path / "x.bin"), 7)


@pytest.mark.parametrize("name", ["x.npy", "x.pt", "x.pth"])
@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"PK\x03\x04", b"nonsense" * 9, bytes(99)])
def test_a_damaged_file_is_told_by_name(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=name):
        draw("float16", Data(file=tmp_path / name), 6)


def test_a_file_that_is_cut_or_holds_something_else_is_told_by_name(tmp_path: Path) -> None:
    np.save(tmp_path / "cut.npy", np.zeros(100, np.float16))
    torch.save(torch.zeros(100), tmp_path / "cut.pt")
    for name in ("cut.npy", "cut.pt"):
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-150])
    np.savez(tmp_path / "many.npz", a=np.zeros(6))
    (tmp_path / "many.npz").rename(tmp_path / "many.npy")
    torch.save([torch.zeros(6)], tmp_path / "list.pt")
    np.save(tmp_path / "objects.npy", np.array([{}] * 6))
    (tmp_path / "odd.bin").write_bytes(bytes(11))
    for name in ("cut.npy", "cut.pt", "many.npy", "list.pt", "objects.npy", "odd.bin"):
        with pytest.raises(DataError, match=name):
            draw("float16", Data(file=tmp_path / name), 100)


def test_a_file_of_another_size_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.bin").open("wb") as stream:
        stream.truncate(1 << 34)
    shape = (1 << 32,)
    header = np.lib.format.header_data_from_array_1_0(np.zeros(0, np.float16)) | {"shape": shape}
    with (tmp_path / "huge.npy").open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        stream.truncate(1 << 34)
    torch.save(torch.zeros(1).expand(1 << 40), tmp_path / "huge.pt")
    for name in ("huge.bin", "huge.npy", "huge.pt"):
        with pytest.raises(DataError, match=rf"{name}: found \d+ elements of float16, expected 6"):
            draw("float16", Data(file=tmp_path / name), 6)


def test_a_type_that_pytorch_has_not_is_refused() -> None:
    with pytest.raises(DataError, match="HIFLOAT8"):
        draw("hifloat8")
