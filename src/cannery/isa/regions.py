"""Bytes and elements of tensors as arrays: what is no memory reads as poison, and what is written there is dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cannery.aicore.memory import Arena, poison
from cannery.isa.tensors import Global, Local, Tensor

Array = np.ndarray[Any, Any]
Combine = Callable[[Any, Any], Any]
"""Old bytes and new bytes to those that are stored: an atomic operation."""


def load_bytes(tensor: Tensor, address: int, length: int) -> Array:
    """A copy of bytes from an address on."""
    if isinstance(tensor, Global):
        return tensor.owner.buffer.load(address - tensor.owner.origin, length)
    memory: Arena = tensor.owner.memory
    kept = max(0, min(length, memory.size - address))
    data: Array = np.empty(length, np.uint8)
    poison(data)
    data[:kept] = memory.data[address : address + kept]
    return data


def store_bytes(tensor: Tensor, address: int, data: Array, combine: Combine | None = None) -> None:
    """Put bytes at an address."""
    if isinstance(tensor, Local):
        memory: Arena = tensor.owner.memory
        kept = max(0, min(len(data), memory.size - address))
        memory.data[address : address + kept] = data[:kept]
        return
    buffer, offset = tensor.owner.buffer, address - tensor.owner.origin
    first, last = buffer.clip(offset, len(data))
    if first >= last:
        return
    part = data[first - offset : last - offset]
    buffer.data[first:last] = part if combine is None else combine(buffer.data[first:last], part)


def elements(tensor: Local, count: int) -> Array:
    """The first elements: a view of the memory, or a copy where they are not all in it."""
    memory, size = tensor.owner.memory, count * tensor.dtype.size
    if tensor.addr + size <= memory.size:
        view: Array = memory.array(tensor.dtype.numpy, tensor.addr, count)
        return view
    return load_bytes(tensor, tensor.addr, size).view(tensor.dtype.numpy)


def change(tensor: Local, count: int, write: Callable[[Array], None]) -> None:
    """Let ``write`` change the first elements in place."""
    values = elements(tensor, count)
    write(values)
    if tensor.addr + values.nbytes > tensor.owner.memory.size:
        store_bytes(tensor, tensor.addr, values.view(np.uint8))


def window(tensor: Tensor, lower: int, upper: int) -> Array | None:
    """Bytes between two addresses as a view; None where some of them do not exist."""
    if isinstance(tensor, Local):
        memory: Arena = tensor.owner.memory
        return memory.data[lower:upper] if upper <= memory.size else None
    buffer = tensor.owner.buffer
    offset = lower - buffer.base
    if offset < 0 or offset + upper - lower > buffer.nbytes:
        return None
    found: Array = buffer.data[offset : offset + upper - lower]
    return found


def stretches(marks: Array) -> list[tuple[int, int]]:
    """Where marks are not 0, as stretches of neighbours."""
    flat = np.concatenate([[False], marks.reshape(-1) != 0, [False]])
    edges = np.flatnonzero(flat[1:] != flat[:-1])
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
