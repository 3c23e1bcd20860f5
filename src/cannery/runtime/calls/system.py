"""Starting and ending the runtime, and its errors.

Source: hicann/runtime `include/external/acl/acl.h`, `src/acl/aclrt_impl/acl.cpp` @681ef761.
"""

from __future__ import annotations

import json

from cannery.runtime.call import call
from cannery.runtime.constants import MACROS
from cannery.runtime.process import Process, read_config
from cannery.runtime.status import AclError, RuntimeFault


@call("aclError aclInit(const char *configPath)", "init", is_free=True)
def init(process: Process, path: str | None) -> None:
    """Count up; only the first call reads its configuration."""
    with process.lock:
        if process.references:
            process.references += 1
            found, expected = "a call of it before this one", "one call; this may be taken for success"
            raise RuntimeFault(AclError.ACL_ERROR_REPEAT_INITIALIZE, "aclInit", found, expected)
        content = read_config(path)
        _check_config(path, content)
        if process.config not in (None, content):
            found = f"{path or 'none'}, which differs from that of the first aclInit"
            raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "configPath", found, "the same configuration")
        process.config = content
        process.references = 1


@call("aclError aclFinalize()", "finalize", is_free=True)
def finalize(process: Process) -> None:
    """Count down to nothing."""
    with process.lock:
        _check_references(process)
        process.references = 0
        process.is_aclnn_ready = False


@call("aclError aclFinalizeReference(out uint64_t *refCount)", "finalize_reference", is_free=True)
def finalize_reference(process: Process) -> int:
    """Count down by one."""
    with process.lock:
        _check_references(process)
        process.references -= 1
        return process.references


@call("const char *aclGetRecentErrMsg()", "get_recent_err_msg", is_free=True)
def get_recent_err_msg(process: Process) -> str | None:
    """The last error of this thread in words; reading it clears it."""
    return process.take_message()


@call("const char *aclrtGetSocName()", "get_soc_name", is_free=True)
def get_soc_name(process: Process) -> str:
    """The chip."""
    return process.machine.soc.name


@call("int aclrtPeekAtLastError(aclrtLastErrLevel level)", "rt.peek_at_last_error", is_free=True)
def peek_at_last_error(process: Process, level: int) -> int:
    """The last error of this thread, which stays."""
    return _last(process, level, forget=False)


@call("int aclrtGetLastError(aclrtLastErrLevel level)", "rt.get_last_error", is_free=True)
def get_last_error(process: Process, level: int) -> int:
    """The last error of this thread, which is cleared."""
    return _last(process, level, forget=True)


@call(
    "aclError aclrtGetVersion(out int32_t *majorVersion, out int32_t *minorVersion, out int32_t *patchVersion)",
    "get_version",
    is_free=True,
)
def get_version(process: Process) -> tuple[int, int, int]:
    """Version of the interface."""
    return MACROS["ACL_MAJOR_VERSION"], MACROS["ACL_MINOR_VERSION"], MACROS["ACL_PATCH_VERSION"]


def _check_references(process: Process) -> None:
    if not process.references:
        raise RuntimeFault(AclError.ACL_ERROR_REPEAT_FINALIZE, "aclFinalize", "no aclInit to end", "aclInit first")


def _check_config(path: str | None, content: bytes) -> None:
    try:
        parsed = json.loads(content) if content.strip() else {}
    except ValueError as failure:
        raise RuntimeFault(
            AclError.ACL_ERROR_PARSE_FILE, "configPath", f"{path}: {failure}", "JSON, such as {}"
        ) from None
    if not isinstance(parsed, dict):
        raise RuntimeFault(AclError.ACL_ERROR_PARSE_FILE, "configPath", f"{path}: {content[:20]!r}", "a JSON object")


def _last(process: Process, level: int, *, forget: bool) -> int:
    # An int is a value, not a status to be reported: asking for the last error must not become one.
    return process.last_error(forget=forget) if level == 0 else int(AclError.ACL_ERROR_INVALID_PARAM)
