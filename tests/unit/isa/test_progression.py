"""Numbered lanes."""

from typing import Any

import numpy as np

from cannery.isa.operands import Addressing
from cannery.isa.progression import number_lanes, progress

from .computing import compute


def test_lanes_are_numbered_from_the_first_on() -> None:
    def call(dst: Any) -> None:
        number_lanes(dst.owner.core, None, dst, 3, Addressing(8))

    assert compute(call, np.zeros(8, np.int32)).tolist() == list(range(3, 11))


def test_a_mask_leaves_lanes_alone_and_counts_them() -> None:
    def call(dst: Any) -> None:
        progress(dst.owner.core, None, dst, -1, 0, 128)
        number_lanes(dst.owner.core, None, dst, 0, Addressing(None, [0b101, 0], 2, ((1, 8),)))

    found = compute(call, np.zeros(128, np.int32)).tolist()
    assert [at for at in range(128) if found[at] != -1] == [0, 2, 64, 66]
    assert [found[at] for at in (0, 2, 64, 66)] == [0, 2, 64, 66]


def test_a_progression_has_its_difference() -> None:
    def call(dst: Any) -> None:
        progress(dst.owner.core, None, dst, 0.5, 0.25, 8)

    assert compute(call, np.zeros(8, np.float32)).tolist() == [0.5 + 0.25 * at for at in range(8)]
