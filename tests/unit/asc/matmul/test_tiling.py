"""Host tilings: they are legal on the chip, they cover the product, and what is given is kept."""

from itertools import product
from typing import Any

import pytest

import cannery
from cannery import asc
from cannery.asc.lib import host

D, H = host.DataType, host.TPosition
SIZES = {D.DT_FLOAT: 4, D.DT_FLOAT16: 2, D.DT_INT8: 1}
SHAPES = [
    (1, 1, 1), (16, 16, 16), (100, 70, 33), (1024, 512, 256), (128, 30720, 64), (17, 4096, 5000), (4096, 4096, 4096),
]  # fmt: skip


def made(
    shape: tuple[int, int, int], cores: int, of: Any = D.DT_FLOAT16, place: Any = H.GM, *, bias: bool = False,
    fixed: tuple[int, ...] = (), single: tuple[int, ...] = (), chip: str = "Ascend910B1",
) -> tuple[Any, Any]:  # fmt: skip
    m, n, k = shape
    tiler = host.MultiCoreMatmulTiling(cannery.soc(chip))
    results = [
        tiler.set_a_type(H.GM, host.CubeFormat.ND, of, False), tiler.set_b_type(H.GM, host.CubeFormat.ND, of, False),
        tiler.set_c_type(place, host.CubeFormat.ND, D.DT_FLOAT), tiler.set_dim(cores), tiler.set_org_shape(m, n, k),
        tiler.set_shape(m, n, k), tiler.enable_bias(bias), tiler.set_buffer_space(-1, -1, -1),
        tiler.set_fix_split(*fixed), tiler.set_single_shape(*single),
    ]  # fmt: skip
    assert results == [0] * 10
    tiling = asc.adv.TCubeTiling()
    assert tiler.get_tiling(tiling) == 0
    return tiler, tiling


@pytest.mark.parametrize(("shape", "cores"), list(product(SHAPES, (1, 2, 24, 48))))
@pytest.mark.parametrize("of", SIZES)
@pytest.mark.parametrize("place", [H.GM, H.VECCALC])
def test_tilings_are_legal_and_cover_the_product(shape: Any, cores: int, of: Any, place: Any) -> None:
    (m, n, k), size = shape, SIZES[of]
    tiler, tiling = made(shape, cores, of, place, bias=True)
    rows, columns = asc.ceildiv(m, int(tiling.single_core_m)), asc.ceildiv(n, int(tiling.single_core_n))
    assert tiler.get_core_num() == (tiling.used_core_num, rows, columns)
    assert rows * columns == tiling.used_core_num <= cores
    assert tiling.single_core_k == k
    assert tiling.base_m % 16 == tiling.base_n % 16 == 0
    assert tiling.base_m * tiling.base_k * size * tiling.db_l0a <= 65536
    assert tiling.base_n * tiling.base_k * size * tiling.db_l0b <= 65536
    assert tiling.base_m * tiling.base_n * 4 * tiling.db_l0c <= 131072
    assert tiling.base_n * 4 <= 1024
    assert (tiling.base_m + tiling.base_n) * tiling.base_k * size * tiling.depth_a1 <= 524288
    assert place is H.GM or 2 * tiling.base_m * tiling.base_n * 4 <= 196608 - 8448
    assert (tiling.step_m, tiling.step_n, tiling.is_bias) == (1, 1, 1)


def test_what_is_given_is_kept() -> None:
    _, tiling = made((1024, 640, 256), 2, place=H.VECCALC, bias=True, fixed=(256, 128, -1))
    assert (tiling.base_m, tiling.base_n) == (256, 128)
    assert (tiling.single_core_m, tiling.single_core_n) == (512, 640)
    _, tiling = made((128, 128, 64), 4, single=(64, 128, 64))
    assert (tiling.single_core_m, tiling.single_core_n, tiling.used_core_num) == (64, 128, 2)


@pytest.mark.parametrize(("traverse", "order"), [("NOSET", 0), ("FIRSTM", 0), ("FIRSTN", 1)])
def test_the_traverse_is_the_order_of_iteration(traverse: str, order: int) -> None:
    tiler, tiling = made((64, 64, 64), 1)
    tiler.set_traverse(host.MatrixTraverse[traverse])
    tiler.get_tiling(tiling)
    assert tiling.iterate_order == order


@pytest.mark.parametrize(
    "fixed", [(1024, 1024, 1024), (16, 512, 16)], ids=["more than L0 holds", "more than the bias table holds"]
)
def test_without_a_legal_tiling_nothing_is_filled_in(fixed: tuple[int, int, int]) -> None:
    tiler = host.MatmulApiTiling(host.get_ascendc_platform())
    tiler.set_shape(2048, 2048, 2048)
    tiler.enable_bias(True)
    tiler.set_fix_split(*fixed)
    tiling = asc.adv.TCubeTiling()
    assert tiler.get_tiling(tiling) == -1
    assert tiling.base_m == 0


def test_without_a_shape_there_is_none() -> None:
    assert host.MatmulApiTiling(host.get_ascendc_platform()).get_tiling(asc.adv.TCubeTiling()) == -1
    assert host.MultiCoreMatmulTiling(host.get_ascendc_platform()).set_dim(0) == -1
    assert host.MatmulApiTiling(host.get_ascendc_platform()).set_org_shape(0, 1, 1) == -1


def test_layouts_of_batches_go_into_the_tiling() -> None:
    tiler = host.BatchMatmulTiling(host.get_ascendc_platform())
    assert tiler.get_core_num() is None
    tiler.set_org_shape(32, 48, 64)
    assert tiler.set_batch_info_for_normal(3, 6, 32, 48, 64) == 0
    tiling = asc.adv.TCubeTiling()
    assert tiler.get_tiling(tiling) == 0
    assert (tiling.batch_num, tiling.a_layout_info_b, tiling.b_layout_info_s, tiling.c_layout_info_s2) == (6, 3, 48, 48)
    assert tiler.get_core_num() == (1, 1, 1, 1, 1)
