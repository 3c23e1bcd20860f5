"""What the kernels of this folder share: the way of a tile from global memory to where the cube reads it."""

import asc


@asc.jit
def bind(address: asc.GlobalAddress):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def load_nz(target: asc.LocalTensor, source: asc.GlobalTensor, rows: int, columns: int, pitch: int):
    """Rows to columns of blocks, in L1."""
    asc.data_copy(target, source, intri_params=asc.Nd2NzParams(1, rows, columns, 0, pitch, rows, 1, 0))


@asc.jit
def load_left(target: asc.LocalTensor, source: asc.LocalTensor, m: int, k: int):
    """A, m × k halves: columns of blocks to rows of blocks."""
    for row in range(m // 16):
        asc.load_data(target[row * 16 * k :], source[row * 256 :], asc.LoadData2DParams(0, k // 16, m // 16))


@asc.jit
def load_right(target: asc.LocalTensor, source: asc.LocalTensor, k: int, n: int):
    """B, k × n halves: each block is turned over."""
    for row in range(k // 16):
        load = asc.LoadData2DParams(0, n // 16, k // 16, 0, 0, True)
        asc.load_data(target[row * 16 * n :], source[row * 256 :], load)
