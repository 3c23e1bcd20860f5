"""The headers that are made from tables: operations, element types, events, the lane-wise instructions, refusals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from cannery.aicore.pipes import EVENTS
from cannery.ascendc.operations import NAMES
from cannery.ascendc.operations.mathematics import MATH, operation
from cannery.ascendc.unsupported import FUNCTIONS
from cannery.ascendc.words import ELEMENTS
from cannery.isa.advanced import PREFIX
from cannery.isa.dtypes import DataType
from cannery.isa.enums import QuantModes
from cannery.isa.op import DAV_2201, DAV_3510, SCALAR, Op, Types
from cannery.isa.table import BINARY, ROWS, UNARY, WITH_SCALAR

_CPP: Final = MappingProxyType(
    {"float16": "half", "float32": "float", "float64": "double", "bfloat16": "bfloat16_t"}
)  # fmt: skip
_ALIASES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"MulAddRelu": ("FusedMulAddRelu",)})
"""Other names of a function, older ones."""
_PARAMS: Final[Mapping[tuple[str, ...], str]] = MappingProxyType(
    {BINARY: "BinaryRepeatParams", UNARY: "UnaryRepeatParams", WITH_SCALAR: "UnaryRepeatParams"}
)
LANEWISE: Final = frozenset({"lanewise", "combined", "dequantised_sum"})
"""Forms of rows whose functions have a count, or a mask and repeats, and nothing else."""
INCLUDE: Final = Path(__file__).with_name("include")
_BASIC: Final = (
    "kernel_basic_intf.h", "kernel_operator_intf.h", "kernel_operator_list_tensor_intf.h",
    "basic_api/kernel_basic_intf.h", "basic_api/kernel_operator_block_sync_intf.h", "utils/debug/asc_assert.h",
    "utils/debug/asc_dump.h", "utils/debug/asc_printf.h", "lib/std/algorithm.h", "lib/std/cmath.h", "lib/std/tuple.h",
    "lib/std/type_traits.h", "lib/std/utility.h", "std/algorithm.h",
)  # fmt: skip
_ADVANCED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "activation": "geglu gelu kernel_operator_softmax_intf logsoftmax reglu sigmoid silu simplesoftmax softmax "
        "softmaxflash softmaxflashv2 softmaxflashv3 softmaxgrad swiglu swish",
        "filter": "dropout",
        "index": "arange arithprogression",
        "math": "acos acosh asin asinh atan atanh axpy ceil clamp cos cosh cumsum digamma erf erfc exp floor fmod frac "
        "lgamma log power round sign sin sinh tan tanh trunc xor",
        "normalization": "batchnorm deepnorm groupnorm layernorm layernormgrad normalize rmsnorm welfordfinalize "
        "welfordupdate",
        "pad": "broadcast kernel_operator_pad_intf pad",
        "quantization": "ascend_antiquant ascend_dequant ascend_quant",
        "reduce": "mean reduce reduce_xor_sum sum",
        "select": "selectwithbytesmask",
        "sort": "sort topk",
        "transpose": "confusion_transpose transdata",
    }
)
_HEAD: Final = "// Made by cannery from its table of instructions.\n"


def cpp_name(dtype: DataType) -> str:
    """An element type as C++ writes it."""
    return _CPP.get(str(dtype), f"{dtype}_t")


def generated() -> dict[str, str]:
    """The made headers by their path below the include folder."""
    return {
        "cannery/operations.h": _guarded("OPERATIONS", _operations()),
        "cannery/lanewise.h": _guarded("LANEWISE", _lanewise()),
        "cannery/mathematics.h": _guarded("MATHEMATICS", _mathematics()),
        "tiling/temporaries.h": _guarded("TEMPORARIES", _temporaries()),
        "cannery/unsupported.h": _guarded("UNSUPPORTED", _unsupported()),
    }


def _forwarded() -> dict[str, str]:
    """Headers that programs include by name and that are part of kernel_operator.h here."""
    text = f'{_HEAD}#include "kernel_operator.h"\n'
    folders = {f"lib/{folder}/{name}.h": text for folder, names in _ADVANCED.items() for name in names.split()}
    return {**folders, **dict.fromkeys(_BASIC, text)}


def write(folder: Path) -> None:
    """All headers below a folder: those of the package, and the made ones."""
    shipped = {str(path.relative_to(INCLUDE)): path.read_text(encoding="utf-8") for path in INCLUDE.rglob("*.h")}
    for path, text in {**_forwarded(), **shipped, **generated()}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _guarded(name: str, text: str) -> str:
    guard = f"CANNERY_{name}_H"
    return f"{_HEAD}#ifndef {guard}\n#define {guard}\n\n{text}\n#endif\n"


def _operations() -> str:
    quantisations = ",\n".join(f"    {mode.name} = {int(mode)}" for mode in QuantModes)
    events = _members(EVENTS) + f",\n    MAX = {len(EVENTS)}"
    return (
        "#include <cstdint>\n\nnamespace cannery {\n\n"
        f"enum class Operation : int32_t {{\n{_members(NAMES)}\n}};\n\n"
        f"enum class Dtype : int64_t {{\n{_members(map(str, ELEMENTS))}\n}};\n\n"
        "}  // namespace cannery\n\nnamespace AscendC {\n\n"
        f"enum class HardEvent : uint8_t {{\n{events}\n}};\n\n"
        "}  // namespace AscendC\n\n"
        f"enum QuantMode_t : uint8_t {{\n{quantisations}\n}};\n"
    )


def _members(names: Iterable[str]) -> str:
    return ",\n".join(f"    {name} = {number}" for number, name in enumerate(names))


def _lanewise() -> str:
    functions = "\n".join(_spelled(op) for op in ROWS if op.form in LANEWISE)
    return f'#include "cannery/tensors.h"\n\nnamespace AscendC {{\n\n{functions}\n}}  // namespace AscendC\n'


def _spelled(op: Op) -> str:
    return "\n".join(_function(op, name) for name in (op.page, *_ALIASES.get(op.page, ())))


def _function(op: Op, name: str) -> str:
    """The three forms of a row, and what says so where none fits."""
    types = ("T", "U") if _is_mixed(op) else ("T",)
    template, operands, passed = ", ".join(f"typename {one}" for one in types), _operands(op, types), _passed(op)
    check = _type_check(op, name, types)
    forms = (
        ("WORDS", ", bool isSetMask = true", "uint64_t mask[], const uint8_t repeatTime", "cannery::Mask{mask}"),
        ("LANES", ", bool isSetMask = true", "uint64_t mask, const uint8_t repeatTime", "mask"),
    )
    masked = "".join(
        f"template <{template}{more}>\nCANNERY_INLINE void {name}({operands}, {arguments}, const "
        f"{_PARAMS[op.operands]} &params)\n{{\n{check}    cannery::call(cannery::Operation::{op.name}, "
        f"cannery::Form::{form}, {passed}, {mask}, repeatTime, isSetMask, params);\n}}\n"
        for form, more, arguments, mask in forms
    )
    counted = (
        f"template <{template}{', bool isSetMask = true' if SCALAR in op.operands else ''}>\n"
        f"CANNERY_INLINE void {name}({operands}, const int32_t &count)\n{{\n{check}"
        f"    cannery::call(cannery::Operation::{op.name}, cannery::Form::COUNT, {passed}, count);\n}}\n"
    )
    return f"{masked}{counted}{_refusal(op, name)}"


def _is_mixed(op: Op) -> bool:
    """Whether operands may have different element types."""
    return op.types is not None and not op.types[DAV_2201].uniform


def _operands(op: Op, types: tuple[str, ...]) -> str:
    parts = []
    for name in op.operands:
        kind = types[0] if name == "dst" else types[-1]
        parts.append(f"const {kind} &scalar" if name == SCALAR else f"const LocalTensor<{kind}> &{name}")
    return ", ".join(parts)


def _passed(op: Op) -> str:
    return ", ".join(op.operands)


def _type_check(op: Op, name: str, types: tuple[str, ...]) -> str:
    if op.types is None:
        return ""
    return (
        f"#if __NPU_ARCH__ == {DAV_3510}\n{_assertion(op.types[DAV_3510], name, types)}"
        f"#else\n{_assertion(op.types[DAV_2201], name, types)}#endif\n"
    )


def _assertion(allowed: Types, name: str, types: tuple[str, ...]) -> str:
    signatures = sorted({(one[0], one[-1]) if len(types) > 1 else (one[0],) for one in allowed.modes}, key=str)
    spelled = [tuple(map(cpp_name, one)) for one in signatures]
    tests = " || ".join(
        " && ".join(f"std::is_same_v<{kind}, {one}>" for kind, one in zip(types, signature, strict=True))
        for signature in spelled
    )
    expected = ", ".join(" from ".join(signature) for signature in spelled)
    return f'    static_assert({tests}, "{name}: found another element type, expected {expected}");\n'


def _refusal(op: Op, name: str) -> str:
    operands = ", ".join(op.operands)
    text = (
        f"{name}: found other arguments, expected ({operands}, count) or ({operands}, mask, repeatTime, "
        f"{_PARAMS[op.operands]})"
    )
    if SCALAR in op.operands:
        text += ", with a scalar of the tensors' element type"
    return f'template <typename T = void> void {name}(...)\n{{\n    static_assert(cannery::never<T>, "{text}");\n}}\n'


def _mathematics() -> str:
    functions = "\n".join(_of_advanced(op) for op in MATH)
    return f'#include "cannery/tensors.h"\n\nnamespace AscendC {{\n\n{functions}\n}}  // namespace AscendC\n'


def _of_advanced(op: Op) -> str:
    """With a temporary buffer or without, with a count or without."""
    name = op.name.removeprefix(PREFIX).capitalize()
    types = ("T", "U") if SCALAR in op.operands else ("T",)
    operands = _operands(op, types)
    level = ", uint8_t taylorExpandLevel" if op.form == "taylor" else ""
    template = ", ".join(f"typename {one}" for one in types) + level
    buffers = (("", "0"), (", const LocalTensor<uint8_t> &sharedTmpBuffer", "1, sharedTmpBuffer"))
    counts = (("", "0"), (", const uint32_t calCount", "1, calCount"))
    return "".join(
        f"template <{template}, bool isReuseSource = false>\nCANNERY_INLINE void {name}({operands}{buffer}{count})\n"
        f"{{\n    cannery::call(cannery::Operation::{operation(op)}, isReuseSource, {_passed(op)}, {given}, "
        f"{number});\n}}\n"
        for buffer, given in buffers
        for count, number in counts
    )


def _temporaries() -> str:
    """Get…MaxMinTmpSize of every function whose temporary buffer the table knows."""
    functions = "\n".join(
        f"inline void Get{name.capitalize()}MaxMinTmpSize(const cannery::HostShape &shape, uint32_t typeSize, "
        f"bool isReuseSource, uint32_t &maxValue, uint32_t &minValue)\n{{\n"
        f'    cannery::temporary("{name}", shape, typeSize, isReuseSource, maxValue, minValue);\n}}'
        for name in (op.name.removeprefix(PREFIX) for op in MATH if op.temporary is not None)
        if name != "power"
    )
    return f"namespace AscendC {{\n\n{functions}\n\n}}  // namespace AscendC\n"


def _unsupported() -> str:
    functions = "\n".join(
        f"template <typename T = void, typename... More> void {name}(...)\n{{\n"
        f'    static_assert(cannery::never<T>, "AscendC::{name} is not simulated");\n}}'
        for name in FUNCTIONS
    )
    return f'#include "cannery/types.h"\n\nnamespace AscendC {{\n\n{functions}\n\n}}  // namespace AscendC\n'
