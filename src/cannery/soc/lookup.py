"""Finding a chip by the name a user has for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache

from cannery.soc.table import FAMILIES, GROUPS, SOURCE, Family, Group


@dataclass(frozen=True)
class Soc:
    """A chip: names, cores, memory sizes in bytes. ``source`` says where the figures were read."""

    name: str
    short_name: str
    npu_arch: int
    ai_cores: int
    aic_cores: int
    aiv_cores: int
    ub_size: int
    l1_size: int
    l0a_size: int
    l0b_size: int
    l0c_size: int
    l2_size: int
    bt_size: int
    fb_size: int
    block_size: int
    clock_mhz: int
    vector_register_bytes: int
    source: str


class UnknownSocError(ValueError):
    """No chip has that name; the message lists the nearest ones."""


class CoreLimitError(ValueError):
    """A chip has not so many cores, or does not count them."""


@cache
def all_socs() -> tuple[Soc, ...]:
    """Every known chip, in the order of the table."""
    families = {family.short_name: family for family in FAMILIES}
    return tuple(_chip(name, group, families[group.family]) for group in GROUPS for name in group.names)


def soc(name: str | Soc, *, aic_cores: int | None = None, aiv_cores: int | None = None) -> Soc:
    """The chip of that full name ("Ascend950PR_9589"), short name ("Ascend950") or NpuArch ("3510", "DAV_3510").

    A short name or NpuArch stands for the representative chip of its family. ``aic_cores`` and ``aiv_cores`` give the
    chip with fewer cube or vector cores, as the limit of a stream does.

    Raises:
        UnknownSocError: no chip is called so.
        CoreLimitError: more cores are asked for than the chip has, or fewer than one.
    """
    chip = name if isinstance(name, Soc) else _find(name)
    if aic_cores is None and aiv_cores is None:
        return chip
    _check_limit(chip, "aic_cores", aic_cores)
    _check_limit(chip, "aiv_cores", aiv_cores)
    return replace(
        chip,
        aic_cores=chip.aic_cores if aic_cores is None else aic_cores,
        aiv_cores=chip.aiv_cores if aiv_cores is None else aiv_cores,
    )


def _chip(name: str, group: Group, family: Family) -> Soc:
    shared = {field: value for field, value in vars(family).items() if field != "representative"}
    return Soc(
        name=name,
        ai_cores=group.ai_cores,
        aic_cores=group.aic_cores,
        aiv_cores=group.aiv_cores,
        l2_size=group.l2_size,
        clock_mhz=group.clock_mhz,
        source=SOURCE % name,
        **shared,
    )


@cache
def _by_name() -> dict[str, Soc]:
    full = {chip.name.lower(): chip for chip in all_socs()}
    short = {family.short_name.lower(): full[family.representative.lower()] for family in FAMILIES}
    arch = {str(family.npu_arch): full[family.representative.lower()] for family in reversed(FAMILIES)}
    return arch | short | full


def _find(name: object) -> Soc:
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        raise UnknownSocError(f"soc: found {name!r}, expected the name of a chip such as 'Ascend950PR_9589'")
    return _spelt(str(name))


@lru_cache(maxsize=256)
def _spelt(name: str) -> Soc:
    key = re.sub(r"^dav[-_]?(?=\d)", "", name.strip().lower())
    if key in _by_name():
        return _by_name()[key]
    raise UnknownSocError(f"soc: found {name!r}, expected a known chip; {_hint(key)}")


def _hint(key: str) -> str:
    families = [family.short_name for family in FAMILIES]
    spellings = {name.lower(): name for name in (*families, *(chip.name for chip in all_socs()))}
    nearest = [spellings[near] for near in get_close_matches(key, spellings, n=3, cutoff=0.5)]
    return f"the nearest are {', '.join(nearest)}" if nearest else f"the families are {', '.join(families)}"


def _check_limit(chip: Soc, field: str, limit: int | None) -> None:
    if limit is None:
        return
    have = getattr(chip, field)
    if have == 0:
        raise CoreLimitError(
            f"soc: {field}: found {limit!r}, expected no limit: {chip.name} does not count these cores"
        )
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= have:
        raise CoreLimitError(f"soc: {field}: found {limit!r}, expected 1 to {have}, which is what {chip.name} has")
