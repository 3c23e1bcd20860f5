"""One graph of two operations, unpad -> pad, built twice: by names, and node by node."""

import torch
import torch_atb

LENGTHS, MAX_SEQ_LEN, HIDDEN = [3, 5, 1], 8, 16


def params():
    members = {"q_seq_len": LENGTHS, "max_seq_len": MAX_SEQ_LEN}
    return torch_atb.UnpadWithHiddenStateParam(**members), torch_atb.PadWithHiddenStateParam(**members)


def by_names():
    """Names connect the operations; "rows" is neither input nor output, so it stays inside the graph."""
    unpad, pad = params()
    graph = torch_atb.GraphBuilder("ByNames")
    graph.set_input_output(["batch"], ["cleared"])
    graph.add_operation(torch_atb.Operation(unpad), ["batch"], ["rows"])
    graph.add_operation(torch_atb.Operation(pad), ["rows"], ["cleared"])
    return graph.build()


def by_nodes():
    """Nodes name their outputs themselves; both results are outputs."""
    unpad, pad = params()
    graph = torch_atb.Builder("ByNodes")
    packed = graph.add_node([graph.add_input("batch")], unpad)
    cleared = graph.add_node([packed.get_output(0)], pad)
    graph.mark_output(cleared.get_output(0))
    graph.mark_output(packed.get_output(0))
    return graph.build()


def main():
    batch = torch.randn(len(LENGTHS), MAX_SEQ_LEN, HIDDEN).half()
    mask = torch.arange(MAX_SEQ_LEN) < torch.tensor(LENGTHS)[:, None]
    first, second = by_names(), by_nodes()
    (cleared,) = first.forward([batch])
    again, rows = second.forward([batch])
    assert torch.equal(cleared, batch * mask[..., None])
    assert torch.equal(again, cleared)
    assert torch.equal(rows, batch[mask])
    for graph in (first, second):
        print(f"{graph.name}: {graph.input_num} in, {graph.output_num} out")
    print(f"{list(batch.shape)} -> {list(rows.shape)} -> {list(cleared.shape)}")


if __name__ == "__main__":
    main()
