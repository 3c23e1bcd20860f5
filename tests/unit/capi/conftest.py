"""A C library whose Python side is a stub."""

from collections.abc import Iterable
from pathlib import Path

from cannery.capi.calls import PREFIX, declaration, every_call, plain
from cannery.capi.headers import headers
from cannery.capi.shim import shim_source
from cannery.runtime import Call

# What the stub hands out as an array.
ARRAY = (2, 3, 5)


def write_headers(folder: Path) -> Path:
    """Every header below a folder."""
    for path, text in headers().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def write_stubbed(folder: Path) -> tuple[Path, Path]:
    """The shim as it is shipped, and in place of Python functions that succeed and give zeros."""
    shim, stub = folder / "shim.cpp", folder / "stub.cpp"
    shim.write_text(shim_source(every_call()), encoding="utf-8")
    stub.write_text(_stub(every_call()), encoding="utf-8")
    return shim, stub


def _stub(calls: Iterable[Call]) -> str:
    functions = "\n".join(_function(call) for call in calls)
    start = f"bool {PREFIX}start(void) {{ return true; }}\nint64_t *{PREFIX}new_int64(uint64_t count);\n"
    start += f"int32_t {PREFIX}refuse(const char *) {{ return 207000; }}\n"
    return f'#include <cstdint>\n#include <cstddef>\nextern "C" {{\n{start}{functions}\n}}\n'


def _function(call: Call) -> str:
    pairs = [pair for parameter in call.prototype.parameters for pair in parameter.c]
    named = ", ".join(f"{plain(c_type)} {name}" for c_type, name in pairs)
    head = declaration(call).partition("(")[0]
    writes = []
    for parameter in call.prototype.outputs:
        if parameter.is_array:
            values = " ".join(f"(*{parameter.name})[{i}] = {value};" for i, value in enumerate(ARRAY))
            new = f"*{parameter.name} = {PREFIX}new_int64({len(ARRAY)}); {values} *{parameter.length} = {len(ARRAY)};"
            writes.append(f"if ({parameter.name}) {{ {new} }}")
        else:
            writes.append(f"if ({parameter.name}) *{parameter.name} = 0;")
    ends = "" if call.prototype.returns == "void" else "return 0;"
    return f"{head}({named or 'void'}) {{ {' '.join(writes)} {ends} }}"
