"""Shape and data type of the metadata: always 64 int32 words."""

from cannery.core import DataType, Shape, TensorDesc
from cannery.operator import CallContext
from cannery.ops._lightning_indexer.split import METADATA_SIZE

METADATA = TensorDesc(DataType.DT_INT32, Shape((METADATA_SIZE,)))


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """One desc, whatever the call."""
    return (METADATA,)
