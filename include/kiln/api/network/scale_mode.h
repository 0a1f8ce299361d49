// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class ScaleMode : int32_t {
    kUNIFORM = 0,
    kCHANNEL = 1,
    kELEMENTWISE = 2,
};

template <>
constexpr int32_t EnumMax<ScaleMode>() noexcept {
    return 3;
}

} // namespace nvinfer1
