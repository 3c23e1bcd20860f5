"""How a call is refused, and what a kernel's status becomes on its way up.

Source: ascend-transformer-boost `include/atb/types.h`, `src/atb/runner/mki_node_implement.cpp` @ddcc8b6; the kernel
framework's own numbers are those of Mki.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

from cannery.core import AtbStatus, OperatorError, Refusal, Stage


class MkiStatus(IntEnum):
    """What a kernel of the Mki framework answers."""

    NO_ERROR = 0
    ERROR_INVALID_VALUE = 1
    ERROR_OPERATION_NOT_EXIST = 2
    ERROR_TACTIC_NOT_EXIST = 3
    ERROR_KERNEL_NOT_EXIST = 4
    ERROR_ATTR_NOT_EXIST = 5
    ERROR_ATTR_INVALID_TYPE = 6
    ERROR_LAUNCH_KERNEL_ERROR = 7
    ERROR_SYNC_STREAM_ERROR = 8
    ERROR_INFERSHAPE_ERROR = 9
    ERROR_NOT_CONSISTANT = 10
    ERROR_ALLOC_HOST = 11
    ERROR_MEMERY_COPY_ERROR = 12
    ERROR_RUN_TIME_ERROR = 13


_M, _A = MkiStatus, AtbStatus
MKI_TO_ATB: Mapping[MkiStatus, AtbStatus] = MappingProxyType(
    {
        _M.NO_ERROR: _A.NO_ERROR,
        _M.ERROR_INVALID_VALUE: _A.ERROR_INVALID_PARAM,
        _M.ERROR_OPERATION_NOT_EXIST: _A.ERROR_INVALID_PARAM,
        _M.ERROR_TACTIC_NOT_EXIST: _A.ERROR_INVALID_PARAM,
        _M.ERROR_KERNEL_NOT_EXIST: _A.ERROR_INVALID_PARAM,
        _M.ERROR_ATTR_NOT_EXIST: _A.ERROR_INVALID_PARAM,
        _M.ERROR_ATTR_INVALID_TYPE: _A.ERROR_INVALID_PARAM,
        _M.ERROR_LAUNCH_KERNEL_ERROR: _A.ERROR_RT_FAIL,
        _M.ERROR_SYNC_STREAM_ERROR: _A.ERROR_RT_FAIL,
        _M.ERROR_INFERSHAPE_ERROR: _A.ERROR_RT_FAIL,
        _M.ERROR_NOT_CONSISTANT: _A.ERROR_INVALID_PARAM,
        _M.ERROR_ALLOC_HOST: _A.ERROR_OUT_OF_HOST_MEMORY,
        _M.ERROR_MEMERY_COPY_ERROR: _A.ERROR_COPY_HOST_MEMORY_FAIL,
        _M.ERROR_RUN_TIME_ERROR: _A.ERROR_RT_FAIL,
    }
)


class KernelError(Refusal, ValueError):
    """A kernel's refusal, before anything above it has put it in ATB's words.

    Attributes:
        status: Mki's status.
    """

    def __init__(self, status: MkiStatus, parameter: str, found: object, expected: object) -> None:
        super().__init__(parameter, found, expected)
        self.args = (status, parameter, found, expected)
        self.status = status


def refusal(
    stage: Stage,
    name: str,
    parameter: str,
    found: object,
    expected: object,
    code: AtbStatus = AtbStatus.ERROR_INVALID_PARAM,
) -> OperatorError:
    """The error to raise when ATB itself refuses a call."""
    return OperatorError(stage, name, parameter, found, expected, code)


def from_kernel(stage: Stage, name: str, failure: KernelError) -> OperatorError:
    """A kernel's refusal in ATB's words."""
    return refusal(stage, name, *failure.facts, MKI_TO_ATB[failure.status])


def from_exception(stage: Stage, name: str, failure: Exception, code: AtbStatus) -> OperatorError:
    """What ATB makes of an exception that its code does not expect: 27 at InferShape and Setup, 4 at Execute."""
    return refusal(stage, name, "call", f"{type(failure).__name__}: {failure}", "no exception", code)
