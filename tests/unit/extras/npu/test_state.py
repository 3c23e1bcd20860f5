"""``torch.npu``: memory, random numbers, streams and limits, precision, compilation."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import torch

pytestmark = pytest.mark.own_process


def test_memory_is_counted_while_tensors_live() -> None:
    before = torch.npu.memory_allocated()
    x = torch.empty(1000, device="npu")
    view = x[10:]
    assert torch.npu.memory_allocated() == before + 4096
    del x
    assert torch.npu.memory_allocated() == before + 4096
    del view
    assert torch.npu.memory_allocated() == before
    assert torch.npu.max_memory_allocated() >= before + 4096
    torch.npu.reset_peak_memory_stats()
    assert torch.npu.max_memory_allocated() == before


def test_a_step_leaves_no_memory_behind() -> None:
    model, x = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4)).npu(), torch.ones(2, 4).npu()
    model(x).sum().backward()
    before = torch.npu.memory_stats()["allocation.all.current"]
    for _ in range(3):
        loss = model(x).t()[1:].sum()
        loss.backward()
    del loss
    assert torch.npu.memory_stats()["allocation.all.current"] == before


def test_memory_is_counted_on_its_device() -> None:
    before = torch.npu.memory_allocated(0)
    x = torch.empty(128, device="npu:3")
    assert torch.npu.memory_allocated(3) == x.nbytes == 512
    assert torch.npu.memory_allocated("npu:0") == before
    free, total = torch.npu.mem_get_info(3)
    assert 0 < total - free == torch.npu.memory_reserved(3)


def test_reserved_memory_is_kept_until_the_cache_is_emptied() -> None:
    x = torch.empty(8 << 20, dtype=torch.uint8, device="npu:4")
    assert torch.npu.memory_reserved(4) == 8 << 20
    del x
    assert torch.npu.memory_reserved(4) == 8 << 20
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved(4) == 0
    assert torch.npu.max_memory_reserved(4) == 8 << 20


def test_a_full_device_says_so() -> None:
    torch.npu.set_per_process_memory_fraction(1e-6, 5)
    with pytest.raises(torch.OutOfMemoryError, match="NPU out of memory"):
        torch.empty(1 << 20, device="npu:5")


def test_the_devices_numbers_are_its_own() -> None:
    torch.manual_seed(1)
    first = torch.rand(2, device="npu")
    host = torch.rand(2)
    torch.manual_seed(1)
    torch.nn.functional.dropout(torch.ones(2, device="npu"))
    assert torch.equal(torch.rand(2), host)
    torch.npu.manual_seed(1)
    assert torch.equal(torch.rand(2, device="npu"), first)


def test_a_state_of_the_generator_brings_its_numbers_back() -> None:
    state = torch.npu.get_rng_state()
    first = torch.nn.functional.dropout(torch.ones(100, device="npu"))
    torch.npu.set_rng_state(state)
    assert torch.equal(first, torch.nn.functional.dropout(torch.ones(100, device="npu")))


def test_generators() -> None:
    generator = torch.Generator(device="npu:1").manual_seed(3)
    assert generator.device == torch.device("npu:1")
    assert isinstance(generator, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
    assert torch.equal(
        torch.randn(2, generator=generator, device="npu:1").cpu(),
        torch.randn(2, generator=torch.Generator().manual_seed(3)),
    )


def test_a_thread_has_its_own_device_and_stream() -> None:
    seen = []

    def work() -> None:
        torch.npu.set_device(2)
        seen.append(torch.ones(1, device="npu").device.index)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (seen, torch.npu.current_device()) == ([2], 0)


def test_a_device_without_a_number_is_the_current_one() -> None:
    with torch.npu.device(1):
        made = [
            torch.ones(2).to("npu"),
            torch.ones(2).npu(),
            torch.tensor([1], device="npu"),
            torch.as_tensor([1.0], device=torch.device("npu")),
            torch.ones(2, device="npu"),
            torch.nn.Linear(2, 2).to("npu").weight,
            torch.ones(2).new_tensor([1], device="npu"),
        ]
        compiled = torch.compile(lambda x: x.to("npu") + torch.ones(2, device="npu"), fullgraph=True)(torch.ones(2))
        assert torch.ones(2).to("npu:0").get_device() == 0
    assert {tensor.get_device() for tensor in (*made, compiled)} == {1}
    assert torch.ones(2).to("npu").get_device() == 0


def test_events_are_in_order() -> None:
    start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    start.record()
    end.record()
    assert start.elapsed_time(end) >= 0
    with pytest.raises(RuntimeError, match="enable_timing"):
        torch.npu.Event().elapsed_time(end)


def test_a_stream_is_known_to_the_runtime() -> None:
    import acl

    stream = torch.npu.Stream()
    assert acl.rt.synchronize_stream(stream.npu_stream) == 0
    assert acl.rt.synchronize_stream(torch.npu.current_stream().npu_stream) == 0
    assert torch.npu.ExternalStream(stream.npu_stream) == stream


def test_a_tensor_is_device_memory_for_the_runtime() -> None:
    import acl

    x = torch.arange(4, dtype=torch.float32).npu()
    assert acl.rt.set_device(0) == 0
    p, _ = acl.rt.malloc(16, 0)
    assert acl.rt.memcpy(p, 16, x.data_ptr(), 16, 3) == 0
    assert acl.rt.memset(x.data_ptr() + 4, 12, 0, 12) == 0
    assert x.tolist() == [0.0] * 4
    assert acl.rt.memcpy(x[1:].data_ptr(), 12, p, 12, 3) == 0
    assert x.tolist() == [0.0, 0.0, 1.0, 2.0]
    assert acl.rt.pointer_get_attributes(x.data_ptr())[0]["location"] == {"id": 0, "type": 1}
    assert acl.rt.memcpy(p, 32, x.data_ptr(), 32, 3) == 107000
    assert acl.rt.free(x.data_ptr()) == 207002


def test_the_runtime_forgets_a_tensor_that_is_gone() -> None:
    import acl

    x = torch.ones(1 << 20).npu()
    address = x.data_ptr()
    assert acl.rt.set_device(0) == 0
    p, _ = acl.rt.malloc(16, 0)
    assert acl.rt.memcpy(p, 16, address, 16, 3) == 0
    del x
    assert acl.rt.memcpy(p, 16, address, 16, 3) == 107016


@pytest.fixture
def limited() -> Iterator[torch.Stream]:
    """A stream with 20 cube cores."""
    stream = torch.npu.Stream()
    torch.npu.set_stream_limit(stream, cube_num=20)
    yield stream
    torch.npu.reset_stream_limit(stream)


def test_limits_of_a_stream(limited: torch.Stream) -> None:
    assert torch.npu.get_stream_limit(limited) == {"cube_core_num": 20, "vector_core_num": 48}
    assert torch.npu.get_device_limit(0) == {"cube_core_num": 24, "vector_core_num": 48}
    with pytest.raises(AssertionError):
        torch.npu.get_stream_limit(None)
    with pytest.raises(TypeError):
        torch.npu.get_device_limit(True)
    with pytest.raises(AssertionError):
        torch.npu.set_device_limit(99)


def test_operators_plan_for_the_cores_of_the_stream(limited: torch.Stream) -> None:
    from cann_ops_transformer.ops import dense_lightning_indexer_kl_loss_grad_metadata as plan

    call = {"batch_size": 1, "max_seqlen_q": 511, "max_seqlen_k": 8, "layout_q": "BSND", "layout_k": "BSND"}
    assert plan(64, 1, 128, **call)[:5].tolist() == [511, 16, 15, 1, 32]
    with torch.npu.stream(limited):
        metadata = plan(64, 1, 128, **call)
    assert metadata[:5].tolist() == [511, 26, 25, 9, 20]
    assert metadata.is_npu


def test_operators_agree_with_the_host_bit_for_bit() -> None:
    from cann_ops_transformer.ops import dense_lightning_indexer_kl_loss_grad as grad
    from cann_ops_transformer.ops import dense_lightning_indexer_kl_loss_grad_metadata as plan

    torch.manual_seed(0)
    q, k = torch.randn(8, 4, 128, dtype=torch.bfloat16), torch.randn(16, 1, 128, dtype=torch.bfloat16)
    w, lse, p = torch.randn(8, 4), torch.zeros(1, 8), torch.rand(8, 1, 16).softmax(-1)
    cu_q, cu_k = torch.tensor([0, 8], dtype=torch.int32), torch.tensor([0, 16], dtype=torch.int32)
    tensors = (q, k, w, p, lse, cu_q, cu_k)

    def call(q: torch.Tensor, *rest: torch.Tensor) -> tuple[torch.Tensor, ...]:
        *others, cu_q, cu_k = rest
        options = {"layout_q": "TND", "layout_k": "TND", "mask_mode": 3, "cmp_ratio": 1}
        options |= {"cu_seqlens_q": cu_q, "cu_seqlens_k": cu_k}
        return grad(q, *others, metadata=plan(4, 1, 128, **options), **options)

    for host, device in zip(call(*tensors), call(*(t.npu() for t in tensors)), strict=True):
        assert device.is_npu
        assert torch.equal(device.cpu(), host)


def test_the_indexers_loss_agrees_with_the_host_bit_for_bit() -> None:
    from cannery.pytorch import LightningIndexerKLLoss

    torch.manual_seed(0)
    made = torch.randn(1, 6, 2, 128), torch.randn(1, 6, 1, 128), torch.randn(1, 6, 2)
    target = torch.rand(1, 6, 1, 6).softmax(-1)
    results = []
    for device in ("cpu", "npu"):
        q, k, w = (t.detach().to(device).requires_grad_() for t in made)
        loss = LightningIndexerKLLoss(mask_mode=0)(q, k, w, target.to(device))
        loss.backward()
        results.append([t.detach().cpu() for t in (loss, q.grad, k.grad, w.grad)])
    assert all(torch.equal(host, device) for host, device in zip(*results, strict=True))


def test_autocast_chooses_by_operator() -> None:
    x = torch.ones(2, 2).npu()
    with torch.autocast("npu", dtype=torch.bfloat16):
        assert (x @ x).dtype is torch.bfloat16
        assert (x @ x).softmax(-1).dtype is torch.float32
        assert torch.cat([x @ x, x]).dtype is torch.float32
        assert (x + x).dtype is torch.float32
    assert (x @ x).dtype is torch.float32


def test_a_scaled_step_in_half_precision() -> None:
    model, scaler = torch.nn.Linear(2, 1).npu(), torch.npu.amp.GradScaler(init_scale=16.0)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    before = model.weight.detach().clone()
    with torch.npu.amp.autocast(dtype=torch.float16):
        loss = model(torch.ones(1, 2).npu()).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(before - model.weight, torch.full((1, 2), 0.1).npu())


def test_a_compiled_function_is_one_graph_and_the_eager_bits() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU(), torch.nn.LayerNorm(4)).npu()
    x = torch.randn(3, 4).npu()
    compiled = torch.compile(model, fullgraph=True)
    result = compiled(x)
    assert torch.equal(result, model(x))
    result.sum().backward()
    assert model[0].weight.grad.is_npu
    assert torch.equal(torch.compile(lambda x: x + 1, fullgraph=True)(torch.ones(2)), torch.full((2,), 2.0))


def test_a_fork_may_not_use_the_device() -> None:
    import os

    torch.ones(1).npu()
    child = os.fork()
    if not child:
        try:
            torch.ones(1).npu()
        except RuntimeError as failure:
            os._exit(0 if "spawn" in str(failure) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_accelerator_is_the_device() -> None:
    torch.accelerator.set_device_index(1)
    assert torch.accelerator.current_device_index() == 1
    torch.accelerator.set_device_index(0)
    torch.accelerator.synchronize()
    assert torch.accelerator.device_count() == 8
    with torch.accelerator.device_index(1):
        assert torch.npu.current_device() == 1
    assert torch.npu.current_device() == 0
