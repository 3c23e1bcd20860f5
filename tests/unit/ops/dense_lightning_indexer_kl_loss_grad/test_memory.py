"""A call works in tiles: what it adds to the peak of a process is small and hardly grows with the length."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MEBI = 1 << 20
SCRIPT = """
import json
from pathlib import Path
import torch
from cannery.ops.dense_lightning_indexer_kl_loss_grad.eager import kl_loss_grad

def status(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(field)).split()[1])

def extra(s):
    q, k = torch.ones(1, s, 64, 128).bfloat16(), torch.ones(1, s, 1, 128).bfloat16()
    w, p, lse = torch.ones(1, s, 64), torch.ones(1, s, 1, s), torch.ones(1, 1, s)
    out = tuple(torch.ones_like(x) for x in (q, k, w, p))
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    kl_loss_grad(q, k, w, p, lse, mask_mode=3, out=out)
    return status("VmHWM") - before - 4 * k.numel()

extra(64)
print(json.dumps([extra(s) for s in (2048, 4096)]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux to reset the peak")
def test_extra_memory_is_tile_sized() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True).stdout
    at_2048, at_4096 = json.loads(found)
    assert at_2048 < 64 * MEBI
    assert at_4096 < 64 * MEBI
    assert at_4096 <= 2 * max(at_2048, 16 * MEBI)
