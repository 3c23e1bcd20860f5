"""A runtime call: its C prototype, its name in pyACL, and the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import ModuleType
from typing import Any

from cannery.core import AclnnStatus
from cannery.runtime.process import Process, as_tuple
from cannery.runtime.prototype import Prototype, parse, zeros
from cannery.runtime.status import AclError, RuntimeFault

Function = Callable[..., Any]


@dataclass(frozen=True)
class Call:
    """A call.

    Attributes:
        python: module and name in pyACL (``rt.malloc``; ``init`` at the top); empty where pyACL has no such call.
        function: takes the process and the inputs, returns the outputs (one, a tuple, or None), raises RuntimeFault.
        null_code: the status when C passes null for an output, where it is not the usual one.
    """

    prototype: Prototype
    python: str
    function: Function
    null_code: IntEnum | None = None

    @property
    def code_for_null(self) -> IntEnum:
        """The status when C passes null for an output."""
        usual = AclnnStatus.ACLNN_ERR_PARAM_NULLPTR if self.prototype.returns == "aclnnStatus" else None
        return self.null_code or usual or AclError.ACL_ERROR_INVALID_PARAM

    @property
    def name(self) -> str:
        """Its name in C."""
        return self.prototype.name

    def invoke(self, process: Process, arguments: Sequence[Any]) -> tuple[int, tuple[Any, ...]]:
        """Do it: status and outputs. Never raises; the reason of a failure is kept for ``aclGetRecentErrMsg``."""
        try:
            return int(AclError.ACL_SUCCESS), as_tuple(self.function(process, *arguments))
        except RuntimeFault as fault:
            failed = fault
        except MemoryError:
            failed = RuntimeFault(AclError.ACL_ERROR_BAD_ALLOC, self.name, "no host memory left", "some")
        except Exception as failure:
            # A defect of ours must reach the caller as a status: a C program cannot catch an exception.
            found = f"{type(failure).__name__}: {failure}"
            failed = RuntimeFault(AclError.ACL_ERROR_INTERNAL_ERROR, self.name, found, "no exception")
        return process.report(failed), zeros(self.prototype.outputs)


def call(prototype: str, python: str = "") -> Callable[[Function], Call]:
    """Make a function a call."""
    return lambda function: Call(parse(prototype), python, function)


def calls_of(*modules: ModuleType) -> tuple[Call, ...]:
    """Every call that modules define, in the order they stand there."""
    return tuple(value for module in modules for value in vars(module).values() if isinstance(value, Call))
