"""What differs between architectures, as data.

Sources: hicann/asc-devkit `impl/basic_api/kernel_macros.h` (QUE_MAX_EVENT) and
`impl/basic_api/utils/kernel_utils_constants.h` @82b89a15f263; hicann/msSanitizer
`csrc/race_sanitizer/alg_framework/single_pipe_race_alg_impl.cpp` (vector pipe left out on 950). UB of the 910B: of
192 KiB a kernel has all but 256 bytes, and all but 8 KiB more unless the compiler is told not to reserve them
(programming guide, static tensors).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class Limits:
    """Limits of one NpuArch.

    Attributes:
        event_ids: event ids per HardEvent.
        vector_in_order: the hardware orders dependent vector instructions by itself.
        cross_core_flags: ids of cross-core flags.
        cross_core_count: how often a cross-core flag can be set ahead of its waits.
        queue_buffers: buffers one TPipe can manage.
        reserved_event_ids: ids that the documents keep for the system where no TPipe hands them out.
        kept_ub: bytes of UB that are never a kernel's own.
        reserved_ub: bytes that the compiler reserves beside them, for instructions that are made of several.
        scratch_ub: where in UB these keep what lies between; None: nowhere.
    """

    event_ids: int = 8
    vector_in_order: bool = False
    cross_core_flags: int = 16
    cross_core_count: int = 15
    queue_buffers: int = 64
    reserved_event_ids: frozenset[int] = frozenset({6, 7})
    kept_ub: int = 0
    reserved_ub: int = 0
    scratch_ub: int | None = None


_BY_ARCH: Final = MappingProxyType(
    {
        1001: Limits(event_ids=4, reserved_event_ids=frozenset()),
        2201: Limits(kept_ub=256, reserved_ub=8192, scratch_ub=188_416),
        3510: Limits(vector_in_order=True),
    }
)


def limits(npu_arch: int) -> Limits:
    """The limits of an architecture."""
    return _BY_ARCH.get(npu_arch, Limits())


ALIGNMENT: Final = MappingProxyType(
    {"GM": 1, "UB": 32, "L1": 32, "L0A": 512, "L0B": 512, "L0C": 64, "BT": 64, "FB": 128}
)
"""Start addresses, in bytes (hicann/asc-devkit docs, general constraints of the SIMD API, @82b89a15f263)."""

MEMORIES: Final = MappingProxyType(
    {"aiv": frozenset({"GM", "UB"}), "aic": frozenset({"GM", "L1", "L0A", "L0B", "L0C", "BT", "FB"})}
)
"""The memories that instructions of a kind of core reach: on the other kind the documented functions do nothing
(hicann/asc-devkit `impl/basic_api/dav_c220` @82b89a15f263, the guards of their bodies)."""
