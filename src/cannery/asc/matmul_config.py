"""Configurations and tilings of Matmul objects
(hicann/pyasc `python/asc/language/adv/types.py`, `tiling.py`, `matmul.py` @cecba26ace65).

Most of a configuration is about speed and changes no number. What is refused says so when the object is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from cannery.asc.dtypes import int32
from cannery.asc.struct import Field, Struct
from cannery.isa.enums import BatchMode, BatchOutMode, IterateMode, IterateOrder, MatmulConfigMode, ScheduleType
from cannery.isa.matmul_plan import MatmulType

__all__ = [
    "MatmulApiStaticTiling", "MatmulBatchParams", "MatmulConfig", "MatmulFuncParams", "MatmulQuantParams",
    "MatmulShapeParams", "TCubeTiling", "get_basic_config", "get_ib_share_norm_config", "get_matmul_api_tiling",
    "get_mdl_config", "get_mm_config", "get_normal_config", "get_special_basic_config", "get_special_mdl_config",
]  # fmt: skip


@dataclass(frozen=True)
class MatmulConfig:
    """The template of a Matmul and its options, with pyasc's defaults.

    ``single_core_*``, ``basic_*`` and ``step_*`` other than 0 take the place of the tiling's. ``enable_*`` False: the
    method is left out, and calling it is refused. ``iterate_order`` other than UNDEF wins over the tiling's.
    """

    do_norm: bool = True
    do_basic_block: bool = False
    do_multi_data_load: bool = False
    basic_m: int = 0
    basic_n: int = 0
    basic_k: int = 0
    intrinsics_check: bool = False
    is_n_batch: bool = False
    en_vec_nd2nz: bool = False
    do_special_basic_block: bool = False
    do_mte2_preload: int = 0
    single_core_m: int = 0
    single_core_n: int = 0
    single_core_k: int = 0
    step_m: int = 0
    step_n: int = 0
    base_mn: int = 0
    single_core_mn: int = 0
    en_unit_flag: bool = True
    is_per_tensor: bool = False
    has_anti_quant_offset: bool = False
    do_ib_share_norm: bool = False
    do_special_mdl: bool = False
    enable_init: bool = True
    batch_mode: int = BatchMode.BATCH_LESS_THAN_L1
    enable_end: bool = True
    enable_get_tensor_c: bool = True
    enable_set_org_shape: bool = True
    enable_set_bias: bool = True
    enable_set_tail: bool = True
    enable_quant_vector: bool = True
    enable_set_define_data: bool = True
    iterate_mode: int = IterateMode.ITERATE_MODE_DEFAULT
    enable_reuse: bool = True
    enable_ub_reuse: bool = False
    enable_l1_cache_ub: bool = False
    intra_block_part_sum: bool = False
    iterate_order: int = IterateOrder.UNDEF
    schedule_type: int = ScheduleType.INNER_PRODUCT
    enable_double_cache: int = 0
    is_bias_batch: bool = True
    enable_static_pad_zeros: bool = False
    is_partial_output: bool = False
    enable_mix_dual_master: bool = False
    is_a2b2_shared: bool = False
    is_enable_channel_split: bool = False
    enable_kdim_reorder_load: bool = False
    is_co1_shared: bool = False
    shared_co1_buffer_size: int = 64 * 1024
    batch_out_mode: int = BatchOutMode.SINGLE_BATCH


@dataclass(frozen=True)
class MatmulShapeParams:
    """Sizes for get_mm_config."""

    single_core_m: int = 0
    single_core_n: int = 0
    single_core_k: int = 0
    basic_m: int = 0
    basic_n: int = 0
    basic_k: int = 0


@dataclass(frozen=True)
class MatmulQuantParams:
    """Quantisation of B for get_mm_config."""

    is_per_tensor: bool = False
    has_anti_quant_offset: bool = False


@dataclass(frozen=True)
class MatmulBatchParams:
    """Batches for get_mm_config."""

    is_b_batch: bool = False
    batch_mode: int = BatchMode.BATCH_LESS_THAN_L1
    is_bias_batch: bool = False


@dataclass(frozen=True)
class MatmulFuncParams:
    """Options for get_mm_config."""

    intrinsics_limit: bool = False
    en_vec_nd2_nz: bool = False
    enable_double_cache: bool = False
    enable_l1_cache: bool = False
    do_mte2_pre_load: int = 0
    iterate_order: int = IterateOrder.ORDER_M
    schedule_type: int = ScheduleType.INNER_PRODUCT
    enable_reuse: bool = True
    enable_ub_reuse: bool = False
    is_partial_output: bool = False
    is_a2_b2_shared: bool = False
    is_enable_channel_split: bool = False
    enable_kdim_reorder_load: bool = False


def get_normal_config(
    intrinsics_limit: bool = False, batch_loop: bool = False, is_vec_nd2_nz: bool = False,
    bmm_mode: int = BatchMode.BATCH_LESS_THAN_L1, is_msg_reuse: bool = True,
    iterate_order: int = IterateOrder.ORDER_M, schedule_type: int = ScheduleType.INNER_PRODUCT,
    en_unit_flag: bool = True,
) -> MatmulConfig:  # fmt: skip
    """The Norm template."""
    return MatmulConfig(
        intrinsics_check=intrinsics_limit, is_n_batch=batch_loop, en_vec_nd2nz=is_vec_nd2_nz, batch_mode=bmm_mode,
        enable_reuse=is_msg_reuse, iterate_order=iterate_order, schedule_type=schedule_type,
        en_unit_flag=en_unit_flag,
    )  # fmt: skip


def get_mdl_config(
    intrinsics_limit: bool = False, batch_loop: bool = False, do_mte2_preload: int = 0, is_vec_nd2_nz: bool = False,
    is_per_tensor: bool = False, has_anti_quant_offset: bool = False, en_unit_flag: bool = False,
    is_msg_reuse: bool = True, enable_ub_reuse: bool = True, enable_l1_cache_ub: bool = False,
    enable_mix_dual_master: bool = False, enable_kdim_reorder_load: bool = False,
) -> MatmulConfig:  # fmt: skip
    """The MDL template, which loads several blocks at once."""
    return MatmulConfig(
        do_norm=False, do_multi_data_load=True, intrinsics_check=intrinsics_limit, is_n_batch=batch_loop,
        do_mte2_preload=do_mte2_preload, en_vec_nd2nz=is_vec_nd2_nz, is_per_tensor=is_per_tensor,
        has_anti_quant_offset=has_anti_quant_offset, en_unit_flag=en_unit_flag, enable_reuse=is_msg_reuse,
        enable_ub_reuse=enable_ub_reuse, enable_l1_cache_ub=enable_l1_cache_ub,
        enable_mix_dual_master=enable_mix_dual_master, enable_kdim_reorder_load=enable_kdim_reorder_load,
    )  # fmt: skip


def get_special_mdl_config(
    intrinsics_limit: bool = False, batch_loop: bool = False, do_mte2_pre_load: int = 0, is_vec_nd2_nz: bool = False,
    is_per_tensor: bool = False, has_anti_quant_offset: bool = False,
) -> MatmulConfig:  # fmt: skip
    """The SpecialMDL template."""
    return MatmulConfig(
        do_norm=False, do_special_mdl=True, intrinsics_check=intrinsics_limit, is_n_batch=batch_loop,
        do_mte2_preload=do_mte2_pre_load, en_vec_nd2nz=is_vec_nd2_nz, is_per_tensor=is_per_tensor,
        has_anti_quant_offset=has_anti_quant_offset,
    )  # fmt: skip


def get_ib_share_norm_config(
    intrinsics_limit: bool = False, batch_loop: bool = False, is_vec_nd2_nz: bool = False,
    bmm_mode: int = BatchMode.BATCH_LESS_THAN_L1, is_double_cache: bool = False, en_unit_flag: bool = True,
) -> MatmulConfig:  # fmt: skip
    """The IBShare template."""
    return MatmulConfig(
        do_norm=False, do_ib_share_norm=True, intrinsics_check=intrinsics_limit, is_n_batch=batch_loop,
        en_vec_nd2nz=is_vec_nd2_nz, batch_mode=bmm_mode, enable_double_cache=int(is_double_cache),
        en_unit_flag=en_unit_flag,
    )  # fmt: skip


def get_basic_config(
    basic_m: int, basic_n: int, basic_k: int, intrinsics_limit: bool = False, batch_loop: bool = False,
    bmm_mode: int = BatchMode.BATCH_LESS_THAN_L1,
) -> MatmulConfig:  # fmt: skip
    """The BasicBlock template: blocks of a size that is known when the kernel is compiled."""
    return MatmulConfig(
        do_norm=False, do_basic_block=True, basic_m=basic_m, basic_n=basic_n, basic_k=basic_k,
        intrinsics_check=intrinsics_limit, is_n_batch=batch_loop, batch_mode=bmm_mode,
    )  # fmt: skip


def get_special_basic_config(
    basic_m: int, basic_n: int, basic_k: int, single_core_m: int, single_core_n: int, single_core_k: int, step_m: int,
    step_n: int, intrinsics_limit: bool = False, batch_loop: bool = False,
    bmm_mode: int = BatchMode.BATCH_LESS_THAN_L1,
) -> MatmulConfig:  # fmt: skip
    """The SpecialBasicBlock template: all sizes are known when the kernel is compiled."""
    return MatmulConfig(
        do_norm=False, do_special_basic_block=True, basic_m=basic_m, basic_n=basic_n, basic_k=basic_k,
        single_core_m=single_core_m, single_core_n=single_core_n, single_core_k=single_core_k, step_m=step_m,
        step_n=step_n, intrinsics_check=intrinsics_limit, is_n_batch=batch_loop, batch_mode=bmm_mode,
    )  # fmt: skip


_TEMPLATES: Final = {
    MatmulConfigMode.CONFIG_NORM: "do_norm",
    MatmulConfigMode.CONFIG_MDL: "do_multi_data_load",
    MatmulConfigMode.CONFIG_SPECIALMDL: "do_special_mdl",
    MatmulConfigMode.CONFIG_IBSHARE: "do_ib_share_norm",
}


def get_mm_config(*args: Any, **options: Any) -> MatmulConfig:
    """A template by its mode, with parameters of any kind, in any order.

    Raises:
        TypeError: something that is no parameter.
    """
    values: dict[str, Any] = {}
    mode = MatmulConfigMode.CONFIG_NORM
    for given in (*args, *options.values()):
        if isinstance(given, MatmulConfigMode):
            mode = given
        else:
            values |= _options(given)
    return MatmulConfig(**{"do_norm": False, _TEMPLATES[mode]: True, **values})


def _options(given: Any) -> dict[str, Any]:
    if isinstance(given, (MatmulShapeParams, MatmulQuantParams)):
        return dict(vars(given))
    if isinstance(given, MatmulBatchParams):
        names = {"is_b_batch": "is_n_batch"}
    elif isinstance(given, MatmulFuncParams):
        names = {
            "intrinsics_limit": "intrinsics_check", "en_vec_nd2_nz": "en_vec_nd2nz",
            "enable_l1_cache": "enable_l1_cache_ub", "do_mte2_pre_load": "do_mte2_preload",
            "is_a2_b2_shared": "is_a2b2_shared",
        }  # fmt: skip
    else:
        raise TypeError(f"get_mm_config: found {type(given).__name__}, expected a MatmulConfigMode or parameters")
    return {names.get(name, name): value for name, value in vars(given).items()}


def _fields(default: int, *names: str) -> dict[str, Field]:
    return {name: Field(int32, default) for name in names}


_FIRST: Final = (
    "used_core_num", "m", "n", "k_a", "k_b", "single_core_m", "single_core_n", "single_core_k", "base_m", "base_n",
    "base_k", "depth_a1", "depth_b1", "step_m", "step_n", "is_bias", "trans_length", "iterate_order", "share_mode",
    "share_l1_size", "share_l0c_size", "share_ub_size",
)  # fmt: skip
_BATCH: Final = ("batch_m", "batch_n", "single_batch_m", "single_batch_n")
_LAST: Final = (
    "step_k_a", "step_k_b", "depth_a_l1_cache_ub", "depth_b_l1_cache_ub", "db_l0a", "db_l0b", "db_l0c",
    "a_layout_info_b", "a_layout_info_s", "a_layout_info_n", "a_layout_info_g", "a_layout_info_d", "b_layout_info_b",
    "b_layout_info_s", "b_layout_info_n", "b_layout_info_g", "b_layout_info_d", "c_layout_info_b", "c_layout_info_s1",
    "c_layout_info_n", "c_layout_info_g", "c_layout_info_s2", "batch_num",
)  # fmt: skip

TCubeTiling: Any = type(
    "TCubeTiling",
    (Struct,),
    {
        "__doc__": "How a product is cut: over cores, into blocks; int32 fields that are 0 where nothing is given.",
        "__module__": __name__,
        **_fields(0, *_FIRST, *_BATCH, *_LAST),
    },
)
MatmulApiStaticTiling: Any = type(
    "MatmulApiStaticTiling",
    (Struct,),
    {
        "__doc__": "A tiling that is known when the kernel is compiled; fields that are -1 come from elsewhere.",
        "__module__": __name__,
        **_fields(-1, *_FIRST, *_LAST, "mx_type_para"),
    },
)


def get_matmul_api_tiling(
    mm_cfg: MatmulConfig, a_type: MatmulType, b_type: MatmulType, c_type: MatmulType,
    bias_type: MatmulType | None = None, l1_size: int | None = None,
) -> Any:  # fmt: skip
    """The tiling that a configuration's own sizes make: what it leaves at 0 stays −1."""
    del a_type, b_type, c_type, bias_type
    sizes = {
        "single_core_m": mm_cfg.single_core_m, "single_core_n": mm_cfg.single_core_n,
        "single_core_k": mm_cfg.single_core_k, "base_m": mm_cfg.basic_m, "base_n": mm_cfg.basic_n,
        "base_k": mm_cfg.basic_k, "step_m": mm_cfg.step_m, "step_n": mm_cfg.step_n, "share_l1_size": l1_size or 0,
    }  # fmt: skip
    return MatmulApiStaticTiling(**{name: int(size) for name, size in sizes.items() if size})
