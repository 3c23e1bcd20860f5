"""acl and aclnn over a runtime of their own, and tensors made with them."""

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cannery.core import DataType
from cannery.runtime import Options, Process

METADATA = "aclnnDenseLightningIndexerKLLossGradMetadata"


class Client:
    """A program: device 0, a stream, and short words for what it does all the time."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.acl: ModuleType = importlib.import_module("cannery.acl")
        self.aclnn: ModuleType = importlib.import_module("cannery.aclnn")
        self.stream = 0

    def start(self) -> "Client":
        assert self.acl.init() == 0 and self.acl.rt.set_device(0) == 0
        self.stream, ret = self.acl.rt.create_stream()
        assert ret == 0
        return self

    def memory(self, size: int) -> int:
        address, ret = self.acl.rt.malloc(max(size, 1), 0)
        assert ret == 0
        return int(address)

    def tensor(self, values: Any, dtype: Any = np.int32, **options: Any) -> int:
        """A tensor over device memory that holds the values."""
        array = np.asarray(values, dtype)
        content = array.tobytes()
        address = self.memory(len(content))
        source = self.acl.util.bytes_to_ptr(content)
        assert self.acl.rt.memcpy(address, len(content), source, len(content), 1) == 0
        return self.view(address, options.pop("dims", array.shape), array.dtype, **options)

    def view(
        self,
        address: int,
        dims: Sequence[int],
        dtype: Any = np.int32,
        *,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        number: int | None = None,
        format: int = 2,
    ) -> int:
        """A tensor over memory that is there."""
        code = int(DataType.of(np.dtype(dtype))) if number is None else number
        steps = None if strides is None else list(strides)
        made = self.aclnn.aclCreateTensor(list(dims), code, steps, offset, format, list(dims), address)
        assert made
        return int(made)

    def read(self, tensor: int, count: int, dtype: Any = np.int32) -> Any:
        """Values from where a tensor's storage begins."""
        _, address = self.aclnn.aclGetRawTensorAddr(tensor)
        size = count * np.dtype(dtype).itemsize
        content = bytes(size)
        assert self.acl.rt.memcpy(self.acl.util.bytes_to_ptr(content), size, address, size, 2) == 0
        return np.frombuffer(content, dtype)

    def metadata(self, *, cu_q: int = 0, cu_k: int = 0, out: int = 0, **changes: Any) -> tuple[int, int, int]:
        """Phase 1 of the metadata operator: by default BSND, one batch, 16 queries, 4 keys, 8 heads."""
        names = [
            "seqused_q",
            "seqused_k",
            "residual",
            "batch",
            "max_q",
            "max_k",
            "heads_q",
            "heads_k",
            "dim",
            "layout_q",
            "layout_k",
            "mask",
            "ratio",
        ]
        values = [0, 0, 0, 1, 16, 4, 8, 1, 128, "BSND", "BSND", 0, 4]
        merged = {**dict(zip(names, values, strict=True)), **changes}
        planned = getattr(self.aclnn, f"{METADATA}GetWorkspaceSize")(cu_q, cu_k, *merged.values(), out)
        status, size, executor = planned
        return int(status), int(size), int(executor)

    def run(self, size: int, executor: int, *, workspace: int | None = None, stream: int | None = None) -> int:
        """Phase 2 of the metadata operator."""
        place = self.memory(size) if workspace is None else workspace
        queue = self.stream if stream is None else stream
        return int(getattr(self.aclnn, METADATA)(place, size, executor, queue))

    def synchronize(self) -> int:
        return int(self.acl.rt.synchronize_stream(self.stream))

    @property
    def message(self) -> str:
        return str(self.acl.get_recent_err_msg())


@pytest.fixture(name="make_client")
def _make_client(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a client of a chip; its runtime takes the place of the process's."""

    def make(chip: str = "Ascend950PR_9589", **options: Any) -> Client:
        monkeypatch.setenv("CANNERY_SOC", chip)
        fresh = Process(Options(**{"devices": 2, "memory": 1 << 30, **options}))
        for module in ("cannery.acl.spelling", "cannery.acl.descriptors", "cannery.aclnn.spelling"):
            monkeypatch.setattr(f"{module}.process", lambda: fresh)
        return Client(fresh)

    return make


@pytest.fixture(name="client")
def _client(make_client: Any) -> Client:
    """A client with device 0 in use."""
    started: Client = make_client().start()
    return started
