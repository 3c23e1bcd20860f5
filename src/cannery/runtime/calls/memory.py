"""Memory and copies.

Source: hicann/runtime `include/external/acl/acl_rt.h`, `src/acl/aclrt_impl/memory.cpp` @681ef761.
"""

from __future__ import annotations

import ctypes

from cannery.runtime.call import call
from cannery.runtime.constants import MEM_ATTRS
from cannery.runtime.host import content
from cannery.runtime.memory import Memory, Span, check_capacity, check_pointer, check_size, check_writable, fill, move
from cannery.runtime.process import Process
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import Stream


@call("aclError aclrtMalloc(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)", "rt.malloc")
def malloc(process: Process, size: int, policy: int) -> int:
    """A block of this thread's device. Its content is not defined."""
    with process.lock:
        return process.memory.malloc(process.context.device.number, size, policy)


@call("aclError aclrtMallocAlign32(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)", "rt.malloc_align32")
def malloc_align32(process: Process, size: int, policy: int) -> int:
    """The same: every block is aligned to more than 32 bytes."""
    return int(malloc.function(process, size, policy))


@call("aclError aclrtMallocCached(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)", "rt.malloc_cached")
def malloc_cached(process: Process, size: int, policy: int) -> int:
    """The same: there is no cache to keep coherent."""
    return int(malloc.function(process, size, policy))


@call(
    "aclError aclrtMallocWithCfg(out void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)"
)
def malloc_with_cfg(process: Process, size: int, policy: int, config: int) -> int:
    """The same: the configuration says for whom memory is counted, and nothing is counted here."""
    return int(malloc.function(process, size, policy))


@call("aclError aclrtFree(void *devPtr)", "rt.free")
def free(process: Process, address: int) -> None:
    """Free a block at once, whatever streams still want with it."""
    with process.lock:
        process.memory.free(address)


@call("aclError aclrtMallocHost(out void **hostPtr, size_t size)", "rt.malloc_host")
def malloc_host(process: Process, size: int) -> int:
    """A block of pinned host memory. The thread needs a context, as for memory of its device."""
    check_size(size)
    _ = process.context
    with process.lock:
        return process.memory.malloc_host(size)


@call("aclError aclrtMallocHostWithCfg(out void **ptr, uint64_t size, aclrtMallocConfig *cfg)")
def malloc_host_with_cfg(process: Process, size: int, config: int) -> int:
    """The same: the configuration says for whom memory is counted, and nothing is counted here."""
    return int(malloc_host.function(process, size))


@call("aclError aclrtFreeHost(void *hostPtr)", "rt.free_host")
def free_host(process: Process, address: int) -> None:
    """Free it."""
    with process.lock:
        process.memory.free_host(address)


@call("aclError aclrtGetMemInfo(aclrtMemAttr attr, out size_t *free, out size_t *total)", "rt.get_mem_info")
def get_mem_info(process: Process, attr: int) -> tuple[int, int]:
    """Free and total bytes of this thread's device."""
    if attr not in MEM_ATTRS.values():
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "attr", attr, "an aclrtMemAttr, 0 to 9")
    arena = process.memory.arena(process.context.device.number)
    return arena.memory - arena.used, arena.memory


@call(
    "aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)", "rt.memcpy"
)
def memcpy(process: Process, dst: int, dest_max: int, src: int, count: int, kind: int) -> None:
    """Copy now. No stream is waited for."""
    _ = process.context
    if count:
        target, source = process.memory.copy_ends(dst, dest_max, src, count, kind)
        move(target.address, source.address, count)


@call(
    "aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, "
    "aclrtStream stream)",
    "rt.memcpy_async",
)
def memcpy_async(process: Process, dst: int, dest_max: int, src: int, count: int, kind: int, handle: int) -> None:
    """Copy in a stream. Host memory that is not pinned is read at once; if it is the target, the stream runs first."""
    stream = process.stream(handle)
    if not count:
        return
    target, source = process.memory.copy_ends(dst, dest_max, src, count, kind)
    if target.arena is None and source.arena is None:
        found, expected = "host memory at both ends", "device memory at one of them, or aclrtMemcpy"
        raise RuntimeFault(AclError.ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "kind", found, expected)
    if source.arena is None and not source.is_pinned:
        kept = content(src, count)
        stream.submit(lambda: _write(process.memory, dst, kept))
        return
    stream.submit(lambda: _copy(process.memory, dst, dest_max, src, count, kind))
    _finish_if_pageable(stream, target)


@call("aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)", "rt.memset")
def memset(process: Process, address: int, max_count: int, value: int, count: int) -> None:
    """Set every byte."""
    _ = process.context
    if count:
        _check_set(process.memory, address, max_count, count)
        fill(address, value, count)


@call(
    "aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)",
    "rt.memset_async",
)
def memset_async(process: Process, address: int, max_count: int, value: int, count: int, handle: int) -> None:
    """The same in a stream."""
    stream = process.stream(handle)
    if count:
        _check_set(process.memory, address, max_count, count)
        stream.submit(lambda: _set(process.memory, address, max_count, value, count))


@call(
    "aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, "
    "aclrtMemcpyKind kind)",
    "rt.memcpy2d",
)
def memcpy2d(
    process: Process, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copy ``height`` rows of ``width`` bytes, which begin ``pitch`` bytes apart."""
    _ = process.context
    _copy_rows(process.memory, dst, dpitch, src, spitch, width, height, kind)


@call(
    "aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, "
    "size_t height, aclrtMemcpyKind kind, aclrtStream stream)",
    "rt.memcpy2d_async",
)
def memcpy2d_async(
    process: Process, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, handle: int
) -> None:
    """The same in a stream, which runs at once where host memory is not pinned."""
    stream = process.stream(handle)
    ends = _row_ends(process.memory, dst, dpitch, src, spitch, width, height, kind)
    if ends is None:
        return
    stream.submit(lambda: _copy_rows(process.memory, dst, dpitch, src, spitch, width, height, kind))
    for end in ends:
        _finish_if_pageable(stream, end)


def _finish_if_pageable(stream: Stream, end: Span) -> None:
    if end.arena is None and not end.is_pinned:
        stream.run_until(lambda: not stream.pending)


def _write(memory: Memory, dst: int, kept: bytes) -> None:
    memory.span("dst", dst, len(kept), on_device=True)
    ctypes.memmove(dst, kept, len(kept))


def _copy(memory: Memory, dst: int, dest_max: int, src: int, count: int, kind: int) -> None:
    target, source = memory.copy_ends(dst, dest_max, src, count, kind)
    move(target.address, source.address, count)


def _check_set(memory: Memory, address: int, max_count: int, count: int) -> None:
    check_pointer("devPtr", address)
    check_capacity("maxCount", max_count, count)
    span = memory.span("devPtr", address, count)
    if span.arena is None and not span.is_pinned:
        memory.span("devPtr", address, count, on_device=True)
    check_writable("devPtr", span)


def _set(memory: Memory, address: int, max_count: int, value: int, count: int) -> None:
    _check_set(memory, address, max_count, count)
    fill(address, value, count)


def _row_ends(
    memory: Memory, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int
) -> tuple[Span, Span] | None:
    """Both ends as whole ranges; None when there is nothing to copy."""
    if not width or not height:
        return None
    for parameter, pitch in (("dpitch", dpitch), ("spitch", spitch)):
        check_capacity(parameter, pitch, width)
    rows = height - 1
    target, _ = memory.copy_ends(dst, dpitch * rows + width, src, width, kind)
    whole = memory.span("dst", dst, dpitch * rows + width)
    check_writable("dst", whole)
    return Span(whole.address, whole.size, target.arena, target.is_pinned), memory.span(
        "src", src, spitch * rows + width
    )


def _copy_rows(
    memory: Memory, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    if _row_ends(memory, dst, dpitch, src, spitch, width, height, kind) is not None:
        for row in range(height):
            move(dst + row * dpitch, src + row * spitch, width)
