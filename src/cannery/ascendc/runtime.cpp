// The C side of the bridge: what a program links. Python fills in the table before the first kernel runs.
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <ucontext.h>

#include "cannery/runtime.h"

extern "C" {

struct CanneryTable {
    int32_t (*call)(int32_t operation, int64_t *words, int32_t count, void *place, int64_t *result);
    void (*launch)(const CanneryKernel *kernel, uint32_t blocks, void *stream, void (*run)(void *),
                   void (*drop)(void *), void *arguments, const uint64_t *addresses, uint32_t count);
    int64_t (*ask)(const char *question, const int64_t *numbers, int32_t count);
};

CanneryTable cannery_table;

// How a run of a kernel on one core has ended.
struct CanneryEnd {
    int32_t how;
    int32_t signal;
    void *place;
    char text[256];
};
}

namespace {

enum How { COMPLETED, STOPPED, THREW, CRASHED, EXPIRED };

struct Run {
    CanneryCore core;
    sigjmp_buf escape;
    volatile sig_atomic_t isInKernel = 0;
    volatile sig_atomic_t hasExpired = 0;
    int signal = 0;
    void *place = nullptr;
};

// Where exit() goes.
struct Ending {
    sigjmp_buf escape;
    int code = 0;
};

thread_local Run *current = nullptr;
thread_local Ending *ending = nullptr;
constexpr int CRASHES[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int EXPIRE = SIGURG;  // its default is to be ignored
constexpr int BY_CRASH = 1;
constexpr int BY_TIME = 2;
struct sigaction before[65];

void *place_of(void *context)
{
#if defined(__x86_64__)
    return reinterpret_cast<void *>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<void *>(static_cast<ucontext_t *>(context)->uc_mcontext.pc);
#else
    (void)context;
    return nullptr;
#endif
}

void on_crash(int number, siginfo_t *, void *context)
{
    Run *run = current;
    if (run == nullptr || !run->isInKernel) {
        sigaction(number, &before[number], nullptr);  // not the kernel's: as if we had not been here
        return;
    }
    run->signal = number;
    run->place = place_of(context);
    siglongjmp(run->escape, BY_CRASH);
}

void on_expiry(int, siginfo_t *, void *context)
{
    Run *run = current;
    if (run == nullptr) {
        return;
    }
    run->hasExpired = 1;
    if (run->isInKernel) {
        run->place = place_of(context);
        siglongjmp(run->escape, BY_TIME);
    }
}

void install()
{
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    action.sa_sigaction = on_crash;
    for (int number : CRASHES) {
        sigaction(number, &action, &before[number]);
    }
    action.sa_sigaction = on_expiry;
    sigaction(EXPIRE, &action, &before[EXPIRE]);
}

int32_t run_guarded(Run &run, void (*body)(void *), void *arguments, char *text, size_t size)
{
    const int escaped = sigsetjmp(run.escape, 1);
    if (escaped != 0) {
        run.isInKernel = 0;
        return escaped == BY_CRASH ? CRASHED : EXPIRED;
    }
    try {
        run.isInKernel = 1;
        body(arguments);
        run.isInKernel = 0;
        return COMPLETED;
    } catch (const cannery::Stopped &) {
        run.isInKernel = 0;
        return STOPPED;
    } catch (const std::exception &failure) {
        run.isInKernel = 0;
        std::snprintf(text, size, "%s", failure.what());
    } catch (...) {
        run.isInKernel = 0;
        std::snprintf(text, size, "an exception that is no std::exception");
    }
    return THREW;
}

}  // namespace

extern "C" {

// The work of the bridge; noinline and without tail calls, so that the return address is the program's.
__attribute__((noinline)) int64_t cannery_call(int32_t operation, int64_t *words, int32_t count)
{
    Run *run = current;
    if (run == nullptr) {
        std::fprintf(stderr, "cannery: found a kernel's function called on the host, expected it inside a kernel\n");
        std::exit(1);
    }
    int64_t result = 0;
    run->isInKernel = 0;
    const int32_t stop = cannery_table.call(operation, words, count, __builtin_return_address(0), &result);
    run->isInKernel = 1;
    if (stop != 0) {
        throw cannery::Stopped();
    }
    if (run->hasExpired) {
        run->place = __builtin_return_address(0);
        siglongjmp(run->escape, BY_TIME);
    }
    return result;
}

int64_t cannery_ask(const char *question, const int64_t *numbers, int32_t count)
{
    return cannery_table.ask(question, numbers, count);
}

CanneryCore *cannery_core(void)
{
    static CanneryCore host = {0, 1, 0, 1, 0};
    return current == nullptr ? &host : &current->core;
}

void cannery_print(const char *text)
{
    std::fputs(text, stdout);
}

void cannery_flush(void)
{
    std::fflush(nullptr);
}

// printf of a program: a kernel's lines begin with its core.
int __wrap_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (current != nullptr) {
        const CanneryCore &core = current->core;
        std::fprintf(stdout, "[%s Block %ld/%ld] ", core.kind == 1 ? "AIC" : "AIV", static_cast<long>(core.block),
                     static_cast<long>(core.blocks));
    }
    const int written = std::vfprintf(stdout, format, arguments);
    va_end(arguments);
    return written;
}

// exit() of a program ends its main, not the process that reports what was found.
void __wrap_exit(int code)
{
    if (ending == nullptr) {
        std::exit(code);
    }
    ending->code = code;
    siglongjmp(ending->escape, 1);
}

int32_t cannery_main(int (*program)(int, char **), int count, char **arguments)
{
    Ending mine;
    ending = &mine;
    const int32_t code = sigsetjmp(mine.escape, 1) != 0 ? mine.code : program(count, arguments);
    ending = nullptr;
    std::fflush(nullptr);
    return code;
}

void cannery_launch(const CanneryKernel *kernel, uint32_t blocks, void *stream, void (*run)(void *),
                    void (*drop)(void *), void *arguments, const uint64_t *addresses, uint32_t count)
{
    cannery_table.launch(kernel, blocks, stream, run, drop, arguments, addresses, count);
}

void cannery_run(void (*body)(void *), void *arguments, const CanneryCore *core, CanneryEnd *end)
{
    static std::once_flag once;
    std::call_once(once, install);
    Run run;
    run.core = *core;
    Run *outer = current;
    current = &run;
    end->how = run_guarded(run, body, arguments, end->text, sizeof end->text);
    current = outer;
    end->signal = run.signal;
    end->place = run.place;
}

// The file that has an address, and the offset that its debugging information knows the address by.
int32_t cannery_where(uintptr_t place, const char **file, uint64_t *offset)
{
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(place), &info) == 0 || info.dli_fname == nullptr) {
        return 0;
    }
    *file = info.dli_fname;
    *offset = place - reinterpret_cast<uintptr_t>(info.dli_fbase);
    return 1;
}

uint64_t cannery_thread(void)
{
    return static_cast<uint64_t>(pthread_self());
}

// End the kernel that a thread runs.
void cannery_expire(uint64_t thread)
{
    pthread_kill(static_cast<pthread_t>(thread), EXPIRE);
}
}
