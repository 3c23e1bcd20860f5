// Configurations of Matmul. Here they change no result, or are refused.
#ifndef CANNERY_MATMUL_CONFIG_H
#define CANNERY_MATMUL_CONFIG_H

#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"

enum class BatchMode { NONE = 0, BATCH_LESS_THAN_L1 = 1, BATCH_LARGE_THAN_L1 = 2, SINGLE_LARGE_THAN_L1 = 3 };
enum class IterateMode : uint8_t { ITERATE_MODE_NORMAL = 1, ITERATE_MODE_ALL = 2, ITERATE_MODE_BATCH = 4,
                                   ITERATE_MODE_N_BATCH = 8, ITERATE_MODE_DEFAULT = 255 };
enum class IterateOrder { ORDER_M = 0, ORDER_N = 1, UNDEF = 2 };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };
enum class MatmulConfigMode { CONFIG_NORM = 0, CONFIG_MDL = 1, CONFIG_SPECIALMDL = 2, CONFIG_IBSHARE = 3 };

struct MatmulConfig {
    bool doNorm = true;
    bool doBasicBlock = false;
    bool doMultiDataLoad = false;
    uint32_t basicM = 0;
    uint32_t basicN = 0;
    uint32_t basicK = 0;
    bool intrinsicsCheck = false;
    bool isNBatch = false;
    bool enVecND2NZ = false;
    bool doSpecialBasicBlock = false;
    uint32_t doMTE2Preload = 0;
    uint32_t singleCoreM = 0;
    uint32_t singleCoreN = 0;
    uint32_t singleCoreK = 0;
    uint32_t stepM = 0;
    uint32_t stepN = 0;
    uint32_t baseMN = 0;
    uint32_t singleCoreMN = 0;
    bool enUnitFlag = true;
    bool isPerTensor = false;
    bool hasAntiQuantOffset = false;
    bool doIBShareNorm = false;
    bool doSpecialMDL = false;
    bool enableInit = true;
    BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    IterateMode iterateMode = IterateMode::ITERATE_MODE_DEFAULT;
    bool enableReuse = true;
    bool enableUBReuse = true;
    bool enableL1CacheUB = false;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableDoubleCache = false;
    bool isBiasBatch = true;
    bool enableStaticPadZeros = false;
    bool isPartialOutput = false;
    bool enableMixDualMaster = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    bool isCO1Shared = false;
};

struct MatmulShapeParams {
    uint32_t singleCoreM;
    uint32_t singleCoreN;
    uint32_t singleCoreK;
    uint32_t basicM;
    uint32_t basicN;
    uint32_t basicK;
};
struct MatmulQuantParams {
    bool isPerTensor;
    bool hasAntiQuantOffset;
};
struct MatmulBatchParams {
    bool isNBatch;
    BatchMode batchMode;
    bool isBiasBatch = true;
};
struct MatmulFuncParams {
    bool intrinsicsCheck = false;
    bool enVecND2NZ = false;
    bool enableDoubleCache = false;
    bool enableL1CacheUB = false;
    uint32_t doMTE2Preload = 0;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableReuse = true;
    bool enableUBReuse = true;
    bool isPartialOutput = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
};

namespace cannery {

constexpr MatmulConfig config_of(MatmulConfigMode mode)
{
    MatmulConfig config;
    config.doNorm = mode == MatmulConfigMode::CONFIG_NORM;
    config.doMultiDataLoad = mode == MatmulConfigMode::CONFIG_MDL;
    config.doSpecialMDL = mode == MatmulConfigMode::CONFIG_SPECIALMDL;
    config.doIBShareNorm = mode == MatmulConfigMode::CONFIG_IBSHARE;
    return config;
}
constexpr void take(MatmulConfig &config, const MatmulShapeParams &params)
{
    config.singleCoreM = params.singleCoreM;
    config.singleCoreN = params.singleCoreN;
    config.singleCoreK = params.singleCoreK;
    config.basicM = params.basicM;
    config.basicN = params.basicN;
    config.basicK = params.basicK;
}
constexpr void take(MatmulConfig &config, const MatmulQuantParams &params)
{
    config.isPerTensor = params.isPerTensor;
    config.hasAntiQuantOffset = params.hasAntiQuantOffset;
}
constexpr void take(MatmulConfig &config, const MatmulBatchParams &params)
{
    config.isNBatch = params.isNBatch;
    config.batchMode = params.batchMode;
    config.isBiasBatch = params.isBiasBatch;
}
constexpr void take(MatmulConfig &config, const MatmulFuncParams &params)
{
    config.iterateOrder = params.iterateOrder;
    config.scheduleType = params.scheduleType;
    config.isPartialOutput = params.isPartialOutput;
    config.isA2B2Shared = params.isA2B2Shared;
    config.isEnableChannelSplit = params.isEnableChannelSplit;
    config.enableKdimReorderLoad = params.enableKdimReorderLoad;
}

}  // namespace cannery

// Arguments that say how data is cached and loaded, in the original's order; no result depends on them.
template <class... Arguments> constexpr MatmulConfig GetNormalConfig(Arguments...)
{
    return cannery::config_of(MatmulConfigMode::CONFIG_NORM);
}
template <class... Arguments> constexpr MatmulConfig GetMDLConfig(Arguments...)
{
    return cannery::config_of(MatmulConfigMode::CONFIG_MDL);
}
template <class... Arguments> constexpr MatmulConfig GetSpecialMDLConfig(Arguments...)
{
    return cannery::config_of(MatmulConfigMode::CONFIG_SPECIALMDL);
}
template <class... Arguments> constexpr MatmulConfig GetIBShareNormConfig(Arguments...)
{
    return cannery::config_of(MatmulConfigMode::CONFIG_IBSHARE);
}
template <MatmulConfigMode mode, class... Params> constexpr MatmulConfig GetMMConfig(const Params &...params)
{
    MatmulConfig config = cannery::config_of(mode);
    (cannery::take(config, params), ...);
    return config;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
constexpr MatmulConfig MM_CFG_BB = GetNormalConfig(true);

// Tiling that is known when the program is compiled; what is −1 comes at run time.
struct MatmulApiStaticTiling {
    int usedCoreNum = -1;
    int M = -1;
    int N = -1;
    int Ka = -1;
    int Kb = -1;
    int singleCoreM = -1;
    int singleCoreN = -1;
    int singleCoreK = -1;
    int baseM = -1;
    int baseN = -1;
    int baseK = -1;
    int depthA1 = -1;
    int depthB1 = -1;
    int stepM = -1;
    int stepN = -1;
    int isBias = -1;
    int transLength = -1;
    int iterateOrder = -1;
    int shareMode = -1;
    int shareL1Size = -1;
    int shareL0CSize = -1;
    int shareUbSize = -1;
    int stepKa = -1;
    int stepKb = -1;
    int dbL0A = -1;
    int dbL0B = -1;
    int dbL0C = -1;
    MatmulConfig cfg;
};

namespace cannery {

constexpr const MatmulConfig &settings_of(const MatmulConfig &config) { return config; }
constexpr const MatmulConfig &settings_of(const MatmulApiStaticTiling &tiling) { return tiling.cfg; }

inline TCubeTiling constant_tiling(const MatmulConfig &config)
{
    TCubeTiling tiling;
    tiling.M = tiling.singleCoreM = static_cast<int32_t>(config.singleCoreM);
    tiling.N = tiling.singleCoreN = static_cast<int32_t>(config.singleCoreN);
    tiling.Ka = tiling.Kb = tiling.singleCoreK = static_cast<int32_t>(config.singleCoreK);
    tiling.baseM = static_cast<int32_t>(config.basicM);
    tiling.baseN = static_cast<int32_t>(config.basicN);
    tiling.baseK = static_cast<int32_t>(config.basicK);
    tiling.stepM = tiling.stepN = 1;
    return tiling;
}
inline TCubeTiling constant_tiling(const MatmulApiStaticTiling &given)
{
    TCubeTiling tiling = constant_tiling(given.cfg);
    tiling.stepM = given.stepM > 0 ? given.stepM : 1;
    tiling.stepN = given.stepN > 0 ? given.stepN : 1;
    tiling.iterateOrder = given.iterateOrder > 0 ? given.iterateOrder : 0;
    return tiling;
}

}  // namespace cannery

namespace AscendC {

template <class A, class B, class C, class BIAS>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig &config, int32_t = 0)
{
    MatmulApiStaticTiling tiling;
    tiling.singleCoreM = static_cast<int>(config.singleCoreM);
    tiling.singleCoreN = static_cast<int>(config.singleCoreN);
    tiling.singleCoreK = static_cast<int>(config.singleCoreK);
    tiling.baseM = static_cast<int>(config.basicM);
    tiling.baseN = static_cast<int>(config.basicN);
    tiling.baseK = static_cast<int>(config.basicK);
    tiling.cfg = config;
    return tiling;
}

}  // namespace AscendC

#endif
