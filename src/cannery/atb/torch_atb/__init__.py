"""The Python package of ATB, as ``import torch_atb`` finds it under ``cannery exec`` or ``import cannery.activate``.

Source of the spelling: ascend-transformer-boost `torch_atb/__init__.py`, `src/torch_atb/` @ddcc8b6. The train
operators, which the original loads but does not bind, are bound here; the operators it binds are not provided, and
say so when their parameters are made.
"""

import os
from typing import Any

from cannery.atb.params import atb_operators as _atb_operators
from cannery.atb.torch_atb._builder import Builder
from cannery.atb.torch_atb._enums import AclDataType, AclFormat
from cannery.atb.torch_atb._graph_builder import GraphBuilder
from cannery.atb.torch_atb._operation import AtbError, Operation, set_buffer_size
from cannery.atb.torch_atb._params import absent_class, is_absent, param_class
from cannery.atb.torch_atb._prof import Prof

__version__ = "0.0.1"

__all__ = [
    "AclDataType",
    "AclFormat",
    "AtbError",
    "Builder",
    "GraphBuilder",
    "Operation",
    "Prof",
    "get_atb_home_path",
    "set_buffer_size",
]


def get_atb_home_path() -> str:
    """The folder of this package."""
    return os.path.dirname(os.path.abspath(__file__))


def __getattr__(name: str) -> Any:
    if name in _atb_operators():
        return param_class(name)
    if is_absent(name):
        return absent_class(name)
    raise AttributeError(f"module 'torch_atb' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_atb_operators()})


# What looks for ATB's own files finds this package, as with the original.
os.environ["ATB_HOME_PATH"] = get_atb_home_path()
