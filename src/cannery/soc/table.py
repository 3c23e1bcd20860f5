"""The chips, as data.

Source of every figure: hicann/runtime `src/platform/platform_config/{cann,cann-dev}/<SoC>.ini` @681ef761, sections
SoCInfo and AICoreSpec. Short names and architectures: hicann/ops-nn `tests/ut/common` @e5c3fa93. Sizes in bytes. The
ini of an Ascend310P names no cube cores apart from its AI cores: ``aic_cores`` is 0 there.
"""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB
SOURCE = "hicann/runtime src/platform/platform_config/{cann,cann-dev}/%s.ini @681ef761"


@dataclass(frozen=True)
class Family:
    """What all chips of one short name share."""

    short_name: str
    npu_arch: int
    representative: str
    ub_size: int
    l1_size: int
    l0a_size: int
    l0b_size: int
    l0c_size: int
    bt_size: int
    fb_size: int
    vector_register_bytes: int
    block_size: int = 32


@dataclass(frozen=True)
class Group:
    """Chips that differ in name only."""

    family: str
    names: tuple[str, ...]
    ai_cores: int
    aic_cores: int
    aiv_cores: int
    l2_size: int
    clock_mhz: int


def _dav_2201(short_name: str, representative: str) -> Family:
    return Family(
        short_name, 2201, representative, 192 * KIB, 512 * KIB, 64 * KIB, 64 * KIB, 128 * KIB, 1 * KIB, 2 * KIB, 256
    )


# 950: 248 KiB of the 256 KiB of a vector core's buffer can be used. The inis give BT and FB0 for 2201 and 3510 only.
FAMILIES = (
    _dav_2201("Ascend910B", "Ascend910B1"),
    _dav_2201("Ascend910_93", "Ascend910_9391"),
    Family(
        "Ascend950",
        3510,
        "Ascend950PR_9589",
        248 * KIB,
        512 * KIB,
        64 * KIB,
        64 * KIB,
        256 * KIB,
        4 * KIB,
        4 * KIB,
        256,
    ),
    Family("Ascend310P", 2002, "Ascend310P3", 256 * KIB, 1 * MIB, 64 * KIB, 64 * KIB, 256 * KIB, 0, 0, 256),
)


def _names(prefix: str, *suffixes: str) -> tuple[str, ...]:
    return tuple(prefix + suffix for suffix in suffixes)


GROUPS = (
    Group("Ascend910B", ("Ascend910B1",), 24, 24, 48, 192 * MIB, 1850),
    Group("Ascend910B", ("Ascend910B2", "Ascend910B2C"), 24, 24, 48, 192 * MIB, 1800),
    Group("Ascend910B", ("Ascend910B3",), 20, 20, 40, 192 * MIB, 1800),
    Group("Ascend910B", ("Ascend910B4",), 20, 20, 40, 96 * MIB, 1500),
    Group("Ascend910B", ("Ascend910B4-1",), 20, 20, 40, 168 * MIB, 1500),
    Group("Ascend910_93", _names("Ascend910_", "9391", "9392"), 24, 24, 48, 192 * MIB, 1850),
    Group("Ascend910_93", _names("Ascend910_", "9381", "9382"), 24, 24, 48, 192 * MIB, 1800),
    Group("Ascend910_93", ("Ascend910_9372",), 20, 20, 40, 192 * MIB, 1800),
    Group("Ascend910_93", _names("Ascend910_", "9362", "9363"), 20, 20, 40, 168 * MIB, 1500),
    Group(
        "Ascend950",
        ("Ascend950PR_9579", *_names("Ascend950DT_", "9571", "9572", "9575", "9576")),
        28, 28, 56, 128 * MIB, 1650,
    ),
    Group(
        "Ascend950",
        (*_names("Ascend950PR_", "957b", "957c"), *_names("Ascend950DT_", "9573", "9574", "9577", "9578")),
        28, 28, 56, 112 * MIB, 1650,
    ),
    Group("Ascend950", ("Ascend950PR_957d",), 28, 28, 56, 96 * MIB, 1650),
    Group(
        "Ascend950",
        ("Ascend950PR_9589", *_names("Ascend950DT_", "9581", "9582", "9585", "9586")),
        32, 32, 64, 128 * MIB, 1650,
    ),
    Group(
        "Ascend950",
        ("Ascend950PR_958b", *_names("Ascend950DT_", "9583", "9584", "9587", "9588")),
        32, 32, 64, 112 * MIB, 1650,
    ),
    Group(
        "Ascend950",
        ("Ascend950PR_9599", *_names("Ascend950DT_", "9591", "9592", "9595", "9596", "95A1", "95A2")),
        36, 36, 72, 128 * MIB, 1800,
    ),
    Group("Ascend950", _names("Ascend950DT_", "950x", "950y"), 8, 8, 16, 32 * MIB, 1650),
    Group("Ascend950", ("Ascend950PR_950z",), 4, 4, 8, 16 * MIB, 1650),
    Group("Ascend310P", ("Ascend310P1",), 10, 0, 8, 16 * MIB, 1060),
    Group("Ascend310P", ("Ascend310P3",), 8, 0, 7, 16 * MIB, 1060),
    Group("Ascend310P", ("Ascend310P5",), 8, 0, 7, 16 * MIB, 800),
    Group("Ascend310P", ("Ascend310P7",), 8, 0, 7, 16 * MIB, 550),
)  # fmt: skip
