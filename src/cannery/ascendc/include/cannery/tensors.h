// Tensors: values that name memory; copies alias it (hicann/asc-devkit include/basic_api/kernel_tensor.h @82b89a15f).
#ifndef CANNERY_TENSORS_H
#define CANNERY_TENSORS_H

#include "cannery/params.h"

namespace AscendC {
template <typename T> class LocalTensor;
template <typename T> class GlobalTensor;

using TBufHandle = uint32_t;

struct TBuffAddr {
    uint8_t logicPos = uint8_t(TPosition::MAX);
    TBufHandle bufferHandle = 0;  // who owns the bytes; 0: nobody, an address of the program's own choice
    uint32_t dataLen = 0;
    uint32_t bufferAddr = 0;
};
}  // namespace AscendC

namespace cannery {

constexpr int64_t LOCAL = 1;
constexpr int64_t GLOBAL = 2;
constexpr int TENSOR_WORDS = 6;
constexpr int OTHER_WORDS = 32;

CANNERY_INLINE int64_t number_word(double value)
{
    return __builtin_bit_cast(int64_t, value);
}

template <class T> CANNERY_INLINE int64_t scalar_word(T value)
{
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
        return static_cast<int64_t>(value);
    } else {
        return number_word(static_cast<double>(static_cast<float>(value)));
    }
}

template <> CANNERY_INLINE int64_t scalar_word<double>(double value)
{
    return number_word(value);
}

template <class T> CANNERY_INLINE void put(int64_t *&at, const T &value)
{
    *at++ = scalar_word(value);
}

template <class T> CANNERY_INLINE void put(int64_t *&at, T *value)
{
    *at++ = static_cast<int64_t>(reinterpret_cast<uintptr_t>(value));
}

template <class T> CANNERY_INLINE void put(int64_t *&at, const AscendC::LocalTensor<T> &tensor)
{
    *at++ = LOCAL;
    *at++ = tensor.address_.bufferHandle;
    *at++ = tensor.address_.bufferAddr;
    *at++ = CodeOf<T>::value;
    *at++ = tensor.address_.dataLen;
    *at++ = tensor.address_.logicPos;
}

template <class T> CANNERY_INLINE void put(int64_t *&at, const AscendC::GlobalTensor<T> &tensor)
{
    *at++ = GLOBAL;
    *at++ = static_cast<int64_t>(reinterpret_cast<uintptr_t>(tensor.oriAddress_));
    *at++ = static_cast<int64_t>(reinterpret_cast<uintptr_t>(tensor.address_));
    *at++ = CodeOf<T>::value;
    *at++ = static_cast<int64_t>(tensor.bufferSize_);
    *at++ = 0;
}

// A mask of lanes, the low word first.
struct Mask {
    const uint64_t *words;
};

CANNERY_INLINE void put(int64_t *&at, const Mask &mask)
{
    *at++ = static_cast<int64_t>(mask.words[0]);
    *at++ = static_cast<int64_t>(mask.words[1]);
}

CANNERY_INLINE void put(int64_t *&at, const AscendC::BinaryRepeatParams &params)
{
    *at++ = params.dstBlkStride;
    *at++ = params.dstRepStride;
    *at++ = params.src0BlkStride;
    *at++ = params.src0RepStride;
    *at++ = params.src1BlkStride;
    *at++ = params.src1RepStride;
}

CANNERY_INLINE void put(int64_t *&at, const AscendC::UnaryRepeatParams &params)
{
    *at++ = params.dstBlkStride;
    *at++ = params.dstRepStride;
    *at++ = params.srcBlkStride;
    *at++ = params.srcRepStride;
}

CANNERY_INLINE void put(int64_t *&at, const AscendC::CopyRepeatParams &params)
{
    *at++ = params.dstStride;
    *at++ = params.dstRepeatSize;
    *at++ = params.srcStride;
    *at++ = params.srcRepeatSize;
}

CANNERY_INLINE void put(int64_t *&at, const AscendC::BrcbRepeatParams &params)
{
    *at++ = params.dstBlkStride;
    *at++ = params.dstRepStride;
}

// How a call addresses its operands.
enum class Form : int64_t { COUNT = 0, LANES = 1, WORDS = 2 };

// The one way to the core: an operation, and its arguments as words.
template <class... Arguments> CANNERY_INLINE int64_t call(Operation operation, const Arguments &...arguments)
{
    int64_t words[sizeof...(Arguments) * TENSOR_WORDS + OTHER_WORDS];
    int64_t *at = words;
    (put(at, arguments), ...);
    return cannery_call(static_cast<int32_t>(operation), words, static_cast<int32_t>(at - words));
}

template <class T> CANNERY_INLINE T value_of(int64_t word)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(word);
    } else {
        return static_cast<T>(__builtin_bit_cast(double, word));
    }
}

// An element that is read and written by the scalar unit.
template <class Tensor> class Element {
public:
    using T = typename Tensor::PrimType;
    CANNERY_INLINE Element(const Tensor &tensor, uint64_t index) : tensor_(tensor), index_(index) {}
    CANNERY_INLINE operator T() const { return tensor_.GetValue(index_); }
    CANNERY_INLINE Element &operator=(T value)
    {
        tensor_.SetValue(index_, value);
        return *this;
    }
    CANNERY_INLINE Element &operator=(const Element &other) { return *this = static_cast<T>(other); }
    CANNERY_INLINE Element &operator+=(T value) { return *this = static_cast<T>(static_cast<T>(*this) + value); }
    CANNERY_INLINE Element &operator-=(T value) { return *this = static_cast<T>(static_cast<T>(*this) - value); }
    CANNERY_INLINE Element &operator*=(T value) { return *this = static_cast<T>(static_cast<T>(*this) * value); }

private:
    Tensor tensor_;
    uint64_t index_;
};

}  // namespace cannery

namespace AscendC {

template <typename T> using PrimT = T;

template <typename T> class LocalTensor {
public:
    using PrimType = T;
    LocalTensor() = default;
    CANNERY_INLINE LocalTensor(TPosition position, uint32_t address, uint32_t elements)
    {
        address_.logicPos = static_cast<uint8_t>(position);
        address_.dataLen = elements * sizeof(T);
        address_.bufferAddr = address;
        address_.bufferHandle = static_cast<TBufHandle>(
            cannery::call(cannery::Operation::static_tensor, position, address, address_.dataLen));
    }
    CANNERY_INLINE LocalTensor operator[](uint32_t offset) const
    {
        LocalTensor moved = *this;
        moved.address_.bufferAddr += offset * static_cast<uint32_t>(sizeof(T));
        const uint32_t bytes = offset * static_cast<uint32_t>(sizeof(T));
        moved.address_.dataLen = address_.dataLen > bytes ? address_.dataLen - bytes : 0;
        return moved;
    }
    CANNERY_INLINE T GetValue(uint32_t index) const
    {
        return cannery::value_of<T>(cannery::call(cannery::Operation::get_value, *this, index));
    }
    template <typename S> CANNERY_INLINE void SetValue(uint32_t index, S value) const
    {
        cannery::call(cannery::Operation::set_value, *this, index, static_cast<T>(value));
    }
    CANNERY_INLINE cannery::Element<LocalTensor> operator()(uint32_t index) const { return {*this, index}; }
    template <typename U> CANNERY_INLINE LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> other;
        other.address_ = address_;
        return other;
    }
    uint64_t GetPhyAddr() const { return address_.bufferAddr; }
    uint64_t GetPhyAddr(uint32_t offset) const { return address_.bufferAddr + offset * sizeof(T); }
    uint32_t GetSize() const { return address_.dataLen / sizeof(T); }
    uint32_t GetLength() const { return address_.dataLen; }
    int32_t GetPosition() const { return address_.logicPos; }
    void SetSize(uint32_t elements) { address_.dataLen = elements * sizeof(T); }
    void SetBufferLen(uint32_t bytes) { address_.dataLen = bytes; }
    void SetUserTag(int32_t tag) { tag_ = tag; }
    int32_t GetUserTag() const { return tag_; }
    void SetShapeInfo(const ShapeInfo &shape) { shapeInfo_ = shape; }
    ShapeInfo GetShapeInfo() const { return shapeInfo_; }
    template <typename U> void SetAddrWithOffset(LocalTensor<U> &source, uint32_t offset)
    {
        address_ = source.address_;
        address_.bufferAddr += offset * sizeof(U);
    }

    TBuffAddr address_;

private:
    int32_t tag_ = 0;
    ShapeInfo shapeInfo_;
};

template <typename T> class GlobalTensor {
public:
    using PrimType = T;
    GlobalTensor() = default;
    void SetGlobalBuffer(__gm__ T *buffer, uint64_t elements)
    {
        SetGlobalBuffer(buffer);
        bufferSize_ = elements;
    }
    void SetGlobalBuffer(__gm__ T *buffer)
    {
        address_ = oriAddress_ = buffer;
        bufferSize_ = 0;
    }
    CANNERY_INLINE GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor moved = *this;
        moved.address_ += offset;
        return moved;
    }
    CANNERY_INLINE T GetValue(uint64_t index) const
    {
        return cannery::value_of<T>(cannery::call(cannery::Operation::get_value, *this, index));
    }
    CANNERY_INLINE void SetValue(uint64_t index, T value) const
    {
        cannery::call(cannery::Operation::set_value, *this, index, value);
    }
    CANNERY_INLINE cannery::Element<GlobalTensor> operator()(uint64_t index) const { return {*this, index}; }
    __gm__ T *GetPhyAddr() const { return address_; }
    __gm__ T *GetPhyAddr(uint64_t offset) const { return address_ + offset; }
    uint64_t GetSize() const { return bufferSize_; }
    void SetShapeInfo(const ShapeInfo &shape) { shapeInfo_ = shape; }
    ShapeInfo GetShapeInfo() const { return shapeInfo_; }
    template <CacheRwMode rwMode = CacheRwMode::RW> void SetL2CacheHint(CacheMode mode)
    {
        cacheMode_ = mode;
    }
    template <typename U> GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> other;
        other.address_ = reinterpret_cast<U *>(address_);
        other.oriAddress_ = reinterpret_cast<U *>(oriAddress_);
        other.bufferSize_ = bufferSize_ * sizeof(T) / sizeof(U);
        return other;
    }

    uint64_t bufferSize_ = 0;
    ShapeInfo shapeInfo_;
    CacheMode cacheMode_ = CacheMode::CACHE_MODE_NORMAL;
    __gm__ T *address_ = nullptr;
    __gm__ T *oriAddress_ = nullptr;
};

}  // namespace AscendC

#endif
