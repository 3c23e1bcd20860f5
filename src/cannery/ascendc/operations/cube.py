"""The cube: loads to L0A and L0B, products, and what leaves L0C."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cannery.ascendc.words import Call
from cannery.isa import cube_fixpipe, cube_image, cube_load, cube_mmad, cube_sparse, whole_product
from cannery.isa.enums import CO2Layout, QuantModes
from cannery.isa.op import DAV_3510
from cannery.isa.table import TABLE

_LOAD: Final = TABLE["load_data"]
_TRANSPOSED: Final = TABLE["load_data_with_transpose"]
_FIXPIPE: Final = TABLE["fixpipe"]
_LAYOUTS: Final = (CO2Layout.NZ, CO2Layout.ROW_MAJOR, CO2Layout.COLUMN_MAJOR)
"""By CO2Layout of C++."""
_WORD: Final = (1 << 64) - 1
_WIDER: Final = 256
"""What filterSizeW and filterSizeH add to a filter."""


def load_2d(call: Call) -> None:
    """LoadData of LoadData2DParams."""
    dst, src = call.local(), call.tensor()
    start, repeats, stride, gap, transpose, downward = call.integers(6)
    load = cube_load.Load2D(start, repeats, stride, gap, bool(transpose), bool(downward))
    cube_load.load_2d(call.core, call.site, _LOAD, dst, src, load)


def load_2d_v2(call: Call) -> None:
    """LoadData of LoadData2DParamsV2."""
    dst, src = call.local(), call.tensor()
    m, k, m_step, k_step, src_stride, dst_stride, transpose = call.integers(7)
    load = cube_load.Load2DV2(m, k, m_step, k_step, src_stride, dst_stride, bool(transpose))
    cube_load.load_2d_v2(call.core, call.site, _LOAD, dst, src, load)


def load_image(call: Call) -> None:
    """LoadData of LoadData3DParamsV2."""
    dst, src = call.local(), call.local()
    left, right, top, bottom, height, width, channels = call.integers(7)
    columns, rows, first_column, first_row = call.integers(4)
    strides, filters, wider, dilations = [tuple(call.integers(2)) for _ in range(4)]
    transpose = bool(call.integer())
    image = cube_image.Image(
        height, width, channels, (left, right, top, bottom), (strides[0], strides[1]),
        (filters[0] + _WIDER * wider[0], filters[1] + _WIDER * wider[1]), (dilations[0], dilations[1]), rows, columns,
        first_row, first_column, transpose,
    )  # fmt: skip
    pad = call.scalar(src.dtype) or call.core.registers.load_pad
    cube_image.load_image(call.core, call.site, _LOAD, dst, src, image, pad)


def load_transposed(call: Call) -> None:
    """LoadDataWithTranspose."""
    dst, src = call.local(), call.local()
    start, repeats, stride, gap, inner_gap, src_gap, downward = call.integers(7)
    by_block = call.core.soc.npu_arch == DAV_3510
    load = cube_load.Transposed(start, repeats, stride, gap, inner_gap, src_gap, bool(downward), by_block)
    cube_load.load_transposed(call.core, call.site, _TRANSPOSED, dst, src, load)


def load_sparse(call: Call) -> None:
    """LoadDataWithSparse."""
    dst, src, index = call.local(), call.local(), call.local()
    run = call.integer(), call.integer()
    cube_sparse.load_sparse(call.core, call.site, TABLE["load_data_with_sparse"], dst, src, index, run)


def fill_blocks(call: Call) -> None:
    """Fill of InitConstValueParams."""
    dst = call.local()
    filling = cube_load.Filling(*call.integers(3))
    cube_load.fill(call.core, call.site, TABLE["init_const_value"], dst, filling, call.scalar(dst.dtype))


def _product(call: Call) -> cube_mmad.Product:
    m, n, k, is_bias, unit_flag, from_table, is_zero, align_k, gemv = call.integers(9)
    keep = not is_zero
    accumulate = bool(is_bias or (keep and not from_table))
    return cube_mmad.Product(m, n, k, accumulate, unit_flag, bool(gemv), bool(align_k), bool(keep and from_table))


def mmad(call: Call) -> None:
    """Mmad, with or without a tensor of biases."""
    dst, left, right = call.local(), call.local(), call.local()
    bias = call.local() if call.integer() else None
    cube_mmad.mmad(call.core, call.site, TABLE["mmad"], dst, left, right, _product(call), bias)


def mmad_sparse(call: Call) -> None:
    """MmadWithSparse."""
    dst, left, right = call.local(), call.local(), call.local()
    cube_sparse.mmad_sparse(call.core, call.site, TABLE["mmad_with_sparse"], dst, left, right, _product(call))


def fixpipe(call: Call) -> None:
    """Fixpipe, with or without quantisation words in L1."""
    dst, src = call.tensor(), call.local()
    workspace = call.local() if call.integer() else None
    n, m, src_stride, dst_stride, quant, word, matrices, src_matrix, dst_matrix = call.integers(9)
    relu, unit_flag, split, layout = call.integers(4)
    drain = cube_fixpipe.Drain(
        n, m, src_stride, dst_stride, QuantModes(quant), word, matrices, src_matrix, dst_matrix, bool(relu), unit_flag,
        bool(split), _LAYOUTS[layout],
    )  # fmt: skip
    cube_fixpipe.fixpipe(call.core, call.site, _FIXPIPE, dst, src, drain, workspace)


def copy_out(call: Call) -> None:
    """DataCopy of DataCopyCO12DstParams, with the word of SetFixpipePreQuantFlag."""
    dst, src = call.tensor(), call.local()
    n, m, dst_stride, src_stride, quant, relu, split, to_rows, matrices, src_matrix, dst_matrix = call.integers(11)
    layout = CO2Layout.ROW_MAJOR if to_rows else CO2Layout.NZ
    drain = cube_fixpipe.Drain(
        n, m, src_stride, dst_stride, QuantModes(quant), call.core.registers.quant_scalar, matrices, src_matrix,
        dst_matrix, bool(relu), split=bool(split), layout=layout,
    )  # fmt: skip
    cube_fixpipe.fixpipe(call.core, call.site, _FIXPIPE, dst, src, drain)


def set_pre_quant_flag(call: Call) -> None:
    """SetFixpipePreQuantFlag."""
    call.core.registers.quant_scalar = call.integer()


def set_hf32_mode(call: Call) -> None:
    """SetHF32Mode."""
    call.core.registers.hf32 = bool(call.integer())


def set_hf32_trans_mode(call: Call) -> None:
    """SetHF32TransMode."""
    call.core.registers.hf32_toward_zero = bool(call.integer())


def set_load_padding(call: Call) -> None:
    """SetLoadDataPaddingValue."""
    call.core.registers.load_pad = call.scalar(call.dtype())


def _matrix(call: Call) -> whole_product.Matrix:
    tensor = call.tensor()
    rows, columns, pitch, fractal, turned = call.integers(5)
    return whole_product.Matrix(tensor, rows, columns, pitch, bool(fractal), bool(turned))


def matmul_block(call: Call) -> None:
    """A product of Matmul: A, B, C, a bias, quantisation words."""
    a, b, c = _matrix(call), _matrix(call), _matrix(call)
    accumulate = bool(call.integer())
    bias = call.tensor() if call.integer() else None
    word = call.integer() & _WORD
    words = call.tensor() if call.integer() else None
    whole_product.matmul(
        call.core, call.site, a, b, c, bias, whole_product.Quantisation(word, words), accumulate=accumulate
    )  # fmt: skip


HANDLERS: Final[Mapping[str, Callable[[Call], Any]]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            load_2d, load_2d_v2, load_image, load_transposed, load_sparse, fill_blocks, mmad, mmad_sparse, fixpipe,
            copy_out, matmul_block, set_pre_quant_flag, set_hf32_mode, set_hf32_trans_mode, set_load_padding,
        )
    }
)  # fmt: skip
