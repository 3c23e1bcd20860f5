"""A graph handled through its nodes: rewired, ordered, saved, loaded, run, and its inferred shapes read back."""

import os
import tempfile

import numpy as np
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import UpdateTensorDesc
from ge.ge_global import GeApi
from ge.graph import DataType, Graph, Tensor, TensorDesc
from ge.session import Session


def build():
    """Two operators side by side; the second is then fed by the first."""
    builder = GraphBuilder("plain")
    x = builder.create_input(0, data_type=DataType.DT_INT32, shape=[2, 3])
    graph = builder.build_and_reset([UpdateTensorDesc(x, shape=[4, 8, 4]), UpdateTensorDesc(x, shape=[2, 2, 2, 2, 8])])
    source, first, second = graph.get_direct_nodes()
    graph.remove_edge(source, 0, second, 0)
    graph.add_data_edge(first, 0, second, 0)
    graph.add_control_edge(source, second)
    # What a user declares for an output is replaced by what shape inference finds.
    second.update_output_desc(0, TensorDesc([-1, -1, -1, -1, -1], data_type=DataType.DT_FLOAT))
    return graph


def save_and_load(graph):
    """The same graph, by way of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plain.air")
        graph.save_to_air(path)
        loaded = Graph("loaded")
        loaded.load_from_air(path)
    return loaded


def main():
    GeApi.ge_initialize({"ge.exec.deviceId": "0", "ge.graphRunMode": "1"})
    try:
        graph, session = save_and_load(build()), Session()
        session.add_graph(7, graph)
        outputs = session.run_graph(7, [Tensor([1, 2, 3, 4, 5, 6], data_type=DataType.DT_INT32, shape=[2, 3])])
        for node in graph.get_all_nodes():
            desc = node.get_output_desc(0)
            print(f"{node.name} ({node.type}): {desc.data_type.name} {desc.shape.get_dims()}")
        print([np.ravel(output.get_data()).tolist()[3:9] for output in outputs])
        try:
            session.add_graph(7, graph)
        except GeError as refusal:
            print(f"refused: {refusal.error_message}")
        session.remove_graph(7)
    finally:
        GeApi.ge_finalize()


if __name__ == "__main__":
    main()
