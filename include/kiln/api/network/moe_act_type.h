// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class MoEActType : int32_t {
    kNONE = 0,
    kSILU = 1,
};

template <>
constexpr int32_t EnumMax<MoEActType>() noexcept {
    return 2;
}

} // namespace nvinfer1
