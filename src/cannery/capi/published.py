"""What the original's headers publish: constants, types and functions, as data with their source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from cannery.runtime.prototype import split_name


@dataclass(frozen=True)
class Published:
    """The content of ``published.json``.

    Attributes:
        source: repository, paths and commit.
        macros: numbers by name, as C writes them.
        types: declarations of types in the order they need each other.
        functions: declarations without the semicolon, by name.
    """

    source: str
    macros: Mapping[str, str]
    types: tuple[Mapping[str, Any], ...]
    functions: Mapping[str, str]


@cache
def published() -> Published:
    """The headers of the runtime."""
    content = json.loads(files("cannery.capi").joinpath("published.json").read_text(encoding="utf-8"))
    functions = {split_name(line)[1]: line for line in content["functions"]}
    source = f"{content['source']} @{content['commit']}"
    return Published(source, content["macros"], tuple(content["types"]), functions)


def type_declarations() -> str:
    """Every type in C."""
    return "".join(f"{_declaration(entry)}\n" for entry in published().types)


def _declaration(entry: Mapping[str, Any]) -> str:
    name = entry["name"]
    if "alias" in entry:
        return f"typedef {entry['alias']} {name};"
    if "function" in entry:
        returns, parameters = entry["function"]
        return f"typedef {returns} (*{name})({parameters});"
    if "enum" in entry:
        members = ",\n".join(f"    {member} = {value}" for member, value in entry["enum"].items())
        return f"typedef enum {name} {{\n{members}\n}} {name};"
    kind = "struct" if "struct" in entry else "union"
    return f"typedef {kind} {name} {{\n{''.join(_members(entry[kind]))}}} {name};"


def _members(members: list[str]) -> Iterator[str]:
    for member in members:
        # C before 2011 has unnamed members only as an extension.
        extension = "__extension__ " if member.endswith("}") else ""
        yield f"    {extension}{member};\n"
