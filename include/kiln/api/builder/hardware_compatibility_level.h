// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class HardwareCompatibilityLevel : int32_t {
    kNONE = 0,
    kAMPERE_PLUS = 1,
    kSAME_COMPUTE_CAPABILITY = 2,
};

template <>
constexpr int32_t EnumMax<HardwareCompatibilityLevel>() noexcept {
    return 3;
}

} // namespace nvinfer1
