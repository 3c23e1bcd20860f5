"""torch.ops.cann_ops_transformer: schemas, fakes, every way torch calls an operator, chips and modes, errors."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import cannery
from cannery import OperatorError
from cannery.core import AclnnStatus
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata.eager import assert_values, metadata_words
from cannery.pytorch import target
from cannery.pytorch.ops import function

OPS = torch.ops.cann_ops_transformer
GRAD = OPS.dense_lightning_indexer_kl_loss_grad
PLAN = OPS.dense_lightning_indexer_kl_loss_grad_metadata
LSE = OPS.dense_lightning_indexer_softmax_lse
LSE_PLAN = OPS.dense_lightning_indexer_softmax_lse_metadata
TND = {"layout_q": "TND", "layout_k": "TND"}
BSND = {"layout_q": "BSND", "layout_k": "BSND", "mask_mode": 0}
HEADS = 8


def tensors(batch: int = 2, rows: int = 5, keys: int = 9) -> tuple[torch.Tensor, ...]:
    """q, k, w and a target that sums to 1, BSND."""
    g = torch.Generator().manual_seed(batch)
    q = torch.randn(batch, rows, HEADS, 128, generator=g).bfloat16()
    k = (torch.randn(batch, keys, 1, 128, generator=g) / 10).bfloat16()
    w = torch.randn(batch, rows, HEADS, generator=g) / 10
    p = torch.rand(batch, rows, 1, keys, generator=g)
    return q, k, w, p / p.sum(-1, keepdim=True)


def sizes(q: torch.Tensor, k: torch.Tensor) -> dict[str, Any]:
    return {"batch_size": q.shape[0], "max_seqlen_q": q.shape[1], "max_seqlen_k": k.shape[1]}


def whole(q: torch.Tensor, k: torch.Tensor, w: torch.Tensor, p: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Plans, log-sum-exp and gradient of a padded batch."""
    lse = LSE(q, k, w, metadata=LSE_PLAN(HEADS, 1, 128, **sizes(q, k)))
    return tuple(GRAD(q, k, w, p, lse, metadata=PLAN(HEADS, 1, 128, **sizes(q, k)), **BSND))


def gradient_call() -> tuple[tuple[torch.Tensor, ...], dict[str, Any]]:
    q, k, w, p = tensors()
    lse = LSE(q, k, w, metadata=LSE_PLAN(HEADS, 1, 128, **sizes(q, k)))
    return (q, k, w, p, lse), {"metadata": PLAN(HEADS, 1, 128, **sizes(q, k)), **BSND}


def test_signatures_are_the_originals() -> None:
    lengths = ["cu_seqlens_q", "cu_seqlens_k", "seqused_q", "seqused_k", "cmp_residual_k"]
    arguments = {op: [(arg.name, arg.kwarg_only) for arg in op.default._schema.arguments] for op in (GRAD, PLAN)}
    assert arguments[GRAD] == [
        *((name, False) for name in ("q", "k", "w", "attn_softmax_l1_norm", "softmax_lse")),
        *((name, True) for name in (*lengths, "metadata", "layout_q", "layout_k", "mask_mode", "cmp_ratio")),
    ]
    assert arguments[PLAN] == [
        *((name, False) for name in ("num_heads_q", "num_heads_k", "head_dim")),
        *((name, True) for name in (*lengths, "batch_size", "max_seqlen_q", "max_seqlen_k")),
        *((name, True) for name in ("layout_q", "layout_k", "mask_mode", "cmp_ratio")),
    ]


@pytest.mark.parametrize(
    ("op", "defaults"),
    [
        (GRAD, 'str layout_q="TND", str layout_k="TND", int mask_mode=3, int cmp_ratio=1'),
        (LSE, 'str layout_q="BSND", str layout_k="BSND", int mask_mode=0, int cmp_ratio=1'),
    ],
)
def test_the_schemas_defaults_are_the_originals(op: Any, defaults: str) -> None:
    assert defaults in str(op.default._schema)
    attributes = cannery.find_operator(op.__name__).definition.attributes
    assert [attribute.default for attribute in attributes] == ["BSND", "BSND", 0, 1]


def packed_call() -> tuple[tuple[torch.Tensor, ...], dict[str, Any]]:
    """A causal call of one packed batch, without layouts and mask."""
    q, k, w, p = (tensor[0] for tensor in tensors())
    ends = [torch.tensor([0, length], dtype=torch.int32) for length in (5, 9)]
    cu = dict(zip(("cu_seqlens_q", "cu_seqlens_k"), ends, strict=True))
    lse = LSE(q, k, w, metadata=LSE_PLAN(HEADS, 1, 128, **cu, **TND), **cu, **TND, mask_mode=3)
    return (q, k, w, p, lse), {**cu, "metadata": PLAN(HEADS, 1, 128, **cu, **TND)}


def test_what_a_call_leaves_out_is_the_schemas_default_as_if_it_were_given() -> None:
    call, options = packed_call()
    left_out, given = GRAD(*call, **options), GRAD(*call, **options, **TND, mask_mode=3)
    assert all(map(torch.equal, left_out, given))
    assert left_out[3][:, 0].triu(5).eq(0).all()


def test_the_genuine_packages_function_has_defaults_of_its_own() -> None:
    call, options = gradient_call()
    plain = {name: value for name, value in options.items() if name not in BSND}
    own = function("dense_lightning_indexer_kl_loss_grad")
    assert all(map(torch.equal, own(*call, **plain), GRAD(*call, **options)))
    with pytest.raises(RuntimeError, match="q: found 4 dims, expected 3 dims for layout TND"):
        GRAD(*call, **plain)
    packed, lengths = packed_call()
    assert all(map(torch.equal, own(*packed, **lengths, **TND, mask_mode=3), GRAD(*packed, **lengths)))


def test_none_stands_for_the_default() -> None:
    q, k, *_ = tensors()
    none = dict.fromkeys(("cu_seqlens_q", "layout_q", "layout_k", "mask_mode", "cmp_ratio"))
    assert PLAN(8, 1, 128, **sizes(q, k), **none).equal(PLAN(8, 1, 128, **sizes(q, k)))


def test_explicit_layouts_are_honoured() -> None:
    q, k, w, p = (tensor[0] for tensor in tensors())
    cu = {
        "cu_seqlens_q": torch.tensor([0, 5], dtype=torch.int32),
        "cu_seqlens_k": torch.tensor([0, 9], dtype=torch.int32),
    }
    lse = LSE(q, k, w, metadata=LSE_PLAN(HEADS, 1, 128, **cu, **TND), **cu, **TND)
    packed = GRAD(q, k, w, p, lse, metadata=PLAN(HEADS, 1, 128, **cu, **TND), **cu, **TND, mask_mode=0)
    for found, expected in zip(packed, whole(*(tensor[:1] for tensor in tensors())), strict=True):
        assert found.equal(expected[0])


@pytest.mark.parametrize("requires_grad", [False, True])
def test_opcheck(requires_grad: bool) -> None:
    (q, k, w, p, lse), options = gradient_call()
    for tensor in (q, k, w):
        tensor.requires_grad_(requires_grad)
    torch.library.opcheck(GRAD.default, (q, k, w, p, lse), options)
    torch.library.opcheck(LSE.default, (q, k, w), {"metadata": LSE_PLAN(HEADS, 1, 128, **sizes(q, k))})
    for op in (PLAN, LSE_PLAN):
        torch.library.opcheck(op.default, (HEADS, 1, 128), sizes(q, k))
        cu = torch.tensor([0, 3, 7], dtype=torch.int32)
        torch.library.opcheck(op.default, (HEADS, 1, 128), {"cu_seqlens_q": cu, "cu_seqlens_k": cu, **TND})


def test_results_carry_no_gradient() -> None:
    (q, k, w, p, lse), options = gradient_call()
    assert not any(out.requires_grad for out in GRAD(q.requires_grad_(), k, w.requires_grad_(), p, lse, **options))


def test_compiled_whole_it_gives_the_same_bits() -> None:
    compiled = torch.compile(whole, fullgraph=True, backend="aot_eager")
    for batch in (2, 3):
        assert all(map(torch.equal, compiled(*tensors(batch)), whole(*tensors(batch))))


class Model(torch.nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, w: torch.Tensor, p: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return whole(q, k, w, p)


def test_exported_it_gives_the_same_bits_at_any_batch_size() -> None:
    batch = torch.export.Dim("batch", min=2)
    exported = torch.export.export(Model(), tensors(2), dynamic_shapes=({0: batch},) * 4)
    assert all(map(torch.equal, exported.module()(*tensors(4)), whole(*tensors(4))))


def test_planning_runs_under_fake_tensor_mode() -> None:
    with FakeTensorMode():
        cu = torch.empty(5, dtype=torch.int32)
        for words in (
            PLAN(8, 1, 128, cu_seqlens_q=cu, cu_seqlens_k=cu, **TND),
            PLAN(8, 1, 128, batch_size=2, max_seqlen_q=4),
            metadata_words({"cu_seqlens_q": cu, "cu_seqlens_k": cu}, {**TND, "max_seqlen_k": 0}, 32),
            metadata_words({"seqused_q": cu, "seqused_k": cu}, {"layout_q": "BSND", "layout_k": "BSND"}, 32),
        ):
            assert (tuple(words.shape), words.dtype) == ((64,), torch.int32)


def test_the_tensor_path_of_planning_compiles_whole_with_its_checks() -> None:
    def planned(cu: torch.Tensor) -> torch.Tensor:
        assert_values({"cu_seqlens_q": cu}, TND)
        return metadata_words({"cu_seqlens_q": cu, "cu_seqlens_k": cu}, TND, 32)

    compiled = torch.compile(planned, fullgraph=True, backend="aot_eager")
    cu = torch.tensor([0, 123, 511], dtype=torch.int32)
    assert compiled(cu)[:6].tolist() == [511, 16, 15, 1, 32, 388]
    with pytest.raises(RuntimeError, match="cu_seqlens_q"):
        assert_values({"cu_seqlens_q": torch.tensor([0, 5, 3])}, TND)
    with pytest.raises(RuntimeError, match="seqused_q"):
        assert_values({"seqused_q": torch.tensor([0, -5])}, TND)


def test_meta_tensors_give_meta_results() -> None:
    call, options = gradient_call()
    outputs = GRAD(*(tensor.to("meta") for tensor in call), **options)
    assert [(out.device.type, out.shape) for out in outputs] == [("meta", call[i].shape) for i in (0, 1, 2, 3)]


def test_the_target_chooses_the_chip_and_the_mode() -> None:
    q, k, *_ = tensors()
    with target(cannery.soc("Ascend950", aic_cores=8)):
        assert PLAN(8, 1, 128, **sizes(q, k))[:5].tolist() == [10, 2, 1, 6, 8]
    with target(quirks=True):
        assert PLAN(8, 1, 128, batch_size=1)[:5].tolist() == [0, 0, -1, 0, 0]
    assert PLAN(8, 1, 128, **sizes(q, k))[:5].tolist() == [10, 1, 0, 22, 10]


def test_a_refusal_is_a_runtime_error_that_names_the_call_and_keeps_its_facts() -> None:
    with pytest.raises(
        RuntimeError, match="call aclnnDenseLightningIndexerKLLossGradMetadata failed, detail: "
    ) as caught:
        PLAN(129, 1, 128)
    error = caught.value
    assert isinstance(error, OperatorError)
    assert (error.parameter, error.code) == ("num_heads_q", AclnnStatus.ACLNN_ERR_PARAM_INVALID)


def test_metadata_must_be_passed() -> None:
    call, _ = gradient_call()
    with pytest.raises(RuntimeError, match="metadata: found nothing"):
        GRAD(*call, **BSND)


FOREIGN = """
import torch
lib = torch.library.Library("cann_ops_transformer", "DEF")
lengths = "Tensor? cu_seqlens_q=None, Tensor? cu_seqlens_k=None, Tensor? seqused_q=None, Tensor? seqused_k=None, "
lengths += "Tensor? cmp_residual_k=None, "
lib.define("dense_lightning_indexer_kl_loss_grad(Tensor q, Tensor k, Tensor w, Tensor attn_softmax_l1_norm, "
    "Tensor softmax_lse, *, " + lengths + "Tensor? metadata=None, str? layout_q='TND', str? layout_k='TND', "
    "int? mask_mode=3, int? cmp_ratio=1) -> (Tensor, Tensor, Tensor, Tensor)")
lib.define("dense_lightning_indexer_kl_loss_grad_metadata(int num_heads_q, int num_heads_k, int head_dim, *, " + lengths
    + "int? batch_size=None, int? max_seqlen_q=None, int? max_seqlen_k=None, str? layout_q=None, str? layout_k=None, "
    "int? mask_mode=None, int? cmp_ratio=None) -> Tensor")
def theirs(*args, **kwargs):
    raise RuntimeError("on the NPU")
name = "cann_ops_transformer::dense_lightning_indexer_kl_loss_grad_metadata"
torch.library.impl(name, "default", theirs, lib=lib)
torch.library.register_fake(name, lambda *args, **kwargs: torch.empty(64, dtype=torch.int32, device="meta"), lib=lib)
before = str(torch.ops.cann_ops_transformer.dense_lightning_indexer_kl_loss_grad.default._schema)
import cannery.pytorch
ops = torch.ops.cann_ops_transformer
assert str(ops.dense_lightning_indexer_kl_loss_grad.default._schema) == before
cu = torch.tensor([0, 3, 5], dtype=torch.int32)
packed = dict(cu_seqlens_q=cu, cu_seqlens_k=cu, layout_q="TND", layout_k="TND")
metadata = ops.dense_lightning_indexer_kl_loss_grad_metadata(8, 1, 128, **packed)
assert metadata[:5].tolist() == [5, 1, 0, 27, 5]
q, k = torch.randn(5, 8, 128).bfloat16(), torch.randn(5, 1, 128).bfloat16()
w, p = torch.randn(5, 8), torch.rand(5, 1, 5)
out = ops.dense_lightning_indexer_kl_loss_grad(q, k, w, p, torch.zeros(1, 5), metadata=metadata, **packed)
assert out[0].shape == q.shape
assert ops.dense_lightning_indexer_kl_loss_grad(q.to("meta"), k, w, p, torch.zeros(1, 5))[0].device.type == "meta"
ops.dense_lightning_indexer_softmax_lse
print("fine")
"""


def test_schemas_of_the_genuine_package_stay_and_get_our_implementations() -> None:
    run = subprocess.run([sys.executable, "-c", FOREIGN], capture_output=True, text=True, check=False)
    assert run.stdout == "fine\n", run.stderr


def test_the_genuine_packages_import_works() -> None:
    program = (
        "import cannery.activate, torch, cann_ops_transformer\n"
        "from cann_ops_transformer.ops import dense_lightning_indexer_kl_loss_grad_metadata as plan\n"
        "print(plan(64, 1, 128, batch_size=1, max_seqlen_q=511)[:5].tolist())"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.stdout == "[511, 16, 15, 1, 32]\n", run.stderr
