// printf, DumpTensor and assert as kernels have them.
#ifndef CANNERY_DEBUG_H
#define CANNERY_DEBUG_H

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cannery/queues.h"

namespace cannery {

template <class T> inline auto printable(T value)
{
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> || std::is_floating_point_v<T>) {
        return static_cast<double>(static_cast<float>(value));
    } else if constexpr (std::is_enum_v<T>) {
        return static_cast<std::underlying_type_t<T>>(value);
    } else {
        return value;
    }
}

// A line of a kernel's output, with the core in front.
template <class... Arguments> void print(const char *format, Arguments... arguments)
{
    const CanneryCore &core = *cannery_core();
    char text[4096];
    int length = 0;
    if (core.kind != 0) {  // on the host this is libc's
        length = std::snprintf(text, sizeof text, "[%s Block %ld/%ld] ", core.kind == 1 ? "AIC" : "AIV",
                               static_cast<long>(core.block), static_cast<long>(core.blocks));
    }
    std::snprintf(text + length, sizeof text - length, format, printable(arguments)...);
    cannery_print(text);
}

inline void say() {}
template <class... Arguments> inline void say(const char *format, Arguments... arguments) { print(format, arguments...); }

CANNERY_INLINE void not_so(const char *condition, const char *file, int line)
{
    if (cannery_core()->kind == 0) {
        std::fprintf(stderr, "%s:%d: Assertion `%s' failed.\n", file, line, condition);
        std::abort();
    }
    call(Operation::assert_failed, condition, file, line);
}

}  // namespace cannery

namespace AscendC {

template <class... Arguments> void printf(const char *format, Arguments... arguments)
{
    cannery::print(format, arguments...);
}
template <class... Arguments> void PRINTF(const char *format, Arguments... arguments)
{
    cannery::print(format, arguments...);
}

template <class Tensor> CANNERY_INLINE void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t count)
{
    cannery::call(cannery::Operation::dump_tensor, tensor, desc, count, 0);
}
template <class Tensor>
CANNERY_INLINE void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t count, const ShapeInfo &shape)
{
    const uint32_t *dims = shape.shape;
    cannery::call(cannery::Operation::dump_tensor, tensor, desc, count, shape.shapeDim, dims[0], dims[1], dims[2],
                  dims[3], dims[4], dims[5], dims[6], dims[7]);
}

}  // namespace AscendC

// In a kernel a finding, on the host the program's end.
#define ASCENDC_ASSERT(condition, ...)                              \
    do {                                                            \
        if (!(condition)) {                                         \
            cannery::not_so(#condition, __FILE__, __LINE__);        \
        }                                                           \
    } while (0)
#define CANNERY_ASSERT(condition, ...)                              \
    do {                                                            \
        if (!(condition)) {                                         \
            cannery::say(__VA_ARGS__);                              \
            cannery::not_so(#condition, __FILE__, __LINE__);        \
        }                                                           \
    } while (0)
#define ascendc_assert(...) CANNERY_ASSERT(__VA_ARGS__)
#define ASSERT(...) CANNERY_ASSERT(__VA_ARGS__)
#undef assert
#define assert(...) CANNERY_ASSERT(__VA_ARGS__)

#endif
