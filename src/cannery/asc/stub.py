"""What editors and type checkers read of ``asc``: `__init__.pyi`, which ``python -m cannery.asc.stub`` writes."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final

from cannery.asc import exports

_WIDTH: Final = 120
PATH: Final = Path(exports.__file__).with_name("__init__.pyi")
_HEAD: Final = '''\
# ruff: noqa
"""Written by cannery.asc.stub."""

from typing import Any

'''
_STARS: Final[dict[Any, str]] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}


def stub() -> str:
    """The text of the file."""
    stars = [f"from {module.__name__} import *" for module in exports.MODULES]
    renamed = [f"from {value.__module__} import {value.__name__} as _{name}" for name, value in exports.RENAMED.items()]
    names = [f"{name} = _{name}" for name in exports.RENAMED]  # an import under another name would stay private
    submodules = [f"{name}: Any" for name in exports.SUBMODULES]
    calls = [_definition(name, call) for name, call in sorted(exports.CALLS.items())]
    rest = ["def __getattr__(name: str) -> Any: ..."]
    return _HEAD + "\n".join([*sorted([*stars, *renamed]), "", *names, *submodules, "", *calls, *rest]) + "\n"


def _definition(name: str, call: Callable[..., Any]) -> str:
    """A function, broken into lines as a formatter does it."""
    parameters = [_parameter(parameter) for parameter in signature(call).parameters.values()]
    joined = ", ".join(parameters)
    line = f"def {name}({joined}) -> None: ..."
    if len(line) <= _WIDTH:
        return line
    inner = f"    {joined}" if len(joined) + 4 <= _WIDTH else "\n".join(f"    {one}," for one in parameters)
    return f"def {name}(\n{inner}\n) -> None: ..."


def _parameter(parameter: Parameter) -> str:
    stars = _STARS.get(parameter.kind, "")
    default = "" if parameter.default is Parameter.empty else " = ..."
    return f"{stars}{parameter.name}: {parameter.annotation}{default}"


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
