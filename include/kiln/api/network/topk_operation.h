// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class TopKOperation : int32_t {
    kMAX = 0,
    kMIN = 1,
};

template <>
constexpr int32_t EnumMax<TopKOperation>() noexcept {
    return 2;
}

} // namespace nvinfer1
