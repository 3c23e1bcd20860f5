"""``torch_npu.npu.random``."""

from cannery.core.published import module_getattr
from cannery.extras.npu.random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from cannery.extras.npu.refusals import UNBUILT

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]

__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.npu.random", UNBUILT)
