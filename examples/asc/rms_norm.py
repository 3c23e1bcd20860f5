"""y = x / rms(x) * gamma, row by row in half precision, computed in float: casts, a reduction, and a scalar between."""

import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import torch

CORES = 4
WIDTH = 256
EPSILON = 1e-5


@asc.jit
def rms_norm(x: asc.GlobalAddress, gamma: asc.GlobalAddress, y: asc.GlobalAddress, rows: int):
    x_gm = asc.GlobalTensor()
    gamma_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    gamma_gm.set_global_buffer(gamma)
    y_gm.set_global_buffer(y)
    pipe = asc.TPipe()
    rows_in = asc.TQue(asc.TPosition.VECIN, 2)
    gamma_in = asc.TQue(asc.TPosition.VECIN, 1)
    rows_out = asc.TQue(asc.TPosition.VECOUT, 2)
    wide = asc.TBuf(asc.TPosition.VECCALC)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(rows_in, 2, WIDTH * 2)
    pipe.init_buffer(gamma_in, 1, WIDTH * 4)
    pipe.init_buffer(rows_out, 2, WIDTH * 2)
    pipe.init_buffer(wide, 2 * WIDTH * 4)
    pipe.init_buffer(scratch, WIDTH * 4)

    gamma_row = gamma_in.alloc_tensor(asc.float32)
    asc.data_copy(gamma_row, gamma_gm, WIDTH)
    gamma_in.enque(gamma_row)
    gamma_row = gamma_in.deque(asc.float32)
    values = wide.get(asc.float32)
    squares = values[WIDTH:]
    work = scratch.get(asc.float32)
    for row in range(asc.get_block_idx(), rows, asc.get_block_num()):
        narrow = rows_in.alloc_tensor(asc.half)
        asc.data_copy(narrow, x_gm[row * WIDTH :], WIDTH)
        rows_in.enque(narrow)
        narrow = rows_in.deque(asc.half)
        asc.cast(values, narrow, asc.RoundMode.CAST_NONE, WIDTH)
        rows_in.free_tensor(narrow)
        asc.mul(squares, values, values, WIDTH)
        asc.reduce_sum(squares, squares, work, WIDTH)
        event = pipe.fetch_event_id(asc.HardEvent.V_S)
        asc.set_flag(asc.HardEvent.V_S, event)
        asc.wait_flag(asc.HardEvent.V_S, event)
        mean = squares.get_value(0) / WIDTH
        asc.duplicate(squares, mean + EPSILON, WIDTH)
        asc.sqrt(squares, squares, WIDTH)
        asc.div(values, values, squares, WIDTH)
        asc.mul(values, values, gamma_row, WIDTH)
        out = rows_out.alloc_tensor(asc.half)
        asc.cast(out, values, asc.RoundMode.CAST_RINT, WIDTH)
        rows_out.enque(out)
        out = rows_out.deque(asc.half)
        asc.data_copy(y_gm[row * WIDTH :], out, WIDTH)
        rows_out.free_tensor(out)
    gamma_in.free_tensor(gamma_row)


if __name__ == "__main__":
    config.set_platform(config.Backend.Model, config.Platform.Ascend910B1)
    x = torch.randn(10, WIDTH).half()
    gamma = torch.rand(WIDTH)
    y = torch.zeros_like(x)
    rms_norm[CORES, rt.current_stream()](x, gamma, y, len(x))
    wide = x.float()
    expected = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + EPSILON) * gamma
    torch.testing.assert_close(y.float(), expected, rtol=2e-3, atol=1e-3)
    print("rms_norm: as expected")
