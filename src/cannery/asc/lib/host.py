"""``asc.lib.host``: tilings of products (hicann/pyasc `python/asc/lib/host` @cecba26ace65).

Setters return 0, or −1 where a value cannot be. ``get_tiling`` fills a TCubeTiling with a legal tiling, and returns −1
where there is none; its numbers are cannery's own, except where they are given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from cannery.asc.lib import tiling as cuts
from cannery.asc.lib.host_enums import (
    SIZES,
    CubeFormat,
    DataType,
    DequantType,
    MatrixMadType,
    MatrixTraverse,
    ScheduleType,
    TPosition,
)
from cannery.asc.runtime import config
from cannery.soc import Soc, soc

__all__ = [
    "BatchMatmulTiling", "CubeFormat", "DataType", "DequantType", "MatmulApiTiling", "MatmulConfigParams",
    "MatrixMadType", "MatrixTraverse", "MultiCoreMatmulTiling", "PlatformAscendC", "PlatformAscendCManager",
    "ScheduleType", "TPosition", "get_ascendc_platform",
]  # fmt: skip

DONE: Final = 0
FAILED: Final = -1
_UB: Final = frozenset({TPosition.VECIN, TPosition.VECOUT, TPosition.VECCALC})
Sizes = tuple[int, int, int]
PlatformAscendC = Soc


def get_ascendc_platform() -> Soc:
    """The chip kernels are launched on."""
    return config.platform()


class PlatformAscendCManager:
    """Chips by name."""

    @staticmethod
    def get_instance(soc_version: str | None = None) -> Soc:
        """A chip; without a name the one kernels are launched on.

        Raises:
            UnknownSocError: no such chip.
        """
        return config.platform() if soc_version is None else soc(soc_version)


@dataclass
class MatmulConfigParams:
    """Options of the kernel's template."""

    mm_config_type: int = 1
    enable_l1_cache_ub: bool = False
    schedule_type: ScheduleType = ScheduleType.INNER_PRODUCT
    traverse: MatrixTraverse = MatrixTraverse.NOSET
    en_vec_nd2nz: bool = False


@dataclass(frozen=True)
class Operand:
    """Where a matrix lies, and its element type."""

    position: TPosition = TPosition.GM
    dtype: DataType = DataType.DT_FLOAT16


def _given(sizes: Sizes) -> Sizes:
    """Sizes with 0 for what is not given."""
    return max(0, sizes[0]), max(0, sizes[1]), max(0, sizes[2])


class MatmulApiTiling:
    """The tiling of a product on one core. ``platform``: a chip."""

    def __init__(self, platform: Soc) -> None:
        self._soc = platform
        self._org = (0, 0, 0, 0)
        self._shape = (-1, -1, -1)
        self._single = (-1, -1, -1)
        self._base = (-1, -1, -1)
        self._most = (-1, -1, -1)
        self._align = (1, 1, 1)
        self._a, self._b, self._c = Operand(), Operand(), Operand(dtype=DataType.DT_FLOAT)
        self._bias = False
        self._traverse = MatrixTraverse.NOSET
        self._space = (-1, -1, -1, -1)
        self._layouts: dict[str, int] = {}
        self._cores = 0
        self._made: cuts.Cut | None = None

    def set_a_type(self, pos: TPosition, type: CubeFormat, data_type: DataType, is_trans: bool = False) -> int:
        """Where A lies, and how."""
        del type, is_trans
        self._a = Operand(TPosition(pos), DataType(data_type))
        return _possible(data_type)

    def set_b_type(self, pos: TPosition, type: CubeFormat, data_type: DataType, is_trans: bool = False) -> int:
        """Where B lies, and how."""
        del type, is_trans
        self._b = Operand(TPosition(pos), DataType(data_type))
        return _possible(data_type)

    def set_c_type(self, pos: TPosition, type: CubeFormat, data_type: DataType) -> int:
        """Where C lies, and how."""
        del type
        self._c = Operand(TPosition(pos), DataType(data_type))
        return _possible(data_type)

    def set_bias_type(self, pos: TPosition, type: CubeFormat, data_type: DataType) -> int:
        """Where the bias lies, and how."""
        del pos, type
        return _possible(data_type)

    def set_org_shape(self, org_m_in: int, org_n_in: int, org_ka_in: int, org_kb_in: int | None = None) -> int:
        """The whole matrices."""
        found = (int(org_m_in), int(org_n_in), int(org_ka_in), int(org_ka_in if org_kb_in is None else org_kb_in))
        if min(found) <= 0:
            return FAILED
        self._org = found
        return DONE

    def set_shape(self, m: int, n: int, k: int) -> int:
        """The product that is computed; −1: the whole."""
        self._shape = (int(m), int(n), int(k))
        return DONE

    def enable_bias(self, is_bias_in: bool = False) -> int:
        """Whether there is a bias."""
        self._bias = bool(is_bias_in)
        return DONE

    set_bias = enable_bias

    def set_traverse(self, traverse: MatrixTraverse) -> int:
        """Which way C is walked through first."""
        self._traverse = MatrixTraverse(traverse)
        return DONE

    def set_fix_split(self, base_m_in: int = -1, base_n_in: int = -1, base_k_in: int = -1) -> int:
        """Sizes of a block; −1: free."""
        self._base = (int(base_m_in), int(base_n_in), int(base_k_in))
        return DONE

    def set_split_range(
        self, max_base_m: int = -1, max_base_n: int = -1, max_base_k: int = -1, min_base_m: int = -1,
        min_base_n: int = -1, min_base_k: int = -1,
    ) -> int:  # fmt: skip
        """The largest and smallest sizes of a block; the smallest are no bound here."""
        del min_base_m, min_base_n, min_base_k
        self._most = (int(max_base_m), int(max_base_n), int(max_base_k))
        return DONE

    def set_buffer_space(self, l1_size: int = -1, l0_c_size: int = -1, ub_size: int = -1, bt_size: int = -1) -> int:
        """Bytes that may be used; −1: all there are."""
        self._space = (int(l1_size), int(l0_c_size), int(ub_size), int(bt_size))
        return DONE

    def set_double_buffer(
        self, a: bool, b: bool, c: bool, bias: bool, trans_nd2nz: bool = True, trans_nz2nd: bool = True
    ) -> int:
        """Whether buffers are doubled; here they are wherever there is room."""
        del a, b, c, bias, trans_nd2nz, trans_nz2nd
        return DONE

    def set_mad_type(self, mad_type: MatrixMadType) -> int:
        """How float32 is multiplied; it changes no size."""
        MatrixMadType(mad_type)
        return DONE

    def set_dequant_type(self, dequant_type: DequantType) -> int:
        """One quantisation word or one a column; it changes no size."""
        DequantType(dequant_type)
        return DONE

    def set_sparse(self, is_sparse_in: bool = False) -> int:
        """Whether B is sparse; it changes no size."""
        del is_sparse_in
        return DONE

    def set_matmul_config_params(self, *args: Any, **options: Any) -> None:
        """Options of the kernel's template: MatmulConfigParams, or its fields."""
        if not (args and isinstance(args[0], MatmulConfigParams)):
            names = {name.removesuffix("_in"): value for name, value in options.items() if name != "config_params"}
            MatmulConfigParams(*args, **names)

    def set_a_layout(self, b: int, s: int, n: int, g: int, d: int) -> int:
        """The dims of a batch of A."""
        return self._set_layout("a", ("b", "s", "n", "g", "d"), (b, s, n, g, d))

    def set_b_layout(self, b: int, s: int, n: int, g: int, d: int) -> int:
        """The dims of a batch of B."""
        return self._set_layout("b", ("b", "s", "n", "g", "d"), (b, s, n, g, d))

    def set_c_layout(self, b: int, s: int, n: int, g: int, d: int) -> int:
        """The dims of a batch of C."""
        return self._set_layout("c", ("b", "s1", "n", "g", "s2"), (b, s, n, g, d))

    def _set_layout(self, prefix: str, names: tuple[str, ...], dims: tuple[int, ...]) -> int:
        self._layouts |= {f"{prefix}_layout_info_{name}": int(dim) for name, dim in zip(names, dims, strict=True)}
        return DONE

    def set_batch_num(self, batch: int) -> int:
        """How many matrices are computed at once."""
        self._layouts["batch_num"] = int(batch)
        return DONE

    def set_batch_info_for_normal(self, batch_a: int, batch_b: int, m: int, n: int, k: int) -> int:
        """A batch of matrices one behind the other."""
        self.set_a_layout(batch_a, m, 1, 1, k)
        self.set_b_layout(batch_b, n, 1, 1, k)
        self.set_c_layout(max(batch_a, batch_b), m, 1, 1, n)
        return self.set_batch_num(max(int(batch_a), int(batch_b)))

    def get_base_m(self) -> int:
        """Rows of a block; before get_tiling those that are given."""
        return self._base[0] if self._made is None else self._made.base[0]

    def get_base_n(self) -> int:
        """Columns of a block; before get_tiling those that are given."""
        return self._base[1] if self._made is None else self._made.base[1]

    def get_base_k(self) -> int:
        """Depth of a block; before get_tiling the one that is given."""
        return self._base[2] if self._made is None else self._made.base[2]

    def get_tiling(self, tiling: Any) -> int:
        """Fill a TCubeTiling. −1: there is no legal one, and nothing is filled in."""
        wish = self._wish()
        made = None if wish is None else cuts.cut(self._soc, wish)
        if made is None or wish is None:
            return FAILED
        self._made = made
        for name, value in {**self._whole(), **_fields(made, wish), **self._layouts}.items():
            setattr(tiling, name, value)
        tiling.iterate_order = max(0, int(self._traverse) - 1)
        return DONE

    def _whole(self) -> dict[str, int]:
        m, n, k = self._product()
        ka, kb = self._org[2:]
        return {"m": self._org[0] or m, "n": self._org[1] or n, "k_a": ka or k, "k_b": kb or k}

    def _product(self) -> Sizes:
        shape = zip(self._shape, self._org, strict=False)
        m, n, k = (size if size > 0 else org for size, org in shape)
        return m, n, k

    def _wish(self) -> cuts.Wish | None:
        m, n, k = self._product()
        if min(m, n, k) <= 0 or any(one.dtype not in SIZES for one in (self._a, self._b, self._c)):
            return None
        l1, l0c, ub, _ = self._space
        wish = cuts.Wish(
            m, n, k, self._cores, SIZES[self._a.dtype], SIZES[self._c.dtype], self._bias, self._c.position in _UB,
            _within(l1, self._soc.l1_size), _within(l0c, self._soc.l0c_size), _within(ub, self._soc.ub_size),
            _given(self._single), _given(self._base), self._align,
        )  # fmt: skip
        most = tuple(min(a, b) if a > 0 else b for a, b in zip(self._most, wish.most, strict=True))
        return replace(wish, most=(most[0], most[1], most[2]))


def _possible(data_type: DataType) -> int:
    return DONE if DataType(data_type) in SIZES else FAILED


def _within(given: int, size: int) -> int:
    return min(given, size) if given >= 0 else size


def _fields(made: cuts.Cut, wish: cuts.Wish) -> dict[str, int]:
    parts = zip(("m", "n", "k"), made.single, made.base, strict=True)
    sizes = {
        name: size for axis, single, base in parts for name, size in
        ((f"single_core_{axis}", single), (f"base_{axis}", base))
    }  # fmt: skip
    return {
        "used_core_num": made.m_dim * made.n_dim, **sizes, "depth_a1": made.depth_a1, "depth_b1": made.depth_b1,
        "step_m": 1, "step_n": 1, "step_k_a": 1, "step_k_b": 1, "is_bias": int(wish.bias), "db_l0a": made.db_l0a,
        "db_l0b": made.db_l0b, "db_l0c": made.db_l0c, "share_l1_size": wish.l1, "share_l0c_size": wish.l0c,
        "share_ub_size": 0, "batch_m": 1, "batch_n": 1, "single_batch_m": 1, "single_batch_n": 1,
    }  # fmt: skip


class MultiCoreMatmulTiling(MatmulApiTiling):
    """The tiling of a product over several cores."""

    def set_dim(self, dim: int) -> int:
        """How many cores there are: vector cores where these ask for products, else cubes."""
        if int(dim) <= 0:
            return FAILED
        self._cores = int(dim)
        return DONE

    def set_single_shape(self, single_m_in: int = -1, single_n_in: int = -1, single_k_in: int = -1) -> int:
        """Sizes of a core's part; −1: free."""
        self._single = (int(single_m_in), int(single_n_in), int(single_k_in))
        return DONE

    def set_single_range(
        self, max_m: int = -1, max_n: int = -1, max_k: int = -1, min_m: int = -1, min_n: int = -1, min_k: int = -1
    ) -> int:
        """The largest and smallest sizes of a core's part; they are no bounds here."""
        del max_m, max_n, max_k, min_m, min_n, min_k
        return DONE

    def set_align_split(self, align_m: int, align_n: int, align_k: int) -> int:
        """What sizes of a core's part must be multiples of."""
        self._align = (max(1, int(align_m)), max(1, int(align_n)), max(1, int(align_k)))
        return DONE

    def enable_multi_core_split_k(self, flag: bool) -> None:
        """Whether K may be cut over cores; it never is."""
        del flag

    def get_core_num(self) -> tuple[int, int, int] | None:
        """Cores that are used, and how many of them along M and N; None before get_tiling."""
        made = self._made
        return None if made is None else (made.m_dim * made.n_dim, made.m_dim, made.n_dim)

    def get_single_shape(self) -> Sizes | None:
        """Sizes of a core's part; None before get_tiling."""
        return None if self._made is None else self._made.single


class BatchMatmulTiling(MatmulApiTiling):
    """The tiling of a batch of products on one core."""

    def get_core_num(self) -> tuple[int, int, int, int, int] | None:
        """Cores that are used, along M and N, and of a batch along M and N: all 1; None before get_tiling."""
        return None if self._made is None else (1, 1, 1, 1, 1)
