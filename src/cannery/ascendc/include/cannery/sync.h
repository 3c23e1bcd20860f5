// Flags, barriers, synchronisation between cores, the mask and other registers, what a core knows of itself.
#ifndef CANNERY_SYNC_H
#define CANNERY_SYNC_H

#include "cannery/queues.h"

namespace AscendC {

template <HardEvent event> CANNERY_INLINE void SetFlag(int32_t id)
{
    cannery::call(cannery::Operation::set_flag, event, id);
}

template <HardEvent event> CANNERY_INLINE void WaitFlag(int32_t id)
{
    cannery::call(cannery::Operation::wait_flag, event, id);
}

template <pipe_t pipe> CANNERY_INLINE void PipeBarrier()
{
    static_assert(pipe != PIPE_S, "PipeBarrier: found PIPE_S, expected another pipe: the scalar unit has no barrier");
    cannery::call(cannery::Operation::pipe_barrier, pipe);
}

template <pipe_t src, pipe_t dst> class TQueSync {
public:
    CANNERY_INLINE void SetFlag(TEventID id) { cannery::call(cannery::Operation::set_between, src, dst, id); }
    CANNERY_INLINE void WaitFlag(TEventID id) { cannery::call(cannery::Operation::wait_between, src, dst, id); }
};

template <MemDsbT scope> CANNERY_INLINE void DataSyncBarrier() {}

template <uint8_t mode, pipe_t pipe> CANNERY_INLINE void CrossCoreSetFlag(uint16_t id)
{
    cannery::call(cannery::Operation::cross_core_set_flag, id, mode, pipe);
}

template <uint8_t mode = 0, pipe_t pipe = PIPE_S> CANNERY_INLINE void CrossCoreWaitFlag(uint16_t id)
{
    cannery::call(cannery::Operation::cross_core_wait_flag, id, mode);
}

template <bool isAIVOnly = true> CANNERY_INLINE void SyncAll()
{
    cannery::call(cannery::Operation::sync_all, isAIVOnly, 0);
}

template <bool isAIVOnly = true>
CANNERY_INLINE void SyncAll(const GlobalTensor<int32_t> &gm, const LocalTensor<int32_t> &ub, const int32_t cores = 0)
{
    cannery::call(cannery::Operation::sync_all, isAIVOnly, 1, cores, gm, ub);
}

template <bool isAIVOnly = true>
CANNERY_INLINE void IBSet(const GlobalTensor<int32_t> &gm, const LocalTensor<int32_t> &ub, int32_t block, int32_t event)
{
    cannery::call(cannery::Operation::ib_set, gm, ub, block, event);
}

template <bool isAIVOnly = true>
CANNERY_INLINE void IBWait(const GlobalTensor<int32_t> &gm, const LocalTensor<int32_t> &ub, int32_t block,
                           int32_t event)
{
    cannery::call(cannery::Operation::ib_wait, gm, ub, block, event);
}

CANNERY_INLINE void NotifyNextBlock(GlobalTensor<int32_t> &gm, LocalTensor<int32_t> &ub)
{
    cannery::call(cannery::Operation::notify_next_block, gm, ub);
}

CANNERY_INLINE void WaitPreBlock(GlobalTensor<int32_t> &gm, LocalTensor<int32_t> &ub)
{
    cannery::call(cannery::Operation::wait_pre_block, gm, ub);
}

template <typename T, CacheLine entire, DcciDst dst = DcciDst::CACHELINE_ALL>
CANNERY_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &tensor)
{
    cannery::call(cannery::Operation::data_cache_clean_and_invalid, entire, dst, tensor);
}

template <typename T, CacheLine entire, DcciDst dst> CANNERY_INLINE void DataCacheCleanAndInvalid(const LocalTensor<T> &)
{
}

CANNERY_INLINE void SetMaskCount() { cannery::call(cannery::Operation::set_mask_count); }
CANNERY_INLINE void SetMaskNorm() { cannery::call(cannery::Operation::set_mask_norm); }
CANNERY_INLINE void ResetMask() { cannery::call(cannery::Operation::reset_mask); }
CANNERY_INLINE void InitSocState() { cannery::call(cannery::Operation::init_soc_state); }

template <typename T, MaskMode mode = MaskMode::NORMAL> CANNERY_INLINE void SetVectorMask(uint64_t high, uint64_t low)
{
    cannery::call(cannery::Operation::set_vector_mask, mode, 2, high, low);
}

template <typename T, MaskMode mode = MaskMode::NORMAL> CANNERY_INLINE void SetVectorMask(int32_t length)
{
    cannery::call(cannery::Operation::set_vector_mask, mode, 1, length);
}

template <typename T> CANNERY_INLINE void SetAtomicAdd()
{
    cannery::call(cannery::Operation::set_atomic_add, cannery::CodeOf<T>::value);
}

template <typename T> CANNERY_INLINE void SetAtomicMax()
{
    cannery::call(cannery::Operation::set_atomic_max, cannery::CodeOf<T>::value);
}

template <typename T> CANNERY_INLINE void SetAtomicMin()
{
    cannery::call(cannery::Operation::set_atomic_min, cannery::CodeOf<T>::value);
}

template <typename T> CANNERY_INLINE void SetAtomicType()
{
    cannery::call(cannery::Operation::set_atomic_type, cannery::CodeOf<T>::value);
}

CANNERY_INLINE void DisableDmaAtomic() { cannery::call(cannery::Operation::set_atomic_none); }
CANNERY_INLINE void SetAtomicNone() { cannery::call(cannery::Operation::set_atomic_none); }

CANNERY_INLINE int64_t GetBlockIdx() { return cannery_core()->block; }
CANNERY_INLINE int64_t GetBlockNum() { return cannery_core()->blocks; }
CANNERY_INLINE int64_t GetSubBlockIdx() { return cannery_core()->subBlock; }
CANNERY_INLINE int64_t GetSubBlockNum() { return cannery_core()->kind == AIV ? cannery_core()->subBlocks : 1; }
CANNERY_INLINE int64_t GetTaskRatio() { return GetSubBlockNum(); }
CANNERY_INLINE int64_t GetTaskRation() { return GetSubBlockNum(); }
CANNERY_INLINE int64_t GetSystemCycle() { return cannery::call(cannery::Operation::get_system_cycle); }
CANNERY_INLINE int64_t GetProgramCounter() { return cannery::call(cannery::Operation::get_program_counter); }
CANNERY_INLINE int64_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
CANNERY_INLINE void Trap() { cannery::call(cannery::Operation::trap); }
template <int32_t n = 1> CANNERY_INLINE void Nop() {}

}  // namespace AscendC

CANNERY_INLINE void pipe_barrier(pipe_t pipe) { cannery::call(cannery::Operation::pipe_barrier, pipe); }

CANNERY_INLINE void set_flag(pipe_t src, pipe_t dst, int32_t id)
{
    cannery::call(cannery::Operation::set_between, src, dst, id);
}

CANNERY_INLINE void wait_flag(pipe_t src, pipe_t dst, int32_t id)
{
    cannery::call(cannery::Operation::wait_between, src, dst, id);
}

#endif
