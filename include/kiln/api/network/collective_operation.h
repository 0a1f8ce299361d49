// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

enum class CollectiveOperation : int32_t {
    kALL_REDUCE = 0,
    kALL_GATHER = 1,
    kBROADCAST = 2,
    kREDUCE = 3,
    kREDUCE_SCATTER = 4,
    kALL_TO_ALL = 5,
    kGATHER = 6,
    kSCATTER = 7,
};

template <>
constexpr int32_t EnumMax<CollectiveOperation>() noexcept {
    return 8;
}

} // namespace nvinfer1
