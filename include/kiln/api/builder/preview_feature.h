// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class PreviewFeature : int32_t {
    kPROFILE_SHARING_0806 = 0,
    kALIASED_PLUGIN_IO_10_03 = 1,
    kRUNTIME_ACTIVATION_RESIZE_10_10 = 2,
    kMULTIDEVICE_RUNTIME_10_16 = 3,
};

template <>
constexpr int32_t EnumMax<PreviewFeature>() noexcept {
    return 4;
}

} // namespace nvinfer1
