"""load_data of an image: the windows of a convolution as a matrix
(mirror-cann/asc-devkit docs, LoadData 3D, @82b89a15f).

The image lies in L1 as NC1HWC0: channels in groups of C0 = 32 bytes. A row of the matrix is an output pixel, a column a
place of the window and a channel: ((c1 · Kh + kh) · Kw + kw) · C0 + c0.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import MOVE, Instruction, Runs, Site
from cannery.isa.fractal import ROW, Layout, ceil
from cannery.isa.move import pipe_between
from cannery.isa.op import DAV_3510, Op
from cannery.isa.regions import change, load_bytes, stretches, window
from cannery.isa.tensors import Local, memory_of

Array = np.ndarray[Any, Any]


class Image(NamedTuple):
    """An image and its windows, and which part of the matrix is loaded.

    Attributes:
        height, width, channels: of the image.
        pad: left, right, top, bottom.
        stride, filter, dilation: along width and height.
        rows, columns: how many of the matrix; ``first_row`` and ``first_column``: from where on.
        transpose: in L0A the matrix is turned over; in L0B it always is.
    """

    height: int
    width: int
    channels: int
    pad: tuple[int, int, int, int] = (0, 0, 0, 0)
    stride: tuple[int, int] = (1, 1)
    filter: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    rows: int = 0
    columns: int = 0
    first_row: int = 0
    first_column: int = 0
    transpose: bool = False

    def outputs(self, axis: int) -> int:
        """Output pixels along width (0) or height (1)."""
        size = (self.width, self.height)[axis] + self.pad[2 * axis] + self.pad[2 * axis + 1]
        return (size - (self.filter[axis] - 1) * self.dilation[axis] - 1) // self.stride[axis] + 1


class Windows(NamedTuple):
    """Which group of 32 bytes of the image stands at each place of the matrix, −1 for padding; and its bytes."""

    groups: Array
    stop: int
    runs: Runs | None


@lru_cache(maxsize=256)
def windows(image: Image, per_group: int) -> Windows:
    """The places of a part of the matrix: [row, group of columns]."""
    row = np.arange(image.first_row, image.first_row + image.rows)[:, None]
    column = np.arange(image.first_column // per_group, ceil(image.first_column + image.columns, per_group))[None, :]
    wide, high = image.filter
    x = row % image.outputs(0) * image.stride[0] + column % wide * image.dilation[0] - image.pad[0]
    y = row // image.outputs(0) * image.stride[1] + column // wide % high * image.dilation[1] - image.pad[2]
    inside = (x >= 0) & (x < image.width) & (y >= 0) & (y < image.height) & (row < image.outputs(0) * image.outputs(1))
    groups = np.where(inside, (column // (wide * high) * image.height + y) * image.width + x, -1)
    used = np.unique(groups[groups >= 0])
    marks = np.zeros(int(used.max(initial=-1)) + 1, bool)
    marks[used] = True
    runs = tuple((a * ROW, b * ROW) for a, b in stretches(marks))
    return Windows(groups, len(marks) * ROW, None if runs == ((0, len(marks) * ROW),) else runs)


def load_image(core: Core, site: Site | None, op: Op, dst: Local, src: Local, image: Image, pad: Any) -> None:
    """Load a part of the matrix to L0A, or turned over to L0B.

    Raises:
        TypeError: element types that the instruction has not.
        ValueError: a window that does not fit.
        NotImplementedError: no such way between memories on this chip.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    pipe = pipe_between(core, op, memory_of(dst), memory_of(src))
    if not all((image.height, image.width, image.channels, image.rows, image.columns, *image.filter)):
        return
    size = dst.dtype.size
    if min(image.outputs(0), image.outputs(1)) < 1:
        raise ValueError(f"{op.name}: filter: found one larger than the image with its padding")
    if image.first_column % (ROW // size):
        raise ValueError(f"{op.name}: k_start_pt: found {image.first_column}, expected a multiple of {ROW // size}")
    places = windows(image, ROW // size)
    turned = image.transpose or memory_of(dst) == "L0B"
    shape = (image.columns, image.rows) if turned else (image.rows, image.columns)
    by_column = memory_of(dst) == "L0B" or core.soc.npu_arch == DAV_3510
    layout = Layout.of(*shape, ROW // size, by_column=by_column)
    write = dst.access(0, layout.extent(*shape, size))._replace(runs=layout.runs(*shape, size))
    read = src.access(0, places.stop)._replace(runs=places.runs)
    target = _Target(layout, image.columns, turned)
    effect = partial(_load, dst, src, places, target, dst.dtype.element(pad))
    spread = partial(_spread, places, target, size, write.runs)
    work = image.rows * image.columns * size
    core.issue(
        Instruction(op.name, pipe, (read,), (write,), site, effect, (), MOVE, None, (), dst.dtype, work, spread=spread)
    )


class _Target(NamedTuple):
    layout: Layout
    columns: int
    turned: bool

    def put(self, flat: Array, groups: Array) -> None:
        """Write a matrix, given as [row, group, element]."""
        matrix = groups.reshape(len(groups), -1)[:, : self.columns]
        self.layout.write(flat, matrix.T if self.turned else matrix)


def _load(dst: Local, src: Local, places: Windows, target: _Target, pad: Any) -> None:
    found = window(src, src.addr, src.addr + places.stop)
    if found is None:
        found = load_bytes(src, src.addr, places.stop)
    image = found.view(dst.dtype.numpy).reshape(-1, ROW // dst.dtype.size)
    padded = np.concatenate([image, np.full((1, image.shape[1]), pad, image.dtype)])
    change(dst, target.layout.elements, lambda flat: target.put(flat, padded[places.groups]))


def _spread(
    places: Windows, target: _Target, size: int, runs: Runs | None, pieces: list[tuple[int, int]]
) -> list[tuple[int, int]]:  # fmt: skip
    """Bytes of the image as those of the destination that they reach."""
    marks = np.zeros(places.stop + ROW, bool)
    touched = np.concatenate([np.arange(a, b) for a, b in places.runs or ((0, places.stop),)])
    for start, stop in pieces:
        marks[touched[start:stop]] = True
    elements = np.any(marks.reshape(-1, ROW // size, size), axis=2)
    flat = np.zeros(target.layout.elements, bool)
    target.put(flat, elements[places.groups])
    reached = np.repeat(flat, size)
    return stretches(np.concatenate([reached[a:b] for a, b in runs or ((0, len(reached)),)]))
