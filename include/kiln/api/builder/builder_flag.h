// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/macros.h"

#include <cstdint>

namespace nvinfer1 {

//! Bit mask of BuilderFlag: bit 1U << int(flag) sets a flag.
using BuilderFlags = uint32_t;

//! An option of the build, see IBuilderConfig::setFlag(). Only kTF32 is set by default. Flags that
//! select a precision are for weakly typed networks; builds of strongly typed networks refuse them.
enum class BuilderFlag : int32_t {
    kFP16 = 0,  //!< Layers may compute in half precision (DataType::kHALF) where that is faster.
    kINT8 = 1,  //!< Layers may compute in 8-bit integers; needs quantization information.
    kDEBUG = 2, //!< Synchronize and check after each layer: slow, but an error names its layer.
    kGPU_FALLBACK = 3, //!< Layers that DLA cannot run may run on the GPU.
    kREFIT = 4,        //!< Weights can be replaced later by an IRefitter.
    //! Neither read nor write a timing cache; all candidates are timed.
    kDISABLE_TIMING_CACHE = 5,
    //! Float matrix products may round their inputs to 10 mantissa bits (TensorFloat-32). On by
    //! default.
    kTF32 = 6,
    //! Weights with two zeros in every four elements may use structured sparsity kernels.
    kSPARSE_WEIGHTS = 7,
    kSAFETY_SCOPE TRT_DEPRECATED_ENUM = 8, //!< Build within the limits of the safety runtime.
    //! Precisions set with ILayer::setPrecision() are obeyed, or the build fails.
    kOBEY_PRECISION_CONSTRAINTS = 9,
    //! Precisions set with ILayer::setPrecision() are obeyed; where impossible, a warning is
    //! logged.
    kPREFER_PRECISION_CONSTRAINTS = 10,
    //! The build fails if an input or output with formats from ITensor::setAllowedFormats() needs a
    //! reformat.
    kDIRECT_IO TRT_DEPRECATED_ENUM = 11,
    //! The build fails when an IAlgorithmSelector returns no choice.
    kREJECT_EMPTY_ALGORITHMS = 12,
    kVERSION_COMPATIBLE = 13, //!< The plan also loads in other minor versions of the runtime.
    //! With kVERSION_COMPATIBLE: the plan does not include a runtime.
    kEXCLUDE_LEAN_RUNTIME = 14,
    kFP8 = 15, //!< Layers may compute in 8-bit floating point; needs quantization layers.
    kERROR_ON_TIMING_CACHE_MISS = 16, //!< The build fails when the timing cache lacks an entry.
    kBF16 = 17, //!< Layers may compute in bfloat16 (DataType::kBF16) where that is faster.
    kDISABLE_COMPILATION_CACHE = 18, //!< Compiled kernels are not stored in the timing cache.
    //! The plan omits refittable weights; an IRefitter supplies them.
    kSTRIP_PLAN = 19,
    kWEIGHTLESS = 19, //!< Older name of kSTRIP_PLAN.
    //! Weights can be refitted, but only with identical values: the builder may rely on them.
    kREFIT_IDENTICAL = 20,
    //! Weights may stay in host memory and be copied when needed. Strongly typed networks only.
    kWEIGHT_STREAMING = 21,
    kINT4 = 22, //!< Weights may be 4-bit integers; needs quantization layers.
    //! Only weights marked with INetworkDefinition::markWeightsRefittable() can be refitted.
    kREFIT_INDIVIDUAL = 23,
    //! Optimizations must preserve NaN and infinity; x * 0 is not replaced by 0, for example.
    kSTRICT_NANS = 24,
    kMONITOR_MEMORY = 25, //!< The build logs its memory use.
    kFP4 = 26, //!< Layers may compute in 4-bit floating point; needs quantization layers.
    //! The timing cache may be read and changed with ITimingCache::query() and update().
    kEDITABLE_TIMING_CACHE = 27,
    //! Each row of a result is computed independently of the other rows and their number, so
    //! splitting a batch does not change results in any bit.
    kDISTRIBUTIVE_INDEPENDENCE = 28,
};

//! Number of values of BuilderFlag, for loops and tables.
template <>
constexpr int32_t EnumMax<BuilderFlag>() noexcept {
    return 29;
}

} // namespace nvinfer1
