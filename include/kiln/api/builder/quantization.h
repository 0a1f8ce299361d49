// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/macros.h"

#include <cstdint>

namespace nvinfer1 {

//! Bit mask of QuantizationFlag: bit 1U << int(flag) sets a flag.
using QuantizationFlags = uint32_t;

//! An option of INT8 calibration, see IBuilderConfig::setQuantizationFlag().
enum class QuantizationFlag : int32_t {
    //! Calibrate the network as written, before layers are fused.
    kCALIBRATE_BEFORE_FUSION TRT_DEPRECATED_ENUM = 0,
};

//! Number of values of QuantizationFlag, for loops and tables.
template <>
constexpr int32_t EnumMax<QuantizationFlag>() noexcept {
    return 1;
}

//! How an IInt8Calibrator computes dynamic ranges from samples.
enum class CalibrationAlgoType : int32_t {
    kLEGACY_CALIBRATION TRT_DEPRECATED_ENUM = 0, //!< Percentile and quantile chosen by the user.
    //! Minimal loss of information; calibrates before fusion.
    kENTROPY_CALIBRATION TRT_DEPRECATED_ENUM = 1,
    //! Minimal loss of information, one range for each tensor; the usual choice.
    kENTROPY_CALIBRATION_2 TRT_DEPRECATED_ENUM = 2,
    kMINMAX_CALIBRATION TRT_DEPRECATED_ENUM = 3, //!< Smallest and largest value seen.
};

//! Number of values of CalibrationAlgoType, for loops and tables.
template <>
constexpr int32_t EnumMax<CalibrationAlgoType>() noexcept {
    return 4;
}

} // namespace nvinfer1
