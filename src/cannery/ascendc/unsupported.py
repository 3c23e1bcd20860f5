"""Names of Ascend C that are not simulated: a program that calls one is told so by the compiler.

Names: hicann/asc-devkit `include/basic_api` and `include/adv_api` @82b89a15f.
"""

from __future__ import annotations

from typing import Final

FUNCTIONS: Final = (
    "MrgSort4", "RpSort16", "ProposalConcat", "ProposalExtract", "Interleave", "DeInterleave", "Prelu", "Mull",
    "AbsSub", "ExpSub", "Neg", "Subs", "Divs", "Ands", "Ors", "MulsCast", "Truncate", "BilinearInterpolation",
    "VectorPadding", "SetFixPipeConfig", "SetFmatrix", "SetLoadDataBoundary", "SetLoadDataRepeat", "BroadCastVecToMM",
    "SimpleSoftMax", "SoftmaxFlash", "SoftmaxFlashV2", "SoftmaxFlashV3", "SoftmaxGrad", "LogSoftMax", "LayerNorm",
    "BatchNorm", "GroupNorm", "DeepNorm", "LayerNormGrad", "Normalize", "WelfordUpdate", "Sigmoid", "Gelu",
    "FasterGelu", "FasterGeluV2", "Silu", "Swish", "SwiGLU", "GeGLU", "ReGlu", "Log10", "Log2", "Fmod", "CumSum",
    "ClampMax", "ClampMin", "AscendDequant", "AscendAntiQuant", "Broadcast", "Pad", "UnPad", "DropOut", "TopK", "Sum",
    "Mean", "MmadMx", "LoadDataWithStride", "SetLoadDataRepeatWithStride", "Clamp", "Fma", "Rint", "SinCos", "Hypot",
    "Where", "IsFinite", "IsInf", "IsNan", "LogicalAnd", "LogicalOr", "LogicalXor", "LogicalNot", "LogicalAnds",
    "LogicalOrs", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "PhiloxRandom", "AdjustSoftMaxRes",
    "SoftmaxGradFront", "LayerNormGradBeta", "WelfordFinalize", "TransData", "ReduceMean", "ReduceProd", "ReduceAny",
    "ReduceAll", "ReduceXorSum", "LoadUnzipIndex", "LoadDataUnzip", "LoadImageToLocal",
)  # fmt: skip
