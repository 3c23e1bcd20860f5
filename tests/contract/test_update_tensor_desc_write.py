"""UpdateTensorDesc's write: rank and dims in their words, every other byte as it was, all checks first."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

import cannery
from cannery.core import GeStatus, OperatorError, Stage
from cannery.operator import Operator, find_operator

X = torch.ones(8)
ENGINES = tuple(find_operator("UpdateTensorDesc").engines)


def run(shape: Any, x: Any = X, **options: Any) -> Any:
    return cannery.run("UpdateTensorDesc", [x], {"shape": shape}, **options)


def poisoned(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-(2**63), 2**63 - 1, count, np.int64)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_readmes_example(engine: str) -> None:
    y = run([4, 8, 4], fill=1, engine=engine)[0]
    assert y.dtype == torch.int64 and y.shape == (4, 8, 4)
    assert y.reshape(-1)[:8].tolist() == [1, 1, 1, 3, 4, 8, 4, 1]
    assert (y.reshape(-1)[8:] == 1).all()


@pytest.mark.parametrize("engine", ENGINES)
@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=123)
    .map(lambda dims: [*dims, 128])
    .filter(lambda dims: np.prod(dims, dtype=object) < 2**63),
    beyond=st.integers(0, 300),
)
def test_every_byte_outside_the_window_is_preserved(engine: str, shape: list[int], beyond: int) -> None:
    y = poisoned(128 + beyond)
    expected = y.copy()
    expected[3 : 4 + len(shape)] = [len(shape), *shape]
    result = run(shape, outputs=[y], engine=engine)
    assert result[0] is y
    assert y.tobytes() == expected.tobytes()


@pytest.mark.parametrize("engine", ENGINES)
def test_memory_around_a_buffer_within_a_larger_one_is_preserved(engine: str) -> None:
    whole = torch.from_numpy(poisoned(512))
    expected = whole.clone()
    expected[192 + 3 : 192 + 5] = torch.tensor([1, 200])
    run([200], outputs=[whole[192:320]], engine=engine)
    assert torch.equal(whole, expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_rank_124_fills_the_descriptor_to_its_last_word(engine: str) -> None:
    shape = [1] * 123 + [2**62]
    y = poisoned(200)
    expected = [*y[:3], 124, *shape, *y[128:]]
    run(shape, outputs=[y], engine=engine)
    assert y.tolist() == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_a_second_call_changes_nothing(engine: str) -> None:
    y = poisoned(128)
    run([2, 64], outputs=[y], engine=engine)
    once = y.copy()
    run([2, 64], outputs=[y], engine=engine)
    assert y.tobytes() == once.tobytes()


@pytest.mark.parametrize(
    "dtype",
    [torch.bool, torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64,
     torch.uint8, torch.uint16, torch.uint32, torch.uint64],
)  # fmt: skip
@pytest.mark.parametrize("x_shape", [(), (0,), (3,), (1, 2, 1, 2, 1, 2, 1, 2)])
def test_x_of_every_type_and_rank_is_left_alone(dtype: torch.dtype, x_shape: tuple[int, ...]) -> None:
    x = torch.ones(x_shape, dtype=dtype)
    assert run([128], x)[0][3:5].tolist() == [1, 128]
    assert torch.equal(x, torch.ones(x_shape, dtype=dtype))


def test_x_may_be_a_view_that_is_not_contiguous() -> None:
    assert run([128], torch.ones(4, 6).t()[::2])[0][3].item() == 1


def _read_only() -> np.ndarray:
    y = poisoned(128)
    y.flags.writeable = False
    return y


REFUSED = {
    "wrong dtype": (lambda: torch.zeros(128, dtype=torch.int32), "y: found int32, expected int64"),
    "float": (lambda: torch.zeros(128), "y: found float32, expected int64"),
    "unsigned": (lambda: np.zeros(128, np.uint64), "y: found uint64, expected int64"),
    "not contiguous": (lambda: torch.from_numpy(poisoned(256))[::2], "not contiguous"),
    "expanded": (lambda: torch.zeros(1, dtype=torch.int64).expand(128), "not contiguous"),
    "too small": (lambda: torch.from_numpy(poisoned(127)), "y: found 127 elements, expected at least 128"),
    "empty": (lambda: torch.zeros(0, dtype=torch.int64), "y: found 0 elements"),
    "read-only": (_read_only, "read-only"),
    "no tensor": (lambda: [0] * 128, "y: found list"),
}


@pytest.mark.parametrize(("make", "text"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_buffer_is_refused_before_any_write(make: Any, text: str) -> None:
    y = make()
    before = [int(word) for word in y]
    with pytest.raises(OperatorError, match=text):
        run([4, 8, 4], outputs=[y])
    assert [int(word) for word in y] == before


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ([], "shape: found 0 dims, expected 1 to 124"),
        ([1] * 124 + [128], "shape: found 125 dims"),
        ([4, -8, 4], r"shape\[1\]: found -8"),
        ([4, 4], "shape: found 16 elements"),
        ([2**63], "does not fit int64"),
        ([2**62, 2], "too large"),
        (["4", "8", "4"], "shape: found '4', expected a flat list of integers"),
        ([4, [8, 4]], "expected a flat list of integers"),
        ([128.0], "shape: found 128.0"),
        ([True] * 128, "shape: found True"),
        (128, "shape: found 128, expected a flat list"),
        ("128", "shape: found '128'"),
        (None, "shape: found nothing"),
    ],
)
def test_a_wrong_attribute_is_refused_before_any_write(shape: Any, text: str) -> None:
    y = poisoned(128)
    before = y.tobytes()
    with pytest.raises(OperatorError, match=text):
        run(shape, outputs=[y])
    assert y.tobytes() == before


@pytest.mark.parametrize("inputs", [[], [None], [X, X]])
def test_x_is_required_and_alone(inputs: Any) -> None:
    with pytest.raises(OperatorError) as caught:
        cannery.run("UpdateTensorDesc", inputs, {"shape": [128]})
    assert (caught.value.stage, caught.value.code) == (Stage.CHECK, GeStatus.GRAPH_PARAM_INVALID)


def test_only_a_950_has_the_kernel() -> None:
    assert run([128], soc="Ascend950DT_950x").context.soc.name == "Ascend950DT_950x"
    with pytest.raises(OperatorError, match="soc: found Ascend910B1, expected a chip of Ascend950"):
        run([128], soc="Ascend910B")


def _words_written(y: torch.Tensor) -> int:
    written: list[int] = []

    class Count(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func._schema.is_mutable:
                written.append(args[0].numel())
            return func(*args, **(kwargs or {}))

    with Count():
        run([2, 64], outputs=[y])
    return sum(written)


def test_the_write_does_not_grow_with_y() -> None:
    small, large = torch.zeros(128, dtype=torch.int64), torch.zeros(1 << 20, dtype=torch.int64)
    assert _words_written(small) == _words_written(large) == 3


def test_the_same_call_gives_the_same_bytes() -> None:
    assert {run([4, 8, 4])[0].numpy().tobytes() for _ in range(3)} == {run([4, 8, 4])[0].numpy().tobytes()}


def test_the_definition_has_the_originals_registration() -> None:
    operator: Operator = find_operator("UpdateTensorDesc")
    aicore = operator.definition.aicore
    assert aicore is not None
    assert (aicore.socs, aicore.op_file) == (("Ascend950",), "update_tensor_desc_apt")
    flags = (aicore.dynamic_compile_static, aicore.dynamic_format, aicore.dynamic_rank_support)
    assert flags == (True, False, True)
    assert (aicore.dynamic_shape_support, aicore.need_check_support, aicore.precision_reduce) == (True, False, False)
