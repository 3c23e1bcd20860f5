"""Names of Ascend C that are not simulated: a program that calls one is told so by the compiler.

Names: hicann/asc-devkit `include/basic_api` and `include/adv_api` @82b89a15f.
"""

from __future__ import annotations

from typing import Final

FUNCTIONS: Final = (
    "Mmad", "Fixpipe", "LoadData", "LoadDataWithTranspose", "LoadDataWithSparse", "MmadWithSparse",
    "Sort32", "MrgSort", "MrgSort4", "RpSort16", "ProposalConcat", "ProposalExtract", "Concat", "Sort", "Extract",
    "GatherMask", "Gatherb", "Scatter", "TransDataTo5HD", "Interleave", "DeInterleave", "CreateVecIndex",
    "Prelu", "Mull", "AbsSub", "ExpSub", "Neg", "Subs", "Divs", "Ands", "Ors", "MulsCast", "MulCast", "AddReluCast",
    "SubReluCast", "AddDeqRelu", "CastDequant", "Truncate", "BilinearInterpolation", "VectorPadding",
    "SetFixPipeConfig", "SetFixpipeNz2ndFlag", "SetFixpipePreQuantFlag", "SetLoadDataPaddingValue", "SetFmatrix",
    "SetLoadDataBoundary", "SetLoadDataRepeat", "SetHF32Mode", "SetHF32TransMode", "SetMMLayoutTransform",
    "BroadCastVecToMM", "ReduceRepeat", "ReduceDataBlock", "ReducePairElem",
    "SoftMax", "SimpleSoftMax", "SoftmaxFlash", "SoftmaxFlashV2", "SoftmaxFlashV3", "SoftmaxGrad", "LogSoftMax",
    "LayerNorm", "RmsNorm", "BatchNorm", "GroupNorm", "DeepNorm", "LayerNormGrad", "Normalize", "WelfordUpdate",
    "Sigmoid", "Gelu", "FasterGelu", "FasterGeluV2", "Silu", "Swish", "SwiGLU", "GeGLU", "ReGlu",
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Erf", "Erfc", "Frac", "Sign", "Sin", "Sinh",
    "Tan", "Tanh", "Trunc", "Floor", "Round", "Digamma", "Lgamma", "Log", "Log10", "Log2", "Fmod", "Power", "Xor",
    "CumSum", "ClampMax", "ClampMin", "AscendQuant", "AscendDequant", "AscendAntiQuant", "Broadcast", "Pad", "UnPad",
    "Arange", "DropOut", "TopK", "Sum", "Mean",
)  # fmt: skip
