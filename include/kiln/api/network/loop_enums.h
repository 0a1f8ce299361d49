// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class LoopOutput : int32_t {
    kLAST_VALUE = 0,
    kCONCATENATE = 1,
    kREVERSE = 2,
};

template <>
constexpr int32_t EnumMax<LoopOutput>() noexcept {
    return 3;
}

enum class TripLimit : int32_t {
    kCOUNT = 0,
    kWHILE = 1,
};

template <>
constexpr int32_t EnumMax<TripLimit>() noexcept {
    return 2;
}

} // namespace nvinfer1
