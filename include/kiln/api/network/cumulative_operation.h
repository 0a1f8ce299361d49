// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class CumulativeOperation : int32_t {
    kSUM = 0,
};

template <>
constexpr int32_t EnumMax<CumulativeOperation>() noexcept {
    return 1;
}

} // namespace nvinfer1
