"""Names that are not simulated say so, and are in nobody's way."""

import pickle

import pytest
import torch

from cannery.asc import adv


def test_a_name_says_so_when_it_is_called_or_asked_for_a_member() -> None:
    with pytest.raises(NotImplementedError, match=r"asc\.adv\.softmax on Ascend\w+ is not simulated"):
        adv.softmax()
    with pytest.raises(NotImplementedError, match=r"asc\.adv\.matmul\.Config on Ascend\w+ is not simulated"):
        _ = adv.matmul.Config


def test_pickle_passes_by_on_its_search_through_all_modules() -> None:
    assert pickle.loads(pickle.dumps(torch.contiguous_format)) is torch.contiguous_format
