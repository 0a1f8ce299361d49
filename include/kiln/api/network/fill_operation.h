// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class FillOperation : int32_t {
    kLINSPACE = 0,
    kRANDOM_UNIFORM = 1,
    kRANDOM_NORMAL = 2,
};

template <>
constexpr int32_t EnumMax<FillOperation>() noexcept {
    return 3;
}

} // namespace nvinfer1
