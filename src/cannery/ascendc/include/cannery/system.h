// Workspaces, tiling data, sizes, global memory past the cache; what has no effect here.
#ifndef CANNERY_SYSTEM_H
#define CANNERY_SYSTEM_H

#include "cannery/copies.h"
#include "cannery/sync.h"

namespace cannery {

inline GM_ADDR &workspace()
{
    static thread_local GM_ADDR address = nullptr;
    return address;
}

template <class T> CANNERY_INLINE AscendC::GlobalTensor<T> at_address(__gm__ T *address)
{
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(address);
    return tensor;
}

}  // namespace cannery

// The library's own workspace. Nothing here uses it; programs ask whether they have one.
CANNERY_INLINE GM_ADDR GetSysWorkSpacePtr()
{
    static uint8_t own[32];
    return cannery::workspace() == nullptr ? own : cannery::workspace();
}

namespace AscendC {

constexpr uint32_t RESERVED_WORKSPACE = 16 * 1024 * 1024;

CANNERY_INLINE GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
CANNERY_INLINE void SetSysWorkspace(GM_ADDR address)
{
    if (cannery::workspace() == nullptr) {
        cannery::workspace() = address;
    }
}
CANNERY_INLINE void SetSysWorkspaceForce(GM_ADDR address) { cannery::workspace() = address; }

template <typename T, TPosition position> CANNERY_INLINE bool PopStackBuffer(LocalTensor<T> &tensor)
{
    int64_t words[3] = {int64_t(position)};
    cannery_call(int32_t(cannery::Operation::pop_stack_buffer), words, 1);
    tensor = cannery::tensor_of<T>(position, words);
    return true;
}

template <typename T> CANNERY_INLINE void WriteGmByPassDCache(__gm__ T *address, T value)
{
    const auto tensor = cannery::at_address(address);
    tensor.SetValue(0, value);
    DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(tensor);
}
template <typename T> CANNERY_INLINE T ReadGmByPassDCache(__gm__ T *address)
{
    const auto tensor = cannery::at_address(address);
    DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(tensor);
    return tensor.GetValue(0);
}

// Global memory filled with a value, through what is free of UB.
template <typename T> CANNERY_INLINE void InitOutput(GlobalTensor<T> tensor, uint32_t size, T value = T(0))
{
    LocalTensor<T> scratch;
    PopStackBuffer<T, TPosition::LCM>(scratch);
    constexpr uint32_t most = 16 * 1024 / sizeof(T);
    const uint32_t room = scratch.GetSize() < most ? scratch.GetSize() : most;
    const uint32_t piece = size < room ? size : room;
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    Duplicate<T>(scratch, value, static_cast<int32_t>(piece));
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    for (uint32_t at = 0; at < size; at += piece) {
        const uint32_t bytes = (size - at < piece ? size - at : piece) * static_cast<uint32_t>(sizeof(T));
        DataCopyPad(tensor[at], scratch, DataCopyExtParams(1, bytes, 0, 0, 0));
    }
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
}

template <typename T> CANNERY_INLINE void Fill(GlobalTensor<T> tensor, const uint64_t size, const T value)
{
    InitOutput<T>(tensor, static_cast<uint32_t>(size), value);
}

CANNERY_INLINE void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gm, LocalTensor<int32_t> &ub)
{
    if (GetBlockIdx() != 0) {
        return;
    }
    const int32_t words = static_cast<int32_t>(GetBlockNum()) * 8;
    Duplicate<int32_t>(ub, 0, words);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm, ub, static_cast<uint32_t>(words));
    PipeBarrier<PIPE_ALL>();
}

CANNERY_INLINE uint32_t GetUBSizeInBytes()
{
    return static_cast<uint32_t>(cannery::call(cannery::Operation::get_memory_size));
}
CANNERY_INLINE uint32_t GetRuntimeUBSize() { return GetUBSizeInBytes(); }
#if __NPU_ARCH__ == 3510
CANNERY_INLINE constexpr uint32_t GetVecLen() { return 256; }
#else
CANNERY_INLINE constexpr uint32_t GetVecLen() { return 0; }
#endif

// Overlap of tasks, and marks of profilers: a launch computes the same with and without.
template <pipe_t aivPipe = PIPE_MTE3, pipe_t aicPipe = PIPE_MTE3> CANNERY_INLINE void SetNextTaskStart() {}
CANNERY_INLINE void WaitPreTaskEnd() {}
CANNERY_INLINE void PrintTimeStamp(uint32_t) {}
CANNERY_INLINE void MetricsProfStart() {}
CANNERY_INLINE void MetricsProfStop() {}
CANNERY_INLINE void ICachePreLoad(int64_t) {}
CANNERY_INLINE void DataCachePreload(const GlobalTensor<uint64_t> &, int64_t) {}
template <typename... Arguments> CANNERY_INLINE void DumpAccChkPoint(const Arguments &...) {}

}  // namespace AscendC

#define TILING_KEY_IS(key) (TILING_KEY_VAR == (key))
#define REGISTER_TILING_DEFAULT(type) using CanneryTiling = type
#define REGISTER_TILING_FOR_TILINGKEY(...) static_assert(true)
#define REGISTER_NONE_TILING static_assert(true)
#define COPY_TILING_WITH_STRUCT(type, source, target) \
    std::memcpy(reinterpret_cast<void *>(target), reinterpret_cast<const void *>(source), sizeof(type))
#define COPY_TILING_WITH_ARRAY(type, count, source, target) \
    std::memcpy(reinterpret_cast<void *>(target), reinterpret_cast<const void *>(source), sizeof(type) * (count))
#define GET_TILING_DATA_WITH_STRUCT(type, name, address) \
    type name;                                           \
    std::memcpy(reinterpret_cast<void *>(&name), reinterpret_cast<const void *>(address), sizeof(type))
#define GET_TILING_DATA(name, address) GET_TILING_DATA_WITH_STRUCT(CanneryTiling, name, address)
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, address) \
    const __gm__ type *name = reinterpret_cast<const __gm__ type *>(address)
#define GET_TILING_DATA_MEMBER(type, member, name, address) \
    const auto name = reinterpret_cast<const __gm__ type *>(address)->member
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR 0
#endif

#endif
