"""Runs the CPU kernels over a whole call in bounded memory, on torch's number of threads, with the same bits on any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from cannery.ops._lightning_indexer.geometry import Ints
from cannery.ops._lightning_indexer.grad_tensors import GradTensors
from cannery.ops._lightning_indexer.operands import Operands
from cannery.ops._threads.workers import Run, workers

from .grad import CHUNK, keys_pass, rows_pass
from .lanes import HEAD_DIM, WIDTH, store_bfloat16
from .score import pack_columns, pack_rows
from .softmax import lse_pass
from .source import Array, Batch, KeyBlocks, Source, key_blocks, ramps


def softmax_lse(call: Operands, lse: torch.Tensor) -> None:
    """Write ``lse[token]`` (T,) for the rows of ``call``; heads of 128, w float32."""
    source = Source.of(call.q, call.k, call.w)
    out = lse.numpy()
    with workers() as run:
        for group in key_blocks(call.seg, call.table, source.block_bytes):
            by_column = source.pack(run, group, pack_columns, (source.q.shape[2], WIDTH))
            for batch in source.batches(group):
                run(_lse_part(source, batch, by_column, out), batch.rows.visible)


def _lse_part(source: Source, batch: Batch, by_column: Array, lse: Array) -> Any:
    places = (batch.rows.token, batch.q_row, batch.rows.visible, batch.first_block)
    room = -(-int(batch.rows.visible.max()) // WIDTH) * WIDTH

    def part(first: int, last: int) -> None:
        tile, logits = np.empty((source.heads, WIDTH), np.float32), np.empty(room, np.float32)
        lse_pass(first, last, places, (batch.q, source.w), by_column, lse, tile, logits)

    return part


def kl_loss_grad(call: Operands, tensors: GradTensors) -> None:
    """Write the gradients and the softmax of the rows of ``call``; dk is the sum over rows in ascending order."""
    source = Source.of(call.q, call.k, call.w)
    results = Results.of(tensors, source)
    with workers() as run:
        for group in key_blocks(call.seg, call.table, 2 * source.block_bytes):
            by_column = source.pack(run, group, pack_columns, (source.q.shape[2], WIDTH))
            by_row = source.pack(run, group, pack_rows, (WIDTH // source.unit.values, HEAD_DIM))
            for batch in source.batches(group):
                _grad_batch(run, source, results, group, batch, (by_column, by_row))
    tensors.dw.copy_(torch.from_numpy(results.dw[:, : tensors.dw.shape[1]]))


@dataclass(frozen=True)
class Results:
    """The outputs of a gradient call as arrays; dw with padded heads, dq as bf16 bits or in its own type."""

    p: Array
    lse: Array
    dq: Array
    dk: Array
    dw: Array
    y: Array
    loss: Array
    wants_loss: bool

    @classmethod
    def of(cls, tensors: GradTensors, source: Source) -> Results:
        """View the tensors of a call."""
        dq = tensors.dq
        padded = source.heads != tensors.dw.shape[1]
        return cls(
            tensors.p.numpy(),
            tensors.lse.numpy(),
            dq.view(torch.int16).numpy().view(np.uint16) if dq.dtype is torch.bfloat16 else dq.numpy(),
            tensors.dk.numpy(),
            np.zeros(source.w.shape, np.float32) if padded else tensors.dw.numpy(),
            tensors.y.numpy(),
            np.zeros(0, np.float32) if tensors.loss is None else tensors.loss.numpy(),
            tensors.loss is not None,
        )


@dataclass(frozen=True)
class Between:
    """What the row pass leaves for the key pass and the cast: dS and q by head, dq in fp32."""

    dq: Array
    ds: Array
    q: Array

    @classmethod
    def room_for(cls, source: Source, batch: Batch) -> Between:
        """Unwritten room for one batch."""
        rows, units, kind = len(batch.rows), source.head_units, source.unit.kind
        return cls(
            np.empty((rows, source.heads, HEAD_DIM), np.float32),
            np.empty((int(batch.ds_block[-1]), units, WIDTH), kind),
            np.empty((rows, units, HEAD_DIM), kind),
        )


def _grad_batch(
    run: Run, source: Source, results: Results, group: KeyBlocks, batch: Batch, packed: tuple[Array, Array]
) -> None:
    between = Between.room_for(source, batch)
    rows = batch.rows
    run(_rows_part(source, results, batch, packed, between), rows.visible)
    jobs = _key_jobs(group, batch)
    places = (rows.visible, batch.ds_block)
    run(
        lambda first, last: keys_pass(first, last, jobs, places, between.ds, between.q, results.dk),
        jobs[3] - jobs[2],  # a job costs its rows
    )


def _rows_part(source: Source, results: Results, batch: Batch, packed: tuple[Array, Array], between: Between) -> Any:
    token = batch.rows.token
    table = (token, batch.q_row, batch.rows.visible, batch.first_block, batch.ds_block)
    inputs = (batch.q, source.w, results.p, results.lse)
    outputs = (between.dq, results.dw, results.y, results.loss, between.ds, between.q)

    def part(first: int, last: int) -> None:
        rounds = source.unit.rounds_to_half
        rows_pass(first, last, table, inputs, packed, outputs, _scratch(source), rounds, results.wants_loss)
        _store_dq(first, last, token, between.dq, results.dq)

    return part


def _scratch(source: Source) -> tuple[Array, ...]:
    heads, kind = source.heads, source.unit.kind
    ds = np.empty((heads, CHUNK), np.uint16 if kind is np.uint32 else np.float32)
    logits, di = np.empty(WIDTH, np.float32), np.empty(WIDTH, np.float32)
    return np.empty((heads, WIDTH), np.float32), logits, di, ds, ds.view(kind), np.empty(HEAD_DIM, kind)


def _store_dq(first: int, last: int, token: Ints, dq: Array, out: Array) -> None:
    if out.dtype == np.uint16:
        store_bfloat16(first, last, token, dq, out)
        return
    with np.errstate(over="ignore"):  # fp16 overflows to infinity, as the cast of a tensor does
        out[token[first:last]] = dq[first:last, : out.shape[1]]


def _key_jobs(group: KeyBlocks, batch: Batch) -> tuple[Ints, Ints, Ints, Ints]:
    """Every key block that a row of the batch sees: first key, place in its sequence, first row and end of the rows."""
    start, first_row = np.unique(batch.first_block, return_index=True)
    row_ends = np.append(first_row[1:], len(batch.rows))
    longest = np.maximum.reduceat(batch.rows.visible, first_row)
    owner, inside = ramps(-(-longest // WIDTH))
    return group.key[start[owner] + inside], inside, first_row[owner], row_ends[owner]
