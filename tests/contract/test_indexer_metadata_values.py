"""What the metadata holds, which values are refused, and what the original's code does instead.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad_metadata`:
`op_kernel_aicpu/arch35/dense_lightning_indexer_kl_loss_grad_metadata_aicpu_arch35.h`, `README.md`, the torch example.
"""

from typing import Any

import pytest
import torch

import cannery
from cannery import OperatorError, Stage
from cannery.operator import RunResult
from cannery.ops._lightning_indexer.split import faithful_words
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata.eager import metadata_words

NAME = "DenseLightningIndexerKLLossGradMetadata"
HEADS = {"num_heads_q": 64, "num_heads_k": 1, "head_dim": 128}
TND = {"layout_q": "TND", "layout_k": "TND"}
EXAMPLE = {"cu_seqlens_q": [0, 123, 230, 234, 511], "cu_seqlens_k": [0, 3048, 4098 * 2, 4364 * 3, 4098 * 4]}
UNDERFLOW = 0xFFFFFFFF
ENGINES = ("eager", "aicpu")


def run(lengths: dict[str, list[int]] | None = None, engine: str = "eager", **options: Any) -> RunResult:
    """A call with int32 lengths; ``attrs`` are added to 64 heads of 128, everything else goes to ``cannery.run``."""
    tensors = {name: torch.tensor(values, dtype=torch.int32) for name, values in (lengths or {}).items()}
    attrs = {**HEADS, **options.pop("attrs", {})}
    return cannery.run(NAME, tensors, attrs, engine=engine, **options)


def refused(lengths: dict[str, list[int]], attrs: dict[str, Any], **options: Any) -> OperatorError:
    with pytest.raises(OperatorError) as caught:
        run(lengths, attrs=attrs, **options)
    return caught.value


def rows(total: int, **options: Any) -> list[int]:
    """The words of a packed batch of that many rows."""
    lengths = {"cu_seqlens_q": [0, total], "cu_seqlens_k": [0, 8]}
    return list(run(lengths, attrs=TND, **options)[0].tolist())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("total", "words"),
    [
        (0, [0, 0, 0, 0, 0]),
        (1, [1, 1, 0, 31, 1]),
        (5, [5, 1, 0, 27, 5]),
        (32, [32, 1, 0, 0, 32]),
        (33, [33, 2, 1, 31, 32]),
        (64, [64, 2, 1, 0, 32]),
    ],
)
def test_worked_values_of_32_cores(total: int, words: list[int], engine: str) -> None:
    assert rows(total, engine=engine)[:5] == words


@pytest.mark.parametrize(
    ("chip", "words"),
    [
        (cannery.soc("Ascend950"), [511, 16, 15, 1, 32]),
        (cannery.soc("Ascend950", aic_cores=24), [511, 22, 21, 17, 24]),
        (cannery.soc("Ascend950PR_9599"), [511, 15, 14, 29, 36]),
    ],
)
def test_the_number_of_cores_is_the_chips(chip: cannery.Soc, words: list[int]) -> None:
    assert rows(511, soc=chip)[:5] == words


def test_the_published_example() -> None:
    attrs = {**TND, "batch_size": 4, "max_seqlen_q": 180, "max_seqlen_k": 5, "cmp_ratio": 13}
    words = run(EXAMPLE, attrs=attrs)[0]
    assert (words.dtype, words.shape) == (torch.int32, (64,))
    assert words.tolist() == [511, 16, 15, 1, 32, 5148] + [0] * 58


@pytest.mark.parametrize(
    ("lengths", "attrs", "longest"),
    [
        ({"cu_seqlens_q": [0, 4], "cu_seqlens_k": [0, 9]}, TND, 9),
        ({"cu_seqlens_q": [0, 4], "cu_seqlens_k": [0, 9], "seqused_k": [3]}, TND, 3),
        ({}, {"batch_size": 2, "max_seqlen_q": 2, "max_seqlen_k": 7}, 7),
        ({"seqused_k": [1, 5]}, {"batch_size": 2, "max_seqlen_q": 2, "max_seqlen_k": 7}, 5),
    ],
)
def test_word_5_is_the_largest_key_length(lengths: dict[str, list[int]], attrs: dict[str, Any], longest: int) -> None:
    assert run(lengths, attrs=attrs)[0][5].item() == longest


@pytest.mark.parametrize(
    ("lengths", "attrs", "total"),
    [
        ({}, {"batch_size": 3, "max_seqlen_q": 11}, 33),
        ({"seqused_q": [4, 0, 9]}, {"batch_size": 3, "max_seqlen_q": 11}, 13),
        ({"seqused_q": [4, 0, 9], "seqused_k": [1, 1, 1]}, {"max_seqlen_q": 11}, 13),
        ({"cu_seqlens_q": [0, 5, 5, 9], "cu_seqlens_k": [0, 1, 2, 3], "seqused_q": [2, 0, 4]}, TND, 6),
        ({}, {"batch_size": 3, "max_seqlen_q": 0}, 0),
    ],
)
def test_rows_come_from_used_lengths_then_offsets_then_sizes(
    lengths: dict[str, list[int]], attrs: dict[str, Any], total: int
) -> None:
    assert run(lengths, attrs=attrs)[0][0].item() == total


def test_what_has_no_influence_has_none() -> None:
    plain = run(EXAMPLE, attrs=TND)[0]
    attrs = {**TND, "mask_mode": 3, "cmp_ratio": 4, "num_heads_q": 1, "max_seqlen_k": 99999}
    other = run({**EXAMPLE, "cmp_residual_k": [3, 0, 1, 2]}, attrs=attrs)[0]
    assert other.equal(plain)


def test_inputs_need_not_be_contiguous() -> None:
    wide = torch.tensor([[0, 9], [123, 9], [511, 9]], dtype=torch.int32)
    keys = torch.tensor([0, 4, 8], dtype=torch.int32)
    outputs = cannery.run(NAME, {"cu_seqlens_q": wide[:, 0], "cu_seqlens_k": keys}, {**HEADS, **TND})
    assert outputs[0][:5].tolist() == [511, 16, 15, 1, 32]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("lengths", "found"),
    [
        ({"cu_seqlens_q": [0, -3, 511]}, "cu_seqlens_q: found -3 at index 1, expected at least 0"),
        ({"cu_seqlens_q": [0, 9, 7]}, "cu_seqlens_q: found 7 at index 2, expected at least 9"),
        ({"cu_seqlens_q": [-2, 0, 1]}, "cu_seqlens_q: found -2 at index 0, expected at least 0"),
        ({"cu_seqlens_q": [0, 2**31 - 1, -(2**31)]}, "cu_seqlens_q: found -2147483648 at index 2, expected at least 0"),
        ({"cu_seqlens_k": [0, 9, 7]}, "cu_seqlens_k: found 7 at index 2, expected at least 9"),
        ({"seqused_q": [1, -1]}, "seqused_q: found -1 at index 1, expected at least 0"),
        ({"seqused_k": [-7, 1]}, "seqused_k: found -7 at index 0, expected at least 0"),
        ({"cmp_residual_k": [0, -1]}, "cmp_residual_k: found -1 at index 1, expected at least 0"),
    ],
)
def test_a_value_out_of_range_is_named_with_its_place(lengths: dict[str, list[int]], found: str, engine: str) -> None:
    given = {"cu_seqlens_q": [0, 3, 9], "cu_seqlens_k": [0, 3, 9], **lengths}
    for quirks in (False, True):
        error = refused(given, TND, engine=engine, quirks=quirks)
        assert error.stage is Stage.LAUNCH
        assert found in str(error)


def test_tensors_are_judged_in_order() -> None:
    given = {"cu_seqlens_q": [0, 3], "cu_seqlens_k": [0, -3], "seqused_q": [-1], "cmp_residual_k": [-1]}
    assert refused(given, TND).parameter == "cu_seqlens_k"


@pytest.mark.parametrize(
    ("lengths", "attrs", "found"),
    [
        ({"cu_seqlens_q": [1, 3]}, TND, "cu_seqlens_q: found 1 at index 0, expected 0"),
        ({"cu_seqlens_k": [2, 3]}, TND, "cu_seqlens_k: found 2 at index 0, expected 0"),
        ({"seqused_q": [4]}, TND, "seqused_q: found 4 at index 0, expected 0 to 3"),
        ({"seqused_k": [4]}, TND, "seqused_k: found 4 at index 0, expected 0 to 3"),
        (
            {"cmp_residual_k": [4]},
            {**TND, "mask_mode": 3, "cmp_ratio": 4},
            "cmp_residual_k: found 4 at index 0, expected 0 to 3",
        ),
        ({"cmp_residual_k": [1]}, {**TND, "mask_mode": 3}, "cmp_residual_k: found 1 at index 0, expected 0 to 0"),
    ],
)
def test_a_value_that_only_the_documentation_refuses(
    lengths: dict[str, list[int]], attrs: dict[str, Any], found: str
) -> None:
    given = {"cu_seqlens_q": [0, 3], "cu_seqlens_k": [0, 3], **lengths}
    assert found in str(refused(given, attrs))
    run(given, attrs=attrs, quirks=True)


def test_used_lengths_of_padded_batches_are_held_against_the_largest_length() -> None:
    attrs = {"max_seqlen_q": 5, "max_seqlen_k": 4}
    assert "seqused_q: found 6 at index 1" in str(refused({"seqused_q": [5, 6], "seqused_k": [1, 1]}, attrs))
    assert "seqused_k: found 5 at index 0" in str(refused({"seqused_q": [5, 5], "seqused_k": [5, 1]}, attrs))


def test_nothing_is_written_when_a_value_is_refused() -> None:
    buffer = torch.full((64,), 7, dtype=torch.int32)
    refused({"cu_seqlens_q": [0, 9, 7], "cu_seqlens_k": [0, 1, 2]}, TND, outputs=[buffer])
    assert buffer.eq(7).all()


def test_without_rows_nobody_has_work_and_nothing_wraps() -> None:
    assert rows(0) == [0, 0, 0, 0, 0, 8] + [0] * 58


@pytest.mark.parametrize("engine", ENGINES)
def test_faithful_without_rows_word_2_underflows(engine: str) -> None:
    words = torch.tensor(rows(0, engine=engine, quirks=True), dtype=torch.int32)
    assert words[:5].tolist() == [0, 0, -1, 0, 0]
    assert words.view(torch.uint32)[2].item() == UNDERFLOW


@pytest.mark.parametrize("engine", ENGINES)
def test_faithful_words_5_to_63_keep_what_the_buffer_holds(engine: str) -> None:
    buffer = torch.arange(100, 164, dtype=torch.int32)
    lengths = {"cu_seqlens_q": [0, 511], "cu_seqlens_k": [0, 8]}
    run(lengths, engine, attrs=TND, quirks=True, outputs=[buffer])
    assert buffer.tolist() == [511, 16, 15, 1, 32, *range(105, 164)]


def test_more_rows_than_int32_counts_are_refused_by_name() -> None:
    for attrs in ({"batch_size": 2**16, "max_seqlen_q": 2**16}, {"batch_size": 1, "max_seqlen_q": 2**31}):
        error = refused({}, attrs)
        assert error.parameter == "rows"
        assert str(attrs["batch_size"] * attrs["max_seqlen_q"]) in error.found
    assert "max_seqlen_k" in str(refused({}, {"batch_size": 1, "max_seqlen_q": 1, "max_seqlen_k": 2**31}))


def test_used_lengths_are_summed_beyond_32_bits() -> None:
    big = 2**31 - 1
    lengths = {"seqused_q": [big, big, 7], "seqused_k": [1, 1, 1]}
    assert str(2 * big + 7) in str(refused(lengths, {}))
    wrapped = (2 * big + 7) % 2**32
    words = run(lengths, quirks=True)[0].view(torch.uint32)[:5].tolist()
    assert words == list(faithful_words(wrapped, 32))


def test_faithful_sizes_are_narrowed_and_rows_wrap() -> None:
    attrs = {"batch_size": 2**16, "max_seqlen_q": 2**16 + 1}
    assert run({}, attrs=attrs, quirks=True)[0][0].item() == 2**16
    assert run({}, attrs={"batch_size": 1, "max_seqlen_q": 2**32 + 5}, quirks=True)[0][0].item() == 5


def test_faithful_bsnd_without_batches_has_no_rows() -> None:
    assert run({}, quirks=True)[0][:5].tolist() == [0, 0, -1, 0, 0]


def test_inputs_are_left_as_they_are() -> None:
    tensors = {name: torch.tensor(values, dtype=torch.int32) for name, values in EXAMPLE.items()}
    before = {name: tensor.clone() for name, tensor in tensors.items()}
    cannery.run(NAME, tensors, {**HEADS, **TND})
    assert all(tensors[name].equal(before[name]) for name in tensors)


def test_the_page_shows_words_index_rule_derived_values_and_the_old_struct() -> None:
    tables = cannery.find_operator(NAME).definition.tables
    text = str(dict(tables))
    for fact in (
        "usedCoreNum",
        "maxSeqK",
        "GRAD_METADATA_SIZE * coreIdx + metaIdx",
        "c + used * i",
        "groupSize",
        "bS1Index",
    ):
        assert fact in text


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("batch", "longest", "words"),
    [
        (2**31, 1, [-(2**31), 67108864, 67108863, 0, 32]),
        (1, 2**31, [-(2**31), 67108864, 67108863, 0, 32]),
        (2**32 + 3, 2**32 + 11, [33, 2, 1, 31, 32]),
        (2**33, 5, [0, 0, -1, 0, 0]),
        (1, 2**32 - 1, [-1, 0, -1, 1, 32]),
    ],
)
def test_with_quirks_sizes_are_counted_in_32_unsigned_bits(
    batch: int, longest: int, words: list[int], engine: str
) -> None:
    attrs = {"batch_size": batch, "max_seqlen_q": longest}
    assert run(attrs=attrs, engine=engine, quirks=True)[0][:5].tolist() == words


@pytest.mark.parametrize("cores", [7, 32, 36])
@pytest.mark.parametrize("less", [1, 2, 30, 31, 32, 33])
def test_the_words_by_tensors_wrap_where_the_words_of_numbers_do(cores: int, less: int) -> None:
    """Adding cores - 1 to a total just below 2^32 wraps."""
    total = 2**32 - less
    used = {"seqused_q": torch.tensor([2**31 - 1, 2**31 - 1, total - 2**32 + 2], dtype=torch.int64)}
    found = metadata_words(used, {"max_seqlen_k": 0, "layout_q": "BSND", "layout_k": "BSND"}, cores, quirks=True)
    assert [word % 2**32 for word in found[:5].tolist()] == list(faithful_words(total, cores))
