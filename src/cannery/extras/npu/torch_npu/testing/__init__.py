"""``torch_npu.testing``."""

from cannery.core.published import module_getattr
from cannery.extras.npu.refusals import UNBUILT

__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.testing", UNBUILT)
