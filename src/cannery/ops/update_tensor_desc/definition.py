"""UpdateTensorDesc: writes rank and dims into a 128-word shape descriptor."""

from cannery.core import DataType
from cannery.operator import GE, AICoreConfig, Attribute, AttrType, OperatorDefinition, Quirk, TensorParam

DESC_SIZE = 128
DIM_BASE_INDEX = 3
MAX_RANK = DESC_SIZE - DIM_BASE_INDEX - 1
MAX_X_RANK = 8

X_DTYPES = (
    DataType.DT_BOOL,
    DataType.DT_FLOAT16,
    DataType.DT_FLOAT,
    DataType.DT_DOUBLE,
    DataType.DT_INT8,
    DataType.DT_INT16,
    DataType.DT_INT32,
    DataType.DT_INT64,
    DataType.DT_UINT8,
    DataType.DT_UINT16,
    DataType.DT_UINT32,
    DataType.DT_UINT64,
)

QUIRKS = (
    Quirk(
        "rank_cut_at_25",
        "the inferred shape of y has every dim of the attribute",
        "it has the first 25 only, as gert::Shape keeps no more; y may then be too small for tiling",
    ),
    Quirk(
        "element_count_wraps",
        "a product of dims beyond int64 is refused as too large",
        "the product wraps in int64 and the wrapped number is compared with 128",
    ),
    Quirk(
        "unknown_dims_of_y_multiply",
        "a y of unknown shape is refused at tiling",
        "negative dims of y are multiplied like any other, so [-1, -128] counts as 128 elements",
    ),
)

DEFINITION = OperatorDefinition(
    name="UpdateTensorDesc",
    category="control",
    summary="Write a shape's rank and dims into a descriptor of 128 × int64, preserving the rest.",
    source="hicann/ops-nn control/update_tensor_desc @1eb27776",
    contract=GE,
    inputs=(
        TensorParam("x", X_DTYPES, "any, rank 0 to 8", "Placeholder in the graph; never read.", is_read=False),
    ),
    outputs=(
        TensorParam(
            "y",
            (DataType.DT_INT64,) * len(X_DTYPES),
            "the attribute shape, at least 128 elements",
            "Word 3 becomes the rank, words 4 … 3+rank the dims; every other byte keeps its value.",
        ),
    ),
    attributes=(
        Attribute(
            "shape",
            AttrType.LIST_INT,
            "The shape to write.",
            "1 to 124 dims, each ≥ 1, product 128 to 2^63−1",
            required=True,
        ),
    ),
    socs=("Ascend950",),
    aicore=AICoreConfig(socs=("Ascend950",), op_file="update_tensor_desc_apt"),
    quirks=QUIRKS,
    constraints=(
        "The kernel rewrites the first 1024 bytes of y: one call at a time per buffer.",
        "GE's own descriptor has room for 32 dims; a higher rank overwrites the words that follow them.",
    ),
    faces=("ge",),
    # The attribute need not be the buffer's own shape: a descriptor is written into memory that is there.
    keeps_buffers=True,
)  # fmt: skip
