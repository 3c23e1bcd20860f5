"""What ``importlib.metadata`` finds of substituted packages: as if the originals were installed.

PyTorch looks there for device backends when it is imported, programs for versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, DistributionFinder, PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cannery.faces import Plugin, all_faces


class Substituted(Distribution):
    """A package that is substituted, with its entry points."""

    def __init__(self, plugin: Plugin) -> None:
        self._plugin = plugin

    def read_text(self, filename: str) -> str | None:
        plugin = self._plugin
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: {plugin.package}\nVersion: {_version(plugin)}\n"
        if filename == "entry_points.txt":
            return f"[{plugin.group}]\n{plugin.package} = {plugin.package}:{plugin.function}\n"
        return plugin.package if filename == "top_level.txt" else None

    def locate_file(self, path: Any) -> Any:
        """Where a file of it would be; it has none."""
        return Path(path)


def found(names: Mapping[str, str], context: DistributionFinder.Context) -> Iterator[Distribution]:
    """The distributions of substituted names that a search is for."""
    for plugin in (plugin for face in all_faces().values() for plugin in face.plugins):
        if plugin.package in names and context.name in (None, *_spellings(plugin.package)):
            yield Substituted(plugin)


def _spellings(package: str) -> set[str]:
    return {package, re.sub(r"[-_.]+", "-", package)}


def _version(plugin: Plugin) -> str:
    """That of the package it extends, marked as this package's."""
    try:
        return f"{version(plugin.extends).partition('+')[0]}+cannery"
    except PackageNotFoundError:
        return "0+cannery"
