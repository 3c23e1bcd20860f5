"""``torch.npu``'s random generators: one a device, seeded by ``torch.manual_seed`` as well.

Source: Ascend/pytorch `torch_npu/npu/random.py` @9e73e708. A device's own stream of numbers differs from the one here.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from cannery.extras.npu.device import DeviceLike, index_of
from cannery.extras.npu.machine import machine


def manual_seed(seed: int) -> None:
    """Seed the current device."""
    machine().generators[index_of(None)].manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed every device."""
    for generator in machine().generators:
        generator.manual_seed(int(seed))


def seed() -> None:
    """Seed the current device by chance."""
    machine().generators[index_of(None)].seed()


def seed_all() -> None:
    """Seed every device by the same chance."""
    manual_seed_all(torch.Generator().seed())


def initial_seed() -> int:
    """What the current device was seeded with."""
    return machine().generators[index_of(None)].initial_seed()


def get_rng_state(device: DeviceLike = "npu") -> Tensor:
    """The state of a device's generator, a uint8 tensor of the host."""
    return machine().generators[index_of(device)].get_state()


def set_rng_state(new_state: Tensor, device: DeviceLike = "npu") -> None:
    """Go back to a state."""
    machine().generators[index_of(device)].set_state(new_state.cpu())


def get_rng_state_all() -> list[Tensor]:
    """The states of all devices."""
    return [generator.get_state() for generator in machine().generators]


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Go back to them."""
    for generator, state in zip(machine().generators, new_states, strict=False):
        generator.set_state(state.cpu())
