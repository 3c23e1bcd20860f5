// Provokes each status a caller can provoke and prints it: name, status, whether a reason is given.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h"

#define META aclnnDenseLightningIndexerKLLossGradMetadata
#define META_PLAN aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize
#define GRAD_PLAN aclnnDenseLightningIndexerKLLossGradGetWorkspaceSize

static void show(const char *what, int status, int expected)
{
    const char *reason = aclGetRecentErrMsg();
    bool is_told = status == 0 || (reason != nullptr && reason[0] != '\0');
    std::printf("%s %s %d\n", status == expected && is_told ? "ok  " : "FAIL", what, status);
    if (status != expected) {
        std::printf("     expected %d: %s\n", expected, reason != nullptr ? reason : "no reason");
    }
}

struct Call {
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;

    int plan(aclTensor *out, int64_t heads = 8, char *layout = nullptr, aclTensor *ends = nullptr)
    {
        static char bsnd[] = "BSND";
        char *name = layout != nullptr ? layout : bsnd;
        return META_PLAN(ends, ends, nullptr, nullptr, nullptr, layout != nullptr ? 0 : 1, 16, 4, heads, 1, 128, name,
                         name, 0, 4, out, &size, &executor);
    }
};

static aclTensor *vector_of(void *memory, int64_t count, aclDataType type = ACL_INT32)
{
    return aclCreateTensor(&count, 1, type, nullptr, 0, ACL_FORMAT_ND, &count, 1, memory);
}

static void before_init()
{
    void *memory = nullptr;
    show("set device without init", aclrtSetDevice(0), ACL_SUCCESS);
    show("reset it", aclrtResetDevice(0), ACL_SUCCESS);
    show("repeat finalize", aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    Call call;
    aclTensor *out = vector_of(nullptr, 64);
    show("phase 1 without runtime", call.plan(out), ACLNN_ERR_RUNTIME_ERROR);
    aclDestroyTensor(out);
    show("invalid file", aclInit("/no/such/file.json"), ACL_ERROR_INVALID_FILE);
    show("init", aclInit(nullptr), ACL_SUCCESS);
    show("repeat init", aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
    show("no context", aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    show("invalid device", aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID);
    show("set device", aclrtSetDevice(0), ACL_SUCCESS);
}

static void memory()
{
    void *block = nullptr;
    std::vector<char> host(64), other(64);
    show("null result", aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    show("no bytes", aclrtMalloc(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    show("malloc type", aclrtMalloc(&block, 64, static_cast<aclrtMemMallocPolicy>(99)), ACL_ERROR_RT_INVALID_MALLOC_TYPE);
    show("out of memory", aclrtMalloc(&block, 1ULL << 50, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    show("malloc", aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    char *device = static_cast<char *>(block);
    show("null end", aclrtMemcpy(nullptr, 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    show("kind", aclrtMemcpy(device, 64, host.data(), 64, static_cast<aclrtMemcpyKind>(9)), ACL_ERROR_INVALID_PARAM);
    show("room", aclrtMemcpy(device, 63, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    show("beyond", aclrtMemcpy(device, 65, host.data(), 65, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    show("host pointer", aclrtMemcpy(other.data(), 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE),
         ACL_ERROR_RT_INVALID_MEMORY_TYPE);
    show("host to host", aclrtMemcpyAsync(other.data(), 64, host.data(), 64, ACL_MEMCPY_HOST_TO_HOST, nullptr),
         ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    show("free", aclrtFree(device), ACL_SUCCESS);
    show("free again", aclrtFree(device), ACL_ERROR_RT_MEMORY_FREE);
    show("freed block", aclrtMemcpy(host.data(), 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    show("free null", aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
}

static void streams_and_events()
{
    aclrtStream stream = nullptr;
    aclrtEvent start = nullptr, end = nullptr;
    float ms = 0.0F;
    int64_t value = 0;
    show("stream", aclrtCreateStream(&stream), ACL_SUCCESS);
    show("event", aclrtCreateEvent(&start), ACL_SUCCESS);
    show("event", aclrtCreateEvent(&end), ACL_SUCCESS);
    show("no timestamp", aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    show("record", aclrtRecordEvent(start, stream), ACL_SUCCESS);
    show("record", aclrtRecordEvent(end, stream), ACL_SUCCESS);
    show("synchronize", aclrtSynchronizeStream(stream), ACL_SUCCESS);
    show("reversal", aclrtEventElapsedTime(&ms, end, start), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);
    show("no callback", aclrtLaunchCallback([](void *) {}, nullptr, ACL_CALLBACK_BLOCK, stream),
         ACL_ERROR_RT_STREAM_NO_CB_REG);
    show("option", aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    aclrtContext mine = nullptr, context = nullptr;
    show("context", aclrtGetCurrentContext(&mine), ACL_SUCCESS);
    show("context", aclrtCreateContext(&context, 0), ACL_SUCCESS);
    show("other context", aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    show("back", aclrtSetCurrentContext(mine), ACL_SUCCESS);
    show("destroy context", aclrtDestroyContext(context), ACL_SUCCESS);
    show("destroy event", aclrtDestroyEvent(start), ACL_SUCCESS);
    show("destroy event", aclrtDestroyEvent(end), ACL_SUCCESS);
    show("destroy stream", aclrtDestroyStream(stream), ACL_SUCCESS);
    show("destroyed stream", aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static void phases()
{
    void *words = nullptr, *workspace = nullptr, *cu = nullptr;
    aclrtMalloc(&words, 256, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&workspace, 1024, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&cu, 12, ACL_MEM_MALLOC_HUGE_FIRST);
    const int32_t falling[] = {0, 9, 4};
    aclrtMemcpy(cu, 12, falling, 12, ACL_MEMCPY_HOST_TO_DEVICE);
    aclTensor *out = vector_of(words, 64), *ends = vector_of(cu, 3);
    char bsnd[] = "BSND", tnd[] = "TND";
    Call call;
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    int status = META_PLAN(nullptr, nullptr, nullptr, nullptr, nullptr, 1, 16, 4, 8, 1, 128, bsnd, bsnd, 0, 4, out,
                           nullptr, &executor);
    show("null workspaceSize", status, ACLNN_ERR_INNER_NULLPTR);
    status = META_PLAN(nullptr, nullptr, nullptr, nullptr, nullptr, 1, 16, 4, 8, 1, 128, bsnd, bsnd, 0, 4, out, &size,
                       nullptr);
    show("null executor", status, ACLNN_ERR_INNER_NULLPTR);
    status = META_PLAN(nullptr, nullptr, nullptr, nullptr, nullptr, 1, 16, 4, 8, 1, 128, nullptr, bsnd, 0, 4, out, &size,
                       &executor);
    show("null layout", status, ACLNN_ERR_PARAM_INVALID);
    show("heads", call.plan(out, 129), ACLNN_ERR_PARAM_INVALID);
    show("null metadata", call.plan(nullptr), ACLNN_ERR_PARAM_INVALID);
    show("phase 1", call.plan(out), ACL_SUCCESS);
    show("null executor in phase 2", META(workspace, call.size, nullptr, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    show("phase 2", META(workspace, call.size, call.executor, nullptr), ACL_SUCCESS);
    show("executor used twice", META(workspace, call.size, call.executor, nullptr), ACLNN_ERR_INNER_NULLPTR);
    show("phase 1", call.plan(out), ACL_SUCCESS);
    show("null workspace", META(nullptr, call.size, call.executor, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    show("phase 1", call.plan(out), ACL_SUCCESS);
    show("small workspace", META(workspace, call.size - 1, call.executor, nullptr), ACLNN_ERR_PARAM_INVALID);
    show("phase 1", call.plan(out, 8, tnd, ends), ACL_SUCCESS);
    show("phase 2", META(workspace, call.size, call.executor, nullptr), ACL_SUCCESS);
    show("value on the device", aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_AICPU_EXCEPTION);
    show("phase 1", call.plan(out), ACL_SUCCESS);
    show("destroy", aclDestroyTensor(out), ACL_SUCCESS);
    show("destroyed tensor", META(workspace, call.size, call.executor, nullptr), ACLNN_ERR_PARAM_INVALID);
    show("destroyed twice", aclDestroyTensor(out), ACLNN_ERR_PARAM_INVALID);
    show("destroy null", aclDestroyTensor(nullptr), ACL_SUCCESS);
    aclDestroyTensor(ends);
    int64_t *dims = nullptr;
    show("null tensor", aclGetViewShape(nullptr, &dims, &size), ACLNN_ERR_PARAM_NULLPTR);
    show("null repeatable", aclSetAclOpExecutorRepeatable(nullptr), ACLNN_ERR_INNER_NULLPTR);
    show("null destroy", aclDestroyAclOpExecutor(nullptr), ACLNN_ERR_INNER_NULLPTR);
    for (void *block : {words, workspace, cu}) {
        aclrtFree(block);
    }
}

static void gradient()
{
    const int64_t q_dims[] = {4, 2, 128}, k_dims[] = {3, 1, 128}, w_dims[] = {4, 2}, p_dims[] = {4, 1, 3}, lse_dims[] = {1, 4};
    auto made = [](const int64_t *dims, uint64_t rank, aclDataType type) {
        return aclCreateTensor(dims, rank, type, nullptr, 0, ACL_FORMAT_ND, dims, rank, nullptr);
    };
    aclTensor *q = made(q_dims, 3, ACL_FLOAT16), *k = made(k_dims, 3, ACL_FLOAT16), *w = made(w_dims, 2, ACL_FLOAT);
    aclTensor *p = made(p_dims, 3, ACL_FLOAT), *lse = made(lse_dims, 2, ACL_FLOAT), *cu = vector_of(nullptr, 2);
    aclTensor *words = vector_of(nullptr, 64), *ints = made(q_dims, 3, ACL_INT32);
    char tnd[] = "TND";
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    auto plan = [&](aclTensor *query, char *layout, aclTensor *metadata, uint64_t *workspaceSize) {
        return GRAD_PLAN(query, k, w, p, lse, cu, cu, nullptr, nullptr, nullptr, metadata, layout, tnd, 0, 1, q, k, w, p,
                         workspaceSize, &executor);
    };
    show("gradient", plan(q, tnd, words, &size), ACL_SUCCESS);
    show("gradient, null size", plan(q, tnd, words, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    show("gradient, null layout", plan(q, nullptr, words, &size), ACLNN_ERR_PARAM_NULLPTR);
    show("gradient, null q", plan(nullptr, tnd, words, &size), ACLNN_ERR_PARAM_INVALID);
    show("gradient, int q", plan(ints, tnd, words, &size), ACLNN_ERR_PARAM_INVALID);
    show("gradient, no metadata", plan(q, tnd, nullptr, &size), ACLNN_ERR_INNER_TILING_ERROR);
    for (aclTensor *tensor : {q, k, w, p, lse, cu, words, ints}) {
        aclDestroyTensor(tensor);
    }
}

int main()
{
    before_init();
    memory();
    streams_and_events();
    phases();
    gradient();
    show("reset", aclrtResetDevice(0), ACL_SUCCESS);
    show("reset again", aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL);
    show("finalize", aclFinalize(), ACL_SUCCESS);
    show("after finalize", aclrtSetDevice(0), ACL_SUCCESS);
    return 0;
}
