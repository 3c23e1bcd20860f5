"""``torch.compile`` on the device: graphs are captured and differentiated ahead of time, their operators run as always.

Inductor generates code for the devices it knows; for graphs with tensors of this one its place is taken by
``aot_eager``, which finds the same graph breaks and gives the bits of eager mode.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch

from cannery.extras.npu.machine import NAME, machine


def install_compiler() -> None:
    """Teach TorchDynamo the device when it is first needed: importing it takes a second."""
    wrapper: Any = torch._TorchCompileInductorWrapper
    compile_by_inductor = wrapper.__call__

    @wraps(compile_by_inductor)
    def call(self: Any, model: Any, inputs: Any, **options: Any) -> Any:
        if not _touches_npu(model, inputs):
            return compile_by_inductor(self, model, inputs, **options)
        from torch._dynamo.backends.debugging import aot_eager

        return aot_eager(model, inputs)

    wrapper.__call__ = call
    compile_ = torch.compile

    @wraps(compile_)
    def compile_with_device(*args: Any, **kwargs: Any) -> Any:
        _register_interface()
        return compile_(*args, **kwargs)

    torch.compile = compile_with_device


def _touches_npu(model: Any, inputs: Any) -> bool:
    if any(isinstance(value, torch.Tensor) and value.device.type == NAME for value in inputs):
        return True
    made = (node.kwargs.get("device") for node in model.graph.nodes)
    return any(device is not None and str(device).startswith(NAME) for device in made)


def _register_interface() -> None:
    from torch._dynamo import device_interface

    if NAME in dict(device_interface.get_registered_device_interfaces()):
        return
    npu = getattr(torch, NAME)

    class NpuInterface(device_interface.DeviceInterface):
        Stream, Event, device = npu.Stream, npu.Event, npu.device
        current_device = staticmethod(npu.current_device)
        set_device = staticmethod(npu.set_device)
        device_count = staticmethod(npu.device_count)
        is_available = staticmethod(npu.is_available)
        current_stream = staticmethod(npu.current_stream)
        set_stream = staticmethod(npu.set_stream)
        synchronize = staticmethod(npu.synchronize)
        get_device_properties = staticmethod(npu.get_device_properties)
        is_bf16_supported = staticmethod(npu.is_bf16_supported)

        @staticmethod
        def get_compute_capability(device: Any = None) -> str:
            return machine().chip(0).short_name

    device_interface.register_interface_for_device(NAME, NpuInterface)
    for index in range(machine().count):
        device_interface.register_interface_for_device(f"{NAME}:{index}", NpuInterface)
