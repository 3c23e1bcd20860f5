"""The cube: load_data, mmad, fixpipe (hicann/pyasc `python/asc/language/basic/mm.py`, `fixpipe.py` @cecba26ace65)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cannery.asc.context import here, running
from cannery.asc.params import (
    FixpipeConfig,
    FixpipeParamsV220,
    LoadData2DParams,
    LoadData2dTransposeParams,
    MmadParams,
)
from cannery.asc.tensors import GlobalTensor, LocalTensor, check_operands
from cannery.isa import cube_fixpipe, cube_load, cube_mmad
from cannery.isa.enums import CO2Layout, QuantModes
from cannery.isa.table import TABLE
from cannery.isa.tensors import Global, Local

__all__ = ["fixpipe", "load_data", "load_data_with_transpose", "mmad", "set_hf32_mode", "set_hf32_trans_mode"]

_LOAD: Final = TABLE["load_data"]
_TRANSPOSED: Final = TABLE["load_data_with_transpose"]
_MMAD: Final = TABLE["mmad"]
_FIXPIPE: Final = TABLE["fixpipe"]


def load_data(dst: LocalTensor, src: GlobalTensor | LocalTensor, params: Any) -> None:
    """Copy blocks of 512 bytes to L0A or L0B, or from global memory to L1.

    Raises:
        NotImplementedError: parameters of another form than ``LoadData2DParams``.
    """
    check_operands("load_data", {"dst": dst, "src": src}, Global | Local)
    if not isinstance(params, LoadData2DParams):
        found = type(params).__name__
        raise NotImplementedError(f"load_data with {found} on {running().soc.name} is not simulated")
    load = cube_load.Load2D(
        int(params.start_index), int(params.repeat_times), int(params.src_stride), int(params.dst_gap),
        bool(params.if_transpose), bool(params.addr_mode),
    )  # fmt: skip
    cube_load.load_2d(running(), here(), _LOAD, dst, src, load)


def load_data_with_transpose(dst: LocalTensor, src: LocalTensor, params: Any) -> None:
    """Turn squares of L1 over on their way to L0A or L0B.

    Raises:
        NotImplementedError: parameters of another form than ``LoadData2dTransposeParams``.
    """
    check_operands("load_data_with_transpose", {"dst": dst, "src": src})
    if not isinstance(params, LoadData2dTransposeParams):
        found = type(params).__name__
        raise NotImplementedError(f"load_data_with_transpose with {found} on {running().soc.name} is not simulated")
    load = cube_load.Transposed(
        int(params.start_index), int(params.repeat_times), int(params.src_stride), int(params.dst_gap),
        int(params.dst_frac_gap), downward=bool(params.addr_mode),
    )  # fmt: skip
    cube_load.load_transposed(running(), here(), _TRANSPOSED, dst, src, load)


def mmad(dst: LocalTensor, fm: LocalTensor, filter: LocalTensor, *args: Any, **options: Any) -> None:
    """C = A · B: ``params``, or ``bias, params`` with a tensor in the bias table.

    Raises:
        TypeError: no form takes these arguments.
    """
    values = _named("mmad", ("bias", "params"), MmadParams, args, options)
    bias, params = values.get("bias"), values["params"]
    check_operands("mmad", {"dst": dst, "fm": fm, "filter": filter, **({} if bias is None else {"bias": bias})})
    if bias is None and params.cmatrix_source and not params.cmatrix_init_val:
        raise NotImplementedError(
            f"mmad with cmatrix_source and no bias on {running().soc.name} is not simulated: give it the bias"
        )
    product = cube_mmad.Product(
        int(params.m), int(params.n), int(params.k), bool(params.is_bias or not params.cmatrix_init_val),
        int(params.unit_flag),
    )  # fmt: skip
    cube_mmad.mmad(running(), here(), _MMAD, dst, fm, filter, product, bias)


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
