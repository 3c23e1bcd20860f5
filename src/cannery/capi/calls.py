"""Every function of the C library, and the C types of its inside.

Inside the library, functions have plain types, so that neither Python nor the C code between has to know a header.
"""

from __future__ import annotations

from cannery.aclnn import OBJECT_CALLS
from cannery.aclnn.twophase import two_phase_calls
from cannery.capi.published import published
from cannery.runtime import CALLS, Call
from cannery.runtime.constants import ENUMS
from cannery.runtime.prototype import ADDRESS_TYPES, FUNCTION_TYPES

PREFIX = "cannery_"
_PLAIN = {"aclError": "int32_t", "aclnnStatus": "int32_t", "aclFloat16": "uint16_t"}
_HANDLES = ("aclrtStream", "aclrtEvent", "aclrtContext", *FUNCTION_TYPES)


def every_call() -> tuple[Call, ...]:
    """The runtime's, aclnn's, and both phases of every operator that has the face."""
    return (*CALLS, *OBJECT_CALLS, *two_phase_calls().values())


def absent_functions() -> dict[str, str]:
    """What the original's runtime publishes and this library refuses, as declarations by name."""
    ours = {call.name for call in CALLS}
    return {name: line for name, line in published().functions.items() if name not in ours and name != "aclAppLog"}


def plain(c_type: str) -> str:
    """The type inside the library: void pointers for objects and handles, int32_t for enumerations."""
    base = c_type.replace("const", "").replace("*", "").strip()
    stars = c_type.count("*")
    if base == "char":
        return "const char *"
    if base in _HANDLES:
        base, stars = "void", stars + 1
    elif base in ADDRESS_TYPES:
        base = "void"
    elif base in ENUMS:
        base = "int32_t"
    base = _PLAIN.get(base, base)
    return f"{base} {'*' * stars}".strip()


def declaration(call: Call) -> str:
    """What the shim calls, as a declaration without its semicolon."""
    types = [plain(c_type) for parameter in call.prototype.parameters for c_type, _ in parameter.c]
    return f"{plain(call.prototype.returns)} {PREFIX}{call.name}({', '.join(types) or 'void'})"
