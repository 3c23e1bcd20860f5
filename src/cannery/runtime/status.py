"""The runtime's status codes, and the one fault a runtime call can end with."""

from __future__ import annotations

from enum import IntEnum

from cannery.core.errors import Refusal


class AclError(IntEnum):
    """What an ``acl`` or ``aclrt`` function returns.

    Source: hicann/runtime `include/external/acl/{acl_base_rt.h,error_codes/rt_error_codes.h}` @681ef761.
    """

    ACL_SUCCESS = 0
    ACL_ERROR_INVALID_PARAM = 100000
    ACL_ERROR_UNINITIALIZE = 100001
    ACL_ERROR_REPEAT_INITIALIZE = 100002
    ACL_ERROR_INVALID_FILE = 100003
    ACL_ERROR_PARSE_FILE = 100006
    ACL_ERROR_OP_NOT_FOUND = 100024
    ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026
    ACL_ERROR_FORMAT_NOT_MATCH = 100027
    ACL_ERROR_REPEAT_FINALIZE = 100037
    ACL_ERROR_COMPILING_STUB_MODE = 100039
    ACL_ERROR_RT_PARAM_INVALID = 107000
    ACL_ERROR_RT_INVALID_DEVICEID = 107001
    ACL_ERROR_RT_CONTEXT_NULL = 107002
    ACL_ERROR_RT_STREAM_CONTEXT = 107003
    ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID = 107006
    ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL = 107007
    ACL_ERROR_RT_ADDR_UNALIGNED = 107008
    ACL_ERROR_RT_STREAM_NO_CB_REG = 107015
    ACL_ERROR_RT_INVALID_MEMORY_TYPE = 107016
    ACL_ERROR_RT_INVALID_HANDLE = 107017
    ACL_ERROR_RT_INVALID_MALLOC_TYPE = 107018
    ACL_ERROR_RT_WAIT_TIMEOUT = 107019
    ACL_ERROR_RT_TASK_TIMEOUT = 107020
    ACL_ERROR_RT_SYSPARAMOPT_NOT_SET = 107021
    ACL_ERROR_RT_DEVICE_TASK_ABORT = 107022
    ACL_ERROR_GE_PARAM_INVALID = 145000
    ACL_ERROR_GE_EXEC_NOT_INIT = 145001
    ACL_ERROR_INVALID_OPP_PATH = 148049
    ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050
    ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051
    ACL_ERROR_BAD_ALLOC = 200000
    ACL_ERROR_API_NOT_SUPPORT = 200001
    ACL_ERROR_INVALID_DEVICE = 200002
    ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003
    ACL_ERROR_RESOURCE_NOT_MATCH = 200004
    ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005
    ACL_ERROR_FEATURE_UNSUPPORTED = 200006
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT = 207000
    ACL_ERROR_RT_MEMORY_ALLOCATION = 207001
    ACL_ERROR_RT_MEMORY_FREE = 207002
    ACL_ERROR_RT_NO_DEVICE = 207004
    ACL_ERROR_RT_RESOURCE_ALLOC_FAIL = 207005
    ACL_ERROR_RT_NO_EVENT_RESOURCE = 207007
    ACL_ERROR_RT_NO_STREAM_RESOURCE = 207008
    ACL_ERROR_RT_REPEATED_INIT = 207015
    ACL_ERROR_RT_DEVICE_OOM = 207018
    ACL_ERROR_STORAGE_OVER_LIMIT = 300000
    ACL_ERROR_INTERNAL_ERROR = 500000
    ACL_ERROR_FAILURE = 500001
    ACL_ERROR_GE_FAILURE = 500002
    ACL_ERROR_RT_FAILURE = 500003
    ACL_ERROR_DRV_FAILURE = 500004
    ACL_ERROR_PROFILING_FAILURE = 500005
    ACL_ERROR_RT_INTERNAL_ERROR = 507000
    ACL_ERROR_RT_SOC_VERSION = 507008
    ACL_ERROR_RT_AICORE_TIMEOUT = 507014
    ACL_ERROR_RT_AICORE_EXCEPTION = 507015
    ACL_ERROR_RT_AICPU_TIMEOUT = 507017
    ACL_ERROR_RT_AICPU_EXCEPTION = 507018
    ACL_ERROR_RT_VECTOR_CORE_TIMEOUT = 507034
    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION = 507035
    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT = 507046
    ACL_ERROR_RT_EVENT_SYNC_TIMEOUT = 507047
    ACL_ERROR_RT_DEVICE_MEM_ERROR = 507053
    ACL_ERROR_RT_DRV_INTERNAL_ERROR = 507899
    ACL_ERROR_RT_AICPU_INTERNAL_ERROR = 507900
    ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 507910
    ACL_ERROR_HOST_MEMORY_NOT_REGISTERED = 507911


class RuntimeFault(Refusal, ValueError):
    """A runtime call that is refused, or a task that failed.

    Attributes:
        code: the status the caller gets: of ``AclError``, or of ``AclnnStatus`` where an aclnn function refuses.
    """

    def __init__(self, code: IntEnum, parameter: str, found: object, expected: object) -> None:
        super().__init__(parameter, found, expected)
        self.args = (code, parameter, found, expected)
        self.code = code

    def __str__(self) -> str:
        return f"{super().__str__()} [{self.code.name}]"

    @property
    def message(self) -> str:
        """The text ``aclGetRecentErrMsg`` gives behind process and time: the family of the code, found and expected."""
        return f"{_family(self.code)}: {self}"


def _family(code: int) -> str:
    if code // 1000 in (161, 361, 561):
        return f"AclNN_{'Parameter' if code // 1000 == 161 else 'Inner'}_Error(EZ1001)"
    if code // 1000 in (100, 200):
        return "Invalid_Argument(EH0001)"
    return "Runtime_Error(EE1001)"
