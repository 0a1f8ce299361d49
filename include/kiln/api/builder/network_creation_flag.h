// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

using NetworkDefinitionCreationFlags = uint32_t;

enum class NetworkDefinitionCreationFlag : int32_t {
    kEXPLICIT_BATCH = 0,
    kSTRONGLY_TYPED TRT_DEPRECATED_ENUM = 1,
    kPREFER_JIT_PYTHON_PLUGINS = 2,
    kPREFER_AOT_PYTHON_PLUGINS = 3,
};

template <>
constexpr int32_t EnumMax<NetworkDefinitionCreationFlag>() noexcept {
    return 4;
}

} // namespace nvinfer1
