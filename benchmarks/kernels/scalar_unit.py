"""Kernels whose scalar unit is synchronised by hand, for the mutation score: its flags, its cache, its messages."""

import asc
import asc.runtime.config as config

TILE = 64
TILES = 3
LINE = 16
E = asc.HardEvent
IN, OUT, CALC = asc.TPosition.VECIN, asc.TPosition.VECOUT, asc.TPosition.VECCALC
ONE, ALL = asc.CacheLine.SINGLE_CACHE_LINE, asc.CacheLine.ENTIRE_DATA_CACHE


@asc.jit(auto_sync=False)
def scaled_by_its_first(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    """Each tile times its first element; the last element of the result is the tile's number."""
    source, target = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x)
    target.set_global_buffer(y)
    tile = asc.LocalTensor(asc.float32, IN, 0, TILE)
    result = asc.LocalTensor(asc.float32, OUT, 256, TILE)
    asc.set_flag(E.V_MTE2, 0)
    asc.set_flag(E.S_MTE2, 0)
    asc.set_flag(E.MTE3_V, 0)
    for i in range(TILES):
        asc.wait_flag(E.V_MTE2, 0)
        asc.wait_flag(E.S_MTE2, 0)
        asc.data_copy(tile, source[i * TILE :], TILE)
        asc.set_flag(E.MTE2_V, 0)
        asc.set_flag(E.MTE2_S, 0)
        asc.wait_flag(E.MTE2_S, 0)
        factor = tile.get_value(0)
        asc.set_flag(E.S_MTE2, 0)
        asc.wait_flag(E.MTE2_V, 0)
        asc.wait_flag(E.MTE3_V, 0)
        asc.muls(result, tile, factor, TILE)
        asc.set_flag(E.V_MTE2, 0)
        asc.set_flag(E.V_S, 0)
        asc.wait_flag(E.V_S, 0)
        result.set_value(TILE - 1, i)
        asc.set_flag(E.S_MTE3, 0)
        asc.wait_flag(E.S_MTE3, 0)
        asc.data_copy(target[i * TILE :], result, TILE)
        asc.set_flag(E.MTE3_V, 0)
    asc.wait_flag(E.V_MTE2, 0)
    asc.wait_flag(E.S_MTE2, 0)
    asc.wait_flag(E.MTE3_V, 0)


@asc.jit(auto_sync=False)
def looked_up(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    """Elements in an order that the scalar unit writes down, reversed in each pass."""
    source, target = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x)
    target.set_global_buffer(y)
    table = asc.LocalTensor(asc.float32, IN, 0, TILE)
    places = asc.LocalTensor(asc.uint32, CALC, 256, 8)
    result = asc.LocalTensor(asc.float32, OUT, 512, 8)
    asc.data_copy(table, source, TILE)
    asc.set_flag(E.MTE2_V, 1)
    asc.wait_flag(E.MTE2_V, 1)
    for i in range(TILES):
        for k in range(8):
            places.set_value(k, 4 * (i + 7 - k))
        asc.set_flag(E.S_V, 1)
        asc.wait_flag(E.S_V, 1)
        asc.gather(result, table, places, 0, 8)
        asc.set_flag(E.V_S, 1)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.adds(result, result, 1.0, 8)
        asc.set_flag(E.V_MTE3, 1)
        asc.wait_flag(E.V_MTE3, 1)
        asc.data_copy(target[i * 8 :], result, 8)
        asc.set_flag(E.MTE3_V, 1)
        asc.wait_flag(E.V_S, 1)
        asc.wait_flag(E.MTE3_V, 1)


@asc.jit
def header_first(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    """The scalar unit writes a header, a copy takes it along, and the scalar unit reads what a copy brought."""
    source, target = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x)
    target.set_global_buffer(y)
    tile = asc.LocalTensor(asc.float32, IN, 0, LINE)
    total = 0.0
    for i in range(TILES):
        source.set_value(i * LINE, i + total)
        asc.data_cache_clean_and_invalid(ONE, source[i * LINE :])
        asc.set_flag(E.S_MTE2, 0)
        asc.wait_flag(E.S_MTE2, 0)
        asc.data_copy(tile, source[i * LINE :], LINE)
        asc.set_flag(E.MTE2_MTE3, 0)
        asc.wait_flag(E.MTE2_MTE3, 0)
        asc.data_copy(target, tile, LINE)
        asc.set_flag(E.MTE3_MTE2, 0)
        asc.set_flag(E.MTE3_S, 0)
        asc.wait_flag(E.MTE3_S, 0)
        asc.data_cache_clean_and_invalid(ALL, target)
        total = total + target.get_value(0)
        asc.wait_flag(E.MTE3_MTE2, 0)
    target.set_value(LINE, total)


@asc.jit(kernel_type=config.KernelType.MIX_AIV_1_0)
def told_in_turns(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    """Each core tells the next one a word through its own line, twice."""
    board, target = asc.GlobalTensor(), asc.GlobalTensor()
    board.set_global_buffer(x)
    target.set_global_buffer(y)
    me, cores = asc.get_block_idx(), asc.get_block_num()
    other = (me + 1) % cores
    for i in range(2):
        board.set_value(me * LINE, 10 * i + me)
        asc.data_cache_clean_and_invalid(ONE, board[me * LINE :])
        asc.sync_all()
        asc.data_cache_clean_and_invalid(ONE, board[other * LINE :])
        word = board.get_value(other * LINE)
        target.set_value(me * LINE + i, word)
        asc.sync_all()


@asc.jit(kernel_type=config.KernelType.MIX_AIV_1_0)
def counted_by_the_first(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    """Every core copies a part and sets a flag; the first adds up what the others wrote."""
    parts, target = asc.GlobalTensor(), asc.GlobalTensor()
    parts.set_global_buffer(x)
    target.set_global_buffer(y)
    tile = asc.LocalTensor(asc.float32, OUT, 0, LINE)
    me = asc.get_block_idx()
    asc.duplicate(tile, 1.0, LINE)
    asc.set_flag(E.V_MTE3, 0)
    asc.wait_flag(E.V_MTE3, 0)
    asc.data_copy(parts[me * LINE :], tile, LINE)
    asc.cross_core_set_flag(5, 0, asc.PipeID.PIPE_MTE3)
    asc.cross_core_wait_flag(5, 0, asc.PipeID.PIPE_MTE3)
    if me == 0:
        asc.data_cache_clean_and_invalid(ALL, parts)
        total = 0.0
        for core in range(asc.get_block_num()):
            total = total + parts.get_value(core * LINE)
        target.set_value(0, total)
