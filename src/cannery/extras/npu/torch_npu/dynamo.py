"""``torch_npu.dynamo``: compilers for graphs on the device."""

from cannery.core.published import Absent

__all__ = ["torchair"]

torchair = Absent("torch_npu.dynamo.torchair", "GE graphs from torch.compile; the default backend runs the graph")
