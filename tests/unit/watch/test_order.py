"""The checker's clocks against the graph of everything issued, on random programs."""

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from cannery import asc
from cannery.aicore import DeadlockError
from cannery.aicore.flags import Set, Wait
from cannery.asc.runtime.config import KernelType
from cannery.watch import Trace, session

N = 8
SLOTS = 8
CACHE = asc.CacheLine
EVENTS = [
    asc.HardEvent[name]
    for name in (
        "MTE2_V", "V_MTE2", "V_MTE3", "MTE3_V", "MTE3_MTE2", "MTE2_MTE3", "V_S", "S_V", "MTE2_S", "S_MTE2", "S_MTE3",
        "MTE3_S",
    )
]  # fmt: skip
BARRIERS = [asc.PipeID.PIPE_V, asc.PipeID.PIPE_MTE2, asc.PipeID.PIPE_MTE3, asc.PipeID.PIPE_ALL]
RACES = {"RAW", "WAR", "WAW", "CROSS_CORE", "MISSING_DCCI"}

slot = st.integers(0, SLOTS - 1)
stretch = st.tuples(slot, st.integers(1, 3)).filter(lambda stretch: sum(stretch) <= SLOTS)
line = st.sampled_from([None, 0, 1, 2, 4])
statement = st.one_of(
    st.tuples(st.sampled_from(["load", "store"]), stretch),
    st.tuples(st.sampled_from(["load_sparse", "store_sparse"]), st.integers(0, 1)),
    st.tuples(st.sampled_from(["read", "write"]), st.tuples(slot, st.sampled_from([0, 7]))),
    st.tuples(st.sampled_from(["read_global", "write_global"]), slot),
    st.tuples(st.just("clean"), line),
    st.tuples(st.just("add"), st.tuples(stretch, slot).filter(lambda add: add[1] + add[0][1] <= SLOTS)),
    st.tuples(st.just("add_sparse"), st.tuples(st.integers(0, 1), st.integers(0, 1))),
    st.tuples(st.just("add_overlapping"), st.tuples(st.integers(0, 1), st.integers(0, 4))),
    st.tuples(st.just("gather"), st.tuples(slot, slot)),
    st.tuples(st.just("pair"), st.tuples(st.sampled_from(EVENTS), st.integers(0, 1))),
    st.tuples(st.just("set"), st.tuples(st.sampled_from(EVENTS[:6]), st.integers(0, 1))),
    st.tuples(st.just("barrier"), st.sampled_from(BARRIERS)),
)

early = st.tuples(st.just("wait"), st.tuples(st.sampled_from(EVENTS[:6]), st.integers(0, 1)))


@asc.jit(auto_sync=False)
def random_program(x: asc.GlobalAddress, places: asc.GlobalAddress, statements: asc.ConstExpr[list]) -> None:
    gm, offsets = asc.GlobalTensor(), asc.GlobalTensor()
    gm.set_global_buffer(x)
    offsets.set_global_buffer(places)
    ub = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, SLOTS * N)
    table = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, SLOTS * N * 4, N)
    asc.data_copy(table, offsets, N)
    asc.duplicate(ub, 0.0, SLOTS * N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    for kind, detail in statements:
        step(gm, ub, table, kind, detail)


def step(gm: Any, ub: Any, offsets: Any, kind: str, detail: Any) -> None:
    if kind in ("pair", "set", "wait"):
        if kind != "wait":
            asc.set_flag(*detail)
        if kind != "set":
            asc.wait_flag(*detail)
    elif kind == "barrier":
        asc.pipe_barrier(detail)
    elif kind == "clean" and detail is None:
        asc.data_cache_clean_and_invalid(CACHE.ENTIRE_DATA_CACHE, gm)
    else:
        STEPS[kind](gm, ub, offsets, detail)


def load(gm: Any, ub: Any, offsets: Any, stretch: tuple[int, int]) -> None:
    asc.data_copy(ub[stretch[0] * N :], gm[stretch[0] * N :], stretch[1] * N)


def store(gm: Any, ub: Any, offsets: Any, stretch: tuple[int, int]) -> None:
    asc.data_copy(gm[stretch[0] * N :], ub[stretch[0] * N :], stretch[1] * N)


def add(gm: Any, ub: Any, offsets: Any, slots: tuple[tuple[int, int], int]) -> None:
    (target, number), source = slots
    asc.adds(ub[target * N :], ub[source * N :], 1.0, number * N)


def add_sparse(gm: Any, ub: Any, offsets: Any, slots: tuple[int, int]) -> None:
    """Every other block."""
    asc.adds(ub[slots[0] * N :], ub[slots[1] * N :], 1.0, N, 4, asc.UnaryRepeatParams(1, 1, 2, 2))


def add_overlapping(gm: Any, ub: Any, offsets: Any, slots: tuple[int, int]) -> None:
    """Blocks in a row to every other block: a later repeat may read what an earlier one wrote."""
    asc.adds(ub[slots[0] * N :], ub[slots[1] * N :], 1.0, N, 4, asc.UnaryRepeatParams(1, 1, 2, 1))


STEPS: dict[str, Any] = {
    "load": load,
    "store": store,
    "load_sparse": lambda gm, ub, _, at: asc.data_copy(ub[at * N :], gm, asc.DataCopyParams(4, 1, 0, 1)),
    "store_sparse": lambda gm, ub, _, at: asc.data_copy(gm, ub[at * N :], asc.DataCopyParams(4, 1, 1, 0)),
    "read": lambda gm, ub, _, at: ub.get_value(at[0] * N + at[1]),
    "write": lambda gm, ub, _, at: ub.set_value(at[0] * N + at[1], 1.0),
    "read_global": lambda gm, ub, _, at: gm.get_value(at * N),
    "write_global": lambda gm, ub, _, at: gm.set_value(at * N, 1.0),
    "clean": lambda gm, ub, _, at: asc.data_cache_clean_and_invalid(CACHE.SINGLE_CACHE_LINE, gm[at * N :]),
    "add": add,
    "add_sparse": add_sparse,
    "add_overlapping": add_overlapping,
    "gather": lambda gm, ub, offsets, slots: asc.gather(ub[slots[0] * N :], ub[slots[1] * N :], offsets, 0, N),
}
PLACES = np.array([0, 4, 8, 12] * 2, np.uint32)  # the first half of a slot


def run(statements: list[Any], auto_sync: bool, seed: int = 0) -> tuple[set[str], Trace, np.ndarray]:
    trace = Trace()
    x = np.arange(SLOTS * N, dtype=np.float32)
    with session(check=True, seed=seed) as found:
        random_program.run(1, x, PLACES, statements, auto_sync=auto_sync, watchers=(trace,))
    return {finding.kind for finding in found.findings()}, trace, x


@settings(max_examples=300, deadline=None)
@given(st.lists(statement, max_size=14), st.booleans())
def test_a_race_is_found_exactly_when_the_graph_has_one(statements: list[Any], auto_sync: bool) -> None:
    kinds, trace, _ = run(statements, auto_sync)
    assert bool(kinds & RACES) == (trace.has_race() or trace.has_hidden())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(statement, early), max_size=14), st.booleans())
def test_waits_issued_before_their_sets_raise_no_false_alarm(statements: list[Any], auto_sync: bool) -> None:
    try:
        kinds, trace, _ = run(statements, auto_sync)
    except DeadlockError:
        reject()
    assert not kinds & RACES or trace.has_race() or trace.has_hidden()


@settings(max_examples=100, deadline=None)
@given(st.lists(statement, max_size=14), st.booleans(), st.integers(1, 1000))
def test_without_races_no_seed_changes_the_data(statements: list[Any], auto_sync: bool, seed: int) -> None:
    kinds, _, plain = run(statements, auto_sync)
    if not kinds & (RACES | {"ALIASING"}):
        _, _, shuffled = run(statements, auto_sync, seed)
        np.testing.assert_array_equal(plain.view(np.uint32), shuffled.view(np.uint32))


@settings(max_examples=50, deadline=None)
@given(st.lists(statement, max_size=14), st.booleans(), st.integers(0, 1000))
def test_findings_do_not_depend_on_the_seed(statements: list[Any], auto_sync: bool, seed: int) -> None:
    assert run(statements, auto_sync)[0] == run(statements, auto_sync, seed)[0]


in_phase = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["load", "store"]), stretch),
        st.tuples(st.sampled_from(["read_global", "write_global"]), slot),
        st.tuples(st.just("clean"), line),
        st.tuples(st.just("barrier"), st.just(asc.PipeID.PIPE_ALL)),
    ),
    max_size=4,
)
phases = st.lists(st.tuples(st.booleans(), in_phase, in_phase), min_size=1, max_size=3)


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def two_cores(x: asc.GlobalAddress, space: asc.GlobalAddress, phases: asc.ConstExpr[list]) -> None:
    """Phases that a barrier of both ends, or a message from the first core to the second parts."""
    gm, workspace = asc.GlobalTensor(), asc.GlobalTensor()
    gm.set_global_buffer(x)
    workspace.set_global_buffer(space)
    ub = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, SLOTS * N)
    flags = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 1024, 64)
    me = asc.get_block_idx()
    for number, (is_barrier, *statements) in enumerate(phases):
        if me == 1 and not is_barrier:
            asc.ib_wait(workspace, flags, 0, number)
        for kind, detail in statements[me]:
            step(gm, ub, None, kind, detail)
            asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
            asc.pipe_barrier(asc.PipeID.PIPE_MTE3)
        if me == 0 and not is_barrier:
            asc.ib_set(workspace, flags, 0, number)
        if is_barrier:
            asc.sync_all()


@settings(max_examples=300, deadline=None)
@given(phases)
def test_two_cores_are_judged_as_the_graph_judges_them(phases: list[Any]) -> None:
    trace = Trace()
    x = np.arange(SLOTS * N, dtype=np.float32)
    with session(check=True) as found:
        two_cores.run(2, x, np.zeros(256, np.int32), phases, watchers=(trace,))
    kinds = {finding.kind for finding in found.findings()}
    assert bool(kinds & RACES) == (trace.has_race() or trace.has_hidden())


CUBE_EVENTS = [
    asc.HardEvent[name]
    for name in ("MTE2_MTE1", "MTE1_MTE2", "MTE1_M", "M_MTE1", "M_FIX", "FIX_M", "FIX_MTE2", "MTE2_FIX", "M_S", "FIX_S")
]  # fmt: skip
two = st.integers(0, 1)
on_cube = st.one_of(
    st.tuples(st.sampled_from(["fill", "left", "right", "drain"]), st.tuples(two, two)),
    st.tuples(st.just("multiply"), st.tuples(two, st.sampled_from([0, 0, 2, 3]), st.booleans())),
    st.tuples(st.just("drain with flag"), st.tuples(two, st.sampled_from([2, 3]))),
    st.tuples(st.just("pair"), st.tuples(st.sampled_from(CUBE_EVENTS), two)),
    st.tuples(st.just("set"), st.tuples(st.sampled_from(CUBE_EVENTS[:6]), two)),
    st.tuples(st.just("wait"), st.tuples(st.sampled_from(CUBE_EVENTS[:6]), two)),
    st.tuples(
        st.just("barrier"),
        st.sampled_from([asc.PipeID[f"PIPE_{name}"] for name in ("M", "MTE1", "MTE2", "FIX", "ALL")]),
    ),
)


@asc.jit(kernel_type=KernelType.AIC_ONLY)
def random_product(x: asc.GlobalAddress, y: asc.GlobalAddress, side: asc.ConstExpr, statements: asc.ConstExpr) -> None:
    """One or more blocks of 16 × 16 in two places of each memory."""
    source, result = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x)
    result.set_global_buffer(y)
    size = side * side
    places = (("A1", asc.float16), ("A2", asc.float16), ("B2", asc.float16), ("CO1", asc.float32))
    a1, a2, b2, c1 = (
        [asc.LocalTensor(kind, asc.TPosition[name], at * size * kind.sizeof(), size) for at in range(2)]
        for name, kind in places
    )
    for kind, detail in statements:
        if kind == "fill":
            asc.data_copy(a1[detail[0]], source[detail[1] * size :], size)
        elif kind in ("left", "right"):
            target = (a2 if kind == "left" else b2)[detail[0]]
            asc.load_data(target, a1[detail[1]], asc.LoadData2DParams(0, size // 256, 1))
        elif kind == "multiply":
            place, flag, first = detail
            asc.mmad(c1[place], a2[place], b2[0], asc.MmadParams(side, side, side, False, 0, False, False, False, flag,
                                                                 False, first))  # fmt: skip
        elif kind in ("drain", "drain with flag"):
            place, other = detail
            flag = other if "flag" in kind else 0
            params = asc.FixpipeParamsV220(side, side, side, side, unit_flag=flag)
            asc.fixpipe(result[place * size :], c1[place], params)
        else:
            step(source, None, None, kind, detail)


def has_early_wait(trace: Trace) -> bool:
    """Whether a wait was issued before the set that answers it."""
    sent: Counter[object] = Counter()
    for node in trace.nodes:
        if isinstance(node.what, Set):
            sent[node.what.event] += 1
        elif isinstance(node.what, Wait):
            sent[node.what.event] -= 1
            if sent[node.what.event] < 0:
                return True
    return False


@settings(max_examples=300, deadline=None)
@example([("drain with flag", (0, 2)), ("drain with flag", (0, 2)), ("multiply", (0, 3, False))], 16)
@given(st.lists(on_cube, max_size=14), st.sampled_from([16, 64]))
def test_the_cube_is_judged_as_the_graph_judges_it(statements: list[Any], side: int) -> None:
    trace = Trace()
    x, y = np.zeros(2 * side * side, np.float16), np.zeros(2 * side * side, np.float32)
    with session(check=True) as found:
        try:
            random_product.run(1, x, y, side, statements, watchers=(trace,))
        except DeadlockError:
            reject()
    has_found = any(finding.kind in RACES for finding in found.findings())
    if has_early_wait(trace):  # what stands behind one is not judged; no false alarm either
        assert not has_found or trace.has_race()
    else:
        assert has_found == trace.has_race()


mixed = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["load", "store"]), slot),
        st.tuples(st.sampled_from(["set", "wait"]), st.tuples(st.integers(0, 1), st.booleans())),
        st.tuples(st.just("barrier"), st.sampled_from([asc.PipeID.PIPE_MTE2, asc.PipeID.PIPE_ALL])),
        st.tuples(st.just("pair"), st.sampled_from(["MTE2_MTE3", "MTE3_MTE2"])),
    ),
    max_size=6,
)  # fmt: skip


@asc.jit(kernel_type=KernelType.MIX_AIC_1_1)
def both_kinds(x: asc.GlobalAddress, programs: asc.ConstExpr[tuple]) -> None:
    """A cube and a vector core on the same global memory, with flags of mode 2 between them."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(x)
    is_cube = asc.ascend_is_aic()
    position = asc.TPosition.A1 if is_cube else asc.TPosition.VECIN
    tensors = [asc.LocalTensor(asc.float32, position, index * 32, N) for index in range(SLOTS)]
    for kind, detail in programs[0 if is_cube else 1]:
        if kind == "set":
            identity, loads = detail
            asc.cross_core_set_flag(identity, 2, asc.PipeID.PIPE_MTE2 if loads else asc.PipeID.PIPE_MTE3)
        elif kind == "wait":
            asc.cross_core_wait_flag(detail[0], 2, asc.PipeID.PIPE_MTE2)
        elif kind == "load":
            asc.data_copy(tensors[detail], gm[detail * N :], N)
        elif kind == "store":
            asc.data_copy(gm[detail * N :], tensors[detail], N)
        else:
            step(gm, None, None, kind, (asc.HardEvent[detail], 0) if kind == "pair" else detail)


@settings(max_examples=150, deadline=None)
@given(mixed, mixed)
def test_a_cube_and_a_vector_core_are_judged_as_the_graph_judges_them(cube: list[Any], vector: list[Any]) -> None:
    trace = Trace()
    x = np.arange(SLOTS * N, dtype=np.float32)
    with session(check=True) as found:
        try:
            both_kinds.run(1, x, (cube, vector), watchers=(trace,))
        except DeadlockError:
            reject()
    kinds = {finding.kind for finding in found.findings()}
    assert bool(kinds & RACES) == trace.has_race()


def test_one_missing_flag_before_an_instruction_in_place_is_one_race() -> None:
    with session(check=True) as found:
        random_program[1](np.zeros(SLOTS * N, np.float32), PLACES, [("load", (0, 1)), ("add", ((0, 1), 0))])
    races = [finding for finding in found.findings() if finding.kind in RACES]
    assert [(finding.kind, finding.count) for finding in races] == [("RAW", 1)]
