"""data_copy and data_copy_pad (hicann/pyasc `python/asc/language/basic/data_copy.py` @cecba26ace65)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.asc.context import here, running
from cannery.asc.cube import drain
from cannery.asc.params import (
    DataCopyCO12DstParams,
    DataCopyExtParams,
    DataCopyPadExtParams,
    DataCopyPadParams,
    DataCopyParams,
    Nd2NzParams,
    Nz2NdParamsFull,
    SliceInfo,
)
from cannery.asc.tensors import GlobalTensor, LocalTensor, check_operands
from cannery.isa import layout, move
from cannery.isa.limits import check_struct
from cannery.isa.table import TABLE
from cannery.isa.tensors import Global, Local

__all__ = ["data_copy", "data_copy_pad", "set_pad_value"]

Tensor = GlobalTensor | LocalTensor
_COPY: Final = TABLE["data_copy"]
_PAD: Final = TABLE["data_copy_pad"]


def data_copy(dst: Tensor, src: Tensor, *args: Any, **options: Any) -> None:
    """Copy between global and local memory, or within local memory.

    Forms: ``count`` elements, rounded down to 32 bytes; ``repeat_params=DataCopyParams(...)``;
    ``slice_list1, slice_list2, dim_value`` (destination's slices first); ``intri_params=Nd2NzParams(...)`` on load and
    ``Nz2NdParamsFull(...)`` on store, ``DataCopyCO12DstParams(...)`` out of L0C.

    Raises:
        NotImplementedError: another form.
        TypeError: no form takes these arguments.
    """
    core, site = running(), here()
    check_operands("data_copy", {"dst": dst, "src": src}, Global | Local)
    if len(args) == 1 and not options and isinstance(args[0], int):
        move.copy_counted(core, site, _COPY, dst, src, args[0])
        return
    params = _one_form(args, options)
    if isinstance(params, DataCopyParams):
        check_struct(core, "data_copy", "DataCopyParams", vars(params))
        gaps = (int(params.dst_stride), int(params.src_stride))
        move.copy_blocks(core, site, _COPY, dst, src, int(params.block_count), int(params.block_len), gaps)
    elif isinstance(params, Nd2NzParams) and isinstance(dst, LocalTensor) and isinstance(src, GlobalTensor):
        check_struct(core, "data_copy", "Nd2NzParams", vars(params))
        layout.load_nz(core, site, _COPY, dst, src, layout.NdToNz(*map(int, vars(params).values())))
    elif isinstance(params, Nz2NdParamsFull) and isinstance(dst, GlobalTensor) and isinstance(src, LocalTensor):
        check_struct(core, "data_copy", "Nz2NdParamsFull", vars(params))
        layout.store_nd(core, site, _COPY, dst, src, layout.NzToNd(*map(int, vars(params).values())))
    elif isinstance(params, DataCopyCO12DstParams) and isinstance(src, LocalTensor):
        drain(core, site, dst, src, params)
    elif isinstance(params, (list, tuple)):
        _sliced(dst, src, args, options, site)
    elif isinstance(params, (int, np.integer)):
        move.copy_counted(core, site, _COPY, dst, src, int(params))
    else:
        name = type(params).__name__
        raise NotImplementedError(f"data_copy with {name} on {core.soc.name} is not simulated")


_KEYWORDS: Final = (
    "count",
    "repeat_params",
    "intri_params",
    "enhanced_params",
    "slice_list1",
    "slice_list2",
    "dim_value",
)


def _one_form(args: Sequence[Any], options: dict[str, Any]) -> Any:
    """The argument that tells which form is meant.

    Raises:
        TypeError: no form takes these arguments.
    """
    unknown = next((name for name in options if name not in _KEYWORDS), None)
    if unknown is not None:
        raise TypeError(f"data_copy: found argument {unknown}, expected one of {', '.join(_KEYWORDS)}")
    if not args and not options:
        raise TypeError(
            "data_copy: found no count, expected a count of elements, repeat_params=, intri_params= or slice lists"
        )
    named = [options[name] for name in _KEYWORDS if name in options]
    params = [*named, *args][0]
    if params is None or isinstance(params, float):
        raise TypeError(f"data_copy: found {params!r}, expected a count of elements or a parameter struct")
    return params


def data_copy_pad(dst: Tensor, src: Tensor, data_copy_params: Any, pad_params: Any = None, **options: Any) -> None:
    """Copy pieces whose length is in bytes. Into local memory each piece is filled up to 32 bytes.

    Raises:
        NotImplementedError: a layout-converting form.
        TypeError: padding that belongs to another direction.
    """
    core, site = running(), here()
    check_operands("data_copy_pad", {"dst": dst, "src": src}, Global | Local)
    if options:
        raise NotImplementedError(f"data_copy_pad with {', '.join(options)} is not simulated")
    params = data_copy_params
    _check_pad(core, dst, params, pad_params)
    count, length = int(params.block_count), int(params.block_len)
    gaps = (int(params.dst_stride), int(params.src_stride))
    if isinstance(dst, LocalTensor) and isinstance(src, GlobalTensor):
        move.load_padded(core, site, _PAD, dst, src, count, length, gaps, _padding(pad_params))
    elif isinstance(dst, GlobalTensor) and isinstance(src, LocalTensor):
        move.store_padded(core, site, _PAD, dst, src, count, length, gaps)
    else:
        raise NotImplementedError(f"data_copy_pad within local memory on {core.soc.name} is not simulated")


def _check_pad(core: Core, dst: Tensor, params: Any, padding: Any) -> None:
    if not isinstance(params, (DataCopyParams, DataCopyExtParams)):
        found = type(params).__name__
        raise TypeError(f"data_copy_pad: data_copy_params: found {found}, expected DataCopyParams or DataCopyExtParams")
    extended = isinstance(params, DataCopyExtParams)
    struct = type(params).__name__ + (" on load" if extended and isinstance(dst, Local) else "")
    check_struct(core, "data_copy_pad", struct, vars(params))
    if padding is not None:
        if not isinstance(padding, (DataCopyPadParams, DataCopyPadExtParams)):
            found = type(padding).__name__
            raise TypeError(f"data_copy_pad: pad_params: found {found}, expected DataCopyPadExtParams")
        check_struct(core, "data_copy_pad", "DataCopyPadParams", vars(padding))


def _padding(params: Any) -> move.Padding:
    if params is None:
        return move.Padding()
    value = params.padding_value if params.is_pad else None
    return move.Padding(int(params.left_padding), int(params.right_padding), value)


def set_pad_value(padding_value: Any, pos: Any = None) -> None:
    """The value later padded copies fill up with when ``is_pad`` is off."""
    del pos
    running().registers.pad_value = padding_value


def _sliced(dst: Tensor, src: Tensor, args: Sequence[Any], options: dict[str, Any], site: Site) -> None:
    names = ("slice_list1", "slice_list2", "dim_value")
    values: list[Any] = [options.get(name, args[at] if at < len(args) else None) for at, name in enumerate(names)]
    dims = int(values[2] if values[2] is not None else len(values[0]))
    for part in (*values[0][:dims], *values[1][:dims]):
        check_struct(running(), "data_copy", "SliceInfo", vars(part))
    there, origin = ([_slice(part) for part in values[side][:dims]] for side in (0, 1))
    move.copy_slices(running(), site, _COPY, dst, src, there, origin)


def _slice(info: SliceInfo) -> move.Slice:
    return move.Slice(*map(int, vars(info).values()))
