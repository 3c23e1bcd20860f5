// Scalar types, qualifiers and enumerations (hicann/asc-devkit include/basic_api @82b89a15f).
#ifndef CANNERY_TYPES_H
#define CANNERY_TYPES_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cannery/operations.h"
#include "cannery/runtime.h"

#ifndef __CANNERY_TRANSLATED__
#define __global__
#define __vector__
#define __cube__
#define __mix__(cubes, vectors)
#endif
#define __aicore__
#define __host_aicore__
#define __host__
#define ASCENDC_HOST_AICORE
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __ssbuf__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __sync_alias__
#define __sync_noalias__
#define __check_sync_alias__
#define __sync_in__
#define __sync_out__
#define __kfc_workspace__
#define __BLOCK_LOCAL__ thread_local
#define __WORKGROUP_LOCAL__ thread_local
#define __schedmode__(mode)
#define __disable_kernel_type_autoinfer__
#define __callee__
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define GM_ADDR __gm__ uint8_t *

using half = _Float16;
#define __fp16 _Float16

// Round to nearest even; arithmetic goes through float.
class bfloat16_t {
public:
    bfloat16_t() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>>
    constexpr bfloat16_t(T value) : bits_(round(static_cast<float>(value))) {}
    constexpr operator float() const
    {
        return __builtin_bit_cast(float, static_cast<uint32_t>(bits_) << 16);
    }

private:
    static constexpr uint16_t round(float value)
    {
        const auto bits = __builtin_bit_cast(uint32_t, value);
        if (value != value) {
            return static_cast<uint16_t>((bits >> 16) | 0x40U);
        }
        return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
    }
    uint16_t bits_;
};
#ifndef __bf16
#define __bf16 bfloat16_t
#endif

enum pipe_t : uint8_t {
    PIPE_S = 0,
    PIPE_V = 1,
    PIPE_M = 2,
    PIPE_MTE1 = 3,
    PIPE_MTE2 = 4,
    PIPE_MTE3 = 5,
    PIPE_ALL = 6,
    PIPE_MTE4 = 7,
    PIPE_MTE5 = 8,
    PIPE_V2 = 9,
    PIPE_FIX = 10
};

enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

enum class CubeFormat { ND, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, COLUMN_MAJOR };

#define block_idx (cannery_core()->kind == 1 ? cannery_core()->block : cannery_core()->block / cannery_core()->subBlocks)
#define block_num (cannery_core()->blocks)
#define g_coreType (cannery_core()->kind)
#define ASCEND_IS_AIC (cannery_core()->kind == 1)
#define ASCEND_IS_AIV (cannery_core()->kind == 2)
#define ASCEND_IS_NOT_AIC (cannery_core()->kind != 1)
#define ASCEND_IS_NOT_AIV (cannery_core()->kind != 2)
#define ASCENDC_IS_AICORE (true)

namespace cannery {

template <class...> inline constexpr bool never = false;

template <class T> struct CodeOf {
    static_assert(never<T>, "a tensor of this element type is not simulated: found another, expected an integer, half, "
                            "bfloat16_t or float");
    static constexpr int64_t value = 0;
};
#define CANNERY_ELEMENT(type, name)                            \
    template <> struct CodeOf<type> {                          \
        static constexpr int64_t value = int64_t(Dtype::name); \
    };
CANNERY_ELEMENT(int8_t, int8)
CANNERY_ELEMENT(uint8_t, uint8)
CANNERY_ELEMENT(bool, uint8)
CANNERY_ELEMENT(char, int8)
CANNERY_ELEMENT(int16_t, int16)
CANNERY_ELEMENT(uint16_t, uint16)
CANNERY_ELEMENT(int32_t, int32)
CANNERY_ELEMENT(uint32_t, uint32)
CANNERY_ELEMENT(int64_t, int64)
CANNERY_ELEMENT(uint64_t, uint64)
CANNERY_ELEMENT(long long, int64)
CANNERY_ELEMENT(unsigned long long, uint64)
CANNERY_ELEMENT(half, float16)
CANNERY_ELEMENT(bfloat16_t, bfloat16)
CANNERY_ELEMENT(float, float32)
CANNERY_ELEMENT(double, float64)
#undef CANNERY_ELEMENT

template <class T, class... Types> inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

}  // namespace cannery

namespace AscendC {

constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;
constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t FULL_MASK = ~uint64_t(0);
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr int32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t BLOCK_CUBE = 16;

enum class TPosition : uint8_t {
    GM = 0,
    A1 = 1,
    A2 = 2,
    B1 = 3,
    B2 = 4,
    C1 = 5,
    C2 = 6,
    CO1 = 7,
    CO2 = 8,
    VECIN = 9,
    VECOUT = 10,
    VECCALC = 11,
    LCM = VECCALC,
    SPM = 12,
    SHM = SPM,
    TSCM = 13,
    C2PIPE2GM = 14,
    C2PIPE2LOCAL = 15,
    MAX = 16
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class RoundMode : uint8_t {
    CAST_NONE,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD,
    CAST_HYBRID,
    CAST_EVEN,
    CAST_ZERO,
    UNKNOWN = 255
};
enum class ReduceOrder : int8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class MemDsbT { ALL, DDR, UB, SEQ };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class DataFormat : uint8_t { ND, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };

using TEventID = int8_t;

}  // namespace AscendC

#endif
