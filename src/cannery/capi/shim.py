"""The C++ side of the library: every function under its C name, passing its arguments on to where Python takes over."""

from __future__ import annotations

from collections.abc import Iterable

from cannery.capi.calls import PREFIX, absent_functions, declaration, plain
from cannery.capi.headers import APP_LOG, headers
from cannery.core import AclnnStatus
from cannery.runtime import AclError, Call
from cannery.runtime.prototype import split_name

# What a function answers when Python cannot be started.
_FAILURES = {
    "aclError": int(AclError.ACL_ERROR_INTERNAL_ERROR),
    "aclnnStatus": int(AclnnStatus.ACLNN_ERR_INNER),
}

_HELPERS = f"""
extern "C" bool {PREFIX}start(void);

/* Arrays that the library hands out are deleted by the program, with delete[]. */
extern "C" int64_t *{PREFIX}new_int64(uint64_t count) {{ return new int64_t[count]; }}
"""


def shim_source(calls: Iterable[Call]) -> str:
    """The file. Null pointers and everything else are judged behind it: nothing is followed here."""
    calls = tuple(calls)
    includes = "".join(f'#include "{path}"\n' for path in headers() if path.startswith(("acl/acl.h", "aclnn")))
    declarations = "".join(f"{declaration(call)};\n" for call in calls) + f"int32_t {PREFIX}refuse(const char *);\n"
    refused = (_refuse(name, line) for name, line in absent_functions().items())
    # Logs of programs go nowhere.
    functions = "\n".join([*map(_forward, calls), *refused, f"{APP_LOG}\n{{\n}}\n"])
    return f'{includes}\nextern "C" {{\n{declarations}}}\n{_HELPERS}\nextern "C" {{\n{functions}}}\n'


def _forward(call: Call) -> str:
    pairs = [pair for parameter in call.prototype.parameters for pair in parameter.c]
    arguments = ", ".join(f"({plain(c_type)}){name}" for c_type, name in pairs)
    returns = call.prototype.returns
    answer = f"{PREFIX}{call.name}({arguments})"
    if returns == "void":
        return f"{call.prototype.c}\n{{\n    if ({PREFIX}start()) {answer};\n}}\n"
    failure = f"({plain(returns)}){_FAILURES.get(returns, 0)}"
    return f"{call.prototype.c}\n{{\n    return ({returns})({PREFIX}start() ? {answer} : {failure});\n}}\n"


def _refuse(name: str, line: str) -> str:
    """A published function that is not there: the linker warns, a call says so and answers 207000."""
    returns = split_name(line)[0]
    warning = f"cannery has no {name}: a call of it returns {int(AclError.ACL_ERROR_RT_FEATURE_NOT_SUPPORT)}"
    # The end of the section's name hides the flags that the compiler would give it.
    section = f'__attribute__((used, section(".gnu.warning.{name}\\n\\t#")))'
    note = f'static const char {PREFIX}warning_{name}[] {section} = "{warning}";\n'
    answer = f'{PREFIX}start() ? {PREFIX}refuse("{name}") : {_FAILURES["aclError"]}'
    body = f"return {answer};" if returns == "aclError" else f"(void)({answer});{_nothing(returns)}"
    return f"{note}{line}\n{{\n    {body}\n}}\n"


def _nothing(returns: str) -> str:
    return "" if returns == "void" else f" return ({returns})0;"
