"""Contexts and their options. Source: hicann/runtime `include/external/acl/acl_rt.h` @681ef761."""

from __future__ import annotations

from collections.abc import Mapping

from cannery.runtime.call import call
from cannery.runtime.device import Context
from cannery.runtime.process import SYS_OPTIONS, Process
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import Stream


@call("aclError aclrtCreateContext(out aclrtContext *context, int32_t deviceId)", "rt.create_context")
def create_context(process: Process, number: int) -> int:
    """A new context, which is this thread's from now on."""
    with process.lock:
        device = process.device(number)
        process.memory.arena(number)
        context = device.create_context()
        process.enter(context)
        return process.handles.add(context)


@call("aclError aclrtDestroyContext(aclrtContext context)", "rt.destroy_context")
def destroy_context(process: Process, handle: int) -> None:
    """End a context that was created; the default one ends with its device."""
    with process.lock:
        context = process.handles.get(handle, Context, "context")
        if context.is_default:
            found = "the default context"
            raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "context", found, "one of aclrtCreateContext")
        streams = context.every_stream()
        context.device.end_context(context)
        process.handles.remove(handle)
        _forget_streams(process, streams)
        if process.is_current(context):
            process.leave()


@call("aclError aclrtSetCurrentContext(aclrtContext context)", "rt.set_context")
def set_context(process: Process, handle: int) -> None:
    """Use a context, and its device, in this thread."""
    context = process.handles.get(handle, Context, "context")
    if not context.is_alive:
        found, expected = "one whose device was reset", "aclrtCreateContext again"
        raise RuntimeFault(AclError.ACL_ERROR_RT_CONTEXT_NULL, "context", found, expected)
    process.enter(context)


@call("aclError aclrtGetCurrentContext(out aclrtContext *context)", "rt.get_context")
def get_context(process: Process) -> int:
    """This thread's context."""
    return _handle(process, process.context)


@call("aclError aclrtCtxGetCurrentDefaultStream(out aclrtStream *stream)", "rt.ctx_get_current_default_stream")
def get_default_stream(process: Process) -> int:
    """The stream that null stands for."""
    return _handle(process, process.context.default_stream)


@call(
    "aclError aclrtGetPrimaryCtxState(int32_t deviceId, out uint32_t *flags, out int32_t *active)",
    "rt.get_primary_ctx_state",
)
def get_primary_ctx_state(process: Process, number: int) -> tuple[int, int]:
    """Whether a device has its default context."""
    return 0, int(process.device(number).default is not None)


@call("aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)", "rt.ctx_set_sys_param_opt")
def ctx_set_sys_param_opt(process: Process, option: int, value: int) -> None:
    """Set an option of this context."""
    _check_option(option)
    process.context.options[option] = value


@call("aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, out int64_t *value)", "rt.ctx_get_sys_param_opt")
def ctx_get_sys_param_opt(process: Process, option: int) -> int:
    """An option of this context."""
    return _option(process.context.options, option)


@call("aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)", "rt.set_sys_param_opt")
def set_sys_param_opt(process: Process, option: int, value: int) -> None:
    """Set an option of the process."""
    _check_option(option)
    process.options[option] = value


@call("aclError aclrtGetSysParamOpt(aclSysParamOpt opt, out int64_t *value)", "rt.get_sys_param_opt")
def get_sys_param_opt(process: Process, option: int) -> int:
    """An option of the process."""
    return _option(process.options, option)


def _handle(process: Process, value: Context | Stream) -> int:
    known = (handle for handle, other in process.handles.of(type(value)) if other is value)
    return next(known, None) or process.handles.add(value)


def _forget_streams(process: Process, streams: list[Stream]) -> None:
    for handle, stream in process.handles.of(Stream):
        if stream in streams:
            process.handles.remove(handle)


def _check_option(option: int) -> None:
    if option not in SYS_OPTIONS:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "opt", option, "an aclSysParamOpt, 0 to 3")


def _option(options: Mapping[int, int], option: int) -> int:
    _check_option(option)
    if option not in options:
        found = f"option {option}, which nobody has set"
        raise RuntimeFault(AclError.ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt", found, "one that was set")
    return options[option]
