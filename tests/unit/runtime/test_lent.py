"""Host memory that counts as a device's."""

import numpy as np

from cannery.runtime.arena import Block
from cannery.runtime.lent import Lent


def test_an_address_is_found_in_the_range_that_holds_it() -> None:
    lent = Lent()
    assert lent.block_at(100) is None
    lent.lend("a", 100, 10)
    lent.lend("b", 200, 10)
    assert [lent.block_at(address) for address in (99, 100, 109, 110, 205)] == [
        None, Block(100, 10), Block(100, 10), None, Block(200, 10),
    ]  # fmt: skip
    assert lent.give_back("a") == Block(100, 10)
    assert lent.give_back("a") is None
    assert 105 not in lent and 205 in lent


def test_a_range_inside_another_hides_nothing_of_it() -> None:
    lent = Lent()
    lent.lend("inner", 104, 2)
    lent.lend("outer", 100, 10)
    assert lent.block_at(108) == lent.block_at(105) == Block(100, 10)
    lent.give_back("outer")
    assert lent.block_at(105) == Block(104, 2)
    assert lent.block_at(108) is None


def test_overlaps() -> None:
    lent = Lent()
    lent.lend("a", 100, 10)
    assert [lent.overlaps(*span) for span in ((90, 10), (90, 11), (109, 1), (110, 5))] == [False, True, True, False]


def test_a_view_is_the_memory_itself() -> None:
    host = np.zeros(4, np.uint8)
    view = Lent().view(host.ctypes.data, 4)
    view[2] = 7
    assert host.tolist() == [0, 0, 7, 0]
