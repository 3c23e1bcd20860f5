"""DataCopy, DataCopyPad, and single elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cannery.ascendc.words import Call, result_word
from cannery.isa import layout, move
from cannery.isa.limits import STRUCTS, check_struct
from cannery.isa.op import DAV_2201
from cannery.isa.scalar import read_element, write_element
from cannery.isa.table import TABLE
from cannery.isa.tensors import Global, Local, Tensor

_COPY: Final = TABLE["data_copy"]
_PAD: Final = TABLE["data_copy_pad"]
_GET: Final = TABLE["get_value"]
_SET: Final = TABLE["set_value"]
_SLICE_WORDS: Final = 5


def data_copy(call: Call) -> None:
    """DataCopy in one of its forms."""
    form = call.integer()
    dst, src = call.tensor(), call.tensor()
    _FORMS[form](call, dst, src)


def _counted(call: Call, dst: Tensor, src: Tensor) -> None:
    move.copy_counted(call.core, call.site, _COPY, dst, src, call.integer())


def _blocks(call: Call, dst: Tensor, src: Tensor) -> None:
    values = _fields(call, "DataCopyParams")
    gaps = (values["dst_stride"], values["src_stride"])
    move.copy_blocks(call.core, call.site, _COPY, dst, src, values["block_count"], values["block_len"], gaps)


def _to_nz(call: Call, dst: Tensor, src: Tensor) -> None:
    values = _fields(call, "Nd2NzParams")
    assert isinstance(dst, Local)
    assert isinstance(src, Global)
    layout.load_nz(call.core, call.site, _COPY, dst, src, layout.NdToNz(*values.values()))


def _to_nd(call: Call, dst: Tensor, src: Tensor) -> None:
    values = _fields(call, "Nz2NdParamsFull")
    assert isinstance(dst, Global)
    assert isinstance(src, Local)
    layout.store_nd(call.core, call.site, _COPY, dst, src, layout.NzToNd(*values.values()))


def _slices(call: Call, dst: Tensor, src: Tensor) -> None:
    dims = call.integer()
    there, origin = ([move.Slice(*call.integers(_SLICE_WORDS)) for _ in range(dims)] for _ in range(2))
    move.copy_slices(call.core, call.site, _COPY, dst, src, there, origin)


_FORMS: Final = (_counted, _blocks, _to_nz, _to_nd, _slices)


def _fields(call: Call, struct: str, op: str = "data_copy") -> dict[str, int]:
    """The fields of a parameter struct, which have the order of the table of limits."""
    names = tuple(STRUCTS[struct][DAV_2201])
    values = dict(zip(names, call.integers(len(names)), strict=True))
    check_struct(call.core, op, struct, values)
    return values


def data_copy_pad(call: Call) -> None:
    """DataCopyPad: pieces whose length is in bytes."""
    extended = call.integer()
    dst, src = call.tensor(), call.tensor()
    struct = "DataCopyExtParams" if extended else "DataCopyParams"
    struct += " on load" if extended and isinstance(dst, Local) else ""
    values = _fields(call, struct, "data_copy_pad")
    count, length, gaps = values["block_count"], values["block_len"], (values["dst_stride"], values["src_stride"])
    if isinstance(dst, Local) and isinstance(src, Global):
        is_pad, left, right = call.integers(3)
        value = call.scalar(dst.dtype) if extended else call.integer()
        padding = move.Padding(left, right, value if is_pad else None)
        move.load_padded(call.core, call.site, _PAD, dst, src, count, length, gaps, padding)
    elif isinstance(dst, Global) and isinstance(src, Local):
        move.store_padded(call.core, call.site, _PAD, dst, src, count, length, gaps)


def set_pad_value(call: Call) -> None:
    """SetPadValue."""
    call.core.registers.pad_value = call.scalar(call.dtype())


def get_value(call: Call) -> int:
    """GetValue of either tensor."""
    tensor = call.tensor()
    return result_word(read_element(call.core, call.site, _GET, tensor, call.integer()), tensor.dtype)


def set_value(call: Call) -> None:
    """SetValue of either tensor."""
    tensor = call.tensor()
    index = call.integer()
    write_element(call.core, call.site, _SET, tensor, index, call.scalar(tensor.dtype))


HANDLERS: Final[Mapping[str, Callable[[Call], Any]]] = MappingProxyType(
    {
        "data_copy": data_copy,
        "data_copy_pad": data_copy_pad,
        "set_pad_value": set_pad_value,
        "get_value": get_value,
        "set_value": set_value,
    }
)
