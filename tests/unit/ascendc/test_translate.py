"""From bisheng's C++ to C++."""

import pytest

from cannery.ascendc.translate import Cores, TranslationError, translate

HEAD = '# 1 "add.asc"\n'


def test_a_launch_becomes_a_call_on_the_same_lines() -> None:
    text = HEAD + "__global__ void add(int *x, int n) {}\nint main() {\n    add<<<8, nullptr,\n      s>>>(x,\n 3);\n}\n"
    made = translate(text).text
    assert made.count("\n") == text.count("\n")
    assert "<<<" not in made
    assert 'CanneryKernel{"add", "x\\n3", 0, 1, 1, 1}' in made
    assert "__global__" not in made


@pytest.mark.parametrize(
    "callee", ["add<float, 8>", "ns::add", "::ns::add<std::pair<int, int>>", "add<(3 > 2)>", "add<T>"]
)
def test_what_stands_before_the_brackets_is_called(callee: str) -> None:
    made = translate(f"{HEAD}void f() {{ {callee}<<<(a, b), f(1, 2), s>>>(x); }}").text
    assert f"{{ {callee}(cannery_arguments...); }}, x)" in made


@pytest.mark.parametrize(
    "text", ['auto s = "a<<<1>>>(2)";', "int x = 1 <<2; // k<<<1>>>()", "char c = '\"'; /* <<< */"]
)
def test_what_only_looks_like_a_launch_stays(text: str) -> None:
    assert translate(HEAD + text).text == HEAD + text


@pytest.mark.parametrize(
    ("head", "body", "cores"),
    [
        ("__global__ __vector__ void k(int *x)", "", Cores(0, 1)),
        ("__cube__ __global__ void k(int *x)", "", Cores(1, 0)),
        ("__global__ __mix__(1, 2) void k(int *x)", "", Cores(1, 2)),
        ('extern "C" __global__ void k(int *x)', "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);", Cores(1, 1)),
        ("__global__ void k(int *x)", "KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);", Cores(0, 1, False)),
        ("template <int n> __global__ void k(int *x)", "", Cores(0, 1)),
        ("__global__ void k(int *x)", "Mmad(c, a, b, p);", Cores(1, 0)),
        ("__global__ void k(int *x)", "Mmad(c, a, b, p); TQue<TPosition::VECIN, 1> q;", Cores(1, 2)),
        ("__global__ void k(int *x)", "Matmul<A, B, C> mm;", Cores(1, 2)),
    ],
)
def test_the_cores_of_a_kernel(head: str, body: str, cores: Cores) -> None:
    translated = translate(f"{HEAD}{head} {{ {body} }}\n")
    assert translated.kernels == {"k": cores}
    assert "KERNEL_TASK_TYPE" not in translated.text


def test_instructions_of_the_library_do_not_count() -> None:
    text = '# 1 "/cache/kernel_operator.h" 1 3\nvoid Mmad();\n# 1 "k.asc" 2\n__global__ void k() {}\n'
    assert translate(text).kernels == {"k": Cores(0, 1)}


def test_a_launch_that_is_none_is_refused_with_its_line() -> None:
    with pytest.raises(TranslationError, match=r"^add.asc:2: found a launch without >>>\(…\), expected kernel<<<"):
        translate(f"{HEAD}\nvoid f() {{ k<<<1, 2, s; }}\n")
    with pytest.raises(TranslationError, match=r"^add.asc:1: found 4 expressions between <<< and >>>"):
        translate(f"{HEAD}void f() {{ k<<<1, 2, 3, s>>>(); }}\n")
