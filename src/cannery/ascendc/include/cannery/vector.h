// Vector instructions that are more than lane by lane: conversions, comparisons, selection, reductions.
#ifndef CANNERY_VECTOR_H
#define CANNERY_VECTOR_H

#include "cannery/lanewise.h"

namespace AscendC {

template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode,
                         const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &params)
{
    cannery::call(cannery::Operation::cast, cannery::Form::WORDS, dst, src, mode, cannery::Mask{mask}, repeatTime,
                  isSetMask, params);
}
template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode,
                         const uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &params)
{
    cannery::call(cannery::Operation::cast, cannery::Form::LANES, dst, src, mode, mask, repeatTime, isSetMask, params);
}
template <typename T, typename U>
CANNERY_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode,
                         const uint32_t count)
{
    cannery::call(cannery::Operation::cast, cannery::Form::COUNT, dst, src, mode, count);
}
template <typename T = void> void Cast(...)
{
    static_assert(cannery::never<T>, "Cast: found other arguments, expected (dst, src, RoundMode, count) or "
                                     "(dst, src, RoundMode, mask, repeatTime, UnaryRepeatParams)");
}

template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
CANNERY_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
    cannery::call(cannery::Operation::cast_deq, cannery::Form::COUNT, dst, src, isVecDeq, halfBlock, count);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
CANNERY_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask,
                                const uint8_t repeatTime, const UnaryRepeatParams &params)
{
    cannery::call(cannery::Operation::cast_deq, cannery::Form::LANES, dst, src, isVecDeq, halfBlock, mask, repeatTime,
                  isSetMask, params);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
CANNERY_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                                const uint8_t repeatTime, const UnaryRepeatParams &params)
{
    cannery::call(cannery::Operation::cast_deq, cannery::Form::WORDS, dst, src, isVecDeq, halfBlock,
                  cannery::Mask{mask}, repeatTime, isSetMask, params);
}

CANNERY_INLINE void SetDeqScale(float scale, int16_t offset, bool signMode)
{
    cannery::call(cannery::Operation::set_deq_scaling, scale, offset, signMode);
}
CANNERY_INLINE void SetDeqScale(half scale) { cannery::call(cannery::Operation::set_deq_scale, scale); }

template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                            CMPMODE mode, const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams &params)
{
    cannery::call(cannery::Operation::compare, cannery::Form::WORDS, dst, src0, src1, mode, cannery::Mask{mask},
                  repeatTime, isSetMask, params);
}
template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                            CMPMODE mode, const uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams &params)
{
    cannery::call(cannery::Operation::compare, cannery::Form::LANES, dst, src0, src1, mode, mask, repeatTime, isSetMask,
                  params);
}
template <typename T, typename U>
CANNERY_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                            CMPMODE mode, uint32_t count)
{
    cannery::call(cannery::Operation::compare, cannery::Form::COUNT, dst, src0, src1, mode, count);
}
template <typename T, bool isSetMask = true>
CANNERY_INLINE void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, const uint64_t mask,
                            const BinaryRepeatParams &params)
{
    cannery::call(cannery::Operation::compare_register, src0, src1, mode, params);
}
template <typename T, bool isSetMask = true>
CANNERY_INLINE void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
                            const uint64_t mask[], const BinaryRepeatParams &params)
{
    cannery::call(cannery::Operation::compare_register, src0, src1, mode, params);
}

template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src, const T scalar, CMPMODE mode,
                             const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams &params)
{
    cannery::call(cannery::Operation::compare_scalar, cannery::Form::WORDS, dst, src, scalar, mode, cannery::Mask{mask},
                  repeatTime, isSetMask, params);
}
template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src, const T scalar, CMPMODE mode,
                             const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams &params)
{
    cannery::call(cannery::Operation::compare_scalar, cannery::Form::LANES, dst, src, scalar, mode, mask, repeatTime,
                  isSetMask, params);
}
template <typename T, typename U>
CANNERY_INLINE void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src, const T scalar, CMPMODE mode,
                             uint32_t count)
{
    cannery::call(cannery::Operation::compare_scalar, cannery::Form::COUNT, dst, src, scalar, mode, count);
}
template <typename T, typename U>
CANNERY_INLINE void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src, const T scalar, CMPMODE mode,
                                  uint32_t count)
{
    Compares(dst, src, scalar, mode, count);
}
template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src, const T scalar, CMPMODE mode,
                                  const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams &params)
{
    Compares<T, U, isSetMask>(dst, src, scalar, mode, mask, repeatTime, params);
}
template <typename T> CANNERY_INLINE void GetCmpMask(const LocalTensor<T> &dst)
{
    cannery::call(cannery::Operation::get_cmp_mask, dst);
}
template <typename T> CANNERY_INLINE void SetCmpMask(const LocalTensor<T> &src)
{
    cannery::call(cannery::Operation::set_cmp_mask, src);
}

template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                           const LocalTensor<T> &src1, SELMODE mode, uint64_t mask[], uint8_t repeatTime,
                           const BinaryRepeatParams &params)
{
    cannery::call(cannery::Operation::select, cannery::Form::WORDS, dst, selMask, src0, src1, mode, cannery::Mask{mask},
                  repeatTime, isSetMask, params);
}
template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                           const LocalTensor<T> &src1, SELMODE mode, uint64_t mask, uint8_t repeatTime,
                           const BinaryRepeatParams &params)
{
    cannery::call(cannery::Operation::select, cannery::Form::LANES, dst, selMask, src0, src1, mode, mask, repeatTime,
                  isSetMask, params);
}
template <typename T, typename U>
CANNERY_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                           const LocalTensor<T> &src1, SELMODE mode, uint32_t count)
{
    cannery::call(cannery::Operation::select, cannery::Form::COUNT, dst, selMask, src0, src1, mode, count);
}
template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                           T scalar, SELMODE mode, uint64_t mask[], uint8_t repeatTime,
                           const BinaryRepeatParams &params)
{
    cannery::call(cannery::Operation::select_scalar, cannery::Form::WORDS, dst, selMask, src0, scalar, mode,
                  cannery::Mask{mask}, repeatTime, isSetMask, params);
}
template <typename T, typename U, bool isSetMask = true>
CANNERY_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                           T scalar, SELMODE mode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams &params)
{
    cannery::call(cannery::Operation::select_scalar, cannery::Form::LANES, dst, selMask, src0, scalar, mode, mask,
                  repeatTime, isSetMask, params);
}
template <typename T, typename U>
CANNERY_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                           T scalar, SELMODE mode, uint32_t count)
{
    cannery::call(cannery::Operation::select_scalar, cannery::Form::COUNT, dst, selMask, src0, scalar, mode, count);
}

// Reductions of repeats: mask before repeats, or, for those of blocks and pairs, behind them.
#define CANNERY_REDUCE_REPEAT(name, operation)                                                                      \
    template <typename T, bool isSetMask = true>                                                                    \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],           \
                             const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,      \
                             const int32_t srcRepStride)                                                            \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::WORDS, dst, src, cannery::Mask{mask},           \
                      repeatTime, isSetMask, srcBlkStride, srcRepStride, dstRepStride);                             \
    }                                                                                                               \
    template <typename T, bool isSetMask = true>                                                                    \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask,              \
                             const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,      \
                             const int32_t srcRepStride)                                                            \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::LANES, dst, src, mask, repeatTime, isSetMask,   \
                      srcBlkStride, srcRepStride, dstRepStride);                                                    \
    }
CANNERY_REDUCE_REPEAT(WholeReduceSum, whole_reduce_sum)
#undef CANNERY_REDUCE_REPEAT

#define CANNERY_BEST_OF_REPEAT(name, operation)                                                                     \
    template <typename T, bool isSetMask = true>                                                                    \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],           \
                             const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,      \
                             const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)        \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::WORDS, dst, src, cannery::Mask{mask},           \
                      repeatTime, isSetMask, srcBlkStride, srcRepStride, dstRepStride, order);                      \
    }                                                                                                               \
    template <typename T, bool isSetMask = true>                                                                    \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask,              \
                             const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,      \
                             const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)        \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::LANES, dst, src, mask, repeatTime, isSetMask,   \
                      srcBlkStride, srcRepStride, dstRepStride, order);                                             \
    }
CANNERY_BEST_OF_REPEAT(WholeReduceMax, whole_reduce_max)
CANNERY_BEST_OF_REPEAT(WholeReduceMin, whole_reduce_min)
#undef CANNERY_BEST_OF_REPEAT

#define CANNERY_REDUCE_BLOCK(name, operation)                                                                       \
    template <typename T, bool isSetMask = true>                                                                    \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,        \
                             const uint64_t mask[], const int32_t dstRepStride, const int32_t srcBlkStride,         \
                             const int32_t srcRepStride)                                                            \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::WORDS, dst, src, cannery::Mask{mask},           \
                      repeatTime, isSetMask, srcBlkStride, srcRepStride, dstRepStride);                             \
    }                                                                                                               \
    template <typename T, bool isSetMask = true>                                                                    \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,        \
                             const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride,            \
                             const int32_t srcRepStride)                                                            \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::LANES, dst, src, mask, repeatTime, isSetMask,   \
                      srcBlkStride, srcRepStride, dstRepStride);                                                    \
    }
CANNERY_REDUCE_BLOCK(BlockReduceSum, block_reduce_sum)
CANNERY_REDUCE_BLOCK(BlockReduceMax, block_reduce_max)
CANNERY_REDUCE_BLOCK(BlockReduceMin, block_reduce_min)
CANNERY_REDUCE_BLOCK(PairReduceSum, pair_reduce_sum)
#undef CANNERY_REDUCE_BLOCK

template <typename T, bool isSetMask = true>
CANNERY_INLINE void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                    const int32_t mask, const int32_t dstBlkStride, const int32_t srcBlkStride,
                                    const int32_t dstRepStride, const int32_t srcRepStride)
{
    cannery::call(cannery::Operation::repeat_reduce_sum, cannery::Form::LANES, dst, src, mask, repeatTime, isSetMask,
                  srcBlkStride, srcRepStride, dstRepStride);
}

template <typename T, bool isSetMask = true>
CANNERY_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scratch,
                              const int32_t count)
{
    cannery::call(cannery::Operation::reduce_sum, cannery::Form::COUNT, dst, src, scratch, count);
}
template <typename T>
CANNERY_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scratch,
                              const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride)
{
    cannery::call(cannery::Operation::reduce_sum, cannery::Form::LANES, dst, src, scratch, mask, repeatTime, true, 1,
                  srcRepStride);
}
template <typename T>
CANNERY_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scratch,
                              const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride)
{
    cannery::call(cannery::Operation::reduce_sum, cannery::Form::WORDS, dst, src, scratch, cannery::Mask{mask},
                  repeatTime, true, 1, srcRepStride);
}

#define CANNERY_BEST_OF_TENSOR(name, operation)                                                                     \
    template <typename T>                                                                                           \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scratch,   \
                             const int32_t count, bool calIndex = false)                                            \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::COUNT, dst, src, scratch, calIndex, count);     \
    }                                                                                                               \
    template <typename T>                                                                                           \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scratch,   \
                             const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride,              \
                             bool calIndex = false)                                                                 \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::LANES, dst, src, scratch, calIndex, mask,       \
                      repeatTime, true, 1, srcRepStride);                                                           \
    }                                                                                                               \
    template <typename T>                                                                                           \
    CANNERY_INLINE void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scratch,   \
                             const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride,           \
                             bool calIndex = false)                                                                 \
    {                                                                                                               \
        cannery::call(cannery::Operation::operation, cannery::Form::WORDS, dst, src, scratch, calIndex,             \
                      cannery::Mask{mask}, repeatTime, true, 1, srcRepStride);                                      \
    }
CANNERY_BEST_OF_TENSOR(ReduceMax, reduce_max)
CANNERY_BEST_OF_TENSOR(ReduceMin, reduce_min)
#undef CANNERY_BEST_OF_TENSOR

// The newer names of reductions: what is reduced is the first template argument, and the mask always comes first.
enum class ReduceType : int8_t { NONE = -1, SUM = 0, MAX = 1, MIN = 2 };

template <ReduceType type, typename T, typename U = T, bool isSetMask = true, typename Mask>
CANNERY_INLINE void ReduceRepeat(const LocalTensor<U> &dst, const LocalTensor<T> &src, Mask mask,
                                 const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                 const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    static_assert(std::is_same_v<T, U>, "AscendC::ReduceRepeat into another element type is not simulated");
    if constexpr (type == ReduceType::SUM) {
        WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    } else if constexpr (type == ReduceType::MAX) {
        WholeReduceMax<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
    } else {
        WholeReduceMin<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
    }
}

template <ReduceType type, typename T, typename U = T, bool isSetMask = true, typename Mask>
CANNERY_INLINE void ReduceDataBlock(const LocalTensor<U> &dst, const LocalTensor<T> &src, Mask mask,
                                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                    const int32_t srcRepStride)
{
    static_assert(std::is_same_v<T, U>, "AscendC::ReduceDataBlock into another element type is not simulated");
    if constexpr (type == ReduceType::SUM) {
        BlockReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    } else if constexpr (type == ReduceType::MAX) {
        BlockReduceMax<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    } else {
        BlockReduceMin<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    }
}

template <ReduceType type, typename T, typename U = T, bool isSetMask = true, typename Mask>
CANNERY_INLINE void ReducePairElem(const LocalTensor<U> &dst, const LocalTensor<T> &src, Mask mask,
                                   const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                   const int32_t srcRepStride)
{
    static_assert(type == ReduceType::SUM, "ReducePairElem: found another ReduceType, expected SUM");
    static_assert(std::is_same_v<T, U>, "AscendC::ReducePairElem into another element type is not simulated");
    PairReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
}

}  // namespace AscendC

#endif
