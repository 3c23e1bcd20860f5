// DataCopy, DataCopyPad and the vector instructions that move elements.
#ifndef CANNERY_COPIES_H
#define CANNERY_COPIES_H

#include "cannery/queues.h"

namespace cannery {

enum class CopyForm : int64_t { COUNT = 0, BLOCKS = 1, ND_TO_NZ = 2, NZ_TO_ND = 3, SLICES = 4 };

template <class To, class From> CANNERY_INLINE void copy(const To &dst, const From &src, uint32_t count)
{
    call(Operation::data_copy, CopyForm::COUNT, dst, src, count);
}

template <class To, class From>
CANNERY_INLINE void copy(const To &dst, const From &src, const AscendC::DataCopyParams &params)
{
    call(Operation::data_copy, CopyForm::BLOCKS, dst, src, params.blockCount, params.blockLen, params.srcStride,
         params.dstStride);
}

template <class To, class From>
CANNERY_INLINE void copy(const To &dst, const From &src, const AscendC::Nd2NzParams &params)
{
    call(Operation::data_copy, CopyForm::ND_TO_NZ, dst, src, params.ndNum, params.nValue, params.dValue,
         params.srcNdMatrixStride, params.srcDValue, params.dstNzC0Stride, params.dstNzNStride,
         params.dstNzMatrixStride);
}

template <class To, class From>
CANNERY_INLINE void copy(const To &dst, const From &src, const AscendC::Nz2NdParamsFull &params)
{
    call(Operation::data_copy, CopyForm::NZ_TO_ND, dst, src, params.ndNum, params.nValue, params.dValue,
         params.srcNdMatrixStride, params.srcNStride, params.dstDStride, params.dstNdMatrixStride);
}

struct Slices {
    const AscendC::SliceInfo *slices;
    uint32_t dims;
};

CANNERY_INLINE void put(int64_t *&at, const Slices &slices)
{
    for (uint32_t axis = 0; axis < slices.dims && axis < 8; ++axis) {
        const AscendC::SliceInfo &slice = slices.slices[axis];
        *at++ = slice.startIndex;
        *at++ = slice.endIndex;
        *at++ = slice.stride;
        *at++ = slice.burstLen;
        *at++ = slice.shapeValue;
    }
}

template <class To, class From>
CANNERY_INLINE void copy(const To &dst, const From &src, const AscendC::SliceInfo there[],
                         const AscendC::SliceInfo origin[], uint32_t dims)
{
    int64_t words[TENSOR_WORDS * 2 + OTHER_WORDS * 3];
    int64_t *at = words;
    put(at, CopyForm::SLICES);
    put(at, dst);
    put(at, src);
    put(at, dims);
    put(at, Slices{there, dims});
    put(at, Slices{origin, dims});
    cannery_call(int32_t(Operation::data_copy), words, int32_t(at - words));
}

}  // namespace cannery

namespace AscendC {

template <typename T> CANNERY_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count)
{
    cannery::copy(dst, src, count);
}
template <typename T> CANNERY_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
    cannery::copy(dst, src, count);
}
template <typename T> CANNERY_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
    cannery::copy(dst, src, count);
}
template <typename T>
CANNERY_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &repeatParams)
{
    cannery::copy(dst, src, repeatParams);
}
template <typename T>
CANNERY_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &repeatParams)
{
    cannery::copy(dst, src, repeatParams);
}
template <typename T>
CANNERY_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &repeatParams)
{
    cannery::copy(dst, src, repeatParams);
}
template <typename T, typename U, class = std::enable_if_t<!std::is_same_v<T, U>>>
CANNERY_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &repeatParams)
{
    cannery::copy(dst, src.template ReinterpretCast<T>(), repeatParams);
}
template <typename T>
CANNERY_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &params)
{
    cannery::copy(dst, src, params);
}
template <typename T>
CANNERY_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const Nz2NdParamsFull &params)
{
    cannery::copy(dst, src, params);
}
template <typename T>
CANNERY_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dstSlices[],
                             const SliceInfo srcSlices[], const uint32_t dims = 1)
{
    cannery::copy(dst, src, dstSlices, srcSlices, dims);
}
template <typename T>
CANNERY_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dstSlices[],
                             const SliceInfo srcSlices[], const uint32_t dims = 1)
{
    cannery::copy(dst, src, dstSlices, srcSlices, dims);
}
template <typename T = void> void DataCopy(...)
{
    static_assert(cannery::never<T>,
                  "DataCopy: found other arguments, expected (dst, src, count), (dst, src, DataCopyParams), "
                  "(dst, src, Nd2NzParams or Nz2NdParamsFull) or (dst, src, dstSlices, srcSlices, dims), "
                  "with tensors of one element type, at most one of them in global memory");
}

template <typename T>
CANNERY_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
                                const DataCopyPadParams &pad)
{
    cannery::call(cannery::Operation::data_copy_pad, 0, dst, src, params.blockCount, params.blockLen, params.srcStride,
                  params.dstStride, pad.isPad, pad.leftPadding, pad.rightPadding, pad.paddingValue);
}
template <typename T>
CANNERY_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &params,
                                const DataCopyPadExtParams<T> &pad)
{
    cannery::call(cannery::Operation::data_copy_pad, 1, dst, src, params.blockCount, params.blockLen, params.srcStride,
                  params.dstStride, pad.isPad, pad.leftPadding, pad.rightPadding, pad.paddingValue);
}
template <typename T, typename U, class = std::enable_if_t<!std::is_same_v<T, U>>>
CANNERY_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &params,
                                const DataCopyPadExtParams<U> &pad)
{
    static_assert(sizeof(T) == sizeof(U), "DataCopyPad: padParams: found an element of another size, expected dst's");
    T value;
    std::memcpy(&value, &pad.paddingValue, sizeof(T));
    DataCopyPad(dst, src, params, DataCopyPadExtParams<T>(pad.isPad, pad.leftPadding, pad.rightPadding, value));
}
template <typename T>
CANNERY_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params)
{
    cannery::call(cannery::Operation::data_copy_pad, 0, dst, src, params.blockCount, params.blockLen, params.srcStride,
                  params.dstStride, false, 0, 0, 0);
}
template <typename T>
CANNERY_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &params)
{
    cannery::call(cannery::Operation::data_copy_pad, 1, dst, src, params.blockCount, params.blockLen, params.srcStride,
                  params.dstStride, false, 0, 0, 0);
}
template <typename T = void> void DataCopyPad(...)
{
    static_assert(cannery::never<T>,
                  "DataCopyPad: found other arguments, expected (LocalTensor, GlobalTensor, DataCopyExtParams, "
                  "DataCopyPadExtParams) or (GlobalTensor, LocalTensor, DataCopyExtParams)");
}
template <typename T, TPosition position = TPosition::MAX> CANNERY_INLINE void SetPadValue(T value)
{
    cannery::call(cannery::Operation::set_pad_value, cannery::CodeOf<T>::value, value);
}

template <typename T, bool isSetMask = true>
CANNERY_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],
                         const uint8_t repeatTime, const CopyRepeatParams &params)
{
    cannery::call(cannery::Operation::copy, cannery::Form::WORDS, dst, src, cannery::Mask{mask}, repeatTime, isSetMask,
                  params);
}
template <typename T, bool isSetMask = true>
CANNERY_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask,
                         const uint8_t repeatTime, const CopyRepeatParams &params)
{
    cannery::call(cannery::Operation::copy, cannery::Form::LANES, dst, src, mask, repeatTime, isSetMask, params);
}

template <typename T, bool isSetMask = true>
CANNERY_INLINE void Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask[], const uint8_t repeatTime,
                              const uint16_t dstBlockStride, const uint8_t dstRepeatStride)
{
    cannery::call(cannery::Operation::duplicate, cannery::Form::WORDS, dst, value, cannery::Mask{mask}, repeatTime,
                  isSetMask, dstBlockStride, dstRepeatStride);
}
template <typename T, bool isSetMask = true>
CANNERY_INLINE void Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask, const uint8_t repeatTime,
                              const uint16_t dstBlockStride, const uint8_t dstRepeatStride)
{
    cannery::call(cannery::Operation::duplicate, cannery::Form::LANES, dst, value, mask, repeatTime, isSetMask,
                  dstBlockStride, dstRepeatStride);
}
template <typename T> CANNERY_INLINE void Duplicate(const LocalTensor<T> &dst, const T &value, const int32_t &count)
{
    cannery::call(cannery::Operation::duplicate, cannery::Form::COUNT, dst, value, count);
}
template <typename T = void> void Duplicate(...)
{
    static_assert(cannery::never<T>,
                  "Duplicate: found other arguments, expected (dst, value, count) or "
                  "(dst, value, mask, repeatTime, dstBlockStride, dstRepeatStride), with a value of dst's element type");
}

template <typename T>
CANNERY_INLINE void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeatTime,
                         const BrcbRepeatParams &params)
{
    cannery::call(cannery::Operation::brcb, dst, src, repeatTime, params);
}

template <typename T> CANNERY_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src)
{
    cannery::call(cannery::Operation::transpose, dst, src);
}

template <typename T>
CANNERY_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets,
                           const uint32_t base, const uint32_t count)
{
    cannery::call(cannery::Operation::gather, cannery::Form::COUNT, dst, src, offsets, base, count);
}
template <typename T>
CANNERY_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets,
                           const uint32_t base, const uint64_t mask, const uint8_t repeatTime,
                           const uint16_t dstRepStride)
{
    cannery::call(cannery::Operation::gather, cannery::Form::LANES, dst, src, offsets, base, mask, repeatTime, true, 1,
                  dstRepStride);
}
template <typename T>
CANNERY_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets,
                           const uint32_t base, const uint64_t mask[], const uint8_t repeatTime,
                           const uint16_t dstRepStride)
{
    cannery::call(cannery::Operation::gather, cannery::Form::WORDS, dst, src, offsets, base, cannery::Mask{mask},
                  repeatTime, true, 1, dstRepStride);
}

}  // namespace AscendC

#endif
