"""``torch_npu`` without an NPU: importing it makes ``npu`` a device of PyTorch whose memory is the host's.

``cannery exec`` and ``cannery.activate`` resolve ``import torch_npu`` to this. What works, what is refused and why it
is built so: docs/npu.md.

Source of the surface: Ascend/pytorch @9e73e708.
"""

from __future__ import annotations

import os
from typing import Any

import torch

from cannery.core.published import module_getattr
from cannery.extras.npu import functions, registration
from cannery.extras.npu.formats import Format as Format
from cannery.extras.npu.refusals import PACKAGE, UNBUILT, refused
from cannery.extras.npu.torch_npu import npu as npu

registration.register(npu)
functions.leave_stubs()

# Below the registration: these use the device's name.
from cannery.extras.npu.torch_npu import (  # noqa: E402
    _C,
    contrib,
    distributed,
    dynamo,
    optim,
    profiler,
    testing,
    utils,
)

# The originals number types that PyTorch had not; it has them now.
float8_e4m3fn = torch.float8_e4m3fn
float8_e5m2 = torch.float8_e5m2
float8_e8m0fnu = torch.float8_e8m0fnu
float4_e2m1fn_x2 = torch.float4_e2m1fn_x2
globals().update(refused("torch_npu", PACKAGE))

__version__ = f"{torch.__version__.partition('+')[0]}+cannery"
__all__ = [
    "_C",
    "Format",
    "contrib",
    "distributed",
    "dynamo",
    "npu",
    "optim",
    "profiler",
    "testing",
    "utils",
]


def _autoload() -> None:
    """What PyTorch's entry point calls; the import has done it all."""


def erase_stream(tensor: torch.Tensor, stream: Any) -> None:
    """The inverse of ``record_stream``; neither has an effect here."""


_absent = module_getattr("cannery.extras.npu.torch_npu", "torch_npu", UNBUILT)


def __getattr__(name: str) -> Any:
    if name in functions.operators():
        return functions.operators()[name]
    return _absent(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *functions.operators()})


def _transfer_when_asked() -> None:
    asked = os.environ.get("TORCH_TRANSFER_TO_NPU", "0")
    if asked not in ("0", "1"):
        raise ValueError(f"TORCH_TRANSFER_TO_NPU: found {asked!r}, expected 0 or 1")
    if asked == "1":
        from cannery.extras.npu.transfer import transfer

        transfer()


_transfer_when_asked()
