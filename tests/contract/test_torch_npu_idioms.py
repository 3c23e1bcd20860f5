"""Idioms that repositories with NPU code use: each works, or raises NotImplementedError naming itself.

Source: usage in hicann/pypto, hicann/ascend-transformer-boost, verl-project/verl `verl/utils/device.py` @1dda039b,
huggingface/accelerate PR #3764, fla-org, linkedin/Liger-Kernel, ByteDance-Seed/VeOmni, recursion-ascend/ops-transformer
`torch_extension` @a093e95, and torch_npu's own tests (Ascend/pytorch @9e73e708).
"""

from __future__ import annotations

import importlib.util
import io
import os
from dataclasses import dataclass
from typing import Any

import pytest
import torch

pytestmark = pytest.mark.own_process


@dataclass(frozen=True)
class Idiom:
    """Lines of a script, what the last one, an expression, gives; or the name that is refused."""

    source: str
    gives: Any = None
    refuses: str = ""


X = "x = torch.arange(6.).reshape(2, 3).npu(); "
IDIOMS = (
    Idiom("torch_npu.float8_e8m0fnu", torch.float8_e8m0fnu),
    Idiom("torch_npu.HiFloat8Tensor(torch.ones(2).npu())", refuses="torch_npu.HiFloat8Tensor"),
    Idiom("torch_npu.matmul_checksum(1, 2)", refuses="torch_npu.matmul_checksum"),
    Idiom("torch.ones(2).npu().device.type", "npu"),
    Idiom("torch.ones(2).npu(1).device.index", 1),
    Idiom("torch.ones(2).npu(non_blocking=True).is_npu", True),
    Idiom("torch.ones(2).is_npu", False),
    Idiom("torch.ones(2, device='npu').device == torch.device('npu:0')", True),
    Idiom("torch.ones(2, device=torch.device('npu', 1)).device.index", 1),
    Idiom("torch.ones(2).to('npu:0', non_blocking=True).device.type", "npu"),
    Idiom("torch.device('npu').index", None),
    Idiom(X + "x.cpu().tolist()", [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),
    Idiom(X + "(x @ x.T).sum().item()", 83.0),
    Idiom("torch.nn.Linear(2, 3).npu().weight.device.type", "npu"),
    Idiom("torch.nn.Linear(2, 3).to('npu').weight.is_npu", True),
    Idiom("torch.npu.is_available()", True),
    Idiom("hasattr(torch, 'npu') and torch.npu.is_available()", True),
    Idiom("torch.npu is torch_npu.npu", True),
    Idiom("torch.npu.device_count()", 8),
    Idiom("torch.npu.set_device(1); device = torch.npu.current_device(); torch.npu.set_device('npu:0'); device", 1),
    Idiom("torch_npu.npu.set_device(torch.device('npu:0')); torch.npu.current_device()", 0),
    Idiom("with torch.npu.device(2):\n    made = torch.ones(1, device='npu')\nmade.device.index", 2),
    Idiom("torch.npu.synchronize()"),
    Idiom("torch.npu.synchronize('npu:1')"),
    Idiom("torch.npu.get_device_name(0)", "Ascend910B1"),
    Idiom("torch.npu.get_device_name().startswith('Ascend910B')", True),
    Idiom("torch.npu.get_device_properties(0).vector_core_num", 48),
    Idiom("torch.npu.get_device_properties('npu').cube_core_num", 24),
    Idiom("torch.npu.get_device_properties(0).total_memory > 0", True),
    Idiom("torch_npu.npu.utils.get_soc_version()", 220),
    Idiom("torch_npu._C._npu_get_soc_version()", 220),
    Idiom("torch.npu.is_bf16_supported()", True),
    Idiom("torch.npu.set_compile_mode(jit_compile=False)"),
    Idiom("torch.npu.config.allow_internal_format = False"),
    Idiom("torch.npu.matmul.allow_hf32, torch.npu.conv.allow_hf32", (False, True)),
    Idiom("torch.npu.set_option({'ACL_OP_COMPILER_CACHE_MODE': 'enable'})"),
    Idiom("isinstance(torch.npu.current_stream().npu_stream, int)", True),
    Idiom("s = torch.npu.Stream()\nwith torch.npu.stream(s):\n    same = torch.npu.current_stream() == s\nsame", True),
    Idiom("torch.npu.current_stream() == torch.npu.default_stream()", True),
    Idiom(
        "a, b = (torch.npu.Event(enable_timing=True) for _ in '12'); a.record(); b.record(); b.synchronize(); "
        "a.elapsed_time(b) >= 0",
        True,
    ),
    Idiom("torch.npu.Stream().wait_stream(torch.npu.current_stream())"),
    Idiom("torch.npu.current_stream().record_event().query()", True),
    Idiom(X + "x.record_stream(torch.npu.current_stream())"),
    Idiom("torch.npu.get_stream_limit(torch.npu.current_stream())", {"cube_core_num": 24, "vector_core_num": 48}),
    Idiom("torch.npu.empty_cache()"),
    Idiom("x = torch.empty(1 << 20, device='npu'); torch.npu.memory_allocated() >= 4 << 20", True),
    Idiom(
        "torch.npu.reset_peak_memory_stats(); torch.npu.max_memory_allocated() == torch.npu.memory_allocated()", True
    ),
    Idiom("torch.npu.mem_get_info()[1] == torch.npu.get_device_properties(0).total_memory", True),
    Idiom("torch.npu.memory_stats()['allocated_bytes.all.current'] == torch.npu.memory_allocated()", True),
    Idiom(
        "torch.npu.manual_seed(3); a = torch.rand(2, device='npu'); torch.npu.manual_seed_all(3); "
        "torch.equal(a, torch.rand(2, device='npu'))",
        True,
    ),
    Idiom("s = torch.npu.get_rng_state(); torch.npu.set_rng_state(s); s.dtype == torch.uint8", True),
    Idiom("torch.randn(2, generator=torch.Generator(device='npu').manual_seed(1), device='npu').is_npu", True),
    Idiom(
        "with torch.autocast('npu', dtype=torch.bfloat16):\n    y = torch.ones(2, 2).npu() @ torch.ones(2, 2).npu()\n"
        "y.dtype == torch.bfloat16",
        True,
    ),
    Idiom(
        "with torch.npu.amp.autocast():\n    y = torch.ones(2, 2).npu() @ torch.ones(2, 2).npu()\n"
        "y.dtype == torch.float16",
        True,
    ),
    Idiom("torch.npu.amp.GradScaler(init_scale=8.0).scale(torch.ones(()).npu()).item()", 8.0),
    Idiom(X + "int(torch_npu.get_npu_format(torch_npu.npu_format_cast(x, 29)))", 29),
    Idiom(X + "torch_npu.get_npu_format(x) == torch_npu.Format.ND", True),
    Idiom("torch_npu.npu_rms_norm(torch.ones(2, 4).npu(), torch.ones(4).npu(), 1e-6)[0].shape == (2, 4)", True),
    Idiom("torch_npu.npu_swiglu(torch.zeros(2, 4).npu()).tolist()", [[0.0, 0.0], [0.0, 0.0]]),
    Idiom("torch_npu.npu_rotary_mul(*(torch.ones(1, 1, 1, 2).npu() for _ in '123')).flatten().tolist()", [0.0, 2.0]),
    Idiom(
        "torch_npu.npu_fusion_attention(*(torch.ones(1, 2, 3, 4).npu() for _ in '123'), 2, 'BNSD', scale=0.5)[0].sum()"
        ".item()",
        24.0,
    ),
    Idiom(
        "torch_npu.npu_moe_token_permute(torch.eye(2).npu(), torch.tensor([[1], [0]]).npu())[0].tolist()",
        [[0.0, 1.0], [1.0, 0.0]],
    ),
    Idiom(
        "torch_npu.npu_grouped_matmul([torch.ones(2, 3).npu()], [torch.ones(3, 4).npu()], group_type=-1)[0].tolist()",
        [[3.0] * 4] * 2,
    ),
    Idiom("torch.ops.npu.npu_swiglu(torch.zeros(2, 4).npu()).is_npu", True),
    Idiom("f = io.BytesIO(); torch.save(torch.ones(2).npu(), f); f.seek(0); torch.load(f).device.type", "npu"),
    Idiom(
        "f = io.BytesIO(); torch.save(torch.ones(2).npu(), f); f.seek(0); torch.load(f, map_location='cpu').is_cpu",
        True,
    ),
    Idiom(
        "f = io.BytesIO(); torch.save(torch.ones(2), f); f.seek(0); torch.load(f, map_location='npu:1').device.index", 1
    ),
    Idiom("importlib.util.find_spec('torch_npu') is not None", True),
    Idiom("from torch_npu.testing.testcase import TestCase, run_tests"),
    Idiom("with torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU]) as p:\n    p.step()"),
    Idiom("torch_npu.npu.mstx.range_end(torch_npu.npu.mstx.range_start('step'))"),
    Idiom("torch.accelerator.current_accelerator().type", "npu"),
    Idiom("torch.get_device_module('npu') is torch.npu", True),
    Idiom("torch.npu.FloatTensor([1.0, 2.0]).tolist()", [1.0, 2.0]),
    Idiom("next(iter(torch.utils.data.DataLoader(torch.ones(2, 3), pin_memory=True))).npu().is_npu", True),
    Idiom("hasattr(torch_npu, 'no_such_name')", False),
    Idiom("torch.npu.NPUGraph()", refuses="torch.npu.NPUGraph"),
    Idiom("with torch.npu.graph(None):\n    pass", refuses="torch.npu.graph"),
    Idiom("torch_npu.npu_quant_matmul(None, None, None)", refuses="torch_npu.npu_quant_matmul"),
    Idiom("torch_npu.npu_prompt_flash_attention(None, None, None)", refuses="torch_npu.npu_prompt_flash_attention"),
    Idiom("torch_npu.npu_fused_infer_attention_score()", refuses="torch_npu.npu_fused_infer_attention_score"),
    Idiom("torch_npu.npu_moe_gating_top_k_softmax(None)", refuses="torch_npu.npu_moe_gating_top_k_softmax"),
    Idiom("torch.npu.memory._record_memory_history()", refuses="torch.npu.memory._record_memory_history"),
    Idiom("torch.npu.memory._dump_snapshot('file')", refuses="torch.npu.memory._dump_snapshot"),
    Idiom(
        "torch.nn.DataParallel(torch.nn.Linear(2, 2).npu())(torch.ones(2, 2).npu())", refuses="torch.nn.DataParallel"
    ),
    Idiom("torch.utils.dlpack.from_dlpack(torch.ones(2).npu()).is_npu", True),
    Idiom("isinstance(torch.ones(2).npu(), torch.npu.FloatTensor)", True),
    Idiom("isinstance(torch.ones(2), torch.npu.FloatTensor)", False),
    Idiom("isinstance(torch.ones(2).npu(), torch.npu.HalfTensor)", False),
    Idiom("torch.ones(2).type(torch.npu.HalfTensor).type()", "torch.npu.HalfTensor"),
    Idiom("torch.npu.FloatStorage(2)", refuses="torch.npu.FloatStorage"),
    Idiom("torch.npu.init_dump()", refuses="torch.npu.init_dump"),
    Idiom("torch.quantize_per_tensor(torch.ones(2).npu(), 0.1, 0, torch.quint8)", refuses="quint8"),
    Idiom("from torch_npu.npu.amp.grad_scaler import GradScaler"),
    Idiom("from torch_npu.npu.amp.autocast_mode import autocast"),
    Idiom("torch.npu.Event(interprocess=True)", refuses="torch.npu.Event"),
)


def evaluate(source: str) -> Any:
    """Run the lines; the value of the last statement where it is an expression."""
    import ast

    import torch_npu

    scope = {"torch": torch, "torch_npu": torch_npu, "io": io, "importlib": importlib}
    *lines, last = ast.parse(source).body
    exec(compile(ast.Module(lines, []), "<idiom>", "exec"), scope)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "<idiom>", "eval"), scope)
    exec(compile(ast.Module([last], []), "<idiom>", "exec"), scope)
    return None


@pytest.fixture(autouse=True, scope="module")
def _substituted() -> None:
    os.environ.pop("CANNERY_SOC", None)
    import cannery.activate  # noqa: F401


@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda idiom: idiom.source)
def test_an_idiom_works_or_is_refused_by_name(idiom: Idiom) -> None:
    if idiom.refuses:
        with pytest.raises(NotImplementedError, match=idiom.refuses):
            evaluate(idiom.source)
    else:
        assert evaluate(idiom.source) == idiom.gives


def test_an_operator_under_its_old_name_says_the_present_one() -> None:
    with pytest.raises(RuntimeError, match=r"torch\.npu_swiglu is deprecated.*torch_npu\.npu_swiglu"):
        evaluate("torch.npu_swiglu(torch.zeros(2, 4).npu())")


def test_the_list_has_sixty() -> None:
    assert len(IDIOMS) >= 60
