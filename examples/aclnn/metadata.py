"""DenseLightningIndexerKLLossGradMetadata in two phases: how the query rows of a call are dealt out to cube cores.

Run it with ``cannery exec examples/aclnn/metadata.py``.
"""

import acl
import aclnn
import numpy as np

ACL_MEM_MALLOC_HUGE_FIRST = 0
ACL_MEMCPY_HOST_TO_DEVICE = 1
ACL_MEMCPY_DEVICE_TO_HOST = 2
ACL_INT32 = 3
ACL_FORMAT_ND = 2


def check(ret, what):
    if ret != 0:
        raise RuntimeError(f"{what}: {ret} {acl.get_recent_err_msg()}")


class Tensor:
    """An int32 tensor of one dim, and the device memory it lies in."""

    def __init__(self, values):
        content = np.asarray(values, np.int32).tobytes()
        self.size = len(content)
        self.memory, ret = acl.rt.malloc(self.size, ACL_MEM_MALLOC_HUGE_FIRST)
        check(ret, "malloc")
        source = acl.util.bytes_to_ptr(content)
        check(acl.rt.memcpy(self.memory, self.size, source, self.size, ACL_MEMCPY_HOST_TO_DEVICE), "memcpy")
        dims = [self.size // 4]
        self.handle = aclnn.aclCreateTensor(dims, ACL_INT32, [1], 0, ACL_FORMAT_ND, dims, self.memory)

    def read(self):
        host, ret = acl.rt.malloc_host(self.size)
        check(ret, "malloc_host")
        check(acl.rt.memcpy(host, self.size, self.memory, self.size, ACL_MEMCPY_DEVICE_TO_HOST), "memcpy")
        values = np.frombuffer(acl.util.ptr_to_bytes(host, self.size), np.int32)
        check(acl.rt.free_host(host), "free_host")
        return values

    def destroy(self):
        check(aclnn.aclDestroyTensor(self.handle), "aclDestroyTensor")
        check(acl.rt.free(self.memory), "free")


def deal(stream, layout, queries, keys, batches):
    metadata = Tensor([-1] * 64)
    ret, size, executor = aclnn.aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize(
        queries, keys, None, None, None, batches, 16, 4, 8, 1, 128, layout, layout, 0, 4, metadata.handle
    )
    check(ret, "phase 1")
    workspace = 0
    if size > 0:
        workspace, ret = acl.rt.malloc(size, ACL_MEM_MALLOC_HUGE_FIRST)
        check(ret, "malloc")
    check(aclnn.aclnnDenseLightningIndexerKLLossGradMetadata(workspace, size, executor, stream), "phase 2")
    check(acl.rt.synchronize_stream(stream), "synchronize_stream")
    print(layout, *metadata.read()[:5])
    if workspace:
        check(acl.rt.free(workspace), "free")
    metadata.destroy()


def main():
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    stream, ret = acl.rt.create_stream()
    check(ret, "create_stream")
    queries, keys = Tensor([0, 16]), Tensor([0, 4])
    deal(stream, "TND", queries.handle, keys.handle, 0)
    deal(stream, "BSND", None, None, 1)
    queries.destroy()
    keys.destroy()
    check(acl.rt.destroy_stream(stream), "destroy_stream")
    check(acl.rt.reset_device(0), "reset_device")
    check(acl.finalize(), "finalize")


if __name__ == "__main__":
    main()
