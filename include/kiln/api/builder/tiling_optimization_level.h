// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class TilingOptimizationLevel : int32_t {
    kNONE = 0,
    kFAST = 1,
    kMODERATE = 2,
    kFULL = 3,
};

template <>
constexpr int32_t EnumMax<TilingOptimizationLevel>() noexcept {
    return 4;
}

} // namespace nvinfer1
