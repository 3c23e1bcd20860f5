"""``torch_npu._C``: the names of the compiled extension that Python code asks for."""

from cannery.extras.npu.device import current_device as _npu_getDevice
from cannery.extras.npu.device import device_count as _npu_getDeviceCount
from cannery.extras.npu.device import get_soc_version as _npu_get_soc_version
from cannery.extras.npu.device import set_device as _npu_setDevice
from cannery.extras.npu.streams import synchronize as _npu_synchronize

__all__ = ["_npu_getCurrentRawStream", "_npu_getDevice", "_npu_getDeviceCount", "_npu_get_soc_version",
           "_npu_setDevice", "_npu_synchronize"]  # fmt: skip


def _npu_getCurrentRawStream(device_index: int) -> int:
    """The runtime's handle of the current stream."""
    from cannery.extras.npu.streams import current_stream

    return current_stream(device_index).npu_stream
