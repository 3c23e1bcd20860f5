"""The Python side of the C library: runs kernels on the virtual core and answers their calls."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from cannery.aicore import DeadlockError, KernelError
from cannery.aicore.core import Core
from cannery.aicore.records import Step
from cannery.ascendc.host import answer
from cannery.ascendc.kernel import Kernel, Launched, Memory
from cannery.ascendc.operations import HANDLERS, NAMES
from cannery.ascendc.sites import CodeSite, Place, Sites
from cannery.ascendc.words import Call
from cannery.settings import device_chip

_DECLARATIONS: Final = """
typedef struct { int64_t block, blocks, subBlock, subBlocks; int32_t kind; } CanneryCore;
typedef struct {
    const char *name; const char *arguments; int32_t cubes, vectors, scheduled, autoSync;
} CanneryKernel;
typedef struct { int32_t how; int32_t signal; uintptr_t place; char text[256]; } CanneryEnd;
typedef struct {
    int32_t (*call)(int32_t, int64_t *, int32_t, uintptr_t, int64_t *);
    void (*launch)(CanneryKernel *, uint32_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uint64_t *, uint32_t);
    int64_t (*ask)(const char *, const int64_t *, int32_t);
} CanneryTable;
extern CanneryTable cannery_table;
void cannery_run(uintptr_t body, uintptr_t arguments, const CanneryCore *core, CanneryEnd *end);
int32_t cannery_main(uintptr_t program, int count, char **arguments);
int32_t cannery_where(uintptr_t place, const char **file, uint64_t *offset);
void cannery_print(const char *text);
void cannery_flush(void);
uint64_t cannery_thread(void);
void cannery_expire(uint64_t thread);
"""
_COMPLETED, _STOPPED, _THREW, _CRASHED, _EXPIRED = range(5)
_KINDS: Final = {"aic": 1, "aiv": 2}
DEFAULT_LIMIT: Final = 600.0
"""Seconds that a kernel may run on one core."""


class Host(Protocol):
    """What a program has besides its kernels: memory and streams."""

    @property
    def memory(self) -> Memory:
        """Which addresses are global memory."""

    def submit(self, stream: int, task: Callable[[], None]) -> None:
        """Put a launch on a stream."""


class Running:
    """The core that a thread runs, and why its kernel has stopped."""

    def __init__(self, kernel: Kernel, core: Core) -> None:
        self.kernel = kernel
        self.core = core
        self.failure: BaseException | None = None
        self.site: CodeSite | None = None
        self._executions: dict[int, int] = {}

    def count(self, site: CodeSite) -> None:
        """Tell the watchers how often the core has come by a place; it stands where Python has loop variables."""
        number = self._executions[site.address] = self._executions.get(site.address, 0) + 1
        self.core.tell(Step(site, number, 1))  # a site by another way


class _Thread(threading.local):
    running: Running | None = None


class Bridge:
    """A loaded library, connected. ``limit``: seconds that a kernel may run on one core."""

    def __init__(self, library: Path, headers: Path, host: Host, limit: float = DEFAULT_LIMIT) -> None:
        self.ffi = import_module("cffi").FFI()
        self.ffi.cdef(_DECLARATIONS)
        self.library = self.ffi.dlopen(str(library), self.ffi.RTLD_NOW | self.ffi.RTLD_GLOBAL)
        self._host = host
        self._limit = limit
        self._thread = _Thread()
        self._sites = Sites(self._place_of, str(headers))
        self._handlers = tuple(HANDLERS[name] for name in NAMES)
        table = "CanneryTable"
        types = {field: entry.type for field, entry in self.ffi.typeof(table).fields}
        # The library keeps them as long as this object lives.
        self._callbacks = (
            self.ffi.callback(types["call"], self._call, error=1),
            self.ffi.callback(types["launch"], self._launch),
            self.ffi.callback(types["ask"], self._ask),
        )
        for name, callback in zip(("call", "launch", "ask"), self._callbacks, strict=True):
            setattr(self.library.cannery_table, name, callback)

    def main(self, address: int, arguments: list[str]) -> int:
        """Run a program's main; its exit code."""
        kept = [self.ffi.new("char[]", text.encode()) for text in arguments]
        return int(self.library.cannery_main(address, len(kept), self.ffi.new("char *[]", [*kept, self.ffi.NULL])))

    def _text(self, address: int) -> str:
        found: bytes = self.ffi.string(self.ffi.cast("char *", address))
        return found.decode(errors="replace")

    def _write(self, text: str) -> None:
        self.library.cannery_print(text.encode())

    def _place_of(self, address: int) -> Place | None:
        file, offset = self.ffi.new("const char **"), self.ffi.new("uint64_t *")
        if not self.library.cannery_where(address, file, offset):
            return None
        return Place(self.ffi.string(file[0]).decode(), int(offset[0]))

    def _call(self, operation: int, words: Any, count: int, place: int, result: Any) -> int:
        """An operation of the core that this thread runs; 1 where the kernel cannot go on."""
        running = self._thread.running
        assert running is not None
        try:
            site = running.site = self._sites.at(place)
            if running.core.watchers:
                running.count(site)
            call = Call(running.kernel, running.core, site, self.ffi.unpack(words, count))
            answer = self._handlers[operation](call)
        except BaseException as failure:
            running.failure = failure
            return 1
        if isinstance(answer, tuple):
            words[0 : len(answer)] = answer
        elif answer is not None:
            result[0] = answer
        return 0

    def _ask(self, question: Any, numbers: Any, count: int) -> int:
        return answer(device_chip(), self.ffi.string(question).decode(), self.ffi.unpack(numbers, count))

    def _launch(
        self, kernel: Any, blocks: int, stream: int, run: int, drop: int, arguments: int, addresses: Any, count: int
    ) -> None:
        labels = self.ffi.string(kernel.arguments).decode(errors="replace").split("\n")
        launched = Launched(
            self.ffi.string(kernel.name).decode(), blocks, kernel.cubes, kernel.vectors, bool(kernel.scheduled),
            bool(kernel.autoSync), tuple(labels), tuple(self.ffi.unpack(addresses, count)) if count else (),
        )  # fmt: skip
        self._host.submit(stream, partial(self._task, launched, run, drop, arguments))

    def _task(self, launched: Launched, run: int, drop: int, arguments: int) -> None:
        kernel = Kernel(launched, self._host.memory, self._write, self._text)
        try:
            kernel.run(partial(self._on_core, kernel, run, arguments))
        finally:
            self.ffi.cast("void (*)(uintptr_t)", drop)(arguments)

    def _on_core(self, kernel: Kernel, run: int, arguments: int, core: Core) -> None:
        outer, running = self._thread.running, Running(kernel, core)
        self._thread.running = running
        end = self.ffi.new("CanneryEnd *")
        timer = threading.Timer(self._limit, self.library.cannery_expire, [self.library.cannery_thread()])
        timer.daemon = True
        timer.start()
        try:
            self.library.cannery_run(run, arguments, self._described(core), end)
        finally:
            timer.cancel()
            self._thread.running = outer
        if end.how != _COMPLETED:
            raise self._failure(running, end)

    def _described(self, core: Core) -> Any:
        ratio = core.launch.vectors_per_group
        values = (core.block, core.launch.core_num, core.sub_block, ratio, _KINDS[core.kind])
        return self.ffi.new("CanneryCore *", values)

    def _failure(self, running: Running, end: Any) -> BaseException:
        """The error that ends the launch; one of the program's own is a finding as well."""
        failure = running.failure
        if end.how == _STOPPED and (isinstance(failure, DeadlockError) or not isinstance(failure, Exception)):
            return failure or KernelError("stopped")
        site = running.site if end.how in (_STOPPED, _THREW) else self._sites.at(int(end.place) + 1)
        reason = self._reason(end, failure)
        running.core.report("kernel_failed", site, reason=reason)
        where = f"{site}: " if site else ""
        return KernelError(f"{where}{reason} in block {running.core.block} of {running.kernel.launched.name}")

    def _reason(self, end: Any, failure: BaseException | None) -> str:
        if end.how == _STOPPED:
            return str(failure)
        if end.how == _THREW:
            return f"an exception: {self.ffi.string(end.text).decode(errors='replace')}"
        if end.how == _CRASHED:
            return f"{signal.Signals(end.signal).name}, {_CRASHES.get(end.signal, 'a crash')}"
        return f"the kernel has run longer than {self._limit:g} s on one core"


_CRASHES: Final = {
    int(signal.SIGSEGV): "an access to memory that is not there",
    int(signal.SIGBUS): "an access to memory that is not there",
    int(signal.SIGFPE): "a division by zero",
    int(signal.SIGABRT): "abort()",
}
