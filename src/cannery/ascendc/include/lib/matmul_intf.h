// Matmul of the advanced API: each product of base blocks is one instruction of the core
// (hicann/asc-devkit include/adv_api/matmul @82b89a15f).
#ifndef CANNERY_MATMUL_INTF_H
#define CANNERY_MATMUL_INTF_H

#include "kernel_operator.h"
#include "cannery/matmul_config.h"

#ifdef ASCENDC_CUBE_ONLY
#define CANNERY_CUBE_ONLY true
#else
#define CANNERY_CUBE_ONLY false
#endif

enum class LayoutMode { NONE = 0, BSNGD = 1, SBNGD = 2, BNGS1S2 = 3, NORMAL = 4 };

namespace AscendC {

template <TPosition position, CubeFormat form, typename Type, bool isTranspose = false,
          LayoutMode mode = LayoutMode::NONE, bool isShared = false, TPosition source = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = position;
    static constexpr CubeFormat format = form;
    static constexpr bool isTrans = isTranspose;
    static constexpr LayoutMode layout = mode;
    static constexpr bool ibShare = isShared;
    static constexpr TPosition srcPos = source;
    using T = Type;
};

template <auto... functions> struct MatmulCallBackFunc {
    static constexpr bool isGiven = (!std::is_null_pointer_v<decltype(functions)> || ...);
};

}  // namespace AscendC

namespace cannery {

// A matrix as the core reads it: where it is, rows and columns, and how it is stored.
struct Stored {
    int64_t rows;
    int64_t columns;
    int64_t pitch;
    bool fractal;
    bool turned;
};

CANNERY_INLINE void put(int64_t *&at, const Stored &matrix)
{
    *at++ = matrix.rows;
    *at++ = matrix.columns;
    *at++ = matrix.pitch;
    *at++ = matrix.fractal;
    *at++ = matrix.turned;
}

// A tensor in either memory.
struct Either {
    int64_t words[TENSOR_WORDS] = {};
    bool isGiven = false;
    bool isLocal = false;
    int64_t size = 1;

    template <class T> CANNERY_INLINE void Set(const AscendC::GlobalTensor<T> &tensor)
    {
        int64_t *at = words;
        put(at, tensor);
        isGiven = true;
        isLocal = false;
        size = sizeof(T);
    }
    template <class T> CANNERY_INLINE void Set(const AscendC::LocalTensor<T> &tensor)
    {
        int64_t *at = words;
        put(at, tensor);
        isGiven = isLocal = true;
        size = sizeof(T);
    }
    // The words of the tensor that begins so many elements later.
    CANNERY_INLINE void Put(int64_t *&at, int64_t elements) const
    {
        for (int word = 0; word < TENSOR_WORDS; ++word) {
            at[word] = words[word];
        }
        at[2] += elements * size;
        if (isLocal) {
            at[4] -= elements * size;
        }
        at += TENSOR_WORDS;
    }
};

constexpr int64_t align_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace cannery

namespace AscendC {

template <class A, class B, class C, class BIAS = C, const auto &MM_CFG = CFG_NORM,
          class CALLBACK = MatmulCallBackFunc<nullptr, nullptr, nullptr>, class... Policies>
class Matmul {
    using AT = typename A::T;
    using BT = typename B::T;
    using CT = typename C::T;
    using BiasT = typename BIAS::T;
    static_assert(!CALLBACK::isGiven, "Matmul: callbacks are not simulated");
    static constexpr MatmulConfig settings = cannery::settings_of(MM_CFG);
    static_assert(!settings.isPartialOutput, "Matmul: MatmulConfig::isPartialOutput is not simulated");
    static_assert(!settings.isEnableChannelSplit, "Matmul: MatmulConfig::isEnableChannelSplit is not simulated");
    static_assert(!settings.enableMixDualMaster, "Matmul: MatmulConfig::enableMixDualMaster is not simulated");
    static_assert(CANNERY_CUBE_ONLY || (A::pos != TPosition::TSCM && B::pos != TPosition::TSCM),
                  "Matmul: inputs in L1 that a vector core copies (TSCM) are not simulated");
    static_assert(C::pos != TPosition::CO1, "Matmul: a C in L0C is not simulated");

public:
    using Tiling = TCubeTiling;
    void Init(const TCubeTiling *tiling, TPipe * = nullptr)
    {
        tiling_ = tiling == nullptr ? cannery::constant_tiling(MM_CFG) : *tiling;
        orgM_ = tiling_.M;
        orgN_ = tiling_.N;
        orgKa_ = tiling_.Ka;
        orgKb_ = tiling_.Kb;
        orgKc_ = 0;
        SetSingleShape(tiling_.singleCoreM, tiling_.singleCoreN, tiling_.singleCoreK);
    }
    void SetSubBlockIdx(uint8_t) {}
    void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
    template <class T> void SetWorkspace(GlobalTensor<T> &) {}
    template <class T> void SetWorkspace(__gm__ const T *, int) {}
    void SetUserDefInfo(const uint64_t) {}
    template <class T> void SetSelfDefineData(T) {}

    void SetOrgShape(int m, int n, int k) { SetOrgShape(m, n, k, k); }
    void SetOrgShape(int m, int n, int ka, int kb, int kc = 0)
    {
        orgM_ = m;
        orgN_ = n;
        orgKa_ = ka;
        orgKb_ = kb;
        orgKc_ = kc;
    }
    void SetSingleShape(int m, int n, int k)
    {
        singleM_ = m;
        singleN_ = n;
        singleK_ = k;
        block_ = -1;
    }
    void SetTail(int m = -1, int n = -1, int k = -1)
    {
        SetSingleShape(m == -1 ? singleM_ : m, n == -1 ? singleN_ : n, k == -1 ? singleK_ : k);
    }
    template <class Tensor> CANNERY_INLINE void SetTensorA(const Tensor &tensor, bool isTranspose = false)
    {
        a_.Set(tensor);
        isTransposeA_ = isTranspose;
        block_ = -1;
    }
    template <class Tensor> CANNERY_INLINE void SetTensorB(const Tensor &tensor, bool isTranspose = false)
    {
        b_.Set(tensor);
        isTransposeB_ = isTranspose;
        block_ = -1;
    }
    template <class Tensor> CANNERY_INLINE void SetBias(const Tensor &tensor) { bias_.Set(tensor); }
    void DisableBias() { bias_.isGiven = false; }
    void ClearBias() { bias_.isGiven = false; }
    void SetQuantScalar(const uint64_t word) { word_ = word; }
    CANNERY_INLINE void SetQuantVector(const GlobalTensor<uint64_t> &words) { words_.Set(words); }
    CANNERY_INLINE void SetHF32(bool on = false, int32_t mode = 0)
    {
        SetHF32Mode(on);
        SetHF32TransMode(mode != 0);
    }

    // The next base block; false where there is none.
    template <bool sync = true> CANNERY_INLINE bool Iterate(bool enPartialSum = false)
    {
        isPartialSum_ = enPartialSum;
        if (enPartialSum && block_ >= 0) {
            return true;
        }
        ++block_;
        return block_ < Blocks(singleM_, BaseM()) * Blocks(singleN_, BaseN());
    }
    // The current base block, to its place in C, or packed.
    template <bool sync = true, class Tensor>
    CANNERY_INLINE void GetTensorC(const Tensor &c, uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        int64_t row = 0;
        int64_t column = 0;
        Place(row, column);
        const int64_t m = singleM_ - row < BaseM() ? singleM_ - row : BaseM();
        const int64_t n = singleN_ - column < BaseN() ? singleN_ - column : BaseN();
        cannery::Either target;
        target.Set(c);
        const bool isPacked = enSequentialWrite || target.isLocal;
        Compute(target, row, column, m, n, isPacked, enAtomic);
        block_ += sync ? 0 : 1;  // after one Iterate<false> every call takes the next block
    }
    template <bool sync = true, class Tensor>
    CANNERY_INLINE void IterateAll(const Tensor &c, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                                   bool waitIterateAll = false, bool fakeMsg = false)
    {
        cannery::Either target;
        target.Set(c);
        Compute(target, 0, 0, singleM_, singleN_, target.isLocal, enAtomic);
    }
    void WaitIterateAll() {}
    void WaitGetTensorC() {}
    void End() {}
    template <class... Arguments> void IterateBatch(const Arguments &...)
    {
        static_assert(cannery::never<Arguments...>, "Matmul::IterateBatch is not simulated");
    }
    template <class... Arguments> void IterateNBatch(const Arguments &...)
    {
        static_assert(cannery::never<Arguments...>, "Matmul::IterateNBatch is not simulated");
    }

private:
    static constexpr int64_t Blocks(int64_t whole, int64_t base) { return base <= 0 ? 1 : (whole + base - 1) / base; }
    int64_t BaseM() const { return tiling_.baseM > 0 ? tiling_.baseM : singleM_; }
    int64_t BaseN() const { return tiling_.baseN > 0 ? tiling_.baseN : singleN_; }
    // Where the current block is: groups of stepN columns (or stepM rows), row by row (or column by column).
    void Place(int64_t &row, int64_t &column) const
    {
        const int64_t rows = Blocks(singleM_, BaseM());
        const int64_t columns = Blocks(singleN_, BaseN());
        const bool byRows = settings.iterateOrder == IterateOrder::UNDEF ? tiling_.iterateOrder == 0
                                                                       : settings.iterateOrder == IterateOrder::ORDER_M;
        const int64_t across = byRows ? rows : columns;
        const int64_t along = byRows ? columns : rows;
        const int64_t step = byRows ? (tiling_.stepN > 0 ? tiling_.stepN : 1) : (tiling_.stepM > 0 ? tiling_.stepM : 1);
        const int64_t group = block_ / (step * across);
        const int64_t width = along - group * step < step ? along - group * step : step;
        const int64_t inside = block_ - group * step * across;
        const int64_t outer = inside / width;
        const int64_t inner = group * step + inside % width;
        row = (byRows ? outer : inner) * BaseM();
        column = (byRows ? inner : outer) * BaseN();
    }
    CANNERY_INLINE void Compute(const cannery::Either &c, int64_t row, int64_t column, int64_t m, int64_t n,
                                bool isPacked, uint8_t enAtomic)
    {
        if (enAtomic == 1) {
            SetAtomicAdd<CT>();
        } else if (enAtomic == 2) {
            SetAtomicMax<CT>();
        } else if (enAtomic == 3) {
            SetAtomicMin<CT>();
        }
        int64_t words[cannery::TENSOR_WORDS * 5 + cannery::OTHER_WORDS];
        int64_t *at = words;
        const bool turnedA = isTransposeA_ != (A::format == CubeFormat::COLUMN_MAJOR);
        const bool turnedB = isTransposeB_ != (B::format == CubeFormat::COLUMN_MAJOR);
        PutInput<A>(at, a_, turnedA, m, singleK_, row, true, orgM_, orgKa_, singleM_);
        PutInput<B>(at, b_, turnedB, singleK_, n, column, false, orgKb_, orgN_, singleK_);
        PutOutput(at, c, row, column, m, n, isPacked);
        cannery::put(at, isPartialSum_);
        PutOther(at, bias_, column);
        cannery::put(at, word_);
        PutOther(at, words_, column);
        cannery_call(int32_t(cannery::Operation::matmul_block), words, int32_t(at - words));
        if (enAtomic != 0) {
            SetAtomicNone();
        }
    }
    // The part of A or B that a block needs: of A so many rows, of B so many columns, from `start` on.
    template <class Type>
    CANNERY_INLINE static void PutInput(int64_t *&at, const cannery::Either &matrix, bool isTurned, int64_t rows,
                                        int64_t columns, int64_t start, bool byRow, int64_t orgRows,
                                        int64_t orgColumns, int64_t singleRows)
    {
        constexpr bool isFractal = Type::format == CubeFormat::NZ;
        constexpr int64_t group = 32 / static_cast<int64_t>(sizeof(typename Type::T));
        const bool isRowStep = byRow != isTurned;  // stored rows are skipped, otherwise stored columns
        int64_t pitch = isTurned ? orgRows : orgColumns;
        if (Type::format == CubeFormat::VECTOR) {
            pitch = columns;
        } else if (isFractal) {
            pitch = cannery::align_up(matrix.isLocal ? singleRows : (isTurned ? orgColumns : orgRows), 16);
        } else if (matrix.isLocal) {
            pitch = cannery::align_up(isTurned ? rows : columns, group);
        }
        const int64_t offset = isFractal ? (isRowStep ? start * group : start * pitch) : (isRowStep ? start * pitch : start);
        matrix.Put(at, offset);
        cannery::put(at, cannery::Stored{rows, columns, pitch, isFractal, isTurned});
    }
    CANNERY_INLINE void PutOutput(int64_t *&at, const cannery::Either &c, int64_t row, int64_t column, int64_t m,
                                  int64_t n, bool isPacked) const
    {
        constexpr bool isFractal = C::format == CubeFormat::NZ;
        constexpr bool isTurned = C::format == CubeFormat::COLUMN_MAJOR;
        constexpr int64_t group = 32 / static_cast<int64_t>(sizeof(CT));
        int64_t pitch = isPacked ? n : (orgKc_ > 0 ? orgKc_ : orgN_);
        int64_t offset = isPacked ? 0 : row * pitch + column;
        if (isFractal) {
            pitch = cannery::align_up(isPacked ? m : orgM_, 16);
            offset = isPacked ? 0 : column * pitch + row * group;
        } else if (isTurned) {
            pitch = isPacked ? m : orgM_;
            offset = isPacked ? 0 : column * pitch + row;
        } else if (C::format == CubeFormat::ND_ALIGN || (isPacked && c.isLocal)) {
            pitch = cannery::align_up(pitch, group);
            offset = isPacked ? 0 : row * pitch + column;
        }
        c.Put(at, offset);
        cannery::put(at, cannery::Stored{m, n, pitch, isFractal, isTurned});
    }
    CANNERY_INLINE static void PutOther(int64_t *&at, const cannery::Either &tensor, int64_t column)
    {
        cannery::put(at, tensor.isGiven);
        if (tensor.isGiven) {
            tensor.Put(at, column);
        }
    }

    TCubeTiling tiling_;
    cannery::Either a_;
    cannery::Either b_;
    cannery::Either bias_;
    cannery::Either words_;
    uint64_t word_ = 0;
    bool isTransposeA_ = false;
    bool isTransposeB_ = false;
    bool isPartialSum_ = false;
    int64_t orgM_ = 0;
    int64_t orgN_ = 0;
    int64_t orgKa_ = 0;
    int64_t orgKb_ = 0;
    int64_t orgKc_ = 0;
    int64_t singleM_ = 0;
    int64_t singleN_ = 0;
    int64_t singleK_ = 0;
    int64_t block_ = -1;
};

template <class A, class B, class C, class BIAS = C, const auto &MM_CFG = CFG_NORM, class... More>
using MatmulImpl = Matmul<A, B, C, BIAS, MM_CFG, More...>;

}  // namespace AscendC

namespace matmul = AscendC;
using AscendC::MatmulType;

namespace cannery {

// Cube cores of a kernel for both kinds serve the vector cores' objects, which compute by themselves here.
template <bool cubeOnly> CANNERY_INLINE bool matmul_goes_on()
{
    const CanneryCore &core = *cannery_core();
    return cubeOnly ? core.kind == 1 : core.kind == 2 || core.subBlocks == 0;
}

CANNERY_INLINE void init_matmuls() {}
template <class Object> CANNERY_INLINE void init_matmuls(Object &object) { (void)object; }
template <class Object, class Tiling, class... More>
CANNERY_INLINE void init_matmuls(Object &object, Tiling *tiling, More &&...more);
template <class Object, class Next, class... More>
CANNERY_INLINE std::enable_if_t<!std::is_pointer_v<std::remove_reference_t<Next>>>
init_matmuls(Object &, Next &next, More &&...more)
{
    init_matmuls(next, more...);
}
template <class Object, class Tiling, class... More>
CANNERY_INLINE void init_matmuls(Object &object, Tiling *tiling, More &&...more)
{
    object.Init(tiling);
    init_matmuls(more...);
}

}  // namespace cannery

#define REGIST_MATMUL_OBJ(pipe, workspace, ...)                     \
    if (!cannery::matmul_goes_on<CANNERY_CUBE_ONLY>()) {            \
        return;                                                     \
    }                                                               \
    cannery::init_matmuls(__VA_ARGS__)

#endif
