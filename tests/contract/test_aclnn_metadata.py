"""aclnnDenseLightningIndexerKLLossGradMetadata: results and statuses as the original documents and codes them.

Values: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad_metadata`
(op_host check header, op_kernel_aicpu, docs, examples).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from cannery import acl, aclnn
from cannery.runtime import Options, Process

NAMES = [
    "cu_q",
    "cu_k",
    "used_q",
    "used_k",
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
    "metadata",
]
BSND = dict(zip(NAMES, [0, 0, 0, 0, 0, 1, 16, 4, 8, 1, 128, "BSND", "BSND", 0, 4, 0], strict=True))
TND = {**BSND, "batch": 0, "layout_q": "TND", "layout_k": "TND"}
INVALID, NULLPTR = 161002, 161001
Use = Callable[..., None]


@pytest.fixture(name="use")
def _use(monkeypatch: pytest.MonkeyPatch) -> Iterator[Use]:
    """``use(chip, aic_cores)`` starts a runtime with that chip."""

    def start(chip: str = "Ascend950PR_9589") -> None:
        monkeypatch.setenv("CANNERY_SOC", chip)
        fresh = Process(Options(devices=1, memory=1 << 28))
        for module in ("cannery.acl.spelling", "cannery.aclnn.spelling"):
            monkeypatch.setattr(f"{module}.process", lambda: fresh)
        assert acl.init() == 0 and acl.rt.set_device(0) == 0

    yield start


def tensor(values: Any, dtype: Any = np.int32, number: int = 3, dims: list[int] | None = None) -> int:
    array = np.asarray(values, dtype)
    address, _ = acl.rt.malloc(max(array.nbytes, 1), 0)
    content = array.tobytes()
    assert acl.rt.memcpy(address, array.nbytes, acl.util.bytes_to_ptr(content), array.nbytes, 1) == 0
    shape = list(array.shape) if dims is None else dims
    return int(aclnn.aclCreateTensor(shape, number, None, 0, 2, shape, address))


def plan(**changes: Any) -> tuple[int, int, int]:
    values = {**BSND, **changes}
    if "metadata" not in changes:
        values["metadata"] = tensor([-1] * 64)
    return aclnn.aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize(*(values[name] for name in NAMES))


def words(**changes: Any) -> list[int]:
    out = tensor([-1] * 64)
    status, size, executor = plan(metadata=out, **changes)
    assert status == 0, acl.get_recent_err_msg()
    workspace, _ = acl.rt.malloc(size, 0)
    assert aclnn.aclnnDenseLightningIndexerKLLossGradMetadata(workspace, size, executor, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0, acl.get_recent_err_msg()
    content = bytes(256)
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(content), 256, aclnn.aclGetRawTensorAddr(out)[1], 256, 2) == 0
    return list(np.frombuffer(content, np.int32).tolist())


def test_the_example_in_both_layouts(use: Use) -> None:
    use()
    ends = {"cu_q": tensor([0, 16]), "cu_k": tensor([0, 4])}
    assert words(batch=0, layout_q="TND", layout_k="TND", **ends)[:5] == [16, 1, 0, 16, 16]
    assert words()[:5] == [16, 1, 0, 16, 16]


@pytest.mark.parametrize(
    ("total", "chip", "expected"),
    [
        (1, "Ascend950PR_9589", [1, 1, 0, 31, 1]),
        (5, "Ascend950PR_9589", [5, 1, 0, 27, 5]),
        (32, "Ascend950PR_9589", [32, 1, 0, 0, 32]),
        (33, "Ascend950PR_9589", [33, 2, 1, 31, 32]),
        (64, "Ascend950PR_9589", [64, 2, 1, 0, 32]),
        (511, "Ascend950PR_9599", [511, 15, 14, 29, 36]),
    ],
)
def test_worked_values(use: Use, total: int, chip: str, expected: list[int]) -> None:
    use(chip)
    assert words(max_q=total)[:6] == [*expected, 4]


def test_the_example_of_four_batches(use: Use) -> None:
    use()
    changes = {
        "cu_q": tensor([0, 123, 230, 234, 511]),
        "cu_k": tensor([0, 3048, 8196, 13092, 16392]),
        "batch": 4,
        "max_q": 180,
        "max_k": 5,
        "heads_q": 64,
        "ratio": 13,
        "layout_q": "TND",
        "layout_k": "TND",
    }
    assert words(**changes)[:5] == [511, 16, 15, 1, 32]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"heads_q": 0}, "num_heads_q"),
        ({"heads_q": 129}, "num_heads_q"),
        ({"heads_k": 2}, "num_heads_k"),
        ({"dim": 64}, "head_dim"),
        ({"batch": -1}, "batch_size"),
        ({"max_q": -1}, "max_seqlen_q"),
        ({"max_k": -1}, "max_seqlen_k"),
        ({"mask": 1}, "mask_mode"),
        ({"ratio": 0}, "cmp_ratio"),
        ({"ratio": 129}, "cmp_ratio"),
        ({"layout_q": None}, "layout_q: found a null pointer"),
        ({"layout_q": b"\xff"}, "layout_q: found '\ufffd', expected TND or BSND"),
        ({"layout_q": "tnd"}, "layout_q"),
        ({"layout_k": None}, "layout_k: found a null pointer"),
        ({"layout_k": "BNSD"}, "layout_k"),
        ({"layout_q": "TND"}, "cu_seqlens_q"),
        ({"layout_k": "TND"}, "cu_seqlens_k"),
        ({"mask": 3}, "cmp_residual_k"),
        ({"metadata": 0}, "metadata"),
    ],
)
def test_a_wrong_argument_is_161002_and_named(use: Use, changes: dict[str, Any], text: str) -> None:
    use()
    assert plan(**changes) == (INVALID, 0, 0)
    message = acl.get_recent_err_msg()
    assert "ACLNN_ERR_PARAM_INVALID" in message and text in message


@pytest.mark.parametrize("heads", [0, 129])
def test_of_two_wrong_arguments_the_first_in_the_original_s_order_is_named(use: Use, heads: int) -> None:
    use()
    assert plan(ratio=0, heads_q=heads, layout_q=None, metadata=0)[0] == INVALID
    assert "num_heads_q" in acl.get_recent_err_msg()


def test_wrong_tensors_are_161002(use: Use) -> None:
    use()
    for name in ("used_q", "used_k", "residual"):
        assert plan(**{name: tensor([[1]])})[0] == INVALID
        assert plan(**{name: tensor([1], np.int64, 9)})[0] == INVALID
        assert plan(**{name: tensor([1, 1])})[0] == INVALID
    for wrong in (tensor([0] * 63), tensor([0] * 64, np.int64, 9), tensor([[0] * 64])):
        assert plan(metadata=wrong)[0] == INVALID


def test_a_null_metadata_elsewhere_than_on_950_is_161001(use: Use) -> None:
    use("Ascend910B1")
    assert plan(metadata=0)[0] == NULLPTR
    assert "ACLNN_ERR_PARAM_NULLPTR" in acl.get_recent_err_msg()


@pytest.mark.parametrize(
    ("changes", "name", "index", "value"),
    [
        ({"cu_q": [0, -1]}, "cu_seqlens_q", 1, -1),
        ({"cu_q": [0, 5, 3], "cu_k": [0, 1, 2]}, "cu_seqlens_q", 2, 3),
        ({"cu_k": [0, -4]}, "cu_seqlens_k", 1, -4),
        ({"used_q": [-2]}, "seqused_q", 0, -2),
        ({"used_k": [-3]}, "seqused_k", 0, -3),
        ({"residual": [-5]}, "cmp_residual_k", 0, -5),
    ],
)
def test_values_are_judged_on_the_device(
    use: Use, changes: dict[str, list[int]], name: str, index: int, value: int
) -> None:
    use()
    ends = {"cu_q": [0, 16], "cu_k": [0, 4], **changes}
    status, size, executor = plan(**{**TND, "metadata": tensor([-1] * 64), **{k: tensor(v) for k, v in ends.items()}})
    assert status == 0
    workspace, _ = acl.rt.malloc(size, 0)
    assert aclnn.aclnnDenseLightningIndexerKLLossGradMetadata(workspace, size, executor, 0) == 0
    assert acl.rt.synchronize_stream(0) == 507018
    message = acl.get_recent_err_msg()
    assert all(word in message for word in (name, str(index), f"found {value}"))
