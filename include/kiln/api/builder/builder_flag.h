// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

using BuilderFlags = uint32_t;

enum class BuilderFlag : int32_t {
    kFP16 = 0,
    kINT8 = 1,
    kDEBUG = 2,
    kGPU_FALLBACK = 3,
    kREFIT = 4,
    kDISABLE_TIMING_CACHE = 5,
    kTF32 = 6,
    kSPARSE_WEIGHTS = 7,
    kSAFETY_SCOPE TRT_DEPRECATED_ENUM = 8,
    kOBEY_PRECISION_CONSTRAINTS = 9,
    kPREFER_PRECISION_CONSTRAINTS = 10,
    kDIRECT_IO TRT_DEPRECATED_ENUM = 11,
    kREJECT_EMPTY_ALGORITHMS = 12,
    kVERSION_COMPATIBLE = 13,
    kEXCLUDE_LEAN_RUNTIME = 14,
    kFP8 = 15,
    kERROR_ON_TIMING_CACHE_MISS = 16,
    kBF16 = 17,
    kDISABLE_COMPILATION_CACHE = 18,
    kSTRIP_PLAN = 19,
    kWEIGHTLESS = 19,
    kREFIT_IDENTICAL = 20,
    kWEIGHT_STREAMING = 21,
    kINT4 = 22,
    kREFIT_INDIVIDUAL = 23,
    kSTRICT_NANS = 24,
    kMONITOR_MEMORY = 25,
    kFP4 = 26,
    kEDITABLE_TIMING_CACHE = 27,
    kDISTRIBUTIVE_INDEPENDENCE = 28,
};

template <>
constexpr int32_t EnumMax<BuilderFlag>() noexcept {
    return 29;
}

} // namespace nvinfer1
