// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class GatherMode : int32_t {
    kDEFAULT = 0,
    kELEMENT = 1,
    kND = 2,
};

template <>
constexpr int32_t EnumMax<GatherMode>() noexcept {
    return 3;
}

} // namespace nvinfer1
