"""Prints, place by place, the chip that each entry point has: alone, in a session, in threads."""

import json
import sys
import threading

import acl
import asc
import numpy as np
import torch
import torch_npu

import cannery
from cannery import atb
from cannery.atb.single import OpsOperation
from cannery.st import load_cases, run_case
from cannery.watch import session

OTHER = "Ascend910B4"
ATTRS = {"qSeqLen": [3, 1], "maxSeqLen": 4}
CASE = load_cases(sys.argv[1]).cases[0]


@asc.jit
def kernel(x: asc.GlobalAddress):
    asc.GlobalTensor().set_global_buffer(x)


def launched() -> str:
    with session() as found:
        kernel[1](np.zeros(8, np.float32))
    return found.launches[0].soc


def chips() -> dict[str, str]:
    rows = torch.ones(2, 4, 128, dtype=torch.float16)
    operation = atb.CreateOperation(atb.UnpadWithHiddenStateParam([3, 1], 4))
    assert isinstance(operation, OpsOperation)
    return {
        "asc": launched(),
        "acl": acl.get_soc_name(),
        "npu": torch_npu.npu.get_device_name(0),
        "st": run_case(CASE).soc,
        "run": cannery.run("UnpadWithHiddenState", [rows], ATTRS).context.soc.name,
        "atb": operation.call.soc.name,
    }


def in_a_session() -> None:
    with session(soc=OTHER), session(seed=1):
        found["a thread's session"] = chips()


found = {"program": chips()}
with session(check=True), session(seed=1):
    found["a session that sets no chip"] = chips()
with session(soc=OTHER), session(seed=1):
    found["a nested session"] = chips()
    threads = [
        threading.Thread(target=lambda: found.update(thread=chips())),
        threading.Thread(target=in_a_session),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
json.dump(found, sys.stdout)
