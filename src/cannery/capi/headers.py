"""The headers, with the original names: generated from the tables of the runtime and the operators' definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

from cannery.aclnn import OBJECT_CALLS
from cannery.aclnn.naming import aclnn_operators, header_name, phase_one, phase_two
from cannery.capi.calls import absent_functions
from cannery.capi.published import published, type_declarations
from cannery.core import AclnnStatus
from cannery.operator import Operator
from cannery.runtime import CALLS, AclError, Call
from cannery.runtime.constants import ENUMS, MACROS

APP_LOG = (
    "void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)"
)
_TOP = frozenset(("aclInit", "aclFinalize", "aclFinalizeReference", "aclGetDeviceCapability"))
_LIFETIME = frozenset(("aclnnInit", "aclnnFinalize"))

_STANDARD = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
_VISIBILITY = '\n#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))\n'
_OTHER_BASE_TYPES = """
typedef struct aclTensorDesc aclTensorDesc;

/* Strict C89 and C++98 have no macros of any number of arguments. */
#if !defined(__STRICT_ANSI__) || __STDC_VERSION__ >= 199901L || __cplusplus >= 201103L
#define ACL_APP_LOG(level, ...) aclAppLog(level, __FUNCTION__, __FILE__, __LINE__, __VA_ARGS__)
#endif
"""
_OBJECT_TYPES = """
typedef int32_t aclnnStatus;
typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
"""
_UTIL = '#define ACLNN_API __attribute__((visibility("default")))\n'


@dataclass(frozen=True)
class Header:
    """A header.

    Attributes:
        path: below the include folder.
        includes: headers it needs, by path.
        text: what comes before the functions.
    """

    path: str
    includes: tuple[str, ...] = ()
    text: str = ""
    functions: tuple[str, ...] = ()

    def render(self) -> str:
        """The file."""
        guard = "CANNERY_" + self.path.upper().replace("/", "_").replace(".", "_")
        includes = "".join(f'#include "{path}"\n' for path in self.includes)
        functions = "".join(f"ACL_FUNC_VISIBILITY {function};\n" for function in self.functions)
        linkage = f'\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{functions}\n#ifdef __cplusplus\n}}\n#endif\n'
        body = f"{_STANDARD}{includes}{self.text}{linkage if functions else ''}"
        return f"/* Made by `cannery capi build`. */\n#ifndef {guard}\n#define {guard}\n\n{body}\n#endif\n"


def headers() -> Mapping[str, str]:
    """Every header by its path below the include folder."""
    return {header.path: header.render() for header in (*_runtime_headers(), *_aclnn_headers(), *_operator_headers())}


def _runtime_headers() -> Iterator[Header]:
    top = [call for call in CALLS if call.name in _TOP]
    runtime = [call for call in CALLS if call.name.startswith("aclrt")]
    base = [call for call in CALLS if call not in top and call not in runtime]
    refused = [f"{line} /* refused: 207000 */" for line in absent_functions().values()]
    errors = {member.name: int(member) for member in AclError}
    runtime_errors = {name: value for name, value in errors.items() if name.startswith("ACL_ERROR_RT_")}
    yield Header("acl/error_codes/rt_error_codes.h", text=_constants("int", runtime_errors))
    ge_errors = {name: value for name, value in errors.items() if name.startswith("ACL_ERROR_GE_")}
    yield Header("acl/error_codes/ge_error_codes.h", text=_constants("int", ge_errors))
    own = {name: value for name, value in errors.items() if name not in runtime_errors and name not in ge_errors}
    own = {"ACL_ERROR_NONE": 0, **own}
    codes = ("acl/error_codes/rt_error_codes.h", "acl/error_codes/ge_error_codes.h")
    text = _macros() + _VISIBILITY + _types() + _constants("int", own)
    yield Header("acl/acl_base_rt.h", codes, text, (*_declared(base), APP_LOG))
    yield Header("acl/acl_base_mdl.h", ("acl/acl_base_rt.h",))
    yield Header("acl/acl_base.h", ("acl/acl_base_rt.h", "acl/acl_base_mdl.h"))
    yield Header("acl/acl_rt.h", ("acl/acl_base.h",), functions=(*_declared(runtime), *refused))
    yield Header("acl/acl_op.h", ("acl/acl_rt.h",))
    yield Header("acl/acl_mdl.h", ("acl/acl_rt.h",))
    yield Header("acl/acl.h", ("acl/acl_rt.h", "acl/acl_op.h", "acl/acl_mdl.h"), functions=_declared(top))


def _aclnn_headers() -> Iterator[Header]:
    lifetime = [call for call in OBJECT_CALLS if call.name in _LIFETIME]
    objects = [call for call in OBJECT_CALLS if call not in lifetime]
    text = _OBJECT_TYPES + _constants("aclnnStatus", {"OK": 0})
    yield Header("aclnn/acl_meta.h", ("acl/acl_base.h",), text, _declared(objects))
    yield Header("aclnn/aclnn_base.h", ("aclnn/acl_meta.h",), functions=_declared(lifetime))
    yield Header("aclnnop/aclnn_util.h", text=_UTIL)
    codes = _constants("aclnnStatus", {member.name: int(member) for member in AclnnStatus})
    yield Header("securec.h", text=files("cannery.capi").joinpath("securec.h").read_text(encoding="utf-8"))
    for folder in ("opdev", "aclnn/opdev"):
        yield Header(f"{folder}/op_errno.h", ("aclnn/acl_meta.h",), codes)


def _operator_headers() -> Iterator[Header]:
    for name, operator in aclnn_operators().items():
        yield Header(
            f"aclnnop/{header_name(name)}", ("aclnn/aclnn_base.h",), _describe(operator), _phases(name, operator)
        )


def _phases(name: str, operator: Operator) -> tuple[str, ...]:
    return phase_one(name, operator.definition).c, phase_two(name).c


def _describe(operator: Operator) -> str:
    """Comments for who reads the header: what the operator does and where its contract was read."""
    definition = operator.definition
    return f"\n/* {definition.summary}\n * Contract: {definition.source}\n */\n"


def _declared(calls: Iterable[Call]) -> tuple[str, ...]:
    return tuple(call.prototype.c for call in calls)


def _constants(c_type: str, values: Mapping[str, int]) -> str:
    """Named numbers: of their type in C++, as the originals are; in C, where that would be no constant, of an enum."""
    typed = "".join(f"static const {c_type} {name} = {value};\n" for name, value in values.items())
    plain = ",\n".join(f"    {name} = {value}" for name, value in values.items())
    return f"\n#ifdef __cplusplus\n{typed}#else\nenum {{\n{plain}\n}};\n#endif\n"


def _types() -> str:
    known = {entry["name"] for entry in published().types}
    ours = {name: values for name, values in ENUMS.items() if name not in known}
    enums = "".join(f"\ntypedef enum {{\n{_members(values)}\n}} {name};\n" for name, values in ours.items())
    return f"\n{type_declarations()}{enums}{_OTHER_BASE_TYPES}"


def _members(values: Mapping[str, int]) -> str:
    return ",\n".join(f"    {name} = {value}" for name, value in values.items())


def _macros() -> str:
    values = {name: f"{value}{'U' if 'EVENT' in name else ''}" for name, value in MACROS.items()}
    return "\n" + "".join(f"#define {name} {value}\n" for name, value in {**published().macros, **values}.items())
