"""From ``kernel[cores, stream](…)`` to a launch: arguments, cores, results
(hicann/pyasc `python/asc/runtime/launcher.py` @cecba26ace65).

Arrays are used in place where they are contiguous, so that views of one array alias as on the host; others are copied
in and back element by element.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.aicore import DeadlockError
from cannery.aicore.core import Core, Watcher
from cannery.aicore.launch import Launch
from cannery.aicore.memory import GlobalBuffer
from cannery.aicore.setup import Layout, Setup
from cannery.asc import traceback
from cannery.asc.context import CORE, Ended
from cannery.asc.numbers import INTEGERS, RtFloat, RtInt, runtime
from cannery.asc.runtime import config
from cannery.asc.runtime.config import KernelType
from cannery.asc.spelling import Pyasc
from cannery.asc.struct import Struct
from cannery.asc.tensors import GlobalAddress
from cannery.isa.dtypes import BY_NUMPY, bfloat16
from cannery.settings import current_settings
from cannery.watch import Checker, Collector, LaunchRecord, current

_K = KernelType
_SHAPES: Final[Mapping[KernelType, tuple[int, int]]] = MappingProxyType(
    {
        _K.AIV_ONLY: (0, 1), _K.AIC_ONLY: (1, 0), _K.MIX_AIV_HARD_SYNC: (0, 1), _K.MIX_AIC_HARD_SYNC: (1, 0),
        _K.MIX_AIV_1_0: (0, 1), _K.MIX_AIC_1_0: (1, 0), _K.MIX_AIC_1_1: (1, 1), _K.MIX_AIC_1_2: (1, 2),
    }
)  # fmt: skip
"""Cube and vector cores of one launched group."""


def layout(kernel_type: KernelType | None, groups: int) -> Layout:
    """The cores of a launch: kind, block index, sub-block index."""
    cubes, vectors = _SHAPES[KernelType(kernel_type if kernel_type is not None else _K.AIV_ONLY)]
    places: list[tuple[str, int, int]] = []
    for group in range(groups):
        places += [("aic", group, 0)] * cubes
        places += [("aiv", group * vectors + sub, sub) for sub in range(vectors)]
    return tuple(places)


class Argument:
    """A launched argument: what the kernel gets, and what goes back to the host after."""

    __slots__ = ("_back", "_value")

    def __init__(self, value: Any, back: Callable[[], Any] | None = None) -> None:
        self._value = value
        self._back = back

    def for_core(self) -> Any:
        """The value as one core sees it: structs are private copies."""
        return copy.deepcopy(self._value) if isinstance(self._value, Struct) else self._value

    def give_back(self) -> None:
        """Write a copied array back."""
        if self._back is not None:
            self._back()


def argument(name: str, value: Any) -> Argument:
    """Convert a host value.

    Raises:
        TypeError: a kernel cannot take such a value.
        OverflowError: an integer beyond int32.
    """
    if isinstance(value, np.ndarray):
        return _array_argument(name, value)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _tensor_argument(name, value, torch)
    if isinstance(value, (RtInt, RtFloat, Struct, GlobalAddress)):
        return Argument(value)
    if isinstance(value, np.generic):
        dtype = BY_NUMPY[value.dtype]
        return Argument(INTEGERS[dtype](int(value)) if dtype in INTEGERS else RtFloat(value))
    if isinstance(value, (bool, int, float)):
        if isinstance(value, int) and not -(2**31) <= value < 2**31:
            raise OverflowError(f"{name}: found {value}, expected an int32")
        return Argument(runtime(value))
    raise TypeError(f"{name}: found {type(value).__name__}, expected an array, a number or a Struct")


def _tensor_argument(name: str, value: Any, torch: Any) -> Argument:
    """A torch tensor: in place where it is contiguous in host memory, otherwise a copy that goes back."""
    tensor = value.detach()
    if tensor.device.type == "cpu" and tensor.is_contiguous():
        return _array_argument(name, _flat(tensor, torch))
    host = tensor.cpu().contiguous()
    if host.data_ptr() == tensor.data_ptr():
        host = host.clone()
    inner = _array_argument(name, _flat(host, torch))
    return Argument(inner.for_core(), lambda: tensor.copy_(host))


def _flat(tensor: Any, torch: Any) -> np.ndarray[Any, Any]:
    """The elements as a numpy array; flat, because numpy has fewer dims than torch."""
    flat = tensor.reshape(-1)
    if tensor.dtype == torch.bfloat16:
        return flat.view(torch.int16).numpy().view(bfloat16.numpy)
    array: np.ndarray[Any, Any] = flat.numpy()
    return array


def _array_argument(name: str, array: np.ndarray[Any, Any]) -> Argument:
    if array.dtype not in BY_NUMPY:
        names = ", ".join(str(dtype) for dtype in BY_NUMPY.values())
        raise TypeError(f"{name}: found an array of {array.dtype}, expected one of {names}")
    if array.flags.c_contiguous and array.flags.writeable:
        return Argument(GlobalAddress.of(GlobalBuffer(name, array)))
    private = np.array(array, order="C")

    def back() -> None:
        if array.flags.writeable:
            array[...] = private

    return Argument(GlobalAddress.of(GlobalBuffer(name, private)), back)


def launch(
    function: Callable[..., Any], name: str, core_num: int, arguments: Mapping[str, Argument | Any],
    *, kernel_type: KernelType | None, auto_sync: bool, insert_sync: bool | None, watchers: tuple[Watcher, ...] = (),
    reserves_ub: bool = True, fills_ub: bool = False,
) -> LaunchRecord:  # fmt: skip
    """Run a kernel on the current platform under the settings in force; the record is also the session's.

    A session that checks adds its checker to the watchers.

    Raises:
        DeadlockError: the kernel cannot go on; or whatever the kernel raises, with a traceback that ends at its line.
    """
    options, session = current_settings(), current()
    setup = Setup(
        name, config.platform(), core_num, layout(kernel_type, core_num), options.seed, auto_sync=auto_sync,
        scheduled=kernel_type not in (None, _K.AIV_ONLY), precise=options.precise, saturates=options.saturate,
        reserves_ub=reserves_ub, fills_ub=fills_ub,
    )  # fmt: skip
    findings = Collector(name, Pyasc())
    run = Launch(setup, (*((Checker(setup, findings),) if options.check else ()), *watchers))

    values = [a.for_core() if isinstance(a, Argument) else a for a in arguments.values()]
    arrays = tuple(value.buffer for value in values if isinstance(value, GlobalAddress))

    def body(core: Core) -> None:
        core.state[GlobalBuffer] = arrays
        core.in_order = bool(insert_sync)
        token = CORE.set(core)
        try:
            function(**{key: a.for_core() if isinstance(a, Argument) else a for key, a in arguments.items()})
        except Ended:
            pass
        finally:
            CORE.reset(token)

    try:
        run.run(body)
    except DeadlockError as failure:
        raise traceback.at_user_line(failure) from None
    except Exception as failure:
        raise traceback.trimmed(failure) from failure.__cause__
    finally:
        record = LaunchRecord(
            name, core_num, setup.soc.name, setup.seed, run.issued(), run.local_bytes(), tuple(findings)
        )
        session.remember(record)
        for value in arguments.values():
            if isinstance(value, Argument):
                value.give_back()
    return record
