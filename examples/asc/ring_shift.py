"""Each core hands its block to the next through global memory: a barrier between writing and reading, then a total
that all cores add to atomically.
"""

import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import numpy as np

CORES = 4
LENGTH = 128


@asc.jit(kernel_type=config.KernelType.MIX_AIV_1_0)
def ring_shift(x: asc.GlobalAddress, exchange: asc.GlobalAddress, y: asc.GlobalAddress, total: asc.GlobalAddress):
    core = asc.get_block_idx()
    previous = (core + asc.get_block_num() - 1) % asc.get_block_num()
    x_gm = asc.GlobalTensor()
    exchange_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    total_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + core * LENGTH, LENGTH)
    exchange_gm.set_global_buffer(exchange)
    y_gm.set_global_buffer(y + core * LENGTH, LENGTH)
    total_gm.set_global_buffer(total, LENGTH)
    mine = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 0, LENGTH)
    theirs = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, LENGTH * 4, LENGTH)

    asc.data_copy(mine, x_gm, LENGTH)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(mine, mine, 1, LENGTH)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(exchange_gm[core * LENGTH :], mine, LENGTH)
    asc.sync_all()

    asc.data_copy(theirs, exchange_gm[previous * LENGTH :], LENGTH)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(y_gm, theirs, LENGTH)
    asc.set_atomic_add(asc.int32)
    asc.data_copy(total_gm, theirs, LENGTH)
    asc.set_atomic_none()


if __name__ == "__main__":
    config.set_platform(config.Backend.Model, config.Platform.Ascend910B1)
    x = np.arange(CORES * LENGTH, dtype=np.int32)
    exchange, y = np.zeros_like(x), np.zeros_like(x)
    total = np.zeros(LENGTH, dtype=np.int32)
    ring_shift[CORES, rt.current_stream()](x, exchange, y, total)
    blocks = x.reshape(CORES, LENGTH) + 1
    np.testing.assert_array_equal(y.reshape(CORES, LENGTH), np.roll(blocks, 1, axis=0))
    np.testing.assert_array_equal(total, blocks.sum(axis=0))
    print("ring_shift: as expected")
