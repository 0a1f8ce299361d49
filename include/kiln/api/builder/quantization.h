// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

using QuantizationFlags = uint32_t;

enum class QuantizationFlag : int32_t {
    kCALIBRATE_BEFORE_FUSION TRT_DEPRECATED_ENUM = 0,
};

template <>
constexpr int32_t EnumMax<QuantizationFlag>() noexcept {
    return 1;
}

enum class CalibrationAlgoType : int32_t {
    kLEGACY_CALIBRATION TRT_DEPRECATED_ENUM = 0,
    kENTROPY_CALIBRATION TRT_DEPRECATED_ENUM = 1,
    kENTROPY_CALIBRATION_2 TRT_DEPRECATED_ENUM = 2,
    kMINMAX_CALIBRATION TRT_DEPRECATED_ENUM = 3,
};

template <>
constexpr int32_t EnumMax<CalibrationAlgoType>() noexcept {
    return 4;
}

class IInt8Calibrator;

} // namespace nvinfer1
