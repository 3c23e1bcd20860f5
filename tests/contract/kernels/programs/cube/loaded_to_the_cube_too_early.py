# finds: RAW error L1 MTE2>MTE1 a,c
# finds: RAW error L1 MTE2>MTE1 b,d
import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import numpy as np

from ..prelude import E, P, bind, sync

H, F = asc.float16, asc.float32
M, N, K = 32, 32, 32


@asc.jit(kernel_type=config.KernelType.AIC_ONLY)
def kernel(a, b, c):
    a1, b1 = asc.LocalTensor(H, P.A1, 0, M * K), asc.LocalTensor(H, P.B1, 65536, K * N)
    a2, b2 = asc.LocalTensor(H, P.A2, 0, M * K), asc.LocalTensor(H, P.B2, 0, K * N)
    c1 = asc.LocalTensor(F, P.CO1, 0, M * N)
    asc.data_copy(a1, bind(a), intri_params=asc.Nd2NzParams(1, M, K, 0, K, M, 1, 0))  # <a>
    asc.data_copy(b1, bind(b), intri_params=asc.Nd2NzParams(1, K, N, 0, N, K, 1, 0))  # <b>
    for row in range(M // 16):
        asc.load_data(a2[row * 16 * K :], a1[row * 256 :], asc.LoadData2DParams(0, K // 16, M // 16))  # <c>
    for row in range(K // 16):
        asc.load_data(b2[row * 16 * N :], b1[row * 256 :], asc.LoadData2DParams(0, N // 16, K // 16, 0, 0, True))  # <d>
    sync(E.MTE1_M)
    asc.mmad(c1, a2, b2, asc.MmadParams(M, N, K))
    sync(E.M_FIX)
    asc.fixpipe(bind(c), c1, asc.FixpipeParamsV220(N, M, M, N))


a, b = np.ones((M, K), np.float16), np.ones((K, N), np.float16)
c = np.zeros((M, N), np.float32)
kernel[1, rt.current_stream()](a, b, c)
