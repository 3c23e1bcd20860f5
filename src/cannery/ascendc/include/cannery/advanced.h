// Functions of the advanced API that are more than mathematics (hicann/asc-devkit include/adv_api @82b89a15f).
#ifndef CANNERY_ADVANCED_H
#define CANNERY_ADVANCED_H

#include "cannery/mathematics.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {

struct SoftMaxShapeInfo {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};

struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0};

}  // namespace AscendC

namespace cannery {

// Rows, columns, and columns before they were filled up: as the call, the tensor or the tiling says it.
template <class T>
inline AscendC::SoftMaxShapeInfo softmax_shape(const AscendC::LocalTensor<T> &src, const SoftMaxTiling &tiling,
                                               const AscendC::SoftMaxShapeInfo &given)
{
    if (given.srcM != 0 && given.srcK != 0) {
        return given;
    }
    const AscendC::ShapeInfo info = src.GetShapeInfo();
    if (info.shapeDim == 0) {
        return {tiling.srcM, tiling.srcK, tiling.srcM, tiling.srcK};
    }
    uint32_t rows = 1;
    for (int axis = 0; axis + 1 < info.shapeDim; ++axis) {
        rows *= info.shape[axis];
    }
    const uint32_t original = info.originalShapeDim == 0 ? 0 : info.originalShape[info.originalShapeDim - 1];
    return {rows, info.shape[info.shapeDim - 1], rows, original};
}

}  // namespace cannery

namespace AscendC {

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename U>
CANNERY_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<U> &sum, const LocalTensor<U> &max,
                            const LocalTensor<T> &src, const LocalTensor<uint8_t> &sharedTmpBuffer,
                            const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
    static_assert(!isDataFormatNZ, "AscendC::SoftMax with isDataFormatNZ is not simulated");
    const SoftMaxShapeInfo found = cannery::softmax_shape(src, tiling, shape);
    cannery::call(cannery::Operation::adv_softmax, dst, sum, max, src, 1, sharedTmpBuffer, found.srcM, found.srcK,
                  found.oriSrcK);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename U>
CANNERY_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<U> &sum, const LocalTensor<U> &max,
                            const LocalTensor<T> &src, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
    static_assert(!isDataFormatNZ, "AscendC::SoftMax with isDataFormatNZ is not simulated");
    const SoftMaxShapeInfo found = cannery::softmax_shape(src, tiling, shape);
    cannery::call(cannery::Operation::adv_softmax, dst, sum, max, src, 0, found.srcM, found.srcK, found.oriSrcK);
}
template <typename T = void> void SoftMax(...)
{
    static_assert(cannery::never<T>, "SoftMax: found other arguments, expected (dst, sum, max, src, SoftMaxTiling, "
                                     "SoftMaxShapeInfo), with a temporary buffer before the tiling or without");
}

template <typename T, bool isBasicBlock = false>
CANNERY_INLINE void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,
                            const LocalTensor<uint8_t> &sharedTmpBuffer, const T epsilon, const RmsNormTiling &tiling)
{
    cannery::call(cannery::Operation::adv_rmsnorm, dst, src, gamma, 1, sharedTmpBuffer,
                  tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength, tiling.reciprocalOfHLength,
                  epsilon);
}
template <typename T, bool isBasicBlock = false>
CANNERY_INLINE void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,
                            const T epsilon, const RmsNormTiling &tiling)
{
    cannery::call(cannery::Operation::adv_rmsnorm, dst, src, gamma, 0, tiling.bLength * tiling.sLength, tiling.hLength,
                  tiling.originalHLength, tiling.reciprocalOfHLength, epsilon);
}

template <typename T, bool isReuseSource = false>
CANNERY_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src,
                                const LocalTensor<uint8_t> &sharedTmpBuffer, const float scale, const float offset,
                                const uint32_t count)
{
    cannery::call(cannery::Operation::adv_quant, isReuseSource, dst, src, scale, offset, 1, sharedTmpBuffer, 1, count);
}
template <typename T, bool isReuseSource = false>
CANNERY_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src,
                                const LocalTensor<uint8_t> &sharedTmpBuffer, const float scale, const float offset)
{
    cannery::call(cannery::Operation::adv_quant, isReuseSource, dst, src, scale, offset, 1, sharedTmpBuffer, 0);
}
template <typename T, bool isReuseSource = false>
CANNERY_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const float scale,
                                const float offset, const uint32_t count)
{
    cannery::call(cannery::Operation::adv_quant, isReuseSource, dst, src, scale, offset, 0, 1, count);
}
template <typename T, bool isReuseSource = false>
CANNERY_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const float scale,
                                const float offset)
{
    cannery::call(cannery::Operation::adv_quant, isReuseSource, dst, src, scale, offset, 0, 0);
}

}  // namespace AscendC

#endif
