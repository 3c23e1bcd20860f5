"""What a kernel's status becomes."""

import pytest

from cannery.atb import MKI_TO_ATB, MkiStatus
from cannery.atb.errors import KernelError
from cannery.atb.kernel import Kernel
from cannery.core import AtbStatus

CODES = {0: [0], 1: [1, 2, 3, 4, 5, 6, 10], 4: [7, 8, 9, 13], 27: [11], 29: [12]}


def test_every_status_of_a_kernel_has_its_atb_code() -> None:
    expected = {MkiStatus(status): AtbStatus(code) for code, statuses in CODES.items() for status in statuses}
    assert expected == MKI_TO_ATB


def test_a_kernel_of_an_unknown_operation_does_not_exist() -> None:
    with pytest.raises(KernelError) as caught:
        Kernel.best("NobodyKnowsOperation")
    assert caught.value.status is MkiStatus.ERROR_OPERATION_NOT_EXIST
