// Tiling structures that host and kernel share (hicann/asc-devkit include/adv_api/kernel_tiling.h @82b89a15f).
#ifndef CANNERY_KERNEL_TILING_H
#define CANNERY_KERNEL_TILING_H

#include <cstdint>

// The fields, once for kernels and once for the host's classes (tiling/tiling_api.h).
#define CANNERY_TILING_FIELD(type, name) type name = 0;
#define CANNERY_SOFTMAX_TILING(FIELD) \
    FIELD(uint32_t, srcM) \
    FIELD(uint32_t, srcK) \
    FIELD(uint32_t, srcSize) \
    FIELD(uint32_t, outMaxM) \
    FIELD(uint32_t, outMaxK) \
    FIELD(uint32_t, outMaxSize) \
    FIELD(uint32_t, splitM) \
    FIELD(uint32_t, splitK) \
    FIELD(uint32_t, splitSize) \
    FIELD(uint32_t, reduceM) \
    FIELD(uint32_t, reduceK) \
    FIELD(uint32_t, reduceSize) \
    FIELD(uint32_t, rangeM) \
    FIELD(uint32_t, tailM) \
    FIELD(uint32_t, tailSplitSize) \
    FIELD(uint32_t, tailReduceSize)
#define CANNERY_RMSNORM_TILING(FIELD) \
    FIELD(uint32_t, bLength) \
    FIELD(uint32_t, sLength) \
    FIELD(uint32_t, hLength) \
    FIELD(uint32_t, originalHLength) \
    FIELD(float, reciprocalOfHLength) \
    FIELD(uint32_t, mainBshLength) \
    FIELD(uint32_t, mainBsLength) \
    FIELD(uint32_t, mainBsLengthAlign) \
    FIELD(uint32_t, loopRound) \
    FIELD(uint32_t, inputTailPos) \
    FIELD(uint32_t, tailBshLength) \
    FIELD(uint32_t, tailBsLength)
#define CANNERY_CUBE_TILING(FIELD) \
    FIELD(int32_t, usedCoreNum) \
    FIELD(int32_t, M) \
    FIELD(int32_t, N) \
    FIELD(int32_t, Ka) \
    FIELD(int32_t, Kb) \
    FIELD(int32_t, singleCoreM) \
    FIELD(int32_t, singleCoreN) \
    FIELD(int32_t, singleCoreK) \
    FIELD(int32_t, baseM) \
    FIELD(int32_t, baseN) \
    FIELD(int32_t, baseK) \
    FIELD(int32_t, depthA1) \
    FIELD(int32_t, depthB1) \
    FIELD(int32_t, stepM) \
    FIELD(int32_t, stepN) \
    FIELD(int32_t, isBias) \
    FIELD(int32_t, transLength) \
    FIELD(int32_t, iterateOrder) \
    FIELD(int32_t, shareMode) \
    FIELD(int32_t, shareL1Size) \
    FIELD(int32_t, shareL0CSize) \
    FIELD(int32_t, shareUbSize) \
    FIELD(int32_t, batchM) \
    FIELD(int32_t, batchN) \
    FIELD(int32_t, singleBatchM) \
    FIELD(int32_t, singleBatchN) \
    FIELD(int32_t, stepKa) \
    FIELD(int32_t, stepKb) \
    FIELD(int32_t, depthAL1CacheUB) \
    FIELD(int32_t, depthBL1CacheUB) \
    FIELD(int32_t, dbL0A) \
    FIELD(int32_t, dbL0B) \
    FIELD(int32_t, dbL0C) \
    FIELD(int32_t, ALayoutInfoB) \
    FIELD(int32_t, ALayoutInfoS) \
    FIELD(int32_t, ALayoutInfoN) \
    FIELD(int32_t, ALayoutInfoG) \
    FIELD(int32_t, ALayoutInfoD) \
    FIELD(int32_t, BLayoutInfoB) \
    FIELD(int32_t, BLayoutInfoS) \
    FIELD(int32_t, BLayoutInfoN) \
    FIELD(int32_t, BLayoutInfoG) \
    FIELD(int32_t, BLayoutInfoD) \
    FIELD(int32_t, CLayoutInfoB) \
    FIELD(int32_t, CLayoutInfoS1) \
    FIELD(int32_t, CLayoutInfoN) \
    FIELD(int32_t, CLayoutInfoG) \
    FIELD(int32_t, CLayoutInfoS2) \
    FIELD(int32_t, BatchNum) \
    FIELD(int32_t, mxTypePara)

namespace AscendC {
namespace tiling {

#pragma pack(push, 8)
struct SoftMaxTiling {
    CANNERY_SOFTMAX_TILING(CANNERY_TILING_FIELD)
};

struct RmsNormTiling {
    CANNERY_RMSNORM_TILING(CANNERY_TILING_FIELD)
};

struct TCubeTiling {
    CANNERY_CUBE_TILING(CANNERY_TILING_FIELD)
};
#pragma pack(pop)

}  // namespace tiling
}  // namespace AscendC

using AscendC::tiling::RmsNormTiling;
using AscendC::tiling::SoftMaxTiling;
using AscendC::tiling::TCubeTiling;

#endif
