"""Lower kernels with the real pyasc, its compiler and launcher left out: run as a script, one file an argument.

A file is run as __main__; for the operators' kernels, which import this package, the name of a launching function of
this script stands instead. Prints the names of the lowered kernels.
"""

import importlib.util
import os
import runpy
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

os.environ.setdefault("PYASC_CACHE_DIR", tempfile.mkdtemp())

import asc.lib.runtime as rt
import asc.runtime.config as config
import asc.runtime.jit as jit

LOWERED: list[str] = []


def lower(self: Any, arguments: Any, constants: Any, codegen_options: Any, compile_options: Any) -> None:
    """Stands for compiling: generate the module, and keep the kernel's name."""
    types = {name: self.get_arg_type(value) for name, value in arguments.items()}
    self._run_codegen(jit.Specialization(types, constants), codegen_options)
    LOWERED.append(self.fn.__name__)


jit.JITFunction._cache_kernel = lower
jit.JITFunction._run_launcher = lambda *args: None
config.set_platform = lambda *args, **options: None
rt.current_stream = lambda *args: None


def respelled(name: str, source: Path) -> ModuleType:
    """A kernel module of this package, with pyasc in place of its own kernel language."""
    path = Path(tempfile.mkdtemp()) / source.name
    path.write_text(source.read_text(encoding="utf-8").replace("from cannery import asc\n", "import asc\n"))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def operators() -> None:
    """Lower the kernels of the operators."""
    import cannery.ops.pad_with_hidden_state
    import cannery.ops.update_tensor_desc

    ops = Path(cannery.ops.__file__).parent
    respelled("cannery.ops._hidden_state.kernel", ops / "_hidden_state/kernel.py")
    half, words = np.zeros(64, np.float16), np.zeros(300, np.uint32)
    unpad = respelled("respelled_unpad", ops / "unpad_with_hidden_state/kernel.py")
    unpad.unpad_with_hidden_state[2](half, half, words)
    pad = respelled("respelled_pad", ops / "pad_with_hidden_state/kernel.py")
    pad.pad_with_hidden_state[2](half, half, words, True)
    update = respelled("respelled_update", ops / "update_tensor_desc/kernel.py")
    unread, longs = np.zeros(32, np.uint8), np.zeros(128, np.int64)
    update.update_tensor_desc[1](unread, longs, unread, longs)


def main(names: list[str]) -> None:
    """Lower everything asked for. What a program computes is not there, so its own check of the result fails."""
    for name in names:
        if name == "operators":
            operators()
            continue
        sys.argv = [name]
        try:
            runpy.run_path(name, run_name="__main__")
        except AssertionError:
            continue
    print(" ".join(LOWERED))


if __name__ == "__main__":
    main(sys.argv[1:])
