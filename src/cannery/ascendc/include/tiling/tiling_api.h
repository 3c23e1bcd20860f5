// Tiling on the host: Matmul's, and sizes of temporary buffers (hicann/asc-devkit include/adv_api/*_tiling.h @82b89a15f).
#ifndef CANNERY_TILING_API_H
#define CANNERY_TILING_API_H

#include <initializer_list>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/matmul_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace cannery {

// A shape, under all the names that programs know it by.
class HostShape {
public:
    HostShape() = default;
    HostShape(std::initializer_list<int64_t> dims) : dims_(dims) {}
    template <class Number> explicit HostShape(const std::vector<Number> &dims) : dims_(dims.begin(), dims.end()) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t axis) const { return axis < dims_.size() ? dims_[axis] : 0; }
    std::vector<int64_t> GetDims() const { return dims_; }
    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (const int64_t dim : dims_) {
            size *= dim;
        }
        return size;
    }
    int64_t Columns() const { return dims_.empty() ? 0 : dims_.back(); }
    int64_t Rows() const { return Columns() == 0 ? 0 : GetShapeSize() / Columns(); }

private:
    std::vector<int64_t> dims_;
};

inline void temporary(const char *function, const HostShape &shape, uint32_t typeSize, bool isReuseSource,
                      uint32_t &maxValue, uint32_t &minValue)
{
    const int64_t numbers[] = {shape.GetShapeSize(), typeSize, isReuseSource};
    maxValue = minValue = static_cast<uint32_t>(cannery_ask(function, numbers, 3));
}

}  // namespace cannery

namespace ge {
using Shape = cannery::HostShape;
enum DataType {
    DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8,
    DT_INT64 = 9, DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_BF16 = 27, DT_INT4 = 29
};
}  // namespace ge

namespace optiling {

BEGIN_TILING_DATA_DEF(TCubeTiling)
CANNERY_CUBE_TILING(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(SoftMaxTiling)
CANNERY_SOFTMAX_TILING(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(RmsNormTiling)
CANNERY_RMSNORM_TILING(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF;

}  // namespace optiling

namespace AscendC {

using TensorShape = cannery::HostShape;
enum class TensorDataType { DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6,
                            DT_UINT16 = 7, DT_UINT32 = 8, DT_INT64 = 9, DT_UINT64 = 10, DT_BOOL = 12, DT_BF16 = 27 };

inline uint32_t GetSoftMaxMinTmpSize(const cannery::HostShape &shape, uint32_t typeSize, bool)
{
    const int64_t numbers[] = {shape.Rows(), shape.Columns(), typeSize};
    return static_cast<uint32_t>(cannery_ask("softmax", numbers, 3));
}
inline uint32_t GetSoftMaxMaxTmpSize(const cannery::HostShape &shape, uint32_t typeSize, bool isReuseSource)
{
    return GetSoftMaxMinTmpSize(shape, typeSize, isReuseSource);
}
// The source's shape is all that softmax needs of its tiling here.
template <class Tiling>
inline void SoftMaxTilingFunc(const cannery::HostShape &shape, uint32_t, uint32_t, Tiling &tiling)
{
    tiling.set_srcM(static_cast<uint32_t>(shape.Rows()));
    tiling.set_srcK(static_cast<uint32_t>(shape.Columns()));
    tiling.set_srcSize(static_cast<uint32_t>(shape.GetShapeSize()));
}
inline bool GetRmsNormMaxMinTmpSize(const cannery::HostShape &shape, uint32_t typeSize, uint32_t &maxValue,
                                    uint32_t &minValue, bool = false)
{
    const int64_t numbers[] = {shape.Columns(), typeSize};
    maxValue = minValue = static_cast<uint32_t>(cannery_ask("rmsnorm", numbers, 2));
    return true;
}
template <class Tiling>
inline bool GetRmsNormTilingInfo(const cannery::HostShape &shape, const cannery::HostShape &original, uint32_t, uint32_t,
                                 Tiling &tiling, bool = false)
{
    const size_t last = shape.GetDimNum() - 1;
    const int64_t columns = shape.GetDim(last);
    const int64_t originalColumns = original.GetDim(original.GetDimNum() - 1);
    tiling.set_bLength(static_cast<uint32_t>(last >= 2 ? shape.GetDim(0) : 1));
    tiling.set_sLength(static_cast<uint32_t>(columns == 0 ? 0 : shape.Rows() / (last >= 2 ? shape.GetDim(0) : 1)));
    tiling.set_hLength(static_cast<uint32_t>(columns));
    tiling.set_originalHLength(static_cast<uint32_t>(originalColumns));
    tiling.set_reciprocalOfHLength(originalColumns == 0 ? 0.0f : 1.0f / static_cast<float>(originalColumns));
    return true;
}
inline void GetAscendQuantMaxMinTmpSize(const cannery::HostShape &shape, uint32_t typeSize, uint32_t &maxValue,
                                        uint32_t &minValue)
{
    cannery::temporary("quant", shape, typeSize, false, maxValue, minValue);
}
inline void GetPowerMaxMinTmpSize(const cannery::HostShape &shape0, const cannery::HostShape &shape1, bool,
                                  uint32_t typeSize, bool isReuseSource, uint32_t &maxValue, uint32_t &minValue)
{
    const bool isFirst = shape0.GetShapeSize() >= shape1.GetShapeSize();
    cannery::temporary("power", isFirst ? shape0 : shape1, typeSize, isReuseSource, maxValue, minValue);
}

}  // namespace AscendC

#include "tiling/temporaries.h"

#endif
