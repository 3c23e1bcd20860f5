// DenseLightningIndexerKLLossGradMetadata in two phases: how the query rows of a call are dealt out to cube cores.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h"

namespace {

void check(int status, const char *what)
{
    if (status == ACL_SUCCESS) {
        return;
    }
    const char *reason = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s: %d %s\n", what, status, reason ? reason : "");
    std::exit(1);
}

// An int32 tensor of one dim, and the device memory it lies in.
struct Tensor {
    explicit Tensor(const std::vector<int32_t> &values) : size(values.size() * sizeof(int32_t))
    {
        int64_t dims[] = {static_cast<int64_t>(values.size())};
        int64_t strides[] = {1};
        check(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        check(aclrtMemcpy(memory, size, values.data(), size, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        handle = aclCreateTensor(dims, 1, ACL_INT32, strides, 0, ACL_FORMAT_ND, dims, 1, memory);
    }

    ~Tensor()
    {
        aclDestroyTensor(handle);
        aclrtFree(memory);
    }

    size_t size;
    void *memory = nullptr;
    aclTensor *handle = nullptr;
};

void deal(aclrtStream stream, const char *layout, const aclTensor *queries, const aclTensor *keys, int64_t batches)
{
    Tensor metadata(std::vector<int32_t>(64, -1));
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    char layoutQ[8];
    std::snprintf(layoutQ, sizeof(layoutQ), "%s", layout);
    check(aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize(queries, keys, nullptr, nullptr, nullptr, batches,
                                                                       16, 4, 8, 1, 128, layoutQ, layoutQ, 0, 4,
                                                                       metadata.handle, &workspaceSize, &executor),
          "phase 1");
    void *workspace = nullptr;
    if (workspaceSize > 0) {
        check(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    }
    check(aclnnDenseLightningIndexerKLLossGradMetadata(workspace, workspaceSize, executor, stream), "phase 2");
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    std::vector<int32_t> words(64);
    check(aclrtMemcpy(words.data(), metadata.size, metadata.memory, metadata.size, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    std::printf("%s %d %d %d %d %d\n", layout, words[0], words[1], words[2], words[3], words[4]);
    if (workspace != nullptr) {
        aclrtFree(workspace);
    }
}

}  // namespace

int main()
{
    check(aclInit(nullptr), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream = nullptr;
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    {
        Tensor queries({0, 16});
        Tensor keys({0, 4});
        deal(stream, "TND", queries.handle, keys.handle, 0);
    }
    deal(stream, "BSND", nullptr, nullptr, 1);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
