"""StridedBatchMatmul by `cannery.run`: layouts, transposes, gaps, sizes that wrap."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cannery
from cannery import DataType, OperatorError, Shape, TensorDesc, find_operator
from cannery.core import Stage
from cannery.operator import staged
from cannery.ops.strided_batch_matmul.blocks import samples
from cannery.ops.strided_batch_matmul.golden import StridedBatchMatmulSpec as Spec

NAME = "StridedBatchMatmul"
SIZES = st.tuples(*[st.integers(1, 7)] * 3)


def attrs_of(
    sizes: list[tuple[int, int, int]], heads: int, transposed: tuple[bool, bool], wide: bool
) -> dict[str, Any]:
    """Heads one after the other, or side by side in wide rows."""
    m, n, k = (list(column) for column in zip(*sizes, strict=True))
    rows = {"a": m if transposed[0] else k, "b": k if transposed[1] else n, "c": n}
    areas = {"A": [x * y for x, y in zip(m, k, strict=True)], "B": [x * y for x, y in zip(n, k, strict=True)]}
    areas["C"] = [x * y for x, y in zip(m, n, strict=True)]
    leading = {f"ld{t}": [size * (heads if wide else 1) for size in row] for t, row in rows.items()}
    strides = {f"stride{t}": rows[t.lower()] if wide else area for t, area in areas.items()}
    counts = {"batch": len(sizes), "headNum": heads, "transposeA": transposed[0], "transposeB": transposed[1]}
    return {**counts, "m": m, "n": n, "k": k, **leading, **strides}


def operands(attrs: dict[str, Any]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(sum(attrs["m"]))
    counts = [attrs["headNum"] * sum(map(int.__mul__, attrs[side], attrs["k"])) for side in ("m", "n")]
    return [torch.randn(count, generator=generator).half() for count in counts]


@given(
    st.lists(SIZES, min_size=1, max_size=4), st.integers(1, 3), st.tuples(st.booleans(), st.booleans()), st.booleans()
)
def test_the_golden_agrees_for_heads_apart_and_side_by_side(
    sizes: list[tuple[int, int, int]], heads: int, transposed: tuple[bool, bool], wide: bool
) -> None:
    attrs = attrs_of(sizes, heads, transposed, wide)
    a, b = operands(attrs)
    c = cannery.run(NAME, [a, b], attrs)[0]
    assert np.allclose(c.numpy(), Spec.golden(a.numpy(), b.numpy(), **attrs)[0], rtol=2**-10, atol=2**-12)


@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)])
def test_one_head_is_a_plain_product(transposed: tuple[bool, bool]) -> None:
    a, b = torch.randn(4, 6).half(), torch.randn(6, 5).half()
    given_a, given_b = a.t().contiguous() if transposed[0] else a, b.t().contiguous() if transposed[1] else b
    c = cannery.run(NAME, [given_a, given_b], attrs_of([(4, 5, 6)], 1, transposed, False))[0]
    assert torch.allclose(c.view(4, 5), (a.double() @ b.double()).half())


def test_what_lies_between_the_blocks_of_c_is_preserved() -> None:
    attrs = attrs_of([(2, 2, 1)], 1, (False, False), False) | {"ldc": [3]}
    c = torch.full((4,), 7.0).half()
    with pytest.raises(OperatorError, match="C: found elements 0 to 5"):
        cannery.run(NAME, [torch.ones(2).half(), torch.ones(2).half()], attrs, outputs=[c])
    larger = torch.full((6,), 7.0).half()
    cannery.run(NAME, [torch.ones(2).half(), torch.ones(2).half()], attrs, outputs=[larger], quirks=True)
    assert (c == 7).all()
    assert larger.tolist() == [1, 1, 7, 1, 1, 7]


def test_heads_may_share_a_matrix() -> None:
    attrs = attrs_of([(2, 3, 4)], 2, (False, False), False) | {"strideB": [0]}
    a, b = operands(attrs)
    c = cannery.run(NAME, [a, b], attrs)[0].view(2, 2, 3)
    assert torch.allclose(c.float(), a.view(2, 2, 4).float() @ b[:12].view(4, 3).float(), atol=1e-2)


def test_a_product_beyond_int32_is_refused_and_wraps_with_quirks() -> None:
    attrs = attrs_of([(2**16, 2**15, 1), (1, 1, 1)], 1, (False, False), False) | {"strideC": [0, 0]}
    descs = [TensorDesc(DataType.DT_FLOAT16, Shape((count,))) for count in (2**16 + 1, 2**15 + 1)]
    operator = find_operator(NAME)
    with pytest.raises(OperatorError, match=r"m\[0\] \* n\[0\]: found 2147483648"):
        operator.infer_shape(staged.bind(operator, descs, attrs))
    call = staged.prepare(operator, descs, attrs, quirks=True, until=Stage.INFER_SHAPE)
    assert [sample.blocks["C"].start for sample in samples(call.context)] == [0, -(2**31)]
    with pytest.raises(OperatorError, match="C: found elements -2147483648"):
        staged.advance(call)


@pytest.mark.parametrize("size", [3, 200])
def test_the_number_of_threads_does_not_show(size: int) -> None:
    attrs = attrs_of([(size, size, 600)], 2, (False, True), False)
    inputs, before = operands(attrs), torch.get_num_threads()
    try:
        made = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            made.append(cannery.run(NAME, inputs, attrs)[0])
        assert torch.equal(*made)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("heads", "sizes", "quirks"), [(8, [(2**30, 2**30)], True), (2**31 - 1, [(46340, 46340)] * 3, False)]
)
def test_a_size_beyond_int64_is_refused_by_inference(heads: int, sizes: list[tuple[int, int]], quirks: bool) -> None:
    """8 * 2**30 * 2**30 is the first number that int64 does not hold."""
    ones = [1] * len(sizes)
    attrs: dict[str, Any] = dict.fromkeys(("k", "lda", "ldb", "ldc", "strideA", "strideB", "strideC"), ones)
    attrs |= {"headNum": heads, "batch": len(ones), "m": [m for m, _ in sizes], "n": [n for _, n in sizes]}
    with pytest.raises(OperatorError, match="at most 9223372036854775807") as refusal:
        cannery.run(NAME, [torch.zeros(8).half()] * 2, attrs, quirks=quirks)
    assert refusal.value.stage is Stage.INFER_SHAPE and refusal.value.code.name == "ERROR_INVALID_PARAM"
