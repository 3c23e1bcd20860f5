// Type tools, helpers of the scalar unit, types that are only moved (hicann/asc-devkit include/{basic_api,utils/std} @82b89a15f).
#ifndef CANNERY_TOOLS_H
#define CANNERY_TOOLS_H

#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cannery/tensors.h"

namespace cannery {

// Elements that no instruction here computes with: a tensor of them does not compile.
template <int number> struct Opaque {
    uint8_t bits = 0;
};

}  // namespace cannery

using hifloat8_t = cannery::Opaque<1>;
using fp8_e5m2_t = cannery::Opaque<2>;
using fp8_e4m3fn_t = cannery::Opaque<3>;
using fp8_e8m0_t = cannery::Opaque<4>;
using fp4x2_e2m1_t = cannery::Opaque<5>;
using fp4x2_e1m2_t = cannery::Opaque<6>;

namespace AscendC {

using int4b_t = cannery::Opaque<7>;
using int2b_t = cannery::Opaque<8>;
using uint1b_t = cannery::Opaque<9>;
using int4x2_t = cannery::Opaque<10>;
using ::fp4x2_e1m2_t;
using ::fp4x2_e2m1_t;
using ::fp8_e4m3fn_t;
using ::fp8_e5m2_t;
using ::fp8_e8m0_t;
using ::hifloat8_t;

constexpr uint32_t K_MAX_DIM = 8;
constexpr uint32_t ONE_BYTE_BIT_SIZE = 8;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint32_t B32_BYTE_SIZE = 4;
constexpr uint32_t B16_BYTE_SIZE = 2;

template <typename A, typename B> struct IsSameType : std::is_same<A, B> {};
template <bool condition, typename A, typename B> struct Conditional : std::conditional<condition, A, B> {};
template <typename T> struct SizeOfBits {
    static constexpr uint32_t value = sizeof(T) * 8;
};
template <> struct SizeOfBits<int4b_t> {
    static constexpr uint32_t value = 4;
};
template <> struct SizeOfBits<int2b_t> {
    static constexpr uint32_t value = 2;
};
template <> struct SizeOfBits<uint1b_t> {
    static constexpr uint32_t value = 1;
};

constexpr uint32_t Ceil(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return Ceil(a, b); }
constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return Ceil(a, b) * b; }

namespace Std {
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::get;
using std::index_sequence;
using std::integral_constant;
using std::is_base_of;
using std::is_convertible;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::is_void_v;
using std::is_integral;
using std::is_integral_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_array;
using std::is_array_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_const;
using std::is_const_v;
using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_volatile;
using std::add_volatile_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::remove_const;
using std::remove_const_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::is_base_of_v;
using std::is_convertible_v;
using std::integer_sequence;
using std::make_index_sequence;
using std::make_tuple;
using std::move;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_reference;
using std::remove_reference_t;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
template <typename T> constexpr T min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> constexpr T max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T> constexpr T abs(const T &a) { return a < T(0) ? static_cast<T>(-a) : a; }
template <typename T> inline T sqrt(const T &a) { return static_cast<T>(std::sqrt(static_cast<float>(a))); }
template <typename T> constexpr T ceil_division(T a, T b) { return (a + b - 1) / b; }
template <typename T> constexpr T ceil_align(T a, T b) { return (a + b - 1) / b * b; }
}  // namespace Std

template <typename T> struct NumericLimits {
    static constexpr T Max() { return std::numeric_limits<T>::max(); }
    static constexpr T Min() { return std::numeric_limits<T>::min(); }
    static constexpr T Lowest() { return std::numeric_limits<T>::lowest(); }
    static constexpr T Infinity() { return std::numeric_limits<T>::infinity(); }
    static constexpr T NegativeInfinity() { return -std::numeric_limits<T>::infinity(); }
    static constexpr T QuietNaN() { return std::numeric_limits<T>::quiet_NaN(); }
};
template <> struct NumericLimits<half> {
    static constexpr half Max() { return half(65504.0f); }
    static constexpr half Min() { return half(6.103515625e-05f); }
    static constexpr half Lowest() { return half(-65504.0f); }
    static constexpr half Infinity() { return half(__builtin_inff()); }
    static constexpr half NegativeInfinity() { return half(-__builtin_inff()); }
    static constexpr half QuietNaN() { return half(__builtin_nanf("")); }
};

template <int bit> CANNERY_INLINE int64_t ScalarGetCountOfValue(uint64_t value)
{
    return __builtin_popcountll(bit == 1 ? value : ~value);
}
template <int bit> CANNERY_INLINE int64_t GetBitCount(uint64_t value) { return ScalarGetCountOfValue<bit>(value); }
template <int bit> CANNERY_INLINE int64_t ScalarGetSFFValue(uint64_t value)
{
    const uint64_t wanted = bit == 1 ? value : ~value;
    return wanted == 0 ? -1 : __builtin_ctzll(wanted);
}
template <int bit> CANNERY_INLINE int64_t GetSFFValue(uint64_t value) { return ScalarGetSFFValue<bit>(value); }
CANNERY_INLINE int64_t ScalarCountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
CANNERY_INLINE int64_t CountLeadingZero(uint64_t value) { return ScalarCountLeadingZero(value); }

CANNERY_INLINE float ToFloat(const bfloat16_t &value) { return static_cast<float>(value); }
CANNERY_INLINE bfloat16_t ToBfloat16(const float &value) { return bfloat16_t(value); }
CANNERY_INLINE float Cast(const bfloat16_t &value) { return static_cast<float>(value); }
CANNERY_INLINE bfloat16_t Cast(const float &value) { return bfloat16_t(value); }

}  // namespace AscendC

#endif
