"""What a program of the runtime does not wait for: PyTorch is loaded by the first call that computes."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAMS = {
    "acl and aclnn": "import cannery.activate, acl, aclnn",
    "memory of the device": "import cannery.activate, acl\n"
    "assert acl.init() == acl.rt.set_device(0) == 0\n"
    "assert acl.rt.malloc(64, 0)[1] == 0",
    "descriptors": "import cannery.activate, aclnn; assert aclnn.aclCreateTensor([2], 1, 0, [1], 0, 2, [2], 1, 0)",
    "the C library": "import cannery.capi.bridge, cannery.capi.build",
    "the vocabulary": "from cannery import DataType, Shape; assert DataType.of('float16').is_floating; Shape([2, 3])",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_it_starts_without_torch(program: str) -> None:
    command = f"{program}\nimport sys\nprint('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("False\n", "")
