"""``asc.language.basic.common``: a buffer over what is free of UB (hicann/pyasc @cecba26ace65)."""

from cannery.asc.context import running
from cannery.asc.dtypes import DataType
from cannery.asc.enums import TPosition
from cannery.asc.tensors import LocalTensor
from cannery.isa.enums import MEMORY
from cannery.isa.space import rest_of

__all__ = ["pop_stack_buffer"]


def pop_stack_buffer(dtype: DataType, position: TPosition = TPosition.VECCALC) -> LocalTensor:
    """A tensor over all that is free behind the buffers of the TPipe. Its contents are undefined.

    Raises:
        ValueError: the position does not lie in UB.
    """
    if MEMORY[position] != "UB":
        raise ValueError(f"pop_stack_buffer: position: found {position.name}, expected one in UB")
    owner = rest_of(running(), position)
    return LocalTensor.view(owner, owner.lower, dtype, (owner.upper - owner.lower) // dtype.sizeof())
