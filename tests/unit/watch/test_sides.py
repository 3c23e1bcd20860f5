"""What a finding says of its accesses and its flags: in its fields, its text and its JSON."""

from typing import Any

import numpy as np

from cannery import asc
from cannery.asc.runtime.config import KernelType
from cannery.asc.source import operand
from cannery.watch import Finding, report, session

EVENT, IN, OUT = asc.HardEvent, asc.TPosition.VECIN, asc.TPosition.VECOUT


@asc.jit
def bound(address: Any) -> Any:
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def unflagged(x: asc.GlobalAddress) -> None:
    source = bound(x)
    tile = asc.LocalTensor(asc.float32, IN, 0, 64)
    result = asc.LocalTensor(asc.float32, OUT, 512, 64)
    for i in range(3):
        for j in range(2):
            asc.data_copy(tile, source[j * 64 :], 64)
            asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
        if i == 1:
            asc.adds(result, tile[8:], 1.0, 32)
    mask = asc.LocalTensor(asc.uint8, IN, 1024, 32)
    asc.select(result, mask, result, tile, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, 64)


def findings(kernel: Any, *args: Any, cores: int = 1) -> list[Finding]:
    with session(check=True) as found:
        kernel[cores](*args)
    return found.findings()


def test_both_accesses_have_tensor_bytes_pipe_core_line_and_loops() -> None:
    first_line = unflagged.__wrapped__.__code__.co_firstlineno
    raw = next(finding for finding in findings(unflagged, np.zeros(256, np.float32)) if finding.kind == "RAW")
    one, other = raw.accesses
    assert (one.action, one.op, one.tensor, one.memory, one.lower, one.upper) == (
        "Write", "data_copy", "tile", "UB", 0, 256,
    )  # fmt: skip
    assert (other.action, other.op, other.tensor, other.lower, other.upper) == ("Read", "adds", "tile", 32, 160)
    assert raw.overlap == (32, 160)
    assert (one.pipe, other.pipe, one.core, other.core) == ("MTE2", "V", 0, 0)
    assert (one.line, other.line) == (first_line + 7, first_line + 10)
    assert one.loops == (("i", 1), ("j", 1))
    assert other.loops == (("i", 1),)  # the inner loop has ended
    assert "Write of tile: bytes 0x0 to 0x100 of UB, PIPE_MTE2, core 0, i = 1, j = 1" in raw.message
    assert "overlap: bytes 0x20 to 0xa0 of UB" in report.render(raw)


def test_json_has_all_of_it() -> None:
    raw = next(finding for finding in findings(unflagged, np.zeros(256, np.float32)) if finding.kind == "RAW")
    told = raw.as_dict()
    assert told["overlap"] == [32, 160]
    assert told["accesses"][0] == {
        "action": "Write", "op": "data_copy", "pipe": "MTE2", "core": 0, "file": __file__, "memory": "UB",
        "line": raw.locations[0].line, "tensor": "tile", "lower": 0, "upper": 256, "loops": {"i": 1, "j": 1},
    }  # fmt: skip


def test_a_printed_finding_is_one_complete_line() -> None:
    text = str(findings(unflagged, np.zeros(256, np.float32))[0])
    assert "\n" not in text
    assert not text.endswith(":")
    assert "Write of tile" in text and "add asc." in text


def test_operands_that_are_not_read_in_their_order_have_their_own_names() -> None:
    found = findings(unflagged, np.zeros(256, np.float32))
    line = next(finding.locations[-1] for finding in found if finding.accesses[-1].op == "select")
    names = [operand(line, "select", write=False, place=place) for place in range(3)]
    assert (operand(line, "select", write=True, place=0), names) == ("result", ["result", "tile", "mask"])


@asc.jit
def looked_up(x: asc.GlobalAddress) -> None:
    table = asc.LocalTensor(asc.float32, IN, 0, 64)
    offsets = asc.LocalTensor(asc.uint32, IN, 256, 64)
    result = asc.LocalTensor(asc.float32, OUT, 512, 64)
    asc.duplicate(offsets, 12, 64)
    asc.data_copy(table, bound(x), 64)
    asc.gather(result, table, offsets, 0, 64)


def test_what_a_gather_looks_up_has_its_name() -> None:
    raw = next(finding for finding in findings(looked_up, np.zeros(64, np.float32)) if finding.kind == "RAW")
    assert [(access.tensor, access.op) for access in raw.accesses] == [("table", "data_copy"), ("table", "gather")]


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def on_two_cores(z: asc.GlobalAddress) -> None:
    target = bound(z)
    tile = asc.LocalTensor(asc.float32, OUT, 0, 64)
    asc.duplicate(tile, 1.0, 64)
    asc.set_flag(EVENT.V_MTE3, 0)
    asc.wait_flag(EVENT.V_MTE3, 0)
    for i in range(2):
        asc.data_copy(target[(asc.get_block_idx() + i) * 64 :], tile, 64)


def test_accesses_of_two_cores_name_both() -> None:
    (conflict,) = findings(on_two_cores, np.zeros(256, np.float32), cores=2)
    assert [(access.core, access.tensor, access.memory) for access in conflict.accesses] == [
        (0, "target", "GM"), (1, "target", "GM"),
    ]  # fmt: skip
    assert conflict.overlap == (256, 512)


@asc.jit
def set_too_often(x: asc.GlobalAddress) -> None:
    tile = asc.LocalTensor(asc.float32, IN, 0, 64)
    asc.data_copy(tile, bound(x), 64)
    asc.set_flag(EVENT.MTE2_V, 2)
    asc.set_flag(EVENT.MTE2_V, 2)
    asc.wait_flag(EVENT.MTE2_V, 2)


def test_flags_have_their_counts_and_the_line_of_the_last_set() -> None:
    twice, unpaired = findings(set_too_often, np.zeros(64, np.float32))
    assert [(flag.event, flag.id, flag.sets, flag.waits) for flag in twice.flags] == [("MTE2_V", 2, 2, 0)]
    assert unpaired.as_dict()["flags"] == [
        {"event": "MTE2_V", "id": 2, "sets": 2, "waits": 1,
         "last_set": {"file": __file__, "line": twice.locations[0].line}},
    ]  # fmt: skip
    assert "(MTE2_V, 2): 2 sets, 1 waits; last set at" in unpaired.message


def test_a_line_that_cannot_be_read_has_the_buffers_name() -> None:
    scope: dict[str, Any] = {"asc": asc, "bound": bound}
    exec("def made(x):\n    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8)\n    t.get_value(9)\n", scope)
    (finding,) = (f for f in findings(asc.jit(scope["made"]), np.zeros(8, np.float32)) if f.kind == "OOB")
    assert finding.accesses[0].tensor == "LocalTensor at 0"
