"""Matmul objects: C = A · B + bias, block by block (mirror-cann/asc-devkit docs, advanced API, Matmul, and
`include/adv_api/matmul/matmul_client.h` @82b89a15f263).

An object has a tiling, is given its operands, and then iterates: one block of C at a time, or all of it. Everything it
does is asked of a cube through its link; each wait is one of its methods'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cannery.aicore.instruction import Site
from cannery.aicore.pipes import MTE2, V
from cannery.isa.matmul_plan import Block, Outlet, Quantisation, Shape, Source, Step, Task, Types
from cannery.isa.matmul_service import Link, Remote
from cannery.isa.tensors import Global, Local, Tensor, memory_of

_ANSWERS: Final = 14
"""How many blocks of an iteration in the background are told of one by one; the last flag is for all that follow."""


@dataclass(frozen=True)
class Batch:
    """One product of a batch: elements from the start of A, B, C and the bias."""

    a: int
    b: int
    c: int
    bias: int = 0


class Matmul:
    """One object; ``name`` is what its methods are called by in messages.

    Methods that a tiling, A or B is missing for raise RuntimeError.
    """

    def __init__(self, types: Types) -> None:
        self.types = types
        self._link: Link | None = None
        self._shape: Shape | None = None
        self._has_bias = False
        self._a: Source | None = None
        self._b: Source | None = None
        self._bias: Global | None = None
        self._quantisation = Quantisation()
        self._hf32: bool | None = None
        self._cache: Global | None = None
        self._blocks: list[Block] | None = None
        self._at = 0
        self._computed: Block | None = None
        self._fetched = 0
        self._background = False

    def bind(self, link: Link) -> None:
        """Give it its way to a cube."""
        self._link = link

    def begin(self, op: str, shape: Shape, *, has_bias: bool) -> None:
        """Give it a tiling.

        Raises:
            ValueError: sizes that make no blocks.
        """
        shape.check(op)
        self._shape, self._has_bias = shape, has_bias
        self._blocks = None

    @property
    def shape(self) -> Shape:
        """Its shape.

        Raises:
            RuntimeError: it has no tiling yet.
        """
        if self._shape is None:
            raise RuntimeError(
                "matmul: found no tiling, expected register_matmul(pipe, workspace, matmul, tiling) or init(tiling)"
            )
        return self._shape

    def reshape(self, op: str, **sizes: int) -> None:
        """Change sizes of its shape; −1 keeps one.

        Raises:
            ValueError: sizes that make no blocks.
        """
        shape = self.shape.having({name: size for name, size in sizes.items() if size != -1})
        shape.check(op)
        self._shape = shape

    def set_source(self, site: Site | None, op: str, operand: str, tensor: Tensor, *, transposed: bool) -> None:
        """Give it A ("a") or B ("b"); an iteration begins anew.

        Raises:
            TypeError: another element type.
            ValueError: transposed although its type says that it never is; a tensor elsewhere.
        """
        kind = getattr(self.types, operand)
        if tensor.dtype is not kind.dtype:
            raise TypeError(f"{op}: tensor: found {tensor.dtype}, expected {kind.dtype}")
        if transposed and not kind.is_trans:
            raise ValueError(
                f"{op}: transpose: found it with a MatmulType without is_trans, expected MatmulType(…, is_trans=True)"
            )
        source = Source(self._near(site, op, operand, tensor), transposed)
        if operand == "a":
            self._a = source
        else:
            self._b = source
        self._blocks = None

    def set_number(self, operand: str, number: float) -> None:
        """Fill A ("a") or B ("b") with a number; an iteration begins anew."""
        source = Source(None, number=number)
        if operand == "a":
            self._a = source
        else:
            self._b = source
        self._blocks = None

    def set_bias(self, site: Site | None, op: str, tensor: Tensor) -> None:
        """Give it a bias, one number a column.

        Raises:
            TypeError: another element type.
            ValueError: its tiling has none; a tensor elsewhere.
        """
        if not self._has_bias:
            raise ValueError(f"{op}: found a tiling without a bias, expected is_bias 1 in it")
        if tensor.dtype is not self.types.bias.dtype:
            raise TypeError(f"{op}: tensor: found {tensor.dtype}, expected {self.types.bias.dtype}")
        self._bias = self._near(site, op, "bias", tensor)

    def drop_bias(self) -> None:
        """Go on without a bias."""
        self._bias = None

    def set_quantisation(self, quantisation: Quantisation) -> None:
        """Give it the words by which C is converted."""
        self._quantisation = quantisation

    def set_hf32(self, mode: bool | None) -> None:
        """Whether float32 is rounded to HF32 before, and how; None: it is not."""
        self._hf32 = mode

    def set_cache(self, tensor: Global) -> None:
        """Where blocks of an iteration in the background go."""
        self._cache = tensor

    def iterate(self, site: Site | None, op: str, *, adds: bool, waits: bool) -> bool:
        """Compute the next block; False when there is none.

        Raises:
            ValueError: in the background without a workspace, or with C elsewhere than in UB.
        """
        if self._blocks is None:
            self._blocks, self._at, self._fetched = list(self.shape.blocks()), 0, 0
            self._background = not waits
            if self._background:
                self._stream(site, op, adds=adds)
        else:
            self._at += 1
        if self._at >= len(self._blocks):
            return False
        self._computed = self._blocks[self._at]
        if waits:
            self._ask(site, op, [Step(self._task(), self._computed, adds=adds)])
        return True

    def _stream(self, site: Site | None, op: str, *, adds: bool) -> None:
        """Ask for all blocks at once, into the cache, one behind the other."""
        if self._cache is None:
            raise ValueError(f"{op}: sync: found False without a workspace, expected set_workspace before")
        if self.types.c.memory != "UB":
            raise ValueError(f"{op}: sync: found False with C in {self.types.c.memory}, expected C in UB")
        blocks = self._blocks or []
        last = len(blocks) - 1
        steps = [
            Step(
                self._task(), block, adds=adds, outlet=Outlet(self._cached(at), packed=True),
                notifies=at < _ANSWERS - 1 or at == last,
            )
            for at, block in enumerate(blocks)
        ]  # fmt: skip
        self._ask(site, op, steps)

    def _cached(self, at: int, size: int = 0) -> Global:
        """The place of a block, or of as many elements, in the cache."""
        assert self._cache is not None
        size = size or self.shape.base_m * self.shape.base_n
        return _behind(self._cache, at * size, self.types.c.dtype)

    def get(
        self, site: Site | None, op: str, tensor: Tensor, *, atomic: str | None, packed: bool, waits: bool,
        also: Local | None = None,
    ) -> None:  # fmt: skip
        """Take the block that was computed last: to UB, to global memory, or both.

        ``waits`` False: nothing orders what follows after the copy; ``settle`` does.

        Raises:
            RuntimeError: nothing was computed.
            ValueError: a tensor elsewhere than C's type says; an atomic store to UB.
        """
        block = self._current(op)
        self._check_target(op, tensor)
        if self._background:
            self._take(site, op, tensor, waits=waits)
            return
        if isinstance(tensor, Global):
            self._ask(site, op, [self._leave(block, Outlet(tensor, packed, atomic), notifies=waits)])
            if waits:
                self._wait(site, op)
            if also is not None:
                self._remote(op).client.fetch(site, also, tensor, settles=True)
            return
        if atomic is not None:
            raise ValueError(f"{op}: en_atomic: found it with a tensor in UB, expected 0")
        client = self._remote(op).client
        there = client.lend(site, tensor.size * tensor.dtype.size, tensor.dtype)
        self._ask(site, op, [self._leave(block, Outlet(there, packed), notifies=True)])
        self._wait(site, op)
        client.fetch(site, tensor, there, settles=waits)

    def _leave(self, block: Block, outlet: Outlet, *, notifies: bool) -> Step:
        return Step(self._task(), block, computes=False, outlet=outlet, notifies=notifies)

    def _take(self, site: Site | None, op: str, tensor: Tensor, *, waits: bool) -> None:
        """Copy the next block out of the cache."""
        if isinstance(tensor, Global):
            raise ValueError(f"{op}: found a GlobalTensor after iterate(sync=False), expected a LocalTensor")
        origin = self.next_cached(site, op)
        self._remote(op).client.fetch(site, tensor, origin, settles=waits)

    def next_cached(self, site: Site | None, op: str, size: int = 0) -> Global:
        """The next block in the cache, or as many elements, as soon as they are there.

        Raises:
            RuntimeError: none is computed in the background.
        """
        if not self._background or self._cache is None:
            raise RuntimeError(f"{op}: found nothing that runs in the background, expected sync=False before")
        if self._fetched < _ANSWERS:
            self._wait(site, op)
        found = self._cached(self._fetched, size)
        self._fetched += 1
        return found

    def copy(self, site: Site | None, op: str, target: Local, origin: Global) -> None:
        """Copy to UB, and let the vector pipe wait for it."""
        self._remote(op).client.fetch(site, target, origin, settles=True)

    def batches(
        self, site: Site | None, op: str, rounds: Sequence[Iterable[Batch]], pitches: Mapping[str, int],
        *, packed: bool, waits: bool, notifies: bool,
    ) -> None:  # fmt: skip
        """Compute several batches into the cache, one behind the other.

        Raises:
            ValueError: there is no cache.
        """
        if self._cache is None:
            raise ValueError(f"{op}: found no workspace, expected set_workspace before")
        shape, target = self.shape.having(pitches), self._cached(0)
        steps: list[Step] = []
        for at, round in enumerate(rounds):
            pairs = [(self._shifted(shape, one), _behind(target, one.c, target.dtype)) for one in round]
            told = at < _ANSWERS - 1 or at == len(rounds) - 1 if not waits and not notifies else at == len(rounds) - 1
            steps += self._steps(pairs, atomic=None, packed=packed, notifies=told)
        self._background, self._fetched = not waits, 0
        self._ask(site, op, steps)
        if waits:
            self._wait(site, op)

    def settle(self, site: Site | None, op: str) -> None:
        """The vector pipe waits for what was copied to UB."""
        self._remote(op).client.order(MTE2, V, site)

    def whole(
        self, site: Site | None, op: str, tensor: Global, *, atomic: str | None, packed: bool, waits: bool,
        notifies: bool,
    ) -> None:  # fmt: skip
        """Compute all blocks; packed: one behind the other.

        Raises:
            TypeError: another element type than C's.
        """
        self._check_type(op, tensor)
        pairs = [(self._task(), tensor)]
        self._ask(site, op, self._steps(pairs, atomic=atomic, packed=packed, notifies=waits or notifies))
        if waits:
            self._wait(site, op)

    def batch(
        self, site: Site | None, op: str, tensor: Tensor, batches: Iterable[Batch], pitches: Mapping[str, int],
        *, atomic: str | None, packed: bool, waits: bool, notifies: bool,
    ) -> None:  # fmt: skip
        """Compute the products of a batch, one after the other; ``pitches``: sizes of the whole that are others.

        Raises:
            TypeError: another element type than C's.
            ValueError: a tensor elsewhere than C's type says.
        """
        self._check_target(op, tensor)
        target = tensor
        if isinstance(target, Local):
            target = self._remote(op).client.lend(site, target.size * target.dtype.size, target.dtype)
        shape = self.shape.having(pitches)
        pairs = [(self._shifted(shape, one), _behind(target, one.c, target.dtype)) for one in batches]
        self._ask(site, op, self._steps(pairs, atomic=atomic, packed=packed, notifies=waits or notifies))
        if waits:
            self._wait(site, op)
        if isinstance(tensor, Local):
            self._remote(op).client.fetch(site, tensor, target, settles=True)

    @property
    def transposed(self) -> tuple[bool, bool]:
        """Whether A and B were given transposed."""
        task = self._task()
        return task.a.transposed, task.b.transposed

    def _shifted(self, shape: Shape, one: Batch) -> Task:
        task = replace(self._task(), shape=shape)
        bias = None if task.bias is None else _behind(task.bias, one.bias, task.bias.dtype)
        return replace(task, a=task.a.behind(one.a), b=task.b.behind(one.b), bias=bias)

    def _steps(
        self, pairs: list[tuple[Task, Global]], *, atomic: str | None, packed: bool, notifies: bool
    ) -> list[Step]:
        """All blocks of products; of the last one it is told."""
        steps: list[Step] = []
        shape = self.shape
        for task, tensor in pairs:
            at = 0
            for block in shape.blocks():
                target = _behind(tensor, at, tensor.dtype) if packed else tensor
                steps.append(Step(task, block, outlet=Outlet(target, packed, atomic)))
                at += shape.base_m * shape.base_n
        steps[-1] = replace(steps[-1], notifies=notifies)
        return steps

    def wait(self, site: Site | None, op: str) -> None:
        """Wait for what was asked for in the background.

        Raises:
            DeadlockError: nobody tells of its end.
        """
        self._wait(site, op)

    def _current(self, op: str) -> Block:
        if self._computed is None:
            raise RuntimeError(f"{op}: found no block, expected iterate() to have computed one")
        return self._computed

    def _task(self) -> Task:
        if self._a is None or self._b is None:
            name = "set_tensor_a" if self._a is None else "set_tensor_b"
            raise RuntimeError(f"matmul: found no operand, expected {name} before")
        task = Task(self.types, self.shape, self._a, self._b, self._bias, self._quantisation, self._hf32)
        self._quantisation.mode("matmul", self.types)
        return task

    def _near(self, site: Site | None, op: str, operand: str, tensor: Tensor) -> Global:
        """An operand where the cube finds it."""
        if isinstance(tensor, Global):
            return Global(tensor.owner, tensor.address, tensor.dtype)
        if memory_of(tensor) != "UB":
            raise NotImplementedError(f"{op} of a tensor in {memory_of(tensor)} is not simulated")
        remote = self._remote(op)
        return remote.client.send(site, tensor, (id(self), operand))

    def _check_target(self, op: str, tensor: Tensor) -> None:
        self._check_type(op, tensor)
        if isinstance(tensor, Local) and (self.types.c.memory, memory_of(tensor)) != ("UB", "UB"):
            raise ValueError(
                f"{op}: found a tensor in {memory_of(tensor)} with C at {self.types.c.position.name}, expected C at "
                "VECIN, VECOUT or VECCALC and a tensor in UB"
            )

    def _check_type(self, op: str, tensor: Tensor) -> None:
        if tensor.dtype is not self.types.c.dtype:
            raise TypeError(f"{op}: tensor: found {tensor.dtype}, expected {self.types.c.dtype}, C's type")

    def _ask(self, site: Site | None, op: str, steps: list[Step]) -> None:
        self._linked().ask(tuple(steps), site, op)

    def _wait(self, site: Site | None, op: str) -> None:
        self._linked().wait(site, op)

    def _linked(self) -> Link:
        if self._link is None:
            raise RuntimeError("matmul: found an object that is not registered, expected register_matmul before")
        return self._link

    def _remote(self, op: str) -> Remote:
        link = self._linked()
        if not isinstance(link, Remote):
            raise NotImplementedError(f"{op} with a tensor in UB in a kernel of cube cores only is not simulated")
        return link


def _behind(tensor: Global, offset: int, dtype: Any) -> Global:
    return Global(tensor.owner, tensor.address + offset * dtype.size, dtype)
