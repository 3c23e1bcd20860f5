// The chip as the host part of a program sees it (hicann/asc-devkit include/adv_api/tiling @82b89a15f).
#ifndef CANNERY_PLATFORM_ASCENDC_H
#define CANNERY_PLATFORM_ASCENDC_H

#include <cstdint>

#include "cannery/runtime.h"

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };
enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_93,
    ASCEND950,
    RESERVED_VERSION = 99999
};

class PlatformAscendC {
public:
    PlatformAscendC() = default;
    template <class Information> explicit PlatformAscendC(Information *) {}
    uint32_t GetCoreNum() const { return static_cast<uint32_t>(Ask("cores", 0)); }
    uint32_t GetCoreNumAic() const { return static_cast<uint32_t>(Ask("cores", 1)); }
    uint32_t GetCoreNumAiv() const { return static_cast<uint32_t>(Ask("cores", 2)); }
    uint32_t GetCoreNumVector() const { return GetCoreNumAiv(); }
    void GetCoreMemSize(const CoreMemType &memory, uint64_t &size) const
    {
        size = static_cast<uint64_t>(Ask("memory", static_cast<int64_t>(memory)));
    }
    uint32_t GetLibApiWorkSpaceSize() const { return 16 * 1024 * 1024; }
    SocVersion GetSocVersion() const
    {
#if __NPU_ARCH__ == 3510
        return SocVersion::ASCEND950;
#else
        return SocVersion::ASCEND910B;
#endif
    }
    uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic, uint32_t aiv) const
    {
        const uint32_t ratio = aic == 0 || aiv <= aic ? 1 : aiv / aic;
        return (slices + ratio - 1) / ratio;
    }

private:
    static int64_t Ask(const char *question, int64_t number) { return cannery_ask(question, &number, 1); }
};

class PlatformAscendCManager {
public:
    static PlatformAscendC *GetInstance(const char * = nullptr)
    {
        static PlatformAscendC platform;
        return &platform;
    }
};

}  // namespace platform_ascendc

#endif
