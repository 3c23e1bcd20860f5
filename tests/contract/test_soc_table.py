"""Every chip's figures, copied from hicann/runtime src/platform/platform_config/{cann,cann-dev}/<SoC>.ini @681ef761."""

import pytest

from cannery.soc import all_socs, soc

# names | short name, NpuArch | AI core / cube / vector | UB | L1 | L0A / L0B / L0C | L2 | block | MHz
ROWS = """
Ascend910B1 | Ascend910B 2201 | 24 24 48 | 196608 | 524288 | 65536 65536 131072 | 201326592 | 32 | 1850
Ascend910B2 Ascend910B2C | Ascend910B 2201 | 24 24 48 | 196608 | 524288 | 65536 65536 131072 | 201326592 | 32 | 1800
Ascend910B3 | Ascend910B 2201 | 20 20 40 | 196608 | 524288 | 65536 65536 131072 | 201326592 | 32 | 1800
Ascend910B4 | Ascend910B 2201 | 20 20 40 | 196608 | 524288 | 65536 65536 131072 | 100663296 | 32 | 1500
Ascend910B4-1 | Ascend910B 2201 | 20 20 40 | 196608 | 524288 | 65536 65536 131072 | 176160768 | 32 | 1500
Ascend910_9391 Ascend910_9392 | Ascend910_93 2201 | 24 24 48 | 196608 | 524288 | 65536 65536 131072 | 201326592 | 32 | 1850
Ascend910_9381 Ascend910_9382 | Ascend910_93 2201 | 24 24 48 | 196608 | 524288 | 65536 65536 131072 | 201326592 | 32 | 1800
Ascend910_9372 | Ascend910_93 2201 | 20 20 40 | 196608 | 524288 | 65536 65536 131072 | 201326592 | 32 | 1800
Ascend910_9362 Ascend910_9363 | Ascend910_93 2201 | 20 20 40 | 196608 | 524288 | 65536 65536 131072 | 176160768 | 32 | 1500
Ascend950PR_9579 Ascend950DT_9571 Ascend950DT_9572 Ascend950DT_9575 Ascend950DT_9576 | Ascend950 3510 | 28 28 56 | 253952 | 524288 | 65536 65536 262144 | 134217728 | 32 | 1650
Ascend950PR_957b Ascend950PR_957c Ascend950DT_9573 Ascend950DT_9574 Ascend950DT_9577 Ascend950DT_9578 | Ascend950 3510 | 28 28 56 | 253952 | 524288 | 65536 65536 262144 | 117440512 | 32 | 1650
Ascend950PR_957d | Ascend950 3510 | 28 28 56 | 253952 | 524288 | 65536 65536 262144 | 100663296 | 32 | 1650
Ascend950PR_9589 Ascend950DT_9581 Ascend950DT_9582 Ascend950DT_9585 Ascend950DT_9586 | Ascend950 3510 | 32 32 64 | 253952 | 524288 | 65536 65536 262144 | 134217728 | 32 | 1650
Ascend950PR_958b Ascend950DT_9583 Ascend950DT_9584 Ascend950DT_9587 Ascend950DT_9588 | Ascend950 3510 | 32 32 64 | 253952 | 524288 | 65536 65536 262144 | 117440512 | 32 | 1650
Ascend950PR_9599 Ascend950DT_9591 Ascend950DT_9592 Ascend950DT_9595 Ascend950DT_9596 Ascend950DT_95A1 Ascend950DT_95A2 | Ascend950 3510 | 36 36 72 | 253952 | 524288 | 65536 65536 262144 | 134217728 | 32 | 1800
Ascend950DT_950x Ascend950DT_950y | Ascend950 3510 | 8 8 16 | 253952 | 524288 | 65536 65536 262144 | 33554432 | 32 | 1650
Ascend950PR_950z | Ascend950 3510 | 4 4 8 | 253952 | 524288 | 65536 65536 262144 | 16777216 | 32 | 1650
Ascend310P1 | Ascend310P 2002 | 10 0 8 | 262144 | 1048576 | 65536 65536 262144 | 16777216 | 32 | 1060
Ascend310P3 | Ascend310P 2002 | 8 0 7 | 262144 | 1048576 | 65536 65536 262144 | 16777216 | 32 | 1060
Ascend310P5 | Ascend310P 2002 | 8 0 7 | 262144 | 1048576 | 65536 65536 262144 | 16777216 | 32 | 800
Ascend310P7 | Ascend310P 2002 | 8 0 7 | 262144 | 1048576 | 65536 65536 262144 | 16777216 | 32 | 550
"""  # noqa: E501
CHIPS = [(name, line.split(" | ")[1:]) for line in ROWS.strip().splitlines() for name in line.split(" | ")[0].split()]


@pytest.mark.parametrize(("name", "figures"), CHIPS, ids=[name for name, _ in CHIPS])
def test_a_chip_has_the_figures_of_its_ini(name: str, figures: list[str]) -> None:
    chip = soc(name)
    found = " ".join(
        str(getattr(chip, field))
        for field in (
            "short_name", "npu_arch", "ai_cores", "aic_cores", "aiv_cores", "ub_size", "l1_size", "l0a_size",
            "l0b_size", "l0c_size", "l2_size", "block_size", "clock_mhz",
        )
    )  # fmt: skip
    assert found == " ".join(figures)
    assert chip.name == name
    assert name in chip.source and "@681ef761" in chip.source


def test_there_are_no_other_chips() -> None:
    assert sorted(chip.name for chip in all_socs()) == sorted(name for name, _ in CHIPS)


@pytest.mark.parametrize(("name", "bt", "fb"), [("Ascend910B1", 1024, 2048), ("Ascend950PR_9589", 4096, 4096)])
def test_bias_and_fixpipe_buffers(name: str, bt: int, fb: int) -> None:
    assert (soc(name).bt_size, soc(name).fb_size) == (bt, fb)


def test_a_vector_register_of_the_950_has_256_bytes() -> None:
    assert soc("Ascend950").vector_register_bytes == 256
