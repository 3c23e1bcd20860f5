"""Tensors of the device: where they are, what they share, what is refused, and that results are the CPU's."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

pytestmark = pytest.mark.own_process


def both(function: Callable[[str], Tensor]) -> tuple[Tensor, Tensor]:
    """A result on the host and on the device, from the same seed."""
    results = []
    for device in ("cpu", "npu"):
        torch.manual_seed(0)
        results.append(function(device))
    return results[0], results[1].cpu()


def test_a_view_shares_the_storage_of_its_base() -> None:
    x = torch.zeros(2, 3).npu()
    row = x[1]
    row += 1
    assert x.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert row.untyped_storage()._cdata == x.untyped_storage()._cdata
    assert row.storage_offset() == 3
    assert x.t().is_npu and x.view(3, 2).shape == (3, 2) and x.unfold(1, 2, 1).shape == (2, 2, 2)


def test_copies_are_copies() -> None:
    host = torch.zeros(2)
    x = host.npu()
    host += 1
    back = x.cpu()
    x += 2
    assert (x.tolist(), back.tolist(), host.tolist()) == ([2, 2], [0, 0], [1, 1])


def test_devices_do_not_mix() -> None:
    with pytest.raises(RuntimeError, match=r"same device.*npu:0 and cpu"):
        torch.ones(2).npu() + torch.ones(2)
    with pytest.raises(RuntimeError, match=r"same device.*npu:0 and npu:1"):
        torch.ones(2).npu(0) + torch.ones(2).npu(1)
    with pytest.raises(TypeError, match=r"Use Tensor\.cpu"):
        torch.ones(2).npu().numpy()


def test_numbers_and_indices_of_the_host_may_mix() -> None:
    x = torch.arange(4).npu()
    assert (x + torch.tensor(1)).tolist() == [1, 2, 3, 4]
    assert x[torch.tensor([2, 0])].tolist() == [2, 0]
    x[torch.tensor([1])] = 9
    assert (x & 9).tolist() == [0, 9, 0, 1]


IMAGE, FILTERS, ONES = torch.ones(1, 3, 5, 5), torch.ones(3, 3, 3, 3), torch.ones(3)
ROWS, GATES = torch.ones(2, 3), torch.ones(2, 12)
MIXED: dict[str, tuple[Callable[..., object], tuple[Tensor, ...]]] = {
    "conv2d": (nn.functional.conv2d, (IMAGE, FILTERS, ONES)),
    "conv_transpose2d": (nn.functional.conv_transpose2d, (IMAGE, FILTERS, ONES)),
    "linear": (nn.functional.linear, (ROWS, torch.ones(3, 3), ONES)),
    "layer_norm": (lambda x, w, b: nn.functional.layer_norm(x, (3,), w, b), (ROWS, ONES, ONES)),
    "lstm_cell": (torch.ops.aten._thnn_fused_lstm_cell, (GATES, GATES, ROWS)),
    "gru_cell": (torch.ops.aten._thnn_fused_gru_cell, (GATES[:, :9], GATES[:, :9], ROWS)),
    "lerp": (torch.lerp, (ROWS, ROWS, ROWS)),
    "cat": (lambda *parts: torch.cat(parts), (ROWS, ROWS)),
    "foreach": (lambda x, y: torch._foreach_add([x], [y]), (ROWS, ROWS)),
}


@pytest.mark.parametrize("elsewhere", ["cpu", "npu:1"])
@pytest.mark.parametrize("name", MIXED)
def test_one_tensor_elsewhere_is_refused_whichever_it_is(name: str, elsewhere: str) -> None:
    operator, tensors = MIXED[name]
    operator(*(tensor.npu() for tensor in tensors))
    for odd in range(len(tensors)):
        places = [elsewhere if i == odd else "npu:0" for i in range(len(tensors))]
        with pytest.raises(RuntimeError, match="same device"):
            operator(*(tensor.to(place) for tensor, place in zip(tensors, places, strict=True)))


def test_what_is_put_at_indices_is_on_the_device() -> None:
    x = torch.zeros(4).npu()
    with pytest.raises(RuntimeError, match="same device"):
        x[torch.tensor([0, 1])] = torch.ones(2)
    x[torch.tensor([0, 1])] = torch.tensor(3.0)
    assert x.tolist() == [3, 3, 0, 0]


def test_parameters_are_the_same_objects_after_a_move() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    model[1].weight = model[0].weight
    weight = model[0].weight
    weight.mark = "kept"  # type: ignore[attr-defined]
    for device in ("npu:0", "npu:1", "cpu"):
        model.to(device)
        assert model[0].weight is weight and model[1].weight is weight
        assert (str(weight.device), weight.mark, type(weight)) == (device, "kept", nn.Parameter)  # type: ignore[attr-defined]


def test_an_optimizer_made_before_the_move_trains_what_was_moved() -> None:
    results = []
    for device in ("cpu", "npu"):
        torch.manual_seed(0)
        model = nn.Linear(3, 2)
        optimizer = torch.optim.AdamW(model.parameters(), 0.1)
        model(torch.ones(1, 3)).sum().backward()
        optimizer.step()
        model.to(device)
        for state in optimizer.state.values():
            state.update({name: value.to(device) for name, value in state.items() if value.dim()})
        assert model.weight.grad is not None and model.weight.grad.device.type == device
        model(torch.ones(1, 3, device=device)).square().sum().backward()
        optimizer.step()
        results.append(model.weight.detach().cpu())
    assert torch.equal(*results)


def test_a_module_that_left_leaves_no_memory_behind() -> None:
    before = torch.npu.memory_allocated()  # type: ignore[attr-defined]
    model = nn.Linear(100, 100).npu()  # type: ignore[attr-defined]
    model(torch.ones(2, 100).npu()).sum().backward()
    assert torch.npu.memory_allocated() > before  # type: ignore[attr-defined]
    model.cpu()
    assert torch.npu.memory_allocated() == before  # type: ignore[attr-defined]


def test_data_of_another_layout_does_not_fit() -> None:
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        torch.ones(2).npu().data = torch.ones(2).to_sparse()


def test_there_are_only_so_many_devices() -> None:
    with pytest.raises(RuntimeError, match="Invalid device id 8"):
        torch.ones(2, device="npu:8")


@pytest.mark.parametrize("size", [(0,), (5,)])
def test_out_is_resized(size: tuple[int]) -> None:
    out = torch.zeros(size, device="npu")
    result = torch.add(torch.ones(2, 3).npu(), 1, out=out)
    assert result is out
    assert out.tolist() == [[2, 2, 2], [2, 2, 2]]


def test_a_tensor_grows_and_keeps_what_it_had() -> None:
    x = torch.arange(3.0).npu()
    x.resize_(2, 3)
    assert x[0].tolist() == [0, 1, 2]
    assert x.resize_(2).tolist() == [0, 1]


def test_data_may_be_replaced() -> None:
    x = torch.zeros(2).npu()
    _ = x + 1
    x.data = torch.ones(3, dtype=torch.float64).npu()
    assert (x + 1).tolist() == [2, 2, 2]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.bool, torch.complex64, torch.float8_e4m3fn, torch.int8])
def test_dtypes_survive_the_way_there_and_back(dtype: torch.dtype) -> None:
    host = torch.arange(4).to(dtype)
    assert torch.equal(host.npu().cpu().view(torch.uint8), host.view(torch.uint8))


def test_lazy_conjugates_are_conjugated() -> None:
    x = torch.tensor([1 + 2j, 3 - 4j])
    assert x.npu().conj().cpu().tolist() == [1 - 2j, 3 + 4j]
    assert x.conj().npu().cpu().tolist() == [1 - 2j, 3 + 4j]
    assert x.npu().conj().imag.cpu().tolist() == [-2, 4]


def test_strides_survive() -> None:
    x = torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last)
    assert x.npu().stride() == x.stride()
    assert torch.empty_strided((2, 1), (1, 7), device="npu").stride() == (1, 7)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Conv2d(2, 3, 2, padding=1),
        lambda: nn.ConvTranspose2d(2, 3, 2),
        lambda: nn.LayerNorm((4, 5)),
        lambda: nn.BatchNorm2d(2),
        lambda: nn.Sequential(nn.Flatten(1), nn.Linear(40, 7), nn.GELU(), nn.Softmax(-1)),
    ],
)
def test_modules_and_their_gradients_are_the_cpus_bit_for_bit(make: Callable[[], nn.Module]) -> None:
    gradients = {}
    for device in ("cpu", "npu"):
        torch.manual_seed(0)
        module, x = make().to(device), torch.randn(3, 2, 4, 5).to(device).requires_grad_()
        result = module(x)
        (result * result).sum().backward()
        gradients[device] = [t.cpu() for t in (result, x.grad, *(p.grad for p in module.parameters()))]
    for host, device in zip(gradients["cpu"], gradients["npu"], strict=True):
        assert torch.equal(host, device)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("bias", [True, False])
def test_recurrent_modules_agree_with_the_cpu(kind: type[nn.LSTM], bias: bool) -> None:
    gradients = {}
    for device in ("cpu", "npu"):
        torch.manual_seed(0)
        module = kind(3, 4, num_layers=2, bidirectional=True, bias=bias).to(device)
        x = torch.randn(5, 2, 3).to(device).requires_grad_()
        result = module(x)[0]
        (result * result).sum().backward()
        gradients[device] = [t.cpu() for t in (result, x.grad, *(p.grad for p in module.parameters()))]
    for host, device in zip(gradients["cpu"], gradients["npu"], strict=True):
        torch.testing.assert_close(device, host)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad", "RMSprop"])
def test_optimizers_step(name: str) -> None:
    def trained(device: str) -> Tensor:
        model = nn.Linear(3, 2).to(device)
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(4, 3, device=device)).square().sum().backward()
            optimizer.step()
        return model.weight.detach()

    host, device = both(trained)
    torch.testing.assert_close(device, host)


def test_double_backward() -> None:
    x = torch.tensor([2.0]).npu().requires_grad_()
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.item() == 12


def test_checkpointing_and_transforms() -> None:
    x = torch.ones(2, 3).npu().requires_grad_()
    torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
    assert torch.equal(x.grad, x.detach().cos())
    assert torch.func.vmap(torch.sum)(x).shape == (2,)
    assert torch.func.grad(lambda y: y.square().sum())(x.detach()).tolist() == [[2, 2, 2], [2, 2, 2]]


def test_state_is_saved_without_traces_of_the_device() -> None:
    model = nn.Linear(2, 3).npu()
    model(torch.ones(1, 2).npu()).sum().backward()
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "parameter": model.weight}, file)
    assert b"cannery" not in file.getvalue()
    file.seek(0)
    loaded = torch.load(file, map_location="cpu")
    assert torch.equal(loaded["model"]["weight"], model.weight.cpu())
    file.seek(0)
    assert torch.load(file)["model"]["weight"].device == torch.device("npu:0")


def test_what_shared_a_storage_shares_it_when_loaded() -> None:
    base = torch.arange(4.0).npu()
    file = io.BytesIO()
    torch.save([base, base[1:]], file)
    file.seek(0)
    whole, part = torch.load(file)
    part += 1
    assert whole.tolist() == [0, 2, 3, 4]


def test_a_copied_model_is_another() -> None:
    model = nn.Linear(2, 2).npu()
    other = copy.deepcopy(model)
    other.weight.data += 1
    assert torch.equal((other.weight - model.weight).round().cpu(), torch.ones(2, 2))
    assert other.weight.untyped_storage().data_ptr() != model.weight.untyped_storage().data_ptr()


def test_storages() -> None:
    storage = torch.UntypedStorage(8, device="npu:1")
    assert (storage.device, storage.nbytes()) == (torch.device("npu:1"), 8)
    assert torch.ones(2).untyped_storage().to(device=torch.device("npu")).device.type == "npu"
    assert torch.ones(2).untyped_storage().npu().is_npu and torch.ones(2).npu().untyped_storage().is_npu
    assert not torch.ones(2).untyped_storage().is_npu
    assert torch.ones(2).untyped_storage().npu(1).cpu().tolist() == torch.ones(2).untyped_storage().tolist()


def test_indices_on_the_device_for_a_tensor_of_the_host_are_refused() -> None:
    x, i = torch.zeros(3), torch.tensor([0])
    with pytest.raises(RuntimeError, match="cpu"):
        x[i.npu()]
    with pytest.raises(RuntimeError, match="cpu"):
        x[i.npu()] = 1.0
    assert x.npu()[i].is_npu


def test_pinned_memory() -> None:
    x = torch.ones(2)
    assert not x.is_pinned()
    assert x.pin_memory().is_pinned()
    assert x.pin_memory()[1:].is_pinned()


def test_a_sparse_tensor_is_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match="sparse_coo tensors on npu"):
        torch.eye(2).npu().to_sparse()


@pytest.mark.slow
def test_every_operator_gives_what_the_cpu_gives() -> None:
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.utils._pytree import tree_leaves, tree_map

    drawn = {name for name in dir(torch) if name.startswith(("rand", "empty"))}
    drawn |= {op.name for op in op_db if op.name.startswith("jiterator")}
    # These read storage that a copy does not have, return another device by their meaning, or compare poorly.
    left = drawn | {"as_strided", "to", "chalf", "tensor_split", "new_empty", "new_empty_strided", "multinomial"}
    left |= {"normal", "uniform", "cauchy", "exponential", "geometric", "log_normal", "bernoulli"}
    left |= {"nn.functional.dropout", "ormqr"}

    def moved(value: object) -> object:
        return value.detach().npu() if isinstance(value, Tensor) else "npu" if str(value) == "cpu" else value

    wrong = []
    for op in (op for op in op_db if torch.float32 in op.dtypes and op.name not in left and "sparse" not in op.name):
        for sample in list(op.sample_inputs("cpu", torch.float32))[:2]:
            arguments = (sample.input, *sample.args), sample.kwargs
            args, kwargs = tree_map(moved, arguments)
            torch.manual_seed(0)
            host = op(*arguments[0], **arguments[1])
            torch.manual_seed(0)
            device = op(*args, **kwargs)
            pairs = zip(tree_leaves(host), tree_leaves(device), strict=True)
            tensors = [(h, d) for h, d in pairs if isinstance(h, Tensor)]
            if not all(
                d.is_npu and h.stride() == d.stride() and torch.allclose(h.detach(), d.detach().cpu(), equal_nan=True)
                for h, d in tensors
            ):
                wrong.append(op.formatted_name)
    assert wrong == []
