// TPipe, queues, buffers and static allocation (hicann/asc-devkit include/basic_api/kernel_tpipe.h @82b89a15f).
#ifndef CANNERY_QUEUES_H
#define CANNERY_QUEUES_H

#include <exception>

#include "cannery/tensors.h"

namespace cannery {

// Handle, start and bytes of a buffer as a tensor; bounds are the owner's.
template <class T> CANNERY_INLINE AscendC::LocalTensor<T> tensor_of(AscendC::TPosition position, const int64_t *words)
{
    AscendC::LocalTensor<T> tensor;
    tensor.address_.logicPos = static_cast<uint8_t>(position);
    tensor.address_.bufferHandle = static_cast<uint32_t>(words[0]);
    tensor.address_.bufferAddr = static_cast<uint32_t>(words[1]);
    tensor.address_.dataLen = static_cast<uint32_t>(words[2]);
    return tensor;
}

// Between which positions the queue of one position stands, and where the buffers of a queue lie.
constexpr AscendC::TPosition first_end(AscendC::TPosition at)
{
    using P = AscendC::TPosition;
    return at == P::VECIN || at == P::A1 || at == P::B1 || at == P::C1 ? P::GM
           : at == P::A2                                               ? P::A1
           : at == P::B2                                               ? P::B1
           : at == P::C2                                               ? P::C1
                                                                       : at;
}

constexpr AscendC::TPosition last_end(AscendC::TPosition at)
{
    using P = AscendC::TPosition;
    return at == P::VECOUT ? P::GM : at == P::CO1 ? P::CO2 : at;
}

constexpr AscendC::TPosition buffer_position(AscendC::TPosition src, AscendC::TPosition dst)
{
    using P = AscendC::TPosition;
    return src == P::GM || dst == P::A2 || dst == P::B2 || dst == P::C2 ? dst : src;
}

}  // namespace cannery

namespace AscendC {

struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

class TPipe;

template <TPosition src, TPosition dst, int depth, auto mask = 0> class TQueBind {
public:
    static constexpr TPosition position = cannery::buffer_position(src, dst);
    TQueBind() = default;
    TQueBind(const TQueBind &) = delete;

    template <typename T> CANNERY_INLINE LocalTensor<T> AllocTensor()
    {
        int64_t words[3] = {Id()};
        cannery_call(int32_t(cannery::Operation::alloc_tensor), words, 1);
        return cannery::tensor_of<T>(position, words);
    }
    template <typename T> CANNERY_INLINE void AllocTensor(LocalTensor<T> &tensor) { tensor = AllocTensor<T>(); }
    template <typename T> CANNERY_INLINE LocalTensor<T> DeQue()
    {
        int64_t words[3] = {Id()};
        cannery_call(int32_t(cannery::Operation::deque), words, 1);
        return cannery::tensor_of<T>(position, words);
    }
    template <typename T> CANNERY_INLINE void DeQue(LocalTensor<T> &tensor) { tensor = DeQue<T>(); }
    template <TPosition from, TPosition to, typename T> CANNERY_INLINE LocalTensor<T> DeQue() { return DeQue<T>(); }
    template <typename T> CANNERY_INLINE bool EnQue(const LocalTensor<T> &tensor)
    {
        return cannery::call(cannery::Operation::enque, Id(), tensor, -1, -1) != 0;
    }
    template <TPosition from, TPosition to, typename T> CANNERY_INLINE bool EnQue(const LocalTensor<T> &tensor)
    {
        return cannery::call(cannery::Operation::enque, Id(), tensor, from, to) != 0;
    }
    template <typename T> CANNERY_INLINE void FreeTensor(LocalTensor<T> &tensor)
    {
        cannery::call(cannery::Operation::free_tensor, Id(), tensor);
    }
    CANNERY_INLINE void FreeAllEvent() { cannery::call(cannery::Operation::free_all_event, Id()); }
    CANNERY_INLINE bool HasIdleBuffer() { return cannery::call(cannery::Operation::has_idle_buffer, Id()) != 0; }
    CANNERY_INLINE bool HasTensorInQue() { return GetTensorCountInQue() != 0; }
    CANNERY_INLINE bool VacantInQue() { return GetTensorCountInQue() < depth; }
    CANNERY_INLINE int32_t GetTensorCountInQue()
    {
        return static_cast<int32_t>(cannery::call(cannery::Operation::get_tensor_count_in_que, Id()));
    }
    CANNERY_INLINE void InitBuffer(uint8_t number, uint32_t bytes)
    {
        cannery::call(cannery::Operation::init_buffer, Id(), number, bytes);
    }

protected:
    CANNERY_INLINE int64_t Id()
    {
        if (id_ == 0) {
            id_ = cannery::call(cannery::Operation::make_queue, src, dst, position, depth);
        }
        return id_;
    }
    int64_t id_ = 0;
};

// A queue at one position.
template <TPosition at, int depth, auto mask = 0>
class TQue : public TQueBind<cannery::first_end(at), cannery::last_end(at), depth, mask> {};

template <TPosition at, int depth = 1, auto mask = 0>
class TSCM : public TQueBind<at, TPosition::TSCM, depth, mask> {};

// A buffer without events; synchronisation is the program's.
template <TPosition at = TPosition::LCM> class TBuf {
public:
    TBuf() = default;
    TBuf(const TBuf &) = delete;
    template <typename T> CANNERY_INLINE LocalTensor<T> Get()
    {
        int64_t words[3] = {Id()};
        cannery_call(int32_t(cannery::Operation::get_buffer), words, 1);
        return cannery::tensor_of<T>(at, words);
    }
    template <typename T> CANNERY_INLINE LocalTensor<T> Get(uint32_t elements)
    {
        int64_t words[3] = {Id()};
        cannery_call(int32_t(cannery::Operation::get_buffer), words, 1);
        LocalTensor<T> tensor = cannery::tensor_of<T>(at, words);
        tensor.SetSize(elements);
        return tensor;
    }
    template <typename T> CANNERY_INLINE LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t bytes)
    {
        int64_t words[3] = {Id()};
        cannery_call(int32_t(cannery::Operation::get_buffer), words, 1);
        LocalTensor<T> tensor = cannery::tensor_of<T>(at, words);
        tensor.address_.bufferAddr += bytes;
        tensor.SetSize(elements);
        return tensor;
    }
    template <typename T> CANNERY_INLINE LocalTensor<T> AllocTensor() { return Get<T>(); }
    template <typename T> CANNERY_INLINE LocalTensor<T> DeQue() { return Get<T>(); }
    template <typename T> void EnQue(const LocalTensor<T> &) {}
    template <typename T> void FreeTensor(LocalTensor<T> &) {}
    CANNERY_INLINE void InitBuffer(uint32_t bytes)
    {
        cannery::call(cannery::Operation::init_buffer, Id(), 1, bytes);
    }

private:
    CANNERY_INLINE int64_t Id()
    {
        if (id_ == 0) {
            id_ = cannery::call(cannery::Operation::make_buffer, at);
        }
        return id_;
    }
    int64_t id_ = 0;
};

// Manages the local memory of a core. One is alive at a time.
class TPipe {
public:
    CANNERY_INLINE TPipe() { Init(); }
    TPipe(const TPipe &) = delete;
    CANNERY_INLINE ~TPipe() noexcept(false)
    {
        if (isAlive_ && std::uncaught_exceptions() == 0) {
            Destroy();
        }
    }
    CANNERY_INLINE void Init()
    {
        cannery::call(cannery::Operation::pipe_init, this);
        isAlive_ = true;
    }
    template <TPosition src, TPosition dst, int depth, auto mask>
    CANNERY_INLINE bool InitBuffer(TQueBind<src, dst, depth, mask> &queue, uint8_t number, uint32_t bytes)
    {
        queue.InitBuffer(number, bytes);
        return true;
    }
    template <TPosition at> CANNERY_INLINE bool InitBuffer(TBuf<at> &buffer, uint32_t bytes)
    {
        buffer.InitBuffer(bytes);
        return true;
    }
    template <HardEvent event> CANNERY_INLINE TEventID AllocEventID()
    {
        return static_cast<TEventID>(cannery::call(cannery::Operation::alloc_event_id, event));
    }
    template <HardEvent event> CANNERY_INLINE void ReleaseEventID(TEventID id)
    {
        cannery::call(cannery::Operation::release_event_id, event, id);
    }
    template <HardEvent event> CANNERY_INLINE TEventID FetchEventID() { return FetchEventID(event); }
    CANNERY_INLINE TEventID FetchEventID(HardEvent event)
    {
        return static_cast<TEventID>(cannery::call(cannery::Operation::fetch_event_id, event));
    }
    CANNERY_INLINE void Reset() { cannery::call(cannery::Operation::pipe_reset); }
    CANNERY_INLINE void Destroy()
    {
        isAlive_ = false;
        cannery::call(cannery::Operation::pipe_destroy);
    }

private:
    bool isAlive_ = false;
};

// Static allocation: tensors one after another from address 0.
template <Hardware hardware = Hardware::UB> class LocalMemAllocator {
public:
    template <typename T, uint32_t elements> CANNERY_INLINE LocalTensor<T> Alloc() { return Take<T>(Usual(), elements); }
    template <typename T> CANNERY_INLINE LocalTensor<T> Alloc(uint32_t elements) { return Take<T>(Usual(), elements); }
    template <TPosition at, typename T, uint32_t elements> CANNERY_INLINE LocalTensor<T> Alloc()
    {
        return Take<T>(at, elements);
    }
    template <TPosition at, typename T> CANNERY_INLINE LocalTensor<T> Alloc(uint32_t elements)
    {
        return Take<T>(at, elements);
    }
    uint32_t GetCurAddr() const { return head_; }

private:
    static constexpr TPosition Usual()
    {
        constexpr TPosition positions[] = {TPosition::GM,  TPosition::VECIN, TPosition::A1, TPosition::A2,
                                           TPosition::B2,  TPosition::CO1,   TPosition::C2, TPosition::C2PIPE2GM};
        return positions[static_cast<int>(hardware)];
    }
    template <typename T> CANNERY_INLINE LocalTensor<T> Take(TPosition at, uint32_t elements)
    {
        const uint32_t start = head_;
        head_ += elements * static_cast<uint32_t>(sizeof(T));
        return LocalTensor<T>(at, start, elements);
    }
    uint32_t head_ = 0;
};

}  // namespace AscendC

CANNERY_INLINE AscendC::TPipe *GetTPipePtr()
{
    return reinterpret_cast<AscendC::TPipe *>(cannery::call(cannery::Operation::get_tpipe_ptr));
}

#endif
