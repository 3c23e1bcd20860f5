// What `kernel<<<blocks, l2, stream>>>(arguments)` becomes.
#ifndef CANNERY_LAUNCH_H
#define CANNERY_LAUNCH_H

#include <tuple>
#include <type_traits>
#include <utility>

#include "cannery/runtime.h"

namespace cannery {

template <class T> inline uint64_t address_of(const T &value)
{
    if constexpr (std::is_pointer_v<T>) {
        return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(value));
    } else {
        return 0;
    }
}

// Blocks, dynamic memory and stream, as the triple angle brackets hold them.
struct Where {
    template <class Blocks> Where(Blocks count) : blocks(static_cast<uint32_t>(count)) {}
    template <class Blocks, class Dynamic> Where(Blocks count, Dynamic) : blocks(static_cast<uint32_t>(count)) {}
    template <class Blocks, class Dynamic>
    Where(Blocks count, Dynamic, void *on) : blocks(static_cast<uint32_t>(count)), stream(on)
    {
    }
    uint32_t blocks;
    void *stream = nullptr;
};

template <class Body, class... Arguments> struct Bound {
    Body body;
    std::tuple<Arguments...> arguments;

    // Once a core, which gets its own copy of the arguments.
    static void run(void *bound)
    {
        Bound own = *static_cast<Bound *>(bound);
        std::apply([&own](auto &...values) { own.body(values...); }, own.arguments);
    }
    static void drop(void *bound) { delete static_cast<Bound *>(bound); }
};

template <class Body, class... Arguments>
void launch(const CanneryKernel &kernel, const Where &where, Body body, Arguments... arguments)
{
    using Call = Bound<Body, Arguments...>;
    const uint64_t addresses[sizeof...(Arguments) + 1] = {address_of(arguments)...};
    auto *bound = new Call{body, std::tuple<Arguments...>(arguments...)};
    cannery_launch(&kernel, where.blocks, where.stream, Call::run, Call::drop, bound, addresses, sizeof...(Arguments));
}

}  // namespace cannery

#endif
