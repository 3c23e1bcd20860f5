// Gathered blocks, packed elements, transposed blocks, numbered lanes, sorting.
#ifndef CANNERY_REARRANGE_H
#define CANNERY_REARRANGE_H

#include "cannery/copies.h"

namespace AscendC {

struct GatherMaskParams {
    GatherMaskParams() = default;
    GatherMaskParams(uint8_t blockStride, uint16_t repeat, uint16_t repeatStride, uint8_t patternStride)
        : src0BlockStride(blockStride), repeatTimes(repeat), src0RepeatStride(repeatStride),
          src1RepeatStride(patternStride)
    {
    }
    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = 8;
    uint8_t src1RepeatStride = 8;
};
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };

struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(bool dstHigh, bool srcHigh, uint8_t repeat, uint16_t dstStride, uint16_t srcStride)
        : dstHighHalf(dstHigh), srcHighHalf(srcHigh), repeatTimes(repeat), dstRepStride(dstStride),
          srcRepStride(srcStride)
    {
    }
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW
};
struct TransposeParamsExt {
    TransposeParamsExt() = default;
    TransposeParamsExt(uint16_t n, uint16_t c, uint16_t h, uint16_t w, TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type)
    {
    }
    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

struct MrgSort4Info {
    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t lengths[4], bool suspend, uint16_t valid, uint16_t repeat)
        : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(repeat)
    {
        std::memcpy(elementLengths, lengths, sizeof elementLengths);
    }
    uint16_t elementLengths[4] = {0, 0, 0, 0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};
template <typename T> struct MrgSortSrcList {
    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T> &one, const LocalTensor<T> &two, const LocalTensor<T> &three,
                   const LocalTensor<T> &four)
        : src1(one), src2(two), src3(three), src4(four)
    {
    }
    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

template <typename T>
CANNERY_INLINE void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                            const uint8_t repeatTime, const GatherRepeatParams &params)
{
    cannery::call(cannery::Operation::gatherb, dst, src, offset, repeatTime, params);
}

template <typename T>
CANNERY_INLINE void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                            const uint32_t base, const uint32_t count)
{
    cannery::call(cannery::Operation::scatter, cannery::Form::COUNT, dst, src, offset, base, count);
}
template <typename T>
CANNERY_INLINE void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                            const uint32_t base, const uint64_t mask, const uint8_t repeatTime,
                            const uint8_t srcRepStride)
{
    cannery::call(cannery::Operation::scatter, cannery::Form::LANES, dst, src, offset, base, mask, repeatTime, true, 1,
                  srcRepStride);
}
template <typename T>
CANNERY_INLINE void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                            const uint32_t base, const uint64_t mask[], const uint8_t repeatTime,
                            const uint8_t srcRepStride)
{
    cannery::call(cannery::Operation::scatter, cannery::Form::WORDS, dst, src, offset, base, cannery::Mask{mask},
                  repeatTime, true, 1, srcRepStride);
}

template <typename T, typename U, GatherMaskMode mode = GatherMaskMode::VERSION_V1>
CANNERY_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<U> &pattern,
                               const bool reduceMode, const uint32_t mask, const GatherMaskParams &params,
                               uint64_t &rsvdCnt)
{
    rsvdCnt = static_cast<uint64_t>(cannery::call(cannery::Operation::gather_mask, dst, src, 1, pattern, reduceMode,
                                                  mask, params.src0BlockStride, params.repeatTimes,
                                                  params.src0RepeatStride, params.src1RepeatStride));
}
template <typename T, GatherMaskMode mode = GatherMaskMode::VERSION_V1>
CANNERY_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t pattern,
                               const bool reduceMode, const uint32_t mask, const GatherMaskParams &params,
                               uint64_t &rsvdCnt)
{
    rsvdCnt = static_cast<uint64_t>(cannery::call(cannery::Operation::gather_mask, dst, src, 0, pattern, reduceMode,
                                                  mask, params.src0BlockStride, params.repeatTimes,
                                                  params.src0RepeatStride, params.src1RepeatStride));
}

}  // namespace AscendC

namespace cannery {

constexpr int LIST = AscendC::NCHW_CONV_ADDR_LIST_SIZE;

CANNERY_INLINE void put(int64_t *&at, const AscendC::TransDataTo5HDParams &params)
{
    *at++ = params.dstHighHalf;
    *at++ = params.srcHighHalf;
    *at++ = params.repeatTimes;
    *at++ = params.dstRepStride;
    *at++ = params.srcRepStride;
}

template <class Entries>
CANNERY_INLINE void five_dims(const Entries &dst, const Entries &src, int64_t code,
                              const AscendC::TransDataTo5HDParams &params)
{
    int64_t words[TENSOR_WORDS * 2 * LIST + OTHER_WORDS];
    int64_t *at = words;
    put(at, code >= 0);
    put(at, params);
    if (code >= 0) {
        put(at, code);
    }
    for (int entry = 0; entry < LIST; ++entry) {
        put(at, dst[entry]);
    }
    for (int entry = 0; entry < LIST; ++entry) {
        put(at, src[entry]);
    }
    cannery_call(int32_t(Operation::trans_data_to_5hd), words, int32_t(at - words));
}

}  // namespace cannery

namespace AscendC {

template <typename T>
CANNERY_INLINE void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16],
                                   const TransDataTo5HDParams &params)
{
    cannery::five_dims(dst, src, -1, params);
}
template <typename T>
CANNERY_INLINE void TransDataTo5HD(uint64_t dst[16], uint64_t src[16], const TransDataTo5HDParams &params)
{
    cannery::five_dims(dst, src, cannery::CodeOf<T>::value, params);
}
template <typename T>
CANNERY_INLINE void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                                   const TransDataTo5HDParams &params)
{
    uint64_t there[16];
    uint64_t origin[16];
    for (int entry = 0; entry < 16; ++entry) {
        there[entry] = dst.GetValue(entry);
        origin[entry] = src.GetValue(entry);
    }
    TransDataTo5HD<T>(there, origin, params);
}

template <typename T>
CANNERY_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const TransposeParamsExt &params)
{
    cannery::call(cannery::Operation::transpose_images, dst, src, sharedTmpBuffer, params.nSize, params.cSize,
                  params.hSize, params.wSize, params.transposeType);
}

template <typename T>
CANNERY_INLINE void CreateVecIndex(const LocalTensor<T> &dst, const T &first, uint32_t count)
{
    cannery::call(cannery::Operation::create_vec_index, cannery::Form::COUNT, dst, first, count);
}
template <typename T>
CANNERY_INLINE void CreateVecIndex(const LocalTensor<T> &dst, const T &first, uint64_t mask, uint8_t repeatTime,
                                   uint16_t dstBlkStride, uint8_t dstRepStride)
{
    cannery::call(cannery::Operation::create_vec_index, cannery::Form::LANES, dst, first, mask, repeatTime, true,
                  dstBlkStride, dstRepStride);
}
template <typename T>
CANNERY_INLINE void CreateVecIndex(const LocalTensor<T> &dst, const T &first, uint64_t mask[], uint8_t repeatTime,
                                   uint16_t dstBlkStride, uint8_t dstRepStride)
{
    cannery::call(cannery::Operation::create_vec_index, cannery::Form::WORDS, dst, first, cannery::Mask{mask},
                  repeatTime, true, dstBlkStride, dstRepStride);
}
template <typename T>
CANNERY_INLINE void Arange(const LocalTensor<T> &dst, const T first, const T difference, const int32_t count)
{
    cannery::call(cannery::Operation::arange, dst, first, difference, count);
}
template <typename T>
CANNERY_INLINE void ArithProgression(const LocalTensor<T> &dst, const T first, const T difference, const int32_t count)
{
    Arange(dst, first, difference, count);
}

template <typename T>
CANNERY_INLINE void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
                           const int32_t repeatTime)
{
    cannery::call(cannery::Operation::sort32, dst, src0, src1, repeatTime);
}
template <typename T, bool isFullSort>
CANNERY_INLINE void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
                         LocalTensor<T> &tmp, const int32_t repeatTime)
{
    cannery::call(cannery::Operation::sort, dst, concat, index, tmp, repeatTime, isFullSort);
}
template <typename T>
CANNERY_INLINE void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &,
                           const int32_t)
{
    concat = src;  // on these chips nothing is copied
}
template <typename T>
CANNERY_INLINE void Extract(const LocalTensor<T> &value, const LocalTensor<uint32_t> &index,
                            const LocalTensor<T> &sorted, const int32_t repeatTime)
{
    cannery::call(cannery::Operation::extract, value, index, sorted, repeatTime);
}
template <typename T> CANNERY_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list,
                                                  const MrgSort4Info &params)
{
    const uint16_t *lengths = params.elementLengths;
    cannery::call(cannery::Operation::mrg_sort, dst, list.src1, list.src2, list.src3, list.src4, lengths[0], lengths[1],
                  lengths[2], lengths[3], params.ifExhaustedSuspension, params.validBit, params.repeatTimes);
}
template <typename T, bool isExhaustedSuspension = false>
CANNERY_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list, const uint16_t counts[4],
                            uint32_t sorted[4], uint16_t validBit, const int32_t repeatTime)
{
    int64_t words[cannery::TENSOR_WORDS * 5 + cannery::OTHER_WORDS];
    int64_t *at = words;
    cannery::put(at, dst);
    cannery::put(at, list.src1);
    cannery::put(at, list.src2);
    cannery::put(at, list.src3);
    cannery::put(at, list.src4);
    for (int queue = 0; queue < 4; ++queue) {
        cannery::put(at, counts[queue]);
    }
    cannery::put(at, isExhaustedSuspension);
    cannery::put(at, validBit);
    cannery::put(at, repeatTime);
    cannery_call(int32_t(cannery::Operation::mrg_sort), words, int32_t(at - words));
    for (int queue = 0; isExhaustedSuspension && queue < 4; ++queue) {
        sorted[queue] = static_cast<uint32_t>(words[queue]);
    }
}
CANNERY_INLINE void GetMrgSortResult(uint16_t &one, uint16_t &two, uint16_t &three, uint16_t &four)
{
    int64_t words[4] = {};
    cannery_call(int32_t(cannery::Operation::get_mrg_sort_result), words, 0);
    one = static_cast<uint16_t>(words[0]);
    two = static_cast<uint16_t>(words[1]);
    three = static_cast<uint16_t>(words[2]);
    four = static_cast<uint16_t>(words[3]);
}
template <typename T> CANNERY_INLINE uint32_t GetSortLen(const uint32_t count) { return count * 8 / sizeof(T); }
template <typename T> CANNERY_INLINE uint32_t GetSortOffset(const uint32_t offset) { return offset * 8 / sizeof(T); }

}  // namespace AscendC

#endif
