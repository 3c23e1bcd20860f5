"""GE's options: which there are, where each may be given, what values it takes.

Source: hicann/ge `docs/zh/api/graph_engine_api/cpp/ge/options_params/*.md` @ffdcbc9f. Keys and values are strings.
Precision and compile options are judged and have no effect: an operator computes in the types it declares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from types import MappingProxyType

from cannery.core import GeStatus
from cannery.ge._engine.no_effect import NO_EFFECT
from cannery.ge.error import GeError
from cannery.runtime import process
from cannery.soc import soc

GLOBAL, SESSION, GRAPH = "global", "session", "graph"
EVERYWHERE = (GLOBAL, SESSION, GRAPH)

DEVICE, RUN_MODE, SOC = "ge.exec.deviceId", "ge.graphRunMode", "ge.socVersion"
PRECISION, PRECISION_V2 = "ge.exec.precision_mode", "ge.exec.precision_mode_v2"
DYNAMIC = ("ge.inputShape", "ge.dynamicDims", "ge.dynamicNodeType")
TRAINING = "1"

REFUSED: Mapping[str, IntEnum] = MappingProxyType(
    {
        GLOBAL: GeStatus.GE_CLI_INIT_FAILED,
        SESSION: GeStatus.GE_CLI_SESS_CONSTRUCT_FAILED,
        GRAPH: GeStatus.GE_CLI_SESS_ADD_FAILED,
    }
)
"""What answers an option that is refused, by where it was given."""


def _one_of(*values: str) -> Callable[[str], str | None]:
    return lambda value: None if value in values else f"one of {', '.join(values)}"


def _matches(pattern: str, words: str) -> Callable[[str], str | None]:
    return lambda value: None if re.fullmatch(pattern, value) else words


def _is_chip(value: str) -> str | None:
    try:
        soc(value)
    except ValueError as failure:
        return str(failure).removeprefix(f"soc: found {value!r}, expected ")
    return None


def _anything(value: str) -> str | None:
    return None


@dataclass(frozen=True)
class Option:
    """An option: where it may be given, and what it expects in words when a value is none of its own."""

    levels: tuple[str, ...]
    expects: Callable[[str], str | None] = _anything


_MODES = (
    "force_fp32",
    "cube_fp16in_fp32out",
    "force_fp16",
    "allow_fp32_to_fp16",
    "must_keep_origin_dtype",
    "allow_mix_precision",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
    "allow_fp32_to_bf16",
)
_MODES_V2 = (
    "fp16",
    "origin",
    "cube_fp16in_fp32out",
    "mixed_float16",
    "mixed_bfloat16",
    "mixed_hif8",
    "cube_hif8",
)
_SHAPES = r"[^:;]+:-?\d+(,-?\d+)*(;[^:;]+:-?\d+(,-?\d+)*)*"

OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        DEVICE: Option((GLOBAL, SESSION), _matches(r"-?[0-9]{1,9}", "a device number")),
        RUN_MODE: Option((GLOBAL, SESSION), _one_of("0", TRAINING)),
        SOC: Option((GLOBAL, SESSION), _is_chip),
        PRECISION: Option(EVERYWHERE, _one_of(*_MODES)),
        PRECISION_V2: Option(EVERYWHERE, _one_of(*_MODES_V2)),
        "ge.jit_compile": Option(EVERYWHERE, _one_of("0", "1", "2")),
        "ge.compile_dynamic_mode": Option(EVERYWHERE, _one_of("0", "1")),
        "ge.inputShape": Option((SESSION, GRAPH), _matches(_SHAPES, "name:dim,dim;name:dim …")),
        "ge.dynamicDims": Option((SESSION, GRAPH), _matches(r"\d+(,\d+)*(;\d+(,\d+)*)*", "dim,dim;dim,dim …")),
        "ge.dynamicNodeType": Option((SESSION, GRAPH), _one_of("0", "1")),
        "ge.exec.static_model_ops_lower_limit": Option(EVERYWHERE, _matches(r"-1|\d+", "-1 or a number of operators")),
        "ge.deterministic": Option(EVERYWHERE, _one_of("0", "1")),
        **dict.fromkeys(NO_EFFECT, Option(EVERYWHERE)),
    }
)


def check_options(level: str, given: object, inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """The options of a level over those of the levels above.

    Raises:
        TypeError: no mapping of strings to strings.
        GeError: an option that is unknown, belongs elsewhere, has no such value, or contradicts another; the code is
            that of the call it was given to.
    """
    if not isinstance(given, Mapping) or not all(isinstance(text, str) for pair in given.items() for text in pair):
        raise TypeError(f"options: found {given!r:.100}, expected a dict from string to string")
    for name, value in given.items():
        _check(level, name, value)
    merged = {**(inherited or {}), **given}
    _check_together(level, merged)
    return merged


def _check(level: str, name: str, value: str) -> None:
    option = OPTIONS.get(name)
    if option is None:
        nearest = ", ".join(get_close_matches(name, OPTIONS, n=3, cutoff=0.3))
        hint = f"; the nearest are {nearest}" if nearest else f", such as {DEVICE}"
        raise _refused(level, f"option: found {name!r}, expected one of GE's{hint}")
    if level not in option.levels:
        raise _refused(level, f"{name}: found it among {level} options, expected among {' or '.join(option.levels)}")
    expected = option.expects(value)
    if expected is not None:
        raise _refused(level, f"{name}: found {value!r}, expected {expected}")


def _check_together(level: str, options: Mapping[str, str]) -> None:
    if PRECISION in options and PRECISION_V2 in options:
        raise _refused(level, f"found {PRECISION} and {PRECISION_V2}, expected one of them")
    dynamic = [name for name in DYNAMIC if name in options]
    if DYNAMIC[1] in options and len(dynamic) < len(DYNAMIC):
        raise _refused(level, f"found {', '.join(dynamic)}, expected {', '.join(DYNAMIC)} together")
    _check_device(level, options)


def _check_device(level: str, options: Mapping[str, str]) -> None:
    """Inference lets GE choose (-1), training does not."""
    if DEVICE not in options:
        return
    first, last = 0 if options.get(RUN_MODE) == TRAINING else -1, process().device_count() - 1
    if not first <= int(options[DEVICE]) <= last:
        raise _refused(level, f"{DEVICE}: found {options[DEVICE]!r}, expected {first} to {last}")


def _refused(level: str, message: str) -> GeError:
    return GeError(message, code=REFUSED[level])
