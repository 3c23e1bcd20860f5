"""Each kind of finding, with a twin that differs in one line and is clean."""

from typing import Any

import numpy as np
import pytest

from cannery.aicore import DeadlockError
from cannery.watch import Finding, session

from . import kernels as k

ERROR, WARNING, NOTE = "error", "warning", "note"

CASES: list[tuple[Any, ...]] = [
    # kernel, arguments after the array, cores, findings as (kind, severity, pipes, memory)
    (k.lone_set, (), 1, {("UNPAIRED_FLAG", WARNING, ("V", "MTE2"), "")}),
    (k.redundant_pair, (), 1, {("REDUNDANT_SYNC", NOTE, (), "")}),
    (k.redundant_barrier, (), 1, {("REDUNDANT_SYNC", NOTE, (), "")}),
    (k.explicit_barriers, (), 1, set()),
    (k.set_twice, (), 1, {("EVENT_ID", ERROR, (), ""), ("UNPAIRED_FLAG", WARNING, ("MTE2", "V"), "")}),
    (k.used_then_waited_for, (), 1, {("RAW", ERROR, ("MTE2", "V"), "UB")}),
    (k.scalar_reads_too_early, (), 1, {("RAW", ERROR, ("MTE2", "S"), "UB")}),
    (k.id_out_of_range, (), 1, {("EVENT_ID", ERROR, (), "")}),
    (k.released_without_alloc, (), 1, {("EVENT_ID", ERROR, (), "")}),
    (k.ids_exhausted, (), 1, {("EVENT_ID", ERROR, (), "")}),
    (k.scalar_write_then_load, (), 1, {("RAW", ERROR, ("S", "MTE2"), "GM")}),
    (k.scalar_write_flag_load, (), 1, set()),
    (k.load_then_scalar_write, (), 1, {("WAR", ERROR, ("MTE2", "S"), "GM")}),
    (k.load_flag_scalar_write, (), 1, set()),
    (k.scalar_write_then_store, (), 1, {("WAW", ERROR, ("S", "MTE3"), "GM")}),
    (k.local_scalar_write_then_vector, (), 1, set()),
    (k.vector_then_scalar_read, (), 1, {("RAW", ERROR, ("V", "S"), "UB")}),
    (k.same_scalar_write, (), 2, {("CROSS_CORE", ERROR, ("S", "S"), "GM")}),
    (k.own_scalar_write, (), 2, set()),
    (k.load_beyond_array, (), 1, {("OOB", ERROR, ("MTE2",), "GM")}),
    (k.store_beyond_array, (), 1, {("OOB", ERROR, ("MTE3",), "GM")}),
    (k.load_beyond_buffer_size, (), 1, {("OOB", ERROR, ("MTE2",), "GM")}),
    (k.vector_beyond_tensor, (), 1, {("OOB", ERROR, ("V",), "UB")}),
    (k.one_element_beyond_tensor, (), 1, {("OOB", ERROR, ("V",), "UB")}),
    (k.filler_beyond_tensor, (), 1, set()),
    (k.scalar_beyond_tensor, (), 1, {("OOB", ERROR, ("S",), "UB")}),
    (k.misaligned_vector, (), 1, {("MISALIGNED", ERROR, ("V",), "UB")}),
    (k.misaligned_store, (), 1, {("MISALIGNED", ERROR, ("MTE3",), "UB")}),
    (k.unwritten_scalar, (), 1, {("UNINITIALIZED", ERROR, ("S",), "UB")}),
    (k.unwritten_store, (), 1, {("UNINITIALIZED", ERROR, ("MTE3",), "UB")}),
    (k.unwritten_reduction, (), 1, {("UNINITIALIZED", ERROR, ("V",), "UB")}),
    (k.unwritten_comparison, (), 1, {("UNINITIALIZED", ERROR, ("V",), "UB")}),
    (k.unwritten_lanes_not_stored, (), 1, {("UNINITIALIZED", WARNING, ("V",), "UB")}),
    (k.masked_lanes_stored, (), 1, {("UNINITIALIZED", ERROR, ("MTE3",), "UB")}),
    (k.filler_stored, (), 1, {("UNINITIALIZED", ERROR, ("MTE3",), "UB")}),
    (k.filler_of_first_elements_stored, (), 1, set()),
    (k.filler_not_stored, (), 1, set()),
    (k.stale_tail_moved_not_stored, (), 1, set()),
    (k.used_after_free, (), 1, {("USE_AFTER_FREE", ERROR, ("V",), "UB")}),
    (k.enqued_twice, (), 1, {("QUEUE_MISUSE", ERROR, (), "")}),
    (k.freed_twice, (), 1, {("QUEUE_MISUSE", ERROR, (), "")}),
    (k.depth_exceeded, (), 1, {("QUEUE_MISUSE", ERROR, (), "")}),
    (k.dequed_from_empty, (), 1, {("QUEUE_MISUSE", ERROR, (), "")}),
    (k.enqued_to_other_queue, (), 1, {("QUEUE_MISUSE", ERROR, (), "")}),
    (k.never_freed, (), 1, {("LEAK", WARNING, (), "")}),
    (k.vector_overwritten_unbarriered, (), 1, set()),
    (k.vector_manual, (False,), 1, {("RAW", ERROR, ("V", "V"), "UB")}),
    (k.vector_manual, (True,), 1, set()),
    (k.loads_to_one_place, (False,), 1, {("WAW", ERROR, ("MTE2", "MTE2"), "UB")}),
    (k.loads_to_one_place, (True,), 1, set()),
    (k.interleaved_blocks, (), 1, set()),
    (k.interleaved_blocks_shifted, (), 1, {("RAW", ERROR, ("V", "MTE3"), "UB")}),
    (k.later_flag_covers_earlier_copy, (), 1, set()),
    (k.transitive_order, (), 1, set()),
    (k.neighbours_read_before_barrier, ("z", False), 2, {("CROSS_CORE", ERROR, ("MTE2", "MTE3"), "GM"),
                                                         ("CROSS_CORE", ERROR, ("MTE3", "MTE2"), "GM")}),
    (k.neighbours_read_before_barrier, ("z", True), 2, set()),
    (k.cross_core_flags, (True, True), 2, set()),
    (k.cross_core_flags, (True, False), 2, {("CROSS_CORE", ERROR, ("MTE2", "MTE3"), "GM"),
                                            ("CROSS_CORE", ERROR, ("MTE3", "MTE2"), "GM"),
                                            ("UNPAIRED_FLAG", WARNING, (), "")}),
    (k.summed_by_all, (True,), 4, set()),
    (k.summed_by_all, (False,), 4, {("CROSS_CORE", ERROR, ("MTE3", "MTE3"), "GM")}),
    (k.one_after_the_other, (True,), 3, set()),
    (k.one_after_the_other, (False,), 3, {("CROSS_CORE", ERROR, pipes, "GM")
                                          for pipes in [("MTE2", "MTE3"), ("MTE3", "MTE2"), ("MTE3", "MTE3")]}),
    (k.ub_filled, (0,), 1, set()),
    (k.ub_filled, (1,), 1, {("UB_OVERFLOW", WARNING, (), "UB")}),
    (k.ub_filled, (8448,), 1, {("UB_OVERFLOW", WARNING, (), "UB")}),
    (k.ub_filled, (8449,), 1, {("UB_OVERFLOW", ERROR, (), "UB")}),
    (k.static_beyond_ub, (), 1, {("UB_OVERFLOW", ERROR, (), "UB")}),
    (k.too_many_buffers, (), 1, {("QUEUE_MISUSE", ERROR, (), "")}),
    (k.set_too_far_ahead, (), 1, {("EVENT_ID", ERROR, (), ""), ("UNPAIRED_FLAG", WARNING, (), "")}),
    (
        k.small_workspace, (), 2,
        {("OOB", ERROR, (), "GM"), ("OOB", ERROR, (), "UB"), ("UNINITIALIZED", ERROR, (), "GM")},
    ),
    (k.rounded_store, (), 1, {("ROUNDED_COPY", ERROR, ("MTE3",), "UB")}),
]  # fmt: skip

DEADLOCKS: list[tuple[Any, ...]] = [
    (k.wrong_id, (), 1, {"DEADLOCK", "UNPAIRED_FLAG"}),
    (k.queue_without_buffers, (), 1, {"QUEUE_MISUSE", "DEADLOCK"}),
    (k.barrier_missed_by_one, (), 3, {"DEADLOCK"}),
    (k.cross_core_flags, (False, True), 2, {"DEADLOCK"}),
    (k.scalar_waits_for_nothing, (), 1, {"DEADLOCK", "UNPAIRED_FLAG"}),
    (k.circular_wait, (), 1, {"DEADLOCK"}),
]


def names(case: Any) -> str:
    return f"{case[0].__name__}{case[1] or ''}"


def arguments(rest: Any) -> list[Any]:
    return [np.zeros(4 * k.N, np.float32) if value == "z" else value for value in rest]


def launch(kernel: Any, rest: Any, cores: int, **options: Any) -> list[Finding]:
    x = np.ones(k.N if cores == 1 else 4 * k.N, np.float32)
    with session(check=True, **options) as found:
        kernel[cores](x, *arguments(rest))
    return found.findings()


@pytest.mark.parametrize("case", CASES, ids=names)
def test_exactly_the_expected_findings(case: Any) -> None:
    kernel, rest, cores, expected = case
    found = launch(kernel, rest, cores)
    assert {(f.kind, f.severity, f.pipes, f.memory) for f in found} == expected


@pytest.mark.parametrize("case", DEADLOCKS, ids=names)
def test_deadlocks_stop_the_program(case: Any) -> None:
    kernel, rest, cores, expected = case
    x = np.ones(4 * k.N, np.float32)
    with session(check=True) as found, pytest.raises(DeadlockError):
        kernel[cores](x, *arguments(rest))
    assert {f.kind for f in found.findings()} == expected


@pytest.mark.parametrize("case", DEADLOCKS, ids=names)
def test_deadlocks_stop_the_program_without_checks(case: Any) -> None:
    kernel, rest, cores, _ = case
    with session() as found, pytest.raises(DeadlockError):
        kernel[cores](np.ones(4 * k.N, np.float32), *arguments(rest))
    assert found.findings() == []


def test_950_orders_dependent_vector_instructions_itself() -> None:
    assert launch(k.vector_manual, (False,), 1, soc="Ascend950PR_9589") == []


def test_every_finding_names_a_line_of_the_kernel() -> None:
    for kernel, rest, cores, _ in CASES:
        for finding in launch(kernel, rest, cores):
            assert all(site.file == k.__file__ and site.line > 0 for site in finding.locations)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_findings_do_not_depend_on_the_lazy_order(seed: int) -> None:
    for kernel, rest, cores, expected in CASES:
        found = launch(kernel, rest, cores, seed=seed)
        assert {f.kind for f in found} == {kind for kind, *_ in expected}


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_wait_may_be_issued_before_its_set(seed: int) -> None:
    x = np.arange(4 * k.N, dtype=np.float32)
    z = np.zeros_like(x)
    with session(check=True, seed=seed) as found:
        k.waits_ahead_of_sets[1](x, z)
    assert found.findings() == []
    np.testing.assert_array_equal(z, x + 1)


def test_a_set_that_stands_behind_a_wait_is_not_called_missing() -> None:
    with session(check=True) as found, pytest.raises(DeadlockError):
        k.circular_wait[1](np.ones(k.N, np.float32))
    (deadlock,) = [finding for finding in found.findings() if finding.kind == "DEADLOCK"]
    assert deadlock.hint == "the set_flag that answers it stands behind a wait itself: move it before that wait"
