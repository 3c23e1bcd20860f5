"""``torch_npu.contrib``."""
