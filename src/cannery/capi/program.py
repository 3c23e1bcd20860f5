"""Running a C++ program with kernels in this process: its library, its main, its streams and memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from cannery.aicore import KernelError
from cannery.ascendc import compiler
from cannery.ascendc.bridge import DEFAULT_LIMIT, Bridge
from cannery.ascendc.compiler import Options
from cannery.ascendc.kernel import Block
from cannery.runtime import CALLS, AclError, Call, RuntimeFault, process

LIBRARY: Final = "libcannery_program.so"
_DECLARATIONS: Final = "extern void *(*cannery_resolver)(const char *); int64_t *cannery_new_int64(uint64_t count);"
_RESOLVER: Final = """
extern "C" {
void *(*cannery_resolver)(const char *);
bool cannery_start(void) { return true; }
}
"""


@dataclass(frozen=True)
class Program:
    """A compiled program: a shared object, and the library that it links."""

    binary: Path
    library: Path
    headers: Path


def prepare(sources: Sequence[Path], options: Options) -> Program:
    """Compile sources, or take what was compiled before.

    Raises:
        CompileError: there is no compiler.
        RefusedError: it refuses.
        TranslationError: a launch is not written as the language has it.
    """
    base = compiler.cache_folder() / compiler.fingerprint()
    headers = compiler.include_folder(base)
    library = compiler.once(base / "library", partial(_make_library, headers))
    system = (headers, library / "include")
    texts = {source: compiler.preprocess(source.resolve(), options, system) for source in sources}
    name = compiler.digest(repr(options), *texts.values())
    folder = compiler.once(base / "programs" / name, partial(_make_program, texts, options, library))
    return Program(folder / "program.so", library / LIBRARY, headers)


def _make_program(texts: Mapping[Path, str], options: Options, library: Path, folder: Path) -> None:
    objects = [folder / f"{number}.o" for number in range(len(texts))]
    for target, text in zip(objects, texts.values(), strict=True):
        compiler.compile_object(text, target, options)
    compiler.link(objects, folder / "program.so", library, LIBRARY)


def _make_library(headers: Path, folder: Path) -> None:
    """The functions of acl, each of which asks for its Python side when it is first called, and the bridge."""
    from cannery.capi.calls import PREFIX, declaration, every_call
    from cannery.capi.headers import headers as acl_headers
    from cannery.capi.shim import shim_source

    for path, text in acl_headers().items():
        target = folder / "include" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    calls = every_call()
    refuse = _stub(f"int32_t {PREFIX}refuse(const char *)", "refuse", PREFIX)
    stubs = [_stub(declaration(call), call.name, PREFIX) for call in calls]
    (folder / "shim.cpp").write_text("".join([shim_source(calls), _RESOLVER, *stubs, refuse]), encoding="utf-8")
    compiler.build_library(folder / LIBRARY, (folder / "shim.cpp",), (headers, folder / "include"))


def _stub(declared: str, name: str, prefix: str) -> str:
    """A function that is looked up in Python when it is first called."""
    head, _, types = declared.removesuffix(")").partition("(")
    returns = head.removesuffix(f"{prefix}{name}").strip()
    kinds = [] if types == "void" else types.split(", ")
    named = ", ".join(f"{kind} a{number}" for number, kind in enumerate(kinds))
    passed = ", ".join(f"a{number}" for number in range(len(kinds)))
    return (
        f'extern "C" {returns} {prefix}{name}({named})\n{{\n    using Function = {returns} (*)({types});\n'
        f'    static const auto function = reinterpret_cast<Function>(cannery_resolver("{name}"));\n'
        f"    return function({passed});\n}}\n"
    )


class AclMemory:
    """Global memory is what aclrtMalloc gave, and what the program has mapped."""

    def block_at(self, address: int) -> Block | None:
        """The block an address lies in."""
        memory = process().memory
        arena = memory.arena_of(address)
        found = (arena or memory.mapped).block_at(address)
        return None if found is None else Block(found.address, found.size)

    def array(self, block: Block) -> np.ndarray[Any, Any]:
        """Its bytes, not copied."""
        return np.ctypeslib.as_array((ctypes.c_uint8 * block.size).from_address(block.address))


class AclHost:
    """Streams and memory of the runtime. ``tell``: who is told why a kernel has failed."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.memory = AclMemory()
        self._tell = tell

    def submit(self, stream: int, task: Callable[[], None]) -> None:
        """Put a launch on a stream; one that cannot be is an error of the thread."""
        try:
            process().stream(stream).submit(partial(self._run, task))
        except RuntimeFault as fault:
            process().report(fault)
            self._tell(str(fault))

    def _run(self, task: Callable[[], None]) -> None:
        try:
            task()
        except KernelError as failure:
            self._tell(str(failure))
            code = AclError.ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
            raise RuntimeFault(code, "kernel", str(failure), "a kernel that ends") from None


class _Resolver:
    """Makes the Python side of acl's functions, each when it is first called."""

    def __init__(self, bridge: Bridge) -> None:
        bridge.ffi.cdef(_DECLARATIONS)
        self._bridge = bridge
        self._kept: list[Any] = []
        self._calls = {call.name: call for call in CALLS}
        found = bridge.ffi.callback("void *(const char *)", self._resolve)
        bridge.library.cannery_resolver = found
        self._kept.append(found)

    def _resolve(self, name: Any) -> Any:
        from cannery.capi.bridge import Entry, refuse
        from cannery.capi.calls import PREFIX, declaration

        ffi, function = self._bridge.ffi, self._bridge.ffi.string(name).decode()
        if function == "refuse":
            made = ffi.callback("int32_t(const char *)", lambda text: refuse(ffi.string(text).decode()))
        else:
            call = self._call(function)
            entry = Entry(ffi, self._bridge.library, call)
            on_error = {} if call.prototype.returns == "void" else {"error": entry.failure}
            made = ffi.callback(declaration(call).replace(f"{PREFIX}{function}", ""), entry, **on_error)
        self._kept.append(made)
        return ffi.cast("void *", made)

    def _call(self, name: str) -> Call:
        if name not in self._calls:
            from cannery.capi.calls import every_call

            self._calls = {call.name: call for call in every_call()}
        return self._calls[name]


def run(program: Program, arguments: Sequence[str], tell: Callable[[str], None], limit: float = DEFAULT_LIMIT) -> int:
    """Run a program's main in this process; its exit code.

    Args:
        arguments: the program's name first.
        tell: who is told why a kernel has failed.
        limit: seconds that a kernel may run on one core.
    """
    bridge = Bridge(program.library, program.headers, AclHost(tell), limit)
    resolver = _Resolver(bridge)
    loaded = ctypes.CDLL(str(program.binary), mode=ctypes.RTLD_LOCAL)
    main = ctypes.cast(loaded.main, ctypes.c_void_p).value or 0
    code = bridge.main(main, list(arguments))
    del resolver
    return code
