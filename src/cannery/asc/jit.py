"""``@asc.jit`` and launching (hicann/pyasc `python/asc/runtime/jit.py` @cecba26ace65).

The body runs in CPython. On the host ``kernel[cores, stream](…)`` launches it; inside a kernel a plain call is an
ordinary call whose numbers become run-time numbers.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial, update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeVar

from cannery.aicore.instruction import Site
from cannery.asc.context import CORE
from cannery.asc.launcher import Argument, argument, launch
from cannery.asc.numbers import runtime
from cannery.asc.reach import names
from cannery.asc.rewrite import rewrite
from cannery.asc.runtime.config import KernelType
from cannery.asc.syntax import refused
from cannery.watch.session import LaunchRecord

T = TypeVar("T")


if TYPE_CHECKING:
    ConstExpr = Annotated[T, "ConstExpr"]  # to a type checker the parameter is what stands in the brackets
else:

    class ConstExpr(Generic[T]):
        """Marks a kernel parameter that stays a plain Python value: ``n: asc.ConstExpr[int]``."""


__all__ = ["CodegenOptions", "CompileOptions", "ConstExpr", "JITFunction", "LaunchOptions", "jit"]


@dataclass(frozen=True)
class CodegenOptions:
    """Front-end options; they change nothing here."""

    capture_exceptions: bool = True
    ir_multithreading: bool = True


@dataclass(frozen=True)
class CompileOptions:
    """Compiler options. ``auto_sync``, ``insert_sync``, ``kernel_type`` and ``matmul_cube_only`` have a meaning here,
    and of ``bisheng_options`` the one by which the compiler reserves no UB.
    """

    kernel_type: Any = None
    insert_sync: bool | None = None
    auto_sync: bool = True
    auto_sync_log: str = ""
    matmul_cube_only: bool = False
    always_compile: bool = False
    debug: bool = False
    strip_loc: bool = False
    print_ir_before_all: bool = False
    run_passes: bool = True
    opt_level: int = 3
    bisheng_options: Any = None
    verify_sync: bool = False


@dataclass(frozen=True)
class LaunchOptions:
    """How many groups of cores, and on which stream."""

    core_num: int = 0
    stream: Any = None


_REGISTER: Final = "register_matmul"
_UNRESERVED: Final = "--cce-disable-asc-reserved-ubuf"
_OPTIONS = frozenset(f.name for group in (CodegenOptions, CompileOptions, LaunchOptions) for f in fields(group))


class JITFunction:
    """A jitted function: a kernel on the host, a device function inside one."""

    def __init__(self, function: FunctionType, options: Mapping[str, Any]) -> None:
        _check_options(options)
        self._function = function
        self.__name__ = function.__name__
        self._options = dict(options)
        self._signature = inspect.signature(function)
        clash = [name for name in self._signature.parameters if name in _OPTIONS]
        if clash:
            raise RuntimeError(f"{function.__name__}: found a parameter called {clash[0]}, which is an option of jit")
        self._body: Callable[..., Any] | None = None
        self._constants: dict[str, Any] | None = None
        update_wrapper(self, function)

    @property
    def body(self) -> Callable[..., Any]:
        """The function that really runs."""
        if self._body is None:
            self._body = rewrite(self._function)
        return self._body

    def __getitem__(self, launch_options: Any) -> Callable[..., None]:
        """``kernel[cores]`` or ``kernel[cores, stream]``.

        Raises:
            TypeError: something else between the brackets.
            ValueError: fewer than one core.
        """
        values = launch_options if isinstance(launch_options, tuple) else (launch_options,)
        if not 1 <= len(values) <= 2 or not isinstance(values[0], int):
            raise TypeError(f"{self.__name__}[…]: found {launch_options!r}, expected core_num or core_num, stream")
        if values[0] <= 0:
            raise ValueError(f"{self.__name__}[…]: core_num: found {values[0]}, expected 1 or more")
        return partial(self._run, LaunchOptions(int(values[0]), values[1] if len(values) > 1 else None))

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Inside a kernel: an ordinary call. On the host: the undecorated body."""
        if CORE.get() is None:
            return self._function(*args, **options)
        constants = self._const_parameters()
        names = self._signature.parameters
        values = [
            value if name in constants else runtime(value) for name, value in zip(names, args, strict=False)
        ] + list(args[len(names) :])
        named = {key: value if key in constants else runtime(value) for key, value in options.items()}
        self._tell_refused(is_kernel=False)
        return self.body(*values, **named)

    def _as_kernel(self, **arguments: Any) -> None:
        """The body as a launch runs it."""
        self._tell_refused(is_kernel=True)
        self.body(**arguments)

    def _tell_refused(self, *, is_kernel: bool) -> None:
        """Report the constructs that pyasc's compiler refuses, once a core."""
        core = CORE.get()
        if core is None or not core.watchers:
            return
        told = core.state.setdefault(JITFunction, set())
        if self not in told:
            told.add(self)
            file = self._function.__code__.co_filename
            for line, construct, instead in refused(self._function, self._const_parameters(), is_kernel=is_kernel):
                site = Site(file, line, self.__name__)
                core.report("unsupported_syntax", site, construct=construct, instead=instead)

    def run(self, core_num: int, *args: Any, **options: Any) -> LaunchRecord:
        """Launch and return the record of the launch.

        ``watchers=`` see what is issued; ``fills_ub=True`` for a kernel that takes all of UB on purpose.
        """
        watchers, fills_ub = tuple(options.pop("watchers", ())), bool(options.pop("fills_ub", False))
        mine = {key: options.pop(key) for key in list(options) if key in _OPTIONS}
        settings = CompileOptions(**{k: v for k, v in (self._options | mine).items() if k in _COMPILE})
        bound = self._signature.bind(*args, **options)
        bound.apply_defaults()
        arguments = {name: self._argument(name, value) for name, value in bound.arguments.items()}
        return launch(
            self._as_kernel, self.__name__, core_num, arguments, kernel_type=self._kernel_type(settings),
            auto_sync=settings.auto_sync, insert_sync=settings.insert_sync, watchers=watchers,
            reserves_ub=_UNRESERVED not in str(settings.bisheng_options), fills_ub=fills_ub,
        )  # fmt: skip

    def _kernel_type(self, settings: CompileOptions) -> Any:
        """The kernel type: one that registers a Matmul is made for a cube and its vector cores, or the cube alone
        (`lib/Dialect/Asc/Transforms/DetectKernelTypePass.cpp`, `python/asc/runtime/compiler.py`).
        """
        if not names(self._function, _REGISTER):
            return settings.kernel_type
        return KernelType.AIC_ONLY if settings.matmul_cube_only else KernelType.MIX_AIC_1_2

    def _run(self, launch: LaunchOptions, /, *args: Any, **options: Any) -> None:
        self.run(launch.core_num, *args, **options)

    def _argument(self, name: str, value: Any) -> Argument | Any:
        constants = self._const_parameters()
        if name not in constants:
            return argument(name, value)
        wanted = typing.get_origin(constants[name]) or constants[name]
        if wanted is not Any and isinstance(wanted, type) and not isinstance(value, wanted):
            raise RuntimeError(f"{name}: found {type(value).__name__}, expected ConstExpr[{wanted.__name__}]")
        return value

    def _const_parameters(self) -> dict[str, Any]:
        """ConstExpr parameters and the type in their brackets, None where there is none."""
        if self._constants is None:
            hints = _hints(self._function)
            self._constants = {
                name: next(iter(typing.get_args(hint)), None)
                for name, hint in hints.items()
                if hint is ConstExpr or typing.get_origin(hint) is ConstExpr
            }
        return self._constants


_COMPILE = frozenset(f.name for f in fields(CompileOptions))


def _hints(function: FunctionType) -> dict[str, Any]:
    annotations = dict(function.__annotations__)
    if not any(isinstance(hint, str) for hint in annotations.values()):
        return annotations
    try:
        return typing.get_type_hints(function)
    except Exception:  # annotations are documentation: one that cannot be evaluated is not ours to refuse
        return annotations


def _check_options(options: Mapping[str, Any]) -> None:
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        raise RuntimeError(f"jit: found option {unknown[0]}, expected one of {', '.join(sorted(_OPTIONS))}")


def jit(function: Any = None, **options: Any) -> Any:
    """Make a function a kernel: ``@asc.jit`` or ``@asc.jit(option=value, …)``.

    Raises:
        RuntimeError: an unknown option, or a parameter named like an option.
    """
    if function is None:
        return lambda target: JITFunction(target, options)
    return JITFunction(function, options)
