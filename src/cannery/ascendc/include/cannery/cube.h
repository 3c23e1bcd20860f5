// The cube: loads to L0A and L0B, products, what leaves L0C.
#ifndef CANNERY_CUBE_H
#define CANNERY_CUBE_H

#include "cannery/cube_params.h"
#include "cannery/queues.h"

namespace cannery {

template <class To, class From>
CANNERY_INLINE void load(const To &dst, const From &src, const AscendC::LoadData2DParams &params)
{
    call(Operation::load_2d, dst, src, params.startIndex, params.repeatTimes, params.srcStride, params.dstGap,
         params.ifTranspose, params.addrMode);
}

template <class To, class From>
CANNERY_INLINE void load(const To &dst, const From &src, const AscendC::LoadData2DParamsV2 &params)
{
    call(Operation::load_2d_v2, dst, src, params.mStartPosition, params.kStartPosition, params.mStep, params.kStep,
         params.srcStride, params.dstStride, params.ifTranspose);
}

// What SetFixpipeNz2ndFlag has set for DataCopy out of L0C.
inline AscendC::Nz2NdParams &rows_of_copies()
{
    static thread_local AscendC::Nz2NdParams rows;
    return rows;
}

template <class To, class From>
CANNERY_INLINE void copy_out(const To &dst, const From &src, const AscendC::DataCopyCO12DstParams &params)
{
    const AscendC::Nz2NdParams &rows = rows_of_copies();
    call(Operation::copy_out, dst, src, params.nSize, params.mSize, params.dstStride, params.srcStride, params.quantPre,
         params.reluPre, params.channelSplit, params.nz2ndEn, rows.ndNum, rows.srcNdStride, rows.dstNdStride);
}

}  // namespace cannery

namespace AscendC {

template <typename T>
CANNERY_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &params)
{
    cannery::load(dst, src, params);
}
template <typename T>
CANNERY_INLINE void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParams &params)
{
    cannery::load(dst, src, params);
}
template <typename T>
CANNERY_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParamsV2 &params)
{
    cannery::load(dst, src, params);
}
template <typename T>
CANNERY_INLINE void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParamsV2 &params)
{
    cannery::load(dst, src, params);
}
template <typename T, typename U>
CANNERY_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<U> &params)
{
    const uint8_t *pads = params.padList;
    cannery::call(cannery::Operation::load_image, dst, src, pads[0], pads[1], pads[2], pads[3], params.l1H, params.l1W,
                  params.channelSize, params.kExtension, params.mExtension, params.kStartPt, params.mStartPt,
                  params.strideW, params.strideH, params.filterW, params.filterH, params.filterSizeW,
                  params.filterSizeH, params.dilationFilterW, params.dilationFilterH, params.enTranspose,
                  static_cast<T>(params.padValue));
}
template <typename T = void> void LoadData(...)
{
    static_assert(cannery::never<T>, "LoadData: found other arguments, expected (dst, src, LoadData2DParams, "
                                     "LoadData2DParamsV2 or LoadData3DParamsV2), with tensors of one element type");
}

template <typename T>
CANNERY_INLINE void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                          const LoadData2dTransposeParams &params)
{
    cannery::call(cannery::Operation::load_transposed, dst, src, params.startIndex, params.repeatTimes,
                  params.srcStride, params.dstGap, params.dstFracGap, 0, params.addrMode);
}
template <typename T>
CANNERY_INLINE void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                          const LoadData2dTransposeParamsV2 &params)
{
    cannery::call(cannery::Operation::load_transposed, dst, src, params.startIndex, params.repeatTimes,
                  params.srcStride, params.dstGap, params.dstFracGap, params.srcFracGap, params.addrMode);
}

template <typename T = int8_t, typename U = uint8_t>
CANNERY_INLINE void LoadDataWithSparse(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<U> &idx,
                                       const LoadData2DParams &params)
{
    cannery::call(cannery::Operation::load_sparse, dst, src, idx, params.startIndex, params.repeatTimes);
}

template <typename T, typename U>
CANNERY_INLINE void Fill(const LocalTensor<T> &dst, const InitConstValueParams<U> &params)
{
    cannery::call(cannery::Operation::fill_blocks, dst, params.repeatTimes, params.blockNum, params.dstGap,
                  static_cast<T>(params.initValue));
}
template <typename T, typename U>
CANNERY_INLINE void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<U> &params)
{
    Fill(dst, params);
}

template <typename T, typename U, typename S>
CANNERY_INLINE void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                         const MmadParams &params)
{
    cannery::call(cannery::Operation::mmad, dst, fm, filter, 0, params);
}
template <typename T, typename U, typename S, typename V>
CANNERY_INLINE void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                         const LocalTensor<V> &bias, const MmadParams &params)
{
    cannery::call(cannery::Operation::mmad, dst, fm, filter, 1, bias, params);
}
template <typename T = void> void Mmad(...)
{
    static_assert(cannery::never<T>,
                  "Mmad: found other arguments, expected (dst, fm, filter, MmadParams) or (dst, fm, filter, bias, "
                  "MmadParams)");
}
template <typename T = int32_t, typename U = int8_t, typename S = int8_t>
CANNERY_INLINE void MmadWithSparse(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                                   const MmadParams &params)
{
    cannery::call(cannery::Operation::mmad_sparse, dst, fm, filter, params);
}

#define CANNERY_FIXPIPE(Tensor, Params)                                                                              \
    template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>                                   \
    CANNERY_INLINE void Fixpipe(const Tensor<T> &dst, const LocalTensor<U> &src, const Params &params)               \
    {                                                                                                                \
        cannery::call(cannery::Operation::fixpipe, dst, src, 0, params, config.format);                              \
    }                                                                                                                \
    template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR, typename S = uint64_t>            \
    CANNERY_INLINE void Fixpipe(const Tensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<S> &cbufWorkspace, \
                                const Params &params)                                                                \
    {                                                                                                                \
        cannery::call(cannery::Operation::fixpipe, dst, src, 1, cbufWorkspace, params, config.format);               \
    }
CANNERY_FIXPIPE(GlobalTensor, FixpipeParamsV220)
CANNERY_FIXPIPE(LocalTensor, FixpipeParamsV220)
#if __NPU_ARCH__ == 3510
CANNERY_FIXPIPE(GlobalTensor, FixpipeParamsArch3510<config.format>)
CANNERY_FIXPIPE(LocalTensor, FixpipeParamsArch3510<config.format>)
#endif
#undef CANNERY_FIXPIPE
template <typename T = void> void Fixpipe(...)
{
    static_assert(cannery::never<T>,
                  "Fixpipe: found other arguments, expected (dst, src, params) or (dst, src, cbufWorkspace, params)");
}

template <typename T, typename U>
CANNERY_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &params)
{
    cannery::copy_out(dst, src, params);
}
template <typename T, typename U>
CANNERY_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &params)
{
    cannery::copy_out(dst, src, params);
}
CANNERY_INLINE void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride)
{
    cannery::rows_of_copies() = {ndNum, srcNdStride, dstNdStride};
}
CANNERY_INLINE void SetFixpipePreQuantFlag(uint64_t config)
{
    cannery::call(cannery::Operation::set_pre_quant_flag, config);
}

CANNERY_INLINE void SetHF32Mode(bool on) { cannery::call(cannery::Operation::set_hf32_mode, on); }
CANNERY_INLINE void SetHF32Mode(HF32Mode mode) { SetHF32Mode(mode == HF32Mode::ENABLE); }
CANNERY_INLINE void SetHF32TransMode(bool zero) { cannery::call(cannery::Operation::set_hf32_trans_mode, zero); }
CANNERY_INLINE void SetHF32TransMode(HF32TransMode mode) { SetHF32TransMode(mode == HF32TransMode::NEAREST_ZERO); }
CANNERY_INLINE void SetMMLayoutTransform(bool) {}
CANNERY_INLINE void SetMMRowMajor() {}
CANNERY_INLINE void SetMMColumnMajor() {}
template <typename T> CANNERY_INLINE void SetLoadDataPaddingValue(const T value)
{
    cannery::call(cannery::Operation::set_load_padding, cannery::CodeOf<T>::value, value);
}

}  // namespace AscendC

#endif
