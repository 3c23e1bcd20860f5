"""Starting and ending the runtime, and its errors.

Source: hicann/runtime `include/external/acl/acl.h`, `src/acl/aclrt_impl/acl.cpp` @681ef761.
"""

from __future__ import annotations

import json

from cannery.runtime.call import call
from cannery.runtime.constants import ENUMS, MACROS, PART_SIZE, VERSION_SIZE
from cannery.runtime.process import Process, read_config
from cannery.runtime.status import AclError, RuntimeFault
from cannery.settings import device_chip

_PARTS = tuple(MACROS[f"ACL_{part}_VERSION"] for part in ("MAJOR", "MINOR", "PATCH"))
_VERSION = ".".join(map(str, _PARTS))


@call("aclError aclInit(const char *configPath)", "init")
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


@call("aclError aclFinalize()", "finalize")
def finalize(process: Process) -> None:
    """Count down to nothing."""
    with process.lock:
        _check_references(process)
        process.references = 0
        process.is_aclnn_ready = False


@call("aclError aclFinalizeReference(out uint64_t *refCount)", "finalize_reference")
def finalize_reference(process: Process) -> int:
    """Count down by one."""
    with process.lock:
        _check_references(process)
        process.references -= 1
        return process.references


@call("const char *aclGetRecentErrMsg()", "get_recent_err_msg")
def get_recent_err_msg(process: Process) -> str | None:
    """The last error of this thread in words; reading it clears it."""
    return process.take_message()


@call("const char *aclrtGetSocName()", "get_soc_name")
def get_soc_name(process: Process) -> str:
    """The chip."""
    return device_chip().name


@call("int aclrtPeekAtLastError(aclrtLastErrLevel level)", "rt.peek_at_last_error")
def peek_at_last_error(process: Process, level: int) -> int:
    """The last error of this thread, which stays."""
    return _last(process, level, forget=False)


@call("int aclrtGetLastError(aclrtLastErrLevel level)", "rt.get_last_error")
def get_last_error(process: Process, level: int) -> int:
    """The last error of this thread, which is cleared."""
    return _last(process, level, forget=True)


@call(
    "aclError aclrtGetVersion(out int32_t *majorVersion, out int32_t *minorVersion, out int32_t *patchVersion)",
    "get_version",
)
def get_version(process: Process) -> tuple[int, int, int]:
    """Version of the interface."""
    return _PARTS[0], _PARTS[1], _PARTS[2]


@call("aclError aclsysGetVersionStr(const char *pkgName, void *versionStr)")
def get_version_str(process: Process, package: str | None, target: int) -> None:
    """Write the version of a package, which is this interface's, to host memory: a string that ends with 0."""
    process.memory.write_host("versionStr", target, package_version(package).encode() + b"\0")


@call("aclError aclsysGetVersionNum(const char *pkgName, out int32_t *versionNum)")
def get_version_num(process: Process, package: str | None) -> int:
    """The same as a number, whose last three digits are for what comes before a release."""
    package_version(package)
    return ((_PARTS[0] * 100 + _PARTS[1]) * 100 + _PARTS[2]) * 1000


@call(
    "aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)",
)
def get_cann_version(process: Process, package: int, target: int) -> None:
    """Write the version in parts."""
    process.memory.write_host("version", target, _packed(version_parts(package)))


def package_version(package: str | None) -> str:
    """The version of a package by its name.

    Raises:
        RuntimeFault: INVALID_PARAM: no name.
    """
    if not package:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "pkgName", package or "null", "the name of a package")
    return _VERSION


def version_parts(package: int) -> dict[str, str]:
    """The fields of aclCANNPackageVersion for a package.

    Raises:
        RuntimeFault: INVALID_PARAM: there is no such package.
    """
    if package not in ENUMS["aclCANNPackageName"].values():
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "name", package, "an aclCANNPackageName, 0 to 7")
    major, minor, release = map(str, _PARTS)
    parts = {"version": _VERSION, "major_version": major, "minor_version": minor, "release_version": release}
    return {**parts, "patch_version": "0", "reserved": ""}


def _packed(parts: dict[str, str]) -> bytes:
    """aclCANNPackageVersion as bytes: strings of a fixed size."""
    long = ("version", "reserved")
    sizes = (VERSION_SIZE if name in long else PART_SIZE for name in parts)
    return b"".join(text.encode().ljust(size, b"\0") for text, size in zip(parts.values(), sizes, strict=True))


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
