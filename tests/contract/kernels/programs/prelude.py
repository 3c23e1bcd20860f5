"""What the programs share: short names, a tensor over an address, a flag set and waited for."""

import asc

E, P, F, N = asc.HardEvent, asc.TPosition, asc.float32, 64


@asc.jit
def bind(address):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def sync(event, identity=0):
    asc.set_flag(event, identity)
    asc.wait_flag(event, identity)
