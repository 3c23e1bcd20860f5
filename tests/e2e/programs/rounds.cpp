// Rounds of everything in two threads, a stream each; prints whether results were right and memory stayed flat.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h"

static long resident_kib()
{
    long size = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> size >> pages;
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static bool round_of(aclrtStream stream, int32_t rows)
{
    int64_t dims[] = {64}, strides[] = {1};
    char layout[] = "BSND";
    void *words = nullptr, *workspace = nullptr;
    std::vector<int32_t> host(64, -1);
    uint64_t size = 0, rank = 0;
    int64_t *seen = nullptr;
    aclOpExecutor *executor = nullptr;
    if (aclrtMalloc(&words, 256, ACL_MEM_MALLOC_HUGE_FIRST) != 0) {
        return false;
    }
    aclTensor *out = aclCreateTensor(dims, 1, ACL_INT32, strides, 0, ACL_FORMAT_ND, dims, 1, words);
    int status = aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize(
        nullptr, nullptr, nullptr, nullptr, nullptr, 1, rows, 4, 8, 1, 128, layout, layout, 0, 4, out, &size, &executor);
    status += aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    status += aclnnDenseLightningIndexerKLLossGradMetadata(workspace, size, executor, stream);
    status += aclGetViewShape(out, &seen, &rank);
    status += aclDestroyTensor(out);
    status += aclrtSynchronizeStream(stream);
    status += aclrtMemcpy(host.data(), 256, words, 256, ACL_MEMCPY_DEVICE_TO_HOST);
    status += aclrtFree(words) + aclrtFree(workspace);
    bool is_right = status == 0 && rank == 1 && seen[0] == 64 && host[0] == rows && host[63] == 0;
    delete[] seen;
    return is_right;
}

static void work(int32_t rows, int count, bool *is_right)
{
    aclrtStream stream = nullptr;
    *is_right = aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0;
    for (int number = 0; number < count && *is_right; ++number) {
        *is_right = round_of(stream, rows);
    }
    *is_right = *is_right && aclrtDestroyStream(stream) == 0 && aclrtResetDevice(0) == 0;
}

static bool both(int count)
{
    bool is_first_right = false, is_second_right = false;
    std::thread first(work, 5, count, &is_first_right), second(work, 64, count, &is_second_right);
    first.join();
    second.join();
    return is_first_right && is_second_right;
}

int main(int count, char **words)
{
    int rounds = count > 1 ? std::atoi(words[1]) : 1000;
    if (aclInit(nullptr) != 0) {
        return 1;
    }
    bool is_right = both(200);
    long before = resident_kib();
    is_right = both(rounds / 2) && is_right;
    long growth = resident_kib() - before;
    std::printf("%s\n", is_right ? "right" : "wrong");
    std::printf("%s\n", growth < 4096 ? "flat" : "grows");
    std::fprintf(stderr, "%ld KiB\n", growth);
    aclFinalize();
    return 0;
}
