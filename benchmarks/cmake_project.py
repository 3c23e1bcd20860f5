"""What a small CMakeLists.txt says of its one executable: sources, definitions, include folders, architecture."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_COMMENT: Final = re.compile(r"#[^\n]*")
_COMMAND: Final = re.compile(r"(\w+)\s*\(((?:[^()\"]|\"(?:\\.|[^\"\\])*\"|\([^()]*\))*)\)")
_WORD: Final = re.compile(r"\"((?:\\.|[^\"\\])*)\"|(\S+)")
_VARIABLE: Final = re.compile(r"\$\{(\w+)\}")
_GENERATED: Final = re.compile(r"\$<\$<COMPILE_LANGUAGE:ASC>:(.*?)>", re.DOTALL)
_SOURCES: Final = (".asc", ".cpp", ".cc", ".cxx")
_DEFINITIONS: Final = frozenset(
    {"target_compile_definitions", "ascendc_compile_definitions", "add_definitions", "add_compile_definitions"}
)
_ARCHITECTURE: Final = re.compile(r"--npu-arch=(dav-\d+)")
_SCOPES: Final = frozenset({"PRIVATE", "PUBLIC", "INTERFACE", "SYSTEM", "BEFORE"})


@dataclass
class Project:
    """What the executable is built from."""

    folder: Path
    architecture: str = ""
    sources: list[Path] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    includes: list[Path] = field(default_factory=list)
    libraries: dict[str, list[Path]] = field(default_factory=dict)


def read_project(folder: Path, cache: Mapping[str, str]) -> Project:
    """Read a project. ``cache``: variables given with -D."""
    text = _COMMENT.sub("", (folder / "CMakeLists.txt").read_text(encoding="utf-8", errors="replace"))
    reader = _Reader(folder, cache)
    for name, words in _COMMAND.findall(text):
        reader.read(name.lower(), words)
    return reader.project


class _Reader:
    def __init__(self, folder: Path, cache: Mapping[str, str]) -> None:
        here = {
            "CMAKE_SOURCE_DIR": str(folder),
            "CMAKE_CURRENT_SOURCE_DIR": str(folder),
            "PROJECT_SOURCE_DIR": str(folder),
        }
        self.project = Project(folder)
        self._cache = cache
        self._variables = {**here, **cache}
        self._taken: list[bool] = []
        self._done: list[bool] = []

    def read(self, name: str, text: str) -> None:
        """One command."""
        if name in ("if", "elseif", "else", "endif"):
            self._branch(name, text)
        elif all(self._taken):
            self._command(name, self._words(text))
            given = self._variables.get("CMAKE_ASC_ARCHITECTURES", "")
            self.project.architecture = given or self.project.architecture

    def _words(self, text: str) -> list[str]:
        opened = _GENERATED.sub(r"\1", text)
        words = [quoted or plain for quoted, plain in _WORD.findall(opened)]
        values = [_VARIABLE.sub(lambda match: self._variables.get(match[1], ""), word) for word in words]
        return [part for value in values for part in value.split(";")]

    def _branch(self, name: str, text: str) -> None:
        if name in ("if", "elseif"):
            holds = self._holds(self._words(text))
        if name == "if":
            self._taken.append(holds)
            self._done.append(holds)
        elif name == "elseif":
            self._taken[-1] = holds and not self._done[-1]
            self._done[-1] = self._done[-1] or holds
        elif name == "else":
            self._taken[-1] = not self._done[-1]
        else:
            self._taken.pop()
            self._done.pop()

    def _holds(self, words: Sequence[str]) -> bool:
        if not words:
            return False
        if words[0] == "NOT":
            return not self._holds(words[1:])
        if words[0] == "DEFINED":
            return words[1] in self._variables
        if len(words) < 3:
            return words[0].upper() in ("ON", "TRUE", "1") or bool(self._variables.get(words[0]))
        left, test, right = self._variables.get(words[0], words[0]), words[1], words[2]
        tests = {
            "STREQUAL": left == right,
            "EQUAL": left == right,
            "MATCHES": test == "MATCHES" and re.search(right, left) is not None,
            "IN_LIST": left in self._variables.get(right, "").split(";"),
        }
        return tests.get(test, False)

    def _command(self, name: str, words: list[str]) -> None:
        if name == "set" and words and words[0] not in self._cache:
            value = words[1 : words.index("CACHE")] if "CACHE" in words else words[1:]
            if "CACHE" not in words or words[0] not in self._variables:
                self._variables[words[0]] = ";".join(value)
        elif name == "string" and words[:2] == ["REGEX", "MATCH"]:
            found = re.search(words[2], " ".join(words[4:]))
            self._variables[words[3]] = found[0] if found else ""
        elif name == "add_executable":
            self.project.sources += self._files(words[1:])
        elif name == "add_library":
            self.project.libraries[words[0]] = self._files(words[1:])
        elif name == "target_link_libraries":
            for library in words:
                self.project.sources += self.project.libraries.pop(library, [])
        elif name in _DEFINITIONS:
            rest = words[1:] if name.startswith(("target", "ascendc")) else words
            self.project.definitions += [word.removeprefix("-D") for word in rest if word not in _SCOPES]
        elif name in ("target_compile_options", "add_compile_options"):
            self.project.definitions += [word[2:] for word in words if word.startswith("-D")]
            self._add_includes([word[2:] for word in words if word.startswith("-I")])
            found = _ARCHITECTURE.search(" ".join(words))
            self.project.architecture = found[1] if found else self.project.architecture
        elif name in ("target_include_directories", "include_directories"):
            self._add_includes([word for word in words[name.startswith("target") :] if word not in _SCOPES])

    def _files(self, words: Sequence[str]) -> list[Path]:
        return [self.project.folder / word for word in words if word.endswith(_SOURCES)]

    def _add_includes(self, folders: Sequence[str]) -> None:
        self.project.includes += [self.project.folder / one for one in folders if one and "$ENV" not in one]
