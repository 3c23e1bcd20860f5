"""Tiling of UnpadWithHiddenState and PadWithHiddenState: structures, constants, worked numbers, 32-bit limits.

Source: ascend-transformer-boost `src/kernels/mixkernels/{pad,unpad}_with_hidden_state/tiling/` @ddcc8b6.
"""

from typing import Any

import numpy as np
import pytest

import cannery
from cannery.core import DataType, OperatorError, Shape, TensorDesc
from cannery.operator import TilingResult, find_operator, staged
from cannery.ops._hidden_state.tiling import BUFFER_SIZE, TILE_LENGTH, tile_info
from cannery.ops.pad_with_hidden_state.tiling import TILING_DATA as PAD_DATA
from cannery.ops.unpad_with_hidden_state.tiling import TILING_DATA as UNPAD_DATA
from cannery.soc import Soc

UNPAD, PAD = "UnpadWithHiddenState", "PadWithHiddenState"
DATA = {UNPAD: UNPAD_DATA, PAD: PAD_DATA}


def tile(
    name: str, lengths: list[int], limit: int, hidden: int, soc: str | Soc = "Ascend910B1", quirks: bool = False
) -> TilingResult:
    """Tiling from descriptors alone: nothing of the size of the tensors is ever allocated."""
    shape = (len(lengths), limit, hidden) if name == UNPAD else (sum(lengths), hidden)
    operator = find_operator(name)
    x = TensorDesc(DataType.DT_FLOAT16, Shape(shape))
    attrs = {"qSeqLen": lengths, "maxSeqLen": limit}
    return staged.prepare(operator, [x], attrs, soc=soc, quirks=quirks).tiling


def read(name: str, result: TilingResult) -> Any:
    return np.frombuffer(result.data, DATA[name])[0]


def refusal(name: str, lengths: list[int], limit: int, hidden: int) -> OperatorError:
    with pytest.raises(OperatorError) as caught:
        tile(name, lengths, limit, hidden)
    return caught.value


@pytest.mark.parametrize(
    ("structure", "size", "offsets"),
    [
        (
            UNPAD_DATA,
            672,
            {"coreNum": 0, "batchSize": 4, "maxSeqLen": 8, "hiddenSize": 12, "bufferSize": 16, "tileLength": 20}
            | {"totalDataLength": 24, "unpadDataLength": 28, "inputOffset": 32, "outputOffset": 160, "tileInfo": 288},
        ),
        (
            PAD_DATA,
            1180,
            {"coreNum": 0, "batchSize": 4, "maxSeqLen": 8, "bufferSize": 12, "tileLength": 16, "totalDataLength": 20}
            | {"unpadDataLength": 24, "inputOffset": 28, "outputOffset": 156, "paddingOffset": 284}
            | {"copyTileInfo": 412, "paddingTileInfo": 796},
        ),
    ],
)
def test_structures_have_the_original_layout(structure: np.dtype[Any], size: int, offsets: dict[str, int]) -> None:
    assert structure.itemsize == size
    assert {field: place[1] for field, place in (structure.fields or {}).items()} == offsets


def test_buffer_and_tile_of_the_nominal_unified_buffer() -> None:
    assert (BUFFER_SIZE, TILE_LENGTH) == (49152, 24576)


@pytest.mark.parametrize(
    ("cores", "length", "expected"),
    [
        (48, 487 * 4096, (33, 2, 4096)),
        (48, 16 * 4096, (2, 1, 16384)),
        (48, 532 * 4096, (40, 2, 16384)),
        (48, 413 * 4096, (20, 2, 20480)),
        (48, 8 * 4096, (1, 1, 8192)),
        (48, 5 * 4096, (0, 1, 20480)),
        (48, 4096 * 4096, (10, 15, 16384)),
        (48, 7 * 33, (0, 1, 231)),
        (40, 487 * 4096, (1, 3, 4096)),
        (40, 413 * 4096, (28, 2, 20480)),
        (48, 0, (0, 1, 0)),
    ],
)
def test_worked_tiles(cores: int, length: int, expected: tuple[int, int, int]) -> None:
    assert tile_info(length, cores) == expected


LENGTHS = [487, 16, 532, 413]
PADDED_OFFSETS = [0, 16777216, 33554432, 50331648]
PACKED_OFFSETS = [0, 1994752, 2060288, 4239360]
TILES = [(33, 2, 4096), (2, 1, 16384), (40, 2, 16384), (20, 2, 20480)]


@pytest.mark.parametrize(
    ("name", "source", "target", "tiles"),
    [(UNPAD, PADDED_OFFSETS, PACKED_OFFSETS, "tileInfo"), (PAD, PACKED_OFFSETS, PADDED_OFFSETS, "copyTileInfo")],
)
def test_worked_batch(name: str, source: list[int], target: list[int], tiles: str) -> None:
    result = tile(name, LENGTHS, 4096, 4096)
    data = read(name, result)
    assert (result.key, result.block_dim, sum(result.workspaces)) == (0, 48, 0)
    assert (data["coreNum"], data["batchSize"], data["maxSeqLen"]) == (48, 4, 4096)
    assert (data["bufferSize"], data["tileLength"]) == (49152, 24576)
    assert (data["totalDataLength"], data["unpadDataLength"]) == (67108864, 5931008)
    assert data["inputOffset"].tolist() == source + [0] * 28
    assert data["outputOffset"].tolist() == target + [0] * 28
    assert data[tiles].tolist() == TILES + [(0, 0, 0)] * 28


def test_unpad_never_sets_the_hidden_size() -> None:
    assert read(UNPAD, tile(UNPAD, LENGTHS, 4096, 4096))["hiddenSize"] == 0


def test_pad_counts_the_padding_from_the_start_of_its_sample() -> None:
    data = read(PAD, tile(PAD, LENGTHS, 4096, 4096))
    assert data["paddingOffset"].tolist()[:4] == [length * 4096 for length in LENGTHS]
    assert data["paddingTileInfo"].tolist()[:4] == [tile_info((4096 - length) * 4096, 48) for length in LENGTHS]


@pytest.mark.parametrize("name", [UNPAD, PAD])
@pytest.mark.parametrize(("soc", "cores"), [("Ascend910B1", 48), ("Ascend910B3", 40), ("Ascend910_9372", 40)])
def test_all_vector_cores_of_the_chip_take_part_even_in_a_tiny_call(name: str, soc: str, cores: int) -> None:
    result = tile(name, [1], 1, 1, soc)
    assert (result.block_dim, read(name, result)["coreNum"]) == (cores, cores)


@pytest.mark.parametrize("name", [UNPAD, PAD])
def test_a_chip_with_fewer_cores_shares_out_over_those(name: str) -> None:
    result = tile(name, LENGTHS, 4096, 4096, cannery.soc("Ascend910B1", aiv_cores=7))
    field = "tileInfo" if name == UNPAD else "copyTileInfo"
    assert result.block_dim == 7
    assert tuple(read(name, result)[field][0]) == tile_info(487 * 4096, 7)


@pytest.mark.parametrize(
    ("lengths", "limit", "hidden", "field", "value"),
    [
        ([1] * 32, 4096, 33840, "inputOffset[31]", 31 * 4096 * 33840),
        ([1] * 32, 4096, 33826, "inputOffset[31]", 31 * 4096 * 33826),
        ([4096] * 32, 4096, 33826, "inputOffset[31]", 31 * 4096 * 33826),
        ([1] * 32, 4096, 32768, "totalDataLength", 2**32),
        ([4096], 4096, 1048576, "tileInfo[0]", 2**32),
        ([2], 2, 2**31, "tileInfo[0]", 2**32),
        ([1], 2, 2**31, "totalDataLength", 2**32),
        ([1], 1, 2**32, "hiddenSize", 2**32),
        ([1], 1, 2**32 + 128, "hiddenSize", 2**32 + 128),
    ],
)
def test_unpad_names_the_first_field_that_uint32_cannot_hold(
    lengths: list[int], limit: int, hidden: int, field: str, value: int
) -> None:
    error = refusal(UNPAD, lengths, limit, hidden)
    assert (error.stage.letter, error.code.name) == ("S", "ERROR_INVALID_PARAM")
    assert (error.parameter, error.found) == (field, str(value))


@pytest.mark.parametrize(("lengths", "limit", "hidden"), [([4096] * 32, 4096, 32767), ([1], 1, 2**32 - 1)])
def test_unpad_takes_whatever_fits(lengths: list[int], limit: int, hidden: int) -> None:
    data = read(UNPAD, tile(UNPAD, lengths, limit, hidden))
    last = len(lengths) - 1
    assert data["inputOffset"][last] == last * limit * hidden
    assert data["outputOffset"][last] == sum(lengths[:-1]) * hidden
    assert data["totalDataLength"] == len(lengths) * limit * hidden


def test_with_quirks_the_tables_of_unpad_wrap() -> None:
    data = read(UNPAD, tile(UNPAD, [4096] * 32, 4096, 33840, quirks=True))
    step = 4096 * 33840
    assert data["inputOffset"].tolist() == data["outputOffset"].tolist() == [i * step % 2**32 for i in range(32)]
    assert data["totalDataLength"] == data["unpadDataLength"] == 32 * step - 2**32


def test_with_quirks_the_total_length_at_the_first_wrap_is_zero() -> None:
    assert read(UNPAD, tile(UNPAD, [1] * 32, 4096, 32768, quirks=True))["totalDataLength"] == 0


def test_with_quirks_the_length_of_a_sample_wraps() -> None:
    data = read(UNPAD, tile(UNPAD, [4096], 4096, 1048576 + 5, quirks=True))
    assert tuple(data["tileInfo"][0]) == tile_info(4096 * 5, 48)


@pytest.mark.parametrize("name", [UNPAD, PAD])
def test_with_quirks_a_hidden_size_beyond_uint32_is_truncated(name: str) -> None:
    wrapped = tile(name, [3, 1], 3, 2**32 + 128, quirks=True)
    assert wrapped.data == tile(name, [3, 1], 3, 128).data


def test_pad_takes_a_hidden_size_of_4096_and_no_more() -> None:
    assert tile(PAD, [1], 1, 4096).data
    error = refusal(PAD, [1], 1, 4097)
    assert (error.stage.letter, error.parameter, error.found) == ("S", "hiddenSize", "4097")
    assert tile(PAD, [1], 1, 4097, quirks=True).data == b""


def test_pad_refuses_a_truncated_hidden_size_by_its_true_value() -> None:
    assert refusal(PAD, [1], 1, 2**32 + 128).found == str(2**32 + 128)


def test_the_largest_pad_fits_far_below_uint32() -> None:
    assert read(PAD, tile(PAD, [4096] * 32, 4096, 4096))["totalDataLength"] == 2**29
