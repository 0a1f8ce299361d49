// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class ReduceOperation : int32_t {
    kSUM = 0,
    kPROD = 1,
    kMAX = 2,
    kMIN = 3,
    kAVG = 4,
    kNONE = 5,
};

template <>
constexpr int32_t EnumMax<ReduceOperation>() noexcept {
    return 6;
}

} // namespace nvinfer1
