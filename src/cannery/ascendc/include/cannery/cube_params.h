// Parameters of the cube's functions (hicann/asc-devkit include/basic_api/kernel_struct_{mm,fixpipe,data_copy}.h @82b89a15f).
#ifndef CANNERY_CUBE_PARAMS_H
#define CANNERY_CUBE_PARAMS_H

#include "cannery/params.h"

// The hidden friends `put` are how a structure crosses the bridge: its words, in the order that the core reads.
namespace AscendC {

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR = 1, COLUMN_MAJOR = 2 };
enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };
enum class HF32Mode : uint8_t { DISABLE = 0, ENABLE = 1 };
enum class HF32TransMode : uint8_t { NEAREST_EVEN = 0, NEAREST_ZERO = 1 };

struct LoadData2DParams {
    LoadData2DParams() = default;
    LoadData2DParams(uint16_t start, uint8_t repeat, uint16_t stride, uint8_t sidIn, uint16_t gap, bool transpose,
                     uint8_t mode)
        : startIndex(start), repeatTimes(repeat), srcStride(stride), sid(sidIn), dstGap(gap), ifTranspose(transpose),
          addrMode(mode)
    {
    }
    uint16_t startIndex = 0;
    uint16_t dstGap = 0;
    uint16_t srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0;
    uint8_t sid = 0;
    uint8_t addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2DParamsV2 {
    LoadData2DParamsV2() = default;
    LoadData2DParamsV2(uint32_t mStart, uint32_t kStart, uint16_t mSteps, uint16_t kSteps, int32_t src, uint16_t dst,
                       bool transpose, uint8_t sidIn)
        : mStartPosition(mStart), kStartPosition(kStart), mStep(mSteps), kStep(kSteps), srcStride(src), dstStride(dst),
          ifTranspose(transpose), sid(sidIn)
    {
    }
    uint32_t mStartPosition = 0;
    uint32_t kStartPosition = 0;
    uint16_t mStep = 0;
    uint16_t kStep = 0;
    int32_t srcStride = 0;
    uint16_t dstStride = 0;
    bool ifTranspose = false;
    uint8_t sid = 0;
};

struct LoadData2dTransposeParams {
    LoadData2dTransposeParams() = default;
    LoadData2dTransposeParams(uint16_t start, uint8_t repeat, uint16_t stride, uint16_t gap, uint16_t fracGap,
                              uint8_t mode = 0)
        : startIndex(start), repeatTimes(repeat), srcStride(stride), dstGap(gap), dstFracGap(fracGap), addrMode(mode)
    {
    }
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint8_t addrMode = 0;
};

struct LoadData2dTransposeParamsV2 {
    LoadData2dTransposeParamsV2() = default;
    LoadData2dTransposeParamsV2(uint16_t start, uint8_t repeat, uint16_t stride, uint16_t gap, uint16_t fracGap,
                                uint16_t srcGap, uint8_t mode = 0)
        : startIndex(start), repeatTimes(repeat), srcStride(stride), dstGap(gap), dstFracGap(fracGap),
          srcFracGap(srcGap), addrMode(mode)
    {
    }
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint16_t srcFracGap = 0;
    uint8_t addrMode = 0;
};

template <typename T> struct LoadData3DParamsV2 {
    LoadData3DParamsV2() = default;
    LoadData3DParamsV2(const uint8_t pads[4], uint16_t height, uint16_t width, uint16_t channels, uint16_t kExt,
                       uint16_t mExt, uint16_t kStart, uint16_t mStart, uint8_t strideWidth, uint8_t strideHeight,
                       uint8_t filterWidth, uint8_t filterHeight, uint8_t dilationWidth, uint8_t dilationHeight,
                       bool transpose, bool smallK, T pad, bool filterWide = false, bool filterHigh = false,
                       bool fMatrix = false)
        : l1H(height), l1W(width), channelSize(channels), kExtension(kExt), mExtension(mExt), kStartPt(kStart),
          mStartPt(mStart), strideW(strideWidth), strideH(strideHeight), filterW(filterWidth), filterH(filterHeight),
          dilationFilterW(dilationWidth), dilationFilterH(dilationHeight), enTranspose(transpose), enSmallK(smallK),
          padValue(pad), filterSizeW(filterWide), filterSizeH(filterHigh), fMatrixCtrl(fMatrix)
    {
        std::memcpy(padList, pads, sizeof padList);
    }
    uint8_t padList[4] = {0, 0, 0, 0};
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t channelSize = 0;
    uint16_t kExtension = 0;
    uint16_t mExtension = 0;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue = T(0);
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
};

template <typename T> struct InitConstValueParams {
    InitConstValueParams() = default;
    InitConstValueParams(uint16_t repeat, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value)
    {
    }
    InitConstValueParams(uint16_t repeat, T value) : repeatTimes(repeat), initValue(value) {}
    uint16_t repeatTimes = 0;
    uint16_t blockNum = 0;
    uint16_t dstGap = 0;
    T initValue = T(0);
};

struct MmadParams {
    MmadParams() = default;
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, bool bias, int32_t offset, bool sparse,
               bool winogradA, bool winogradB)
        : m(rows), n(columns), k(depth), isBias(bias), fmOffset(offset), enSsparse(sparse), enWinogradA(winogradA),
          enWinogradB(winogradB)
    {
    }
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, uint8_t flag, bool source, bool init)
        : m(rows), n(columns), k(depth), unitFlag(flag), cmatrixSource(source), cmatrixInitVal(init)
    {
    }
    uint16_t m = 0;
    uint16_t n = 0;
    uint16_t k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    uint8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;
    bool cmatrixInitVal = true;
    bool disableGemv = false;

    friend CANNERY_INLINE void put(int64_t *&at, const MmadParams &params)
    {
        *at++ = params.m;
        *at++ = params.n;
        *at++ = params.k;
        *at++ = params.isBias;
        *at++ = params.unitFlag;
        *at++ = params.cmatrixSource;
        *at++ = params.cmatrixInitVal;
        *at++ = params.kDirectionAlign;
        *at++ = !params.disableGemv;
    }
};

struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};
constexpr FixpipeConfig CFG_ROW_MAJOR_UB = {CO2Layout::ROW_MAJOR, true};
constexpr FixpipeConfig CFG_NZ_UB = {CO2Layout::NZ, true};

struct FixpipeParamsV220 {
    FixpipeParamsV220() = default;
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu)
        : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu)
    {
    }
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu, QuantMode_t quant, uint64_t scalar,
                      uint16_t matrices, uint16_t srcMatrix, uint16_t dstMatrix, uint8_t flag, bool split = false)
        : nSize(n), mSize(m), srcStride(src), dstStride(dst), quantPre(quant), deqScalar(scalar), ndNum(matrices),
          srcNdStride(srcMatrix), dstNdStride(dstMatrix), reluEn(relu), unitFlag(flag), isChannelSplit(split)
    {
    }
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;

    friend CANNERY_INLINE void put(int64_t *&at, const FixpipeParamsV220 &params)
    {
        *at++ = params.nSize;
        *at++ = params.mSize;
        *at++ = params.srcStride;
        *at++ = params.dstStride;
        *at++ = params.quantPre;
        *at++ = static_cast<int64_t>(params.deqScalar);
        *at++ = params.ndNum;
        *at++ = params.srcNdStride;
        *at++ = params.dstNdStride;
        *at++ = params.reluEn;
        *at++ = params.unitFlag;
        *at++ = params.isChannelSplit;
    }
};
using FixpipeParamsM300 = FixpipeParamsV220;
using FixpipeParamsM310 = FixpipeParamsV220;

struct Nz2NdParams {
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint32_t dstNdStride = 0;
};

template <CO2Layout format = CO2Layout::ROW_MAJOR> struct FixpipeParamsArch3510 {
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    uint8_t dualDstCtl = 0;
    bool subBlockId = false;
    Nz2NdParams params;
    bool isChannelSplit = false;

    friend CANNERY_INLINE void put(int64_t *&at, const FixpipeParamsArch3510 &given)
    {
        const Nz2NdParams &rows = given.params;
        *at++ = given.nSize;
        *at++ = given.mSize;
        *at++ = given.srcStride;
        *at++ = given.dstStride;
        *at++ = given.quantPre;
        *at++ = static_cast<int64_t>(given.deqScalar);
        *at++ = rows.ndNum;
        *at++ = rows.srcNdStride;
        *at++ = rows.dstNdStride;
        *at++ = given.reluEn;
        *at++ = given.unitFlag;
        *at++ = given.isChannelSplit;
    }
};
template <CO2Layout format = CO2Layout::ROW_MAJOR> using FixpipeParamsC310 = FixpipeParamsArch3510<format>;

struct DataCopyCO12DstParams {
    DataCopyCO12DstParams() = default;
    DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst, uint16_t src, QuantMode_t quant, uint8_t relu,
                          bool split, bool toNd)
        : nSize(n), mSize(m), dstStride(dst), srcStride(src), quantPre(quant), reluPre(relu), channelSplit(split),
          nz2ndEn(toNd)
    {
    }
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false;
    bool nz2ndEn = false;
};

}  // namespace AscendC

#endif
