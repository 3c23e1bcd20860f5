"""``ge.onnx_plugin`` (ONNX plugins) is not offered: each of its names is a NotImplementedError that says so."""

from cannery.ge._engine.absent import absent

__getattr__ = absent("ge.onnx_plugin", "cannery reads no ONNX models")
