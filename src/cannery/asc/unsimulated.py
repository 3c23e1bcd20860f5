"""pyasc's names that are not simulated: calling one says so, with the chip.

Source of the names: hicann/pyasc `python/asc/language` @cecba26ace65.
"""

from __future__ import annotations

from typing import Any, Final

from cannery.asc.runtime import config

BASIC: Final = frozenset((
    "TensorDesc", "ListTensorDesc", "MrgSortSrcList", "inline", "add_deq_relu", "mul_cast", "add_relu_cast",
    "sub_relu_cast", "bilinear_interpolation", "cast_deq", "trans_data_to_5hd", "gatherb", "scatter", "gather_mask",
    "get_gather_mask_remain_count", "sort32", "mrg_sort", "mrg_sort4", "sort", "get_sort_len", "get_sort_offset",
    "get_mrg_sort_result", "rp_sort16", "proposal_concat", "proposal_extract", "load_data",
    "load_data_with_transpose", "load_data_with_sparse", "set_load_data_boundary", "set_load_data_padding_value",
    "set_load_data_repeat", "init_const_value", "set_aipp_functions", "load_image_to_local", "mmad",
    "mmad_with_sparse", "set_hf32_mode", "set_hf32_trans_mode", "set_mm_layout_transform", "fixpipe",
    "set_fix_pipe_pre_quant_flag", "set_store_atomic_config", "get_store_atomic_config", "scalar_get_sff_value",
    "scalar_get_count_of_value", "scalar_count_leading_zero", "count_bits_cnt_same_as_sign_bit", "get_arch_version",
    "get_sys_workspace", "set_sys_workspace", "get_hccl_context", "set_hccl_context", "check_local_memory_ia",
    "dump_acc_chk_point", "print_time_stamp", "metrics_prof_start", "metrics_prof_stop",
    "DataCopyCO12DstParams", "MmadParams", "FixpipeParamsV220", "FixpipeConfig",
    "LoadData2DParams", "LoadData2DParamsV2", "LoadData2dTransposeParams", "LoadData2dTransposeParamsV2",
    "LoadData3DParamsV1", "LoadData3DParamsV2", "LoadData3DParamsV2Pro", "LoadDataRepeatParam",
    "InitConstValueParams", "LoadImageToLocalParams", "MrgSort4Info", "TransDataTo5HDParams", "TransposeParamsExt",
    "VdeqInfo", "CheckLocalMemoryIAParam", "AippParams", "TransposeType", "LayoutMode", "IterateOrder",
    "ScheduleType", "BatchMode", "IterateMode", "MatmulConfigMode", "AippPaddingParams", "AippSwapParams",
    "AippSingleLineParams", "AippDataTypeConvParams", "AippChannelPaddingParams", "AippColorSpaceConvParams",
    "QuantModes", "CO2Layout", "AtomicDtype", "AtomicOp", "AippInputFormat", "BlockMode", "DeqScale", "pad_t",
))  # fmt: skip
"""Names of ``asc`` itself."""


class UnsimulatedError(NotImplementedError, AttributeError):
    """A member of a name that is not simulated. Also an AttributeError: pickle asks every module for its names."""


class Unsimulated:
    """Stands for a name; calling it, or asking it for a member, raises NotImplementedError, naming it and the chip."""

    def __init__(self, name: str) -> None:
        self.__name__ = name.rpartition(".")[2]
        self._full_name = name

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError(f"{self._full_name} on {config.platform().name} is not simulated")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnsimulatedError(f"{self._full_name}.{name} on {config.platform().name} is not simulated")
