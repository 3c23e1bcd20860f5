"""The table of instructions, and its functions called without any kernel language."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.aicore.core import Core
from cannery.aicore.instruction import Instruction, Site
from cannery.aicore.launch import Launch
from cannery.aicore.memory import GlobalBuffer
from cannery.aicore.setup import Setup
from cannery.asc.vector.elementwise import spelled
from cannery.isa import dtypes, move, table
from cannery.isa.dtypes import BY_NUMPY, float16, float32, int8
from cannery.isa.enums import TPosition
from cannery.isa.op import DAV_2201, DAV_3510, SCALAR, ByArch, Op, one_type
from cannery.isa.operands import Addressing
from cannery.isa.reduce import sum_of_tensor
from cannery.isa.table import ROWS, TABLE
from cannery.isa.tensors import Allocation, Global, GlobalOwner, Local
from cannery.isa.vector import lanewise
from cannery.soc import soc

SITE = Site("kernel.cpp", 7, "k")


class Seen:
    """A watcher that keeps the instructions."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []

    def see(self, core: Core, record: Any) -> None:
        if isinstance(record, Instruction):
            self.instructions.append(record)

    def end(self, completed: bool) -> None: ...


def on_a_core(body: Callable[[Core], None], chip: str = "Ascend910B1") -> list[Instruction]:
    seen = Seen()
    Launch(Setup("k", soc(chip), 1, (("aiv", 0, 0),)), (seen,)).run(body)
    return seen.instructions


def local(core: Core, lower: int, values: np.ndarray[Any, Any]) -> Local:
    owner = Allocation(core, TPosition.VECCALC, lower, -(-values.nbytes // 32) * 32, "buffer")
    owner.memory.data[lower : lower + values.nbytes] = values.view(np.uint8)
    return Local(owner, lower, BY_NUMPY[values.dtype], values.size)


def values_of(tensor: Local) -> np.ndarray[Any, Any]:
    array: np.ndarray[Any, Any] = tensor.owner.memory.array(tensor.dtype.numpy, tensor.addr, tensor.size)
    return array.copy()


ABS_SUB = table.lanewise("abs_sub", table.BINARY, lambda a, b: np.abs(a - b), {float16, float32})


@asc.jit
def calling(x: asc.GlobalAddress, z: asc.GlobalAddress, call: asc.ConstExpr[Any]) -> None:
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 1024, 64)
    asc.data_copy(a, x_gm, 64)
    asc.data_copy(b, x_gm[64:], 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    call(b, a, b, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, b, 64)


def test_a_lane_wise_instruction_is_one_row() -> None:
    x, z = np.arange(128, dtype=np.float32) ** 2, np.zeros(64, np.float32)
    calling[1](x, z, spelled(ABS_SUB))
    np.testing.assert_array_equal(z, np.abs(x[:64] - x[64:]))
    with pytest.raises(TypeError, match="abs_sub: found int32, expected one of float16, float32"):
        calling[1](np.arange(128, dtype=np.int32), np.zeros(64, np.int32), spelled(ABS_SUB))


def test_the_functions_take_tensors_and_counts_of_any_language() -> None:
    x, z = np.arange(64, dtype=np.float16), np.zeros(16, np.float16)
    found: dict[str, np.ndarray[Any, Any]] = {}

    def body(core: Core) -> None:
        a, b, out = (local(core, at, x[::step].copy()) for at, step in ((0, 1), (1024, -1), (2048, 1)))
        lanewise(core, SITE, TABLE["sub"], (out, a, b), Addressing(64))
        lanewise(core, SITE, TABLE["adds"], (a, a), Addressing(None, [0b11, 0], 1, ((1, 8), (1, 8))), 0.5)
        sum_of_tensor(core, SITE, TABLE["reduce_sum"], b, out, None, Addressing(4))
        buffer = GlobalBuffer("z", z)
        target = Global(GlobalOwner(buffer, buffer.base, buffer.base + z.nbytes), buffer.base, float16)
        core.barrier(None, SITE)
        move.copy_blocks(core, SITE, TABLE["data_copy"], target, a, 1, 1, (0, 0))
        core.drain()
        found.update(out=values_of(out), b=values_of(b)[:1])

    issued = on_a_core(body)
    np.testing.assert_array_equal(found["out"], x - x[::-1])
    np.testing.assert_array_equal(found["b"], [(x - x[::-1])[:4].sum()])
    np.testing.assert_array_equal(z, x[:16] + np.where(np.arange(16) < 2, np.float16(0.5), 0))
    assert [(one.op, one.dtype, one.work) for one in issued] == [
        ("sub", float16, 64), ("adds", float16, 2), ("reduce_sum", float16, 4), ("data_copy", float16, 32),
    ]  # fmt: skip
    assert {one.site for one in issued} == {SITE}


def test_an_architecture_has_types_and_limits_of_its_own() -> None:
    types = ByArch({DAV_2201: one_type(2, {float16}), DAV_3510: one_type(2, {float16, int8})})
    limits: ByArch[Mapping[str, tuple[int, int]]] = ByArch(
        {DAV_2201: {"repeat_times": (0, 255)}, DAV_3510: {"repeat_times": (0, 4)}}
    )
    op = Op("neg", "lanewise", table.UNARY, np.negative, types, limits=limits)

    def bytes_of(core: Core) -> None:
        tensor = local(core, 0, np.arange(32, dtype=np.int8))
        lanewise(core, SITE, op, (tensor, tensor), Addressing(32))

    def repeats(core: Core) -> None:
        tensor = local(core, 0, np.zeros(1024, np.float16))
        lanewise(core, SITE, op, (tensor, tensor), Addressing(None, 128, 5, ((1, 8), (1, 8))))

    assert len(on_a_core(bytes_of, "Ascend950PR_9589")) == len(on_a_core(repeats, "Ascend910B1")) == 1
    with pytest.raises(TypeError, match="neg: found int8, expected one of float16"):
        on_a_core(bytes_of, "Ascend910B1")
    with pytest.raises(ValueError, match="repeat_times: found 5, expected 0 to 4"):
        on_a_core(repeats, "Ascend950PR_9589")


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_a_row_is_whole(op: Op) -> None:
    assert TABLE[op.name] is op, "two rows of one name"
    assert (op.pipe is None) == any(op.routes.values())
    assert op.operands.count(SCALAR) <= 1 and len(set(op.operands)) == len(op.operands)
    for arch in (DAV_2201, DAV_3510):
        assert arch in op.limits
        assert op.types is None or all(op.types[arch].modes)


def test_there_is_one_object_of_each_element_type() -> None:
    assert dtypes.float16 != dtypes.bfloat16 and hash(dtypes.float16) == hash(float16)
    assert [int8.wrap(value) for value in (127, 128, -129, 256)] == [127, -128, 127, 0]
