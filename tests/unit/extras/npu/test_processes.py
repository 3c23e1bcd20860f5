"""What takes processes of its own: collectives, scripts written for cuda, a package that is already there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(program: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program, as `cannery exec` does."""
    script = tmp_path / "script.py"
    script.write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "cannery", "exec", str(script)]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False
    )


COLLECTIVES = """
import os, sys
import torch, torch_npu
import torch.distributed as dist
import torch.multiprocessing as mp
import cannery.activate

def check(rank, folder):
    torch.npu.set_device(rank)
    device = f"npu:{rank}"
    dist.init_process_group("hccl", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    x = torch.full((3,), rank + 1.0, device=device)
    dist.all_reduce(x)
    assert x.tolist() == [3, 3, 3] and x.device.index == rank
    work = dist.all_reduce(x, async_op=True)
    work.wait()
    assert x.tolist() == [6, 6, 6]
    dist.broadcast(x.fill_(rank), 1)
    assert x.tolist() == [1, 1, 1]
    parts = [torch.zeros(2, device=device) for _ in range(2)]
    dist.all_gather(parts, torch.full((2,), float(rank), device=device))
    assert [p.tolist() for p in parts] == [[0, 0], [1, 1]]
    share = torch.zeros(1, device=device)
    dist.reduce_scatter_tensor(share, torch.arange(2.0, device=device))
    assert share.item() == 2 * rank
    swapped = torch.zeros(2, device=device)
    dist.all_to_all_single(swapped, torch.full((2,), float(rank), device=device))
    assert swapped.tolist() == [0, 1]
    dist.send(x, 1) if rank == 0 else dist.recv(x, 0)
    objects = [None, None]
    dist.all_gather_object(objects, {"rank": rank})
    assert objects == [{"rank": 0}, {"rank": 1}]
    try:
        dist.all_reduce(torch.ones(1))
    except RuntimeError as failure:
        assert "cpu" in str(failure)
    else:
        raise AssertionError("hccl took a tensor of the host")
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2).to(device), device_ids=[rank])
    model(torch.full((4, 3), rank + 1.0, device=device)).sum().backward()
    assert model.module.weight.grad.flatten().tolist() == [6.0] * 6
    dist.barrier()
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(check, (sys.argv[1] if len(sys.argv) > 1 else os.environ["FOLDER"],), nprocs=2)
    print("fine")
"""


@pytest.mark.slow
def test_two_processes_over_hccl(tmp_path: Path) -> None:
    # A spawned child is a new Python: its script activates the names itself.
    program = COLLECTIVES.replace("import torch, torch_npu\n", "import torch, cannery.activate, torch_npu\n")
    result = run(program, tmp_path, FOLDER=str(tmp_path))
    assert result.stdout == "fine\n", result.stderr


TRANSFERRED = """
import torch, torch_npu
from torch_npu.contrib import transfer_to_npu

assert torch.cuda.is_available() and torch.cuda.device_count() == 8
x = torch.ones(2, 2).cuda()
assert x.is_cuda and x.device == torch.device("npu:0") == torch.device("cuda:0")
assert isinstance(x.device, torch.device)
y = torch.zeros(2, device="cuda").to("cuda:1")
assert y.device.index == 1
assert torch.nn.Linear(2, 2).cuda().weight.is_npu and torch.nn.Linear(2, 2).to("cuda").weight.is_npu
with torch.autocast("cuda", dtype=torch.bfloat16):
    assert (x @ x).dtype is torch.bfloat16
with torch.cuda.amp.autocast():
    assert (x @ x).dtype is torch.float16
for index in (0, 1):
    torch.cuda.set_device(index)
    for name, device in (("meta", "meta"), ("cpu", "cpu"), ("cuda", f"npu:{index}")):
        with torch.device(name):
            made = torch.empty(2), torch.tensor([1]), torch.as_tensor([1]), torch.randn(2), torch.arange(2)
            assert {str(tensor.device) for tensor in made} == {device}, (name, made)
    torch.set_default_device("meta")
    assert torch.zeros(2).is_meta
    torch.set_default_device(None)
torch.cuda.set_device(0)
torch.cuda.synchronize()
torch.cuda.manual_seed_all(1)
torch.use_deterministic_algorithms(True)
assert torch.compile(lambda x: x + 1)(x).is_npu
assert torch.randn(2, generator=torch.Generator(device="cuda"), device="cuda").is_npu
print("fine")
"""


def test_a_script_for_cuda_runs_on_npu(tmp_path: Path) -> None:
    result = run(TRANSFERRED, tmp_path)
    assert result.stdout == "fine\n", result.stderr


def test_the_environment_transfers_as_well(tmp_path: Path) -> None:
    program = "import torch, torch_npu\nprint(torch.ones(1).cuda().device)"
    assert run(program, tmp_path, TORCH_TRANSFER_TO_NPU="1").stdout == "npu:0\n"
    assert "expected 0 or 1" in run(program, tmp_path, TORCH_TRANSFER_TO_NPU="2").stderr


def test_the_environment_chooses_chip_and_devices(tmp_path: Path) -> None:
    program = "import torch, torch_npu\nprint(torch.npu.get_device_name(), torch.npu.device_count())"
    result = run(program, tmp_path, CANNERY_SOC="Ascend910B3", ASCEND_RT_VISIBLE_DEVICES="0,1")
    assert result.stdout == "Ascend910B3 2\n", result.stderr


def test_no_visible_device_is_none_available(tmp_path: Path) -> None:
    program = "import torch, torch_npu\nprint(torch.npu.is_available(), torch.npu.device_count())\ntorch.ones(1).npu()"
    result = run(program, tmp_path, ASCEND_RT_VISIBLE_DEVICES="")
    assert result.stdout == "False 0\n"
    assert "device" in result.stderr


def test_the_device_comes_after_a_backward_pass_of_the_host(tmp_path: Path) -> None:
    program = "import torch\ntorch.ones(1, requires_grad=True).sum().backward()\nimport torch_npu\n"
    program += "x = torch.ones(1).npu().requires_grad_()\nx.sum().backward()\nprint(x.grad.device)"
    assert run(program, tmp_path).stdout == "npu:0\n"


def test_another_package_that_is_the_device_is_named(tmp_path: Path) -> None:
    program = "import torch\ntorch.utils.rename_privateuse1_backend('other')\nimport torch_npu"
    errors = run(program, tmp_path, TORCH_DEVICE_BACKEND_AUTOLOAD="0").stderr
    assert "found the device 'other' registered by another package" in errors


def test_a_schedule_made_before_any_tensor_fits_host_and_device(tmp_path: Path) -> None:
    program = """
import torch, cann_ops_transformer
ops = torch.ops.cann_ops_transformer
sizes = {"batch_size": 2, "max_seqlen_q": 7, "max_seqlen_k": 7, "mask_mode": 3}
plan = ops.dense_lightning_indexer_softmax_lse_metadata(8, 1, 128, **sizes)
q, k, w = torch.randn(2, 7, 8, 128).half(), torch.randn(2, 7, 1, 128).half(), torch.randn(2, 7, 8)
host = ops.dense_lightning_indexer_softmax_lse(q, k, w, metadata=plan, mask_mode=3)
there = ops.dense_lightning_indexer_softmax_lse(q.npu(), k.npu(), w.npu(), metadata=plan, mask_mode=3)
print(plan.device, host.device, there.device, torch.equal(host, there.cpu()))
"""
    result = run(program, tmp_path)
    assert result.stdout == "npu:0 cpu npu:0 True\n", result.stderr


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from cann_ops_transformer.ops import dense_lightning_indexer_kl_loss_grad_metadata as plan", "npu:0"),
        (
            "from cann_ops_transformer.ops.attention.dense_lightning_indexer_kl_loss_grad import *\n"
            "plan = dense_lightning_indexer_kl_loss_grad_metadata",
            "npu:0",
        ),
        (
            "from cann_ops_transformer.ops.dense_lightning_indexer_kl_loss_grad import *\n"
            "plan = dense_lightning_indexer_kl_loss_grad_metadata",
            "npu:0",
        ),
        ("plan = cann_ops_transformer.dense_lightning_indexer_kl_loss_grad_metadata", "npu:0"),
        ("plan = torch.ops.cann_ops_transformer.dense_lightning_indexer_kl_loss_grad_metadata", "npu:0"),
    ],
)
def test_the_operators_package_has_the_originals_layout(tmp_path: Path, line: str, expected: str) -> None:
    program = f"import torch, cann_ops_transformer\n{line}\n"
    program += "print(plan(64, 1, 128, batch_size=1, max_seqlen_q=511, max_seqlen_k=1).device)"
    result = run(program, tmp_path)
    assert result.stdout == f"{expected}\n", result.stderr


QUEUE = """
import torch, torch_npu
import torch.multiprocessing as mp

def work(inbox, outbox):
    x = inbox.get()
    outbox.put((x.device.type, x.device.index, x.requires_grad, x.tolist(), (x * 2).detach()))

if __name__ == "__main__":
    context = mp.get_context("spawn")
    inbox, outbox = context.Queue(), context.Queue()
    worker = context.Process(target=work, args=(inbox, outbox))
    worker.start()
    inbox.put(torch.arange(3.0, device="npu:1", requires_grad=True))
    *told, doubled = outbox.get(timeout=100)
    worker.join(100)
    print(told, doubled.device, doubled.tolist())
"""


def test_a_tensor_passes_a_queue_of_processes_as_a_copy(tmp_path: Path) -> None:
    done = run(QUEUE, tmp_path)
    assert done.stdout == "['npu', 1, True, [0.0, 1.0, 2.0]] npu:1 [0.0, 2.0, 4.0]\n", done.stderr
