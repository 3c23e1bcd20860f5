"""``ge.onnx_plugin`` (ONNX plugins) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr("cannery.ge", "ge.onnx_plugin", "cannery reads no ONNX models")
