// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class SampleMode : int32_t {
    kSTRICT_BOUNDS = 0,
    kWRAP = 1,
    kCLAMP = 2,
    kFILL = 3,
    kREFLECT = 4,
};

template <>
constexpr int32_t EnumMax<SampleMode>() noexcept {
    return 5;
}

} // namespace nvinfer1
