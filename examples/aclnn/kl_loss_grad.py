"""The KL gradient of a lightning indexer in two phases: metadata first, then the gradient, on one stream.

Run it with ``cannery exec examples/aclnn/kl_loss_grad.py``.
"""

import acl
import aclnn
import numpy as np

ROWS, KEYS, HEADS, DIM = 16, 4, 8, 128
TND, CAUSAL, RATIO = "TND", 3, 1
DTYPES = {np.dtype(np.float32): 0, np.dtype(np.float16): 1, np.dtype(np.int32): 3}


def check(ret, what):
    if ret != 0:
        raise RuntimeError(f"{what}: {ret} {acl.get_recent_err_msg()}")


class Tensor:
    """A tensor, and the device memory it lies in."""

    def __init__(self, array):
        self.array = array
        content = array.tobytes()
        self.memory, ret = acl.rt.malloc(array.nbytes, 0)
        check(ret, "malloc")
        check(acl.rt.memcpy(self.memory, array.nbytes, acl.util.bytes_to_ptr(content), array.nbytes, 1), "memcpy")
        dims = list(array.shape)
        self.handle = aclnn.aclCreateTensor(dims, DTYPES[array.dtype], None, 0, 2, dims, self.memory)

    def read(self):
        content = bytes(self.array.nbytes)
        check(acl.rt.memcpy(acl.util.bytes_to_ptr(content), len(content), self.memory, len(content), 2), "memcpy")
        return np.frombuffer(content, self.array.dtype).reshape(self.array.shape)

    def destroy(self):
        check(aclnn.aclDestroyTensor(self.handle), "aclDestroyTensor")
        check(acl.rt.free(self.memory), "free")


def run(name, stream, *arguments):
    """Both phases; the workspace, which must live until the stream is synchronised."""
    ret, size, executor = getattr(aclnn, f"{name}GetWorkspaceSize")(*arguments)
    check(ret, f"{name}GetWorkspaceSize")
    workspace, ret = acl.rt.malloc(size, 0) if size else (0, 0)
    check(ret, "malloc")
    check(getattr(aclnn, name)(workspace, size, executor, stream), name)
    return workspace


def target():
    """Each row spread evenly over the keys a plain causal mask shows it."""
    p = np.zeros((ROWS, 1, KEYS), np.float32)
    for row in range(ROWS):
        seen = min(row + 1, KEYS)
        p[row, 0, :seen] = 1 / seen
    return p


def main():
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    stream, ret = acl.rt.create_stream()
    check(ret, "create_stream")

    inputs = [
        Tensor(np.ones((ROWS, HEADS, DIM), np.float16)),
        Tensor(np.ones((KEYS, 1, DIM), np.float16)),
        Tensor(np.full((ROWS, HEADS), 0.001, np.float32)),
        Tensor(target()),
        Tensor(np.full((1, ROWS), 1.0, np.float32)),
    ]
    ends = [Tensor(np.array([0, ROWS], np.int32)), Tensor(np.array([0, KEYS], np.int32))]
    metadata = Tensor(np.zeros(64, np.int32))
    outputs = [Tensor(np.zeros_like(inputs[index].array)) for index in range(4)]

    lengths = (ends[0].handle, ends[1].handle, None, None, None)
    first = run(
        "aclnnDenseLightningIndexerKLLossGradMetadata",
        stream,
        *lengths,
        *(0, ROWS, KEYS, HEADS, 1, DIM, TND, TND, CAUSAL, RATIO, metadata.handle),
    )
    # The metadata is still to be computed when this is planned: streams keep the order.
    second = run(
        "aclnnDenseLightningIndexerKLLossGrad",
        stream,
        *(tensor.handle for tensor in inputs),
        *lengths,
        metadata.handle,
        *(TND, TND, CAUSAL, RATIO),
        *(tensor.handle for tensor in outputs),
    )
    check(acl.rt.synchronize_stream(stream), "synchronize_stream")

    softmax = outputs[3].read()
    print("visible keys of each row:", *(softmax[:, 0] > 0).sum(1))
    print("softmax of the last row:", *np.round(softmax[-1, 0], 4))
    for name, tensor in zip(("dq", "dk", "dw"), outputs, strict=False):
        print(f"{name}: sum {tensor.read().astype(np.float64).sum():.4f}")

    for tensor in (*inputs, *ends, metadata, *outputs):
        tensor.destroy()
    for workspace in filter(None, (first, second)):
        check(acl.rt.free(workspace), "free")
    check(acl.rt.destroy_stream(stream), "destroy_stream")
    check(acl.rt.reset_device(0), "reset_device")
    check(acl.finalize(), "finalize")


if __name__ == "__main__":
    main()
