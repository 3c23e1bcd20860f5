"""Constructs that pyasc's compiler refuses, and their nearest neighbours that it takes."""

# ruff: noqa: F841, B007, E731
from typing import Any

import pytest

from cannery import asc
from cannery.asc.syntax import refused
from cannery.watch import session

DEBUG = False
WIDTH = 64


def plain_helper(x: Any) -> Any:
    return x


@asc.jit
def jitted_helper(x: Any) -> Any:
    return x


def breaks(n: int) -> None:
    for i in range(n):
        if i == 3:
            break


def continues(n: int) -> None:
    for i in range(n):
        if i == 3:
            continue


def loop_else(n: int) -> None:
    for i in range(n):
        asc.set_mask_norm()
    else:
        asc.set_mask_count()


def while_else(n: int) -> None:
    while n > 0:
        n = n - 1
    else:
        asc.set_mask_norm()


def tries(n: int) -> None:
    try:
        asc.set_mask_norm()
    finally:
        asc.set_mask_count()


def raises(n: int) -> None:
    raise ValueError


def lambdas(n: int) -> None:
    f = lambda x: x + 1


def imports(n: int) -> None:
    import math  # noqa: F401


def global_name(n: int) -> None:
    global DEBUG  # noqa: PLW0603
    DEBUG = True


def nested(n: int) -> None:
    def inner() -> None:
        raise ValueError


def prints(n: int) -> None:
    print(n)


def comprehensions(n: int) -> None:
    tiles = [asc.LocalTensor(asc.float32, asc.TPosition.VECIN, i * 32, 8) for i in (0, 1)]


def dict_literal(n: int) -> None:
    sizes = {"x": 1}


def set_literal(n: int) -> None:
    sizes = {1, 2}


def chained(n: int) -> None:
    if 0 < n < 3:
        asc.set_mask_norm()


def membership(n: int) -> None:
    if n in (1, 2):
        asc.set_mask_norm()


def power(n: int) -> None:
    m = n**2


def two_targets(n: int) -> None:
    a = b = 1


def three_operands(n: int) -> None:
    if n > 0 and n < 5 and n != 3:
        asc.set_mask_norm()


def list_loop(n: int) -> None:
    for i in (1, 2, 3):
        asc.set_mask_norm()


def returns_value(n: int) -> int:
    return n


def returns_at_run_time(n: int) -> None:
    if n > 3:
        return
    asc.set_mask_norm()


def returns_in_loop(n: int) -> None:
    for i in range(n):
        return


def changes_type(n: int) -> None:
    v = 0
    for i in range(n):
        v = 0.5  # type: ignore[assignment]


def two_pipes(n: int) -> None:
    a = asc.TPipe()
    b = asc.TPipe()


def calls_plain(n: int) -> None:
    plain_helper(n)


def calls_builtin(n: int) -> None:
    m = min(n, 3)


REFUSED = [
    (breaks, "break"), (continues, "continue"), (loop_else, "for … else"), (while_else, "while … else"), (tries, "try"),
    (raises, "raise"), (lambdas, "lambda"), (imports, "import"), (global_name, "global"), (nested, "nested def"),
    (prints, "print"), (comprehensions, "comprehension"), (dict_literal, "dict literal"), (set_literal, "set literal"),
    (chained, "chained comparison"), (membership, "in"), (power, "** of run-time numbers"),
    (two_targets, "several assignment targets"), (three_operands, "and, or of more than two operands"),
    (list_loop, "for over something else than a range"), (returns_value, "value returned from a kernel"),
    (returns_at_run_time, "return decided at run time"), (returns_in_loop, "return decided at run time"),
    (changes_type, "type change of v from int to float"), (two_pipes, "second TPipe"),
    (calls_plain, "call of plain_helper, a plain Python function"), (calls_builtin, "min()"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "construct"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_a_construct_is_refused_with_its_line(function: Any, construct: str) -> None:
    (found,) = refused(function, (), is_kernel=True)
    assert found.construct == construct
    assert found.instead
    assert function.__code__.co_firstlineno < found.line <= function.__code__.co_firstlineno + 4


def read(function: Any, *constants: str, is_kernel: bool = True) -> Any:
    return refused(function, constants, is_kernel=is_kernel)


def taken(x: Any, n: int, steps: int, scale: float) -> None:
    total = 0
    for i in range(n):
        total = total + i
        if i > 2 and total < 50:
            total = total - 1
    for step in asc.static_range(steps):
        power = 2**step
    while n > 1:
        n = n // 2
    if DEBUG:
        print(n)
    if steps == 2:
        return
    first, second = 1, 2
    value = scale if n > 1 else scale * 2.0
    size = len((1, 2)) + jitted_helper(n)
    text = f"{steps}"
    kind = 1
    kind_again = 1.5
    with x.iterate() as count:
        asc.set_mask_norm()


def test_the_nearest_neighbours_are_taken() -> None:
    assert read(taken, "steps") == ()


def helper_with_value(n: int) -> int:
    if WIDTH == 64:
        return n + 1
    return n


def test_a_helper_may_return_a_value() -> None:
    assert read(helper_with_value, is_kernel=False) == ()


def test_a_function_without_source_is_not_judged() -> None:
    scope: dict[str, Any] = {}
    exec("def made(n):\n    break_ = [i for i in (1, 2)]\n", scope)
    assert refused(scope["made"], (), is_kernel=True) == ()


@asc.jit
def helper(n: Any) -> Any:
    for i in range(n):
        if i == 1:
            break
    return n


@asc.jit
def kernel(n: int) -> None:
    helper(n)
    helper(n)


def test_findings_name_each_construct_once_a_core() -> None:
    with session(check=True) as found:
        kernel[2](3)
    (finding,) = found.findings()
    assert (finding.kind, finding.severity, finding.count) == ("UNSUPPORTED_SYNTAX", "warning", 2)
    assert finding.locations[0].function == "helper"
    with session() as silent:
        kernel[1](3)
    assert silent.findings() == []
