// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class RuntimePlatform : int32_t {
    kSAME_AS_BUILD = 0,
    kWINDOWS_AMD64 = 1,
};

template <>
constexpr int32_t EnumMax<RuntimePlatform>() noexcept {
    return 2;
}

} // namespace nvinfer1
