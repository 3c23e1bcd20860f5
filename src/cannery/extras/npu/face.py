"""The record of this face."""

from cannery.faces import Face, Plugin

FACE = Face(
    name="npu",
    summary="the device of PyTorch, with torch_npu",
    packages={"torch_npu": "cannery.extras.npu.torch_npu"},
    plugins=(Plugin("torch_npu", "_autoload", "torch.backends", extends="torch"),),
    example="exec examples/npu/train_decoder.py",
)
