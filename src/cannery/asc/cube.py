"""The cube: load_data, mmad, fixpipe (hicann/pyasc `python/asc/language/basic/mm.py`, `fixpipe.py` @cecba26ace65)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cannery.aicore.core import Core
from cannery.asc.context import here, running
from cannery.asc.params import (
    FixpipeConfig,
    FixpipeParamsV220,
    InitConstValueParams,
    LoadData2DParams,
    LoadData2DParamsV2,
    LoadData2dTransposeParams,
    LoadData2dTransposeParamsV2,
    LoadData3DParamsV2,
    LoadDataRepeatParam,
    MmadParams,
)
from cannery.asc.tensors import GlobalTensor, LocalTensor, check_operands
from cannery.isa import cube_fixpipe, cube_image, cube_load, cube_mmad, cube_sparse
from cannery.isa.enums import CO2Layout, QuantModes
from cannery.isa.op import DAV_3510
from cannery.isa.table import TABLE
from cannery.isa.tensors import Global, Local

__all__ = [
    "fixpipe", "init_const_value", "load_data", "load_data_with_sparse", "load_data_with_transpose", "mmad",
    "mmad_with_sparse", "set_fix_pipe_pre_quant_flag", "set_hf32_mode", "set_hf32_trans_mode",
    "set_load_data_boundary", "set_load_data_padding_value", "set_load_data_repeat", "set_mm_layout_transform",
]  # fmt: skip

_LOAD: Final = TABLE["load_data"]
_TRANSPOSED: Final = TABLE["load_data_with_transpose"]
_MMAD: Final = TABLE["mmad"]
_FILL: Final = TABLE["init_const_value"]
_FIXPIPE: Final = TABLE["fixpipe"]


def load_data(dst: LocalTensor, src: GlobalTensor | LocalTensor, params: Any) -> None:
    """Copy blocks of 512 bytes to L0A or L0B, or from global memory to L1; or the windows of an image.

    Raises:
        NotImplementedError: parameters of a form that the chip, or cannery, has not.
    """
    check_operands("load_data", {"dst": dst, "src": src}, Global | Local)
    core, site = running(), here()
    if isinstance(params, LoadData2DParams):
        load = cube_load.Load2D(
            int(params.start_index), int(params.repeat_times), int(params.src_stride), int(params.dst_gap),
            bool(params.if_transpose), bool(params.addr_mode),
        )  # fmt: skip
        cube_load.load_2d(core, site, _LOAD, dst, src, load)
    elif isinstance(params, LoadData2DParamsV2):
        cube_load.load_2d_v2(core, site, _LOAD, dst, src, _rectangle(params))
    elif isinstance(params, LoadData3DParamsV2) and isinstance(src, LocalTensor):
        pad = params.pad_value or core.registers.load_pad
        cube_image.load_image(core, site, _LOAD, dst, src, _image(params), pad)
    else:
        raise NotImplementedError(f"load_data with {type(params).__name__} on {core.soc.name} is not simulated")


def _rectangle(params: LoadData2DParamsV2) -> cube_load.Load2DV2:
    return cube_load.Load2DV2(
        int(params.m_start_position), int(params.k_start_position), int(params.m_step), int(params.k_step),
        int(params.src_stride), int(params.dst_stride), bool(params.if_transpose),
    )  # fmt: skip


_WIDER: Final = 256
"""What filter_size_w and filter_size_h add to a filter."""


def _image(params: LoadData3DParamsV2) -> cube_image.Image:
    left, right, top, bottom = (int(side) for side in params.pad_list)
    wide = int(params.filter_w) + _WIDER * bool(params.filter_size_w)
    high = int(params.filter_h) + _WIDER * bool(params.filter_size_h)
    return cube_image.Image(
        int(params.l1_h), int(params.l1_w), int(params.channel_size), (left, right, top, bottom),
        (int(params.stride_w), int(params.stride_h)), (wide, high),
        (int(params.dilation_filter_w), int(params.dilation_filter_h)), int(params.m_extension),
        int(params.k_extension), int(params.m_start_pt), int(params.k_start_pt), bool(params.en_transpose),
    )  # fmt: skip


def load_data_with_transpose(dst: LocalTensor, src: LocalTensor, params: Any) -> None:
    """Turn squares of L1 over on their way to L0A or L0B.

    Raises:
        NotImplementedError: parameters of a form that the chip has not.
    """
    check_operands("load_data_with_transpose", {"dst": dst, "src": src})
    core, name = running(), type(params).__name__
    is_950 = core.soc.npu_arch == DAV_3510
    if not isinstance(params, LoadData2dTransposeParamsV2 if is_950 else LoadData2dTransposeParams):
        raise NotImplementedError(f"load_data_with_transpose with {name} on {core.soc.name} is not simulated")
    if is_950 and dst.dtype.size == 4:
        raise NotImplementedError(f"load_data_with_transpose of {dst.dtype} on {core.soc.name} is not simulated")
    load = cube_load.Transposed(
        int(params.start_index), int(params.repeat_times), int(params.src_stride), int(params.dst_gap),
        int(params.dst_frac_gap), int(getattr(params, "src_frac_gap", 0)), bool(params.addr_mode), is_950,
    )  # fmt: skip
    cube_load.load_transposed(core, here(), _TRANSPOSED, dst, src, load)


def load_data_with_sparse(
    dst: LocalTensor, src: LocalTensor, idx: LocalTensor, load_data_params: LoadData2DParams
) -> None:
    """Load weights without their zeros to L0B, and where they stood; of the parameters two count: start and number."""
    check_operands("load_data_with_sparse", {"dst": dst, "src": src, "idx": idx})
    run = int(load_data_params.start_index), int(load_data_params.repeat_times)
    cube_sparse.load_sparse(running(), here(), TABLE["load_data_with_sparse"], dst, src, idx, run)


def mmad_with_sparse(dst: LocalTensor, fm: LocalTensor, filter: LocalTensor, mmad_params: MmadParams) -> None:
    """C = A · B with the weights of load_data_with_sparse; ``k`` counts A's columns."""
    check_operands("mmad_with_sparse", {"dst": dst, "fm": fm, "filter": filter})
    cube_sparse.mmad_sparse(running(), here(), TABLE["mmad_with_sparse"], dst, fm, filter, _product(mmad_params))


def init_const_value(dst: LocalTensor, init_const_value_params: InitConstValueParams) -> None:
    """Fill blocks of L1, L0A or L0B with a number."""
    check_operands("init_const_value", {"dst": dst})
    params = init_const_value_params
    filling = cube_load.Filling(int(params.repeat_times), int(params.block_num), int(params.dst_gap))
    cube_load.fill(running(), here(), _FILL, dst, filling, params.init_value)


def mmad(dst: LocalTensor, fm: LocalTensor, filter: LocalTensor, *args: Any, **options: Any) -> None:
    """C = A · B: ``params``, or ``bias, params`` with a tensor in the bias table.

    Raises:
        TypeError: no form takes these arguments.
    """
    values = _named("mmad", ("bias", "params"), MmadParams, args, options)
    bias, params = values.get("bias"), values["params"]
    check_operands("mmad", {"dst": dst, "fm": fm, "filter": filter, **({} if bias is None else {"bias": bias})})
    cube_mmad.mmad(running(), here(), _MMAD, dst, fm, filter, _product(params), bias)


def _product(params: MmadParams) -> cube_mmad.Product:
    keep = not params.cmatrix_init_val
    return cube_mmad.Product(
        int(params.m), int(params.n), int(params.k), bool(params.is_bias or (keep and not params.cmatrix_source)),
        int(params.unit_flag), from_table=bool(keep and params.cmatrix_source),
    )  # fmt: skip


def fixpipe(dst: GlobalTensor | LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None:
    """Let numbers leave L0C: ``params, config``, or ``cbuf_workspace, params, config`` with a quantisation word for
    each column. ``config``: a FixpipeConfig, or one of its class methods; by default ROW_MAJOR.

    Raises:
        TypeError: no form takes these arguments, or types and conversion do not go together.
    """
    check_operands("fixpipe", {"dst": dst}, Global | Local)
    values = _named("fixpipe", ("cbuf_workspace", "params", "config"), FixpipeParamsV220, args, options)
    workspace, params = values.get("cbuf_workspace"), values["params"]
    check_operands("fixpipe", {"src": src, **({} if workspace is None else {"cbuf_workspace": workspace})})
    drain = cube_fixpipe.Drain(
        int(params.n_size), int(params.m_size), int(params.src_stride), int(params.dst_stride),
        QuantModes(int(params.quant_pre)), int(params.deq_scalar), int(params.nd_num), int(params.src_nd_stride),
        int(params.dst_nd_stride), bool(params.relu_en), int(params.unit_flag), bool(params.is_channel_split),
        _layout(values.get("config")),
    )  # fmt: skip
    cube_fixpipe.fixpipe(running(), here(), _FIXPIPE, dst, src, drain, workspace)


def _layout(config: Any) -> CO2Layout:
    """The layout of a config, of a class method that makes one, or the default."""
    if config is None:
        return CO2Layout.ROW_MAJOR
    made = config() if isinstance(config, Callable) else config  # type: ignore[arg-type]
    if not isinstance(made, FixpipeConfig):
        raise TypeError(f"fixpipe: config: found {type(made).__name__}, expected FixpipeConfig")
    return CO2Layout(int(made.layout))


def _named(name: str, parameters: tuple[str, ...], struct: type, args: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name; the first of ``parameters`` may be left out, where the struct comes first.

    Raises:
        TypeError: one is unknown, or the struct is missing.
    """
    shortened = parameters[1:] if args and isinstance(args[0], struct) else parameters
    unknown = next((key for key in options if key not in parameters), None)
    if unknown is not None or len(args) > len(shortened):
        raise TypeError(f"{name}: found argument {unknown or args[-1]!r}, expected {', '.join(parameters)}")
    values = {**dict(zip(shortened, args, strict=False)), **options}
    if not isinstance(values.get("params"), struct):
        found = type(values.get("params")).__name__
        raise TypeError(f"{name}: params: found {found}, expected {struct.__name__}")
    return values


def set_hf32_mode(hf32_mode: bool) -> None:
    """Whether mmad rounds float32 inputs to HF32 first."""
    running().registers.hf32 = bool(hf32_mode)


def set_hf32_trans_mode(hf32_trans_mode: bool) -> None:
    """How mmad rounds to HF32: True to the nearest, a tie toward zero; False a tie to even."""
    running().registers.hf32_toward_zero = bool(hf32_trans_mode)


def set_mm_layout_transform(mm_layout_mode: bool) -> None:
    """The order in which mmad walks through C; without effect on data."""
    del mm_layout_mode


def set_fix_pipe_pre_quant_flag(config: int) -> None:
    """The quantisation word of later copies out of L0C by data_copy."""
    running().registers.quant_scalar = int(config)


def set_load_data_padding_value(pad_value: Any) -> None:
    """What later loads of images pad with, where their parameters give nothing."""
    running().registers.load_pad = pad_value


def set_load_data_boundary(boundary: int) -> None:
    """Where loads of images begin again in L1; 0: nowhere.

    Raises:
        NotImplementedError: another boundary.
    """
    if int(boundary):
        raise NotImplementedError(f"set_load_data_boundary of {int(boundary)} on {running().soc.name} is not simulated")


def set_load_data_repeat(param: LoadDataRepeatParam) -> None:
    """How often later loads of images repeat.

    Raises:
        NotImplementedError: more than once.
    """
    if int(param.repeat_time) != 1:
        raise NotImplementedError(
            f"set_load_data_repeat of {int(param.repeat_time)} times on {running().soc.name} is not simulated"
        )


def drain(core: Core, site: Any, dst: GlobalTensor | LocalTensor, src: LocalTensor, params: Any) -> None:
    """data_copy out of L0C: as fixpipe, with the quantisation word of set_fix_pipe_pre_quant_flag."""
    layout = CO2Layout.ROW_MAJOR if params.nz2nd_en else CO2Layout.NZ
    leaving = cube_fixpipe.Drain(
        int(params.n_size), int(params.m_size), int(params.src_stride), int(params.dst_stride),
        QuantModes(int(params.quant_pre)), core.registers.quant_scalar, relu=bool(params.relu_pre),
        split=bool(params.channel_split), layout=layout,
    )  # fmt: skip
    cube_fixpipe.fixpipe(core, site, _FIXPIPE, dst, src, leaving)
