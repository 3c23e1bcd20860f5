"""``torch_npu.npu.npu_config``."""

from cannery.core.published import module_getattr
from cannery.extras.npu.refusals import UNBUILT
from cannery.extras.npu.settings import Config as _npuConfig
from cannery.extras.npu.streams import get_device_limit, set_device_limit

__all__ = ["_npuConfig", "get_device_limit", "set_device_limit"]

__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.npu.npu_config", UNBUILT)
