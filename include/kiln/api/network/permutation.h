// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

struct Permutation {
    int32_t order[Dims::MAX_DIMS];
};

} // namespace nvinfer1
