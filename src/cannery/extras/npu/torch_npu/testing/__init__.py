"""``torch_npu.testing``."""
