"""aclnnDenseLightningIndexerKLLossGrad: results as of the operator itself, statuses as documented.

Statuses: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad` (docs, op_host).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import cannery
from cannery import acl, aclnn
from cannery.core import DataType, Tensor
from cannery.runtime import Options, Process

INPUTS = ["q", "k", "w", "p", "lse", "cu_q", "cu_k", "used_q", "used_k", "residual", "metadata"]
ATTRIBUTES = ["layout_q", "layout_k", "mask", "ratio"]
OUTPUTS = ["dq", "dk", "dw", "y"]
NAME = "DenseLightningIndexerKLLossGrad"
Use = Callable[..., None]


@pytest.fixture(name="use")
def _use(monkeypatch: pytest.MonkeyPatch) -> Iterator[Use]:
    """``use(chip)`` starts a runtime with that chip."""

    def start(chip: str = "Ascend950PR_9589") -> None:
        monkeypatch.setenv("CANNERY_SOC", chip)
        fresh = Process(Options(devices=1, memory=1 << 28))
        for module in ("cannery.acl.spelling", "cannery.aclnn.spelling"):
            monkeypatch.setattr(f"{module}.process", lambda: fresh)
        assert acl.init() == 0 and acl.rt.set_device(0) == 0

    yield start


def upload(value: torch.Tensor, number: int | None = None, dims: list[int] | None = None) -> int:
    content = bytes(Tensor(value.contiguous()).bytes())
    address, _ = acl.rt.malloc(max(len(content), 1), 0)
    assert acl.rt.memcpy(address, len(content), acl.util.bytes_to_ptr(content), len(content), 1) == 0
    code = int(DataType.of(value.dtype)) if number is None else number
    shape = list(value.shape) if dims is None else dims
    return int(aclnn.aclCreateTensor(shape, code, None, 0, 2, shape, address))


def download(handle: int, like: torch.Tensor) -> torch.Tensor:
    out = np.zeros(like.numel() * like.element_size(), np.uint8)
    address = aclnn.aclGetRawTensorAddr(handle)[1]
    assert acl.rt.memcpy(out.ctypes.data, out.nbytes, address, out.nbytes, 2) == 0
    return torch.from_numpy(out).view(like.dtype).view(like.shape)


def problem(dtype: torch.dtype = torch.float16) -> dict[str, Any]:
    """Two batches of 9 and 7 rows over 4 and 3 keys, causal, each key standing for 2 tokens."""
    generator = torch.Generator().manual_seed(1)

    def rand(*dims: int) -> torch.Tensor:
        return torch.rand(*dims, generator=generator)

    metadata = torch.tensor([16, 1, 0, 16, 16, 4] + [0] * 58, dtype=torch.int32)
    ends = {"cu_q": torch.tensor([0, 9, 16]), "cu_k": torch.tensor([0, 4, 7]), "residual": torch.tensor([1, 0])}
    return {
        "q": rand(16, 4, 128).to(dtype),
        "k": rand(7, 1, 128).to(dtype),
        "w": rand(16, 4) * 0.01,
        "p": rand(16, 1, 4),
        "lse": rand(1, 16) + 1,
        **{name: value.to(torch.int32) for name, value in ends.items()},
        "used_q": None,
        "used_k": None,
        "metadata": metadata,
        "layout_q": "TND",
        "layout_k": "TND",
        "mask": 3,
        "ratio": 2,
    }


def plan(values: dict[str, Any], **changes: Any) -> tuple[int, int, int, list[int]]:
    """Phase 1, and the outputs' handles; a change replaces a handle or an attribute."""
    handles = {name: None if values[name] is None else upload(values[name]) for name in INPUTS}
    outputs = {
        out: upload(torch.zeros_like(values[like])) for out, like in zip(OUTPUTS, ["q", "k", "w", "p"], strict=True)
    }
    row = {**handles, **{name: values[name] for name in ATTRIBUTES}, **outputs, **changes}
    planned = aclnn.aclnnDenseLightningIndexerKLLossGradGetWorkspaceSize(
        *(row[name] for name in (*INPUTS, *ATTRIBUTES, *OUTPUTS))
    )
    return (*planned, [row[name] for name in OUTPUTS])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_two_phases_give_the_bytes_that_run_gives(use: Use, dtype: torch.dtype) -> None:
    use()
    values = problem(dtype)
    status, size, executor, outputs = plan(values)
    assert status == 0, acl.get_recent_err_msg()
    assert size == 32 * 3072 + 7 * 128 * 4 + (16 << 20)
    workspace, _ = acl.rt.malloc(size, 0)
    assert aclnn.aclnnDenseLightningIndexerKLLossGrad(workspace, size, executor, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0, acl.get_recent_err_msg()
    attrs = {"layout_q": "TND", "layout_k": "TND", "mask_mode": 3, "cmp_ratio": 2}
    expected = cannery.run(NAME, [values[name] for name in INPUTS], attrs, soc="Ascend950PR_9589")
    for handle, tensor in zip(outputs, expected, strict=True):
        assert download(handle, tensor).equal(tensor)
    assert expected[0].abs().sum() > 0


def test_determinism_wants_more_workspace(use: Use) -> None:
    use()
    size = plan(problem())[1]
    assert acl.rt.ctx_set_sys_param_opt(0, 1) == 0
    assert plan(problem())[1] == size + 32 * 3 * 8192 * 128 * 4
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("name", ["q", "k", "w", "p", "lse", "dq", "dk", "dw", "y"])
def test_a_required_tensor_that_is_null_is_161002(use: Use, name: str) -> None:
    use()
    assert plan(problem(), **{name: None})[0] == 161002


@pytest.mark.parametrize("name", ["layout_q", "layout_k"])
def test_a_null_string_is_161001(use: Use, name: str) -> None:
    use()
    assert plan(problem(), **{name: None})[0] == 161001


@pytest.mark.parametrize("name", ["q", "w", "lse", "cu_q", "metadata", "dk"])
def test_a_data_type_that_is_not_registered_is_161002(use: Use, name: str) -> None:
    use()
    shape = {"dk": "k"}.get(name, name)
    wrong = upload(torch.zeros(problem()[shape].shape, dtype=torch.float64))
    assert plan(problem(), **{name: wrong})[0] == 161002
    assert "float64" in acl.get_recent_err_msg()


@pytest.mark.parametrize(
    "changes",
    [
        {"metadata": None},
        {"layout_q": "SBND"},
        {"layout_k": "BSND"},
        {"mask": 1},
        {"ratio": 0},
        {"ratio": 129},
        {"residual": None},
    ],
)
def test_what_tiling_refuses_is_561002(use: Use, changes: dict[str, Any]) -> None:
    use()
    assert plan(problem(), **changes)[0] == 561002
    assert "ACLNN_ERR_INNER_TILING_ERROR" in acl.get_recent_err_msg()


def test_shapes_that_do_not_fit_are_561002(use: Use) -> None:
    use()
    values = problem()
    for name, dims in (("q", [16, 4, 64]), ("k", [7, 2, 128]), ("w", [15, 4]), ("p", [16, 4]), ("dq", [16, 4, 127])):
        wrong = upload(values[{"dq": "q"}.get(name, name)], dims=dims)
        assert plan(values, **{name: wrong})[0] == 561002, name
    mixed = upload(values["k"].to(torch.bfloat16))
    assert plan(values, k=mixed)[0] == 561002


def test_a_chip_without_the_kernel_is_561003(use: Use) -> None:
    use("Ascend910B1")
    assert plan(problem())[0] == 561003


def test_metadata_of_another_call_fails_the_task_and_writes_nothing(use: Use) -> None:
    use()
    values = problem()
    values["metadata"][0] = 15
    status, size, executor, outputs = plan(values)
    assert status == 0
    workspace, _ = acl.rt.malloc(size, 0)
    assert aclnn.aclnnDenseLightningIndexerKLLossGrad(workspace, size, executor, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507015
    assert "metadata for 15 rows" in acl.get_recent_err_msg()
    assert not download(outputs[0], values["q"]).any()


def test_without_its_workspace_a_call_is_refused(use: Use) -> None:
    use()
    run = aclnn.aclnnDenseLightningIndexerKLLossGrad
    _, size, executor, _ = plan(problem())
    assert run(0, size, executor, 0) == 161001
    _, size, executor, _ = plan(problem())
    workspace, _ = acl.rt.malloc(size, 0)
    assert run(workspace, size - 1, executor, 0) == 161002
