"""The page of what Ascend C has here, made from the headers: ``python -m cannery.ascendc.support docs``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from cannery.ascendc.headers import INCLUDE, generated
from cannery.ascendc.unsupported import FUNCTIONS

PAGE: Final = "ascendc-support.md"
_FAMILIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cannery/queues.h": "memory",
        "cannery/copies.h": "copies",
        "cannery/lanewise.h": "vector, lane by lane",
        "cannery/vector.h": "vector, others",
        "cannery/rearrange.h": "gather, pack, transpose, sort",
        "cannery/mathematics.h": "mathematics",
        "cannery/advanced.h": "softmax, norm, quantisation",
        "cannery/cube.h": "cube",
        "lib/matmul_intf.h": "Matmul",
        "cannery/sync.h": "synchronisation, masks, atomics",
        "cannery/system.h": "workspaces, system",
        "cannery/tools.h": "scalar helpers",
        "cannery/debug.h": "output",
        "tiling/tiling_api.h": "tiling on the host",
        "tiling/temporaries.h": "temporary buffers on the host",
    }
)
_NAMED: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:template <[^\n]*>\s*)?(?:CANNERY_INLINE|inline) (?:constexpr )?[\w:<>]+ \*?([A-Z]\w*)\(",
        r"^template <[^\n]*> (?:CANNERY_INLINE )?void (\w+)\(",
        r"^CANNERY_\w+\((\w+), [a-z]\w*\)",
        r"^(?:template <[^\n]*>\s*)?class (\w+)(?!.*;$)",
    )
)
"""Functions, those that macros make, and classes."""
_NAMESPACE: Final = re.compile(r"namespace AscendC \{\n(.*?)\n\}  // namespace AscendC", re.DOTALL)
_LIMITS: Final = (
    "`Matmul` is one instruction of pipe FIX (on a vector core of pipe MTE3, finished when the call returns): it reads "
    "A, B and the bias where they are and writes C. What the library does in L1 and L0 is not modelled, so nothing is "
    "found there. Batches, callbacks, sparse and microscaled inputs, C in L0C and `enableMixDualMaster` are refused.",
    "Matmul's tiling on the host divides the result evenly; it is not the original's.",
    "Temporary buffers: `Get…MaxMinTmpSize` gives the smallest allowed size for both values.",
    "`GetUserWorkspace` gives its argument; `GetSysWorkSpacePtr` is never null.",
    "A loop that polls global memory for another core's flag may end at the limit of `--limit`: cores hand over only "
    "where they wait.",
    "`CrossCoreWaitFlag` without a mode, or with mode 0, waits for the sets of whatever mode.",
    "int4b_t and the 8-bit floats are names of types; a tensor of them does not compile.",
)


def page() -> str:
    """The page."""
    rows = "\n".join(f"| {family} | {', '.join(names)} |" for family, names in _supported())
    limits = "\n".join(f"- {limit}" for limit in _LIMITS)
    refused = ", ".join(sorted(FUNCTIONS, key=str.lower))
    return (
        "# Ascend C: what is there\n\nMade by `python -m cannery.ascendc.support docs` from the headers.\n\n"
        f"| family | names |\n|---|---|\n{rows}\n\n## Limits\n\n{limits}\n\n## Refused by name\n\n"
        f"The compiler says of each that it is not simulated: {refused}.\n"
    )


def _supported() -> Iterator[tuple[str, list[str]]]:
    made = generated()
    for path, family in _FAMILIES.items():
        text = made.get(path) or (INCLUDE / path).read_text(encoding="utf-8")
        inside = "\n".join(_NAMESPACE.findall(text))
        names = {name for pattern in _NAMED for name in pattern.findall(inside)}
        yield family, sorted(names, key=lambda name: (name.lower(), name))


def main() -> None:
    """Write the page into a folder."""
    (Path(sys.argv[1]) / PAGE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
