// What a kernel and the virtual core share: one bridge that every instruction crosses, and what a core knows of itself.
#ifndef CANNERY_RUNTIME_H
#define CANNERY_RUNTIME_H

#include <cstddef>
#include <cstdint>

#define CANNERY_INLINE inline __attribute__((always_inline))

extern "C" {

struct CanneryCore {
    int64_t block;
    int64_t blocks;
    int64_t subBlock;
    int64_t subBlocks;
    int32_t kind;  // 1: cube, 2: vector, 0: none, the host
};

// How the source says a kernel is to be launched; the translator of `kernel<<<…>>>(…)` fills it in.
struct CanneryKernel {
    const char *name;
    const char *arguments;  // as the launch writes them, a line each
    int32_t cubes;          // cores of a group
    int32_t vectors;
    int32_t scheduled;
    int32_t autoSync;
};

// Passes an operation and its arguments to the core. Its return address is the place in the program.
// Results, where there are several, come back in `words`. Throws cannery::Stopped where the kernel cannot go on.
int64_t cannery_call(int32_t operation, int64_t *words, int32_t count);

// The core that this thread runs.
CanneryCore *cannery_core(void);

// What the host part asks of the chip and the library: a question by name, and its numbers.
int64_t cannery_ask(const char *question, const int64_t *numbers, int32_t count);

// Text of the kernel on standard output.
void cannery_print(const char *text);

// Put a kernel on a stream. `run` calls it once on the running core; `drop` forgets the arguments.
void cannery_launch(const CanneryKernel *kernel, uint32_t blocks, void *stream, void (*run)(void *),
                    void (*drop)(void *), void *arguments, const uint64_t *addresses, uint32_t count);
}

namespace cannery {

// Unwinds a kernel that cannot go on; the reason is with the core.
struct Stopped {};

}  // namespace cannery

#endif
