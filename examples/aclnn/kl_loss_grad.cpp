// The KL gradient of a lightning indexer in two phases: metadata first, then the gradient, on one stream.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h"

namespace {

constexpr int64_t ROWS = 16;
constexpr int64_t KEYS = 4;
constexpr int64_t HEADS = 8;
constexpr int64_t DIM = 128;
constexpr int64_t CAUSAL = 3;
constexpr int64_t RATIO = 1;

void check(int status, const char *what)
{
    if (status == ACL_SUCCESS) {
        return;
    }
    const char *reason = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s: %d %s\n", what, status, reason ? reason : "");
    std::exit(1);
}

// A row-major tensor, and the device memory it lies in.
template <typename T>
struct Tensor {
    Tensor(const std::vector<int64_t> &dims, aclDataType type, const std::vector<T> &values) : count(values.size())
    {
        check(aclrtMalloc(&memory, bytes(), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        check(aclrtMemcpy(memory, bytes(), values.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        std::vector<int64_t> strides(dims.size(), 1);
        for (size_t dim = dims.size() - 1; dim > 0; --dim) {
            strides[dim - 1] = strides[dim] * dims[dim];
        }
        handle = aclCreateTensor(dims.data(), dims.size(), type, strides.data(), 0, ACL_FORMAT_ND, dims.data(),
                                 dims.size(), memory);
    }

    ~Tensor()
    {
        aclDestroyTensor(handle);
        aclrtFree(memory);
    }

    size_t bytes() const { return count * sizeof(T); }

    std::vector<T> read() const
    {
        std::vector<T> values(count);
        check(aclrtMemcpy(values.data(), bytes(), memory, bytes(), ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        return values;
    }

    size_t count;
    void *memory = nullptr;
    aclTensor *handle = nullptr;
};

using Ints = Tensor<int32_t>;
using Floats = Tensor<float>;
using Halves = Tensor<aclFloat16>;

void *allocate(uint64_t size)
{
    void *memory = nullptr;
    if (size > 0) {
        check(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    }
    return memory;
}

// Each row spread evenly over the keys a plain causal mask shows it.
std::vector<float> target()
{
    std::vector<float> p(ROWS * KEYS, 0.0F);
    for (int64_t row = 0; row < ROWS; ++row) {
        int64_t seen = std::min(row + 1, KEYS);
        std::fill_n(p.begin() + row * KEYS, seen, 1.0F / static_cast<float>(seen));
    }
    return p;
}

void gradient(aclrtStream stream)
{
    const aclFloat16 one = aclFloatToFloat16(1.0F);
    Halves q({ROWS, HEADS, DIM}, ACL_FLOAT16, std::vector<aclFloat16>(ROWS * HEADS * DIM, one));
    Halves k({KEYS, 1, DIM}, ACL_FLOAT16, std::vector<aclFloat16>(KEYS * DIM, one));
    Floats w({ROWS, HEADS}, ACL_FLOAT, std::vector<float>(ROWS * HEADS, 0.001F));
    Floats p({ROWS, 1, KEYS}, ACL_FLOAT, target());
    Floats lse({1, ROWS}, ACL_FLOAT, std::vector<float>(ROWS, 1.0F));
    Ints queryEnds({2}, ACL_INT32, {0, ROWS});
    Ints keyEnds({2}, ACL_INT32, {0, KEYS});
    Ints metadata({64}, ACL_INT32, std::vector<int32_t>(64, 0));
    Halves dq({ROWS, HEADS, DIM}, ACL_FLOAT16, std::vector<aclFloat16>(ROWS * HEADS * DIM, 0));
    Halves dk({KEYS, 1, DIM}, ACL_FLOAT16, std::vector<aclFloat16>(KEYS * DIM, 0));
    Floats dw({ROWS, HEADS}, ACL_FLOAT, std::vector<float>(ROWS * HEADS, 0.0F));
    Floats softmax({ROWS, 1, KEYS}, ACL_FLOAT, std::vector<float>(ROWS * KEYS, 0.0F));
    char layout[] = "TND";

    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    check(aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize(
              queryEnds.handle, keyEnds.handle, nullptr, nullptr, nullptr, 0, ROWS, KEYS, HEADS, 1, DIM, layout, layout,
              CAUSAL, RATIO, metadata.handle, &size, &executor),
          "metadata, phase 1");
    void *first = allocate(size);
    check(aclnnDenseLightningIndexerKLLossGradMetadata(first, size, executor, stream), "metadata, phase 2");

    // The metadata is still to be computed when this is planned: streams keep the order.
    check(aclnnDenseLightningIndexerKLLossGradGetWorkspaceSize(
              q.handle, k.handle, w.handle, p.handle, lse.handle, queryEnds.handle, keyEnds.handle, nullptr, nullptr,
              nullptr, metadata.handle, layout, layout, CAUSAL, RATIO, dq.handle, dk.handle, dw.handle, softmax.handle,
              &size, &executor),
          "gradient, phase 1");
    void *second = allocate(size);
    check(aclnnDenseLightningIndexerKLLossGrad(second, size, executor, stream), "gradient, phase 2");
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");

    std::printf("visible keys of each row:");
    const std::vector<float> y = softmax.read();
    for (int64_t row = 0; row < ROWS; ++row) {
        std::printf(" %d", static_cast<int>(std::count_if(y.begin() + row * KEYS, y.begin() + (row + 1) * KEYS,
                                                          [](float value) { return value > 0.0F; })));
    }
    std::printf("\nsoftmax of the last row:");
    for (int64_t key = 0; key < KEYS; ++key) {
        std::printf(" %.4f", y[(ROWS - 1) * KEYS + key]);
    }
    double sum = 0.0;
    for (float value : dw.read()) {
        sum += value;
    }
    std::printf("\ndw: sum %.4f\n", sum);
    for (void *workspace : {first, second}) {
        if (workspace != nullptr) {
            check(aclrtFree(workspace), "aclrtFree");
        }
    }
}

}  // namespace

int main()
{
    check(aclInit(nullptr), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtContext context = nullptr;
    check(aclrtCreateContext(&context, 0), "aclrtCreateContext");
    check(aclrtSetCurrentContext(context), "aclrtSetCurrentContext");
    aclrtStream stream = nullptr;
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    gradient(stream);
    check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    check(aclrtDestroyContext(context), "aclrtDestroyContext");
    check(aclrtResetDevice(0), "aclrtResetDevice");
    check(aclFinalize(), "aclFinalize");
    return 0;
}
