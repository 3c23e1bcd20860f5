// How many cores multiply how large a part: Matmul's tiling on the host.
#ifndef CANNERY_MATMUL_TILING_H
#define CANNERY_MATMUL_TILING_H

#include <algorithm>
#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

enum class TPosition { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, MAX };
enum class CubeFormat { ND, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR, COLUMN_MAJOR };
enum class DataType {
    DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT8 = 4, DT_INT32 = 3, DT_INT64 = 9,
    DT_UINT32 = 8, DT_UINT64 = 10, DT_BOOL = 12, DT_DOUBLE = 11, DT_BFLOAT16 = 27, DT_BF16 = 27, DT_INT4 = 29,
    DT_HIFLOAT8 = 34, DT_FLOAT8_E5M2 = 35, DT_FLOAT8_E4M3FN = 36, DT_FLOAT8_E8M0 = 37, DT_FLOAT4_E2M1 = 40,
    DT_FLOAT4_E1M2 = 41
};
enum class MatrixTraverse { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

struct MatmulConfigParams {
    explicit MatmulConfigParams(int32_t type = 0, bool l1 = false, ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                                MatrixTraverse order = MatrixTraverse::NOSET, bool nd2nz = false)
        : mmConfigType(type), enableL1CacheUB(l1), scheduleType(schedule), traverse(order), enVecND2NZ(nd2nz)
    {
    }
    int32_t mmConfigType = 0;
    bool enableL1CacheUB = false;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    MatrixTraverse traverse = MatrixTraverse::NOSET;
    bool enVecND2NZ = false;
};

// Setters return 0, and GetTiling -1 where there is no tiling.
class MatmulApiTilingBase {
public:
    MatmulApiTilingBase() = default;
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC &) {}
    int32_t SetAType(TPosition, CubeFormat, DataType, bool = false) { return 0; }
    int32_t SetBType(TPosition, CubeFormat, DataType, bool = false) { return 0; }
    int32_t SetCType(TPosition, CubeFormat, DataType) { return 0; }
    int32_t SetBiasType(TPosition, CubeFormat, DataType) { return 0; }
    int32_t SetDequantType(DequantType) { return 0; }
    int32_t SetMadType(MatrixMadType) { return 0; }
    int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
    int32_t SetBufferSpace(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
    template <class Params> void SetMatmulConfigParams(const Params &) {}
    template <class... Params> void SetMatmulConfigParams(int32_t, Params...) {}
    int32_t SetSparse(bool = false) { return 0; }
    int32_t SetShape(int32_t m, int32_t n, int32_t k) { return Set(shape_, m, n, k); }
    int32_t SetSingleShape(int32_t m = -1, int32_t n = -1, int32_t k = -1) { return Set(single_, m, n, k); }
    int32_t SetFixSplit(int32_t m = -1, int32_t n = -1, int32_t k = -1) { return Set(base_, m, n, k); }
    int32_t SetOrgShape(int32_t m, int32_t n, int32_t k) { return SetOrgShape(m, n, k, k); }
    int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb)
    {
        orgKb_ = kb;
        return Set(org_, m, n, ka);
    }
    int32_t SetALayout(int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
    int32_t SetBLayout(int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
    int32_t SetCLayout(int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
    int32_t SetBatchInfoForNormal(int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
    int32_t SetBatchNum(int32_t) { return 0; }
    int32_t EnableBias(bool isBias = false)
    {
        isBias_ = isBias;
        return 0;
    }
    int32_t SetBias(bool isBias = false) { return EnableBias(isBias); }
    int32_t SetTraverse(MatrixTraverse traverse)
    {
        traverse_ = traverse;
        return 0;
    }
    int32_t GetBaseM() const { return tiling_.baseM; }
    int32_t GetBaseN() const { return tiling_.baseN; }
    int32_t GetBaseK() const { return tiling_.baseK; }
    int64_t GetTiling(::TCubeTiling &tiling)
    {
        const int64_t result = Decide();
        tiling = tiling_;
        return result;
    }
    template <class HostTiling> int64_t GetTiling(HostTiling &tiling)
    {
        const int64_t result = Decide();
#define CANNERY_GIVE(type, name) tiling.set_##name(tiling_.name);
        CANNERY_CUBE_TILING(CANNERY_GIVE)
#undef CANNERY_GIVE
        return result;
    }

protected:
    struct Extent {
        int32_t m = -1;
        int32_t n = -1;
        int32_t k = -1;
    };
    static int32_t Set(Extent &extent, int32_t m, int32_t n, int32_t k)
    {
        extent = {m, n, k};
        return 0;
    }
    static int32_t Or(int32_t value, int32_t other) { return value > 0 ? value : other; }
    static int32_t Parts(int32_t whole, int32_t part) { return (whole + part - 1) / part; }
    static int32_t Aligned(int32_t value) { return Parts(value, 16) * 16; }

    // Of all grids of cores the one whose largest part is smallest; of equal ones that which divides M the most.
    int64_t Decide()
    {
        const Extent whole = {Or(shape_.m, org_.m), Or(shape_.n, org_.n), Or(shape_.k, org_.k)};
        if (whole.m <= 0 || whole.n <= 0 || whole.k <= 0) {
            return -1;
        }
        tiling_ = ::TCubeTiling();
        tiling_.M = Or(org_.m, whole.m);
        tiling_.N = Or(org_.n, whole.n);
        tiling_.Ka = Or(org_.k, whole.k);
        tiling_.Kb = Or(orgKb_, tiling_.Ka);
        Divide(whole);
        tiling_.singleCoreK = Or(single_.k, whole.k);
        tiling_.usedCoreNum = Parts(whole.m, tiling_.singleCoreM) * Parts(whole.n, tiling_.singleCoreN) *
                              Parts(whole.k, tiling_.singleCoreK);
        tiling_.baseM = Or(base_.m, std::min(128, Aligned(tiling_.singleCoreM)));
        tiling_.baseN = Or(base_.n, std::min(128, Aligned(tiling_.singleCoreN)));
        tiling_.baseK = Or(base_.k, std::min(64, Aligned(tiling_.singleCoreK)));
        tiling_.depthA1 = tiling_.depthB1 = tiling_.stepM = tiling_.stepN = tiling_.stepKa = tiling_.stepKb = 1;
        tiling_.dbL0A = tiling_.dbL0B = tiling_.dbL0C = 1;
        tiling_.isBias = isBias_ ? 1 : 0;
        tiling_.iterateOrder = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
        tiling_.transLength = tiling_.shareMode = 0;
        tiling_.BatchNum = 1;
        return 0;
    }
    void Divide(const Extent &whole)
    {
        const int32_t unitM = Or(base_.m, 64);
        const int32_t unitN = Or(base_.n, 64);
        int64_t least = -1;
        for (int32_t across = dim_; across >= 1; --across) {
            const int32_t m = Or(single_.m, std::min(whole.m, Parts(Parts(whole.m, across), unitM) * unitM));
            const int32_t n = Or(single_.n, std::min(whole.n, Parts(Parts(whole.n, dim_ / across), unitN) * unitN));
            if (least < 0 || static_cast<int64_t>(m) * n < least) {
                least = static_cast<int64_t>(m) * n;
                tiling_.singleCoreM = m;
                tiling_.singleCoreN = n;
            }
        }
    }

    int32_t dim_ = 1;
    ::TCubeTiling tiling_;
    Extent org_;
    Extent shape_;
    Extent single_;
    Extent base_;
    int32_t orgKb_ = -1;
    bool isBias_ = false;
    MatrixTraverse traverse_ = MatrixTraverse::NOSET;
};

class MatmulApiTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
};

class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    int32_t SetDim(int32_t cores)
    {
        dim_ = std::max(1, cores);
        return 0;
    }
    int32_t SetSingleRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
    int32_t SetAlignSplit(int32_t, int32_t, int32_t) { return 0; }
    int32_t SetSplitRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
    void EnableMultiCoreSplitK(bool) {}
    int32_t GetCoreNum(int32_t &dim, int32_t &m, int32_t &n) const
    {
        m = Parts(tiling_.M, tiling_.singleCoreM);
        n = Parts(tiling_.N, tiling_.singleCoreN);
        dim = m * n;
        return 0;
    }
    int32_t GetSingleShape(int32_t &m, int32_t &n, int32_t &k) const
    {
        m = tiling_.singleCoreM;
        n = tiling_.singleCoreN;
        k = tiling_.singleCoreK;
        return 0;
    }
};
using BatchMatmulTiling = MultiCoreMatmulTiling;

}  // namespace matmul_tiling

#endif
