"""z = x + y with statically placed tensors and hand-set flags, two buffers deep."""

import argparse

import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import torch

CORES = 8
BUFFERS = 2
TILES = 8


@asc.jit
def add(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, block_length: int):
    offset = asc.get_block_idx() * block_length
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, block_length)
    y_gm.set_global_buffer(y + offset, block_length)
    z_gm.set_global_buffer(z + offset, block_length)
    length = block_length // TILES
    size = length * BUFFERS * x.dtype.sizeof()
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, length * BUFFERS)
    y_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, size, length * BUFFERS)
    z_local = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, size + size, length * BUFFERS)
    for buffer in range(BUFFERS):
        asc.set_flag(asc.HardEvent.V_MTE2, buffer)
        asc.set_flag(asc.HardEvent.MTE3_V, buffer)
    for tile in range(TILES):
        buffer = tile % BUFFERS
        at = buffer * length
        asc.wait_flag(asc.HardEvent.V_MTE2, buffer)
        asc.data_copy(x_local[at:], x_gm[tile * length :], length)
        asc.data_copy(y_local[at:], y_gm[tile * length :], length)
        asc.set_flag(asc.HardEvent.MTE2_V, buffer)
        asc.wait_flag(asc.HardEvent.MTE2_V, buffer)
        asc.wait_flag(asc.HardEvent.MTE3_V, buffer)
        asc.add(z_local[at:], x_local[at:], y_local[at:], length)
        asc.set_flag(asc.HardEvent.V_MTE2, buffer)
        asc.set_flag(asc.HardEvent.V_MTE3, buffer)
        asc.wait_flag(asc.HardEvent.V_MTE3, buffer)
        asc.data_copy(z_gm[tile * length :], z_local[at:], length)
        asc.set_flag(asc.HardEvent.MTE3_V, buffer)
    for buffer in range(BUFFERS):
        asc.wait_flag(asc.HardEvent.V_MTE2, buffer)
        asc.wait_flag(asc.HardEvent.MTE3_V, buffer)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-r", default="Model", choices=config.Backend.__members__, help="backend")
    parser.add_argument("-v", default=None, choices=[platform.value for platform in config.Platform], help="chip")
    options = parser.parse_args()
    config.set_platform(config.Backend(options.r), options.v and config.Platform(options.v))
    length = CORES * TILES * 256
    x, y = torch.rand(length), torch.rand(length)
    z = torch.zeros(length)
    add[CORES, rt.current_stream()](x, y, z, length // CORES)
    torch.testing.assert_close(z, x + y)
    print("add: as expected")


if __name__ == "__main__":
    main()
