"""Names that are not simulated say so, and are in nobody's way."""

import pickle
import sys

import pytest
import torch

from cannery import asc
from cannery.asc import adv
from cannery.asc.lib import host
from cannery.ge.es import all as every_operator


def test_a_name_says_so_when_it_is_called_or_asked_for_a_member() -> None:
    with pytest.raises(NotImplementedError, match=r"asc\.load_image_to_local on Ascend\w+ is not simulated"):
        asc.load_image_to_local()
    with pytest.raises(NotImplementedError, match=r"asc\.load_image_to_local\.Config on Ascend\w+ is not simulated"):
        _ = asc.load_image_to_local.Config
    with pytest.raises(NotImplementedError, match=r"asc\.inline on Ascend\w+ is not simulated"):
        asc.inline()
    assert not hasattr(adv, "nobody_publishes_this")


def test_pickle_passes_by_on_its_search_through_all_modules() -> None:
    assert sys.modules.keys() >= {adv.__name__, host.__name__, every_operator.__name__}
    assert pickle.loads(pickle.dumps(torch.contiguous_format)) is torch.contiguous_format
