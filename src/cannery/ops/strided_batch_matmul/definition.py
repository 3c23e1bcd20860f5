"""StridedBatchMatmul: for every sample and head a matrix product between blocks of flat memory."""

from cannery.core import DataType
from cannery.operator import ATB, Attribute, AttrType, OperatorDefinition, Quirk, TensorParam
from cannery.ops._train.contract import INT32_MAX, RESERVED, SOCS

F16 = (DataType.DT_FLOAT16,)
SIDES = ("m", "n", "k")
LEADING = ("lda", "ldb", "ldc")
STRIDES = ("strideA", "strideB", "strideC")
COUNTS = ("batch", "headNum")

_LISTS = {
    "m": "Rows of C of each sample.",
    "n": "Columns of C of each sample.",
    "k": "Length of the sums of each sample.",
    "lda": "Elements from a row of A to the next.",
    "ldb": "Elements from a row of B to the next.",
    "ldc": "Elements from a row of C to the next.",
    "strideA": "Elements from a head of A to the next.",
    "strideB": "Elements from a head of B to the next.",
    "strideC": "Elements from a head of C to the next.",
}
QUIRKS = (
    Quirk(
        "sizes_wrap",
        "m[i] * n[i] beyond int32 is refused at infer_shape with ERROR_INVALID_PARAM, by its name",
        "the kernel's int32 product wraps: the blocks of C behind that sample move to where the wrapped number says",
    ),
    Quirk(
        "output_unchecked",
        "an output of another shape than [headNum * sum(m[i] * n[i])] is refused at tiling",
        "it is taken, as long as every block lies in it",
    ),
)

DEFINITION = OperatorDefinition(
    name="StridedBatchMatmul",
    category="train",
    summary="C = op(A) op(B) for each of batch samples and headNum heads, at strides and leading dims given a sample.",
    source="hicann/ascend-transformer-boost src/ops/ops_train/strided_batch_matmul @ddcc8b6",
    contract=ATB,
    inputs=(
        TensorParam("A", F16, "any, taken as flat memory", "Rows of k, or of m when transposed, lda apart."),
        TensorParam("B", F16, "any, taken as flat memory", "Rows of n, or of k when transposed, ldb apart."),
    ),
    outputs=(TensorParam("C", F16, "[headNum * sum(m[i] * n[i])]", "Rows of n, ldc apart."),),
    attributes=(
        # Case files say transA and transB: `tests/framework/c++/atb_torch/operation/operation_funcs.cpp` @ddcc8b6.
        *(
            Attribute(
                f"transpose{side}", AttrType.BOOL, doc, "True or False", default=False, case_keys=(f"trans{side}",)
            )
            for side, doc in {"A": "Whether A's blocks are (k, m).", "B": "Whether B's blocks are (n, k)."}.items()
        ),
        Attribute("batch", AttrType.INT, "Number of samples.", "at least 1", default=1),
        Attribute("headNum", AttrType.INT, "Number of heads.", "at least 1", default=1),
        *(
            Attribute(
                name,
                AttrType.LIST_INT,
                doc,
                f"one number a sample, {int(name not in STRIDES)} to {INT32_MAX}",
                default=(),
            )
            for name, doc in _LISTS.items()
        ),
        RESERVED,
    ),
    socs=SOCS,
    quirks=QUIRKS,
    constraints=(
        "A sample takes headNum * m * k elements of A, headNum * n * k of B and headNum * m * n of C.",
        "Elements of C between the blocks are not written. Where blocks of C overlap, the later head wins.",
        "Accumulated in float64 and rounded once, so that the result does not depend on the number of threads.",
    ),
    faces=("atb",),
)
