"""``torch_npu.dynamo``: compilers for graphs on the device."""

from cannery.extras.npu.refusals import Refused

__all__ = ["torchair"]

torchair = Refused("torch_npu.dynamo.torchair", "GE graphs from torch.compile; the default backend runs the graph")
