"""LightningIndexerKLLoss against autograd over the visible set: losses, gradients, reductions, targets, training."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from cannery.ops._lightning_indexer.geometry import ArgumentError
from cannery.ops.dense_lightning_indexer_kl_loss_grad import tiled
from cannery.pytorch import LightningIndexerKLLoss, row_schedules

REDUCTIONS = {
    "sum": lambda rows, used: rows.sum(),
    "mean": lambda rows, used: rows.sum() / used,
    "none": lambda r, u: r,
}


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def indexer(rows: int, keys: int, heads: int = 3, size: int = 4) -> tuple[Tensor, Tensor, Tensor]:
    """Packed q, k, w in float64 that want gradients."""
    q, k, w = draw(rows, heads, size), draw(keys, 1, size, seed=1), draw(rows, heads, seed=2)
    return q.requires_grad_(), k.requires_grad_(), w.requires_grad_()


def target(rows: int, keys: int) -> Tensor:
    return torch.rand(rows, 1, keys, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def reference(q: Tensor, k: Tensor, w: Tensor, p: Tensor, visible: list[int]) -> Tensor:
    """(rows,) loss of one batch, dense and by autograd."""
    scores = torch.einsum("th,thj->tj", w, torch.einsum("thd,jd->thj", q, k[:, 0]).relu())
    losses = []
    for row, count in enumerate(visible):
        seen = p[row, 0, :count]
        losses.append((seen.xlogy(seen) - seen * scores[row, :count].log_softmax(0)).sum())
    return torch.stack(losses)


def packed(rows: int, keys: int) -> dict[str, Any]:
    return {"cu_seqlens_q": [0, rows], "cu_seqlens_k": [0, keys]}


VISIBLE = [max(0, 5 - 7 + s + 1) for s in range(7)]


@pytest.mark.parametrize("reduction", list(REDUCTIONS))
@pytest.mark.parametrize("coefficient", [1.0, 0.7])
def test_loss_and_gradients_are_autograds(reduction: str, coefficient: float) -> None:
    (q, k, w), p = indexer(7, 5), target(7, 5)
    module = LightningIndexerKLLoss(reduction=reduction, coefficient=coefficient, layout="TND", mask_mode=3)
    loss = module(q, k, w, p, **packed(7, 5))
    expected = coefficient * REDUCTIONS[reduction](reference(q, k, w, p, VISIBLE), 7)
    assert loss.dtype is torch.float64
    torch.testing.assert_close(loss, expected, rtol=1e-12, atol=1e-14)
    upstream = draw(*expected.shape, seed=5)
    found = torch.autograd.grad(loss, (q, k, w), upstream)
    for own, theirs in zip(found, torch.autograd.grad(expected, (q, k, w), upstream), strict=True):
        torch.testing.assert_close(own, theirs, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("reduction", list(REDUCTIONS))
def test_gradcheck(reduction: str) -> None:
    (q, k, w), p = indexer(6, 4, 2, 3), target(6, 4)
    module = LightningIndexerKLLoss(reduction=reduction, layout="TND", mask_mode=3)
    assert torch.autograd.gradcheck(lambda *x: module(*x, p, **packed(6, 4)), (q, k, w))


@pytest.mark.parametrize("reduction", list(REDUCTIONS))
def test_gradcheck_of_padded_batches_with_used_lengths_and_a_residual(reduction: str) -> None:
    q, k, w = draw(2, 5, 2, 3), draw(2, 3, 1, 3, seed=1), draw(2, 5, 2, seed=2)
    p = torch.rand(2, 5, 1, 3, dtype=torch.float64)
    module = LightningIndexerKLLoss(reduction=reduction, mask_mode=3, cmp_ratio=2)
    lengths = {"seqused_q": [4, 5], "seqused_k": [2, 3], "cmp_residual_k": [1, 0]}
    leaves = [tensor.requires_grad_() for tensor in (q, k, w)]
    assert torch.autograd.gradcheck(lambda *x: module(*x, p, **lengths), leaves)


def attention(rows: int, keys: int) -> tuple[Tensor, Tensor]:
    """Four heads of six that share two key heads."""
    return draw(rows, 4, 6, seed=7), draw(keys, 2, 6, seed=8)


def averaged_softmax(q: Tensor, k: Tensor, visible: list[int], scale: float) -> Tensor:
    out = q.new_zeros(q.shape[0], 1, k.shape[0])
    for row, count in enumerate(visible):
        heads = [(scale * (k[:count, head // 2] @ q[row, head])).softmax(0) for head in range(q.shape[1])]
        out[row, 0, :count] = torch.stack(heads).mean(0) if count else 0
    return out


@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("window_bytes", [1, 200, 1 << 20])
def test_a_target_built_on_the_way_is_the_averaged_softmax(
    scale: float | None, window_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiled, "WINDOW_BYTES", window_bytes)
    (q, k, w), (aq, ak) = indexer(7, 5), attention(7, 5)
    p = averaged_softmax(aq, ak, VISIBLE, scale or 6**-0.5)
    module = LightningIndexerKLLoss(reduction="sum", layout="TND", mask_mode=3, scale=scale)
    built = module.loss_and_gradients(q, k, w, attn_q=aq, attn_k=ak, **packed(7, 5))
    ready = module.loss_and_gradients(q, k, w, p, **packed(7, 5))
    for own, theirs in zip(built, ready, strict=True):
        torch.testing.assert_close(own, theirs, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("window_bytes", [1, 3000, 1 << 20])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_gradients_have_the_operators_bits_however_rows_are_cut(
    window_bytes: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    q, k, w = draw(2, 70, 8, 128).to(dtype), draw(2, 70, 1, 128, seed=1).to(dtype) / 8, draw(2, 70, 8, seed=2).float()
    p, sizes = torch.rand(2, 70, 1, 70), {"batch_size": 2, "max_seqlen_q": 70, "max_seqlen_k": 70, "mask_mode": 3}
    ops = torch.ops.cann_ops_transformer
    plan = ops.dense_lightning_indexer_softmax_lse_metadata(8, 1, 128, **sizes)
    lse = ops.dense_lightning_indexer_softmax_lse(q, k, w, metadata=plan, mask_mode=3)
    plan = ops.dense_lightning_indexer_kl_loss_grad_metadata(8, 1, 128, **sizes)
    padded = {"layout_q": "BSND", "layout_k": "BSND"}
    expected = ops.dense_lightning_indexer_kl_loss_grad(q, k, w, p, lse, metadata=plan, mask_mode=3, **padded)
    monkeypatch.setattr(tiled, "WINDOW_BYTES", window_bytes)
    found = LightningIndexerKLLoss(reduction="sum", mask_mode=3).loss_and_gradients(q, k, w, p)
    assert all(map(torch.equal, found[1:], expected[:3]))


def test_one_backward_gives_what_one_call_gives() -> None:
    (q, k, w), p = indexer(7, 5), target(7, 5)
    module = LightningIndexerKLLoss(layout="TND", mask_mode=3)
    module(q, k, w, p, **packed(7, 5)).backward()
    loss, *gradients = module.loss_and_gradients(q, k, w, p, **packed(7, 5))
    assert not loss.requires_grad
    for leaf, gradient in zip((q, k, w), gradients, strict=True):
        assert leaf.grad is not None and leaf.grad.equal(gradient)


def test_the_target_is_a_constant() -> None:
    (q, k, w), (aq, ak) = indexer(7, 5), attention(7, 5)
    module = LightningIndexerKLLoss(layout="TND", mask_mode=3)
    module(q, k, w, attn_q=aq.requires_grad_(), attn_k=ak.requires_grad_(), **packed(7, 5)).backward()
    assert q.grad is not None
    assert (aq.grad, ak.grad) == (None, None)
    p = target(7, 5).requires_grad_()
    module(q, k, w, p, **packed(7, 5)).backward()
    assert p.grad is None


def test_only_what_wants_a_gradient_gets_one() -> None:
    (q, k, w), p = indexer(7, 5), target(7, 5)
    module = LightningIndexerKLLoss(layout="TND")
    module(q.detach(), k, w.detach(), p, **packed(7, 5)).backward()
    assert (q.grad is None, k.grad is None, w.grad is None) == (True, False, True)


@pytest.mark.parametrize("reduction", list(REDUCTIONS))
def test_coefficient_0_does_no_work(reduction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cannery.pytorch.lightning_indexer.row_losses", None)
    q, k, w = indexer(7, 5)
    module = LightningIndexerKLLoss(reduction=reduction, coefficient=0, layout="TND")
    loss = module(q, k, w, target(7, 5), **packed(7, 5))
    assert loss.eq(0).all()
    loss.sum().backward()
    assert (q.grad, k.grad, w.grad) == (None, None, None)
    assert all(part.eq(0).all() for part in module.loss_and_gradients(q, k, w, target(7, 5), **packed(7, 5)))


def test_a_target_on_a_hopeless_key_costs_what_it_costs() -> None:
    q, k, w = (
        torch.ones(1, 1, 1, 1).double(),
        torch.tensor([0.0, 30.0]).double().view(1, 2, 1, 1),
        torch.ones(1, 1, 1).double(),
    )
    p = torch.tensor([1.0, 0.0]).double().view(1, 1, 1, 2)
    loss = LightningIndexerKLLoss(reduction="sum")(q, k, w, p)
    assert loss.item() == pytest.approx(30.0, abs=1e-9)


def test_mean_counts_the_rows_in_use() -> None:
    q, k, w = draw(2, 5, 2, 3), draw(2, 3, 1, 3, seed=1), draw(2, 5, 2, seed=2)
    p = torch.rand(2, 5, 1, 3, dtype=torch.float64)
    used = {"seqused_q": torch.tensor([4, 2])}
    losses = {r: LightningIndexerKLLoss(reduction=r)(q, k, w, p, **used) for r in REDUCTIONS}
    assert losses["mean"].item() == pytest.approx(losses["sum"].item() / 6)
    assert losses["none"].shape == (2, 5)
    assert losses["none"][0, 4:].eq(0).all() and losses["none"][1, 2:].eq(0).all()


def test_a_target_without_the_head_dim_is_the_same() -> None:
    (q, k, w), p = indexer(7, 5), target(7, 5)
    module = LightningIndexerKLLoss(layout="TND")
    assert module(q, k, w, p[:, 0], **packed(7, 5)).equal(module(q, k, w, p, **packed(7, 5)))


def test_no_rows_have_no_loss() -> None:
    q, k, w = indexer(0, 5)
    loss = LightningIndexerKLLoss(layout="TND")(q, k, w, target(0, 5), **packed(0, 5))
    assert loss.item() == 0
    loss.backward()
    assert q.grad is not None and q.grad.shape == q.shape


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("name", ["strided", "contiguous", "zigzag", "cost-aware"])
def test_ranks_that_share_the_rows_add_up_to_the_whole(name: str, reduction: str) -> None:
    (q, k, w), p = indexer(7, 5), target(7, 5)
    module = LightningIndexerKLLoss(reduction=reduction, layout="TND", mask_mode=3)
    whole = module.loss_and_gradients(q, k, w, p, **packed(7, 5))
    schedule = row_schedules([7], [5], parts=3)[name].schedule
    parts = [module.loss_and_gradients(q, k, w, p, rows=schedule.rows(rank), **packed(7, 5)) for rank in range(3)]
    for own, shares in zip(whole, zip(*parts, strict=True), strict=True):
        torch.testing.assert_close(sum(shares), own, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_ranks_whose_gradients_are_averaged_get_the_whole_with_a_coefficient_of_their_number(reduction: str) -> None:
    """What DDP does to gradients: their mean over three ranks, here made by hand."""
    (q, k, w), p = indexer(7, 5), target(7, 5)
    options: dict[str, Any] = {"reduction": reduction, "layout": "TND", "mask_mode": 3}
    whole = LightningIndexerKLLoss(**options)(q, k, w, p, **packed(7, 5))
    schedule = row_schedules([7], [5], parts=3)["cost-aware"].schedule
    module = LightningIndexerKLLoss(coefficient=3, **options)
    losses = [module(q, k, w, p, rows=schedule.rows(rank), **packed(7, 5)) for rank in range(3)]
    gradients = [torch.autograd.grad(loss, (q, k, w)) for loss in losses]
    for own, ranks in zip(torch.autograd.grad(whole, (q, k, w)), zip(*gradients, strict=True), strict=True):
        torch.testing.assert_close(torch.stack(ranks).mean(0), own, rtol=1e-12, atol=1e-14)


def test_mean_over_some_rows_divides_by_all_that_are_used() -> None:
    (q, k, w), p = indexer(7, 5), target(7, 5)
    module = {r: LightningIndexerKLLoss(reduction=r, layout="TND") for r in ("sum", "mean")}
    some = {"rows": [6, 2], "seqused_q": [7], **packed(7, 5)}
    assert module["mean"](q, k, w, p, **some).item() == pytest.approx(module["sum"](q, k, w, p, **some).item() / 7)


@pytest.mark.parametrize("call", [{"attnq": None}, {"cu_seqlen_q": [0, 7]}])
@pytest.mark.parametrize("coefficient", [0, 1.0])
def test_an_unknown_argument_is_named_with_the_public_function(call: dict[str, Any], coefficient: float) -> None:
    (q, k, w), p = indexer(7, 5), target(7, 5)
    module = LightningIndexerKLLoss(layout="TND", coefficient=coefficient)
    message = rf"KLLoss: found {next(iter(call))!r}, expected one of attn_q, attn_k, cu_seqlens_q"
    for function in (module, module.loss_and_gradients):
        with pytest.raises(TypeError, match=message):
            function(q, k, w, p, **call)


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"q_lengths": [4, -1]}, "q_lengths"),
        ({"q_lengths": [4], "k_lengths": [4, 4]}, "k_lengths"),
        ({"q_lengths": [4], "residual": [1]}, "cmp_residual_k"),
        ({"q_lengths": [4], "mask_mode": 2}, "mask_mode"),
        ({"q_lengths": [4], "cmp_ratio": 0}, "cmp_ratio"),
        ({"q_lengths": [4], "parts": 0}, "cores"),
    ],
)
def test_lengths_that_cannot_be_planned_are_refused_by_name(arguments: dict[str, Any], parameter: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        row_schedules(**{"parts": 2, **arguments})
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("options", "call", "parameter"),
    [
        ({"reduction": "max"}, {}, "reduction"),
        ({"mask_mode": 2}, {}, "mask_mode"),
        ({"cmp_ratio": 0}, {}, "cmp_ratio"),
        ({"layout": "BNSD"}, {}, "layout"),
        ({}, {"target": None}, "target"),
        ({}, {"attn_q": draw(7, 4, 6)}, "target"),
        ({}, {"target": None, "attn_q": draw(7, 4, 6)}, "target"),
        ({}, {"target": target(7, 5).float()}, "target"),
        ({}, {"target": target(7, 4)}, "target"),
        ({}, {"target": target(6, 5)}, "target"),
        ({}, {"target": None, "attn_q": draw(6, 4, 6), "attn_k": draw(5, 2, 6)}, "attn_q"),
        ({}, {"target": None, "attn_q": draw(7, 4, 6), "attn_k": draw(4, 2, 6)}, "attn_k"),
        ({}, {"target": None, "attn_q": draw(7, 3, 6), "attn_k": draw(5, 2, 6)}, "attn_q"),
        ({}, {"target": None, "attn_q": draw(7, 4, 6), "attn_k": draw(5, 2, 5)}, "attn_k"),
        ({}, {"cu_seqlens_q": [0, 8]}, "cu_seqlens_q"),
        ({"mask_mode": 3, "cmp_ratio": 4}, {"cmp_residual_k": [4]}, "cmp_residual_k"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(options: dict[str, Any], call: dict[str, Any], parameter: str) -> None:
    q, k, w = indexer(7, 5)
    with pytest.raises(ArgumentError) as caught:
        module = LightningIndexerKLLoss(**{"layout": "TND", **options})
        module(q, k, w, **{"target": target(7, 5), **packed(7, 5), **call})
    assert caught.value.parameter == parameter


class Toy(torch.nn.Module):
    """An embedding, an attention whose softmax is the target, and an indexer beside it."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(16, 16) for _ in range(2))
        self.attention = torch.nn.Linear(16, 32)
        self.indexer_q, self.indexer_k = torch.nn.Linear(16, 64), torch.nn.Linear(16, 16)
        self.indexer_w = torch.nn.Linear(16, 4)
        self.criterion = LightningIndexerKLLoss(mask_mode=3)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x).tanh()
        aq, ak = self.attention(x).unflatten(-1, (2, 16)).chunk(2, dim=-2)
        x = x.detach()
        q, k = self.indexer_q(x).unflatten(-1, (4, 16)), self.indexer_k(x).unsqueeze(-2)
        return self.criterion(q, k, self.indexer_w(x), attn_q=aq * 4, attn_k=ak)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Hundreds of tiny steps: on a busy machine two threads mostly wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("one_thread")
def test_warm_up_trains_the_indexer_alone_and_the_loss_falls() -> None:
    toy, x = Toy(), draw(2, 12, 16, dtype=torch.float32)
    optimizer = torch.optim.Adam(toy.parameters(), lr=1e-2)
    losses = []
    for _ in range(200):
        optimizer.zero_grad()
        loss = toy(x)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    trained = {name.split("_")[0] for name, parameter in toy.named_parameters() if parameter.grad is not None}
    assert trained == {"indexer"}
    assert losses[-1] < 0.1 * losses[0]


@pytest.mark.parametrize("reduction", list(REDUCTIONS))
def test_autocast_changes_nothing(reduction: str) -> None:
    q, k, w = (x.detach().float().requires_grad_() for x in indexer(7, 5, 3, 128))
    aq, ak = (x.float() for x in attention(7, 5))
    module = LightningIndexerKLLoss(reduction=reduction, layout="TND", mask_mode=3)
    expected = module(q, k, w, attn_q=aq, attn_k=ak, **packed(7, 5))
    with torch.autocast("cpu", torch.bfloat16):
        found = module(q, k, w, attn_q=aq, attn_k=ak, **packed(7, 5))
        gradients = torch.autograd.grad(found.sum(), (q, k, w))
    assert torch.equal(found, expected)
    for own, theirs in zip(gradients, torch.autograd.grad(expected.sum(), (q, k, w)), strict=True):
        assert torch.equal(own, theirs)


@pytest.mark.parametrize("reduction", list(REDUCTIONS))
def test_a_second_derivative_is_refused_not_zero(reduction: str) -> None:
    (q, k, w), p = indexer(7, 5), target(7, 5)
    loss = LightningIndexerKLLoss(reduction=reduction, layout="TND", mask_mode=3)(q, k, w, p, **packed(7, 5))
    plain = torch.autograd.grad(loss.sum(), (q, k, w), retain_graph=True)
    gradients = torch.autograd.grad(loss.sum(), (q, k, w), create_graph=True)
    assert all(torch.equal(own, theirs) for own, theirs in zip(gradients, plain, strict=True))
    with pytest.raises(RuntimeError, match="second derivative"):
        (loss.sum() + gradients[0].norm()).backward()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seqused_q", [1.9, 2.9]), ("seqused_q", torch.tensor([True, False])), ("seqused_k", ["1", "2"]),
        ("seqused_q", [2**64, 1]), ("seqused_q", [[1], [2, 3]]), ("rows", [0.5, 1.5]), ("rows", [True, False]),
    ],
)  # fmt: skip
def test_lengths_and_rows_are_integers(name: str, value: Any) -> None:
    q, k, w = indexer(4, 6)
    batches = (q.reshape(2, 2, 3, 4), k.reshape(2, 3, 1, 4), w.reshape(2, 2, 3))
    with pytest.raises(ArgumentError, match=f"{name}: found .* expected integers"):
        LightningIndexerKLLoss()(*batches, target(2, 3).expand(2, 2, 1, 3), **{name: value})


@pytest.mark.parametrize(
    "setting",
    [{"coefficient": 1j}, {"coefficient": float("nan")}, {"cmp_ratio": 1.5}, {"mask_mode": 3.0}, {"scale": "x"}],
)
def test_settings_are_numbers_of_their_kind(setting: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=next(iter(setting))):
        LightningIndexerKLLoss(**setting)


def test_what_is_no_tensor_is_named() -> None:
    q, k, w = indexer(4, 6)
    criterion = LightningIndexerKLLoss(layout="TND")
    ends: dict[str, Any] = {"cu_seqlens_q": [0, 4], "cu_seqlens_k": [0, 6]}
    calls: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
        "q": ((None, k, w, target(4, 6)), {}), "k": ((q, [1], w, target(4, 6)), {}), "target": ((q, k, w, [1]), {}),
        "attn_q": ((q, k, w), {"attn_q": [1], "attn_k": k}),
    }  # fmt: skip
    for name, (tensors, more) in calls.items():
        with pytest.raises(ArgumentError, match=f"^{name}: found .* expected a tensor"):
            criterion(*tensors, **ends, **more)


def test_no_heads_are_refused() -> None:
    q, k, w = indexer(4, 6, heads=0)
    with pytest.raises(ArgumentError, match="q: found no heads, expected at least one"):
        LightningIndexerKLLoss(layout="TND")(q, k, w, target(4, 6), cu_seqlens_q=[0, 4], cu_seqlens_k=[0, 6])
