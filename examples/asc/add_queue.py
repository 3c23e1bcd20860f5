"""z = x + y with queues, a tail that is no whole number of blocks, and cores that share the rest."""

import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import torch

CORES = 4
TILE = 512
DEPTH = 2


@asc.jit
def copy_in(queue: asc.TQue, source: asc.GlobalTensor, length: int):
    tile = queue.alloc_tensor(source.dtype)
    size = length * source.dtype.sizeof()
    padding = asc.DataCopyPadExtParams(source.dtype, False, 0, 0, 0)
    asc.data_copy_pad(tile, source, asc.DataCopyExtParams(1, size, 0, 0, 0), padding)
    queue.enque(tile)


@asc.jit
def compute(x_queue: asc.TQue, y_queue: asc.TQue, z_queue: asc.TQue, dtype: asc.ConstExpr, length: int):
    x_tile = x_queue.deque(dtype)
    y_tile = y_queue.deque(dtype)
    z_tile = z_queue.alloc_tensor(dtype)
    asc.add(z_tile, x_tile, y_tile, length)
    z_queue.enque(z_tile)
    x_queue.free_tensor(x_tile)
    y_queue.free_tensor(y_tile)


@asc.jit
def copy_out(queue: asc.TQue, target: asc.GlobalTensor, length: int):
    tile = queue.deque(target.dtype)
    asc.data_copy_pad(target, tile, asc.DataCopyExtParams(1, length * target.dtype.sizeof(), 0, 0, 0))
    queue.free_tensor(tile)


@asc.jit
def add(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, total: int):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, total)
    y_gm.set_global_buffer(y, total)
    z_gm.set_global_buffer(z, total)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, DEPTH)
    y_queue = asc.TQue(asc.TPosition.VECIN, DEPTH)
    z_queue = asc.TQue(asc.TPosition.VECOUT, DEPTH)
    size = TILE * x.dtype.sizeof()
    pipe.init_buffer(que=x_queue, num=DEPTH, len=size)
    pipe.init_buffer(que=y_queue, num=DEPTH, len=size)
    pipe.init_buffer(que=z_queue, num=DEPTH, len=size)
    tiles = asc.ceildiv(total, TILE)
    for tile in range(asc.get_block_idx(), tiles, asc.get_block_num()):
        at = tile * TILE
        length = asc.number(TILE, asc.int32)
        if total - at < TILE:
            length = total - at
        copy_in(x_queue, x_gm[at:], length)
        copy_in(y_queue, y_gm[at:], length)
        compute(x_queue, y_queue, z_queue, x.dtype, length)
        copy_out(z_queue, z_gm[at:], length)


if __name__ == "__main__":
    config.set_platform(config.Backend.Model, config.Platform.Ascend910B1)
    for dtype in (torch.float32, torch.float16, torch.int32):
        x = (torch.rand(9999) * 100).to(dtype)
        y = (torch.rand(9999) * 100).to(dtype)
        z = torch.zeros_like(x)
        add[CORES, rt.current_stream()](x, y, z, len(z))
        torch.testing.assert_close(z, x + y)
    print("add: as expected")
