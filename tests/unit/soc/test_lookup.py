"""A chip is found under every name it has; limits make it smaller, never larger."""

import dataclasses

import pytest

import cannery
from cannery.soc import Soc, UnknownSocError, all_socs, soc


@pytest.mark.parametrize("chip", all_socs(), ids=lambda chip: chip.name)
def test_a_full_name_is_found_in_any_case(chip: Soc) -> None:
    assert soc(chip.name) == soc(chip.name.lower()) == soc(f" {chip.name.upper()} ") == soc(chip) == chip


@pytest.mark.parametrize(
    ("names", "representative"),
    [
        (("Ascend950", "ascend950", "3510", 3510, "DAV_3510", "dav-3510", "dav3510"), "Ascend950PR_9589"),
        (("Ascend910B", "2201", "DAV_2201"), "Ascend910B1"),
        (("Ascend910_93",), "Ascend910_9391"),
        (("Ascend310P", "2002"), "Ascend310P3"),
    ],
)
def test_short_names_and_architectures_stand_for_one_chip(names: tuple, representative: str) -> None:
    assert {soc(name).name for name in names} == {representative}


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("Ascend950PR_9588", "Ascend950PR_9589"),
        ("ascend910b9", "Ascend910B"),
        ("Ascend95", "the nearest are Ascend950"),
        ("hello", "the families are Ascend910B, .*Ascend310P$"),
    ],
)
def test_an_unknown_name_answers_with_the_nearest(wrong: str, near: str) -> None:
    with pytest.raises(UnknownSocError, match=near) as caught:
        soc(wrong)
    assert repr(wrong) in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("wrong", ["", "xyz", None, 2.5, True, ["Ascend950"], 1001])
def test_what_is_no_name_at_all_is_refused(wrong: object) -> None:
    with pytest.raises(UnknownSocError, match="expected"):
        soc(wrong)  # type: ignore[arg-type]


def test_a_limit_changes_the_cores_and_nothing_else() -> None:
    whole, small = soc("Ascend950PR_9589"), cannery.soc("Ascend950PR_9589", aic_cores=24, aiv_cores=1)
    assert (small.aic_cores, small.aiv_cores) == (24, 1)
    assert dataclasses.replace(small, aic_cores=32, aiv_cores=64) == whole == soc("Ascend950PR_9589")


def test_a_limit_holds_for_a_limited_chip_too() -> None:
    small = soc("Ascend950", aic_cores=24)
    assert soc(small, aic_cores=8).aic_cores == 8
    with pytest.raises(ValueError, match="24"):
        soc(small, aic_cores=25)


@pytest.mark.parametrize("limit", [0, -1, 33, True, "24", 2.0])
def test_a_limit_that_the_chip_cannot_have_is_refused(limit: object) -> None:
    with pytest.raises(ValueError, match=r"aic_cores: found .*, expected 1 to 32, which is what Ascend950PR_9589 has"):
        soc("Ascend950PR_9589", aic_cores=limit)  # type: ignore[arg-type]


def test_a_chip_that_does_not_count_its_cube_cores_takes_no_limit_of_them() -> None:
    with pytest.raises(ValueError, match="Ascend310P3 does not count these cores"):
        soc("Ascend310P", aic_cores=1)


def test_chips_are_frozen_and_hashable() -> None:
    assert len(set(all_socs())) == len(all_socs())
    with pytest.raises(dataclasses.FrozenInstanceError):
        soc("Ascend950").aic_cores = 1  # type: ignore[misc]
