"""data_copy and data_copy_pad (hicann/pyasc `python/asc/language/basic/data_copy.py` @cecba26ace65)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any, Final

from cannery.aicore.instruction import Site
from cannery.asc.context import here, running
from cannery.asc.params import DataCopyParams, Nd2NzParams, Nz2NdParamsFull, SliceInfo
from cannery.asc.tensors import GlobalTensor, LocalTensor
from cannery.isa import layout, move
from cannery.isa.table import TABLE

__all__ = ["data_copy", "data_copy_pad", "set_pad_value"]

Tensor = GlobalTensor | LocalTensor
_COPY: Final = TABLE["data_copy"]
_PAD: Final = TABLE["data_copy_pad"]


def data_copy(dst: Tensor, src: Tensor, *args: Any, **options: Any) -> None:
    """Copy between global and local memory, or within local memory.

    Forms: ``count`` elements, rounded down to 32 bytes; ``repeat_params=DataCopyParams(...)``;
    ``slice_list1, slice_list2, dim_value`` (destination's slices first); ``intri_params=Nd2NzParams(...)`` on load and
    ``Nz2NdParamsFull(...)`` on store.

    Raises:
        NotImplementedError: copies out of L0C.
        TypeError: no form takes these arguments.
    """
    core, site = running(), here()
    if len(args) == 1 and not options and isinstance(args[0], int):
        move.copy_counted(core, site, _COPY, dst, src, int(args[0]))
        return
    named = [options[name] for name in ("count", "repeat_params", "intri_params") if name in options]
    params: Any = next(iter([*named, *args]), None)
    if isinstance(params, DataCopyParams):
        gaps = (int(params.dst_stride), int(params.src_stride))
        move.copy_blocks(core, site, _COPY, dst, src, int(params.block_count), int(params.block_len), gaps)
    elif isinstance(params, Nd2NzParams) and isinstance(dst, LocalTensor) and isinstance(src, GlobalTensor):
        layout.load_nz(core, site, _COPY, dst, src, layout.NdToNz(*map(int, astuple(params))))
    elif isinstance(params, Nz2NdParamsFull) and isinstance(dst, GlobalTensor) and isinstance(src, LocalTensor):
        layout.store_nd(core, site, _COPY, dst, src, layout.NzToNd(*map(int, astuple(params))))
    elif isinstance(params, (list, tuple)) or "slice_list1" in options:
        _sliced(dst, src, args, options, site)
    elif isinstance(params, int) or "count" in options:
        move.copy_counted(core, site, _COPY, dst, src, int(params))
    else:
        name = type(params).__name__
        raise NotImplementedError(f"data_copy with {name} on {core.soc.name} is not simulated")


def data_copy_pad(dst: Tensor, src: Tensor, data_copy_params: Any, pad_params: Any = None, **options: Any) -> None:
    """Copy pieces whose length is in bytes. Into local memory each piece is filled up to 32 bytes.

    Raises:
        NotImplementedError: a layout-converting form.
        TypeError: padding that belongs to another direction.
    """
    core, site = running(), here()
    if options:
        raise NotImplementedError(f"data_copy_pad with {', '.join(options)} is not simulated")
    params = data_copy_params
    count, length = int(params.block_count), int(params.block_len)
    gaps = (int(params.dst_stride), int(params.src_stride))
    if isinstance(dst, LocalTensor) and isinstance(src, GlobalTensor):
        move.load_padded(core, site, _PAD, dst, src, count, length, gaps, _padding(pad_params))
    elif isinstance(dst, GlobalTensor) and isinstance(src, LocalTensor):
        move.store_padded(core, site, _PAD, dst, src, count, length, gaps)
    else:
        raise NotImplementedError(f"data_copy_pad within local memory on {core.soc.name} is not simulated")


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
    there, origin = ([_slice(part) for part in values[side][:dims]] for side in (0, 1))
    move.copy_slices(running(), site, _COPY, dst, src, there, origin)


def _slice(info: SliceInfo) -> move.Slice:
    return move.Slice(*map(int, astuple(info)))
