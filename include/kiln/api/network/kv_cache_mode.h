// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class KVCacheMode : int32_t {
    kLINEAR = 0,
};

template <>
constexpr int32_t EnumMax<KVCacheMode>() noexcept {
    return 1;
}

} // namespace nvinfer1
