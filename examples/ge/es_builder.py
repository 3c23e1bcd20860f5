"""A graph built with GE's es functions: one input of unknown shape, two operators, run with two shapes."""

import numpy as np
from ge.es import GraphBuilder
from ge.es.all import UpdateTensorDesc
from ge.ge_global import GeApi
from ge.graph import DataType, DumpFormat, Tensor
from ge.session import Session


def build():
    """x -> UpdateTensorDesc [4, 8, 4] -> UpdateTensorDesc [128]; both results are outputs."""
    builder = GraphBuilder("two_descriptors")
    x = builder.create_input(0, name="x", data_type=DataType.DT_FLOAT16, shape=[-1, -1])
    first = UpdateTensorDesc(x, shape=[4, 8, 4])
    second = UpdateTensorDesc(first, shape=[128])
    return builder.build_and_reset([first, second])


def main():
    GeApi.ge_initialize({"ge.exec.deviceId": "0", "ge.graphRunMode": "1"})
    try:
        graph = build()
        session = Session()
        session.add_graph(0, graph)
        for rows, columns in ((2, 3), (5, 7)):
            x = Tensor([1.0] * (rows * columns), data_type=DataType.DT_FLOAT16, shape=[rows, columns])
            for output in session.run_graph(0, [x]):
                words = np.ravel(output.get_data()).tolist()
                print(f"x [{rows}, {columns}]: {output.get_shape().get_dims()} begins with {words[:8]}")
        print(graph.dump_to_stream(DumpFormat.kReadable), end="")
        session.remove_graph(0)
    finally:
        GeApi.ge_finalize()


if __name__ == "__main__":
    main()
