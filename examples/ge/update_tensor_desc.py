"""UpdateTensorDesc through GE: five cases, static (S) and dynamic (D), verified in the order of the C++ example.

The C++ example is hicann/ops-nn `control/update_tensor_desc/examples/test_geir_update_tensor_desc.cpp`.
"""

import contextlib
import os
import sys
import tempfile

import numpy as np
from ge.es import GraphBuilder
from ge.es.all import UpdateTensorDesc
from ge.ge_global import GeApi
from ge.graph import DataType, Tensor
from ge.session import Session

GLOBAL_OPTIONS = {
    "ge.exec.deviceId": "0",
    "ge.graphRunMode": "1",
    "ge.exec.precision_mode": "must_keep_origin_dtype",
}
X_SHAPE = [2, 3]
# Name, data type of x, bytes of an element, attribute shape, mode: S declares real shapes, D declares -1 for each dim.
CASES = [
    ("FP32_rank3_S", DataType.DT_FLOAT, 4, [4, 8, 4], "S"),
    ("INT64_rank1_S", DataType.DT_INT64, 8, [128], "S"),
    ("FP16_rank3_D", DataType.DT_FLOAT16, 2, [4, 8, 4], "D"),
    ("INT32_rank1_D", DataType.DT_INT32, 4, [128], "D"),
    ("BOOL_rank5_S", DataType.DT_BOOL, 1, [2, 2, 2, 2, 8], "S"),
]
COLUMNS = ("Case", "Build", "RunGraph", "OutputExists", "Verify")


def declared(shape, mode):
    """The shape a graph says: the real one, or all unknown."""
    return shape if mode == "S" else [-1] * len(shape)


def build(number, data_type, attr, mode):
    """One operator on one placeholder."""
    builder = GraphBuilder(f"tc_ge_irrun_test_{number}")
    x = builder.create_input(0, name="placeholder1", data_type=data_type, shape=declared(X_SHAPE, mode))
    y = UpdateTensorDesc(x, shape=attr)
    y.set_data_type(DataType.DT_INT64).set_shape(declared(attr, mode))
    return builder.build_and_reset([y])


def placeholder(data_type, item_size):
    """A tensor of which every byte is 1; the operator never reads it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.bin")
        with open(path, "wb") as file:
            file.write(b"\x01" * (X_SHAPE[0] * X_SHAPE[1] * item_size))
        return Tensor(file_path=path, data_type=data_type, shape=X_SHAPE)


def verify(outputs, attr):
    """What is wrong with the outputs, in the order of the original; empty when nothing is."""
    if len(outputs) != 1:
        return f"{len(outputs)} outputs"
    desc, words = outputs[0].get_tensor_desc(), np.ravel(outputs[0].get_data()).tolist()
    if desc.data_type != DataType.DT_INT64:
        return f"y is {desc.data_type.name}"
    if desc.shape.get_dims() != attr:
        return f"y has shape {desc.shape.get_dims()}"
    count = 1
    for dim in attr:
        count *= dim
    if len(words) != count:
        return f"y has {len(words)} elements"
    if words[3] != len(attr):
        return f"y[3] is {words[3]}"
    for index, dim in enumerate(attr):
        if words[4 + index] != dim:
            return f"y[{4 + index}] is {words[4 + index]}"
    return ""


def run(session, number, case):
    """A row of the report: name, four results, message."""
    name, data_type, item_size, attr, mode = case
    results, message = ["FAIL"] * 4, ""
    try:
        session.add_graph(number, build(number, data_type, attr, mode), {})
        results[0] = "OK"
        outputs = session.run_graph(number, [placeholder(data_type, item_size)])
        results[1] = "OK"
        results[2] = "OK" if outputs else "FAIL"
        message = verify(outputs, attr)
        results[3] = "FAIL" if message else "OK"
    except RuntimeError as failure:
        message = str(failure)
    with contextlib.suppress(RuntimeError):  # as the original, whether the graph was there or not
        session.remove_graph(number)
    return [name, *results, message]


def main():
    GeApi.ge_initialize(GLOBAL_OPTIONS)
    try:
        session = Session({})
        rows = [run(session, number, case) for number, case in enumerate(CASES)]
    finally:
        GeApi.ge_finalize()
    print(" ".join(f"{title:<14}" for title in COLUMNS) + " ErrMsg")
    for row in rows:
        print((" ".join(f"{cell:<14}" for cell in row[:-1]) + f" {row[-1]}").rstrip())
    passed = all(row[1:-1] == ["OK"] * 4 for row in rows)
    print("ALL CASES PASSED" if passed else "SOME CASES FAILED")
    return 0 if passed else -1


if __name__ == "__main__":
    sys.exit(main())
