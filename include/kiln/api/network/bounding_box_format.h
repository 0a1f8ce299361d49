// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class BoundingBoxFormat : int32_t {
    kCORNER_PAIRS = 0,
    kCENTER_SIZES = 1,
};

template <>
constexpr int32_t EnumMax<BoundingBoxFormat>() noexcept {
    return 2;
}

} // namespace nvinfer1
