"""The vocabulary every floor shares: data types, formats, shapes, tensors, refusals and the status tables."""

from cannery.core.dtype import DataType
from cannery.core.errors import OperatorError, Refusal, Stage
from cannery.core.finding import Finding, errors_among, is_error
from cannery.core.format import Format
from cannery.core.precision import own_precision
from cannery.core.shape import INT64_MAX, UNKNOWN_DIM, UNKNOWN_DIM_NUM, Shape
from cannery.core.status import AclnnStatus, AtbStatus, GeStatus
from cannery.core.tensor import Tensor, TensorDesc, trimmed

__all__ = [
    "INT64_MAX",
    "UNKNOWN_DIM",
    "UNKNOWN_DIM_NUM",
    "AclnnStatus",
    "AtbStatus",
    "DataType",
    "Finding",
    "Format",
    "GeStatus",
    "OperatorError",
    "Refusal",
    "Shape",
    "Stage",
    "Tensor",
    "TensorDesc",
    "errors_among",
    "is_error",
    "own_precision",
    "trimmed",
]
