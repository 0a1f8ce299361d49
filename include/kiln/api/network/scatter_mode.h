// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class ScatterMode : int32_t {
    kELEMENT = 0,
    kND = 1,
};

template <>
constexpr int32_t EnumMax<ScatterMode>() noexcept {
    return 2;
}

} // namespace nvinfer1
